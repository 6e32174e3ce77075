"""Walls as JSON lines: sixteen words, four hidden groups of four, and why there is no second solution."""

from os import PathLike
from typing import Final

import msgspec
import orjson

from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.files import path_of
from wikisem.ids import check_language, check_qid
from wikisem.layout import walls_path
from wikisem.records import Herring, Member, Share, Tier, Wall, WallGroup
from wikisem.typed_json import decode_json

# A wall has four groups of four words.
SIDE: Final = 4
# So many words of a wall with herrings fit a second group, or more.
LEAST_HERRINGS: Final = 2


def encode_wall(wall: Wall) -> bytes:
    """A wall as one JSON line, newline included; UTF-8, keys always in the same order."""
    row = {
        "id": wall.id,
        "language": wall.language,
        "tier": wall.tier,
        "words": wall.words,
        "groups": [{"class": one.qid, "label": one.label, "members": one.members} for one in wall.groups],
        "herrings": wall.herrings,
        "order": wall.order,
        "margin": wall.margin,
    }
    return orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE)


def decode_wall(line: bytes | str, where: str = "wall") -> Wall:
    """The wall of a JSON line; DamagedInputError says what was expected, what was seen and where."""
    row = decode_json(line, _WallLine, where, "a JSON line of a wall")
    groups = tuple(WallGroup(one.class_, one.label, one.members) for one in row.groups)
    wall = Wall(row.id, row.language, row.tier, row.words, groups, row.herrings, row.order, row.margin)
    try:
        _check(wall)
    except ValueError as error:
        raise DamagedInputError(f"{where}: {error}") from error
    return wall


def read_walls(path: str | PathLike[str], language: str | None = None) -> list[Wall]:
    """The walls of a .jsonl file, or of all languages in the OUT of a run, in their order.

    ``language`` keeps those in one language. Raises MissingInputError if there is no such file or, with ``language``,
    if OUT has no walls for it. DamagedInputError names a line that is not a wall, or that has the id of an earlier one.
    """
    file = path_of(path)
    files = sorted(file.glob(walls_path(language or "*"))) if file.is_dir() else [file]
    if not files or not files[0].is_file():
        wanted = f"walls in {language}" if language else "walls"
        raise MissingInputError(f"expected {wanted} (a run's OUT or a .jsonl file), saw none at {file}")
    walls: dict[str, Wall] = {}
    for each in files:
        for number, line in enumerate(each.read_bytes().splitlines(), start=1):
            wall = decode_wall(line, f"{each}:{number}")
            if wall.id in walls:
                raise DamagedInputError(f"{each}:{number}: expected each id once, saw {wall.id!r} again")
            walls[wall.id] = wall
    return [wall for wall in walls.values() if language in {None, wall.language}]


class _GroupPart(msgspec.Struct):
    class_: str = msgspec.field(name="class")
    label: str
    members: tuple[str, ...]


class _WallLine(msgspec.Struct):
    id: str
    language: str
    tier: Tier
    words: tuple[Member, ...]
    groups: tuple[_GroupPart, ...]
    herrings: tuple[Herring, ...]
    order: tuple[str, ...]
    margin: Share | None = None


def _check(wall: Wall) -> None:
    """ValueError unless the groups divide the words, and the order leaves no second solution."""
    check_language(wall.language)
    items = [check_qid(word.id) for word in wall.words]
    classes = [check_qid(group.qid) for group in wall.groups]
    members = [member for group in wall.groups for member in group.members]
    _expect(len(set(items)) == len(items) == SIDE**2, f"{SIDE**2} items, each once", items)
    surfaces = [word.surface.casefold() for word in wall.words]
    _expect(len(set(surfaces)) == len(surfaces), "surface forms that differ, whatever their case", surfaces)
    _expect(len(set(classes)) == len(classes) == SIDE, f"{SIDE} classes, each once", classes)
    _expect([len(group.members) for group in wall.groups] == [SIDE] * SIDE, f"{SIDE} members in each group", members)
    _expect(sorted(members) == sorted(items), "groups with each word once", members)
    _expect(sorted(wall.order) == sorted(classes), "an order of the four classes", wall.order)
    own = {member: group.qid for group in wall.groups for member in group.members}
    herrings = [one.id for one in wall.herrings]
    _expect(len(set(herrings)) == len(herrings) and own.keys() >= set(herrings), "herrings among the words", herrings)
    enough = len(herrings) >= LEAST_HERRINGS if wall.tier == "herring" else not herrings
    _expect(enough, f"{LEAST_HERRINGS} herrings or more in the tier herring, and none in the others", herrings)
    for one in wall.herrings:
        later = wall.order[wall.order.index(own[one.id]) + 1 :]
        fits = 0 < len(one.fits) == len(set(one.fits)) == len(one.by) and set(one.fits) <= set(later)
        _expect(fits, f"{one.id} to fit classes that come after its own in the order", one.fits)


def _expect(holds: bool, expected: str, seen: object) -> None:
    if not holds:
        raise ValueError(f"expected {expected}, saw {seen}")
