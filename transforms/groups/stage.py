"""Stage 5: the groups of every language, from the class graph and the surface forms.

Everything large is in files that workers map into memory; only names of files and numbers travel between the steps. A
slice of the candidate classes is judged in all languages at once, because outlier sets do not depend on the language.
"""

from collections.abc import Mapping
from typing import Final

import apache_beam as beam

from wikisem.recipes.options import Recipe
from wikisem.records import Counts
from wikisem.transforms.groups.items import CollectItems, CollectUnlinked, divide_unlinked
from wikisem.transforms.groups.judging import FinishLanguage, JudgeClasses
from wikisem.transforms.groups.outlier_indexes import IndexOutliers
from wikisem.transforms.groups.shared_files import GroupFiles
from wikisem.transforms.groups.surface_tables import IndexSurfaces, ReadSurfaces, SurfacePart
from wikisem.transforms.io.counts import sum_counts
from wikisem.transforms.io.files import match
from wikisem.transforms.io.runtime import StageContext

STAGE: Final = "groups"
# Of the rules by which this stage works and of the form of its files: raise it with any change to what it leaves.
VERSION: Final = 2


def build_groups(
    entities: str,
    taxonomy: str,
    surfaces: Mapping[str, str],
    mentions: Mapping[str, str],
    recipe: Recipe,
    context: StageContext,
    profiles: Mapping[str, str] | None = None,
) -> dict[str, Counts]:
    """Build the groups of each language into ``published/groups``, ``rejected`` and ``languages``.

    ``surfaces`` (language -> folder) names the languages; ``mentions`` (language -> folder) gives what is known of the
    wikis themselves, and ``profiles`` (language -> text) the profile files that were given or edited. Returns the
    counts of each language: classes with at least ``minimum`` instances that have a surface form, kept as groups or
    rejected by reason. Raises MissingInputError.
    """
    files = GroupFiles(taxonomy, dict(mentions), recipe, context.scratch, dict(profiles or {}))
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
            | "distribute surfaces" >> beam.Reshuffle()
            | "read surfaces" >> beam.ParDo(ReadSurfaces(files))
            | "group parts by language" >> beam.GroupByKey()
            | "index surfaces" >> beam.ParDo(IndexSurfaces(files))
        )
        items = pipeline | "entities" >> beam.Create(entity_files) | "distribute entities" >> beam.Reshuffle()
        counted = pipeline | "unlinked" >> beam.Create(unlinked) | "distribute unlinked" >> beam.Reshuffle()
        (
            [
                indexed,
                items | "collect items" >> beam.ParDo(CollectItems(files, languages)),
                counted | "count unlinked" >> beam.ParDo(CollectUnlinked(files)),
            ]
            | "all of them" >> beam.Flatten()
            | "wait for all" >> beam.GroupByKey()
            | "index outliers" >> beam.ParDo(IndexOutliers(files, languages, len(entity_files), len(unlinked)))
            | "distribute slices" >> beam.Reshuffle()
            | "judge classes" >> beam.ParDo(JudgeClasses(files, languages))
            | "group slices by language" >> beam.GroupByKey()
            | "finish" >> beam.ParDo(FinishLanguage(files, dict(surfaces)))
        )

    context.runtime.run(construct, label=STAGE)
    return {language: sum_counts([f"{context.scratch.parts}/counts/{language}.json"]) for language in surfaces}
