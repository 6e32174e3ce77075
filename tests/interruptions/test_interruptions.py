"""A few of the interruptions that ``python -m tests.interruptions`` makes in number, of builds in one language."""

import sys
from pathlib import Path

import pytest

from tests.interruptions.kinds import KINDS
from tests.interruptions.runs import World, interrupt, make_world

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    """The dumps, and what a run leaves that nothing interrupts."""
    return make_world(tmp_path_factory.mktemp("world"), ("de",))


@pytest.mark.parametrize(("kind", "seed"), [(name, 0 if name == "worker" else 1 + at) for at, name in enumerate(KINDS)])
def test_an_interrupted_run_ends_and_is_resumed(world: World, kind: str, seed: int, tmp_path: Path) -> None:
    """Soon, with its exit code, one message and no process left; then the command ends with the same bytes as a run
    that nothing interrupted.
    """
    try:
        outcome = interrupt(world, KINDS[kind], seed, tmp_path / "run")
    except PermissionError as error:
        pytest.skip(f"no right to mount a disk: {error}")
    assert outcome.faults() == []
