"""Links from XML: ours beside mwparserfromhell, wikitextparser, wikipedia2vec, gensim and a bare regular expression.

``WIKISEM_DATA=FOLDER python -m benchmarks.links`` writes its section of docs/benchmarks.md. The fast contenders
read pages that do not repeat, the slow ones every sixth of the real pages; agreement is measured on all real articles.
"""

import argparse
import bz2
import pickle
import re
import tempfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import wikitextparser
from gensim.corpora.wikicorpus import find_interlinks
from wikipedia2vec import dump_db
from wikipedia2vec.utils.wiki_page import WikiPage

from benchmarks.report import Call, Result, compare, table, write_section
from benchmarks.wiki_corpus import DUMPS, read_dump, real_data, write_pages, write_sample
from tests.links.parser_reference import parsed_links, scanned, without_galleries
from wikisem.arrow.buckets import BucketedRows
from wikisem.dumps import Chunk, Range, plan_ranges, read_records
from wikisem.links.mentions import make_link
from wikisem.links.scan import CHUNK_BYTES, scan_chunk
from wikisem.records import Link, Page
from wikisem.schemas import MENTIONS
from wikisem.wikipedia.languages import SiteInfo
from wikisem.wikipedia.xml_pages import read_page, read_siteinfo

HEAD = 100_000
_PAGE = re.compile(rb"<page>.*?</page>", re.DOTALL)
_ONE_GROUP = re.compile(rb"\[\[([^\[\]]*)\]\]")


# Other libraries: each gives targets and anchors of a page as it makes them.

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


def _stored_links(parsed: tuple[Any, ...] | None) -> list[tuple[str, str | None]]:
    if parsed is None:
        return []
    paragraphs, _ = pickle.loads(zlib.decompress(parsed[1][1]))
    return [(title, text) for _, links, _ in paragraphs for title, text, _, _ in links]


# What is measured.


def count_pairs(path: str) -> None:
    """Ours: XML, wrapped or not, to the counted pairs of each chunk."""
    site = None
    for chunk in _chunks(path):
        site = site or read_siteinfo(chunk.data[:HEAD])
        scan_chunk(chunk.data, site)


def map_pairs(path: str) -> None:
    """Ours, and the pairs of all chunks split into buckets and summed, as the mapper of the mentions stage does it."""
    adder = BucketedRows("title", schema=MENTIONS)
    site = None
    for chunk in _chunks(path):
        site = site or read_siteinfo(chunk.data[:HEAD])
        for _ in adder.add(scan_chunk(chunk.data, site).mentions):
            pass
    for _ in adder.rest():
        pass


def find_all(path: str, pattern: re.Pattern[bytes]) -> None:
    """A bare regular expression over the same chunks; what it finds is dropped."""
    for chunk in _chunks(path):
        pattern.findall(chunk.data)


def count_by_peer(path: str, peer: str) -> None:
    """A peer: XML to counted pairs, pages by lxml."""
    data = Path(path).read_bytes()
    counts: Counter[tuple[str, str | None]] = Counter()
    for page in _articles(data, read_siteinfo(data[:HEAD])):
        counts.update(PEERS[peer](page))


def _chunks(path: str) -> Iterator[Chunk]:
    pa.set_cpu_count(1)
    whole = [Range(each.path, each.compression, 0, Path(path).stat().st_size) for each in plan_ranges(path)[:1]]
    for chunk in read_records(whole[0], delimiter=b"</page>", chunk_bytes=CHUNK_BYTES):
        assert isinstance(chunk, Chunk), chunk
        yield chunk


def _articles(data: bytes, site: SiteInfo) -> Iterator[Page]:
    for found in _PAGE.finditer(data):
        page = read_page(found.group(), site)
        if page.namespace == 0 and page.redirect is None:
            yield page


def agreement(data: bytes) -> dict[str, tuple[int, int, int]]:
    """For each reader: its pairs, those of mwparserfromhell that it found, and all of mwparserfromhell's.

    Targets and anchors of all are normalised the same way; ours leaves gallery captions aside.
    """
    site = read_siteinfo(data[:HEAD])
    totals: dict[str, list[int]] = {name: [0, 0, 0] for name in ("ours", *PEERS)}
    for page in _articles(data, site):
        links = {name: _normalised(peer(page), site) for name, peer in PEERS.items()}
        links["ours"] = scanned(without_galleries(page), site)
        judged = links["mwparserfromhell"]
        for name, found in links.items():
            for place, number in enumerate((found.total(), (found & judged).total(), judged.total())):
                totals[name][place] += number
    return {name: (own, both, judged) for name, (own, both, judged) in totals.items()}


def _normalised(pairs: Iterator[tuple[str, str | None]], site: SiteInfo) -> Counter[Link]:
    links = (make_link(target, anchor, site) for target, anchor in pairs)
    return Counter(link for link in links if link)


def main() -> None:
    """Measure, and write the section."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=200, help="size of the pages that do not repeat")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    realdata = real_data()
    with tempfile.TemporaryDirectory(prefix="wikisem-links-") as folder:
        xml, wrapped, sample = (Path(folder) / name for name in ("pages.xml", "pages.xml.bz2", "sample.xml"))
        write_pages(xml, realdata, arguments.megabytes * 1_000_000)
        write_sample(sample, realdata, 6)
        _wrap(xml, wrapped, arguments.megabytes * 200_000)
        sizes = {"xml": xml.stat().st_size, "bz2": arguments.megabytes * 200_000, "sample": sample.stat().st_size}
        results = compare(_contenders(str(xml), str(wrapped), str(sample)), arguments.rounds)
    totals = {name: agreement(read_dump(realdata, name)) for name in DUMPS}
    write_section("Links", _text(results, sizes, totals), ("mwparserfromhell", "numpy", "pyarrow"))


def _wrap(xml: Path, wrapped: Path, size: int) -> None:
    with xml.open("rb") as source:
        part = source.read(size)
    wrapped.write_bytes(bz2.compress(part[: part.rindex(b"</page>") + len(b"</page>")]))


def _contenders(xml: str, wrapped: str, sample: str) -> dict[str, Call]:
    return {
        "ours": Call(count_pairs, (xml,)),
        "ours, in buckets": Call(map_pairs, (xml,)),
        "re.findall, one group": Call(find_all, (xml, _ONE_GROUP)),
        **{name: Call(count_by_peer, (sample, name)) for name in PEERS},
        "ours from .bz2": Call(count_pairs, (wrapped,)),
    }


def _text(results: dict[str, Result], sizes: dict[str, int], totals: dict[str, dict[str, tuple[int, int, int]]]) -> str:
    speeds = {name: sizes[_input(name)] / result.cpu / 1e6 for name, result in results.items()}
    rows = [
        [
            name,
            f"{speeds[name]:.1f}",
            f"{speeds['ours'] / speeds[name]:.2f}",
            *_shares(name, totals),
        ]
        for name in results
    ]
    header = ["reader", "MB/s a core", "ours is × as fast", "found", "confirmed"]
    return f"{_METHOD}\n\n{table(header, rows)}"


_METHOD = (
    "Links of real pages, counted, by CPU time; the regular expressions count nothing. *Found* is the share of "
    "mwparserfromhell's pairs on all articles that the reader finds, *confirmed* the share of its own pairs that "
    "mwparserfromhell has too ([who is right](links.md#measured))."
)


def _input(name: str) -> str:
    return "bz2" if "bz2" in name else "sample" if name in PEERS else "xml"


def _shares(name: str, totals: dict[str, dict[str, tuple[int, int, int]]]) -> list[str]:
    numbers = [each[name] for each in totals.values() if name in each]
    if not numbers:
        return ["", ""]
    own, both, judged = (sum(column) for column in zip(*numbers, strict=True))
    return [f"{100 * both / judged:.3f} %", f"{100 * both / own:.3f} %"]


if __name__ == "__main__":
    main()
