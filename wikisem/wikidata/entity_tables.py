"""Wikidata as public Parquet tables, in place of the JSON dump: which files are read, and in which ranges of ids.

The layout is that of https://github.com/lmmx/wikidata-pq (cards of its data sets, 2026-11): one row a statement, a
label or a page, in ``claims/all``, ``labels/<language>`` and ``links/<site>``. Since each folder is sorted by id, the
statistics of a row group tell whether it has ids of a range; ``table_reader`` reads only the row groups that have.
"""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, cast

from wikisem.arrow.parquet import open_parquet
from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.files import for_each_file, list_files, open_binary
from wikisem.wikidata.line_types import DESCRIBED, Fields, is_wikipedia
from wikisem.wikis import WIKIPEDIAS, date_in_name

Kind = Literal["claims", "labels", "links", "entities", "aliases", "descriptions"]
# What is read of each table, beside the id; those of entities, aliases and descriptions may be missing.
_COLUMNS: Final[Mapping[Kind, tuple[str, ...]]] = {
    "claims": ("property", "rank", "datatype", "datavalue"),
    "labels": ("value",),
    "links": ("title",),
    "entities": ("lastrevid",),
    "aliases": ("value",),
    "descriptions": ("value",),
}
KINDS: Final = tuple(_COLUMNS)
# Tables that are there too, and are not read.
_NOT_READ: Final = frozenset({"claims_labels"})
_PART: Final = re.compile(r"part-(\d+)-of-(\d+)\.parquet")


class RowGroup(NamedTuple):
    """A row group: the least and the greatest id in it, where its rows begin, how many they are, and their bytes."""

    least: str
    greatest: str
    begin: int
    rows: int
    size: int


@dataclass(frozen=True, slots=True)
class TableFile:
    """A Parquet file of a table: ``folder`` is that of the table, ``key`` a language, a site or "all".

    Once it is opened, it has its row groups and the names of its columns.
    """

    path: str
    folder: str
    kind: Kind
    key: str
    groups: tuple[RowGroup, ...] = ()
    columns: frozenset[str] = frozenset()

    @property
    def series(self) -> str:
        """The folder of the files that are sorted together."""
        return self.path.rpartition("/")[0]


def find_table_files(folder: str) -> list[TableFile]:
    """Return the files of tables in a folder, or at a URL, at any depth; none if it is a file.

    The names of its folders say which table a file is a part of: data/wikidata-links/dewiki/part-0-of-2.parquet has
    links to dewiki. DamagedInputError if there are Parquet files, but none of these tables.
    """
    if list_files(folder):
        return []
    paths = [path for path in list_files(f"{folder.rstrip('/')}/**.parquet") if "/." not in path[len(folder) :]]
    found = list[TableFile]()
    for path in paths:
        *above, key, _ = path.split("/")
        for depth in range(len(above), 0, -1):
            # The folder is called wikidata-labels, wikidata-scholar-links, wikidata-claims@20260928 or similar.
            name = above[depth - 1].partition("@")[0]
            kind = "claims_labels" if name.endswith("claims_labels") else re.split("[-_]", name)[-1]
            if kind in _COLUMNS:
                found.append(TableFile(path, "/".join(above[:depth]), cast(Kind, kind), key.rpartition("=")[2]))
            if kind in _COLUMNS or kind in _NOT_READ:
                break
    if paths and not found:
        raise DamagedInputError(
            f"{folder}: expected folders of Parquet tables such as wikidata-claims/all, wikidata-labels/en and "
            f"wikidata-links/enwiki, saw {paths[0]}"
        )
    return found


Layout = Literal["release", "copy", "by language"]
LAYOUTS: Final[Mapping[Layout, str]] = {
    "release": "a release, made from a JSON dump",
    "copy": "the tables of 2026-05, made from a copy of the dump",
    "by language": "the tables of 2026-01, with statements by language",
}
# A range is large enough that few row groups belong to two, and small enough for the memory of a worker: a million
# statements with as many pages take 0.26 GB (2026-11).
_LEAST_RANGES: Final = 16
_SMALLEST_ROWS: Final = 1 << 18
_LARGEST_ROWS: Final = 1 << 21


@dataclass(frozen=True, slots=True)
class IdRange:
    """The ids from ``start`` on, in the order of strings, up to ``stop`` (not included; None for no end)."""

    start: str
    stop: str | None


@dataclass(frozen=True, slots=True)
class EntityTables:
    """Tables that are ready to be read: their layout, their files, and what people should know that they lack."""

    layout: Layout
    files: tuple[TableFile, ...]
    lacks: tuple[str, ...]

    def rows(self) -> dict[str, int]:
        """Return how many rows are read of each table."""
        found = Counter[str]()
        for file in self.files:
            found[file.kind] += sum(group.rows for group in file.groups)
        return dict(sorted(found.items()))

    def keys(self, kind: Kind) -> list[str]:
        """Return the languages of labels, or the sites of links."""
        return sorted({file.key for file in self.files if file.kind == kind})

    def ranges(self, rows: int = 0) -> list[IdRange]:
        """Cut all ids into ranges with about ``rows`` statements each, by default at least 16 for large tables."""
        # A range begins where a row group of claims begins, so that few row groups belong to two ranges.
        claims = [file for file in self.files if file.kind == "claims"]
        groups = sorted((group.least, group.rows) for file in claims for group in file.groups)
        total = sum(group_rows for _, group_rows in groups)
        rows_wanted = rows or min(max(total // _LEAST_RANGES, _SMALLEST_ROWS), _LARGEST_ROWS)
        starts, rows_seen = [""], 0
        for least, group_rows in groups:  # the least id in a row group, and how many rows it has
            if rows_seen >= rows_wanted and least > starts[-1]:
                starts.append(least)
                rows_seen = 0
            rows_seen += group_rows
        return [IdRange(start, stop) for start, stop in itertools.zip_longest(starts, starts[1:])]


def open_tables(found: Sequence[TableFile], fields: Fields) -> EntityTables:
    """Open the files that have these fields, labels and aliases only in their languages; check that they fit together.

    Only the ends of files are read. Raises MissingInputError if a table or a part of one is missing, UsageError for
    tables of different releases, DamagedInputError if columns are missing or rows are not sorted by id.
    """
    # Claims, labels and links must be there, aliases and descriptions only where they are read.
    labels = fields.label_codes
    is_read = {"aliases": fields.aliases, "descriptions": fields.signatures}
    found = [file for file in found if is_read.get(file.kind, True)]
    kinds = {file.kind for file in found}
    if missing := [kind for kind in ("claims", "labels", "links") if kind not in kinds]:
        raise MissingInputError(
            f"expected tables of claims, labels and links, saw {', '.join(sorted(kinds))} in "
            f"{', '.join(sorted({file.folder for file in found}))}; get wikidata-{missing[0]} as well"
        )
    _require_one_release(found)
    # The row groups and columns of the files in the languages that are read.
    of_languages = {"labels": labels, "aliases": labels, "descriptions": (DESCRIBED,)}
    languages_of = [(file, of_languages.get(file.kind)) for file in found]
    wanted = [file for file, languages in languages_of if languages is None or file.key in languages]
    opened = for_each_file(found[0].path, _open_file, wanted)
    opened.sort(key=lambda file: (file.kind, file.key, file.path))
    # The files in a folder are sorted together: no id of a row group may come before those of the one before.
    for _, series in itertools.groupby(opened, key=lambda file: file.series):
        groups = [(group, file.path) for file in series for group in file.groups]
        for (before, _), (after, path) in itertools.pairwise(groups):
            if after.least < before.greatest:
                raise unsorted(path, after.begin, before.greatest, after.least)
    # What people should know that the tables lack.
    layout = _layout_of(opened)
    missing = [kind for kind, asked in is_read.items() if asked and all(file.kind != kind for file in opened)]
    lacks = [*_lacking(found, layout, labels), *missing]
    return EntityTables(layout, tuple(opened), tuple(lacks))


def _layout_of(opened: Sequence[TableFile]) -> Layout:
    """Return the layout of the tables of claims (statements), which their columns tell; UsageError if they have two.

    It is "release" for tables made from a JSON dump, "copy" for those made from a copy of the dump, and "by language"
    for those of 2026-01 (LAYOUTS). Tables of links tell the first two apart as well, and have to be of the same one.
    """
    layouts: dict[Layout, TableFile] = {}
    for file in opened:
        if file.kind == "claims":
            # In tables by language, ``datavalue`` is one column of strings; in the others it has members.
            with_members: Layout = "release" if "snaktype" in file.columns else "copy"
            layouts["by language" if "datavalue" in file.columns else with_members] = file
    if len(layouts) > 1:
        seen = " and ".join(f"{file.path} of {LAYOUTS[layout]}" for layout, file in sorted(layouts.items()))
        raise UsageError(f"expected claims of one layout, saw {seen}")
    [layout] = layouts
    # Links of a release have a column of badges, those of a copy have none.
    badges = {any(name.startswith("badges") for name in file.columns) for file in opened if file.kind == "links"}
    if (layout == "copy" and True in badges) or (layout == "release" and badges == {False}):
        raise UsageError(
            f"expected claims and links of one release, saw claims of {LAYOUTS[layout]} and links "
            f"{'with' if True in badges else 'without'} badges"
        )
    return layout


def _require_one_release(found: Iterable[TableFile]) -> None:
    """Raise an error unless the files are of one release, none is there twice, and no part is missing."""
    # One release: the date in the names of the tables' folders.
    folders = {release_of(folder): folder for folder in {file.folder for file in found} if release_of(folder)}
    if len(folders) > 1:
        (date, folder), (other_date, other_folder) = sorted(folders.items())[:2]
        raise UsageError(f"expected tables of one release, saw {folder} of {date} and {other_folder} of {other_date}")
    # None twice: two downloads may have left the table of a language or site in two folders.
    series_of: dict[tuple[str, str], str] = {}
    for file in found:
        name = file.folder.rpartition("/")[2].partition("@")[0]
        if (other := series_of.setdefault((name, file.key), file.series)) != file.series:
            raise UsageError(f"expected one copy of {name}/{file.key}, saw {other} and {file.series}")
    # All parts, by their folder and how many they are: wikidata-links/enwiki/part-0-of-2.parquet is one of two.
    parts_seen: dict[tuple[str, int], set[int]] = {}
    for file in found:
        if part := _PART.fullmatch(file.path.rpartition("/")[2]):
            parts_seen.setdefault((file.series, int(part[2])), set()).add(int(part[1]))
    for (folder, number), parts in parts_seen.items():
        first = min(parts & {0, 1}, default=0)  # of i from 0 to n - 1, or from 1 to n
        if missing := set(range(first, first + number)) - parts:
            raise MissingInputError(f"{folder}: expected {number} parts, saw none with the number {min(missing)}")


def release_of(folder: str) -> str:
    """Return the date of a release in the name of a table's folder or of the one above it; empty without one.

    >>> release_of("hf://datasets/permutans/wikidata-claims@20260928"), release_of("20260507/wikidata-claims")
    ('2026-09-28', '2026-05-07')
    """
    *_, above, name = ["", *folder.split("/")]
    return date_in_name(name) or date_in_name(above)


def _open_file(file: TableFile) -> TableFile:
    """Return the file with its row groups and columns, read from its footer."""
    with open_binary(file.path) as source, open_parquet(source, file.path) as table:
        metadata = table.metadata
        columns = {metadata.schema.column(index).path: index for index in range(metadata.num_columns)}
        names = frozenset(path.partition(".")[0] for path in columns)
        expected = ("id", *columns_of(file, columns))
        if not names.issuperset(name.partition(".")[0] for name in expected):
            raise DamagedInputError(
                f"{file.path}: expected the columns {', '.join(expected)} of a table of {file.kind}, "
                f"saw {', '.join(sorted(names))}"
            )
        columns_read = [columns[name] for name in expected if name in columns]
        groups, begin = list[RowGroup](), 0
        for number in range(metadata.num_row_groups):
            group = metadata.row_group(number)
            statistics = group.column(columns["id"]).statistics
            if not group.num_rows:
                continue
            if statistics is None or not statistics.has_min_max:
                ids = "the least and the greatest id of each row group"
                raise DamagedInputError(f"{file.path}: expected {ids}, saw none of row group {number}")
            ends = statistics.min, statistics.max
            least, greatest = (end.decode() if isinstance(end, bytes) else end for end in ends)
            size = sum(group.column(column).total_compressed_size for column in columns_read)
            groups.append(RowGroup(least, greatest, begin, group.num_rows, size))
            begin += group.num_rows
        return replace(file, groups=tuple(groups), columns=frozenset(columns))


def columns_of(file: TableFile, columns: Iterable[str]) -> tuple[str, ...]:
    """Return the columns that are read of a file with these columns, beside the id."""
    if file.kind == "links" and not is_wikipedia(file.key):
        return ()  # such a page only counts
    nested = any(name.startswith("datavalue.") for name in columns)
    return tuple("datavalue.id" if nested and name == "datavalue" else name for name in _COLUMNS[file.kind])


def unsorted(path: str, row: int, before: str, seen: str) -> DamagedInputError:
    """Return the error for a row whose id comes before the one of an earlier row."""
    return DamagedInputError(
        f"{path}: expected rows in the order of their ids as strings, saw {seen} after {before} at row {row:,}; "
        "releases since 2026-09-30 are sorted"
    )


def _lacking(found: Sequence[TableFile], layout: Layout, labels: Sequence[str] | None) -> Iterator[str]:
    """Yield what the tables do not have that a dump has, a sentence each."""
    if not any("scholar" in file.folder.rpartition("/")[2] for file in found):
        yield "scholarly works such as articles and theses, which are in tables of their own (wikidata-scholar-*)"
    if all(file.kind != "entities" for file in found):
        yield "revisions of items (wikidata-entities)"
    if layout == "by language":
        yield "statements without a label in any language that is there"
    label_codes = {file.key for file in found if file.kind == "labels"}
    if missing := [code for code in labels or () if code not in label_codes]:
        yield f"labels in {', '.join(missing)}"
    sites = {file.key for file in found if file.kind == "links"}
    if missing := sorted(WIKIPEDIAS.keys() - sites):
        examples = ", ".join(missing[:3]) + (", ..." if len(missing) > 3 else "")
        yield f"pages of {len(missing)} of {len(WIKIPEDIAS)} Wikipedias ({examples}), so fewer sitelinks are counted"
    if all(map(is_wikipedia, sites)):
        yield "pages of wikis that are no Wikipedias, so fewer sitelinks are counted"
