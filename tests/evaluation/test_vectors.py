"""Files of vectors: every form is known by its content, and damage is named."""

import bz2
import gzip
import io
import pickle
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given
from hypothesis import strategies as st

from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.evaluation.vectors.embeddings import spelling_of
from wikisem.evaluation.vectors.files import is_text
from wikisem.evaluation.vectors.models import open_model, read_vectors

WORDS = ["the", "München", "京都", "new_york"]
ROWS = np.asarray([(1, -2.5, 3e-5), (0.25, 0, 7), (-1, -1, -1), (0, 0, 0)], np.float32)


def lines(header: bool, end: str = "\n", gap: str = " ", tail: str = "") -> bytes:
    """WORDS and ROWS as text."""
    rows = [gap.join([word, *map(repr, row.tolist())]) + tail for word, row in zip(WORDS, ROWS, strict=True)]
    return end.join([*(["4 3"] if header else []), *rows, ""]).encode()


def npz() -> bytes:
    """ROWS as numpy keeps several arrays."""
    sink = io.BytesIO()
    np.savez(sink, rows=ROWS)
    return sink.getvalue()


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


def fasttext_model(bucket: int = 50) -> Any:
    """A model of gensim, trained on a few words of several scripts."""
    fasttext = pytest.importorskip("gensim.models.fasttext")
    sentences = [["night", "nightly", "light", "é", "京都市", "😀a", "</s>"[:2]]]
    return fasttext.FastText(sentences, vector_size=4, min_count=1, epochs=1, bucket=bucket, seed=1, min_n=1, max_n=5)


def fasttext_bytes(folder: Path, bucket: int = 50) -> bytes:
    """The model as gensim writes it, in the format of Facebook's own tool."""
    fasttext = pytest.importorskip("gensim.models.fasttext")
    fasttext.save_facebook_model(fasttext_model(bucket), str(folder / "model"))
    return (folder / "model").read_bytes()


@pytest.mark.parametrize("compress", [bytes, gzip.compress, bz2.compress])
def test_fasttext_models_make_vectors_for_unseen_words(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    """A .bin model is known by its magic number; n-grams serve words that it has, and words that it has never seen."""
    model, data = fasttext_model(), fasttext_bytes(tmp_path)
    (tmp_path / "model.vec").write_bytes(compress(data))
    words, unseen = list(model.wv.key_to_index), ["nights", "a", "京", "京都", "éé", "😀", "x" * 40]
    for asked in (None, {"night", "é"}):
        vectors = read_vectors(tmp_path / "model.vec", asked)
        assert set(vectors.index) == (set(words) if asked is None else asked)
        assert vectors.whole_size == len(words)
        for word in [*vectors.index, *unseen]:
            found = vectors.find(word)
            assert found is not None
            np.testing.assert_allclose(found, model.wv[word], rtol=1e-5)


def test_a_fasttext_model_without_n_grams_knows_its_words_alone(tmp_path: Path) -> None:
    """With no buckets there is nothing to make a vector of."""
    (tmp_path / "model").write_bytes(fasttext_bytes(tmp_path, bucket=0))
    vectors = read_vectors(tmp_path / "model")
    assert vectors.find("night") is not None
    assert vectors.find("nights") is None


def header_of(data: bytes, **changes: int) -> bytes:
    """A fastText model with other numbers in its header, or in those of its vocabulary and its matrix."""
    at = {"dim": (8, "<i"), "bucket": (40, "<i"), "minn": (44, "<i"), "maxn": (48, "<i"), "size": (64, "<i")}
    at |= {"nwords": (68, "<i"), "nlabels": (72, "<i"), "pruned": (84, "<q")}
    matrix = data.index(struct.pack("<?qq", False, 7 + 50, 4))
    at |= {"quantized": (matrix, "<?"), "rows": (matrix + 1, "<q"), "columns": (matrix + 9, "<q")}
    changed = bytearray(data)
    for name, value in changes.items():
        struct.pack_into(at[name][1], changed, at[name][0], value)
    return bytes(changed)


FASTTEXT_LIES = {
    "no dimensions": {"dim": 0, "columns": 0},
    "dimensions below zero": {"dim": -4, "columns": -4},
    "dimensions for 373 GiB": {"dim": 1_757_000_000, "columns": 1_757_000_000},
    "buckets below zero": {"bucket": -50},
    "more buckets than rows": {"bucket": 51},
    "buckets for terabytes": {"bucket": 2_000_000_000, "rows": 2_000_000_007},
    "more words than there are": {"size": 2_000_000_000, "nwords": 2_000_000_000},
    "words below zero": {"size": -1, "nwords": -1},
    "labels": {"nlabels": 1},
    "a pruned model": {"pruned": 1 << 60},
    "a quantized model": {"quantized": 1},
    "rows below zero": {"rows": -1},
}


@pytest.mark.parametrize("changes", FASTTEXT_LIES.values(), ids=FASTTEXT_LIES)
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_a_fasttext_header_that_lies_is_named(
    tmp_path: Path, changes: dict[str, int], compress: Callable[[bytes], bytes]
) -> None:
    """Nothing is allocated, and nothing read for ever, because a header says so."""
    (tmp_path / "v").write_bytes(compress(header_of(fasttext_bytes(tmp_path), **changes)))
    with pytest.raises(DamagedInputError, match=r"v: expected .*, saw"):
        read_vectors(tmp_path / "v")


@pytest.mark.parametrize("share", [0.1, 0.3, 0.45, 0.6, 0.95])
def test_a_fasttext_model_that_is_cut_off_is_named(tmp_path: Path, share: float) -> None:
    """In its header, its vocabulary or its matrix."""
    data = fasttext_bytes(tmp_path)
    data = data[: data.index(struct.pack("<?qq", False, 57, 4)) + 17 + 57 * 16]  # without the output of the network
    (tmp_path / "v").write_bytes(data[: int(len(data) * share)])
    with pytest.raises(
        DamagedInputError, match=r"v: expected a fastText model.*, saw (.* whole ones|.*that (it )?is cut off)"
    ):
        read_vectors(tmp_path / "v")


def test_words_with_blanks_and_repeated_words(tmp_path: Path) -> None:
    """Numbers are cut from the right, as GloVe 840B needs it, and a word that repeats keeps its first vector."""
    (tmp_path / "v.txt").write_text("the 1 2\n. . . 3 4\nthe 5 6\n\nat name@domain.com 7 8\n")
    vectors = read_vectors(tmp_path / "v.txt")
    assert dict(vectors.index) == {"the": 0, ". . .": 1, "at name@domain.com": 2}
    assert vectors.rows.tolist() == [[1, 2], [3, 4], [7, 8]]


def test_zero_vectors_have_no_direction(tmp_path: Path) -> None:
    """Such words are there, and yet out of vocabulary; neighbours are never those that are not finite."""
    (tmp_path / "v.txt").write_text("a 1 2\nzero 0 0\nnan nan 1\ninf inf 1\nb 3 4\n")
    vectors = read_vectors(tmp_path / "v.txt")
    assert [word for word in vectors.index if vectors.find(word) is None] == ["zero"]
    assert [rows.tolist() for rows, _ in vectors.blocks(2)] == [[0], [], [4]]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"3 2\na 1 2\nb 1 x\nc 1 2\n", r":3: expected a word and 2 numbers, saw 'b 1 x"),
        (b"a 1 2\nb 1\nc 1 2\n", r":2: expected a word and 2 numbers"),
        (b"3 2\na 1 2\nb 1 2\n", r"expected 3 words, as the first line says, saw 2"),
        (b"1 2\na 1 2\nb 1 2\n", r"expected 1 words, as the first line says, saw 2"),
        (b"hello\nworld\n", r"expected vectors of word2vec, GloVe or fastText, or .*, saw 'hello'"),
        (b"", r"expected vectors of word2vec, .*, saw ''"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", r"expected vectors of word2vec.*, saw b'\\x89PNG\\r'$"),
        (pickle.dumps({"vectors": ROWS}), r"saw a pickle.*kv\.save_word2vec_format\(FILE\)"),
        (gzip.compress(pickle.dumps(WORDS), mtime=0), r"saw a pickle"),
        (npz(), r"saw a zip archive.*numpy\.save\(FILE\.npy, rows\)"),
        (word2vec_binary()[:40], r"expected 4 words of 3 numbers, saw 1 whole ones"),
        (b"100000000 1000\n" + word2vec_binary()[4:], r"expected 100000000 words of 1000 numbers, saw 0 whole ones"),
        (b"5 20000000000\n" + word2vec_binary()[4:], r"expected at most 100,000 dimensions, saw 20000000000"),
        (b"5 20000000000\na 1 2 3\n", r"expected at most 100,000 dimensions, saw 20000000000"),
        (b"9" * 5000 + b" 3\na x\n", r":2: expected a word and 1 numbers"),
        (b"-4 -3\na x\n", r":2: expected a word and 1 numbers"),
        (b"a 1\n" + b"b" * (2 << 20), r":2: expected a line of at most [0-9,]+ bytes, saw a longer one"),
        (b"a" * (2 << 20), r"expected vectors of word2vec, .*, saw 'aaa"),
        (gzip.compress(FORMS["GloVe"], mtime=0)[:-12], r"expected whole vectors"),
        (b"\xba\x16\x4f\x2f" + b"\x00" * 20, r"expected a fastText model, saw a header that is cut off"),
    ],
)
def test_damage_is_named(tmp_path: Path, data: bytes, message: str) -> None:
    """A file that is cut off, miscounts, or is none of the forms ends in an error with its path."""
    (tmp_path / "v").write_bytes(data)
    with pytest.raises(DamagedInputError, match=message) as caught:
        read_vectors(tmp_path / "v")
    assert str(tmp_path / "v") in str(caught.value)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.int8])
def test_an_array_has_its_words_beside_it(tmp_path: Path, kind: type[np.number[Any]]) -> None:
    """A row for each line of FILE.words, of all words or of those asked for, with the size and spelling of all."""
    path = tmp_path / "rows.npy"
    np.save(path, ROWS.astype(kind))
    with pytest.raises(MissingInputError, match=r"expected the words of its rows in rows\.words beside it"):
        read_vectors(path)
    path.with_suffix(".words").write_text("\n".join(WORDS) + "\n", encoding="utf-8")
    vectors = read_vectors(path)
    assert list(vectors.index) == WORDS
    assert vectors.rows.tolist() == ROWS.astype(kind).tolist()
    few = read_vectors(path, {"京都", "the"})
    assert (list(few.index), few.whole_size, few.whole_spelling) == (["the", "京都"], 4, spelling_of(WORDS))
    assert few.rows.tolist() == ROWS.astype(kind)[[0, 2]].tolist()
    np.save(path, ROWS[:3])
    with pytest.raises(DamagedInputError, match=r"expected numbers in 4 rows, one for each word of rows\.words, saw"):
        read_vectors(path)


@pytest.mark.parametrize("name", ["v.npy", "v.txt", "counts.npz", "counts.tsv"])
def test_words_of_a_file_may_have_blanks(tmp_path: Path, name: str) -> None:
    """An array, lines of text, and counts in both forms have such words, which are found whole, or read alone."""
    words, path = ["new york", "york"], tmp_path / name
    path.with_suffix(".words").write_text("\n".join(words))
    rows = np.eye(2, dtype=np.float32)
    np.save(tmp_path / "v.npy", rows)
    sparse.save_npz(tmp_path / "counts.npz", sparse.csr_matrix(rows))
    (tmp_path / "v.txt").write_text("york 0 1\nnew york 1 0\n")
    (tmp_path / "counts.tsv").write_text("new york\ta\t1\nyork\tb\t1\n")
    source = f"counts:{path}?weight=raw" if "counts" in name else str(path)
    for items in (None, {"New York", "York"}):
        found = open_model(source, items=items).find(["New York", "York"])
        vectors = {item: vector.toarray()[0] if "counts" in name else vector for item, vector in found.items()}
        assert {item: vector.tolist() for item, vector in vectors.items()} == {"New York": [1, 0], "York": [0, 1]}


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """There is nothing to read in a path that is no file."""
    with pytest.raises(MissingInputError, match="expected a file of vectors, saw none at"):
        read_vectors(tmp_path / "none")


@pytest.mark.parametrize("asked", [None, {"the", "京都"}])
def test_binary_vectors_need_no_other_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: set[str] | None
) -> None:
    """All forms are read here, so that no file is trusted by code that follows what it says."""
    (tmp_path / "v").write_bytes(word2vec_binary())
    (tmp_path / "f").write_bytes(fasttext_bytes(tmp_path))
    monkeypatch.setitem(sys.modules, "gensim", None)
    assert set(read_vectors(tmp_path / "v", asked).index) == (asked or set(WORDS))
    assert "night" in read_vectors(tmp_path / "f").index
