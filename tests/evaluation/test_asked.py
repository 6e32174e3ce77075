"""Reading only the vectors that items need: the same lookups as from the whole file, in little memory."""

import gzip
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.errors import DamagedInputError
from wikisem.evaluation.vectors.embeddings import words_asked_for
from wikisem.evaluation.vectors.models import open_model, read_vectors

WORDS = ["the", "New", "New_York", "New York", "york", "new", "Area", "##", "51", "a", "b_c", ". .", "x"]
ITEMS = ["New York", "area 51", "THE", "b_c x", ". .", "nothing", "new york city"]


def write_text(path: Path, words: Sequence[str], header: bool = True) -> None:
    """Vectors as text, each word's own."""
    lines = [f"{word} {at + 1} {at * at - 3} 0.5 \n" for at, word in enumerate(words)]
    path.write_text((f"{len(words)} 3\n" if header else "") + "".join(lines))


def write_binary(path: Path, words: Sequence[str], line_feed: str = "\n") -> None:
    """The same vectors in the binary form of word2vec."""
    records = [
        word.encode() + b" " + struct.pack("<3f", at + 1, at * at - 3, 0.5) + line_feed.encode()
        for at, word in enumerate(words)
    ]
    path.write_bytes(f"{len(words)} 3\n".encode() + b"".join(records))


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12, unique=True), st.booleans())
def test_items_are_found_as_in_the_whole_file(
    tmp_path_factory: pytest.TempPathFactory, words: list[str], header: bool
) -> None:
    """Whatever the vocabulary has: capitals, phrases, masked digits, words with blanks, with a header and without."""
    path = tmp_path_factory.mktemp("vectors") / "v.txt"
    # The first word has no blank: without a header, it says how many dimensions there are.
    words = ["first", *words]
    write_text(path, words, header)
    whole, some = open_model(str(path)), open_model(str(path), items=ITEMS)
    assert whole.notes == some.notes
    assert whole.vocabulary_size == some.vocabulary_size == len(words)
    assert {item: vector.tolist() for item, vector in whole.find(ITEMS).items()} == {
        item: vector.tolist() for item, vector in some.find(ITEMS).items()
    }


@pytest.mark.parametrize("line_feed", ["", "\n"])
def test_binary_files_are_read_for_what_is_asked(tmp_path: Path, line_feed: str) -> None:
    """With a line feed after each record or none, compressed or not, the same vectors as from text; gensim agrees."""
    words = [word for word in WORDS if " " not in word]
    write_text(tmp_path / "v.txt", words)
    write_binary(tmp_path / "v.bin", words, line_feed)
    (tmp_path / "v.bin.gz").write_bytes(gzip.compress((tmp_path / "v.bin").read_bytes()))
    text = open_model(str(tmp_path / "v.txt"), items=ITEMS)
    for name in ("v.bin", "v.bin.gz"):
        binary = open_model(str(tmp_path / name), items=ITEMS)
        assert (binary.notes, binary.vocabulary_size) == (text.notes, len(words))
        found, expected = binary.find(ITEMS), text.find(ITEMS)
        assert {item: vector.tolist() for item, vector in found.items()} == {
            item: vector.tolist() for item, vector in expected.items()
        }
    whole = read_vectors(tmp_path / "v.bin")
    assert set(read_vectors(tmp_path / "v.bin", {"New_York", "x"}).index) == {"New_York", "x"} < set(whole.index)


def test_only_what_is_asked_is_kept(tmp_path: Path) -> None:
    """Of 20,000 words two are kept, whose first vectors count."""
    words = [f"w{at}" for at in range(20_000)]
    write_text(tmp_path / "v.txt", [*words, "w7"])
    vectors = read_vectors(tmp_path / "v.txt", {"w7", "w19999", "none"})
    assert dict(vectors.index) == {"w7": 0, "w19999": 1}
    assert vectors.rows[0].tolist() == [8, 46, 0.5]
    assert vectors.whole_size == read_vectors(tmp_path / "v.txt").whole_size == 20_001
    assert vectors.whole_spelling is not None and vectors.whole_spelling.numbers


@pytest.mark.parametrize("bad", ["w 1 2", "w 1 2 3 4", "alone"])
def test_lines_of_too_few_or_many_fields_are_named(tmp_path: Path, bad: str) -> None:
    """A word that is not asked for is still a line of the right number of fields; more of them are part of the word."""
    path = tmp_path / "v.txt"
    path.write_text(f"a 1 2 3\nb 1 2 3\n{bad}\nc 1 2 3\n")
    if bad == "w 1 2 3 4":
        assert read_vectors(path, {"w 1"}).rows.tolist() == [[2, 3, 4]]
        return
    with pytest.raises(DamagedInputError, match=r"v\.txt:3: expected a word and 3 numbers"):
        read_vectors(path, {"a"})


def test_a_file_that_is_cut_off_is_named(tmp_path: Path) -> None:
    """Text with fewer words than its header says, and binary that ends in a vector."""
    write_text(tmp_path / "v.txt", WORDS[:5])
    (tmp_path / "v.txt").write_text((tmp_path / "v.txt").read_text().replace("5 3", "6 3"))
    with pytest.raises(DamagedInputError, match="expected 6 words, as the first line says, saw 5"):
        read_vectors(tmp_path / "v.txt", {"the"})
    write_binary(tmp_path / "v.bin", ["a", "b", "c"], "")
    (tmp_path / "v.bin").write_bytes((tmp_path / "v.bin").read_bytes()[:-1])
    with pytest.raises(DamagedInputError, match="expected 3 words of 3 numbers, saw 2 whole ones"):
        read_vectors(tmp_path / "v.bin", {"a"})


def test_every_way_to_look_an_item_up_is_asked_for() -> None:
    """Tokens and runs of them, with `_` and with blanks, as they are and lowercased, with digits and with #."""
    runs = {"Area_51", "Area_##", "area_51", "area_##", "Area 51", "Area ##", "area 51", "area ##"}
    assert words_asked_for(["Area 51"]) == {"Area", "51", "##", "area", *runs}


@pytest.mark.realdata
def test_glove_for_one_data_set(realdata: Path) -> None:
    """Of the 20,000 words of GloVe, those of three items: the same vectors."""
    path = str(realdata / "vectors" / "glove-6B-100d-top20k.w2v.txt.gz")
    items = ["Real_Madrid", "January", "Hewlett Packard"]
    whole, some = open_model(path), open_model(path, items=items)
    assert some.words is not None
    assert len(some.words.index) < 10
    for item in items:
        np.testing.assert_array_equal(whole.find([item])[item], some.find([item])[item])
