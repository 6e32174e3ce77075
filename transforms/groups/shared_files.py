"""The files of the groups stage: those that its steps share, labels and titles of items, and finished groups."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.columns import MapLookup, distinct
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import Flags, Int64s, Ints
from wikisem.graph.outlier_sets.class_lists import CandidateClasses
from wikisem.graph.store import open_arrays
from wikisem.outputs.groupfile import decode_group, encode_group, groups_table
from wikisem.recipes.options import Recipe
from wikisem.records import Group
from wikisem.sampling import hash_keys
from wikisem.surfaces.cleaning import compose, first_label, write_in
from wikisem.surfaces.table import SurfaceTable
from wikisem.transforms.io.arrays import local_folder
from wikisem.transforms.io.counts import read_json
from wikisem.transforms.io.files import list_files, replace_file
from wikisem.transforms.io.parquet import read_batches, read_parquet, read_row_groups, write_parquet
from wikisem.transforms.io.runtime import Scratch
from wikisem.wikipedia.variants import variant_of
from wikisem.wikis import label_codes, name_codes, wiki_of

# Where the steps find what earlier steps wrote.


@dataclass(frozen=True)
class GroupFiles:
    """Where each step finds what earlier steps wrote, and the recipe; arrays are mapped into memory, not read.

    ``taxonomy`` is the folder of the class graph. ``mentions`` has the folder of each language whose wiki is known, and
    ``profiles`` the text of each profile file that was given or edited.
    """

    taxonomy: str
    mentions: Mapping[str, str]
    recipe: Recipe
    scratch: Scratch
    profiles: Mapping[str, str] = field(default_factory=dict)

    def graph(self) -> ClassGraph:
        """The class graph."""
        return open_arrays(ClassGraph, local_folder(self.taxonomy))

    def language(self, language: str) -> str:
        """The folder of a language's surface forms, candidate classes and ring."""
        return f"{self.scratch.parts}/languages/{language}"

    def surface_part(self, language: str, number: int) -> str:
        """The folder of one part of a language's surface forms."""
        return f"{self.language(language)}/parts/{number}"

    def affixes(self, language: str) -> str:
        """The file of the affixes of a language's surface forms, which is there if the recipe measures by them."""
        return f"{self.language(language)}/affixes.parquet"

    def surface_count(self, language: str) -> str:
        """The file that says how many surface forms a language has."""
        return f"{self.language(language)}/surface_count.json"

    def labels(self) -> str:
        """The folder of labels and titles."""
        return f"{self.scratch.parts}/labels"

    def statements(self, number: int) -> str:
        """The folder of the statements of one file of entities that may make a class."""
        return f"{self.scratch.parts}/statements/{number:05d}"

    def unlinked(self, number: int) -> str:
        """The folder of one part of the counts of unlinked items."""
        return f"{self.scratch.parts}/unlinked/{number:05d}"

    def outlier_index(self) -> str:
        """The folder of the outlier index."""
        return f"{self.scratch.parts}/outlier_index"

    def judged(self, kind: str, language: str, number: int) -> str:
        """The file of "groups", "rejected" or "english" that one slice of the candidate classes gave in a language."""
        return f"{self.scratch.parts}/judged/{kind}/{language}/{number:05d}.jsonl"

    def surfaces(self, language: str) -> SurfaceTable:
        """The surface forms of a language that its groups may need."""
        return open_arrays(SurfaceTable, local_folder(f"{self.language(language)}/surfaces"))

    def candidates(self, language: str) -> CandidateClasses:
        """The candidate classes of a language; their leading instances are rows of its surface forms."""
        return open_arrays(CandidateClasses, local_folder(f"{self.language(language)}/candidates"))

    def all_candidates(self, languages: Sequence[str]) -> Ints:
        """The nodes that are candidate classes in any language, ascending."""
        nodes: Ints = distinct(np.concatenate([self.candidates(language).nodes for language in languages]))
        return nodes


# The files of a language that people load.


def group_leaves(language: str) -> tuple[str, str, str]:
    """The paths of groups as lines, groups as Parquet, and rejections.

    >>> group_leaves("de")
    ('groups/de.jsonl', 'groups/de.parquet', 'rejected/de.jsonl')
    """
    return f"groups/{language}.jsonl", f"groups/{language}.parquet", f"rejected/{language}.jsonl"


def write_groups(folder: str, language: str, groups: Sequence[bytes], rejected: Iterable[bytes]) -> None:
    """Write lines of ``encode_group`` and of ``encode_rejection``, in the order given."""
    lines, table, rejections = (f"{folder}/{path}" for path in group_leaves(language))
    write_lines(lines, groups)
    write_parquet(table, groups_table(groups))
    write_lines(rejections, rejected)


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
    """The labels of classes by number, and the numbers of those that have an English label for want of another."""

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
    """The rows that have a text."""
    number, text, *more = columns
    rows = pa.table([number, pa.repeat(language, len(number)), text, *more], schema=schema)
    return rows.filter(text.is_valid())


def read_labels(files: GroupFiles, language: str) -> ClassLabels:
    """Labels in the language, else in ``mul``, else in English."""
    texts: dict[int, str] = {}
    english: set[int] = set()
    for path in list_files(f"{files.labels()}/labels-*.parquet"):
        table = read_parquet(path)
        own = table.filter(pc.equal(table["language"], language))
        texts.update(zip(own["number"].to_pylist(), own["label"].to_pylist(), strict=True))
        english.update(own.filter(own["english"])["number"].to_pylist())
    return ClassLabels(texts, english)


def english_labels(scratch: Scratch, language: str) -> list[str]:
    """The classes of a language's groups whose label is English for want of another, once its groups are written."""
    found: list[str] = read_json(english_path(scratch, language))
    return found


def english_path(scratch: Scratch, language: str) -> str:
    """The file of ``english_labels``."""
    return f"{scratch.parts}/english/{language}.json"
