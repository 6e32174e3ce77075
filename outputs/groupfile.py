"""The files of groups and rejections: JSON lines, Arrow tables, and formats with a file for each group."""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from wikisem.layout import group_leaves
from wikisem.records import Group, Rejection
from wikisem.typed_json import decode_json

# Groups as JSON lines and as tables.


def _arrow_type(kind: inspect.Type) -> pa.DataType:
    """The column that holds the values of a field of a record; numbers are as wide as their bounds ask for."""
    match kind:
        case inspect.UnionType():  # of a type and None
            return _arrow_type(kind.types[0])
        case inspect.StructType():
            return pa.struct([(each.encode_name, _arrow_type(each.type)) for each in kind.fields])
        case inspect.VarTupleType():
            return pa.list_(_arrow_type(kind.item_type))
        case inspect.IntType():
            most = kind.le if kind.lt is None else kind.lt - 1
            return next(width for width in (pa.int8(), pa.int32(), pa.int64()) if most < 1 << width.bit_width - 1)
        case inspect.FloatType():
            return pa.float64()
        case _:
            return pa.string()


# One row per group, with the names of the JSON lines.
GROUPS: Final = pa.schema([each for each in _arrow_type(inspect.type_info(Group)) if each.name != "where"])


def encode_group(group: Group) -> bytes:
    """Encode a group as one JSON line, newline included; UTF-8, keys always in the same order.

    Coherence, certificates, types, margins and ties are left out if they are None, so that without rules that ask for
    them the bytes are those from before there were such rules.
    """
    # No string of a line has a quotation mark after a comma: in strings, each has a backslash before it.
    line = msgspec.json.encode(group) + b"\n"
    for key in (b"type", b"certificate", b"margin", b"ties"):
        line = line.replace(b',"%b":null' % key, b"")
    return line


def decode_group(line: bytes | str, where: str = "group") -> Group:
    """Decode a group that wikisem made, whose members have all fields that it writes and whose ids are well formed.

    DamagedInputError says what was expected, what was seen and where.
    """
    group = decode_json(line, Group, where, "a JSON line of a group")
    members = list(group.members)
    lacking = (name for member in members for name in member.NEEDED if getattr(member, name) is None)
    if lack := "label" if not group.label else next(lacking, None):
        raise DamagedInputError(f"{where}: expected a JSON line of a group, saw Object missing required field `{lack}`")
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


# Rejections.


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
    files = _matching(data_set_path(path) / group_leaves(language or "*")[2])
    lines = (each for file in files for each in read_lines(file, (), "rejections", orjson.dumps))
    return [decode_rejection(line, place) for line, place in lines]


def _check_ids(qids: Sequence[str], language: str, where: str) -> None:
    try:
        check_language(language)
        for qid in qids:
            check_qid(qid)
    except ValueError as error:
        raise DamagedInputError(f"{where}: {error}") from error


# Formats with a file for each group, beside the JSON lines and the Parquet.


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
    """Yield the path below OUT and the bytes of every file of a language's groups in each format.

    The first has the outlier classes of all groups, which WikiSem500 text does not have.
    """
    classes = ((group.qid, [outlier.outlier_class for outlier in group.outliers]) for group in groups)
    yield f"wikisem500/{language}/{OUTLIER_CLASSES_FILE}", write_outlier_classes(classes)
    for group in groups:
        for name, text_of in FORMATS.items():
            yield f"{name}/{language}/{group.qid}.txt", text_of(group).encode()
