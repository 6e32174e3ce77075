"""Similarities that are given: tables in both forms, functions of texts and of vectors, and what is damaged."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import wikisem
from tests.word_groups import outlier_word, word_group
from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.evaluation.options import COMPACTNESSES
from wikisem.evaluation.outlier_detection import score_models
from wikisem.evaluation.vectors.embeddings import SimilarityModel, TextModel, compared_by, given_similarity
from wikisem.evaluation.vectors.models import open_model

WORDS = ["new york", "oslo", "rome", "ash"]
# All are like ash, which is like nothing: it stands out of its set only by what it says of the others.
NEAR = np.array([[0, 5, 5, 9], [5, 0, 5, 9], [5, 5, 0, 9], [1, 1, 1, 0]], np.float64)
GROUP = word_group("Q1", ("New_York", "Oslo", "Rome", "Unknown"), (outlier_word("Ash"),), "here")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """One table in both forms; the lines leave out what no score asks for, the similarity of a word to itself."""
    np.save(tmp_path / "near.npy", NEAR)
    (tmp_path / "near.words").write_text("New_York\noslo\nrome\nash\n".lower())
    lines = [
        f"{one}\t{other}\t{NEAR[i, j]}\n"
        for i, one in enumerate(WORDS)
        for j, other in reversed(list(enumerate(WORDS)))
        if i != j
    ]
    (tmp_path / "near.tsv").write_text("".join(lines))
    return tmp_path


@pytest.mark.parametrize("name", ["near.npy", "near.tsv"])
def test_a_table_is_a_model(files: Path, name: str) -> None:
    """Whole items, lowercased as the table is; both compactnesses, which differ here; a missing word is out."""
    model = open_model(f"similarity:{files / name}")
    positions = {}
    for compactness in COMPACTNESSES:
        (evaluation,), _ = score_models([GROUP], [model], compactness=compactness)
        positions[compactness] = evaluation.scores[0].cases[0].position
        assert evaluation.scores[0].oov_cluster == 0.25
    assert positions == {"pairs": 0, "word": 1}
    assert evaluation.notes == (
        "similarities are given, word by word",
        "text lowercased: no word of the table starts with a capital",
    )


def test_a_pair_that_a_table_lacks_is_named(tmp_path: Path) -> None:
    """Nothing is taken for symmetric, and nothing for 0."""
    (tmp_path / "near.tsv").write_text("a\tb\t1\nb\ta\t1\na\tx\t0\nx\ta\t0\nb\tx\t0\n")
    group = word_group("Q1", ("a", "b"), (outlier_word("x"),), "set/Q1.txt")
    with pytest.raises(DamagedInputError, match=r"set/Q1\.txt: expected a similarity of 'x' to 'b', saw nan"):
        score_models([group], [open_model(f"similarity:{tmp_path / 'near.tsv'}")])


def test_a_table_may_lack_pairs_of_outliers(tmp_path: Path) -> None:
    """No score has the similarity of two outliers, nor of an outlier that comes twice to itself."""
    words, outliers = ["a", "b", "c"], ["x", "y"]
    asked = [(one, other) for one in words + outliers for other in words + outliers if {one, other} - {*outliers}]
    (tmp_path / "near.tsv").write_text("".join(f"{one}\t{other}\t1\n" for one, other in asked if one != other))
    group = word_group("Q1", words, tuple(map(outlier_word, ["x", "y", "x"])), "set/Q1.txt")
    (evaluation,), _ = score_models([group], [open_model(f"similarity:{tmp_path / 'near.tsv'}")])
    assert len(evaluation.scores[0].cases) == 3


def test_damaged_tables_are_named(tmp_path: Path) -> None:
    """No file, no words, no array, objects, another shape, and lines that are no pairs."""
    path = tmp_path / "near.npy"
    with pytest.raises(MissingInputError, match="expected a file of similarities"):
        open_model(f"similarity:{path}")
    path.write_bytes(b"no array")
    with pytest.raises(MissingInputError, match=r"in near\.words beside it"):
        open_model(f"similarity:{path}")
    path.with_suffix(".words").write_text("a\nb\n")
    with pytest.raises(DamagedInputError, match="expected an array of numpy"):
        open_model(f"similarity:{path}")
    np.save(path, np.zeros((2, 3)))
    with pytest.raises(DamagedInputError, match=r"expected as many columns as rows, saw shape \(2, 3\)"):
        open_model(f"similarity:{path}")
    np.save(path, np.array([["a", "b"], ["c", "d"]]))
    with pytest.raises(DamagedInputError, match="expected numbers in 2 rows"):
        open_model(f"similarity:{path}")
    header = np.lib.format.magic(1, 0) + b"\x76\x00" + b"{'descr': '<f8', 'fortran_order': False, "
    path.write_bytes((header + b"'shape': (200000000, 200000000), }").ljust(127) + b"\n")
    with pytest.raises(DamagedInputError, match="expected an array of numpy"):
        open_model(f"similarity:{path}")
    (tmp_path / "near.tsv").write_text("a\tb\t-1\na b 1\n")
    with pytest.raises(DamagedInputError, match=r"near\.tsv:2: expected word, word and similarity"):
        open_model(f"similarity:{tmp_path / 'near.tsv'}")


def share_of_letters(ones: Sequence[str], others: Sequence[str]) -> list[list[float]]:
    """How many of the letters of one are in the other: not symmetric."""
    return [[len(set(one) & set(other)) / len(set(one)) for other in others] for one in ones]


def test_a_function_of_texts_is_a_model() -> None:
    """It is given items with blanks between tokens, and knows all of them."""
    model = SimilarityModel("letters", given_similarity(share_of_letters, "letters"))
    group = word_group("Q1", ("ab_c", "abc", "abcd"), (outlier_word("xyz"),), "here")
    (evaluation,), _ = score_models([group], [model])
    assert evaluation.scores[0].cases[0].detected
    assert model.find(["ab_c"]) == {"ab_c": "ab c"}
    assert model.vocabulary_size is None


@pytest.mark.parametrize(
    ("found", "message"),
    [(np.zeros(3), r"shape \(1, 2\), saw shape \(3,\)"), ("text", r"shape \(1, 2\), saw could not convert")],
)
def test_a_function_that_returns_something_else_is_named(found: object, message: str) -> None:
    """Of another shape, and no numbers."""

    def wrong(*_: object) -> object:
        return found

    with pytest.raises(DamagedInputError, match=f"f: expected numbers of {message}"):
        given_similarity(wrong, "f")(["a"], ["b", "c"])


@pytest.mark.parametrize("error", [TypeError("of its own"), ValueError("of its own")])
def test_what_a_function_raises_passes_as_it_is(error: Exception) -> None:
    """The user's own errors are not reported as damaged input, whatever their type."""

    def failing(*_: object) -> object:
        raise error

    with pytest.raises(type(error)) as raised:
        given_similarity(failing, "f")(["a"], ["b", "c"])
    assert raised.value is error


Array = npt.NDArray[np.float64]


def inclusion(ones: Array, others: Array) -> Array:
    """How much of a vector is in another one (Weeds and Weir 2003, precision): not symmetric."""
    found: Array = ones @ (np.asarray(others) > 0).T / np.asarray(ones).sum(axis=1)[:, None]
    return found


def test_vectors_are_compared_by_a_function(tmp_path: Path) -> None:
    """Of words and of texts; the note says so, and a model of similarities has none to compare."""
    (tmp_path / "v.txt").write_text("a 1 1 0\nb 1 1 1\nc 0 1 1\nx 0 0 1\n")
    model = wikisem.evaluate.open_vectors(tmp_path / "v.txt", similarity=inclusion)
    assert model.notes[0] == "vectors compared by inclusion"
    assert model.similarity(*[list(model.find(["a", "x"]).values())] * 2).tolist() == [[1, 0], [0, 1]]
    texts = compared_by(TextModel("t", lambda items: [[len(item), 1] for item in items]), inclusion, "by inclusion")
    assert texts.similarity([[3, 1]], [[1, 0]]).tolist() == [[0.75]]
    assert texts.notes == ("by inclusion",)
    with pytest.raises(UsageError, match="letters: expected a model with vectors to compare"):
        compared_by(SimilarityModel("letters", inclusion), inclusion, "")
    group = word_group("Q1", ("a", "b", "c"), (outlier_word("x"),), "here")
    scores = [wikisem.evaluate.outliers([group], model, compactness=one).row("opp").value for one in COMPACTNESSES]
    assert scores == [pytest.approx(200 / 3), 0]
