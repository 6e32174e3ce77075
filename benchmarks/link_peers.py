"""How other libraries read the links of a page: each peer gives targets and anchors as it makes them."""

import pickle
import zlib
from collections.abc import Callable, Iterator, Mapping

import wikitextparser
from gensim.corpora.wikicorpus import find_interlinks
from wikipedia2vec import dump_db
from wikipedia2vec.utils.wiki_page import WikiPage

from wikisem.records import Page
from wikisem.wikipedia.wikitext import parsed_links

Pairs = Iterator[tuple[str, str | None]]


def by_mwparserfromhell(page: Page) -> Pairs:
    """A tree of the whole page."""
    return parsed_links(page.text)


def by_wikitextparser(page: Page) -> Pairs:
    """Regular expressions over the page with its markup blanked out."""
    for link in wikitextparser.parse(page.text).wikilinks:
        yield link.target, link.text


def by_wikipedia2vec(page: Page) -> Pairs:
    """A tree by mwparserfromhell, tables and references left out, as its ``build-dump-db`` stores pages."""
    parsed = dump_db._parse_page(  # noqa: SLF001  # build-dump-db calls it for each page
        WikiPage(page.title, "en", page.text, None), None
    )
    return iter(_stored_links(parsed))


def by_gensim(page: Page) -> Pairs:
    """A regular expression over the page without templates, comments, references and the like."""
    yield from find_interlinks(page.text)


PEERS: Mapping[str, Callable[[Page], Pairs]] = {
    "mwparserfromhell": by_mwparserfromhell,
    "wikitextparser": by_wikitextparser,
    "wikipedia2vec": by_wikipedia2vec,
    "gensim": by_gensim,
}


def _stored_links(parsed: tuple | None) -> list[tuple[str, str | None]]:
    if parsed is None:
        return []
    paragraphs, _ = pickle.loads(zlib.decompress(parsed[1][1]))
    return [(title, text) for _, links, _ in paragraphs for title, text, _, _ in links]
