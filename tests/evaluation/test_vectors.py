"""Files of vectors: every form is known by its content, and damage is named."""

import bz2
import gzip
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.evaluation.vectors.models import read_vectors
from wikisem.evaluation.vectors.text import is_text

WORDS = ["the", "München", "京都", "new_york"]
ROWS = np.asarray([(1, -2.5, 3e-5), (0.25, 0, 7), (-1, -1, -1), (0, 0, 0)], np.float32)


def lines(header: bool, end: str = "\n", gap: str = " ", tail: str = "") -> bytes:
    """WORDS and ROWS as text."""
    rows = [gap.join([word, *map(repr, row.tolist())]) + tail for word, row in zip(WORDS, ROWS, strict=True)]
    return end.join([*(["4 3"] if header else []), *rows, ""]).encode()


def word2vec_binary() -> bytes:
    """WORDS and ROWS as the word2vec tool writes them with -binary 1."""
    rows = [word.encode() + b" " + row.tobytes() + b"\n" for word, row in zip(WORDS, ROWS, strict=True)]
    return b"4 3\n" + b"".join(rows)


FORMS = {
    "word2vec text": lines(header=True),
    "fastText .vec": lines(header=True, tail=" "),
    "GloVe": lines(header=False),
    "tabs and CRLF": lines(header=False, end="\r\n", gap="\t"),
    "word2vec binary": word2vec_binary(),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress])
@pytest.mark.parametrize("name", ["vectors", "vectors.txt.gz"])
def test_every_form_is_known_by_its_content(
    tmp_path: Path, form: str, compress: Callable[[bytes], bytes], name: str
) -> None:
    """Whatever the file is called, words and rows come out as they went in."""
    (tmp_path / name).write_bytes(compress(FORMS[form]))
    vectors = read_vectors(tmp_path / name)
    assert vectors.index == {word: at for at, word in enumerate(WORDS)}
    np.testing.assert_array_equal(vectors.rows, ROWS)
    assert vectors.rows.dtype == np.float32
    assert vectors.unseen is None


@given(st.lists(st.floats(-10, 10, width=32), min_size=30, max_size=30), st.text("abcé京", min_size=1))
def test_numbers_in_binary_are_told_from_text(numbers: list[float], word: str) -> None:
    """Records of ordinary numbers are text when written out, and not when they are bytes."""
    row = np.asarray(numbers, np.float32)
    assert is_text(" ".join([word, *map(repr, numbers)]).encode() + b"\n", 30)
    assert not is_text(word.encode() + b" " + row.tobytes() + b"\n", 30)


def test_fasttext_models_make_vectors_for_unseen_words(tmp_path: Path) -> None:
    """A .bin model is known by its magic number, and its n-grams serve words that it has never seen."""
    fasttext = pytest.importorskip("gensim.models.fasttext")
    model = fasttext.FastText([["night", "nightly", "light"]], vector_size=4, min_count=1, epochs=1, bucket=50, seed=1)
    fasttext.save_facebook_model(model, str(tmp_path / "model.vec"))
    vectors = read_vectors(tmp_path / "model.vec")
    assert set(vectors.index) == {"night", "nightly", "light"}
    known, unseen = vectors.find("night"), vectors.find("nights")
    assert known is not None
    assert unseen is not None
    np.testing.assert_allclose(known, model.wv["night"], rtol=1e-6)
    np.testing.assert_allclose(unseen, model.wv["nights"], rtol=1e-6)


def test_words_with_blanks_and_repeated_words(tmp_path: Path) -> None:
    """Numbers are cut from the right, as GloVe 840B needs it, and a word that repeats keeps its first vector."""
    (tmp_path / "v.txt").write_text("the 1 2\n. . . 3 4\nthe 5 6\n\nat name@domain.com 7 8\n")
    vectors = read_vectors(tmp_path / "v.txt")
    assert dict(vectors.index) == {"the": 0, ". . .": 1, "at name@domain.com": 2}
    assert vectors.rows.tolist() == [[1, 2], [3, 4], [7, 8]]


def test_zero_vectors_and_what_is_no_number_have_no_direction(tmp_path: Path) -> None:
    """Such words are there, and yet out of vocabulary."""
    (tmp_path / "v.txt").write_text("a 1 2\nzero 0 0\nnan nan 1\ninf inf 1\nb 3 4\n")
    vectors = read_vectors(tmp_path / "v.txt")
    assert [word for word in vectors.index if vectors.find(word) is not None] == ["a", "b"]
    assert [rows.tolist() for rows, _ in vectors.blocks(2)] == [[0], [], [4]]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"3 2\na 1 2\nb 1 x\nc 1 2\n", r":3: expected a word and 2 numbers, saw 'b 1 x"),
        (b"a 1 2\nb 1\nc 1 2\n", r":2: expected a word and 2 numbers"),
        (b"3 2\na 1 2\nb 1 2\n", r"expected 3 words, as the first line says, saw 2"),
        (b"1 2\na 1 2\nb 1 2\n", r"expected 1 words, as the first line says, saw 2"),
        (b"hello\nworld\n", r"expected vectors of word2vec, GloVe or fastText, saw 'hello'"),
        (b"", r"expected vectors of word2vec, GloVe or fastText, saw ''"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", r"expected vectors of word2vec"),
        (word2vec_binary()[:40], r"expected whole vectors, saw unexpected end of input"),
        (gzip.compress(FORMS["GloVe"], mtime=0)[:-12], r"expected whole vectors"),
        (b"\xba\x16\x4f\x2f" + b"\x00" * 20, r"expected whole vectors"),
    ],
)
def test_damage_is_named(tmp_path: Path, data: bytes, message: str) -> None:
    """A file that is cut off, miscounts, or is none of the forms ends in an error with its path."""
    (tmp_path / "v").write_bytes(data)
    with pytest.raises(DamagedInputError, match=message) as caught:
        read_vectors(tmp_path / "v")
    assert str(tmp_path / "v") in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """There is nothing to read in a path that is no file."""
    with pytest.raises(MissingInputError, match="expected a file of vectors, saw none at"):
        read_vectors(tmp_path / "none")


def test_binary_vectors_without_gensim_name_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Text needs no gensim; the binary forms say that they do."""
    monkeypatch.setitem(sys.modules, "gensim.models.keyedvectors", None)
    (tmp_path / "v").write_bytes(word2vec_binary())
    with pytest.raises(UsageError, match=r"install wikisem\[all\]"):
        read_vectors(tmp_path / "v")
    (tmp_path / "v").write_bytes(FORMS["GloVe"])
    assert len(read_vectors(tmp_path / "v").index) == 4
