"""What the steps of the groups stage share: arrays that they open, classes, labels and titles, finished groups."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec.structs import replace

from wikisem.arrow.columns import MapLookup, distinct
from wikisem.arrow.parquet import read_batches, read_parquet, read_row_groups, write_parquet
from wikisem.class_names import LabelledClass, classes_named, listed_classes, near_names
from wikisem.errors import RecipeError
from wikisem.files import for_each_file, list_files, make_folder, replace_file
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import Flags, Int64s, Ints, closure, indices_of
from wikisem.graph.outlier_sets.class_lists import CandidateClasses, CountedLists
from wikisem.graph.store import open_arrays
from wikisem.ids import is_qid, qid_number
from wikisem.layout import Scratch, group_leaves
from wikisem.outputs import groupfile
from wikisem.recipes.options import ClassOptions, Recipe
from wikisem.records import Group, Rejection
from wikisem.sampling import hash_keys
from wikisem.surfaces.cleaning import compose, first_label, labelled_classes, write_in
from wikisem.surfaces.table import LATE_FIELDS
from wikisem.wikipedia.variants import variant_of
from wikisem.wikis import label_codes, name_codes, wiki_of


class GroupWork(NamedTuple):
    """What the steps of the stage share: where they write, and what groups are made from.

    By language, ``surfaces`` has the folders of all by code, ``mentions`` those of the ones whose wiki is known, and
    ``profiles`` the texts of profile files that were given or edited. Only classes whose numbers are ``chosen`` are
    candidates; None is all of them. Items come in as many parts as there are ``entity_files``, the counts of unlinked
    ones in ``unlinked_parts``.
    """

    scratch: Scratch
    taxonomy: str
    recipe: Recipe
    surfaces: Mapping[str, str]
    mentions: Mapping[str, str]
    profiles: Mapping[str, str]
    chosen: Int64s | None = None
    entity_files: int = 0
    unlinked_parts: int = 0


# What the steps open of each other's files; arrays are mapped into memory, not read.


def all_candidates(work: GroupWork) -> Ints:
    """The nodes that are candidate classes in any language, ascending."""
    every = [open_arrays(CandidateClasses, work.scratch.candidates(language)).nodes for language in work.surfaces]
    return distinct(np.concatenate(every))


class SurfaceCount(msgspec.Struct):
    """How many surface forms a language has, and how many of them are ``clear``: they mean their item."""

    every: int
    clear: int


def read_unlinked(graph: ClassGraph, paths: Iterable[str]) -> CountedLists:
    """The counts of unlinked items in some files."""
    return CountedLists.join([CountedLists.of_table(graph, read_parquet(path)) for path in paths])


# The classes that a recipe names, by QID or by label, alone or with everything below them.


def chosen_classes(entities: str, taxonomy: str, options: ClassOptions) -> Int64s | None:
    """The numbers of the classes that may give groups, ascending; None for a recipe that names none.

    RecipeError for a QID that is no class of the graph, and for a label that no class has, or several have: it lists
    classes with labels that are close, or all that have this one.
    """
    if not options.names:
        return None
    graph = open_arrays(ClassGraph, taxonomy)
    keys = ("include", "include_below", "exclude", "exclude_below")
    asked: dict[str, Sequence[str]] = {key: getattr(options, key) for key in keys}
    labels = {name for names in asked.values() for name in names if not is_qid(name)}
    known = labelled_classes(entities, graph, [options.language]) if labels else []
    nodes = {}
    for key, names in asked.items():
        numbers = [_number(graph, known, f"classes.{key}", name, options.language) for name in names]
        nodes[key] = indices_of(np.array(numbers, dtype=np.int64), graph.nodes)[0]
    below = {key: [closure(graph.down, int(node)) for node in nodes[key]] for key in keys if key.endswith("_below")}
    every: Ints = np.arange(len(graph.nodes))
    named = [nodes["include"], *below["include_below"]]
    included = distinct(np.concatenate(named)) if options.include or options.include_below else every
    kept = np.setdiff1d(included, np.concatenate([nodes["exclude"], *below["exclude_below"]]))
    chosen: Int64s = graph.nodes[kept]
    return chosen


def _number(graph: ClassGraph, known: Sequence[LabelledClass], path: str, name: str, language: str) -> int:
    """The number of the class that a recipe names under the key ``path``, by QID or by label."""
    if is_qid(name):
        number = qid_number(name)
        if number not in graph.nodes:
            why = ", which the recipe's [graph] leaves out" if number in graph.removed else ""
            raise RecipeError(f"{path}: expected a class of the class graph, saw {name}{why}")
        return number
    found = classes_named(name, known)
    if len(found) == 1:
        return found[0].number
    if found:
        seen = f"saw {name!r}, the label of {listed_classes(found)}; write the QID"
    else:
        near = near_names(name, known)
        seen = f"saw {name!r}" + (f"; did you mean {listed_classes(near)}?" if near else "; write its QID")
    raise RecipeError(f"{path}: expected a QID, or the label in {language!r} of one class, {seen}")


# The files of a language that people load.


def write_groups(folder: str, language: str, groups: Sequence[Group], rejections: Iterable[Rejection]) -> None:
    """Write the files of a language's groups and of its rejections, in the order given.

    These are JSON lines, a table, and a file for each group in every format of ``FORMATS``.
    """
    lines, table, rejected = (f"{folder}/{path}" for path in group_leaves(language))
    encoded = list(map(groupfile.encode_group, groups))
    replace_file(lines, b"".join(encoded))
    write_parquet(table, groupfile.groups_table(encoded))
    replace_file(rejected, b"".join(map(groupfile.encode_rejection, rejections)))
    for name in groupfile.group_folders(language):
        make_folder(f"{folder}/{name}")
    files = groupfile.group_files(language, groups)
    for_each_file(folder, lambda file: replace_file(f"{folder}/{file[0]}", file[1]), files)


class GroupFacts(msgspec.Struct):
    """What the manifest says of a language's groups.

    ``cases`` is the number of test cases, ``english`` are the classes that only have an English label, ``unclear`` is
    how many labels and titles mean another item, and ``places`` how many outliers take theirs (``count_places``).
    """

    cases: int
    english: list[str]
    unclear: int
    places: dict[str, int]


def complete(groups: Sequence[Group], work: GroupWork, language: str) -> list[Group]:
    """The groups with what no choice depends on: late fields of members, and labels of the classes of certificates."""
    wanted = pa.array(sorted({member.id for group in groups for member in group.members}), pa.string())
    late: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for path in list_files(f"{work.surfaces[language]}/*.parquet") if groups else ():
        for table in read_row_groups(path, ["qid", *LATE_FIELDS]):
            rows = table.filter(pc.is_in(table["qid"], value_set=wanted))
            late.update(zip(rows["qid"].to_pylist(), rows.select(LATE_FIELDS).to_pylist(), strict=True))
    proofs = [(outlier.id, outlier.certificate) for group in groups for outlier in group.outliers]
    numbers = [qid_number(proof.id) for _, proof in proofs if proof is not None]
    labels = read_labels(work.scratch, language, distinct(np.array(numbers, dtype=np.int64))).texts
    completed = []
    for group in groups:
        outliers = [replace(outlier, **late[outlier.id]) for outlier in group.outliers]
        for index, outlier in enumerate(outliers):
            if (proof := outlier.certificate) is not None:
                label = labels.get(qid_number(proof.id), "")
                outliers[index] = replace(outlier, certificate=replace(proof, label=label))
        cluster = tuple(replace(member, **late[member.id]) for member in group.cluster)
        completed.append(replace(group, cluster=cluster, outliers=tuple(outliers)))
    return completed


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
        for language in languages:
            own_variant = variant_of(variant, language)
            codes = label_codes(language, own_variant)
            labels, code = first_label(maps, (*name_codes(language, own_variant), "en"))
            if own_variant:
                labels = pc.if_else(pc.is_in(code, value_set=pa.array(codes)), write_in(own_variant, labels), labels)
            english = pc.and_(pc.equal(code, "en"), "en" not in codes)
            columns = [numbers[rows], pa.repeat(language, len(rows)), labels, english]
            tables.append(pa.table(columns, schema=LABELS).filter(labels.is_valid()))
    write_parquet(path, pa.concat_tables(tables))


def write_titles(
    path: str, entities: str, numbers: Int64s, lists: Flags, every: int, languages: Sequence[str], variant: str = ""
) -> None:
    """Write the titles of the list articles among the items of a file of entities, and of one in ``every`` other."""
    # Not by the recipe's seed: which clusters are lists must not depend on it.
    is_written = lists | (hash_keys(0, numbers) % np.uint64(every) == 0)
    tables = [TITLES.empty_table()]
    for rows, maps in _read_maps(entities, "titles", is_written):
        for language in languages:
            titles = write_in(variant_of(variant, language), compose(maps.lookup(wiki_of(language) or "")))
            columns = [numbers[rows], pa.repeat(language, len(rows)), titles, lists[rows]]
            tables.append(pa.table(columns, schema=TITLES).filter(titles.is_valid()))
    write_parquet(path, pa.concat_tables(tables))


def _read_maps(path: str, column: str, wanted: Flags) -> Iterator[tuple[Int64s, MapLookup]]:
    """The wanted rows of a column of maps, a batch at a time; a file without any is not read."""
    begin = 0
    for table in read_batches(path, [column]) if wanted.any() else ():
        rows = begin + np.flatnonzero(wanted[begin : begin + table.num_rows])
        yield rows, MapLookup(table[column].combine_chunks().take(pa.array(rows - begin)))
        begin += table.num_rows


def divide_texts(scratch: Scratch, languages: Iterable[str]) -> None:
    """Write the labels and titles in each language, from those of all files of entities, as they are read often."""
    labels, titles = (scratch.labels, scratch.own_labels, LABELS), (scratch.titles, scratch.own_titles, TITLES)
    for in_file, in_language, schema in (labels, titles):
        all_rows = pa.concat_tables([schema.empty_table(), *map(read_parquet, list_files(in_file("*")))])
        for language in languages:
            write_parquet(in_language(language), all_rows.filter(pc.equal(all_rows["language"], language)))


def read_labels(scratch: Scratch, language: str, numbers: Int64s) -> ClassLabels:
    """Labels of some classes in the language, else in ``mul``, else in English."""
    texts: dict[int, str] = {}
    english: set[int] = set()
    if len(numbers):
        table = read_parquet(scratch.own_labels(language))
        rows = table.filter(pc.is_in(table["number"], value_set=pa.array(numbers)))
        texts.update(zip(rows["number"].to_pylist(), rows["label"].to_pylist(), strict=True))
        english.update(rows.filter(rows["english"])["number"].to_pylist())
    return ClassLabels(texts, english)
