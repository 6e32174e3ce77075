"""Inputs: found, named by language, and told apart."""

from pathlib import Path

import orjson
import pytest

import wikisem
from wikisem.errors import BadIdError, DamagedInputError, MissingInputError, UsageError
from wikisem.pipeline.runs.inputs import find_dump, find_wikipedias


def test_language_ends_at_the_first_equals_sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path may hold equals signs; several paths of one language are parts of one dump."""
    monkeypatch.chdir(tmp_path)
    for name in ("a=b.xml", "c", "d"):
        Path(name).write_text("<mediawiki>")
    found = find_wikipedias(["de=a=b.xml", "zh-yue=c", "de=d"], checksum=False)
    named = {language: [Path(path).name for path in dump.paths] for language, dump in found.items()}
    assert named == {"de": ["a=b.xml", "d"], "zh-yue": ["c"]}


@pytest.mark.parametrize("word", ["de", "de=", "=x"])
def test_a_word_that_names_no_language_or_no_path_is_refused(word: str) -> None:
    """The message shows the form that was expected."""
    with pytest.raises((UsageError, BadIdError), match="expected"):
        find_wikipedias([word], checksum=False)


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


@pytest.mark.parametrize("other", ["ltgwiki-20240201-pages-articles.xml", "ltgwiki-2024-02-01-p1p9.xml.bz2"])
def test_dumps_of_two_days_are_refused_before_they_are_read(tmp_path: Path, other: str) -> None:
    """Whether a glob or two names bring them together; the message names both files and both days."""
    one = "ltgwiki-20240101-pages-articles-multistream.xml.bz2"
    for name in (one, other):
        (tmp_path / name).write_bytes(b"PK\x03\x04, which would be refused if it were read")
    dated = sorted([f"{one} of 2024-01-01", f"{other} of 2024-02-01"])
    seen = rf"saw \S+/{dated[0]} and \S+/{dated[1]}: links of both would be counted together"
    for words in ([f"ltg={tmp_path}/*"], [f"ltg={tmp_path}/{other}", f"ltg={tmp_path}/{one}"]):
        with pytest.raises(UsageError, match=seen):
            find_wikipedias(words, checksum=False)
    with pytest.raises(UsageError, match=seen):
        wikisem.build("demo", wikidata="x.json", wikipedia={"ltg": f"{tmp_path}/*"}, output=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_one_day_however_it_is_written_and_files_without_a_day_are_one_dump(tmp_path: Path) -> None:
    """Other wikis have days of their own; each page of all files counts once."""
    names = ["ltgwiki-20240101-p1.xml", "ltgwiki-2024-01-01-p2.xml", "ltgwiki-latest-p3.xml", "xwiki-20240202-p4.xml"]
    for name in names:
        (tmp_path / name).write_text("<mediawiki>")
    assert len(find_dump([f"{tmp_path}/*"], checksum=False).files) == len(names)


def test_a_name_without_a_file_is_named(tmp_path: Path) -> None:
    """A missing file ends in a message that says which; so does a folder."""
    with pytest.raises(MissingInputError, match=r"none\.json"):
        find_dump([f"{tmp_path}/none.json"], checksum=False)
    with pytest.raises(MissingInputError):
        find_dump([str(tmp_path)], checksum=False)


def test_a_glob_needs_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """``dewiki-*.bz2`` names files of the current folder; their paths mean the same to workers elsewhere."""
    for name in (
        "dewiki-2026-11-01-p1p9.xml.bz2",
        "dewiki-2026-11-01-p10p19.xml.bz2",
        "dewiki-2026-11-01-p1p9.xml.bz2.part",
    ):
        (tmp_path / name).write_text("x")
    monkeypatch.chdir(tmp_path)
    dumps = find_wikipedias(["de=dewiki-2026-11-01-p*.xml.bz2"], checksum=False)
    names = ["dewiki-2026-11-01-p10p19.xml.bz2", "dewiki-2026-11-01-p1p9.xml.bz2"]
    assert dumps["de"].paths == [f"{tmp_path}/{name}" for name in names]


@pytest.mark.parametrize(
    ("name", "head", "told"),
    [
        ("dewiki-pages-meta-history1.xml.7z", b"7z\xbc\xaf\x27\x1c\x00\x04", "saw a 7z archive; unpack it"),
        ("dewiki.xml.xz", b"\xfd7zXZ\x00", "saw an xz file"),
        ("dump.zip", b"PK\x03\x04", "saw a zip archive"),
        ("dewiki-20261101-pagelinks.sql.gz", b"\x1f\x8b\x08", "saw a dump of SQL tables"),
        ("dewiki-20261101-page.sql", b"-- MySQL", "saw a dump of SQL tables"),
    ],
)
def test_other_files_of_wikimedia_are_named_as_what_they_are(tmp_path: Path, name: str, head: bytes, told: str) -> None:
    """Before any stage begins, and with what to do."""
    (tmp_path / name).write_bytes(head)
    with pytest.raises(DamagedInputError, match=f"{name}: expected .*{told}"):
        find_dump([str(tmp_path / name)], checksum=False)


def test_a_downloaded_file_keeps_its_origin(tmp_path: Path) -> None:
    """The manifest has where it came from; whether a unit is finished does not depend on that."""
    (tmp_path / "a.json").write_text("[]")
    plain = find_dump([f"{tmp_path}/a.json"], checksum=False)
    assert "origin" not in plain.describe()[0]
    about = {"size": 2, "url": "https://dumps.example/a.json", "date": "2026-11-02", "sha1": "00"}
    (tmp_path / "downloads.json").write_bytes(orjson.dumps({"files": {"a.json": about}}))
    known = find_dump([f"{tmp_path}/a.json"], checksum=False)
    assert known.describe()[0]["origin"] == about
    assert known.describe()[0]["date"] == "2026-11-02"
    assert "date" not in plain.describe()[0]
    assert known.identity() == plain.identity()


def test_the_date_of_a_dump_is_in_its_name(tmp_path: Path) -> None:
    """Where no record of a download says another; a size or a number of pages is no date."""
    for name, date in {"wikidata-20261102-all.json": "2026-11-02", "dewiki-2026-11-01-p1p9.xml": "2026-11-01"}.items():
        (tmp_path / name).write_text("[]")
        (described,) = find_dump([f"{tmp_path}/{name}"], checksum=False).describe()
        assert described["date"] == date
    (tmp_path / "latest-all-p120261102p7.json").write_text("[]")
    (described,) = find_dump([f"{tmp_path}/latest-all-p120261102p7.json"], checksum=False).describe()
    assert "date" not in described
