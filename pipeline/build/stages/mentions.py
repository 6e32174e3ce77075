"""Stage 2: the links of Wikipedia dumps, counted into the anchor dictionary of each language."""

from collections.abc import Mapping, Sequence
from typing import Final

from wikisem.pipeline.build.inputs import Dump
from wikisem.pipeline.build.stage_runner import Folders, Stage, Unit, UnitResult
from wikisem.transforms.io.runtime import StageContext
from wikisem.transforms.mentions.stage import count_mentions

STAGE: Final = "mentions"


def mentions_unit(language: str) -> str:
    """The unit of a language, which is also the path of its folder in OUT."""
    return f"{STAGE}/{language}"


def mentions(dumps: Mapping[str, Dump], link_trail: bool) -> Stage:
    """The mentions of all languages, in one pipeline; a language that is finished is not counted again."""

    def work(units: Sequence[str], folders: Folders, context: StageContext) -> Mapping[str, UnitResult]:
        del folders
        todo = [language for language in dumps if mentions_unit(language) in units]
        paths = {language: dumps[language].paths for language in todo}
        written = {language: context.folders[mentions_unit(language)] for language in todo}
        counts = count_mentions(paths, link_trail, written, context)
        return {mentions_unit(language): UnitResult(counts[language]) for language in todo}

    units = [
        Unit(
            mentions_unit(language),
            {"dump": dump.identity(), "link_trail": link_trail},
            facts={"inputs": dump.describe()},
        )
        for language, dump in dumps.items()
    ]
    return Stage(STAGE, units, work)
