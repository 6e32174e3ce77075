"""A Wikipedia dump as it lies in files: which of them hold pages, what wiki they are of, and how they are cut."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from transforms.files import match, open_binary
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.languages import profile
from wikisem.mediawiki import SiteInfo, read_siteinfo
from wikisem.ranges import Chunk, Range, plan_ranges, read_records

# The index that lies beside a multistream dump (https://meta.wikimedia.org/wiki/Data_dumps/Dump_format, 2026-11). The
# streams are found by their own marks, so that it is never needed, and a glob may well take it in.
_INDEX: Final = re.compile(r"-multistream-index\d*\.txt(?:-p\d+p\d+)?(?:\.bz2)?$")
# Siteinfo is some 10 KB long; pages begin behind it.
_HEAD_BYTES: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class Dump:
    """The wiki that a dump is of, and the ranges that its files are cut into."""

    site: SiteInfo
    ranges: tuple[Range, ...]


def read_dump(inputs: Sequence[str], language: str) -> Dump:
    """Look at the files of a dump: paths, globs and URLs, in any order; index files of multistream dumps are skipped.

    Raises MissingInputError if there is none, DamagedInputError if one is no dump or of another wiki than the first.
    """
    paths = [path for path in match(inputs) if not _INDEX.search(path)]
    if not paths:
        raise MissingInputError(f"expected a dump with pages, saw only the index files {', '.join(inputs)}")
    cut = {path: plan_ranges(path, open_binary) for path in paths}
    sites = {path: _read_site(path, ranges) for path, ranges in cut.items()}
    first = sites[paths[0]]
    for path, site in sites.items():
        if site.dbname != first.dbname:
            raise DamagedInputError(
                f"expected parts of one dump, saw {paths[0]} of {first.dbname} and {path} of {site.dbname}"
            )
    known = first.with_language(language, profile(language).namespace_aliases)
    return Dump(known, tuple(part for ranges in cut.values() for part in ranges))


def _read_site(path: str, ranges: Sequence[Range]) -> SiteInfo:
    """The wiki that a file says it is of, from the text in front of its first page."""
    for part in ranges[:1]:
        for piece in read_records(part, open_binary, b"</siteinfo>", _HEAD_BYTES):
            if isinstance(piece, Chunk):
                return _parse_site(path, piece.data)
    raise DamagedInputError(f"{path}: expected a MediaWiki dump, saw no text in its first part")


def _parse_site(path: str, head: bytes) -> SiteInfo:
    try:
        return read_siteinfo(head)
    except DamagedInputError as error:
        raise DamagedInputError(f"{path}: {error}") from error
