"""Stage 6: walls from the groups of a run, one language at a time."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import chain
from typing import Final

import apache_beam as beam
import msgspec
import orjson

from wikisem.files import list_files, match, open_binary, replace_file
from wikisem.graph.outlier_sets.class_lists import NO_UNLINKED
from wikisem.graph.signatures import ItemSignatures, Signatures, read_item_signatures, signatures_of_classes
from wikisem.graph.store import open_arrays, save_arrays
from wikisem.heuristics.selection.wall_fits import (
    WallClass,
    WallFits,
    WallIndex,
    WallInputs,
    leading_instances,
    nodes_and_items,
)
from wikisem.heuristics.selection.walls import draw_walls
from wikisem.layout import WALLS, WallScratch, profile_path, unlinked_folder, walls_path
from wikisem.outputs.groupfile import read_groups
from wikisem.outputs.wallfile import encode_wall
from wikisem.recipes.options import Recipe
from wikisem.records import Counts, Group, Tier
from wikisem.transforms.groups.shared_files import open_graph, read_members, read_unlinked, write_lines
from wikisem.transforms.io.counts import read_json
from wikisem.transforms.io.runtime import StageContext, label_of
from wikisem.wikipedia.languages import LanguageProfile, language_profile
from wikisem.wikipedia.learning import read_profile_file, with_values

# Of the rules by which this stage works and of the form of its files: raise it with any change to what it leaves.
VERSION: Final = 3


@dataclass(frozen=True)
class WallSources:
    """What walls are made from: OUT with its groups and profiles, and the folders of what is finished in it.

    ``surfaces`` has the folder of each language.
    """

    output: str
    entities: str
    taxonomy: str
    surfaces: Mapping[str, str]


def make_walls(sources: WallSources, recipe: Recipe, seed: int, context: StageContext) -> dict[str, dict[Tier, Counts]]:
    """Make the walls of each language into ``finished/walls``; of each tier, how many were tried, kept and dropped.

    ``recipe`` is that of the groups; walls are drawn from them by the ``seed``.
    """
    scratch = WallScratch.of(context.scratch)
    languages = sorted(sources.surfaces)
    asks_witness = recipe.outliers.margin is not None
    files = list(enumerate(match([f"{sources.entities}/*.parquet"]))) if asks_witness else []

    def construct(pipeline: beam.Pipeline) -> None:
        classes = (
            pipeline
            | "languages" >> beam.Create(languages)
            | "read classes" >> beam.ParDo(ReadClasses(scratch, sources, recipe))
        )
        signed = (
            pipeline | "entities" >> beam.Create(files) | "collect signatures" >> beam.ParDo(CollectSignatures(scratch))
        )
        (
            [classes, signed]
            | "all of them" >> beam.Flatten()
            | "wait for all" >> beam.GroupByKey()
            | "index" >> beam.ParDo(IndexWalls(scratch, sources, recipe, len(files)))
            | "distribute languages" >> beam.Reshuffle()
            | "draw walls" >> beam.ParDo(DrawWalls(scratch, sources, recipe, seed))
        )

    parts = f"{scratch.finished}/{walls_path('*')}"
    context.runtime.run(construct, label=label_of(WALLS, languages), parts=parts, total=len(languages))
    return {language: msgspec.convert(read_json(scratch.tiers(language)), dict[Tier, Counts]) for language in languages}


class ReadClasses(beam.DoFn):
    """Write the classes of a language's groups with their words."""

    def __init__(self, scratch: WallScratch, sources: WallSources, recipe: Recipe) -> None:
        self._scratch, self._sources, self._recipe = scratch, sources, recipe

    def process(self, language: str) -> Iterator[tuple[None, str]]:
        """Read groups and surface forms, write; yields the language."""
        graph, groups = open_graph(self._sources.taxonomy), read_groups(self._sources.output, language)
        profile = _read_profile(self._sources.output, language, groups)
        leading = leading_instances(graph, groups, self._recipe)
        paths = list_files(f"{self._sources.surfaces[language]}/*.parquet")
        members = read_members(paths, graph, set(chain.from_iterable(leading.values())))
        further = ([members[one] for one in leading[group.qid] if one in members] for group in groups)
        filters = self._recipe.filters
        classes = [WallClass.of(group, own, profile, filters) for group, own in zip(groups, further, strict=True)]
        replace_file(self._scratch.classes(language), msgspec.json.encode(classes))
        yield None, language


class CollectSignatures(beam.DoFn):
    """Write the signatures of the items in a numbered file of entities."""

    def __init__(self, scratch: WallScratch) -> None:
        self._scratch = scratch

    def process(self, numbered: tuple[int, str]) -> Iterator[tuple[None, str]]:
        """Read and write; yields the folder."""
        number, path = numbered
        save_arrays(read_item_signatures(path), self._scratch.item_signatures(number))
        yield None, self._scratch.item_signatures(number)


class IndexWalls(beam.DoFn):
    """Write what the walls of all languages have in common once their classes are there, and hand out the languages."""

    def __init__(self, scratch: WallScratch, sources: WallSources, recipe: Recipe, entity_files: int) -> None:
        self._scratch, self._sources, self._recipe, self._entity_files = scratch, sources, recipe, entity_files

    def process(self, written: tuple[None, Iterable[str]]) -> Iterator[str]:
        """Write, then yield; ``written`` is ignored: Beam delivers it once all files are there."""
        del written
        graph, recipe, languages = open_graph(self._sources.taxonomy), self._recipe, sorted(self._sources.surfaces)
        classes = [one for language in languages for one in _read_classes(self._scratch, language)]
        unlinked = NO_UNLINKED
        if recipe.outliers.status_share:
            folder = unlinked_folder(self._sources.entities)
            unlinked = read_unlinked(graph, list_files(f"{folder}/*.parquet"))
        save_arrays(WallIndex.of(graph, recipe, classes, unlinked), self._scratch.index)
        if recipe.outliers.margin is not None:
            folders = map(self._scratch.item_signatures, range(self._entity_files))
            parts = (open_arrays(ItemSignatures, folder) for folder in folders)
            signatures = signatures_of_classes(parts, graph, *nodes_and_items(graph, classes), recipe)
            save_arrays(signatures, self._scratch.signatures)
        yield from languages


class DrawWalls(beam.DoFn):
    """Draw the walls of a language, and write them with the counts of their tiers."""

    def __init__(self, scratch: WallScratch, sources: WallSources, recipe: Recipe, seed: int) -> None:
        self._scratch, self._sources, self._recipe, self._seed = scratch, sources, recipe, seed

    def process(self, language: str) -> None:
        """Draw and write."""
        scratch, recipe, classes = self._scratch, self._recipe, _read_classes(self._scratch, language)
        signatures = None if recipe.outliers.margin is None else open_arrays(Signatures, scratch.signatures)
        index = open_arrays(WallIndex, scratch.index)
        inputs = WallInputs(open_graph(self._sources.taxonomy), recipe, index, signatures)
        profile = _read_profile(self._sources.output, language, [one.group for one in classes])
        fits = WallFits.of(classes, inputs, profile)
        found = draw_walls(classes, fits, profile, replace(recipe, seed=self._seed))
        write_lines(f"{scratch.finished}/{walls_path(language)}", map(encode_wall, found.walls))
        tiers = {tier: asdict(counts) for tier, counts in found.counts.items()}
        replace_file(scratch.tiers(language), orjson.dumps(tiers))


def _read_classes(scratch: WallScratch, language: str) -> list[WallClass]:
    with open_binary(scratch.classes(language)) as source:
        return msgspec.json.decode(source.read(), type=list[WallClass])


def _read_profile(output: str, language: str, groups: Sequence[Group]) -> LanguageProfile:
    """The profile by which the groups of a language were made."""
    path = f"{output}/{profile_path(language)}"
    with open_binary(path) as source:
        values = read_profile_file(source.read(), path).values()
    surfaces = (member.surface for group in groups for member in group.cluster)
    return with_values(language_profile(language, sample=surfaces), values)
