"""Stage 5: the groups of every language, from the class graph and the surface forms.

Large data are in files that workers memory-map; only file names and numbers pass between the steps. A slice of the
candidate classes is judged in all languages at once, because outlier sets do not depend on the language.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, TypeVar

import apache_beam as beam
import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.columns import qid_numbers
from wikisem.arrow.parquet import read_row_groups
from wikisem.class_names import name_class
from wikisem.files import list_files, match, open_binary
from wikisem.graph.csr import Flags, Int64s, Ints, indices_of
from wikisem.graph.outlier_sets.class_lists import UnlinkedItems, outlier_pool
from wikisem.graph.outlier_sets.hash_ring import HashRing
from wikisem.graph.outlier_sets.outlier_index import OutlierIndex, build_outlier_index
from wikisem.graph.relations import ItemRelations, Ties
from wikisem.graph.signatures import ItemSignatures, Signatures
from wikisem.graph.store import open_arrays, save_arrays
from wikisem.heuristics.rules.stop_affixes import LIST_ARTICLE
from wikisem.heuristics.selection.groups import GroupBuilder, sifts
from wikisem.heuristics.selection.kept_groups import (
    CAPPED,
    NEAR_DUPLICATE,
    first_classes,
    in_class_order,
    near_duplicates,
)
from wikisem.heuristics.selection.pool import GroupInputs, LanguageInputs, in_range
from wikisem.ids import qid_of
from wikisem.layout import GROUPS as STAGE
from wikisem.layout import GroupScratch, unlinked_folder
from wikisem.outputs.groupfile import (
    class_of,
    cluster_items,
    decode_rejection,
    encode_group,
    encode_rejection,
    label_of,
)
from wikisem.recipes.options import Recipe
from wikisem.records import Counts, Group, Rejection
from wikisem.surfaces.table import SurfaceForms, SurfaceTable
from wikisem.transforms.groups.chosen_classes import chosen_classes
from wikisem.transforms.groups.shared_files import (
    ClassLabels,
    add_titles,
    all_candidates,
    open_candidates,
    open_graph,
    open_surfaces,
    read_labels,
    read_unlinked,
    write_groups,
    write_labels,
    write_lines,
    write_titles,
)
from wikisem.transforms.groups.surface_tables import (
    IndexSurfaces,
    ReadSurfaces,
    SurfacePart,
    read_affixes,
    read_profile,
    write_profile,
)
from wikisem.transforms.io.counts import sum_counts, write_counts
from wikisem.transforms.io.runtime import StageContext

# Of the rules by which this stage works and of the form of its files: raise it with any change to what it leaves.
VERSION: Final = 11


def build_groups(
    entities: str,
    taxonomy: str,
    surfaces: Mapping[str, str],
    mentions: Mapping[str, str],
    recipe: Recipe,
    context: StageContext,
    profiles: Mapping[str, str] | None = None,
) -> dict[str, Counts]:
    """Build the groups of each language into ``finished/groups``, ``rejected`` and ``languages``.

    ``surfaces`` (language -> folder) names the languages, ``mentions`` (language -> folder) has the facts of their
    wikis, and ``profiles`` (language -> text) the profile files that were given or edited. Returns the counts of each
    language: classes with at least ``minimum`` instances that have a surface form, of those that the recipe names if it
    names any, kept as groups or rejected by reason. Raises MissingInputError, and RecipeError for a name of no class.
    """
    chosen = chosen_classes(entities, taxonomy, recipe.classes)
    scratch = GroupScratch.of(context.scratch)
    wikis, given = dict(mentions), dict(profiles or {})
    parts = [
        part for one, folder in surfaces.items() for part in SurfacePart.divide(one, match([f"{folder}/*.parquet"]))
    ]
    entity_files = list(enumerate(match([f"{entities}/*.parquet"])))
    unlinked = divide_unlinked(entities, recipe)
    languages = sorted(surfaces)

    def construct(pipeline: beam.Pipeline) -> None:
        indexed = (
            pipeline
            | "surfaces" >> beam.Create(parts)
            | "read surfaces" >> beam.ParDo(ReadSurfaces(scratch, taxonomy))
            | "group parts by language" >> beam.GroupByKey()
            | "index surfaces" >> beam.ParDo(IndexSurfaces(scratch, taxonomy, recipe, chosen))
        )
        items = pipeline | "entities" >> beam.Create(entity_files)
        counted = pipeline | "unlinked" >> beam.Create(unlinked)
        variant, minimum = recipe.surface.variant, recipe.cluster.minimum
        related_to = recipe.outliers.min_sitelinks if recipe.outliers.related else None
        collect = CollectItems(scratch, taxonomy, languages, variant, minimum, recipe.witness, related_to)
        (
            [
                indexed,
                items | "collect items" >> beam.ParDo(collect),
                counted | "count unlinked" >> beam.ParDo(CollectUnlinked(scratch, taxonomy)),
            ]
            | "all of them" >> beam.Flatten()
            | "wait for all" >> beam.GroupByKey()
            | "index outliers"
            >> beam.ParDo(IndexOutliers(scratch, taxonomy, recipe, languages, len(entity_files), len(unlinked)))
            | "distribute slices" >> beam.Reshuffle()
            | "judge classes" >> beam.ParDo(JudgeClasses(scratch, taxonomy, recipe, languages, wikis, given))
            | "group slices by language" >> beam.GroupByKey()
            | "finish" >> beam.ParDo(FinishLanguage(scratch, taxonomy, recipe, dict(surfaces), wikis, given))
        )

    context.runtime.run(construct, label=STAGE)
    return {language: sum_counts([scratch.counts(language)]) for language in surfaces}


# What groups need of the items themselves: few columns of all of them; labels and titles, which are large, of few.

# The files that count unlinked items are divided into at most this many parts: that many workers can read them.
_UNLINKED_PARTS = 16
# About so many items of the graph show what the titles of articles look like that are no lists.
_SAMPLED_TITLES = 200_000


class CollectItems(beam.DoFn):
    """Write the labels of the classes in a numbered file of entities, and titles of its list articles and of others.

    Classes with ``minimum`` instances may be candidates. ``signatures`` are written too if they are asked for, and with
    ``related_to`` the relations of items with so many sitelinks.
    """

    def __init__(
        self,
        scratch: GroupScratch,
        taxonomy: str,
        languages: Sequence[str],
        variant: str,
        minimum: int,
        signatures: bool,
        related_to: int | None = None,
    ) -> None:
        self._scratch, self._taxonomy, self._languages = scratch, taxonomy, languages
        self._variant, self._minimum, self._signatures = variant, minimum, signatures
        self._related_to = related_to
        self._wanted: tuple[Ints, int] | None = None

    def process(self, numbered: tuple[int, str]) -> Iterator[tuple[None, str]]:
        """Write them; yields the path."""
        number, path = numbered
        numbers, lists = self._read(number, path)
        classes, every = self._classes_and_sampling()
        is_class = indices_of(numbers, classes)[1]
        labels, titles = self._scratch.labels(f"{number:05d}"), self._scratch.titles(f"{number:05d}")
        write_labels(labels, path, numbers, is_class, self._languages, self._variant)
        write_titles(titles, path, numbers, lists, every, self._languages, self._variant)
        yield None, path

    def _read(self, number: int, path: str) -> tuple[Int64s, Flags]:
        """The numbers of all items of a file, and which are list articles; signatures and relations are written."""
        numbers, lists = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=bool)]
        signatures, relations = [], []
        columns = ["qid", "instance_of", *(("sitelinks", "properties") if self._signatures else ())]
        columns += ["relations"] if self._related_to is not None else []
        for table in read_row_groups(path, columns, ["instance_of.list.element"]):
            numbers.append(qid_numbers(table["qid"]))
            lists.append(_instances_of(table["instance_of"].combine_chunks(), LIST_ARTICLE))
            if self._signatures:
                signatures.append(ItemSignatures.of_columns(numbers[-1], table["sitelinks"], table["properties"]))
            if self._related_to is not None:
                graph, column = open_graph(self._taxonomy), table["relations"]
                relations.append(ItemRelations.of_columns(graph, numbers[-1], column, self._related_to))
        if self._signatures:
            save_arrays(ItemSignatures.join(signatures), self._scratch.item_signatures(number))
        if self._related_to is not None:
            save_arrays(ItemRelations.join(relations), self._scratch.item_relations(number))
        return np.concatenate(numbers), np.concatenate(lists)

    def _classes_and_sampling(self) -> tuple[Ints, int]:
        """The numbers of the classes that may be candidates, and n where one title in n is sampled."""
        if self._wanted is None:
            graph = open_graph(self._taxonomy)
            classes = graph.nodes[graph.instances.counts() >= self._minimum]
            # Unlinked items have no title, and a build may have left them out.
            linked = int(np.count_nonzero(graph.sitelinks))
            self._wanted = classes, 1 + linked // _SAMPLED_TITLES
        return self._wanted


class CollectUnlinked(beam.DoFn):
    """Read a numbered part of the files that count unlinked items into one record of arrays."""

    def __init__(self, scratch: GroupScratch, taxonomy: str) -> None:
        self._scratch, self._taxonomy = scratch, taxonomy

    def process(self, numbered: tuple[int, Sequence[str]]) -> Iterator[tuple[None, str]]:
        """Write it; yields its folder."""
        (number, paths), graph = numbered, open_graph(self._taxonomy)
        save_arrays(read_unlinked(graph, paths), self._scratch.unlinked(number))
        yield None, self._scratch.unlinked(number)


def divide_unlinked(entities: str, recipe: Recipe) -> list[tuple[int, list[str]]]:
    """The numbered parts of the files that count unlinked items, if a rule of the recipe counts all instances."""
    files = list_files(f"{unlinked_folder(entities)}/*.parquet") if recipe.outliers.status_share > 0 else []
    return [(number, files[number::_UNLINKED_PARTS]) for number in range(min(_UNLINKED_PARTS, len(files)))]


def _instances_of(classes: pa.ListArray, qid: str) -> Flags:
    flags = np.zeros(len(classes), dtype=bool)
    flat = classes.flatten()
    codes = pc.indices_nonzero(pc.equal(flat.dictionary, qid))
    if len(codes):
        flags[pc.list_parent_indices(classes).filter(pc.equal(flat.indices, codes[0])).to_numpy()] = True
    return flags


# What must be known before the first class is judged.

# Classes of a slice: enough to outweigh the cost of starting one, few enough to share the work evenly.
SLICE: Final = 1024


_Part = TypeVar("_Part", ItemSignatures, ItemRelations)


class IndexOutliers(beam.DoFn):
    """Write the outlier index and the rings once surface forms and labels are there, and hand out numbers of slices.

    ``entity_files`` is the number of files of entities that ``CollectItems`` read, ``unlinked_parts`` that of the parts
    that ``CollectUnlinked`` did.
    """

    def __init__(
        self,
        scratch: GroupScratch,
        taxonomy: str,
        recipe: Recipe,
        languages: Sequence[str],
        entity_files: int,
        unlinked_parts: int,
    ) -> None:
        self._scratch, self._taxonomy, self._recipe, self._languages = scratch, taxonomy, recipe, languages
        self._entity_files, self._unlinked_parts = entity_files, unlinked_parts

    def process(self, written: tuple[None, Iterable[str]]) -> Iterator[int]:
        """Write, then yield; ``written`` is ignored: Beam delivers it once all files are there.

        Slice 0 exists even without candidate classes, so that every language gets its files.
        """
        del written
        scratch, recipe, graph = self._scratch, self._recipe, open_graph(self._taxonomy)
        tables = {language: open_surfaces(scratch, language) for language in self._languages}
        minimum = recipe.outliers.min_sitelinks
        able = partial(in_range, options=recipe.items, role="outliers")
        by_language = [table.items[(table.sitelinks >= minimum) & able(table.numbers)] for table in tables.values()]
        folders = map(scratch.unlinked, range(self._unlinked_parts))
        unlinked = UnlinkedItems.join([open_arrays(UnlinkedItems, folder) for folder in folders])
        items, numbers, lists = outlier_pool(graph, by_language)
        candidates = all_candidates(scratch, self._languages)
        if recipe.witness:  # which a recipe with related outliers has
            leading = [table.items[open_candidates(scratch, one).leading.targets] for one, table in tables.items()]
            signed, members = self._parts(ItemSignatures, scratch.item_signatures), np.concatenate(leading)
            save_arrays(Signatures.of(graph, signed, minimum, candidates, members, recipe.seed), scratch.signatures)
            if recipe.outliers.related:
                parts = self._parts(ItemRelations, scratch.item_relations)
                save_arrays(Ties.of(parts, members, items, numbers), scratch.ties)
        index = build_outlier_index(graph, lists, candidates, recipe, unlinked)
        save_arrays(index, scratch.outlier_index)
        for language, table in tables.items():
            save_arrays(_ring(table, recipe.seed, items, numbers, len(lists)), scratch.ring(language))
        yield from range(max(1, -(-len(candidates) // SLICE)))

    def _parts(self, kind: type[_Part], folder_of: Callable[[int], str]) -> Iterator[_Part]:
        """What ``CollectItems`` has left of each file of entities."""
        return (open_arrays(kind, folder_of(number)) for number in range(self._entity_files))


def _ring(table: SurfaceTable, seed: int, items: Ints, numbers: Int64s, list_count: int) -> HashRing:
    """The ring of the pool items that have a surface form in a language, as rows of its table."""
    indices, in_pool = indices_of(table.items, items)
    rows = np.flatnonzero(in_pool)
    return HashRing.of(seed, table.numbers[rows], rows, numbers[indices[rows]], list_count)


# Slices of the candidate classes to groups and rejections.


class JudgeClasses(beam.DoFn):
    """Judge the classes of a numbered slice, and write its files of groups and rejections in each language."""

    def __init__(
        self,
        scratch: GroupScratch,
        taxonomy: str,
        recipe: Recipe,
        languages: Sequence[str],
        mentions: Mapping[str, str],
        profiles: Mapping[str, str],
    ) -> None:
        self._scratch, self._taxonomy, self._recipe, self._languages = scratch, taxonomy, recipe, languages
        self._mentions, self._profiles = mentions, profiles
        self._builder: GroupBuilder | None = None
        self._english: dict[str, set[int]] = {}

    def process(self, number: int) -> Iterator[tuple[str, int]]:
        """Judge the classes of the slice; every language has its files, empty if it has no candidate class here.

        A third file lists the classes that only have an English label.
        """
        # Not in setup: the files that it opens are written by earlier steps of the same pipeline.
        if self._builder is None:
            labels = {language: read_labels(self._scratch, language) for language in self._languages}
            self._english = {language: own.english for language, own in labels.items()}
            paths = self._mentions, self._profiles
            self._builder = _open_builder(self._scratch, self._taxonomy, self._recipe, labels, *paths)
        judge = self._builder.sift if sifts(self._recipe) else self._builder.judge
        candidates = all_candidates(self._scratch, self._languages)[number * SLICE : (number + 1) * SLICE]
        groups: dict[str, list[bytes]] = {language: [] for language in self._languages}
        rejected: dict[str, list[bytes]] = {language: [] for language in self._languages}
        for language, judgement in judge(candidates):
            if isinstance(judgement, Group):
                groups[language].append(encode_group(judgement))
            else:
                rejected[language].append(encode_rejection(judgement))
        for language in self._languages:
            write_lines(self._scratch.judged("groups", language, number), groups[language])
            write_lines(self._scratch.judged("rejected", language, number), rejected[language])
            english = [each for each in map(class_of, groups[language]) if each in self._english[language]]
            write_lines(self._scratch.judged("english", language, number), [b"%d\n" % each for each in english])
            yield language, number


def _open_builder(
    scratch: GroupScratch,
    taxonomy: str,
    recipe: Recipe,
    labels: Mapping[str, ClassLabels],
    wikis: Mapping[str, str],
    given: Mapping[str, str],
) -> GroupBuilder:
    """A builder for the languages that have ``labels``, over arrays that are mapped into memory."""
    languages = {
        language: LanguageInputs(
            profile=read_profile(scratch, language, wikis.get(language), given.get(language)).profile,
            surfaces=open_surfaces(scratch, language),
            ring=open_arrays(HashRing, scratch.ring(language)),
            candidates=open_candidates(scratch, language),
            labels=own.texts,
            affixes=read_affixes(scratch.affixes(language)) if recipe.filters.affix == "surprise" else None,
            forms=open_arrays(SurfaceForms, scratch.forms(language)) if recipe.outliers.places else None,
        )
        for language, own in labels.items()
    }
    witness = open_arrays(Signatures, scratch.signatures) if recipe.witness else None
    ties = open_arrays(Ties, scratch.ties) if recipe.outliers.related else None
    inputs = GroupInputs(open_graph(taxonomy), languages, recipe, witness, ties)
    return GroupBuilder(inputs, open_arrays(OutlierIndex, scratch.outlier_index))


# The slices of a language to its finished files.


class FinishLanguage(beam.DoFn):
    """Write the groups and rejections of all slices of a language in order of class, and their counts.

    Lines are put in order as they are; only the number of their class is parsed.
    """

    def __init__(
        self,
        scratch: GroupScratch,
        taxonomy: str,
        recipe: Recipe,
        surfaces: Mapping[str, str],
        mentions: Mapping[str, str],
        profiles: Mapping[str, str],
    ) -> None:
        self._scratch, self._taxonomy, self._recipe = scratch, taxonomy, recipe
        self._surfaces, self._mentions, self._profiles = surfaces, mentions, profiles

    def process(self, slices_of: tuple[str, Iterable[int]]) -> None:
        """Leave out near-duplicates, cap, choose the outliers of what is kept, add the titles of pages, write."""
        language, numbers = slices_of[0], sorted(slices_of[1])
        distinct, repeated = self._without_near_duplicates(self._read("groups", language, numbers), language)
        kept, capped = self._cap(distinct, language)
        rejected = [*self._read("rejected", language, numbers), *repeated, *capped]
        if sifts(self._recipe) and kept:
            kept, without = self._choose_outliers(language, [class_of(line) for line in kept])
            rejected += without
        titled = add_titles(kept, list_files(f"{self._surfaces[language]}/*.parquet"))
        write_groups(self._scratch.finished, language, titled, sorted(rejected, key=class_of))
        write_profile(self._scratch, language, self._mentions.get(language), self._profiles.get(language))
        reasons = Counter(decode_rejection(line).reason for line in rejected)
        counts = Counts(len(kept) + len(rejected), len(kept), dict(sorted(reasons.items())))
        write_counts(self._scratch.counts(language), counts)
        english = {int(line) for line in self._read("english", language, numbers)}
        shown = [qid_of(number) for number in map(class_of, kept) if number in english]
        write_lines(self._scratch.english(language), [orjson.dumps(shown)])

    def _choose_outliers(self, language: str, classes: Sequence[int]) -> tuple[list[bytes], list[bytes]]:
        """The lines of the groups of some classes with their outliers, and rejections if they have too few."""
        labels, paths = {language: read_labels(self._scratch, language)}, (self._mentions, self._profiles)
        builder = _open_builder(self._scratch, self._taxonomy, self._recipe, labels, *paths)
        nodes = indices_of(np.array(classes), open_graph(self._taxonomy).nodes)[0]
        found = [judgement for _, judgement in builder.judge(nodes)]
        groups = [encode_group(each) for each in found if isinstance(each, Group)]
        rejections = [encode_rejection(each) for each in found if isinstance(each, Rejection)]
        return sorted(groups, key=class_of), rejections

    def _read(self, kind: str, language: str, numbers: Iterable[int]) -> list[bytes]:
        """The lines of some slices."""
        lines: list[bytes] = []
        for number in numbers:
            with open_binary(self._scratch.judged(kind, language, number)) as source:
                lines.extend(source.read().splitlines(keepends=True))
        return lines

    def _without_near_duplicates(self, groups: list[bytes], language: str) -> tuple[list[bytes], list[bytes]]:
        """The lines of the groups that repeat no other one, and rejections of those that do."""
        number = self._recipe.filters.near_duplicates
        if number is None:
            return groups, []
        by_class = {class_of(line): line for line in groups}
        order = in_class_order(open_graph(self._taxonomy), list(by_class), self._recipe)
        found = near_duplicates(((each, cluster_items(by_class[each])) for each in order), number)
        rejections = []
        for each, near in found.items():
            kept = name_class(qid_of(near.kept), label_of(by_class[near.kept]))
            detail = f"shares {near.shared} items with {kept}, which is kept"
            rejections.append(_reject(by_class[each], language, NEAR_DUPLICATE, detail))
        return [line for each, line in by_class.items() if each not in found], rejections

    def _cap(self, groups: Sequence[bytes], language: str) -> tuple[list[bytes], list[bytes]]:
        """The lines of the groups that are kept, by class, and rejections of the others."""
        recipe = self._recipe
        most, order = recipe.cluster.max_groups, recipe.cluster.class_order
        by_class = {class_of(line): line for line in groups}
        first = first_classes(open_graph(self._taxonomy), list(by_class), recipe)
        detail = f"one of {len(groups)} groups, of which the first {most} by {order} are kept"
        capped = [_reject(line, language, CAPPED, detail) for number, line in by_class.items() if number not in first]
        return [by_class[number] for number in sorted(first)], capped


def _reject(line: bytes, language: str, reason: str, detail: str) -> bytes:
    """The line of a rejection in place of that of a group."""
    return encode_rejection(Rejection(qid_of(class_of(line)), language, reason, detail, label_of(line)))
