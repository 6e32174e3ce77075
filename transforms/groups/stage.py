"""Stage 5: the groups of every language, from the class graph and the surface forms.

Large data are in files that workers memory-map; only file names and numbers pass between the steps. A slice of the
candidate classes is judged in all languages at once, because outlier sets do not depend on the language.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import apache_beam as beam
import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.columns import distinct, qid_numbers
from wikisem.arrow.parquet import read_parquet, read_row_groups, write_parquet
from wikisem.class_names import name_class
from wikisem.errors import OutputError
from wikisem.files import list_files, match, read_binary, remove_below, replace_file
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import Flags, Int64s, Ints, indices_of, steps_from
from wikisem.graph.outlier_sets.class_lists import CandidateClasses, CountedLists, outlier_pool
from wikisem.graph.outlier_sets.hash_ring import HashRing
from wikisem.graph.outlier_sets.outlier_index import OutlierIndex, build_outlier_index
from wikisem.graph.statements import COLUMNS, ItemRelations, ItemSignatures, Signatures, Ties
from wikisem.graph.store import open_arrays, save_arrays
from wikisem.heuristics.rules.affix import AffixCounts
from wikisem.heuristics.rules.wording import LIST_ARTICLE
from wikisem.heuristics.selection import kept_groups
from wikisem.heuristics.selection.groups import GroupBuilder, sifts, spares
from wikisem.heuristics.selection.places import count_places
from wikisem.heuristics.selection.pool import GroupInputs, LanguageInputs, in_range
from wikisem.ids import qid_number
from wikisem.layout import GROUPS, SURFACE_PARTS, profile_path, unlinked_folder
from wikisem.recipes.options import Recipe
from wikisem.records import Counts, Group, Rejection
from wikisem.surfaces.table import SurfaceForms, SurfaceTable
from wikisem.transforms.groups import shared_files
from wikisem.transforms.groups.shared_files import GroupWork, chosen_classes
from wikisem.transforms.io.counts import read_json, sum_counts, write_counts
from wikisem.transforms.io.runtime import StageContext
from wikisem.wikipedia.learning import write_profile_file

VERSION: Final = 23  # of the stage's output; raise it when that changes


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

    A group is a cluster of instances of a class and outliers that do not belong to it. By language, ``surfaces`` and
    ``mentions`` are the folders of surface forms and of facts of the wiki, and ``profiles`` the texts of profile files
    that were given or edited. Returns how many classes were kept as groups or rejected, by reason, of those with at
    least ``minimum`` instances that have a surface form. Raises MissingInputError, and RecipeError for an unknown name.
    """
    chosen = chosen_classes(entities, taxonomy, recipe.classes)
    scratch = context.scratch
    # Certificates and shares of a class count all instances, which needs the counts of unlinked ones.
    unlinked_parts = divide(list_files(f"{unlinked_folder(entities)}/*.parquet") if recipe.counts_instances else [])
    surface_files = {code: match([f"{folder}/*.parquet"]) for code, folder in surfaces.items()}
    surface_parts = [(code, *part) for code, paths in surface_files.items() for part in divide(paths)]
    items = list(enumerate(match([f"{entities}/*.parquet"])))
    paths = dict(sorted(surfaces.items())), dict(mentions), dict(profiles or {})
    work = GroupWork(scratch, taxonomy, recipe, *paths, chosen, len(items), len(unlinked_parts))
    with context.runtime.pipeline(label=GROUPS) as pipeline:
        # Make arrays of each input, then an index of all outliers; then judge slices of the classes in parallel.
        indexed = (
            pipeline
            | "surfaces" >> beam.Create(surface_parts)
            | "read surfaces" >> beam.Map(take_step, shared_files.read_surfaces, work)
            | "group parts by language" >> beam.GroupByKey()
            | "index surfaces" >> beam.Map(take_step, shared_files.index_surfaces, work)
        )
        collected = pipeline | "entities" >> beam.Create(items) | "collect items" >> beam.ParDo(CollectItems(work))
        counted = (
            pipeline
            | "unlinked" >> beam.Create(unlinked_parts)
            | "count unlinked" >> beam.Map(take_step, join_counts, work)
        )
        _ = (
            [indexed, collected, counted]
            | "all of them" >> beam.Flatten()
            | "wait for all" >> beam.GroupByKey()
            | "index outliers" >> beam.FlatMap(take_step, index_outliers, work)
            | "distribute slices" >> beam.Reshuffle()
            | "judge classes" >> beam.ParDo(JudgeClasses(work))
            | "group slices by language" >> beam.GroupByKey()
            | "finish" >> beam.Map(take_step, finish_language, work)
        )
    return {language: sum_counts([scratch.counts(language)]) for language in surfaces}


_PARTS: Final = 16  # the most that files are divided into: that many workers can read them


def divide(paths: Sequence[str]) -> list[tuple[int, Sequence[str]]]:
    """Parts of some files, numbered from 0."""
    return [(number, paths[number::_PARTS]) for number in range(min(_PARTS, len(paths)))]


def take_step(element: Any, step: Callable[[Any, GroupWork], Any], work: GroupWork) -> Any:
    """Take a step, and give the memory that it freed back: this worker's next may need little, another's much."""
    result = step(element, work)
    pa.default_memory_pool().release_unused()  # of all of malloc, which workers use for Arrow, too
    return result


_SAMPLED_TITLES = 200_000  # enough to show what titles of articles look like that are no lists


@dataclass(eq=False)
class CollectItems(beam.DoFn):
    """Write the labels of the classes in a numbered file of entities, and titles of its list articles and of others.

    Signatures and relations are written too, if the recipe compares the ones or draws from the others. It is a DoFn
    because which classes are wanted is found once for all files of a worker.
    """

    work: GroupWork
    _wanted: tuple[Ints, int] | None = field(default=None, init=False)

    def process(self, numbered: tuple[int, str]) -> Iterator[tuple[None, str]]:
        """Write labels, titles, and what else the recipe asks for of a file; yield None as a key, and its path."""
        work, (number, path) = self.work, numbered
        numbers, lists = self._read(number, path)
        if self._wanted is None:  # once for all files of a worker
            graph, recipe = open_arrays(ClassGraph, work.taxonomy), work.recipe
            # One in ``every`` title is sampled; whether a build keeps unlinked items, without titles, does not matter.
            every = 1 + int(np.count_nonzero(graph.sitelinks)) // _SAMPLED_TITLES
            counts = graph.instances.counts()
            # Labels are needed of the classes that have enough instances for a group.
            classes: Ints = graph.nodes[counts >= recipe.cluster.minimum]
            if recipe.outliers.certificate:
                # A certificate, a class that shows why an item is an outlier, may be any that has instances, directly
                # or in classes below it. Pruned ones, too: ``whole_up`` has the P279 edges of these as well.
                direct = distinct(np.concatenate([np.flatnonzero(counts), graph.other_classes.rows.targets]))
                classes = np.sort(np.concatenate([graph.nodes, graph.hidden])[steps_from(graph.whole_up, direct) >= 0])
            self._wanted = classes, every
        classes, every = self._wanted
        is_class = indices_of(numbers, classes)[1]
        labels, titles = work.scratch.labels(f"{number:05d}"), work.scratch.titles(f"{number:05d}")
        languages, variant = list(work.surfaces), work.recipe.surface.variant
        shared_files.write_labels(labels, path, numbers, is_class, languages, variant)
        shared_files.write_titles(titles, path, numbers, lists, every, languages, variant)
        yield None, path

    def _read(self, number: int, path: str) -> tuple[Int64s, Flags]:
        """Return the QID numbers of a file's items, and which are list articles; write signatures and relations."""
        scratch, outliers, witness = self.work.scratch, self.work.recipe.outliers, self.work.recipe.witness
        numbers, lists = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=bool)]
        signatures, relations = [], []
        columns = ["qid", "instance_of", *(COLUMNS if witness else ())]
        columns += ["relations"] if outliers.related else []
        graph = open_arrays(ClassGraph, self.work.taxonomy) if outliers.related else None
        for table in read_row_groups(path, columns, ["instance_of.list.element"]):
            numbers.append(qid_numbers(table["qid"]))
            # List articles: ``instance_of`` has a list of classes for each item, as codes of a dictionary of classes.
            classes, is_list = table["instance_of"].combine_chunks(), np.zeros(len(table), dtype=bool)
            flat = classes.flatten()
            codes = pc.indices_nonzero(pc.equal(flat.dictionary, LIST_ARTICLE))
            if len(codes):  # else no item in these rows is one
                is_list[pc.list_parent_indices(classes).filter(pc.equal(flat.indices, codes[0])).to_numpy()] = True
            lists.append(is_list)
            if witness:  # the recipe compares items by their signatures, the properties that they have
                signatures.append(ItemSignatures.of_table(numbers[-1], table))
            if graph is not None:  # it draws outliers by relations, statements that link them to members
                column = table["relations"]
                relations.append(ItemRelations.of_columns(graph, numbers[-1], column, outliers.min_sitelinks))
        if witness:
            save_arrays(ItemSignatures.join(signatures), scratch.item_signatures(number))
        if outliers.related:
            save_arrays(ItemRelations.join(relations), scratch.item_relations(number))
        return np.concatenate(numbers), np.concatenate(lists)


def join_counts(numbered: tuple[int, Sequence[str]], work: GroupWork) -> tuple[None, str]:
    """Read a numbered part of the files that count unlinked items into one record of arrays; returns its folder."""
    number, paths = numbered
    folder = work.scratch.unlinked(number)
    graph = open_arrays(ClassGraph, work.taxonomy)
    save_arrays(CountedLists.join([CountedLists.of_table(graph, read_parquet(path)) for path in paths]), folder)
    return None, folder


SLICE: Final = 1024  # classes: enough to outweigh the cost of starting one, few enough to share the work evenly


def index_outliers(written: tuple[None, Iterable[str]], work: GroupWork) -> Sequence[int]:
    """Index what may be an outlier, once surface forms and labels are there, and return the numbers of class slices.

    The index says which items may be outliers of which class, and a hash ring, for each language, in which order they
    are drawn. ``written`` is ignored: Beam delivers it once all files are there. Slice 0 exists even without candidate
    classes, so that every language gets its files.
    """
    del written
    scratch, recipe, graph = work.scratch, work.recipe, open_arrays(ClassGraph, work.taxonomy)
    # The labels and titles in each language, from those of all files of entities, as they are read often.
    labels = scratch.labels, scratch.own_labels, shared_files.LABELS
    titles = scratch.titles, scratch.own_titles, shared_files.TITLES
    for in_file, in_language, schema in (labels, titles):
        rows_of_all = pa.concat_tables([schema.empty_table(), *map(read_parquet, list_files(in_file("*")))])
        for language in work.surfaces:
            write_parquet(in_language(language), rows_of_all.filter(pc.equal(rows_of_all["language"], language)))
    # The surface forms of all items are most of what is in scratch, and are not read again once they are indexed. Files
    # that a worker of another user wrote cannot be removed here: they stay in scratch, as everything else does.
    with suppress(OutputError):
        remove_below(scratch.parts, SURFACE_PARTS)
    # The pool: all items that may be an outlier in some language, and the distinct lists of classes that they have.
    tables = {language: open_arrays(SurfaceTable, scratch.surfaces(language)) for language in work.surfaces}
    minimum = recipe.outliers.min_sitelinks
    allows = partial(in_range, options=recipe.items, role="outliers")
    by_language = [table.items[(table.sitelinks >= minimum) & allows(table.numbers)] for table in tables.values()]
    items, list_numbers, lists = outlier_pool(graph, by_language)
    candidates = shared_files.all_candidates(work)
    # If the recipe asks for them: signatures (the properties that an item has), and ties (statements between items).
    files = range(work.entity_files)
    if recipe.witness:  # which a recipe with related outliers has
        leading = {code: open_arrays(CandidateClasses, scratch.candidates(code)).leading.targets for code in tables}
        signed = (open_arrays(ItemSignatures, scratch.item_signatures(number)) for number in files)
        members = np.concatenate([table.items[leading[code]] for code, table in tables.items()])
        save_arrays(Signatures.of(graph, signed, minimum, candidates, members, recipe.seed), scratch.signatures())
        if recipe.outliers.related:
            relations = (open_arrays(ItemRelations, scratch.item_relations(number)) for number in files)
            save_arrays(Ties.of(relations, members, items, list_numbers), scratch.ties())
    # The index, which needs the counts of instances without a sitelink, too, and the order in which outliers are drawn.
    parts = [open_arrays(CountedLists, scratch.unlinked(part)) for part in range(work.unlinked_parts)]
    index = build_outlier_index(graph, lists, candidates, recipe, CountedLists.join(parts))
    save_arrays(index, scratch.outlier_index())
    for language, table in tables.items():
        # The items of the pool that have a surface form in the language, as rows of its table.
        places_in_pool, in_pool = indices_of(table.items, items)
        rows = np.flatnonzero(in_pool)
        ring = HashRing.of(recipe.seed, table.numbers[rows], rows, list_numbers[places_in_pool[rows]], len(lists))
        save_arrays(ring, scratch.ring(language))
    return range(max(1, -(-len(candidates) // SLICE)))  # rounded up


class Judged(msgspec.Struct):
    """What classes gave in a language; ``english`` are those of the groups that only have an English label."""

    groups: list[Group] = []
    rejections: list[Rejection] = []
    english: list[str] = []


@dataclass(eq=False)
class JudgeClasses(beam.DoFn):
    """Judge the classes of a numbered slice, and write its groups and rejections in each language.

    It is a DoFn because a worker opens the builder, and reads labels, once for all its slices.
    """

    work: GroupWork
    _builder: GroupBuilder | None = field(default=None, init=False)
    _english: dict[str, set[int]] = field(default_factory=dict, init=False)

    def process(self, number: int) -> Iterator[tuple[str, int]]:
        """Judge the slice of classes with this number; write a file for each language, even if nothing is in it."""
        work, scratch = self.work, self.work.scratch
        candidates = shared_files.all_candidates(work)
        # Not in setup: the files that it opens are written by earlier steps of the same pipeline.
        if self._builder is None:
            numbers = open_arrays(ClassGraph, work.taxonomy).nodes[candidates]
            labels = {language: shared_files.read_labels(scratch, language, numbers) for language in work.surfaces}
            self._english = {language: found.english for language, found in labels.items()}
            self._builder = _open_builder(work, {language: found.texts for language, found in labels.items()})
        judged_by_language = {language: Judged() for language in work.surfaces}
        classes = candidates[number * SLICE : (number + 1) * SLICE]
        # A class gives a group or a rejection in a language. Sifted groups have no outliers yet: where most groups are
        # left out later, ``finish_language`` draws them.
        for language, judgement in self._builder.judge(classes, sifted=sifts(work.recipe)):
            judged = judged_by_language[language]
            if isinstance(judgement, Rejection):
                judged.rejections.append(judgement)
            else:
                judged.groups.append(judgement)
                if qid_number(judgement.id) in self._english[language]:  # its class has an English label only
                    judged.english.append(judgement.id)
        for language, judged in judged_by_language.items():
            replace_file(scratch.judged(language, number), msgspec.msgpack.encode(judged))
            yield language, number


def _open_builder(
    work: GroupWork, labels: Mapping[str, Mapping[int, str]], *, spares_outliers: bool = False
) -> GroupBuilder:
    """Open what groups are built from, arrays that are mapped into memory, for the languages that have ``labels``.

    ``labels`` has those of the classes of each language, by QID number. With ``spares_outliers``, an outlier of one
    group is drawn for a later one only if that lacks others. Affixes, shapes of surface forms, signatures (the
    properties of items) and ties (statements between items) are None if no rule of the recipe reads them.
    """
    scratch, recipe, surprises = work.scratch, work.recipe, work.recipe.filters.affix == "surprise"
    languages = {
        language: LanguageInputs(
            profile=shared_files.read_profile(work, language).profile,
            surfaces=open_arrays(SurfaceTable, scratch.surfaces(language)),
            ring=open_arrays(HashRing, scratch.ring(language)),  # in which order outliers are drawn
            candidates=open_arrays(CandidateClasses, scratch.candidates(language)),
            labels=of_classes,
            affixes=read_json(scratch.affixes(language), AffixCounts) if surprises else None,
            forms=open_arrays(SurfaceForms, scratch.forms(language)) if recipe.outliers.places else None,
        )
        for language, of_classes in labels.items()
    }
    witness = open_arrays(Signatures, scratch.signatures()) if recipe.witness else None
    ties = open_arrays(Ties, scratch.ties()) if recipe.outliers.related else None
    inputs = GroupInputs(open_arrays(ClassGraph, work.taxonomy), languages, recipe, witness, ties)
    index = open_arrays(OutlierIndex, scratch.outlier_index())
    return GroupBuilder(inputs, index, spares=spares_outliers)


def finish_language(slices_of: tuple[str, Iterable[int]], work: GroupWork) -> None:
    """Collect the groups and rejections of all slices of a language, and write them by class, and their counts.

    Left out are near-duplicates, groups beyond the most that a language may have, and those with too few outliers.
    """
    (language, slices), recipe, scratch = slices_of, work.recipe, work.scratch
    graph = open_arrays(ClassGraph, work.taxonomy)
    all_judged = Judged()
    for number in sorted(slices):
        judged = msgspec.msgpack.decode(read_binary(scratch.judged(language, number)), type=Judged)
        all_judged.groups += judged.groups
        all_judged.rejections += judged.rejections
        all_judged.english += judged.english
    groups, refused = _keep(all_judged.groups, graph, recipe)
    rejections = all_judged.rejections + refused
    all_judged.groups.clear()  # of a full dump, most are not kept, and large
    if groups and (sifts(recipe) or spares(recipe)):
        groups, without_outliers = _judge_again(groups, graph, work, language)
        rejections += without_outliers
    # All files of the language, then the counts and facts that the manifest has of it.
    groups = shared_files.complete(groups, work, language)
    rejections.sort(key=lambda rejection: qid_number(rejection.qid))
    shared_files.write_groups(scratch.finished, language, groups, rejections)
    profile = work.profiles.get(language)
    if profile is None:  # none was given or edited
        profile = write_profile_file(language, shared_files.read_profile(work, language))
    replace_file(f"{scratch.finished}/{profile_path(language)}", profile.encode())
    reasons = Counter(rejection.reason for rejection in rejections)
    counts = Counts(len(groups) + len(rejections), len(groups), dict(sorted(reasons.items())))
    write_counts(scratch.counts(language), counts)
    only_english = set(all_judged.english)
    names: shared_files.SurfaceCount = read_json(scratch.surface_count(language), shared_files.SurfaceCount)
    facts = shared_files.GroupFacts(
        cases=sum(len(group.outliers) for group in groups),
        english=[group.id for group in groups if group.id in only_english],
        unclear=names.every - names.clear,
        places=count_places(groups, recipe.seed) if recipe.outliers.places else {},
    )
    replace_file(scratch.group_facts(language), msgspec.json.encode(facts))


def _judge_again(
    groups: Sequence[Group], graph: ClassGraph, work: GroupWork, language: str
) -> tuple[list[Group], list[Rejection]]:
    """Draw the outliers of the groups that are kept: of these alone, or so that no two of them share one.

    Returns the groups in the order of QIDs, and rejections of those with too few outliers.
    """
    labels = {qid_number(group.id): group.label for group in groups if group.label != group.id}
    builder = _open_builder(work, {language: labels}, spares_outliers=spares(work.recipe))
    # In the order in which max_groups keeps them, so that their outliers are the same without it.
    order = kept_groups.in_class_order(graph, [qid_number(group.id) for group in groups], work.recipe)
    judgements = [judgement for _, judgement in builder.judge(indices_of(np.array(order), graph.nodes)[0])]
    drawn = (judgement for judgement in judgements if isinstance(judgement, Group))
    rejections = [judgement for judgement in judgements if isinstance(judgement, Rejection)]
    return sorted(drawn, key=lambda group: qid_number(group.id)), rejections


def _keep(groups: Sequence[Group], graph: ClassGraph, recipe: Recipe) -> tuple[list[Group], list[Rejection]]:
    """Keep at most ``max_groups`` groups that share few items with one before them; reject the others, saying why."""
    by_class, refused = {qid_number(group.id): group for group in groups}, list[tuple[Group, str, str]]()
    order = kept_groups.in_class_order(graph, list(by_class), recipe)
    if recipe.filters.near_duplicates is not None:
        clusters = ((number, [member.id for member in by_class[number].cluster]) for number in order)
        repeats = kept_groups.near_duplicates(clusters, recipe.filters.near_duplicates)
        for number, other in repeats.items():
            kept = name_class(by_class[other.kept].id, by_class[other.kept].label)
            detail = f"shares {other.shared} items with {kept}, which is kept"
            refused.append((by_class[number], kept_groups.NEAR_DUPLICATE, detail))
        order = [number for number in order if number not in repeats]
    most = recipe.cluster.max_groups or len(order)
    detail = f"one of {len(order)} groups, of which the first {most} by {recipe.cluster.class_order} are kept"
    refused += [(by_class[number], kept_groups.CAPPED, detail) for number in order[most:]]
    rejections = []
    for group, reason, detail in refused:
        label = "" if group.label == group.id else group.label
        rejections.append(Rejection(group.id, group.language, reason, detail, label))
    return [by_class[number] for number in sorted(order[:most])], rejections  # in the order of QIDs
