"""A few of the damages that ``python -m tests.damages`` makes in number."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.damages.kinds import KINDS, Whole
from tests.damages.mutations import MUTATIONS
from tests.damages.runs import damage
from tests.queries.sparql_server import Server, serve
from tests.queries.world import WORLD


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Dumps in every wrapping, and a build of them."""
    folder = tmp_path_factory.mktemp("whole")
    Whole(folder)
    return folder


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """An endpoint whose answers can be damaged."""
    with serve(WORLD) as running:
        yield running


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_input_ends_in_an_account_or_one_message(
    kind: str, whole: Path, server: Server, tmp_path: Path
) -> None:
    """No traceback, no hang; what was read is kept, left out or rejected."""
    for seed in (7, 8):
        outcome = damage(KINDS[kind], seed, whole, tmp_path / str(seed), server)
        assert outcome.faults == (), outcome


def test_every_way_to_damage_changes_the_bytes() -> None:
    """A way that left the file whole would show nothing."""
    data = bytes(range(256)) * 20
    for name, mutation in MUTATIONS.items():
        changed = [mutation(data, random.Random(seed)) for seed in range(5)]
        assert any(one != data for one in changed), name
