"""Files that come from a server that does wrong: nothing half-written ever looks whole."""

import fcntl
import os
import re
import resource
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import orjson
import pytest

from tests.pipeline.download.server import Fault, Server, serve
from wikisem.errors import DamagedInputError, DownloadError, OutputError
from wikisem.pipeline.download import (
    RECORD,
    Fetcher,
    Mirror,
    download,
    find_wikipedia_dump,
    only_download_in,
    origin_of,
    plan_downloads,
    read_record,
)
from wikisem.web import HttpClient, Patience

BODY = bytes(range(256)) * 4000
NAME = "dewiki-2026-11-01-p1p9.xml.bz2"


@pytest.fixture
def server() -> Iterator[Server]:
    """A server with one export of one shard."""
    with serve() as running:
        running.add_export("dewiki", "2026-11-01", {"p1p9": BODY})
        yield running


def _path(server: Server) -> str:
    return next(path for path in server.files if path.endswith(NAME))


def _download(
    server: Server, folder: Path, pauses: list[float] | None = None, attempts: int = 4, timeout: float = 60.0
) -> list[int]:
    """Fetch everything there is for German; returns the counts of bytes."""
    counts: list[int] = []
    on_pause = (lambda _: None) if pauses is None else pauses.append
    patience = Patience(attempts=attempts, first=0.001, on_pause=on_pause)
    mirror = Mirror(server.url, HttpClient("tests@example.org", timeout), patience)
    dumps = [find_wikipedia_dump(mirror, "de", None)]
    folder.mkdir(exist_ok=True)
    download(plan_downloads(dumps, folder), mirror, folder, "2026-11-21", counts.append)
    return counts


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_a_file_comes_whole_and_is_recorded(server: Server, tmp_path: Path) -> None:
    """The bytes, the record of where they came from, and nothing else."""
    counts = _download(server, tmp_path)
    assert (tmp_path / NAME).read_bytes() == BODY
    assert _names(tmp_path) == {NAME, RECORD}
    assert sum(counts) == len(BODY)
    about = orjson.loads((tmp_path / RECORD).read_bytes())["files"][NAME]
    assert about.pop("sha256") in server.files[_path(server).replace(NAME, "SHA256SUMS")].decode()
    assert about == {
        "kind": "content export",
        "language": "de",
        "date": "2026-11-01",
        "url": server.url + _path(server),
        "size": len(BODY),
        "downloaded": "2026-11-21",
    }
    assert all(re.fullmatch(r"wikisem/[\w.]+ \(tests@example.org\) .*", agent) for agent in server.agents)


def test_a_file_is_on_the_disk_before_it_has_its_name(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a loss of power it would else be there without its bytes, and be taken for whole."""
    synced: list[tuple[str, int]] = []

    def sync(handle: int) -> None:
        synced.append((Path(f"/proc/self/fd/{handle}").readlink().name, os.fstat(handle).st_size))

    monkeypatch.setattr("wikisem.pipeline.download.os.fsync", sync)
    _download(server, tmp_path)
    assert (f"{NAME}.part", len(BODY)) in synced


def test_a_cut_connection_goes_on_where_it_stopped(server: Server, tmp_path: Path) -> None:
    """The rest is asked for with Range, as often as it takes while bytes come."""
    server.faults[_path(server)] += [Fault(keep=0.3), Fault(keep=0.5), Fault(hang_up=True), Fault(keep=0.5)]
    counts = _download(server, tmp_path, attempts=3)
    assert (tmp_path / NAME).read_bytes() == BODY
    ranges = server.ranges(_path(server))
    assert ranges[0] == ""
    starts = [int(wanted.removeprefix("bytes=").rstrip("-")) for wanted in ranges[1:]]
    assert starts == sorted(starts)
    assert starts[0] == int(len(BODY) * 0.3)
    assert len(ranges) == 5
    assert sum(counts) == len(BODY)


def test_a_run_that_gave_up_is_gone_on_with_by_the_next(server: Server, tmp_path: Path) -> None:
    """What has arrived is kept under another name, and the next run asks for the rest alone."""
    server.faults[_path(server)] += [Fault(keep=0.4), Fault(status=503)]
    with pytest.raises(DownloadError, match="saw none in 2 attempts; the last gave HTTP status 503"):
        _download(server, tmp_path, attempts=2)
    assert _names(tmp_path) == {f"{NAME}.part", f"{NAME}.part.version"}
    assert not read_record(tmp_path)
    server.asked.clear()
    counts = _download(server, tmp_path)
    assert server.ranges(_path(server)) == [f"bytes={int(len(BODY) * 0.4)}-"]
    assert sum(counts) == len(BODY) - int(len(BODY) * 0.4)
    assert (tmp_path / NAME).read_bytes() == BODY
    assert _names(tmp_path) == {NAME, RECORD}


def test_a_file_that_changed_meanwhile_begins_anew(server: Server, tmp_path: Path) -> None:
    """If-Range: of another version of the file the server sends all, and nothing of the old one is left in it."""
    server.faults[_path(server)].append(Fault(keep=0.4))
    with pytest.raises(DownloadError):
        _download(server, tmp_path, attempts=1)
    other = BODY[::-1] + b"longer"
    server.add_export("dewiki", "2026-11-01", {"p1p9": other})
    server.asked.clear()
    counts = _download(server, tmp_path)
    assert (tmp_path / NAME).read_bytes() == other
    assert sum(counts) == len(other) - int(len(BODY) * 0.4)
    # One request for it: without If-Range the rest of another version would come, and all of it once more.
    assert server.ranges(_path(server)) == [f"bytes={int(len(BODY) * 0.4)}-"]


ODD_RANGES = [
    "bytes 409599-1023999/1024000",
    "items 409600-1023999/1024000",
    "bytes */1024000",
    "bytes ٤-٥/٦",
    "x" * 5000,
]


@pytest.mark.parametrize(
    "fault",
    [
        Fault(no_range=True),
        Fault(shift=-(10**9)),
        Fault(shift=1),
        Fault(shift=-1),
        Fault(status=416),
        *(Fault(content_range=text.encode().decode("latin-1")) for text in ODD_RANGES),
    ],
)
def test_a_server_that_mishandles_ranges_gives_the_file_from_its_beginning(
    server: Server, tmp_path: Path, fault: Fault
) -> None:
    """The whole file for a range, another range, no range at all: none of them is appended."""
    server.faults[_path(server)] += [Fault(keep=0.4), fault]
    counts = _download(server, tmp_path)
    assert (tmp_path / NAME).read_bytes() == BODY
    assert sum(counts) == len(BODY)


def test_a_shorter_part_than_asked_for_is_gone_on_with(server: Server, tmp_path: Path) -> None:
    """A cache may cut ranges into slices: each is as long as it says, and none is the end of the file."""
    server.faults[_path(server)] += [Fault(keep=0.4), *[Fault(most=200_000)] * 3]
    pauses: list[float] = []
    counts = _download(server, tmp_path, pauses)
    assert (tmp_path / NAME).read_bytes() == BODY
    begin = int(len(BODY) * 0.4)
    assert server.ranges(_path(server)) == ["", *(f"bytes={begin + at}-" for at in (0, 200_000, 400_000, 600_000))]
    assert len(pauses) == 1  # after the connection that was cut
    assert sum(counts) == len(BODY)


def test_parts_of_hardly_any_bytes_come_to_an_end(server: Server, tmp_path: Path) -> None:
    """A server that gives ten bytes for a request is not asked 100,000 times."""
    server.faults[_path(server)] += [Fault(keep=0.4), *[Fault(most=10)] * 200]
    with pytest.raises(DownloadError, match=r"409,6\d0 of 1,024,000 bytes, where 409,6\d0 had come before"):
        _download(server, tmp_path)
    assert len(server.ranges(_path(server))) == 4
    assert (tmp_path / f"{NAME}.part").stat().st_size < len(BODY)


def test_short_files_without_a_version_come_to_an_end(server: Server, tmp_path: Path) -> None:
    """Half of the file, again and again, which nothing can be put behind."""
    server.faults[_path(server)] += [Fault(body=BODY[:500_000], no_version=True)] * 200
    with pytest.raises(DownloadError, match="500,000 of 1,024,000 bytes"):
        _download(server, tmp_path)
    assert len(server.ranges(_path(server))) == 5


@pytest.mark.parametrize("fault", [Fault(body=BODY * 2), Fault(more=BODY)])
def test_a_file_grows_no_larger_than_it_is(server: Server, tmp_path: Path, fault: Fault) -> None:
    """Whether the server says how much comes or not: what is beyond the known size is not written."""
    server.faults[_path(server)].append(fault)
    with pytest.raises(DownloadError, match="where at most 1,024,000"):
        _download(server, tmp_path)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= len(BODY)
    assert server.ranges(_path(server)) == [""]


def test_a_file_of_unknown_size_is_not_begun(server: Server, tmp_path: Path) -> None:
    """A server that says the size neither beforehand nor with the file could fill any disk."""
    mirror = Mirror(server.url, HttpClient("tests@example.org", 60.0))
    remote = find_wikipedia_dump(mirror, "de", None).files[0]
    server.faults[_path(server)].append(Fault(more=BODY))
    fetcher = Fetcher(mirror, tmp_path, lambda _: None, threading.Event())
    with pytest.raises(DownloadError, match="no Content-Length, which a file must have"):
        fetcher.fetch(remote._replace(size=None))
    assert _names(tmp_path) == set()
    assert fetcher.fetch(remote._replace(size=None)).read_bytes() == BODY


@pytest.mark.parametrize("status", [301, 302, 307])
def test_a_redirect_leaves_no_server_for_the_disk(server: Server, tmp_path: Path, status: int) -> None:
    """Not for a file of this machine, which would be hashed and kept; another place of the same kind is gone to."""
    secret = tmp_path / "secret"
    secret.write_bytes(BODY)
    folder = tmp_path / "dumps"
    server.faults[_path(server)].append(Fault(status=status, headers=(("Location", secret.as_uri()),)))
    with pytest.raises(DownloadError, match="a redirect from http to file://"):
        _download(server, folder)
    server.files["/elsewhere"] = BODY
    server.faults[_path(server)].append(Fault(status=status, headers=(("Location", "/elsewhere"),)))
    _download(server, folder)
    assert (folder / NAME).read_bytes() == BODY


def test_without_a_version_nothing_is_appended(server: Server, tmp_path: Path) -> None:
    """Bytes of which it is unknown what they are of are asked for again."""
    server.faults[_path(server)] += [Fault(keep=0.4, no_version=True), Fault(no_version=True)]
    _download(server, tmp_path)
    assert server.ranges(_path(server)) == ["", ""]
    assert (tmp_path / NAME).read_bytes() == BODY


@pytest.mark.parametrize("name", [f"{NAME}.part", f"{NAME}.part.version"])
@pytest.mark.parametrize("link", [False, True])
def test_a_part_that_no_download_left_stays(server: Server, tmp_path: Path, name: str, link: bool) -> None:
    """Neither the file of somebody else that has the name, nor what a link of that name leads to, is written over."""
    folder = tmp_path / "dumps"
    folder.mkdir()
    (tmp_path / "mine").write_bytes(b"mine")
    if link:
        (folder / name).symlink_to(tmp_path / "mine")
    else:
        (folder / f"{NAME}.part").write_bytes(b"mine")
    with pytest.raises(OutputError, match=r"to be what an earlier download left, saw .*; move it away"):
        _download(server, folder)
    assert (tmp_path / "mine").read_bytes() == b"mine"
    assert link or (folder / f"{NAME}.part").read_bytes() == b"mine"


def test_a_part_that_is_all_there_only_needs_its_checksum(server: Server, tmp_path: Path) -> None:
    """416 with the file's own length: a run was killed between the last byte and the name."""
    server.faults[_path(server)].append(Fault(keep=0.4))
    with pytest.raises(DownloadError):
        _download(server, tmp_path, attempts=1)
    (tmp_path / f"{NAME}.part").write_bytes(BODY)
    server.asked.clear()
    assert _download(server, tmp_path) == []
    assert server.ranges(_path(server)) == [f"bytes={len(BODY)}-"]
    assert (tmp_path / NAME).read_bytes() == BODY


def test_a_part_that_is_too_long_is_thrown_away(server: Server, tmp_path: Path) -> None:
    """416 for a part that can be no beginning of the file."""
    server.faults[_path(server)].append(Fault(keep=0.4))
    with pytest.raises(DownloadError):
        _download(server, tmp_path, attempts=1)
    (tmp_path / f"{NAME}.part").write_bytes(BODY + b"more")
    _download(server, tmp_path)
    assert (tmp_path / NAME).read_bytes() == BODY


@pytest.mark.parametrize("body", [b"<html>please log in</html>", BODY[::-1]])
def test_a_wrong_sum_is_tried_once_more(server: Server, tmp_path: Path, body: bytes) -> None:
    """A page of a proxy in place of the file has a length and a status of its own, but not the sum."""
    server.faults[_path(server)].append(Fault(body=body))
    counts = _download(server, tmp_path)
    assert (tmp_path / NAME).read_bytes() == BODY
    assert sum(counts) == len(BODY)


def test_a_sum_that_is_wrong_twice_ends_the_download(server: Server, tmp_path: Path) -> None:
    """The message has both sums, and nothing of the file stays."""
    server.faults[_path(server)] += [Fault(body=BODY[::-1]), Fault(body=BODY[::-1])]
    with pytest.raises(DownloadError, match=r"expected sha256 [0-9a-f]{64}, saw [0-9a-f]{64} twice"):
        _download(server, tmp_path)
    assert _names(tmp_path) == set()


def test_a_part_with_foreign_bytes_is_found_by_its_sum(server: Server, tmp_path: Path) -> None:
    """Bytes that went wrong on the disk cost one more download, not a wrong dump."""
    server.faults[_path(server)].append(Fault(keep=0.4))
    with pytest.raises(DownloadError):
        _download(server, tmp_path, attempts=1)
    part = tmp_path / f"{NAME}.part"
    part.write_bytes(bytes(part.stat().st_size))
    _download(server, tmp_path)
    assert (tmp_path / NAME).read_bytes() == BODY


def test_a_server_that_asks_to_wait_is_waited_for(server: Server, tmp_path: Path) -> None:
    """429 with Retry-After: the pause is the server's."""
    pauses: list[float] = []
    headers = (("Retry-After", "0"),)
    server.faults[_path(server)] += [Fault(status=429, headers=headers), Fault(status=429), Fault(status=500)]
    _download(server, tmp_path, pauses)
    assert pauses == [0.0, 0.002, 0.004]
    assert (tmp_path / NAME).read_bytes() == BODY


def test_a_server_that_asks_to_wait_for_a_day_is_not_waited_for(server: Server, tmp_path: Path) -> None:
    """Beyond ten minutes it is the person who decides."""
    server.faults[_path(server)].append(Fault(status=429, headers=(("Retry-After", "86400"),)))
    with pytest.raises(DownloadError, match="429 Too Many Requests, which asked to wait: 86400"):
        _download(server, tmp_path)


def test_a_file_that_moved_is_followed(server: Server, tmp_path: Path) -> None:
    """A redirect leads to the file; the checksum says that it is the one."""
    server.files["/elsewhere.bz2"] = BODY
    server.faults[_path(server)].append(Fault(status=302, headers=(("Location", "/elsewhere.bz2"),)))
    _download(server, tmp_path)
    assert (tmp_path / NAME).read_bytes() == BODY


def test_a_file_that_is_gone_is_named(server: Server, tmp_path: Path) -> None:
    """The message says that dumps are not kept for ever."""
    server.faults[_path(server)].append(Fault(status=404))
    with pytest.raises(DownloadError, match=r"p1p9.xml.bz2: expected the file .* keeps a dump for some months only"):
        _download(server, tmp_path)


def test_what_is_there_is_not_fetched_again(server: Server, tmp_path: Path) -> None:
    """A recorded file by its record, one without a record by its checksum, a damaged one not at all."""
    _download(server, tmp_path)
    server.asked.clear()
    _download(server, tmp_path)
    assert server.ranges(_path(server)) == []
    (tmp_path / RECORD).unlink()
    _download(server, tmp_path)
    assert server.ranges(_path(server)) == []
    assert NAME in read_record(tmp_path)
    (tmp_path / RECORD).unlink()
    (tmp_path / NAME).write_bytes(BODY[:-1] + b"?")
    _download(server, tmp_path)
    assert (tmp_path / NAME).read_bytes() == BODY


def test_too_little_space_is_said_before_anything_is_fetched(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bytes that are there already are not asked for a second time."""
    usage = shutil.disk_usage(tmp_path)._replace(free=len(BODY) - 1)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage)
    with pytest.raises(OutputError, match=r"expected 1,024,000 bytes of free space .* saw 1,023,999"):
        _download(server, tmp_path)
    assert server.ranges(_path(server)) == []


def test_a_disk_that_fills_up_is_named(server: Server, tmp_path: Path) -> None:
    """The message has the file and the cause, nothing has the file's name, and the next run goes on."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(BODY) // 2, limits[1]))
    try:
        with pytest.raises(OutputError, match=r"expected to write .*\.part, saw .*File too large.*arrived is kept"):
            _download(server, tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert NAME not in _names(tmp_path)
    assert not read_record(tmp_path)
    _download(server, tmp_path)
    assert server.ranges(_path(server)) == ["", f"bytes={len(BODY) // 2}-"]
    assert (tmp_path / NAME).read_bytes() == BODY


def test_three_connections_and_no_more(server: Server, tmp_path: Path) -> None:
    """Six shards come three at a time: the server lets them go on only when three are there."""
    shards = {f"p{at}1p{at}9": BODY[at:] for at in range(1, 7)}
    server.files.clear()
    server.add_export("dewiki", "2026-11-01", shards)
    # Time for a fourth to come, if there is one.
    server.gate = threading.Barrier(3, action=lambda: time.sleep(0.2))
    _download(server, tmp_path)
    assert server.most_at_once == 3
    assert len(read_record(tmp_path)) == 6


def test_one_file_that_fails_leaves_the_others_as_they_are(server: Server, tmp_path: Path) -> None:
    """What was finished is recorded; the next run fetches the rest."""
    server.add_export("dewiki", "2026-11-01", {"p1p9": BODY, "p10p19": BODY[1:]})
    server.faults[_path(server).replace("p1p9", "p10p19")].append(Fault(status=403))
    with pytest.raises(DownloadError, match=r"p10p19.*403"):
        _download(server, tmp_path)
    assert "dewiki-2026-11-01-p10p19.xml.bz2" not in _names(tmp_path)
    _download(server, tmp_path)
    assert len(read_record(tmp_path)) == 2


def test_two_downloads_do_not_share_a_folder(tmp_path: Path) -> None:
    """The second is refused while the first is at work, and not after it."""
    refused = pytest.raises(DownloadError, match="expected no other download to be at work")
    with only_download_in(tmp_path), refused, only_download_in(tmp_path):
        raise AssertionError("it was let in")
    with only_download_in(tmp_path):
        handle = os.open(tmp_path / ".download.lock", os.O_RDWR)
        with pytest.raises(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(handle)


def test_what_blocks_within_a_download_is_no_other_download(tmp_path: Path) -> None:
    """A BlockingIOError of the download itself, as of a pipe that is full, is raised as it is."""
    with pytest.raises(BlockingIOError, match="full"), only_download_in(tmp_path):
        raise BlockingIOError("the pipe is full")


def test_a_record_that_is_none_is_named(tmp_path: Path) -> None:
    """Nothing is overwritten that wikisem did not write."""
    (tmp_path / RECORD).write_text("[]")
    with pytest.raises(DamagedInputError, match=r"downloads.json: expected a record of downloads"):
        read_record(tmp_path)


def test_a_file_says_where_it_came_from(server: Server, tmp_path: Path) -> None:
    """Unless it is another file by now, or was never downloaded."""
    _download(server, tmp_path)
    origin = origin_of(tmp_path / NAME, len(BODY))
    assert (origin["url"], origin["date"]) == (server.url + _path(server), "2026-11-01")
    assert origin_of(tmp_path / NAME, len(BODY) - 1) == {}
    assert origin_of(tmp_path / "other.xml", 1) == {}
    assert origin_of(tmp_path / "nowhere" / NAME, len(BODY)) == {}


@pytest.mark.parametrize("version", [b"\xff\xfe", b'"a\r\nHost: x"', b"", "é".encode()])
def test_a_version_that_no_header_can_hold_is_none(server: Server, tmp_path: Path, version: bytes) -> None:
    """The file beside a part may be damaged: then the part is fetched from its beginning."""
    (tmp_path / f"{NAME}.part").write_bytes(BODY[:1000])
    (tmp_path / f"{NAME}.part.version").write_bytes(version)
    _download(server, tmp_path)
    assert server.ranges(_path(server)) == [""]
    assert (tmp_path / NAME).read_bytes() == BODY


@pytest.mark.parametrize(
    "record", ["{", "[]", '{"files": []}', '{"files": {"a": 5}}', '{"files": {"a": {"size": []}}}', "\xff"]
)
def test_a_record_of_other_types_is_named(tmp_path: Path, record: str) -> None:
    """By what is wrong with it, and what to do."""
    (tmp_path / RECORD).write_text(record, encoding="latin-1")
    with pytest.raises(DamagedInputError, match=r"downloads\.json: expected a record of downloads, saw .*; remove it"):
        read_record(tmp_path)
