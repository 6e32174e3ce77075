"""The profile of each language, from its wiki, its surface forms, the titles of its list articles, and its file."""

from itertools import islice

import pyarrow as pa
import pyarrow.compute as pc

from wikisem.heuristics.rules.list_titles import common_affixes
from wikisem.transforms.groups.labels import TITLES
from wikisem.transforms.groups.shared_files import GroupFiles
from wikisem.transforms.groups.surface_tables import SAMPLE
from wikisem.transforms.io.files import create_binary, list_files, open_binary
from wikisem.transforms.io.parquet import read_parquet
from wikisem.transforms.io.surroundings import read_surroundings
from wikisem.wikipedia.languages import language_profile
from wikisem.wikipedia.learning import Evidence, FoundProfile, find_profile
from wikisem.wikipedia.link_surroundings import LinkSurroundings
from wikisem.wikipedia.profile_file import read_profile_file, write_profile_file
from wikisem.wikipedia.siteinfo import SiteInfo


def read_profile(files: GroupFiles, language: str) -> FoundProfile:
    """The profile that the rules use in a language, with where each of its values is from."""
    site, links = _read_wiki(files, language)
    surfaces = list(islice(files.surfaces(language).sample(SAMPLE), SAMPLE))
    tables = [read_parquet(path) for path in list_files(f"{files.labels()}/titles-*.parquet")]
    titles = pa.concat_tables([TITLES.empty_table(), *tables])
    own = titles.filter(pc.equal(titles["language"], language))
    lists, others = (own.filter(flag)["title"].to_pylist() for flag in (own["list"], pc.invert(own["list"])))
    spaced = language_profile(language, sample=surfaces).spaced
    with open_binary(files.surface_count(language)) as source:
        count = int(source.read())
    evidence = Evidence(links, surfaces, count, common_affixes(lists, others, spaced), len(set(lists)))
    text = files.profiles.get(language)
    given = None if text is None else read_profile_file(text, f"languages/{language}.toml")
    return find_profile(language, site=site, evidence=evidence, given=given)


def write_profile(files: GroupFiles, language: str) -> None:
    """Write the profile file of a language: as it was given or edited, else what was found."""
    text = files.profiles.get(language)
    if text is None:
        found = read_profile(files, language)
        text = write_profile_file(language, found.values(), found.source, found.support)
    with create_binary(f"{files.scratch.published}/languages/{language}.toml") as sink:
        sink.write(text.encode())


def _read_wiki(files: GroupFiles, language: str) -> tuple[SiteInfo | None, LinkSurroundings]:
    """What the wiki says of itself, and the surroundings of its links; nothing of a language of labels."""
    folder = files.mentions.get(language)
    if folder is None:
        return None, LinkSurroundings()
    path = f"{folder}/siteinfo.json"
    with open_binary(path) as source:
        site = SiteInfo.from_json(source.read(), path)
    return site, read_surroundings(folder)
