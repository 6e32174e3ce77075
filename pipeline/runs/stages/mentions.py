"""Stage 2: the links of Wikipedia dumps, counted into the anchor dictionary of each language."""

from collections.abc import Mapping, Sequence

from wikisem.files import open_binary
from wikisem.layout import MENTIONS, siteinfo_path, unit_of
from wikisem.pipeline.runs.inputs import Dump, Profiles
from wikisem.pipeline.runs.stage_runner import Folders, Stage, Unit, UnitResult
from wikisem.records import Counts
from wikisem.transforms.io.runtime import StageContext
from wikisem.transforms.mentions.stage import VERSION, count_mentions, read_link_letters
from wikisem.wikipedia.learning import Evidence, find_profile
from wikisem.wikipedia.siteinfo import SiteInfo
from wikisem.wikipedia.variants import conversion_of, lacks_conversion
from wikisem.wikis import wiki_of


def mentions(dumps: Mapping[str, Dump], link_trail: bool, profiles: Profiles | None = None) -> Stage:
    """The mentions of all languages, in one pipeline; a language that is finished is not counted again."""

    given = profiles or Profiles()

    def work(units: Sequence[str], folders: Folders, context: StageContext) -> Mapping[str, UnitResult]:
        del folders
        todo = [language for language in dumps if unit_of(MENTIONS, language) in units]
        paths = {language: dumps[language].paths for language in todo}
        written = {language: context.folders[unit_of(MENTIONS, language)] for language in todo}
        files = {language: given.read(language) for language in todo if language in given.texts}
        counts = count_mentions(paths, link_trail, written, context, files)
        results = {}
        for language, folder in written.items():
            learned = _learned(language, folder) if link_trail and language not in given.trails else {}
            results[unit_of(MENTIONS, language)] = _result(language, counts[language], folder, learned)
        return results

    units = [
        Unit(
            unit_of(MENTIONS, language),
            {
                "dump": dump.identity(),
                "link_trail": link_trail and given.trails.get(language, True),
                **_conversion(language),
            },
            facts={"inputs": dump.describe()},
            version=VERSION,
        )
        for language, dump in dumps.items()
    ]
    return Stage(MENTIONS, units, work)


def _conversion(language: str) -> dict[str, str]:
    """The converter of titles in other scripts, for languages with several scripts."""
    conversion = conversion_of(language)
    return {"conversion": conversion} if conversion else {}


def _learned(language: str, folder: str) -> dict[str, str]:
    """The trail that the links of a language were read with, if no file gave it."""
    return {"learned_trail": find_profile(language, evidence=Evidence(read_link_letters(folder))).profile.link_trail}


def _result(language: str, counts: Counts, folder: str, learned: Mapping[str, str]) -> UnitResult:
    """The counts of a language, with a warning where its dump is of another wiki, or titles could not be converted."""
    with open_binary(siteinfo_path(folder)) as source:
        dbname = SiteInfo.from_json(source.read(), siteinfo_path(folder)).dbname
    expected, warnings = wiki_of(language), []
    if dbname and dbname != expected:
        seen = f"expected a dump of {expected or 'no wiki'}, saw one of {dbname}, which is taken for {language}"
        warnings.append(seen)
    if lacks_conversion(language):
        warnings.append(
            "without opencc, links in the other script do not count for the page: pip install 'wikisem[chinese]'"
        )
    warning = f"{unit_of(MENTIONS, language)}: {'; '.join(warnings)}" if warnings else ""
    return UnitResult(counts, {"wiki": dbname, **({"warning": warning} if warning else {}), **learned}, warning)
