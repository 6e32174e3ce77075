"""Models that are Python objects: KeyedVectors of gensim, mappings, arrays with words, encoders and functions."""

from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sparse
from msgspec.structs import replace

from wikisem import evaluate
from wikisem.errors import DamagedInputError, UsageError
from wikisem.evaluate import Row

WORDS = ["rome", "paris", "oslo", "lyon", "new_york", "desert", "astronomy", "7"]
ROWS = np.array(
    [[1, 0.1, 0], [1, 0.2, 0], [1, 0, 0.1], [0.9, 0.1, 0.1], [1, 0.1, 0.1], [0, 1, 0], [0, 0.1, 1], [0, 0, 1]],
    np.float32,
)
NUMBERS = dict(zip(WORDS, ROWS, strict=True))
GROUP = "rome\nparis\nNew York\n\nlyon\nastronomy\nnowhere\n"
CATEGORIES = ": capitals\nrome paris oslo nowhere\n: other\ndesert astronomy lyon\n"
QUESTIONS = ": near\nrome paris oslo lyon\nparis rome lyon oslo\n"


class KeyedVectors:
    """A stand-in for gensim's class of this name, with what its documentation promises and no more.

    ``in`` asks for a word and indexing gives its vector.
    """

    def __init__(self, words: Sequence[Any] = WORDS, rows: Any = ROWS) -> None:
        self.index_to_key: list[Any] = list(words)
        self.vectors = rows
        self.key_to_index = {word: at for at, word in enumerate(words)}

    def __len__(self) -> int:
        return len(self.index_to_key)

    def __contains__(self, word: str) -> bool:
        return word in self.key_to_index

    def __getitem__(self, word: str) -> Any:
        return self.vectors[self.key_to_index[word]]

    def get_vector(self, word: str) -> Any:
        """The vector of a word; KeyError if it has none."""
        return self[word]


class FastTextKeyedVectors(KeyedVectors):
    """The same with n-grams, of which vectors of other words are made."""

    vectors_ngrams = ROWS

    def get_vector(self, word: str) -> Any:
        """The vector of a word, zero for one without n-grams; KeyError if the model has no n-grams at all."""
        if word == "untrained":
            raise KeyError("cannot calculate vector for OOV word without ngrams")
        return self[word] if word in self else ROWS[0] * ("nowhere" in word)


def gensim_vectors() -> Any:
    """The real class, where the package is installed."""
    keyed = pytest.importorskip("gensim.models").KeyedVectors(3)
    keyed.add_vectors(WORDS, ROWS)
    return keyed


MODELS: list[Callable[[], Any]] = [
    KeyedVectors,
    lambda: SimpleNamespace(wv=KeyedVectors()),
    gensim_vectors,
    lambda: NUMBERS,
    lambda: {word: tuple(map(float, row)) for word, row in NUMBERS.items()},
    lambda: (WORDS, ROWS),
    lambda: (tuple(WORDS), ROWS.tolist()),
    lambda: ([*WORDS, "empty"], sparse.csr_matrix(np.vstack([ROWS, np.zeros((1, 3), np.float32)]))),
]


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    """A test group, categories, questions, and the same vectors as a file."""
    lines = "".join(f"{word} {' '.join(map(str, row))}\n" for word, row in NUMBERS.items())
    for name, text in (("v.txt", lines), ("Q1.txt", GROUP), ("c.txt", CATEGORIES), ("q.txt", QUESTIONS)):
        (tmp_path / name).write_text(text)
    return tmp_path


def scores(sets: Path, model: Any) -> list[Row]:
    """What each function makes of a model, but for its name."""
    found = [
        evaluate.outliers(sets / "Q1.txt", model),
        evaluate.topk(sets / "c.txt", model, 2),
        evaluate.oddoneout(sets / "c.txt", model, 2),
        evaluate.combined(sets / "c.txt", model, 2),
        evaluate.analogies(sets / "q.txt", model),
    ]
    rows = [row for each in found for row in each.rows if row.metric != "vocabulary_size"]
    return [replace(row, model="") for row in rows]


@pytest.mark.parametrize("make", MODELS)
def test_an_object_scores_as_the_file_of_its_vectors(make: Callable[[], Any], sets: Path) -> None:
    """In every function, with phrases and lowercasing as of a file; a pair may be sparse and have empty rows."""
    found = scores(sets, make())
    assert found == scores(sets, sets / "v.txt")
    assert evaluate.outliers(sets / "Q1.txt", make()).row("accuracy").cases == 2
    assert evaluate.open_vectors(make()).find(["New York", "nowhere"]).keys() == {"New York"}
    assert not evaluate.open_vectors(make(), phrases=False).find(["New York"])


BLANKS = [word.replace("_", " ") for word in WORDS]


@pytest.mark.parametrize(
    "model",
    [KeyedVectors(BLANKS), dict(zip(BLANKS, ROWS, strict=True)), (BLANKS, ROWS), (BLANKS, sparse.csr_matrix(ROWS))],
)
def test_words_of_an_object_may_have_blanks(sets: Path, model: Any) -> None:
    """They are found as the same words with `_`, also by analogy questions, which cannot have blanks."""
    assert scores(sets, model) == scores(sets, sets / "v.txt")
    assert evaluate.open_vectors(model).find(["New York", "new_york"]).keys() == {"New York", "new_york"}
    (sets / "q.txt").write_text(": near\nrome new_york oslo lyon\n")
    assert evaluate.analogies(sets / "q.txt", model).row("unseen").value == 0


def test_a_model_is_called_by_its_class_or_as_asked(sets: Path) -> None:
    """The name of a function is its own, and what is opened already remains as it is."""
    models: list[Any] = [KeyedVectors(), NUMBERS, sorted]
    names = [evaluate.open_vectors(model).name for model in models]
    assert names == ["KeyedVectors", "dict", "sorted"]
    opened = evaluate.open_vectors(KeyedVectors(), name="mine")
    assert evaluate.outliers(sets / "Q1.txt", opened).row("accuracy").model == "mine"
    assert evaluate.open_vectors(opened) is opened


def test_several_models_are_named(sets: Path) -> None:
    """A list, or a mapping of names to models, which is no mapping of words to vectors; two of one name are refused."""
    models: list[Any] = [KeyedVectors(), NUMBERS]
    listed = evaluate.outliers(sets / "Q1.txt", models)
    named = evaluate.outliers(sets / "Q1.txt", {"a": models[0], "b": evaluate.open_vectors(models[1])})
    for scores_of, names in ((listed, ["KeyedVectors", "dict"]), (named, ["a", "b"])):
        assert list(dict.fromkeys(row.model for row in scores_of.rows)) == names
        (difference,) = (row for row in scores_of.rows if row.less and row.metric == "accuracy")
        assert (difference.model, difference.less, difference.value, difference.p) == (*names, 0, 1)
        assert scores_of.row("accuracy", model=names[1]).vocabulary == "common"
    assert named.rows == [replace(row, **renamed(row)) for row in listed.rows]
    with pytest.raises(UsageError, match="expected models of different names, saw two called dict"):
        evaluate.outliers(sets / "Q1.txt", [NUMBERS, NUMBERS])
    with pytest.raises(UsageError, match=r"expected one row with .*, saw 2"):
        listed.row("accuracy")


def renamed(row: Row) -> dict[str, str]:
    """The names of models in a row, changed as the mapping changes them."""
    names = {"KeyedVectors": "a", "dict": "b", "": ""}
    return {"model": names[row.model], "less": names[row.less]}


def test_functions_and_encoders_read_whole_items(sets: Path) -> None:
    """A function, and an object with ``encode``, are handed to any function as they are."""

    def encode(texts: Sequence[str]) -> list[Any]:
        return [NUMBERS.get(text.lower().replace(" ", "_")) for text in texts]

    found = [
        evaluate.outliers(sets / "Q1.txt", model).row("opp")
        for model in (encode, SimpleNamespace(encode=encode), NUMBERS)
    ]
    assert [(row.cases, row.value) for row in found] == [(2, found[0].value)] * 3
    with pytest.raises(UsageError, match="topk needs a model with a vocabulary, encode has none"):
        evaluate.topk(sets / "c.txt", encode)


def test_n_grams_make_vectors_of_other_words(sets: Path) -> None:
    """As in a fastText file; a word that has no n-grams is out of vocabulary."""
    model = evaluate.open_vectors(FastTextKeyedVectors())
    assert model.find(["nowhere", "else", "untrained"]).keys() == {"nowhere"}
    assert evaluate.outliers(sets / "Q1.txt", model).row("accuracy").cases == 3


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (KeyedVectors([None, *WORDS[1:]]), "KeyedVectors: expected words that are strings, saw None"),
        (KeyedVectors([], ROWS[:0]), "KeyedVectors: expected words with vectors, saw numbers of shape"),
        ({}, "dict: expected words with vectors"),
        ((WORDS, ROWS[:3]), "tuple: expected 8 rows of numbers, one for each word, saw numbers of shape (3, 3)"),
        ((WORDS, ROWS[:, 0]), "saw numbers of shape (8,)"),
        ({"a": [1, 2], "b": [1]}, "dict: expected a row of numbers for each word, saw"),
        ({"a": None}, "dict: expected a row of numbers for each word, saw"),
        ({"a": ["1"]}, "dict: expected a row of numbers for each word, saw"),
    ],
)
def test_vectors_that_are_no_rows_are_named(model: Any, message: str) -> None:
    """By the model, with what was seen."""
    with pytest.raises(DamagedInputError) as raised:
        evaluate.open_vectors(model)
    assert message in str(raised.value)


@pytest.mark.parametrize("model", [WORDS, ROWS, None, 7])
def test_what_is_no_model_is_refused(model: Any) -> None:
    """A list or an array alone has no words; the error says what is taken."""
    with pytest.raises(
        UsageError, match=f"expected a path or name of a model, KeyedVectors, .*saw {type(model).__name__}"
    ):
        evaluate.open_vectors(model)
