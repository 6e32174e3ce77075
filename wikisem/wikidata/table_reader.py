"""The rows of public tables in a range of ids, joined by item into the lines that a dump would have.

The code that makes entities of the lines of a dump makes entities of these.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from wikisem import files
from wikisem.arrow.columns import Numbers
from wikisem.arrow.parquet import open_parquet
from wikisem.dumps import Opener
from wikisem.records import SHOWN
from wikisem.wikidata import entity_tables, line_types
from wikisem.wikidata.entity_columns import Certainty, EntityColumns, split_by_certainty
from wikisem.wikidata.entity_tables import EntityTables, IdRange, Kind, TableFile
from wikisem.wikidata.line_types import Claims, Line, LineStatement, is_wikipedia, item_number, property_number

# Items whose lines are made at a time.
_WINDOW: Final = 1 << 13
_IDS: Final = "^(Q[1-9][0-9]{0,17}|[PLM][1-9][0-9]*)$"
# What is neither an item nor a property.
_OTHERS: Final = {"L": "lexeme", "M": "mediainfo"}
_RANKS: Final = ("preferred", "normal", "deprecated")
# Types of values that have no text; all others but the monolingual one are strings.
_WITHOUT_TEXT: Final = "^(wikibase-.*|entity-schema|quantity|time|globe-coordinate)$"
# Columns of few values, which take a third of the memory as dictionaries.
_CODED: Final = ("property", "rank", "datatype")
_NAMING: Final[tuple[Kind, ...]] = ("labels", "links", "aliases", "descriptions")
_UNTITLED: Final = line_types.Sitelink("")
_Mask = npt.NDArray[np.bool_]


class TableReader(line_types.LineAccount):
    """Reads ranges of ids into tables of items; a row that cannot be read is noted as such, and its item goes on."""

    def __init__(self, tables: EntityTables, fields: line_types.Fields, linked_only: bool, stage: str) -> None:
        super().__init__(stage)
        self._tables, self._fields, self._linked_only = tables, fields, linked_only
        self._properties_read, self._asked = fields.claims, frozenset(fields.properties)

    def read(self, range_: IdRange, open_binary: Opener = files.open_binary) -> Iterator[tuple[Certainty, pa.Table]]:
        """Yield the items of a range of ids, as ``split_by_certainty`` does; DamagedInputError for a damaged file."""
        # The rows of all tables, grouped by the ids that any of them has.
        tables_of: dict[Kind, list[pa.Table]] = {kind: [] for kind in entity_tables.KINDS}
        for file in self._tables.files:
            tables_of[file.kind] += self._read_file(file, range_, open_binary)
        chunks = [chunk for parts in tables_of.values() for table in parts for chunk in table["id"].chunks]
        ids = pc.unique(pa.chunked_array(chunks, pa.string())).sort()
        del chunks
        rows = {kind: _Rows.of(tables_of.pop(kind), ids) for kind in entity_tables.KINDS}
        claims, links = rows["claims"], rows["links"]
        # The rows of claims that become objects: statements asked for, and of items with a sitelink all about items.
        is_wanted = claims.is_in("property", self._properties_read)
        if self._fields.relations:
            has_sitelink = np.repeat(np.diff(links.borders) > 0, np.diff(claims.borders))  # by row of claims
            is_wanted |= has_sitelink & claims.is_in("datatype", {"wikibase-item", None})
        # A border becomes the number of wanted rows in front of it.
        wanted_borders = np.concatenate([[0], np.cumsum(is_wanted)])[claims.borders]
        mask = pa.array(is_wanted)
        statements = _Rows(wanted_borders, {name: column.filter(mask) for name, column in claims.columns.items()})
        # A window of items at a time, since objects take more memory than columns.
        for begin in range(0, len(ids), _WINDOW):
            columns = EntityColumns(replace(self._fields, labels=None))  # no other labels are read
            window = ids[begin : begin + _WINDOW].to_pylist()
            columns.extend(list(self._join(window, rows, statements, begin)))
            yield from split_by_certainty(columns.table(), self._linked_only)

    def _join(self, ids: Sequence[str], rows: "Mapping[Kind, _Rows]", wanted: "_Rows", begin: int) -> Iterator[Line]:
        """Yield the items among ``ids`` as lines of a dump; count other entities as left out, and keep property labels.

        ``ids`` are some of the sorted ids of a range, from position ``begin`` on. By position, ``rows`` has the rows of
        each table, and ``wanted`` those of claims that become statements; of other claims only the property is read.
        """
        # Each function gives the rows of ``ids[index]`` as tuples: of labels, for example, (language, text).
        stop = begin + len(ids)
        labels, links, aliases, descriptions = (rows[kind].window(begin, stop, "key", "value") for kind in _NAMING)
        revisions = rows["entities"].window(begin, stop, "lastrevid")
        properties = rows["claims"].window(begin, stop, "property")
        statements = wanted.window(begin, stop, "property", "rank", "item", "text", "language")
        for index, identifier in enumerate(ids):
            names = {code: line_types.Label(text) for code, text in labels(index)}
            revision = max((number for (number,) in revisions(index)), default=0)
            if not item_number(identifier):  # another entity
                if number := property_number(identifier):
                    texts = {code: label.value for code, label in names.items()}
                    self.properties.append(line_types.PropertyLine("property", number, revision, texts))
                self.left_out[_OTHERS.get(identifier[0], "property")] += 1
                continue
            # Sitelinks, whose titles are read of Wikipedias alone, and statements by property.
            sites = {site: line_types.Sitelink(title) if title else _UNTITLED for site, title in links(index)}
            statements_of: dict[str, list[LineStatement] | None] = {}
            for name, rank, item, text, language in statements(index):
                value = line_types.Value(item or "", text=text or "", language=language or "")
                snak = line_types.Snak("value", line_types.DataValue(value) if item or text else None)
                statement = LineStatement(snak, rank or "normal")
                statements_of.setdefault(name, []).append(statement)  # type: ignore[union-attr]
            # All properties, for the signature, which only items with a sitelink have.
            all_properties = list(dict.fromkeys(name for (name,) in properties(index))) if sites else ()
            other_names: dict[str, list[line_types.Label]] = {}
            for code, text in aliases(index):
                other_names.setdefault(code, []).append(line_types.Label(text))
            description = next((line_types.Label(text) for _, text in descriptions(index)), None)
            yield Line(
                id=identifier,
                type="item",
                lastrevid=revision,
                sitelinks=sites,
                labels=names,
                claims=Claims(statements_of, properties=all_properties),
                aliases=other_names,
                descriptions=line_types.Descriptions(description),
            )

    def _read_file(self, file: TableFile, range_: IdRange, open_binary: Opener) -> Iterator[pa.Table]:
        """Yield the rows of a file that can be read and have ids in the range, a table for each row group with any."""
        # The row groups that may have ids of the range, by their least and greatest ids.
        start, stop = range_.start, range_.stop
        before_stop = [number for number, group in enumerate(file.groups) if stop is None or group.least < stop]
        numbers = [number for number in before_stop if file.groups[number].greatest >= start]
        if not numbers:
            return
        with open_binary(file.path) as source, open_parquet(source, file.path) as parquet:
            # ``file.groups`` are those with rows.
            filled = [index for index in range(parquet.num_row_groups) if parquet.metadata.row_group(index).num_rows]
            for number in numbers:
                # ``read`` returns those of the named columns that the file has; ``struct.member`` names a member.
                group, read = file.groups[number], partial(parquet.read_row_group, filled[number], use_threads=False)
                # The rows with an id: ids ascend. Others are rejected once, by the range in which their group begins.
                ids = _strings(read(["id"])["id"])
                with_id, known = np.flatnonzero(ids.is_valid().to_numpy(zero_copy_only=False)), ids.drop_null()
                for empty in np.delete(np.arange(len(ids)), with_id) if start <= group.least else ():
                    self.reject("bad-id", f"{file.path}: row {group.begin + int(empty):,}", "expected an id, saw none")
                ascends = pc.less_equal(known[:-1], known[1:])
                if ascends.false_count:
                    before = ascends.index(False).as_py()
                    row = group.begin + int(with_id[before + 1])
                    raise entity_tables.unsorted(file.path, row, known[before].as_py(), known[before + 1].as_py())
                # The rows in the range, found by counting the ids before its start and stop.
                first_row = pc.less(known, start).true_count
                rows = with_id[first_row : len(known) if stop is None else pc.less(known, stop).true_count]
                if not len(rows):
                    continue
                # The columns of the row group, the same for every layout of the tables.
                if file.kind == "entities":
                    revisions = pc.fill_null(read(["lastrevid"])["lastrevid"].cast(pa.int64()), 0)
                    found = pa.table({"lastrevid": revisions})
                elif file.kind == "claims":
                    found = _plain_claims(file.columns, read, self._asked)
                else:
                    names = entity_tables.columns_of(file, file.columns)
                    values = _strings(read(list(names))[names[0]]) if names else pa.nulls(group.rows, pa.string())
                    keys = pa.DictionaryArray.from_arrays(np.zeros(group.rows, np.int32), pa.array([file.key]))
                    found = pa.table({"key": keys, "value": values})
                found = found.append_column("id", ids)
                are_adjacent = int(rows[-1]) - int(rows[0]) + 1 == len(rows)  # then they need no copy
                found = found.slice(int(rows[0]), len(rows)) if are_adjacent else found.take(pa.array(rows))
                yield self._drop_unreadable(found, file, rows + group.begin)

    def _drop_unreadable(self, rows: pa.Table, file: TableFile, row_numbers: Numbers) -> pa.Table:
        """Return the rows that can be read, columns of few values as dictionaries; reject the others by number."""
        # The checks of a row: the reason to reject it, what is expected, in which column, and the rows that pass.
        checks: list[tuple[str, str, str, pa.ChunkedArray]] = []
        if not pc.all(pc.match_substring_regex(rows["id"].unique(), _IDS)).as_py():  # of few ids, not of many rows
            checks.append(("bad-id", "an id such as Q28640", "id", pc.match_substring_regex(rows["id"], _IDS)))
        if file.kind == "claims":
            checks.append(("bad-claims", "a property", "property", rows["property"].is_valid()))
            has_rank = pc.or_(rows["rank"].is_null(), pc.is_in(rows["rank"], pa.array(_RANKS)))
            checks.append(("bad-claims", f"a rank of {', '.join(_RANKS)}", "rank", has_rank))
        elif file.kind == "entities":
            checks.append(("bad-lastrevid", "a revision number", "lastrevid", pc.greater_equal(rows["lastrevid"], 0)))
        elif file.kind in ("labels", "aliases", "descriptions"):
            expected = {"labels": "a label", "aliases": "an alias", "descriptions": "a description"}[file.kind]
            checks.append((f"bad-{file.kind}", expected, "value", rows["value"].is_valid()))
        elif is_wikipedia(file.key):
            checks.append(("bad-sitelinks", "the title of a page", "value", rows["value"].is_valid()))
        sound = np.ones(len(rows), np.bool_)
        for reason, expected, column, found in checks:
            passes = pc.fill_null(found, False).to_numpy()
            for row in np.flatnonzero(sound & ~passes):
                seen = rows[column][int(row)].as_py()
                saw = "none" if seen is None else repr(str(seen)[:SHOWN])
                self.reject(reason, f"{file.path}: row {row_numbers[row]:,}", f"expected {expected}, saw {saw}")
            sound &= passes
        rows = rows if sound.all() else rows.filter(pa.array(sound))
        for index, name in enumerate(rows.column_names):
            if name in _CODED:
                rows = rows.set_column(index, name, rows[name].dictionary_encode())
        return rows


def _plain_claims(names: frozenset[str], read: Callable[..., pa.Table], asked: frozenset[str]) -> pa.Table:
    """Return property, rank, datatype, item, text and language of each statement; ``names`` are the file's columns.

    The value of a statement is in members of the column ``datavalue``, such as ``datavalue.id`` and ``datavalue.text``;
    in the tables by language, ``datavalue`` has strings itself. Text and language are read only of rows with a property
    that is asked for and a type of value that has text.
    """

    def values(table: pa.Table, member: str) -> pa.Array:  # of ``datavalue``; nulls where the file has no such member
        if f"datavalue.{member}" not in names:
            return pa.nulls(len(table), pa.string())
        return _strings(pc.struct_field(table["datavalue"], member))

    # The item: the id in its member, or the string of a type of entity.
    has_members = "datavalue" not in names
    table = read(["property", "rank", "datatype", "datavalue.id" if has_members else "datavalue"])
    plain = {name: _strings(table[name]) for name in ("property", "rank", "datatype")}
    types = plain["datatype"]
    text = language = pa.nulls(len(table), pa.string())
    if has_members:
        item = values(table, "id")
    else:
        text = _strings(table["datavalue"])
        item = pc.if_else(pc.starts_with(types, "wikibase-"), text, None)
    # The rows whose text and language are read.
    is_asked = pc.is_in(plain["property"], pa.array(sorted(asked), pa.string()))
    has_type_with_text = pc.invert(pc.fill_null(pc.match_substring_regex(types, _WITHOUT_TEXT), False))
    has_text = pc.and_(pc.and_(is_asked, item.is_null()), has_type_with_text)
    if pc.any(has_text).as_py():
        if has_members:
            # Strings, of which identifiers are most of the bytes of this table, are read only if one is asked for.
            are_strings = pc.and_(has_text, pc.fill_null(pc.not_equal(types, "monolingualtext"), True))
            reads_strings = pc.any(are_strings).as_py()
            members = ("text", "language", *(("datavalue__string",) if reads_strings else ()))
            found = read([f"datavalue.{member}" for member in members])
            text, language = values(found, "text"), values(found, "language")
            if reads_strings:
                text = pc.coalesce(text, values(found, "datavalue__string"))
        elif "mlt-language" in names:
            language = _strings(read(["mlt-language"])["mlt-language"])
    text, language = pc.if_else(has_text, text, None), pc.if_else(has_text, language, None)
    return pa.table({**plain, "item": item, "text": text, "language": language})


def _strings(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Return a column of strings of any type as one array."""
    found = column.cast(pa.string())
    return found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found


class _Rows(NamedTuple):
    """The rows of a table in a range, by item: those of item i are ``borders[i]`` to ``borders[i + 1]``."""

    borders: Numbers
    columns: Mapping[str, pa.Array]

    @classmethod
    def of(cls, tables: list[pa.Table], ids: pa.Array) -> "_Rows":
        """Group rows by id: ``ids[i]`` has those from ``borders[i]`` to ``borders[i + 1]``. This empties ``tables``."""
        if not tables:
            return cls(np.zeros(len(ids) + 1, np.int64), {})
        table = pa.concat_tables(tables)
        tables.clear()
        # The place of the id of each row among ``ids``.
        places, table = pc.index_in(table["id"], value_set=ids).to_numpy(), table.drop_columns("id")
        if (np.diff(places) < 0).any():  # files of several languages, sites or folders, each sorted by id
            order = np.argsort(places, kind="stable")
            table, places = table.take(pa.array(order)), places[order]
        borders = np.searchsorted(places, np.arange(len(ids) + 1))
        columns = {name: table[name].unify_dictionaries().combine_chunks() for name in table.column_names}
        return cls(borders, columns)

    def is_in(self, name: str, values: Collection[str | None]) -> _Mask:
        """Return in which rows a dictionary-encoded column has one of some values; None is no value."""
        if name not in self.columns:
            return np.zeros(0, np.bool_)
        column = self.columns[name]
        known = np.array([value in values for value in [*column.dictionary.to_pylist(), None]])
        return known[column.indices.fill_null(len(known) - 1).to_numpy()]

    def window(self, begin: int, stop: int, *names: str) -> Callable[[int], Iterable[tuple[Any, ...]]]:
        """Return a function that gives the rows of item ``begin + index`` for an ``index``, each a tuple of its values.

        The values are those of columns ``names``, turned into Python objects at once for items ``begin`` to ``stop``. A
        table has all of the columns, or neither columns nor rows.
        """
        first, last = int(self.borders[begin]), int(self.borders[stop])
        # The rows of an item are between two borders, counted from the first row of the window.
        borders = (self.borders[begin : stop + 1] - first).tolist()
        lists: list[list[Any]] = []
        for name in names:
            column = self.columns[name][first:last] if name in self.columns else pa.array([])
            if isinstance(column, pa.DictionaryArray):  # equal values become one object
                values = np.array([*column.dictionary.to_pylist(), None], object)
                lists.append(values[column.indices.fill_null(len(values) - 1).to_numpy()].tolist())
            else:
                lists.append(column.to_numpy(zero_copy_only=False).tolist())
        return lambda index: zip(*(values[borders[index] : borders[index + 1]] for values in lists), strict=True)
