"""Stage 4: the class graph, pruned."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from wikisem.layout import ENTITIES, TAXONOMY
from wikisem.pipeline.runs.stage_runner import Folders, Stage, Unit, UnitResult
from wikisem.recipes.options import GraphOptions
from wikisem.transforms.io.runtime import StageContext
from wikisem.transforms.taxonomy import VERSION, build_taxonomy


def taxonomy(options: GraphOptions) -> Stage:
    """The class graph of all items."""

    def work(units: Sequence[str], folders: Folders, context: StageContext) -> Mapping[str, UnitResult]:
        del units
        return {TAXONOMY: UnitResult(build_taxonomy(folders(ENTITIES), options, context.for_unit(TAXONOMY)))}

    return Stage(TAXONOMY, [Unit(TAXONOMY, asdict(options), needs=(ENTITIES,), version=VERSION)], work)
