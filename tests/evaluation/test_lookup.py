"""From items to vectors: tokens, phrases, case, and models that read the whole item."""

import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.evaluation.vectors.lookup import TextLookup, WordLookup
from wikisem.evaluation.vectors.models import open_model
from wikisem.evaluation.vectors.words import from_words


def lookup_of(*words: str, phrases: bool = True) -> WordLookup:
    """A lookup whose i-th word has the i-th unit vector."""
    return WordLookup("v", from_words(words, np.eye(len(words), dtype=np.float32)), phrases)


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
    assert set(WordLookup("v", words).find(["up", "up_down", "nought", "up_nought"])) == {"up", "up_nought"}


def test_the_longest_phrases_are_taken_from_the_left() -> None:
    """Where the vocabulary has phrases, an item is the mean of phrases and of the tokens between them."""
    lookup = lookup_of("New_York", "New_York_Times", "York", "Times", "The", "Square")
    assert lookup.parts("The New York Times") == ["The", "New_York_Times"]
    assert lookup.parts("New_York_Square") == ["New_York", "Square"]
    assert lookup.parts("old New") == ["old", "New"]
    assert any("longest known phrases" in note for note in lookup.notes)
    tokens = lookup_of("New_York", "New", "York", phrases=False)
    assert tokens.parts("New_York") == ["New", "York"]
    assert tokens.notes == ()


def test_a_phrase_without_direction_is_read_as_tokens() -> None:
    """A phrase whose vector is zero is out of vocabulary, which its tokens need not be."""
    words = from_words(["new", "york", "new_york"], np.asarray([(1, 0), (0, 1), (0, 0)], np.float32))
    assert WordLookup("v", words).parts("new york") == ["new", "york"]


def test_a_vocabulary_without_phrases_reads_tokens() -> None:
    """A word that only begins or ends with `_` makes no phrases."""
    assert not lookup_of("New", "_York", "York_").phrases


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
    lookup = open_model("python:my_model:encode")
    found = lookup.find(["New_York", "nothing", "Oslo", "Oslo"])
    assert {item: vector.tolist() for item, vector in found.items()} == {"New_York": [8, 1], "Oslo": [4, 1]}
    assert (lookup.name, lookup.notes, lookup.words) == ("python:my_model:encode", (), None)


@pytest.mark.parametrize("vectors", [[[1.0]], [[1.0], [1.0, 2.0]], [1.0, 2.0]])
def test_a_callable_that_breaks_its_word_is_named(vectors: object) -> None:
    """Too few vectors, vectors of two lengths and numbers in place of vectors are all refused."""
    with pytest.raises(DamagedInputError, match="model: expected"):
        TextLookup("model", lambda texts: vectors if texts == ["a", "b"] else None).find(["a", "b"])


@pytest.mark.parametrize("target", ["nowhere_at_all:f", "math:nothing", "math:pi", "math", ":f", ""])
def test_a_callable_that_is_not_there_is_named(target: str) -> None:
    """The message repeats what was asked for."""
    with pytest.raises(UsageError, match=f"python:{target}"):
        open_model(f"python:{target}")


def test_sentence_transformers_are_opened_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library's encode gets the texts; without the library, the message says what to install."""
    opened = list[str]()

    def model(name: str) -> SimpleNamespace:
        opened.append(name)
        return SimpleNamespace(encode=stub)

    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=model))
    assert set(open_model("sentence-transformers:tiny").find(["a", "nothing"])) == {"a"}
    assert opened == ["tiny"]
    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=open))
    with pytest.raises(MissingInputError, match="sentence-transformers:no/such: expected a model, saw"):
        open_model("sentence-transformers:no/such")
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(UsageError, match=r"install wikisem\[transformers\]"):
        open_model("sentence-transformers:tiny")


def test_a_file_is_called_by_its_name(tmp_path: Path) -> None:
    """The report names the file, not the folders it is in."""
    (tmp_path / "vectors.txt").write_text("a 1 2\n")
    assert open_model(str(tmp_path / "vectors.txt")).name == "vectors.txt"
