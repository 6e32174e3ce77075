"""What the steps of the groups stage share: arrays that they open, labels and titles of items, finished groups."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.columns import MapLookup, distinct
from wikisem.arrow.parquet import read_batches, read_parquet, read_row_groups, write_parquet
from wikisem.files import list_files, replace_file
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import Flags, Int64s, Ints
from wikisem.graph.outlier_sets.class_lists import CandidateClasses, UnlinkedItems
from wikisem.graph.store import open_arrays
from wikisem.layout import GroupScratch, Scratch, group_leaves
from wikisem.outputs.groupfile import decode_group, encode_group, groups_table
from wikisem.records import Group, Member
from wikisem.sampling import hash_keys
from wikisem.surfaces.cleaning import compose, first_label, write_in
from wikisem.surfaces.table import COLUMNS, SurfaceTable
from wikisem.transforms.io.counts import read_json
from wikisem.wikipedia.variants import variant_of
from wikisem.wikis import label_codes, name_codes, wiki_of

# What the steps open of each other's files: arrays are mapped into memory, not read.


def open_graph(taxonomy: str) -> ClassGraph:
    """The class graph in a folder."""
    return open_arrays(ClassGraph, taxonomy)


def open_surfaces(scratch: GroupScratch, language: str) -> SurfaceTable:
    """The surface forms of a language that its groups may need."""
    return open_arrays(SurfaceTable, scratch.surfaces(language))


def open_candidates(scratch: GroupScratch, language: str) -> CandidateClasses:
    """The candidate classes of a language; their leading instances are rows of its surface forms."""
    return open_arrays(CandidateClasses, scratch.candidates(language))


def all_candidates(scratch: GroupScratch, languages: Sequence[str]) -> Ints:
    """The nodes that are candidate classes in any language, ascending."""
    nodes: Ints = distinct(np.concatenate([open_candidates(scratch, language).nodes for language in languages]))
    return nodes


def read_unlinked(graph: ClassGraph, paths: Iterable[str]) -> UnlinkedItems:
    """The counts of unlinked items in some files."""
    return UnlinkedItems.join([UnlinkedItems.of_table(graph, read_parquet(path)) for path in paths])


# The files of a language that people load.


def write_groups(folder: str, language: str, groups: Sequence[bytes], rejected: Iterable[bytes]) -> None:
    """Write lines of ``encode_group`` and of ``encode_rejection``, in the order given."""
    lines, table, rejections = (f"{folder}/{path}" for path in group_leaves(language))
    write_lines(lines, groups)
    write_parquet(table, groups_table(groups))
    write_lines(rejections, rejected)


def read_members(surfaces: Iterable[str], graph: ClassGraph, items: Collection[str]) -> dict[str, Member]:
    """Items of the graph under their surface forms in a language, from the files of these, with titles."""
    wanted = pa.array(sorted(items), pa.string())
    found: dict[str, Member] = {}
    for path in surfaces if items else ():
        for table in read_row_groups(path, [*COLUMNS, "title"]):
            rows = table.filter(pc.is_in(table["qid"], value_set=wanted)).combine_chunks()
            members = SurfaceTable.of_table(rows, graph)
            every = zip(members.members(np.arange(len(members))), rows["title"].to_pylist(), strict=True)
            found |= {one.id: replace(one, title=title) for one, title in every}
    return found


def add_titles(lines: Sequence[bytes], surfaces: Iterable[str]) -> list[bytes]:
    """Lines of ``encode_group`` with the titles of the items' pages, from the files of the language's surface forms."""
    groups = [decode_group(line) for line in lines]
    wanted = pa.array(sorted({one.id for group in groups for one in (*group.cluster, *group.outliers)}), pa.string())
    titles: dict[str, str] = {}
    for path in surfaces if groups else ():
        for table in read_row_groups(path, ["qid", "title"]):
            found = table.filter(pc.is_in(table["qid"], value_set=wanted))
            titles.update(zip(found["qid"].to_pylist(), found["title"].to_pylist(), strict=True))
    return [encode_group(_titled(group, titles)) for group in groups]


def _titled(group: Group, titles: Mapping[str, str]) -> Group:
    cluster = tuple(replace(one, title=titles.get(one.id)) for one in group.cluster)
    outliers = tuple(replace(one, title=titles.get(one.id)) for one in group.outliers)
    return replace(group, cluster=cluster, outliers=outliers)


def write_lines(path: str, lines: Iterable[bytes]) -> None:
    """Write lines that end in newlines as one file."""
    replace_file(path, b"".join(lines))


# Labels of classes, and titles that show how list articles are named.

# ``english`` says of a label that it is English because the class has none in the language, nor in ``mul``.
LABELS = pa.schema([("number", pa.int64()), ("language", pa.string()), ("label", pa.string()), ("english", pa.bool_())])
TITLES = pa.schema([("number", pa.int64()), ("language", pa.string()), ("title", pa.string()), ("list", pa.bool_())])


class ClassLabels(NamedTuple):
    """The labels of classes by number, and the numbers of classes that only have an English one."""

    texts: Mapping[int, str]
    english: set[int]


def write_labels(
    path: str, entities: str, numbers: Int64s, is_class: Flags, languages: Sequence[str], variant: str = ""
) -> None:
    """Write the labels of the classes among the items of a file of entities, in the variant of their language."""
    tables = [LABELS.empty_table()]
    for rows, maps in _read_maps(entities, "labels", is_class):
        labels = MapLookup(maps)
        tables.extend(_labels(numbers[rows], labels, language, variant) for language in languages)
    write_parquet(path, pa.concat_tables(tables))


def write_titles(
    path: str, entities: str, numbers: Int64s, lists: Flags, every: int, languages: Sequence[str], variant: str = ""
) -> None:
    """Write the titles of the list articles among the items of a file of entities, and of one in ``every`` other."""
    # Not by the recipe's seed: which clusters are lists must not depend on it.
    shown = lists | (hash_keys(0, numbers) % np.uint64(every) == 0)
    tables = [TITLES.empty_table()]
    for rows, maps in _read_maps(entities, "titles", shown):
        titles = MapLookup(maps)
        tables.extend(_titles(numbers[rows], lists[rows], titles, language, variant) for language in languages)
    write_parquet(path, pa.concat_tables(tables))


def _read_maps(path: str, column: str, wanted: Flags) -> Iterator[tuple[Int64s, pa.MapArray]]:
    """The wanted rows of a column of maps, a batch at a time; a file without any is not read."""
    begin = 0
    for table in read_batches(path, [column]) if wanted.any() else ():
        rows = begin + np.flatnonzero(wanted[begin : begin + table.num_rows])
        yield rows, table[column].combine_chunks().take(pa.array(rows - begin))
        begin += table.num_rows


def _labels(numbers: Int64s, maps: MapLookup, language: str, variant: str) -> pa.Table:
    own = variant_of(variant, language)
    labels, found = first_label(maps, (*name_codes(language, own), "en"))
    codes = label_codes(language, own)
    if own:
        labels = pc.if_else(pc.is_in(found, value_set=pa.array(codes)), write_in(own, labels), labels)
    english = pc.and_(pc.equal(found, "en"), "en" not in codes)
    return _table([numbers, labels, english], language, LABELS)


def _titles(numbers: Int64s, lists: Flags, maps: MapLookup, language: str, variant: str) -> pa.Table:
    titles = write_in(variant_of(variant, language), compose(maps.lookup(wiki_of(language) or "")))
    return _table([numbers, titles, lists], language, TITLES)


def _table(columns: Sequence[Any], language: str, schema: pa.Schema) -> pa.Table:
    """The rows that have a string."""
    number, text, *more = columns
    rows = pa.table([number, pa.repeat(language, len(number)), text, *more], schema=schema)
    return rows.filter(text.is_valid())


def read_labels(scratch: GroupScratch, language: str) -> ClassLabels:
    """Labels in the language, else in ``mul``, else in English."""
    texts: dict[int, str] = {}
    english: set[int] = set()
    for path in list_files(scratch.labels()):
        table = read_parquet(path)
        own = table.filter(pc.equal(table["language"], language))
        texts.update(zip(own["number"].to_pylist(), own["label"].to_pylist(), strict=True))
        english.update(own.filter(own["english"])["number"].to_pylist())
    return ClassLabels(texts, english)


def english_labels(scratch: Scratch, language: str) -> list[str]:
    """The classes of a language's groups that only have an English label, once its groups are written."""
    found: list[str] = read_json(GroupScratch.of(scratch).english(language))
    return found
