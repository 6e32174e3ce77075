"""Whole runs on real dumps, held against a count by other means: ElementTree, mwparserfromhell, and plain loops."""

import bz2
import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from xml.etree import ElementTree as ET

import mwparserfromhell
import pyarrow as pa
import pytest

from tests.links.reference import count_links
from wikisem.arrow.parquet import read_parquet, write_parquet
from wikisem.files import list_files
from wikisem.layout import Scratch
from wikisem.recipes.options import SurfaceOptions
from wikisem.records import Counts
from wikisem.schemas import ENTITIES
from wikisem.transforms.io.runtime import Runtime, StageContext
from wikisem.transforms.mentions import count_mentions
from wikisem.transforms.surfaces import resolve_surfaces, write_names
from wikisem.wikipedia.xml_pages import read_siteinfo

LTG = "ltgwiki-20170901-pages-articles"
EN = "enwiki-20220720-excerpt"


@dataclass(frozen=True)
class Oracle:
    """A dump read page by page; slow, and sharing no code with the stages."""

    data: bytes
    language: str

    @cached_property
    def pages(self) -> list[tuple[str, str | None, str]]:
        """Title, redirect target and text of each page in the main namespace."""
        return list(self._read())

    def _read(self) -> Iterator[tuple[str, str | None, str]]:
        root = ET.fromstring(self.data)
        space = root.tag.removesuffix("mediawiki")
        for page in root.iter(f"{space}page"):
            if page.findtext(f"{space}ns") == "0":
                redirect = page.find(f"{space}redirect")
                text = page.findtext(f"{space}revision/{space}text") or ""
                yield page.findtext(f"{space}title") or "", None if redirect is None else redirect.get("title"), text

    @cached_property
    def namespaces(self) -> set[str]:
        """Local and canonical names that lead out of the main namespace, in lower case."""
        head = self.data.partition(b"</siteinfo>")[0].decode()
        return {name.lower() for name in re.findall(r"<namespace [^>]*>([^<]+)<", head)} | {"file", "image", "category"}

    @cached_property
    def redirects(self) -> dict[str, str]:
        """Where each redirect page leads, one step."""
        pairs = ((title, self.title_of(target)) for title, target, _ in self.pages if target)
        return {title: target for title, target in pairs if target}

    def title_of(self, written: str) -> str:
        """The title that a string names; empty for what is in another namespace or wiki, or a section alone."""
        name = " ".join(written.partition("#")[0].replace("_", " ").split()).removeprefix(":").strip()
        name = name.removeprefix(f"{self.language}:")
        prefix = name.partition(":")[0].strip().lower() if ":" in name else ""
        foreign = prefix in self.namespaces or re.fullmatch(r"[a-z]{2,3}|wiktionary|wikt|s|commons|meta", prefix)
        return "" if foreign else name[:1].upper() + name[1:]

    @cached_property
    def counts(self) -> Mapping[str, Counter[str]]:
        """Title -> anchor -> links, redirects followed."""
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for _, redirect, text in self.pages:
            if redirect is not None:
                continue
            for link in self._links(text):
                title = self.title_of(str(link.title))
                shown = link.title if link.text is None else link.text
                anchor = " ".join(str(shown.strip_code()).split())
                if link.text is None:
                    anchor = anchor.replace("_", " ").removeprefix(":")
                if title and anchor:
                    counts[self.redirects.get(title, title)][anchor] += 1
        return counts

    def _links(self, text: str) -> Iterator[mwparserfromhell.nodes.Wikilink]:
        """The links of a page, those in gallery captions too, which mwparserfromhell takes for plain text."""
        galleries = re.findall(r"<gallery\b[^>]*>(.*?)</gallery>", text, re.DOTALL)
        for part in [text, *galleries]:
            yield from mwparserfromhell.parse(part).filter_wikilinks()

    @cached_property
    def totals(self) -> Counter[str]:
        """Anchor -> links in the whole wiki."""
        totals: Counter[str] = Counter()
        for forms in self.counts.values():
            totals.update(forms)
        return totals

    def argmax(self, title: str) -> tuple[str, int, int] | None:
        """Surface form, its links and all links of a page, by the three tie rules."""
        page = self.redirects.get(title, title)
        forms = self.counts.get(page, Counter())
        best = min(forms, key=lambda s: (-forms[s], s != page, self.totals[s], s), default=None)
        return None if best is None else (best, forms[best], forms.total())


@pytest.fixture(scope="module")
def entities(realdata: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The real items, their titles and labels read with the json module."""
    rows = []
    with gzip.open(realdata / "wikidata" / "real-entities.json.gz", "rt", encoding="utf-8") as lines:
        for item in (json.loads(line.rstrip(",\n")) for line in lines if line.startswith("{")):
            titles = {wiki: link["title"] for wiki, link in dict(item.get("sitelinks") or {}).items()}
            labels = {code: label["value"] for code, label in dict(item.get("labels") or {}).items()}
            rows += [{"qid": item["id"], "titles": titles, "labels": labels}] if item["id"].startswith("Q") else []
    folder = tmp_path_factory.mktemp("entities")
    write_parquet(f"{folder}/0.parquet", pa.Table.from_pylist(rows, ENTITIES))
    return str(folder)


def titles_in(entities: str, wiki: str) -> dict[str, str]:
    """qid -> page title in the wiki."""
    rows = read_parquet(f"{entities}/0.parquet", ["qid", "titles"]).to_pylist()
    return {row["qid"]: dict(row["titles"])[wiki] for row in rows if wiki in dict(row["titles"])}


def first_pages(data: bytes, number: int) -> bytes:
    """A dump of the first pages of a dump: mwparserfromhell takes a minute for all of an excerpt."""
    pages = data.split(b"</page>", number)
    return data if len(pages) <= number else b"</page>".join([*pages[:number], b"\n</mediawiki>\n"])


@pytest.mark.slow
@pytest.mark.realdata
@pytest.mark.parametrize(("name", "language", "pages", "wanted"), [(LTG, "ltg", 2004, 16), (EN, "en", 130, 20)])
def test_every_argmax_equals_an_independent_count(
    name: str, language: str, pages: int, wanted: int, realdata: Path, entities: str, tmp_path: Path
) -> None:
    """Of every item with a page that is linked: the same surface form, and the same links to and with all of them."""
    data = first_pages(bz2.decompress((realdata / "wikipedia" / f"{name}.xml.bz2").read_bytes()), pages)
    path = tmp_path / "dump.xml.bz2"
    path.write_bytes(bz2.compress(data))
    dictionary, place = Scratch(f"{tmp_path}/mentions"), Scratch(f"{tmp_path}/surfaces")
    mentions, finished = {language: dictionary.finished}, {language: place.finished}
    counts = count_mentions({language: [str(path)]}, False, mentions, StageContext(dictionary, Runtime()))
    assert counts[language].read == pages
    resolve_surfaces(entities, mentions, SurfaceOptions(), finished, StageContext(place, Runtime()))
    rows = pa.concat_tables([read_parquet(file) for file in list_files(f"{place.finished}/*.parquet")]).to_pylist()
    oracle = Oracle(data, language)
    found = {qid: oracle.argmax(title) for qid, title in titles_in(entities, f"{language}wiki").items()}
    assert {row["qid"]: (row["surface"], row["count"], row["total"]) for row in rows} == {
        qid: best for qid, best in found.items() if best is not None
    }
    assert all(row["links"] == oracle.totals[row["surface"]] for row in rows)
    assert all(row["page_share"] == row["count"] / row["links"] for row in rows)
    assert len(rows) >= wanted


@pytest.mark.slow
@pytest.mark.realdata
def test_the_names_of_a_whole_wiki_equal_an_independent_count(realdata: Path, entities: str, tmp_path: Path) -> None:
    """Every pair of page and anchor, its links, all links of the page and of the anchor, and the items of the pages.

    Pages are read with ElementTree, their links found letter by letter, and all is added up in plain loops. The links
    that mwparserfromhell finds give 98 % of the rows: it takes cells of some tables for markup
    (tests/links/test_against_parser.py).
    """
    path = realdata / "wikipedia" / f"{LTG}.xml.bz2"
    dictionary, place = Scratch(f"{tmp_path}/mentions"), Scratch(f"{tmp_path}/names")
    count_mentions({"ltg": [str(path)]}, False, {"ltg": dictionary.finished}, StageContext(dictionary, Runtime()))
    folders, context = {"ltg": place.finished}, StageContext(place, Runtime())
    found = write_names(entities, {"ltg": dictionary.finished}, folders, context)["ltg"]
    rows = pa.concat_tables([read_parquet(file) for file in list_files(f"{place.finished}/*.parquet")]).to_pylist()
    data = bz2.decompress(path.read_bytes())
    oracle, site, links = Oracle(data, "ltg"), read_siteinfo(data[:100_000]), Counter[tuple[str, str]]()
    for text in (text for _, redirect, text in oracle.pages if redirect is None):
        for link, count in count_links(text, site).items():
            links[oracle.redirects.get(link.target, link.target), link.anchor] += count
    items = {title: qid for qid, title in titles_in(entities, "ltgwiki").items()}
    assert {(row["title"], row["anchor"]): row for row in rows} == rows_of(links, items)
    assert (len(rows), links.total(), found.pages, found.items) == (5165, 7970, 4133, 16)
    parsed = {(page, anchor): count for page, forms in oracle.counts.items() for anchor, count in forms.items()}
    same = sum(parsed.get((row["title"], row["anchor"])) == row["count"] for row in rows)
    assert same / len(rows) > 0.98


def rows_of(links: Counter[tuple[str, str]], items: Mapping[str, str]) -> dict[tuple[str, str], dict[str, object]]:
    """Counted links as rows of names, by plain loops."""
    total, anchors = Counter[str](), Counter[str]()
    for (title, anchor), count in links.items():
        total[title] += count
        anchors[anchor] += count
    return {
        (title, anchor): {
            "title": title,
            "qid": items.get(title),
            "anchor": anchor,
            "count": count,
            "total": total[title],
            "links": anchors[anchor],
            "anchor_share": count / total[title],
            "page_share": count / anchors[anchor],
        }
        for (title, anchor), count in links.items()
    }


@pytest.mark.realdata
def test_multistream_gives_the_same_bytes(realdata: Path, tmp_path: Path) -> None:
    """The same pages as one stream and as many, the index among the files, leave the same files."""
    runs: dict[str, tuple[Counts, list[bytes]]] = {}
    for files in (f"{LTG}.xml.bz2", f"{LTG}-multistream*.bz2"):
        place = Scratch(f"{tmp_path}/run{len(runs)}")
        dumps, finished = {"ltg": [f"{realdata}/wikipedia/{files}"]}, {"ltg": place.finished}
        counts = count_mentions(dumps, False, finished, StageContext(place, Runtime()))
        runs[files] = (counts["ltg"], [Path(path).read_bytes() for path in list_files(f"{place.finished}/*.parquet")])
    one, many = runs.values()
    assert one == many
    assert one[0].kept == 903
