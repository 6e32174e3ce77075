"""The files of a Wikipedia dump: which of them hold pages, which wiki they are of, and how they are cut."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from wikisem.dumps import Range, plan_ranges
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.transforms.io.files import match, open_binary
from wikisem.wikipedia.languages import LanguageProfile
from wikisem.wikipedia.siteinfo import SiteInfo, find_siteinfo

# The index beside a multistream dump (https://meta.wikimedia.org/wiki/Data_dumps/Dump_format, 2026-11). The
# streams are found by their own marks, so that it is never needed, and a glob may well take it in.
_INDEX: Final = re.compile(r"-multistream-index\d*\.txt(?:-p\d+p\d+)?(?:\.bz2)?$")


@dataclass(frozen=True, slots=True)
class WikipediaDump:
    """The wiki that a dump is of, and the ranges that its files are cut into."""

    site: SiteInfo
    ranges: tuple[Range, ...]


def read_dump(inputs: Sequence[str], profile: LanguageProfile) -> WikipediaDump:
    """Look at the files of a dump: paths, globs and URLs, in any order; index files of multistream dumps are skipped.

    A file whose head is damaged is taken for a part of the same dump as the others: what can be read of it is. Raises
    MissingInputError if there is no file, DamagedInputError if one is no dump, or of another wiki than the first.
    """
    paths = [path for path in match(inputs) if not _INDEX.search(path)]
    if not paths:
        raise MissingInputError(f"expected a dump with pages, saw only the index files {', '.join(inputs)}")
    cut = {path: plan_ranges(path, open_binary) for path in paths}
    heads = ((path, find_siteinfo(path, ranges, open_binary)) for path, ranges in cut.items())
    sites = [(path, site) for path, site in heads if site is not None]
    if not sites:
        raise DamagedInputError(f"{paths[0]}: expected the head of a MediaWiki dump, saw none that can be decoded")
    first, wiki = sites[0]
    for path, site in sites:
        if site.dbname != wiki.dbname:
            raise DamagedInputError(
                f"expected parts of one dump, saw {first} of {wiki.dbname} and {path} of {site.dbname}"
            )
    known = wiki.with_language(profile.code, profile.namespace_aliases)
    return WikipediaDump(known, tuple(part for ranges in cut.values() for part in ranges))
