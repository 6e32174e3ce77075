"""Many files in one place: all of them, or the first error."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from wikisem import files
from wikisem.files import for_each_file


@pytest.mark.parametrize("place", ["/data/out", "gs://bucket/out"])
def test_every_file_has_its_turn(place: str) -> None:
    """Once, on this machine in their order."""
    seen: list[int] = []
    for_each_file(place, seen.append, range(100))
    assert sorted(seen) == list(range(100))
    assert seen == sorted(seen) or "://" in place


@pytest.mark.parametrize("place", ["/data/out", "gs://bucket/out"])
def test_the_first_error_ends_it(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is raised as it is, and files that have not begun are left alone."""
    seen: list[int] = []
    ended = threading.Event()
    shutdown = ThreadPoolExecutor.shutdown

    def end(pool: ThreadPoolExecutor, *, cancel_futures: bool) -> None:
        shutdown(pool, wait=False, cancel_futures=cancel_futures)
        ended.set()
        shutdown(pool)

    def act(number: int) -> None:
        if number == 3:
            raise OSError("no space left")
        if number > 3 and "://" in place:
            ended.wait()  # however late the error is noticed, no thread can have done more meanwhile
        seen.append(number)

    monkeypatch.setattr(ThreadPoolExecutor, "shutdown", end)
    with pytest.raises(OSError, match="no space left"):
        for_each_file(place, act, range(1000))
    assert sorted(seen)[:3] == [0, 1, 2]
    assert len(seen) <= (3 + files._THREADS if "://" in place else 3)


def test_a_store_is_written_to_by_several_at_once() -> None:
    """Four that wait for each other all come through."""
    together = threading.Barrier(4, timeout=300)
    for_each_file("s3://bucket/out", lambda _: together.wait(), range(4))
    assert not together.broken
