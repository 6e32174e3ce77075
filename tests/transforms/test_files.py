"""Files by path or URL: found, written and replaced as they are called, and clear words about what cannot be opened."""

import gc
import os
import re
import resource
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem import files
from wikisem.errors import MissingInputError, OutputError, UsageError
from wikisem.files import (
    absolute,
    check_address,
    copy,
    create_binary,
    is_local,
    list_files,
    match,
    open_binary,
    remove,
    remove_below,
    replace_file,
    size_and_time,
    sizes_below,
)

ODD = ["plain", "b[r]acket", "star*", "what?", "two words", "[", "a]b"]


def write(path: str, data: bytes = b"data") -> None:
    """Write a file by our own means."""
    with create_binary(path) as sink:
        sink.write(data)


@pytest.mark.parametrize("name", ODD)
def test_a_folder_is_taken_as_it_is_written(tmp_path: Path, name: str) -> None:
    """Only what follows the deepest folder that exists is a glob; folders that the name would match do not count."""
    for other in ("bracket", "brcket", "star-", "what!", "plain2"):
        write(f"{tmp_path}/{other}/in/0.txt")
    for number in (1, 2):
        write(f"{tmp_path}/{name}/in/{number}.txt")
    write(f"{tmp_path}/{name}/in/deeper/3.txt")
    files = [f"{tmp_path}/{name}/in/{number}.txt" for number in (1, 2)]
    assert list_files(f"{tmp_path}/{name}/in/*.txt") == files == match([f"{tmp_path}/{name}/in/[12].txt"])
    assert list_files(files[0]) == [files[0]]
    assert list_files(f"{tmp_path}/{name}/in/**") == [*files, f"{tmp_path}/{name}/in/deeper/3.txt"]
    assert list_files(f"{tmp_path}/{name}/in/*/3.txt") == [f"{tmp_path}/{name}/in/deeper/3.txt"]
    assert list_files(f"{tmp_path}/{name}/absent/*.txt") == []
    assert list_files(f"{tmp_path}/{name}/in") == []


def test_globs_in_folders_and_below_the_current_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A star may be in any part of a path, and a path may be relative; results are written as the pattern was."""
    for path in ("a1/x.json", "a2/x.json", "b/x.json", "top.json"):
        write(f"{tmp_path}/{path}")
    assert list_files(f"{tmp_path}/a*/x.json") == [f"{tmp_path}/a1/x.json", f"{tmp_path}/a2/x.json"]
    monkeypatch.chdir(tmp_path)
    assert list_files("a?/*.json") == ["a1/x.json", "a2/x.json"]
    assert list_files("*.json") == ["top.json"]
    assert match(["./*.json", "top.json"]) == ["./top.json", "top.json"]


@given(st.sampled_from(ODD), st.sampled_from(["file:///d/", "file://localhost/d/"]))
def test_a_file_url_is_the_path_that_it_means(name: str, prefix: str) -> None:
    """Percent signs are decoded; a path, of any name, is itself."""
    quoted = "".join(f"%{byte:02X}" for byte in name.encode())
    assert check_address(prefix + quoted) == f"/d/{name}"
    assert check_address(f"/d/{name}") == f"/d/{name}"


def test_a_file_url_names_input(tmp_path: Path) -> None:
    """It works like the path."""
    write(f"{tmp_path}/my dump.json")
    assert match([f"file://{tmp_path}/my%20dump.json"]) == [f"{tmp_path}/my dump.json"]


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://example.org/dump.json.gz", "expected a path or a URL of gs://.*saw 'https://.*download it first"),
        ("HTTP://example.org/dump.json.gz", "download it first"),
        ("nope://x/y", "expected a path or a URL of gs://, .* or another protocol of fsspec, saw 'nope://x/y'$"),
        ("file://server/share/dump", "expected a file:// URL of this machine"),
        ("file://", "expected a file:// URL of this machine"),
    ],
)
def test_a_url_that_cannot_be_opened_is_wrong_usage(url: str, words: str) -> None:
    """The message says what can be opened, and what to do instead."""
    with pytest.raises(UsageError, match=words):
        match([url])


@pytest.mark.parametrize(
    ("scheme", "words"),
    [
        ("gs", "pip install 'wikisem[gcs]'"),
        ("s3", "pip install 'wikisem[s3]'"),
        ("abfs", "Install adlfs to access Azure Datalake Gen2 and Azure Blob Storage"),
    ],
)
def test_a_url_whose_driver_is_not_installed_says_what_to_install(
    scheme: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An extra of ours, or what fsspec says of it."""
    registry = pytest.importorskip("fsspec.registry")
    monkeypatch.delitem(registry._registry, scheme, raising=False)
    package = {"gs": "gcsfs", "s3": "s3fs", "abfs": "adlfs"}[scheme]
    for module in (package, f"{package}.core"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError, match=re.escape(f"{scheme}://bucket/x: {scheme}:// needs a package: {words}")):
        check_address(f"{scheme}://bucket/x")


@pytest.mark.parametrize("use", [open_binary, list_files, sizes_below, remove])
def test_a_url_is_checked_wherever_it_is_used(use: Callable[[str], object]) -> None:
    """Programs that use these functions are told the same as people who name it to a command."""
    with pytest.raises(UsageError, match=r"of fsspec, saw 'http://127\.0\.0\.1:9/x'; download it first"):
        use("http://127.0.0.1:9/x")


def test_a_protocol_that_somebody_registered_is_known() -> None:
    """fsspec knows it, and so does wikisem."""
    assert check_address("memory://x/y") == "memory://x/y"


def test_what_is_a_url_and_what_is_not() -> None:
    """A scheme and two slashes at the start make a URL; in the middle of a path they do not."""
    assert [is_local(path) for path in ("gs://b/x", "file:///x", "s3://b")] == [False] * 3
    assert all(is_local(path) for path in ("/a", "a", "a/b://c", "1s://x", "C:/x", "", "://x"))


def test_a_pattern_without_a_file_is_named(tmp_path: Path) -> None:
    """Of several patterns, the message holds the one that matches nothing."""
    write(f"{tmp_path}/a.json")
    with pytest.raises(MissingInputError, match=r"saw none for '.*/b\*\.json'"):
        match([f"{tmp_path}/a.json", f"{tmp_path}/b*.json"])


@pytest.mark.parametrize("name", ODD)
def test_files_and_folders_are_replaced_and_removed(tmp_path: Path, name: str) -> None:
    """A second name takes the place of what had it, as often as it is given; removing what is not there is fine."""
    folder = f"{tmp_path}/{name}"
    write(f"{folder}/file", b"file")
    write(f"{folder}/deep/other", b"old")
    for target in ("deep/other", "deep/other", "new/place"):
        copy(f"{folder}/file", f"{folder}/{target}")
    for target in ("file", "deep/other", "new/place"):
        with open_binary(f"{folder}/{target}") as source:
            assert source.read() == b"file"
    assert sizes_below(folder) == {"deep/other": 4, "file": 4, "new/place": 4}
    for _ in range(2):
        remove(f"{folder}/new/place")
        remove(f"{folder}/file")
    write(f"{folder}/deep/down/here")
    for _ in range(2):
        remove_below(folder, "deep")
    assert list_files(f"{folder}/**") == []


@pytest.mark.parametrize(
    "name",
    ["link", "folder/link", "link/deep", "../away", "folder/../../away", "..", "folder/..", ".", "folder/.", "", "/"],
)
def test_nothing_is_removed_behind_a_link_or_outside(tmp_path: Path, name: str) -> None:
    """Neither what a link below the root leads to, nor the link, nor what is not below the root."""
    (tmp_path / "away" / "deep").mkdir(parents=True)
    (tmp_path / "root" / "folder").mkdir(parents=True)
    for link in ("link", "folder/link"):
        (tmp_path / "root" / link).symlink_to(tmp_path / "away")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(OutputError, match=r"expected to remove .*, saw"):
        remove_below(f"{tmp_path}/root", name)
    assert sorted(tmp_path.rglob("*")) == before
    remove_below(f"{tmp_path}/root", "link/absent")
    remove_below(f"{tmp_path}/root/link", "deep")  # the root itself may be one
    assert list((tmp_path / "away").iterdir()) == []


def test_no_folder_stays_open_after_something_is_removed(tmp_path: Path) -> None:
    """A long run removes scratch thousands of times, and a process may have a thousand files open."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = [os.open(tmp_path, os.O_RDONLY) for _ in range(16)]  # numbers between them may be in use
    for descriptor in free:
        os.close(descriptor)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free[-1] + 1, limits[1]))
    try:
        for number in range(32):
            write(f"{tmp_path}/folder/deep/{number}")
            remove_below(str(tmp_path), f"folder/deep/{number}")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert list((tmp_path / "folder" / "deep").iterdir()) == []


def test_links_in_a_folder_go_with_it_and_what_they_lead_to_stays(tmp_path: Path) -> None:
    """A folder of this user may hold links to anything."""
    (tmp_path / "away").mkdir()
    (tmp_path / "away" / "file").touch()
    (tmp_path / "root" / "folder").mkdir(parents=True)
    (tmp_path / "root" / "folder" / "link").symlink_to(tmp_path / "away")
    remove_below(f"{tmp_path}/root", "folder")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["away", "file", "root"]


@pytest.mark.parametrize("of", ["folder", "file"])
def test_what_another_user_owns_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of: str) -> None:
    """Where a folder may be written by several; but a network folder may give all that it holds one owner."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    me = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: me + 1)
    with monkeypatch.context() as patch:
        patch.setattr(files, "TemporaryFile", _refuse)  # as if made files were that user's
        with pytest.raises(OutputError, match="saw a link, or another user's"):
            remove_below(str(tmp_path), of)
    assert (tmp_path / of).exists()
    remove_below(str(tmp_path), of)
    assert not (tmp_path / of).exists()


def _refuse(*_: object, **__: object) -> None:
    raise PermissionError


def test_a_file_where_there_are_no_hard_links_is_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bytes, in a file of its own."""

    def refuse(self: Path, target: Path) -> None:
        raise OSError(f"no links from {target} to {self}")

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    write(f"{tmp_path}/file", b"file")
    copy(f"{tmp_path}/file", f"{tmp_path}/other")
    assert (tmp_path / "other").read_bytes() == b"file"
    assert (tmp_path / "other").stat().st_ino != (tmp_path / "file").stat().st_ino


def test_what_cannot_be_copied_is_an_output_error(tmp_path: Path) -> None:
    """Nothing is left of the second name."""
    with pytest.raises(OutputError, match=r"expected to copy .*absent to .*other, saw"):
        copy(f"{tmp_path}/absent", f"{tmp_path}/other")
    assert list(tmp_path.iterdir()) == []


def test_hidden_files_are_not_part_of_a_result(tmp_path: Path) -> None:
    """Desktops and network file systems leave them."""
    for path in ("a", ".DS_Store", "b/.nfs0001", "b/c.json"):
        write(f"{tmp_path}/{path}")
    assert sizes_below(str(tmp_path)) == {"a": 4, "b/c.json": 4}


def test_a_new_file_is_not_there_before_it_is_closed(tmp_path: Path) -> None:
    """Nor after an error, nor when nobody closes it."""
    path = f"{tmp_path}/file"
    with pytest.raises(ZeroDivisionError), create_binary(path) as sink:
        sink.write(b"%d" % (1 // 0))
    sink = create_binary(path)
    sink.write(b"half")
    assert list_files(path) == []
    del sink
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    """Folders are made; a folder in the way is an error that names the file."""
    replace_file(f"{tmp_path}/a/b", b"one")
    replace_file(f"{tmp_path}/a/b", b"two")
    assert (tmp_path / "a" / "b").read_bytes() == b"two"
    assert size_and_time(f"{tmp_path}/a/b")[0] == 3
    with pytest.raises(OutputError, match=f"expected to write {tmp_path}/a"):
        replace_file(f"{tmp_path}/a", b"three")


def test_a_relative_path_becomes_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What workers get does not depend on the folder that they are in; URLs stay."""
    monkeypatch.chdir(tmp_path)
    assert absolute("out") == f"{tmp_path}/out"
    assert absolute("./a/../o[u]t") == f"{tmp_path}/o[u]t"
    assert absolute("/data/out") == "/data/out"
    assert absolute("gs://bucket/out") == "gs://bucket/out"
