"""Stage 5: the groups of every language, from the class graph and the surface forms.

Everything large lies in files that workers map into memory; what travels between the steps is names of files and
numbers of blocks. One block is a run of candidate classes, judged in all languages at once, because the outlier sets
do not depend on the language.
"""

from collections.abc import Mapping
from typing import Final

import apache_beam as beam

from wikisem.recipes.options import Recipe
from wikisem.records import Counts
from wikisem.transforms.groups.blocks import FinishLanguage, JudgeBlock
from wikisem.transforms.groups.labels import GatherFacts
from wikisem.transforms.groups.names import GatherNames, IndexNames, Part
from wikisem.transforms.groups.plan import PlanBlocks, Sources
from wikisem.transforms.io.counts import sum_counts
from wikisem.transforms.io.files import match
from wikisem.transforms.io.runtime import StageContext

STAGE: Final = "groups"


def build_groups(
    entities: str,
    taxonomy: str,
    surfaces: Mapping[str, str],
    siteinfo: Mapping[str, str],
    recipe: Recipe,
    seed: int,
    context: StageContext,
) -> dict[str, Counts]:
    """Build the groups of each language into ``published/groups`` and ``published/rejected``.

    ``surfaces`` (language -> folder) names the languages; ``siteinfo`` (language -> file) gives the namespace names of
    the wikis that it knows. Returns the counts of each language: classes with at least ``minimum`` instances that have
    a surface form, kept as groups or rejected by reason. Raises MissingInputError.
    """
    scratch, runtime = context.scratch, context.runtime
    sources = Sources(taxonomy, dict(siteinfo), recipe, seed, scratch)
    names = [part for one, folder in surfaces.items() for part in Part.deal(one, match([f"{folder}/*.parquet"]))]
    facts = list(enumerate(match([f"{entities}/*.parquet"])))

    def construct(pipeline: beam.Pipeline) -> None:
        named = (
            pipeline
            | "surfaces" >> beam.Create(names)
            | "deal out surfaces" >> beam.Reshuffle()
            | "gather names" >> beam.ParDo(GatherNames(sources))
            | "meet parts" >> beam.GroupByKey()
            | "index names" >> beam.ParDo(IndexNames(sources))
        )
        told = (
            pipeline
            | "entities" >> beam.Create(facts)
            | "deal out entities" >> beam.Reshuffle()
            | "gather facts" >> beam.ParDo(GatherFacts(sources, sorted(surfaces)))
        )
        (
            (named, told)
            | "gathered" >> beam.Flatten()
            | "meet" >> beam.GroupByKey()
            | "plan" >> beam.ParDo(PlanBlocks(sources, sorted(surfaces)))
            | "deal out blocks" >> beam.Reshuffle()
            | "judge" >> beam.ParDo(JudgeBlock(sources, sorted(surfaces)))
            | "meet languages" >> beam.GroupByKey()
            | "finish" >> beam.ParDo(FinishLanguage(sources))
        )

    runtime.run(construct, label=STAGE)
    return {language: sum_counts(f"{scratch.parts}/counts/{language}.json") for language in surfaces}
