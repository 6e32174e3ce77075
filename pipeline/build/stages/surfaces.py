"""Stage 3: the surface form of each item in a language, from its mentions or from the recipe's fallback."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import orjson

from wikisem.pipeline.build.run import Run
from wikisem.pipeline.build.stage_runner import Folders, Stage, Unit, UnitResult
from wikisem.pipeline.build.stages.entities import ENTITIES, check_labels
from wikisem.pipeline.build.stages.mentions import mentions_unit
from wikisem.recipes.options import SurfaceOptions
from wikisem.transforms.io.files import open_binary
from wikisem.transforms.io.runtime import StageContext
from wikisem.transforms.surfaces.stage import resolve_surfaces


def surfaces_unit(language: str) -> str:
    """The unit of a language, which is also the path of its folder in OUT."""
    return f"surfaces/{language}"


def surfaces(language: str, options: SurfaceOptions, with_mentions: bool) -> Stage:
    """The surface forms of one language; without mentions they are the fallback's alone."""
    name, anchors = surfaces_unit(language), mentions_unit(language)
    needs = (ENTITIES, anchors) if with_mentions else (ENTITIES,)

    def work(units: Sequence[str], folders: Folders, context: StageContext) -> Mapping[str, UnitResult]:
        del units
        context = context.for_unit(name)
        dictionary = folders(anchors) if with_mentions else None
        counts = resolve_surfaces(folders(ENTITIES), dictionary, language, options, context)
        sources = _summary(context)
        refused = sources.pop("refused", {})
        return {name: UnitResult(counts, {"sources": sources, **({"refused": refused} if refused else {})})}

    def check(run: Run) -> None:
        check_labels(run.ledger.require(ENTITIES), language)

    unit = Unit(name, asdict(options), needs=needs)
    return Stage(name, [unit], work, check=check)


def _summary(context: StageContext) -> Any:
    """How many forms came from anchors, labels and titles."""
    with open_binary(f"{context.scratch.published}/summary.json") as source:
        return orjson.loads(source.read())
