"""The files of groups, rejections and walls: JSON lines, Arrow tables, and formats with a file for each group."""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from os import PathLike
from pathlib import Path
from typing import Any, Final

import msgspec
import orjson
import pyarrow as pa
import pyarrow.json
from msgspec import inspect

from wikisem.arrow.parquet import open_parquet
from wikisem.datasets.files import data_set_path
from wikisem.datasets.word_groups import OUTLIER_CLASSES_FILE, write_outlier_classes
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.ids import check_language, check_qid
from wikisem.layout import NOTES, group_leaves, walls_path
from wikisem.records import LEAST_HERRINGS, SIDE, Group, Rejection, Wall
from wikisem.typed_json import decode_json, packaged_tables


def _arrow_type(kind: inspect.Type) -> pa.DataType:
    """The Arrow type for a field of a record, by the type that msgspec has for it; integers as narrow as can be."""
    match kind:
        case inspect.UnionType():  # of a type and None
            return _arrow_type(kind.types[0])
        case inspect.StructType():
            return pa.struct([(each.encode_name, _arrow_type(each.type)) for each in kind.fields])
        case inspect.VarTupleType():
            return pa.list_(_arrow_type(kind.item_type))
        case inspect.IntType():
            most = kind.le if kind.lt is None else kind.lt - 1  # the highest value that the bounds allow
            return next(each for each in (pa.int8(), pa.int32(), pa.int64()) if most < 2 ** (each.bit_width - 1))
        case inspect.FloatType():
            return pa.float64()
        case _:
            return pa.string()


# One row per group, with the names of the JSON lines.
GROUPS: Final = pa.schema([each for each in _arrow_type(inspect.type_info(Group)) if each.name != "where"])


def encode_group(group: Group) -> bytes:
    """Encode a group as one JSON line, newline included; UTF-8, keys always in the same order.

    Types, certificates, margins and ties of words are left out if they are None, as ``Group`` leaves out its coherence:
    so without rules that ask for them the bytes are those from before there were such rules.
    """
    # Safe in the encoded line, because no string of it has ``,"``: JSON has a backslash before a quotation mark.
    line = msgspec.json.encode(group) + b"\n"
    for key in (b"type", b"certificate", b"margin", b"ties"):
        line = line.replace(b',"%b":null' % key, b"")
    return line


def decode_group(line: bytes | str, where: str = "group") -> Group:
    """Decode a group that wikisem made; DamagedInputError if a field that it writes is lacking or an id malformed."""
    group = decode_json(line, Group, where, "a JSON line of a group")
    members = list(group.members)
    absent = (name for member in members for name in member.NEEDED if getattr(member, name) is None)
    if lack := "label" if not group.label else next(absent, None):
        raise DamagedInputError(f"{where}: expected a JSON line of a group, saw Object missing required field `{lack}`")
    # The QIDs of the class and the words, of the class ``via`` which an outlier was found, and of statements about it.
    ids = [group.id, *(member.id for member in members), *(outlier.via for outlier in group.outliers)]
    ties = (tie for outlier in group.outliers for tie in outlier.ties or ())
    _check_ids([*ids, *(qid for tie in ties for qid in (tie.item, tie.value))], group.language, where)
    return group


def groups_table(lines: Iterable[bytes]) -> pa.Table:
    """Build a table of schema ``GROUPS`` from lines of ``encode_group``, one row per group, in the order given."""
    text = b"".join(lines)
    if not text:
        return GROUPS.empty_table()
    return pa.json.read_json(
        pa.BufferReader(text),
        read_options=pa.json.ReadOptions(use_threads=False, block_size=len(text)),
        parse_options=pa.json.ParseOptions(explicit_schema=GROUPS, unexpected_field_behavior="error"),
    )


def read_groups(path: str | PathLike[str], language: str | None = None) -> list[Group]:
    """Read the groups of a run's OUT, of a release, or of one .jsonl or .parquet file, in their order.

    ``language`` keeps those in one language. Raises MissingInputError if there are no groups, or none in the language,
    and DamagedInputError, with its line or row, for something that is not a group.
    """
    files = files_of(path, *group_leaves(language or "*")[:2])
    if not files:
        wanted = f"groups in {language}" if language else "groups"
        seen = f"saw none at {data_set_path(path)}"
        raise MissingInputError(f"expected {wanted} (a run's OUT, a .jsonl or a .parquet file), {seen}")
    lines = (each for file in files for each in read_lines(file, GROUPS.names, "groups", orjson.dumps))
    groups = [decode_group(line, place) for line, place in lines]
    return [group for group in groups if language in {None, group.language}]


def files_of(path: str | PathLike[str], lines: str, tables: str) -> list[Path]:
    """Find the files of a data set by the patterns of its lines or else, as a release has Parquet alone, its tables."""
    file = data_set_path(path)
    if file.is_dir():
        return _matching(file / lines) or _matching(file / tables)
    return [file] if file.is_file() else []


def _matching(path: Path) -> list[Path]:
    """List the files of a pattern; a plain path is looked up itself: a store may not yet list a new file."""
    if "*" in path.name:
        return sorted(path.parent.glob(path.name))
    return [path] if path.is_file() else []


def read_lines(
    file: Path, columns: Sequence[str], what: str, encode: Callable[[Any], bytes]
) -> Iterator[tuple[bytes, str]]:
    """Yield the JSON lines of a file, or its rows as ``encode`` makes lines of them, each with its place."""
    if file.suffix != ".parquet":
        for number, line in enumerate(file.read_bytes().splitlines(), start=1):
            yield line, f"{file}:{number}"
        return
    with file.open("rb") as source, open_parquet(source, str(file), f"a Parquet file of {what}") as table:
        # Unlike read_table, a ParquetFile may lack columns: a file from before one was added is read as well.
        rows = table.read(columns=columns).to_pylist()
    for number, row in enumerate(rows):
        place = f"{file}: row {number}"
        try:
            line = encode(row)
        except (KeyError, TypeError, ValueError) as error:  # a column that is not there, or of bytes or decimals
            raise DamagedInputError(f"{place}: expected a row of {what}, saw {error!r}") from error
        yield line, place


def encode_rejection(rejection: Rejection) -> bytes:
    """Encode a rejection as one JSON line, newline included."""
    return msgspec.json.encode(rejection) + b"\n"


def decode_rejection(line: bytes | str, where: str = "rejection") -> Rejection:
    """Decode a rejection from a JSON line; DamagedInputError says what was expected, what was seen and where."""
    rejection = decode_json(line, Rejection, where, "a JSON line of a rejection")
    _check_ids([rejection.qid], rejection.language, where)
    return rejection


def read_rejections(path: str | PathLike[str], language: str | None = None) -> list[Rejection]:
    """Read the classes without a group, in a language or in all, and the reasons, from a run's OUT or a release.

    Empty if there is no file of them. DamagedInputError names a line that is not a rejection.
    """
    _lines, _table, rejections = group_leaves(language or "*")
    files = _matching(data_set_path(path) / rejections)
    lines = (each for file in files for each in read_lines(file, (), "rejections", orjson.dumps))
    return [decode_rejection(line, place) for line, place in lines]


def _check_ids(qids: Sequence[str], language: str, where: str) -> None:
    try:
        check_language(language)
        for qid in qids:
            check_qid(qid)
    except ValueError as error:
        raise DamagedInputError(f"{where}: {error}") from error


def format_group(group: Group) -> str:
    """Write WikiSem500 text, as Blair et al. (2016, 3.2) released it: cluster lines, one blank line, outlier lines.

    Every line ends with a newline. Surfaces are in Unicode form NFC, with ``_`` for every run of white space.
    """
    cluster = [format_surface(member.surface) for member in group.cluster]
    outliers = [format_surface(outlier.surface) for outlier in group.outliers]
    return "\n".join([*cluster, "", *outliers, ""])


def format_surface(surface: str) -> str:
    """Write a surface form as one token: ``New_York`` for "New York"."""
    return "_".join(unicodedata.normalize("NFC", surface).split())


# Folder in OUT -> the text of a group's file. To add a format, write a function from a group to that text, and name it
# here: a build then writes ``OUT/<name>/<language>/<QID>.txt`` (docs/architecture.md shows one in full).
FORMATS: Final[Mapping[str, Callable[[Group], str]]] = {"wikisem500": format_group}


def group_folders(language: str) -> list[str]:
    """List the folders of a language below OUT, one for each format."""
    return [f"{name}/{language}" for name in FORMATS]


def group_files(language: str, groups: Sequence[Group]) -> Iterator[tuple[str, bytes]]:
    """Yield the path below OUT and the bytes of every file of a language's groups in each format."""
    # WikiSem500 text does not have the outlier classes: one file has those of all groups.
    classes = ((group.qid, [outlier.outlier_class for outlier in group.outliers]) for group in groups)
    yield f"wikisem500/{language}/{OUTLIER_CLASSES_FILE}", write_outlier_classes(classes)
    for group in groups:
        for name, text_of in FORMATS.items():
            yield f"{name}/{language}/{group.qid}.txt", text_of(group).encode()


# Walls: sixteen words, four hidden groups, the order of the one solution.

# By language; what has no walls does not read them.
questions: Final = cache(lambda: packaged_tables(__package__, "wall_questions.toml"))


def encode_wall(wall: Wall) -> bytes:
    """Encode a wall as one JSON line, newline included; UTF-8, keys always in the same order."""
    # Words of walls have no coarse types.
    return msgspec.json.encode(wall).replace(b',"type":null', b"") + b"\n"


def decode_wall(line: bytes | str, where: str = "wall") -> Wall:
    """Decode a wall, ``SIDE`` hidden groups of ``SIDE`` words each; check that its groups divide its words.

    Some words, the herrings, also fit other groups, but only groups later in ``wall.order``: solved in that order, each
    group has no other words left that fit, so there is one solution. DamagedInputError says what was seen and where.
    """
    wall = decode_json(line, Wall, where, "a JSON line of a wall")
    items, classes = [word.id for word in wall.words], [group.qid for group in wall.groups]
    _check_ids([*items, *classes], wall.language, where)
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
        # A herring that is no word, or a class that has no place in the order, has failed a check above.
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
    question = questions().get(language) or questions()["en"]
    return f"{question}\n\n" + "\n".join(words)


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
    """Build a table of schema ``WALLS``, a row for each wall, in the order given.

    A wall has sixteen words, which belong to four hidden groups of a class each.
    """
    rows = []
    for wall in walls:
        group_of = {member: number for number, group in enumerate(wall.groups) for member in group.members}
        choices = [word.surface for word in wall.words]
        answer = [group_of[word.id] for word in wall.words]
        answer_lines: list[list[str]] = [[] for _ in wall.groups]  # the words of each group
        for surface, number in zip(choices, answer, strict=True):
            answer_lines[number].append(surface)
        herrings = []  # words that fit other groups, too: for each word and such a group its class, and why it fits
        for herring in wall.herrings:
            for fits, by in zip(herring.fits, herring.by, strict=True):
                herrings.append({"id": herring.id, "fits": fits, "by": by})
        rows.append(
            {
                "id": wall.id,
                "language": wall.language,
                "tier": wall.tier,
                "text": prompt(choices, wall.language),
                "target_text": "\n".join(map(", ".join, answer_lines)),
                "choices": choices,
                "answer": answer,
                "classes": [group.qid for group in wall.groups],
                "labels": [group.label for group in wall.groups],
                "words": msgspec.to_builtins(wall.words),
                "herrings": herrings,
                "order": wall.order,  # the classes, as the groups can be solved one after the other
                "margin": wall.margin,  # the bound from which the likeness of a word to members makes it fit
            }
        )
    return pa.Table.from_pylist(rows, schema=WALLS)


def _line_of(row: Mapping[str, Any]) -> bytes:
    """Encode a row of a table of walls as the JSON line of that wall.

    The row has the number of each word's group in "answer", the line the QIDs of each group's words. The row has in
    "herrings" a struct for each pair of a word and another class that it fits, the line one for each such word.
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
        kinds = "a run's OUT, a .jsonl or a .parquet file"
        raise MissingInputError(f"expected {wanted} ({kinds}), saw none at {file}; {remedy}")
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
