"""Inputs: found, named by language, and told apart."""

from pathlib import Path

import pytest

from wikisem.errors import BadIdError, MissingInputError, UsageError
from wikisem.pipeline.build.inputs import by_language, find_dump


def test_language_ends_at_the_first_equals_sign() -> None:
    """A path may hold equals signs; several paths of one language are parts of one dump."""
    assert by_language(["de=a=b.xml", "zh-yue=c", "de=d"]) == {"de": ["a=b.xml", "d"], "zh-yue": ["c"]}


@pytest.mark.parametrize("word", ["de", "de=", "=x"])
def test_a_word_that_names_no_language_or_no_path_is_refused(word: str) -> None:
    """The message shows the form that was expected."""
    with pytest.raises((UsageError, BadIdError), match="expected"):
        by_language([word])


def test_a_dump_is_its_files_in_any_order(tmp_path: Path) -> None:
    """Globs, repeated names and another order make the same dump."""
    for name in ("b.json", "a.json", "we[i]rd.json"):
        (tmp_path / name).write_text("[]")
    one = find_dump([f"{tmp_path}/b.json", f"{tmp_path}/a.json"], checksum=False)
    other = find_dump([f"{tmp_path}/[ab].json", f"{tmp_path}/a.json"], checksum=False)
    assert one == other
    assert one.paths == [f"{tmp_path}/a.json", f"{tmp_path}/b.json"]
    assert find_dump([f"{tmp_path}/we[i]rd.json"], checksum=False).paths == [f"{tmp_path}/we[i]rd.json"]


def test_with_checksums_a_dump_is_its_bytes(tmp_path: Path) -> None:
    """The same bytes under another name have the same identity; other bytes have not."""
    for name, text in (("a", "same"), ("b", "same"), ("c", "other")):
        (tmp_path / name).write_text(text)
    a, b, c = (find_dump([f"{tmp_path}/{name}"], checksum=True).identity() for name in "abc")
    assert a == b != c


def test_a_name_without_a_file_is_named(tmp_path: Path) -> None:
    """A missing file ends in a message that says which; so does a folder."""
    with pytest.raises(MissingInputError, match=r"none\.json"):
        find_dump([f"{tmp_path}/none.json"], checksum=False)
    with pytest.raises(MissingInputError):
        find_dump([str(tmp_path)], checksum=False)
