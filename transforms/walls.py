"""Stage 6: walls, puzzles of 16 words from four classes, from the groups of a run, one language at a time."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import chain
from typing import Final, NamedTuple

import apache_beam as beam
import msgspec
import orjson

from wikisem.arrow.columns import qid_numbers
from wikisem.arrow.parquet import read_parquet, read_row_groups
from wikisem.files import list_files, match, read_binary, replace_file
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import indices_of
from wikisem.graph.outlier_sets.class_lists import NO_UNLINKED, CountedLists, PageLinks
from wikisem.graph.statements import ItemSignatures, Signatures, read_item_signatures, signatures_of_classes
from wikisem.graph.store import open_arrays, save_arrays
from wikisem.heuristics.selection import wall_fits
from wikisem.heuristics.selection.walls import draw_walls
from wikisem.layout import WALLS, Scratch, profile_path, unlinked_folder, walls_path
from wikisem.outputs.groupfile import encode_wall, read_groups
from wikisem.recipes.options import Recipe
from wikisem.records import Counts, Group, Tier
from wikisem.surfaces.table import meant_instead, read_members
from wikisem.transforms.io.counts import read_json
from wikisem.transforms.io.runtime import StageContext, label_of
from wikisem.wikipedia.languages import LanguageProfile, language_profile
from wikisem.wikipedia.learning import read_profile_file, with_values

VERSION: Final = 9  # of the stage's output; raise it when that changes


class WallSources(NamedTuple):
    """What walls are made from: OUT with its groups and profiles, and the folders of what is finished in it.

    ``surfaces`` has the folder of each language.
    """

    output: str
    entities: str
    taxonomy: str
    surfaces: Mapping[str, str]


def make_walls(sources: WallSources, recipe: Recipe, seed: int, context: StageContext) -> dict[str, dict[Tier, Counts]]:
    """Make walls, puzzles of 16 words from four classes, of each language into ``finished/walls``.

    Returns by language and tier (how hard they are) how many walls were tried, kept and dropped. ``recipe`` is that of
    the groups that give the classes; walls are drawn from them by the ``seed``.
    """
    scratch, languages = context.scratch, sorted(sources.surfaces)
    # Signatures, the properties that items have, are only read if the recipe asks how like members an item is.
    files = [] if recipe.outliers.margin is None else list(enumerate(match([f"{sources.entities}/*.parquet"])))
    work = _Work(scratch, sources, recipe, seed, len(files))
    parts = f"{scratch.finished}/{walls_path('*')}"
    with context.runtime.pipeline(label=label_of(WALLS, languages), parts=parts, total=len(languages)) as pipeline:
        classes = pipeline | "languages" >> beam.Create(languages) | "read classes" >> beam.Map(read_classes, work)
        signed = pipeline | "entities" >> beam.Create(files) | "collect signatures" >> beam.Map(collect, scratch)
        _ = (
            [classes, signed]
            | "all of them" >> beam.Flatten()
            | "wait for all" >> beam.GroupByKey()
            | "index" >> beam.FlatMap(index_walls, work)
            | "distribute languages" >> beam.Reshuffle()
            | "draw walls" >> beam.Map(write_walls, work)
        )
    return {language: read_json(scratch.tiers(language), dict[Tier, Counts]) for language in languages}


class _Work(NamedTuple):
    """What the steps of the stage share; signatures come in as many parts as there are ``entity_files``."""

    scratch: Scratch
    sources: WallSources
    recipe: Recipe
    seed: int
    entity_files: int


def read_classes(language: str, work: _Work) -> tuple[None, str]:
    """Write the classes of a language's groups with the words that each may bring into walls.

    These are the members of the group's cluster, then other instances of the class, the most prominent first.
    """
    sources, recipe = work.sources, work.recipe
    graph, groups = open_arrays(ClassGraph, sources.taxonomy), read_groups(sources.output, language)
    profile = _read_profile(sources.output, language, groups)
    paths = list_files(f"{sources.surfaces[language]}/*.parquet")
    # How many links in the language lead to each item, if the recipe ranks instances by these.
    links = None
    if recipe.cluster.prominence == "local":
        tables = [table for path in paths for table in read_row_groups(path, ["qid", "total"])]
        found = [(*indices_of(qid_numbers(table["qid"]), graph.items), table["total"].to_numpy()) for table in tables]
        links = PageLinks.of((items[in_graph], totals[in_graph]) for items, in_graph, totals in found)
    # The leading (most prominent) instances of each class that have a surface form.
    leading = wall_fits.leading_instances(graph, groups, recipe, links)
    named = read_members(paths, graph, set(chain.from_iterable(leading.values())))
    # Without those by whose label readers mean a better known item, as by "Paris" of a village in Texas.
    mean_others = meant_instead(named, sources.surfaces[language], graph, recipe.surface.minimum_page_share)
    members = {item: named[item] for item in named if item not in mean_others}
    other_instances = ([members[item] for item in leading[group.qid] if item in members] for group in groups)
    pairs = zip(groups, other_instances, strict=True)
    classes = [wall_fits.WallClass.of(group, instances, profile, recipe.filters) for group, instances in pairs]
    replace_file(work.scratch.classes(language), msgspec.json.encode(classes))
    return None, language  # None is the one key of all files


def collect(numbered: tuple[int, str], scratch: Scratch) -> tuple[None, str]:
    """Write the signatures of the items in a numbered file of entities."""
    number, path = numbered
    save_arrays(read_item_signatures(path), scratch.item_signatures(number))
    return None, path


def index_walls(written: tuple[None, Iterable[str]], work: _Work) -> list[str]:
    """Write the index that says which words may fit which classes, for the classes of all languages; return the latter.

    Signatures, the properties that words' items and instances have, are written, too, if the recipe compares them.
    ``written`` is ignored: Beam delivers it once the classes and the signatures of all files are there.
    """
    del written
    scratch, sources, recipe = work.scratch, work.sources, work.recipe
    graph, languages = open_arrays(ClassGraph, sources.taxonomy), sorted(sources.surfaces)
    by_language = (read_json(scratch.classes(language), list[wall_fits.WallClass]) for language in languages)
    classes = list(chain.from_iterable(by_language))
    # Items without a sitelink, which the graph lacks, count where shares of all instances of a class are asked.
    unlinked = NO_UNLINKED
    if recipe.counts_instances:
        paths = list_files(f"{unlinked_folder(sources.entities)}/*.parquet")
        unlinked = CountedLists.join([CountedLists.of_table(graph, read_parquet(path)) for path in paths])
    save_arrays(wall_fits.WallIndex.of(graph, recipe, classes, unlinked), scratch.wall_index())
    if recipe.outliers.margin is not None:
        folders = map(scratch.item_signatures, range(work.entity_files))
        parts = (open_arrays(ItemSignatures, folder) for folder in folders)
        signatures = signatures_of_classes(parts, graph, *wall_fits.nodes_and_items(graph, classes), recipe)
        save_arrays(signatures, scratch.signatures())
    return languages


def write_walls(language: str, work: _Work) -> None:
    """Draw the walls of a language, and write them and, by tier, how many were tried, kept and dropped."""
    scratch, sources, recipe = work.scratch, work.sources, work.recipe
    classes: list[wall_fits.WallClass] = read_json(scratch.classes(language), list[wall_fits.WallClass])
    signatures = None if recipe.outliers.margin is None else open_arrays(Signatures, scratch.signatures())
    index = open_arrays(wall_fits.WallIndex, scratch.wall_index())
    inputs = wall_fits.WallInputs(open_arrays(ClassGraph, sources.taxonomy), recipe, index, signatures)
    profile = _read_profile(sources.output, language, [found.group for found in classes])
    fits = wall_fits.WallFits.of(classes, inputs, profile)  # which words may fit which other classes
    found = draw_walls(classes, fits, profile, replace(recipe, seed=work.seed))
    replace_file(f"{scratch.finished}/{walls_path(language)}", b"".join(map(encode_wall, found.walls)))
    tiers = {tier: asdict(counts) for tier, counts in found.counts.items()}
    replace_file(scratch.tiers(language), orjson.dumps(tiers))


def _read_profile(output: str, language: str, groups: Sequence[Group]) -> LanguageProfile:
    """The profile by which the groups of a language were made."""
    path = f"{output}/{profile_path(language)}"
    values = read_profile_file(read_binary(path), path).values()
    surfaces = (member.surface for group in groups for member in group.cluster)
    return with_values(language_profile(language, sample=surfaces), values)
