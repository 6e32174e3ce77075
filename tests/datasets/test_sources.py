"""Which files a data set consists of."""

import hashlib
import io
import tarfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from wikisem.datasets.files import data_files, data_set_name
from wikisem.datasets.word_groups import read_dataset
from wikisem.errors import DamagedInputError, MissingInputError


def make(root: Path, *names: str) -> None:
    """Empty files."""
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"")


def paths(root: Path) -> list[str]:
    """The paths of a data set, below it."""
    return [str(file.path) for file in data_files(root, "side.json")]


def test_the_groups_of_a_run_are_all_of_it(tmp_path: Path) -> None:
    """Beside a folder of groups nothing counts, and of a .jsonl and a .parquet only the first."""
    make(
        tmp_path,
        "groups/de.parquet",
        "groups/de.jsonl",
        "groups/en.parquet",
        "rejected/de.jsonl",
        "wikisem500/de/Q1.txt",
        "cases/de.parquet",
        "groups/.part.jsonl",
    )
    assert paths(tmp_path) == ["groups/de.jsonl", "groups/en.parquet"]
    assert paths(tmp_path / "groups") == ["de.jsonl", "en.parquet"]


def test_text_files_of_one_name_are_all_read(tmp_path: Path) -> None:
    """Only forms of one file replace each other: text is a group each."""
    make(tmp_path, "Q1.txt", "Q1.jsonl", "en/Q1.txt", "README.txt", "LICENSE.txt", "notes.md")
    assert paths(tmp_path) == ["Q1.jsonl", "Q1.txt", "en/Q1.txt"]


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_archives_of_every_compression_are_read(tmp_path: Path, mode: str) -> None:
    """Content decides, whatever the suffix of a tar archive says."""
    (tmp_path / "Q1.txt").write_text("a\n\nb\n")
    with tarfile.open(tmp_path / "set.tar.gz", mode) as archive:  # type: ignore[call-overload]
        archive.add(tmp_path / "Q1.txt", "set/en/Q1.txt")
        archive.add(tmp_path / "Q1.txt", "set/notes.md")
    (group,) = read_dataset(tmp_path / "set.tar.gz")
    assert (group.id, group.where) == ("Q1", f"{tmp_path}/set.tar.gz/set/en/Q1.txt")


@pytest.mark.parametrize("mode", ["w:gz", "w:bz2", "w:xz"])
def test_a_damaged_archive_is_said(tmp_path: Path, mode: str) -> None:
    """Bytes that changed in the middle, in every compression."""
    path = tmp_path / "set.tar.gz"
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        for number in range(300):
            member = tarfile.TarInfo(f"set/en/Q{number}.txt")
            text = hashlib.sha256(b"%d" % number).hexdigest().encode() + b"\n\nb\n"
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 2000] = bytes(2000)
    path.write_bytes(data)
    with pytest.raises(DamagedInputError, match=r"set\.tar\.gz"):
        read_dataset(path)


def test_an_archive_without_groups_is_said(tmp_path: Path) -> None:
    """So is one that is none."""
    with tarfile.open(tmp_path / "a.tar", "w"):
        pass
    with pytest.raises(MissingInputError, match=r"a\.tar: expected files that end in"):
        data_files(tmp_path / "a.tar", "side.json")
    (tmp_path / "b.tgz").write_bytes(b"no archive")
    with pytest.raises(DamagedInputError, match=r"b\.tgz: expected a whole tar archive"):
        data_files(tmp_path / "b.tgz", "side.json")


def test_what_is_no_group_in_parquet_is_said(tmp_path: Path) -> None:
    """A file that is no Parquet, and one of other columns, each with its place."""
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(DamagedInputError, match=r"a\.parquet: expected a Parquet file of groups"):
        read_dataset(tmp_path / "a.parquet")
    pq.write_table(pa.table({"x": [1]}), tmp_path / "b.parquet")
    with pytest.raises(DamagedInputError, match=r"b\.parquet: row 0: expected a group"):
        read_dataset(tmp_path / "b.parquet")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("a.tar.gz", "a"), ("wiki-1.0.tgz", "wiki-1.0"), ("de.jsonl", "de"), ("de.parquet", "de"), ("x.TXT", "x")],
)
def test_the_name_of_a_file_has_no_suffix(tmp_path: Path, name: str, expected: str) -> None:
    """A version in it is no suffix; a folder keeps its whole name."""
    make(tmp_path, name)
    assert data_set_name(tmp_path / name) == expected
    (tmp_path / "v1.txt").mkdir()
    assert data_set_name(tmp_path / "v1.txt") == "v1.txt"


def test_an_archive_that_unpacks_to_gigabytes_is_said(tmp_path: Path) -> None:
    """Eight of them, in 150 bytes: a file of holes, as tar packs sparse files."""
    header = tarfile.TarInfo("set/en/Q1.txt")
    header.pax_headers = {"GNU.sparse.major": "0", "GNU.sparse.minor": "1", "GNU.sparse.map": "0,0"}
    header.pax_headers |= {"GNU.sparse.size": str(8 << 30), "GNU.sparse.name": "set/en/Q1.txt"}
    path = tmp_path / "set.tar.gz"
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(header)
    assert path.stat().st_size < 1000
    with pytest.raises(DamagedInputError, match=r"expected at most 1,073,741,824 bytes .* saw 8,589,934,592"):
        data_files(path, "classes.tsv")


def test_many_files_are_no_way_round_it(tmp_path: Path) -> None:
    """All of them together are bounded."""
    path = tmp_path / "set.tar"
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
        for number in range(3):
            header = tarfile.TarInfo(f"set/en/Q{number}.txt")
            header.pax_headers = {"GNU.sparse.map": "0,0", "GNU.sparse.size": str(1 << 29)}
            header.pax_headers |= {"GNU.sparse.name": header.name}
            archive.addfile(header)
    with pytest.raises(DamagedInputError, match=r"Q2\.txt: expected at most"):
        data_files(path, "classes.tsv")


@pytest.mark.parametrize("packed", [False, True])
def test_names_that_are_no_utf_8_are_said(tmp_path: Path, packed: bool) -> None:
    """A group is called after its file, and reports and JSON hold Unicode alone."""
    folder = tmp_path / "set" / "en"
    folder.mkdir(parents=True)
    (folder / "Q\udcff.txt").write_text("a\nb\n\nc\nd\n")
    path = folder
    if packed:
        path = tmp_path / "set.tar"
        with tarfile.open(path, "w", errors="surrogateescape", format=tarfile.GNU_FORMAT) as archive:
            archive.add(folder, "en")
    with pytest.raises(DamagedInputError, match=r"expected names of files in UTF-8, saw b'.*Q\\xff\.txt'"):
        data_files(path, "classes.tsv")
