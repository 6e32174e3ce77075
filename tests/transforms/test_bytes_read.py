"""Bytes read: what all processes of a run read is summed, and nobody waits for anybody."""

import os
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apache_beam as beam
import pytest

from wikisem.transforms.io import counts
from wikisem.transforms.io.counts import BytesRead, open_counted, report_bytes_to
from wikisem.transforms.io.runtime import Runtime

SIZE = 10_000_019


@pytest.fixture
def big_file(tmp_path: Path) -> Path:
    """A file of several steps, and some bytes more."""
    path = tmp_path / "big"
    path.write_bytes(bytes(SIZE))
    return path


@contextmanager
def count_here() -> Iterator[BytesRead]:
    """While inside, count what this process reads, as a pipeline in it does."""
    with closing(BytesRead()) as count:
        report_bytes_to(count.writer)
        yield count
        report_bytes_to(-1)


def _read(path: str) -> int:
    with open_counted(path) as source:
        return sum(len(block) for block in iter(lambda: source.read(1 << 20), b""))


def test_bytes_are_known_while_a_file_is_read_and_exact_at_its_end(big_file: Path) -> None:
    """One file is a single part, which may take hours."""
    with count_here() as count:
        with open_counted(str(big_file)) as source:
            assert count.total() == 0
            source.read(1 << 22)
            assert count.total() == 1 << 22
            source.seek(5)
            assert source.read(7) == bytes(7)
        assert count.total() == (1 << 22) + 7


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_pipeline_shows_what_its_workers_read(big_file: Path, workers: int) -> None:
    """In this process and in others; each pipeline begins at 0."""
    seen: list[tuple[int, int]] = []

    @contextmanager
    def show(_: str, _done: object, _total: int, read: Callable[[], int], size: int, _more: object) -> Iterator[None]:
        yield
        seen.append((read(), size))

    def run(files: int) -> None:
        paths = beam.Create([str(big_file)] * files, reshuffle=False)
        with runtime.pipeline(label="reading", size=SIZE * files) as pipeline:
            _ = pipeline | paths | beam.Reshuffle() | beam.Map(_read)

    with Runtime(progress=show, workers=workers) as runtime:
        run(3)
        run(1)
    assert seen == [(3 * SIZE, 3 * SIZE), (SIZE, SIZE)]


def test_nobody_waits_when_nobody_looks(monkeypatch: pytest.MonkeyPatch, big_file: Path) -> None:
    """A full pipe keeps no reader waiting; what it could not tell it tells with what comes next."""
    monkeypatch.setattr(counts._Reporter.add, "__defaults__", (1,))
    with count_here() as count:
        with pytest.raises(BlockingIOError):
            while True:
                os.write(count.writer, bytes(8))
        assert _read(str(big_file)) == SIZE
        assert count.total() == 0
        assert _read(os.devnull) == 0
        assert count.total() == SIZE


def test_a_process_that_nobody_asked_tells_nothing(big_file: Path) -> None:
    """As a worker on another machine; nor is it told to who asks later."""
    assert counts._reporter.pipe == -1
    with open_counted(str(big_file)) as source:
        assert len(source.read()) == SIZE
    with count_here() as count:
        assert _read(os.devnull) == 0
        assert count.total() == 0
