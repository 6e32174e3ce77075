"""The files of walls, as JSON lines and tables: sixteen words, four hidden groups, the order of the one solution."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Final

import msgspec
import orjson
import pyarrow as pa

from wikisem.datasets.files import data_set_path
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.ids import check_language, check_qid
from wikisem.layout import NOTES, walls_path
from wikisem.outputs.groupfile import GROUPS, files_of, read_lines
from wikisem.records import LEAST_HERRINGS, SIDE, Wall
from wikisem.typed_json import decode_json, packaged_tables

QUESTIONS: Final[Mapping[str, str]] = packaged_tables(__package__, "wall_questions.toml")


def encode_wall(wall: Wall) -> bytes:
    """Encode a wall as one JSON line, newline included; UTF-8, keys always in the same order."""
    # Words of walls have no coarse types.
    return msgspec.json.encode(wall).replace(b',"type":null', b"") + b"\n"


def decode_wall(line: bytes | str, where: str = "wall") -> Wall:
    """Decode a wall from a JSON line, whose groups divide its words, and whose order leaves no second solution.

    DamagedInputError says what was expected, what was seen and where.
    """
    wall = decode_json(line, Wall, where, "a JSON line of a wall")
    try:
        check_language(wall.language)
        items = [check_qid(word.id) for word in wall.words]
        classes = [check_qid(group.qid) for group in wall.groups]
    except ValueError as error:
        raise DamagedInputError(f"{where}: {error}") from error
    surfaces = [word.surface.casefold() for word in wall.words]
    members = [member for group in wall.groups for member in group.members]
    sizes = {len(group.members) for group in wall.groups}
    class_of = {member: group.qid for group in wall.groups for member in group.members}
    place_of = {qid: place for place, qid in enumerate(wall.order)}
    herrings = [herring.id for herring in wall.herrings]
    are_words = len(set(herrings)) == len(herrings) and class_of.keys() >= set(herrings)
    enough = len(herrings) >= LEAST_HERRINGS if wall.tier == "herring" else not herrings
    checks: list[tuple[bool, str, object]] = [
        (len(set(items)) == len(items) == SIDE**2, f"{SIDE**2} items, each once", items),
        (len(set(surfaces)) == len(surfaces), "surface forms that differ, whatever their case", surfaces),
        (len(set(classes)) == len(classes) == SIDE, f"{SIDE} classes, each once", classes),
        (sizes == {SIDE}, f"{SIDE} members in each group", members),
        (sorted(members) == sorted(items), "groups with each word once", members),
        (sorted(wall.order) == sorted(classes), "an order of the four classes", wall.order),
        (are_words, "herrings among the words", herrings),
        (enough, f"{LEAST_HERRINGS} herrings or more in the tier herring, and none in the others", herrings),
    ]
    for herring in wall.herrings:
        # A herring that is no word, and a class without a place, were expected otherwise above.
        later = wall.order[place_of.get(class_of.get(herring.id, ""), SIDE) + 1 :]
        once = 0 < len(herring.fits) == len(set(herring.fits)) == len(herring.by)
        fits = once and set(herring.fits) <= set(later)
        checks.append((fits, f"{herring.id} to fit classes that come after its own in the order", herring.fits))
    for holds, expected, seen in checks:
        if not holds:
            raise DamagedInputError(f"{where}: expected {expected}, saw {seen}")
    return wall


def prompt(words: Sequence[str], language: str) -> str:
    """What a model is asked, in the language or else in English: the question, then the words, one a line."""
    return f"{QUESTIONS.get(language, QUESTIONS['en'])}\n\n" + "\n".join(words)


# One row per wall. ``choices`` are the surface forms of ``words``, ``answer`` the index of each word's group in
# ``classes`` and ``labels``, ``herrings`` a row for each further class that a word fits; ``text`` is the prompt for a
# language model, ``target_text`` the right answer.
WALLS: Final = pa.schema(
    [
        *((name, pa.string()) for name in ("id", "language", "tier", "text", "target_text")),
        ("choices", pa.list_(pa.string())),
        ("answer", pa.list_(pa.int8())),
        ("classes", pa.list_(pa.string())),
        ("labels", pa.list_(pa.string())),
        ("words", GROUPS.field("cluster").type),
        ("herrings", pa.list_(pa.struct([(name, pa.string()) for name in ("id", "fits", "by")]))),
        ("order", pa.list_(pa.string())),
        ("margin", pa.float64()),
    ]
)


def walls_table(walls: Iterable[Wall]) -> pa.Table:
    """Build a table of schema ``WALLS``, a row for each wall, in the order given."""
    rows = []
    for wall in walls:
        number_of = {member: number for number, group in enumerate(wall.groups) for member in group.members}
        choices = [word.surface for word in wall.words]
        answer = [number_of[word.id] for word in wall.words]
        lines: list[list[str]] = [[] for _ in wall.groups]  # the words of each group
        for surface, number in zip(choices, answer, strict=True):
            lines[number].append(surface)
        herrings = []
        for herring in wall.herrings:
            for fits, by in zip(herring.fits, herring.by, strict=True):
                herrings.append({"id": herring.id, "fits": fits, "by": by})
        rows.append(
            {
                "id": wall.id,
                "language": wall.language,
                "tier": wall.tier,
                "text": prompt(choices, wall.language),
                "target_text": "\n".join(map(", ".join, lines)),
                "choices": choices,
                "answer": answer,
                "classes": [group.qid for group in wall.groups],
                "labels": [group.label for group in wall.groups],
                "words": msgspec.to_builtins(wall.words),
                "herrings": herrings,
                "order": wall.order,
                "margin": wall.margin,
            }
        )
    return pa.Table.from_pylist(rows, schema=WALLS)


def _line_of(row: Mapping[str, Any]) -> bytes:
    """Encode a row of ``WALLS`` as a JSON line, in which groups have their members and herrings all that they fit.

    The members of a group are in the order of ``words``; the row has one herring for each class that a word fits.
    """
    groups = [
        {
            "class": qid,
            "label": label,
            "members": [word["id"] for word, group in zip(row["words"], row["answer"], strict=True) if group == number],
        }
        for number, (qid, label) in enumerate(zip(row["classes"], row["labels"], strict=True))
    ]
    herrings: dict[str, dict[str, Any]] = {}
    for pair in row["herrings"]:
        herring = herrings.setdefault(pair["id"], {"id": pair["id"], "fits": [], "by": []})
        herring["fits"].append(pair["fits"])
        herring["by"].append(pair["by"])
    return orjson.dumps({**row, "groups": groups, "herrings": list(herrings.values())})


def read_walls(path: str | PathLike[str], language: str | None = None) -> list[Wall]:
    """Read the walls of a run's OUT, of a release, or of one .jsonl or .parquet file, in their order.

    ``language`` keeps those in one language. Raises MissingInputError if there are no walls, or none in the language,
    and DamagedInputError, with its line or row, for something that is not a wall, or has the id of another one.
    """
    lines = Path(walls_path(language or "*"))
    files = files_of(path, str(lines), str(lines.with_suffix(".parquet")))
    if not files:
        file = data_set_path(path)
        wanted = f"walls in {language}" if language else "walls"
        remedy = "run `wikisem walls OUT`"
        if is_release(file):
            remedy = "a release only has those of its run: run `wikisem build`, then `wikisem walls OUT`"
        raise MissingInputError(
            f"expected {wanted} (a run's OUT, a .jsonl or a .parquet file), saw none at {file}; {remedy}"
        )
    walls: dict[str, Wall] = {}
    for line, place in (each for file in files for each in read_lines(file, WALLS.names, "walls", _line_of)):
        wall = decode_wall(line, place)
        if wall.id in walls:
            raise DamagedInputError(f"{place}: expected each id once, saw {wall.id!r} again")
        walls[wall.id] = wall
    return [wall for wall in walls.values() if language in {None, wall.language}]


def is_release(folder: Path) -> bool:
    """Test whether a folder has groups without the records of a run, and so without the class graph that walls need."""
    return any((folder / "groups").glob("*")) and not any((folder / NOTES).glob("*"))


def wall_of_row(row: Mapping[str, Any], where: str) -> Wall:
    """Decode a wall from a row of ``WALLS``; DamagedInputError for any other row."""
    try:
        line = _line_of(row)
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedInputError(f"{where}: expected a row of a table of walls, saw {error!r}") from error
    return decode_wall(line, where)
