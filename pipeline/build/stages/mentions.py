"""Stage 2: the links of a Wikipedia dump, counted into the anchor dictionary of its language."""

from collections.abc import Mapping, Sequence

from wikisem.pipeline.build.inputs import Dump
from wikisem.pipeline.build.stage_runner import Folders, Stage, Unit, UnitResult
from wikisem.transforms.io.runtime import StageContext
from wikisem.transforms.mentions.stage import count_mentions


def mentions_unit(language: str) -> str:
    """The unit of a language, which is also the path of its folder in OUT."""
    return f"mentions/{language}"


def mentions(language: str, dump: Dump, link_trail: bool) -> Stage:
    """The mentions of one language."""
    name = mentions_unit(language)
    options = {"dump": dump.identity(), "link_trail": link_trail}

    def work(units: Sequence[str], folders: Folders, context: StageContext) -> Mapping[str, UnitResult]:
        del units, folders
        return {name: UnitResult(count_mentions(dump.paths, language, link_trail, context.for_unit(name)))}

    return Stage(name, [Unit(name, options, facts={"inputs": dump.describe()})], work)
