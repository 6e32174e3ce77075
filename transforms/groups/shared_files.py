"""What the steps of the groups stage share: surface forms and profiles, classes, labels and titles, finished groups."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec.structs import replace

from wikisem.arrow.columns import MapLookup, distinct
from wikisem.arrow.parquet import read_batches, read_parquet, read_row_groups, write_parquet
from wikisem.class_names import LabelledClass, classes_named, listed_classes, near_names
from wikisem.errors import RecipeError
from wikisem.files import for_each_file, list_files, make_folder, read_binary, replace_file
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import CsrRows, Flags, Int64s, Ints, closure, indices_of
from wikisem.graph.outlier_sets.class_lists import CandidateClasses, PageLinks, candidate_classes
from wikisem.graph.outlier_sets.overlap import LEADING
from wikisem.graph.store import open_arrays, save_arrays
from wikisem.heuristics.rules.affix import count_affixes
from wikisem.heuristics.rules.wording import common_affixes
from wikisem.heuristics.selection.pool import in_range
from wikisem.ids import is_qid, qid_number
from wikisem.layout import Scratch, group_leaves, profile_path, siteinfo_path
from wikisem.outputs import groupfile
from wikisem.recipes.options import ClassOptions, Recipe
from wikisem.records import Group, Rejection
from wikisem.sampling import hash_keys
from wikisem.surfaces import table as surface_tables
from wikisem.surfaces.cleaning import compose, first_label, labelled_classes, write_in
from wikisem.surfaces.table import COLUMNS, LATE_FIELDS, SOURCES, SurfaceForms, SurfaceTable
from wikisem.transforms.io.counts import read_json
from wikisem.transforms.mentions import read_link_letters
from wikisem.wikipedia import learning
from wikisem.wikipedia.languages import SiteInfo, language_profile
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


def all_candidates(work: GroupWork) -> Ints:
    """The nodes that are candidate classes in any language, ascending."""
    every = [open_arrays(CandidateClasses, work.scratch.candidates(language)).nodes for language in work.surfaces]
    return distinct(np.concatenate(every))


class SurfaceCount(msgspec.Struct):
    """How many surface forms a language has, and how many of them are ``clear``: they mean their item."""

    every: int
    clear: int


SAMPLE: Final = 10_000  # surface forms that show the script of a language that the tables do not know


def read_surfaces(part: tuple[str, int, Sequence[str]], work: GroupWork) -> tuple[str, int]:
    """Read a part of the surface files, (language, number, paths), into arrays; returns (language, number)."""
    language, number, paths = part
    table = pa.concat_tables(table for path in paths for table in read_row_groups(path, COLUMNS))
    surfaces = SurfaceTable.of_table(table, open_arrays(ClassGraph, work.taxonomy))
    save_arrays(surfaces, work.scratch.surface_part(language, number))
    return language, number


def index_surfaces(parts_of: tuple[str, Iterable[int]], work: GroupWork) -> tuple[None, str]:
    """Find the classes of a language that may give groups, and write them and the surface forms that groups may need.

    ``parts_of`` names the language and the numbers of the parts that its surface forms were read in. How many these are
    is written, too, and if the recipe needs them, the shapes of forms and the counts of affixes. Parts are opened one
    after the other, and never all mapped into memory at once.
    """
    (language, numbers), scratch, recipe = parts_of, work.scratch, work.recipe
    parts = [scratch.surface_part(language, number) for number in sorted(numbers)]
    graph = open_arrays(ClassGraph, work.taxonomy)
    has_surface = _has_surface(parts, work.surfaces[language], graph, recipe.surface.minimum_page_share)
    classes = _find_candidates(work, graph, parts, has_surface)
    # Merge the forms of the leading instances of candidate classes, of a sample, which shows the language's script, and
    # of all items that may be outliers. ``needed`` and ``has_surface`` have a flag for each item of the graph.
    needed = np.zeros(len(has_surface), dtype=bool)
    needed[classes.leading.targets] = True
    needed[np.flatnonzero(has_surface)[:SAMPLE]] = True
    minimum = recipe.outliers.min_sitelinks
    needed_parts = [
        part.take(np.flatnonzero(has_surface[part.items] & (needed[part.items] | (part.sitelinks >= minimum))))
        for part in map(_open, parts)
    ]
    table = SurfaceTable.merge(needed_parts)
    # Until here an instance is the index of an item in the graph, from here on that of its row in this table.
    rows = np.searchsorted(table.items, classes.leading.targets).astype(np.uint32)
    save_arrays(CandidateClasses(classes.nodes, CsrRows(classes.leading.offsets, rows)), scratch.candidates(language))
    save_arrays(table, scratch.surfaces(language))
    if recipe.outliers.places:
        save_arrays(SurfaceForms.of(table), scratch.forms(language))
    count = SurfaceCount(sum(len(_open(part)) for part in parts), int(has_surface.sum()))
    replace_file(scratch.surface_count(language), msgspec.json.encode(count))
    if recipe.filters.affix == "surprise":
        every = np.uint64(1 + count.every // AFFIX_SAMPLE)
        # Not by the recipe's seed: which clusters begin or end alike must not depend on it.
        samples = (part.texts(np.flatnonzero(hash_keys(0, part.numbers) % every == 0)) for part in map(_open, parts))
        replace_file(scratch.affixes(language), msgspec.json.encode(count_affixes(chain.from_iterable(samples))))
    return None, language


def _find_candidates(work: GroupWork, graph: ClassGraph, parts: Sequence[str], has_surface: Flags) -> CandidateClasses:
    """Find the classes with enough instances that have a surface form, and their leading (most prominent) instances."""
    cluster, outliers = work.recipe.cluster, work.recipe.outliers
    may_join = has_surface & in_range(graph.items, work.recipe.items, "clusters")
    if cluster.fame != "all":  # members are from one third by prominence: they need as many sitelinks as outliers
        may_join &= graph.sitelinks >= outliers.min_sitelinks
    # If rules may refuse some of the leading instances, more of them are kept than a cluster has.
    may_refuse = outliers.certificate or work.recipe.filters.replace or cluster.coherence is not None
    most = LEADING if may_refuse else cluster.size
    is_local = cluster.prominence == "local"
    links = PageLinks.of((part.items, part.totals) for part in map(_open, parts)) if is_local else None
    classes = candidate_classes(graph, may_join, cluster.minimum, most, cluster.fame, links)
    if work.chosen is None:  # the recipe names no classes
        return classes
    rows = np.flatnonzero(np.isin(graph.nodes[classes.nodes], work.chosen))
    return CandidateClasses(classes.nodes[rows], classes.leading.take(rows))


def _has_surface(parts: Sequence[str], folder: str, graph: ClassGraph, least: float) -> Flags:
    """Which items of the graph have a surface form in a language that readers take to mean them, a flag for each.

    An anchor always does. A label or a title does if its item has at least the share ``least`` of the sitelinks of all
    items with the same surface form, label or alias: not "Paris" as the label of a village in Texas. ``parts`` are the
    folders of surface forms, and ``folder`` has the labels and aliases.
    """
    means = _column(parts, "sources") == SOURCES.index("anchor")  # of each surface form: whether it means its item
    if least and not means.all():
        # A part at a time, so that no more than its surface forms is mapped.
        hashes = np.concatenate([surface_tables.hash_texts(_open(part)) for part in parts])
        surfaces = surface_tables.HashedNames(hashes, _column(parts, "sitelinks"))
        others = surface_tables.HashedNames.by_others(folder, surfaces, _column(parts, "items"), graph)
        means |= surface_tables.mean_their_items(surfaces, others, least)
        del surfaces, others  # they are large
    else:  # the recipe asks nothing of labels and titles, or there are none
        means[:] = True
    has_surface = np.zeros(len(graph.items), dtype=bool)
    has_surface[_column(parts, "items")[means]] = True
    return has_surface


def _column(parts: Sequence[str], name: str) -> Ints:
    return np.concatenate([getattr(_open(part), name) for part in parts])


_open = partial(open_arrays, SurfaceTable)

# If a language has more surface forms, about this many of them are read: what four of eight may share is 700 of them,
# give or take 26.
AFFIX_SAMPLE: Final = 200_000


def read_profile(work: GroupWork, language: str) -> learning.FoundProfile:
    """Learn what the rules need to know of a language's writing, its profile, with where each of its values is from.

    A profile file that was given or edited goes before what the wiki, the surface forms and the list titles show.
    """
    scratch, mentions, text = work.scratch, work.mentions.get(language), work.profiles.get(language)
    site, links = None, learning.LinkLetters()
    if mentions is not None:  # else the language has only labels, and no wiki is read
        path = siteinfo_path(mentions)
        site = SiteInfo.from_json(read_binary(path), path)
        links = read_link_letters(mentions)
    table = open_arrays(SurfaceTable, scratch.surfaces(language))
    surfaces = list(table.texts(np.arange(min(SAMPLE, len(table)))))
    # The words that name list articles ("List of …") are learned from titles of lists and of other articles.
    titles = read_parquet(scratch.own_titles(language))
    lists, others = (titles.filter(flag)["title"].to_pylist() for flag in (titles["list"], pc.invert(titles["list"])))
    spaced = language_profile(language, sample=surfaces).spaced
    count: SurfaceCount = read_json(scratch.surface_count(language), SurfaceCount)
    evidence = learning.Evidence(links, surfaces, count.clear, common_affixes(lists, others, spaced), len(set(lists)))
    given = None if text is None else learning.read_profile_file(text, profile_path(language))
    return learning.find_profile(language, site=site, evidence=evidence, given=given)


def chosen_classes(entities: str, taxonomy: str, options: ClassOptions) -> Int64s | None:
    """The QID numbers of the classes that a recipe lets give groups, ascending; None if it names no classes.

    These are the ``include`` classes and all below the ``include_below`` ones (by default all of the graph), without
    ``exclude`` and all below ``exclude_below``. RecipeError for a QID that is no class of the graph, and for a label
    that no class has, or several have: it lists classes with labels that are close, or all that have this one.
    """
    if not options.names:
        return None
    graph = open_arrays(ClassGraph, taxonomy)
    keys = ("include", "include_below", "exclude", "exclude_below")
    asked: dict[str, Sequence[str]] = {key: getattr(options, key) for key in keys}
    labels = {name for names in asked.values() for name in names if not is_qid(name)}
    known = labelled_classes(entities, graph, [options.language]) if labels else []
    nodes = {}  # a node is the index of a class in the graph
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
    """Fill in what no choice depends on: titles of members' pages (``LATE_FIELDS``), and labels of certificates.

    A certificate is a class of an outlier that shares no instance with the group's.
    """
    # By QID: what rows of the surface forms have of each member or outlier.
    wanted = pa.array(sorted({member.id for group in groups for member in group.members}), pa.string())
    late: defaultdict[str, dict[str, Any]] = defaultdict(dict)
    for path in list_files(f"{work.surfaces[language]}/*.parquet") if groups else ():
        for table in read_row_groups(path, ["qid", *LATE_FIELDS]):
            rows = table.filter(pc.is_in(table["qid"], value_set=wanted))
            late.update(zip(rows["qid"].to_pylist(), rows.select(LATE_FIELDS).to_pylist(), strict=True))
    # By QID number: the labels of the classes that certificates name.
    certificates = [outlier.certificate for group in groups for outlier in group.outliers]
    numbers = [qid_number(proof.id) for proof in certificates if proof is not None]
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
    """Write the labels of the classes among the items of a file of entities: in each language, else in English.

    ``numbers`` and ``is_class`` have the QID number and a flag of each item of the file. ``variant``, such as
    "zh-hans", is the script to write the labels of its language in.
    """
    tables = [LABELS.empty_table()]
    for rows, maps in _read_maps(entities, "labels", is_class):
        for language in languages:
            own_variant = variant_of(variant, language)
            codes = label_codes(language, own_variant)  # of labels in the language itself
            # The first label in any of these codes, such as zh-hans, zh, mul and en, and the code that it is in.
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
    """Write the titles of list articles in a file of entities, flagged by ``lists``, and of one in ``every`` other."""
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


def read_labels(scratch: Scratch, language: str, numbers: Int64s) -> ClassLabels:
    """Read the labels of the classes with these QID numbers: in the language, else in ``mul``, else in English."""
    if not len(numbers):
        return ClassLabels({}, set())
    table = read_parquet(scratch.own_labels(language))
    rows = table.filter(pc.is_in(table["number"], value_set=pa.array(numbers)))
    texts = dict(zip(rows["number"].to_pylist(), rows["label"].to_pylist(), strict=True))
    return ClassLabels(texts, english=set(rows.filter(rows["english"])["number"].to_pylist()))
