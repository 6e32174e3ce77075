"""A few of the damages that ``python -m tests.damages`` makes in number."""

import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.damages import flips
from tests.damages.kinds import KINDS, Whole
from tests.damages.mutations import MUTATIONS
from tests.damages.runs import _account, _faults, damage
from tests.queries.sparql_server import Server, serve
from tests.queries.world import WORLD

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """Dumps in every wrapping, and a build of them."""
    return Whole(tmp_path_factory.mktemp("whole"))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """An endpoint whose answers can be damaged."""
    with serve(WORLD) as running:
        yield running


@pytest.mark.parametrize("kind", KINDS)
def test_a_damaged_input_ends_in_an_account_or_one_message(
    kind: str, whole: Whole, server: Server, tmp_path: Path
) -> None:
    """No traceback, no hang; what was read is kept, left out or unreadable."""
    for seed in (7, 8):
        outcome = damage(KINDS[kind], seed, whole.folder, tmp_path / str(seed), server)
        assert outcome.faults == (), outcome


@pytest.mark.parametrize("kind", sorted(set(flips.KINDS) - {"profiles"}))
def test_a_bit_that_flips_in_a_finished_build_gives_no_other_groups_in_silence(
    kind: str, whole: Whole, tmp_path: Path
) -> None:
    """What a later stage reads is checked: it ends with a message, or the damaged unit is made again."""
    flip = flips.flip_bit(kind, 20000, whole, tmp_path)
    assert flip.same if flip.code == 0 else flip.code in (1, 2) and flip.message, flip


@pytest.fixture(scope="module")
def released(whole: Whole) -> Whole:
    """The same build with walls, and two releases."""
    flips.release(whole)
    return whole


@pytest.mark.parametrize("kind", flips.RELEASED)
def test_a_bit_that_flips_gives_no_other_release_in_silence(kind: str, released: Whole, tmp_path: Path) -> None:
    """Of a run or a release: what is released is as its records or its manifest list it, or there is a message."""
    for seed in range(4):
        flip = flips.flip_released(kind, seed, released, tmp_path / str(seed))
        assert flip.same if flip.code == 0 else flip.code in (1, 2) and flip.message, flip


@pytest.mark.parametrize("kind", flips.CHECKED)
def test_a_bit_that_flips_in_an_input_with_checksums_is_noticed(kind: str, whole: Whole, tmp_path: Path) -> None:
    """Wherever it is, the command ends with a message, or with the result of the whole input."""
    for seed in (1, 2, 3):
        flip = flips.flip_input(kind, seed, whole, tmp_path)
        assert flip.same if flip.code == 0 else flip.code == 1 and flip.message, flip


@pytest.mark.parametrize(
    ("code", "said", "fault"),
    [
        (1, "", "exit code 1 with 0 messages"),
        (1, "wikisem: a\nwikisem: b\n", "exit code 1 with 2 messages"),
        (0, "wikisem: a\n", "exit code 0 with 1 messages"),
        (1, "wikisem: a\nTraceback (most recent call last):\n", "a traceback"),
        (3, "", "exit code 3"),
    ],
)
def test_a_command_that_ends_badly_is_a_fault(code: int, said: str, fault: str) -> None:
    """What is looked at is what was said and the exit code."""
    messages = [line for line in said.splitlines() if line.startswith("wikisem: ")]
    assert list(_faults(code, said, messages)) == [fault]


def test_a_false_account_is_a_fault(tmp_path: Path) -> None:
    """A record that was read and is neither kept, left out nor unreadable was lost."""
    counts = {"in": 9, "kept": 5, "left_out": {"redirect": 2}, "unreadable": {"bad-page": 1}}
    (tmp_path / "manifest.json").write_text(json.dumps({"stages": {"mentions/en": counts}}))
    assert list(_account(tmp_path / "manifest.json")) == ["mentions/en: 9 in, 8 out"]


def test_every_way_to_damage_changes_the_bytes() -> None:
    """A way that left the file whole would show nothing."""
    data = b" ".join(str(number).encode() for number in range(1000))
    for name, mutation in MUTATIONS.items():
        changed = [mutation(data, random.Random(seed)) for seed in range(5)]
        assert any(one != data for one in changed), name
