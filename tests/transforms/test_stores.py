"""Files by URL: written over, copied, listed and removed alike, on S3, in memory and where there are folders."""

import io
import threading
import uuid
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from tests.object_store import BUCKET, s3_bucket
from wikisem import files
from wikisem.errors import DamagedInputError, MissingInputError, OutputError, UsageError
from wikisem.files import (
    copy,
    create_binary,
    exists,
    list_files,
    open_binary,
    read_if_there,
    remove,
    remove_below,
    replace_file,
    size_and_time,
    sizes_below,
    versions_below,
)
from wikisem.transforms.io.runtime import Runtime


class Folders(MemoryFileSystem):
    """``folders://``: it has folders, and neither writes, copies nor renames over anything, as HDFS."""

    protocol = "folders"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return str(super()._strip_protocol(path.removeprefix("folders://")))

    def _open(self, path: str, mode: str = "rb", **options: Any) -> Any:
        if mode == "wb" and (self.exists(path) or not self.isdir(self._parent(path))):
            raise OSError(f"{path} exists, or its folder does not")
        opened = super()._open(path, mode, **options)
        return io.BytesIO(opened.getvalue()) if mode == "rb" else opened

    def mv(self, path1: str, path2: str, **options: Any) -> None:
        """Rename a file."""
        self.cp_file(path1, path2, **options)
        self.rm_file(path1)

    def cp_file(self, path1: str, path2: str, **options: Any) -> None:
        """Copy a file to a new name."""
        if self.exists(path2) or not self.isdir(self._parent(path2)):
            raise OSError(f"{path2} exists, or its folder does not")
        super().cp_file(path1, path2, **options)


fsspec.register_implementation("folders", Folders, clobber=True)


@pytest.fixture(scope="module")
def server() -> Iterator[None]:
    """A server of this machine."""
    with s3_bucket():
        yield


@pytest.fixture(params=["memory://", "folders://", "s3://"])
def url(request: pytest.FixtureRequest) -> str:
    """An empty place."""
    if request.param == "s3://":
        request.getfixturevalue("server")
    return f"{request.param}{BUCKET}/{uuid.uuid4()}/a b/out"


def read(path: str) -> bytes:
    """The bytes of a file."""
    with open_binary(path) as source:
        return source.read()


def test_a_file_takes_the_place_of_an_earlier_one(url: str) -> None:
    """Written or copied, as often as one likes; no other file is left, and empty ones are files too."""
    for data in (b"one", b"", b"three"):
        replace_file(f"{url}/deep/a.txt", data)
        copy(f"{url}/deep/a.txt", f"{url}/b.txt")
        copy(f"{url}/deep/a.txt", f"{url}/new/folder/a.txt")
        remove(f"{url}/new/folder/a.txt")
        assert read(f"{url}/deep/a.txt") == read(f"{url}/b.txt") == data
        assert sizes_below(url) == {"b.txt": len(data), "deep/a.txt": len(data)}
        assert size_and_time(f"{url}/b.txt")[0] == len(data)
        assert size_and_time(f"{url}/b.txt")[1] > 1.7e9
    assert list_files(f"{url}/**") == [f"{url}/b.txt", f"{url}/deep/a.txt"]


def test_a_large_file_goes_in_parts(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole again when it is read, from any place on."""
    monkeypatch.setattr(files, "_ONE_REQUEST", 1 << 20)
    data = b"".join(b"%07d\n" % number for number in range(1 << 20))
    with create_binary(f"{url}/large") as sink:
        for start in range(0, len(data), 1 << 20):
            sink.write(data[start : start + (1 << 20)])
    with open_binary(f"{url}/large") as source:
        assert source.seek(0, 2) == len(data)
        source.seek(5 << 20)
        assert source.read(16) == data[5 << 20 :][:16]
        source.seek(0)
        assert source.read() == data


def test_readers_of_one_file_do_not_move_each_other(url: str) -> None:
    """Each has a place of its own, also in memory."""
    replace_file(f"{url}/a", b"abcdef")
    with open_binary(f"{url}/a") as one, open_binary(f"{url}/a") as other:
        assert (one.read(2), other.read(3), one.read(2)) == (b"ab", b"abc", b"cd")


def test_an_object_that_an_error_cuts_short_is_not_seen(url: str) -> None:
    """A store would show what was written of it, if its writer were closed."""
    replace_file(f"{url}/a.txt", b"whole")
    with pytest.raises(ZeroDivisionError), create_binary(f"{url}/a.txt") as sink:
        sink.write(b"%d" % (1 // 0))
    assert read(f"{url}/a.txt") == b"whole"
    assert list_files(f"{url}/**") == [f"{url}/a.txt"]


def test_what_is_not_there_can_be_removed_but_not_copied_or_read(url: str) -> None:
    """A folder goes file by file, also a single file; others whose names begin like theirs stay."""
    remove(f"{url}/absent")
    remove_below(url, "absent")
    replace_file(f"{url}/x", b"data")
    remove_below(url, "x")
    assert not exists(f"{url}/x")
    for name in ("x/1", "x/deep/2", "xy/3"):
        replace_file(f"{url}/{name}", b"data")
    remove_below(url, "x")
    assert list_files(f"{url}/**") == [f"{url}/xy/3"]
    with pytest.raises(OutputError, match=r"expected to copy .*absent to .*y, saw no such file"):
        copy(f"{url}/absent", f"{url}/y")
    for look in (open_binary, size_and_time):
        with pytest.raises(MissingInputError, match=r"expected to read .*absent, saw no such file"):
            look(f"{url}/absent")


def test_a_name_with_a_bracket_is_removed_as_it_is_written(url: str) -> None:
    """A driver would take it for a pattern, and remove others."""
    for name in ("a[1]", "a1"):
        replace_file(f"{url}/{name}", b"data")
    remove(f"{url}/a[1]")
    assert sizes_below(url) == {"a1": 4}


def test_globs_mean_what_they_mean_on_this_machine(url: str) -> None:
    """A star is part of a name, two are part of a path; what only begins alike does not match."""
    for name in ("in/1.json", "in/2.json", "in/deep/3.json", "in/a.txt", "in2/1.json"):
        replace_file(f"{url}/{name}", b"data")
    assert list_files(f"{url}/in/*.json") == [f"{url}/in/1.json", f"{url}/in/2.json"]
    assert list_files(f"{url}/in/[!1].json") == [f"{url}/in/2.json"]
    assert list_files(f"{url}/in*/1.json") == [f"{url}/in/1.json", f"{url}/in2/1.json"]
    assert list_files(f"{url}/in/**.json") == [f"{url}/in/{name}.json" for name in (1, 2, "deep/3")]
    assert list_files(f"{url}/in/1.json") == [f"{url}/in/1.json"]
    assert list_files(f"{url}/in") == list_files(f"{url}/out/*") == []


def test_a_version_changes_with_the_file(url: str) -> None:
    """And only then: copies of folders are found by it."""
    replace_file(f"{url}/a", b"one")
    before = versions_below(url)
    assert versions_below(url) == before
    replace_file(f"{url}/a", b"two")
    assert versions_below(url) != before


def test_all_pages_of_a_listing_are_read(server: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """S3 lists a thousand objects at a time, and this server as many as it is asked to."""
    del server
    monkeypatch.setenv("MOTO_S3_DEFAULT_MAX_KEYS", "5")
    boto3 = pytest.importorskip("boto3", reason="boto3 comes with wikisem[test]")
    url = f"s3://{BUCKET}/many"
    files.for_each_file(url, lambda number: replace_file(f"{url}/{number:04}", b""), range(12))
    client = boto3.client("s3")
    assert client.list_objects_v2(Bucket=BUCKET, Prefix="many/")["IsTruncated"]
    client.close()
    assert len(list_files(f"{url}/*")) == len(list_files(f"{url}/**")) == 12


def test_what_a_store_refuses_is_an_output_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """It names the file, whatever the driver raises, and the unfinished one is gone."""

    def refuse(*_: object, **__: object) -> None:
        raise RuntimeError("403 forbidden\nat a hundred lines")

    monkeypatch.setattr(MemoryFileSystem, "pipe_file", refuse)
    with pytest.raises(
        OutputError, match=r"expected to write memory://refused/a\.txt, saw RuntimeError: 403 forbidden$"
    ):
        replace_file("memory://refused/a.txt", b"data")
    assert list_files("memory://refused/**") == []


def test_a_server_of_hdfs_is_named_by_the_url() -> None:
    """Beam's option for it would be left unheard: the first part of the path would be taken for the server."""
    try:
        Runtime(["--hdfs_host=h", "--hdfs_port=1", "--hdfs_user=u"]).configure_file_systems()
        with pytest.raises(UsageError, match=r"expected hdfs://HOST:PORT/PATH, .* saw --hdfs_host"):
            open_binary("hdfs://out/a.txt")
    finally:
        Runtime().configure_file_systems()


def test_what_beams_options_say_of_s3_reaches_its_driver_alone() -> None:
    """By the names that the driver has for it; what no option says is left to the driver."""
    try:
        Runtime(["--s3_access_key_id=k", "--s3_region_name=r", "--s3_disable_ssl"]).configure_file_systems()
        expected = {"key": "k", "use_ssl": False, "client_kwargs": {"region_name": "r"}}
        assert [files.driver_options(scheme) for scheme in ("s3", "s3a", "gs")] == [expected, expected, {}]
        Runtime(["--s3_secret_access_key=s"]).configure_file_systems()
        assert files.driver_options("s3") == {"secret": "s"}
    finally:
        Runtime().configure_file_systems()


class Hanging(MemoryFileSystem):
    """``hanging://``: it lists files, and the calls that ``late`` names wait until ``awake`` is set."""

    protocol = "hanging"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    late: ClassVar[set[str]] = set()
    awake = threading.Event()

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return str(super()._strip_protocol(path.removeprefix("hanging://")))

    def __getattribute__(self, name: str) -> Any:
        if name in Hanging.late:
            return lambda *_, **__: Hanging.awake.wait()
        return super().__getattribute__(name)

    def _open(self, path: str, mode: str = "rb", **options: Any) -> Any:
        file = super()._open(path, mode, **options)
        return _HangingFile(file.getvalue()) if mode == "rb" else file


class _HangingFile(io.BytesIO):
    def read(self, size: int | None = -1, /) -> bytes:
        if "read" in Hanging.late:
            Hanging.awake.wait()
        return super().read(size)


fsspec.register_implementation("hanging", Hanging, clobber=True)


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A file in a store of which calls take as long as they like."""
    monkeypatch.setattr("wikisem.files.STORE_CALL", 0.2)
    fsspec.filesystem("hanging").pipe_file("/x/a.txt", b"0123456789")
    Hanging.awake.clear()
    yield "hanging://x/a.txt"
    Hanging.awake.set()
    Hanging.late.clear()


@pytest.mark.parametrize(
    ("late", "use"),
    [
        ("read", read),
        ("open", read),
        ("info", list_files),
        ("info", size_and_time),
        ("exists", exists),
        ("find", lambda url: sizes_below(url.removesuffix("/a.txt"))),
        ("rm_file", remove),
        ("pipe_file", lambda url: replace_file(url, b"x")),
        ("read", read_if_there),
    ],
)
def test_no_call_to_a_store_waits_for_ever(hanging: str, late: str, use: Callable[[str], object]) -> None:
    """It ends in an error that says how long was waited; a file that does not answer is not one that is not there."""
    Hanging.late.add(late)
    with pytest.raises((MissingInputError, OutputError), match=r"hanging://.*x.* TimeoutError: no answer within 0"):
        use(hanging)


def test_no_file_in_a_store_fills_the_memory(hanging: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read at once has a largest size; what is read in parts, as dumps are, has none."""
    monkeypatch.setattr("wikisem.files.LARGEST_SET", 9)
    with pytest.raises(DamagedInputError, match=r"hanging://.*a\.txt: expected at most 9 bytes at once, saw more"):
        read(hanging)
    with open_binary(hanging) as source:
        assert [source.read(4), source.read(4), source.read(4), source.read(4)] == [b"0123", b"4567", b"89", b""]
        assert (source.seek(3), source.tell(), source.read(2), source.seekable()) == (3, 3, b"34", True)
