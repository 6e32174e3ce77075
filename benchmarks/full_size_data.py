"""Made-up dumps of full size: an English Wikipedia as XML, and a Wikidata as the Parquet of the entities stage.

English Wikipedia's numbers, rounded: 7 million pages, of which one million are redirects, 250 million links, 60 million
distinct pairs of title and anchor. Each pair is linked once, the other links are drawn so that few pairs have most of
them. One link in ten leads to a redirect.

Wikidata's numbers: 115 million items, of which 4 million are classes (their graph is that of ``graph_world``).
``SHARES`` says how many items have a label in a language and a page in its Wikipedia, as counted in 574 real items:
those of a slice of a dump of 2019 or so, which another tool has as a test (635 lines with ids from Q1460 to Q62666148).
English pages are those of the made-up Wikipedia.
"""

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import lru_cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import zstandard

from benchmarks.graph_world import (
    Size,
    draw_sitelinks,
    entities_of,
    files_of_items,
    names_of,
    numbers_of,
    subclass_edges,
)
from wikisem.arrow.buckets import write_index
from wikisem.arrow.columns import QID_BUCKETS
from wikisem.arrow.parquet import CheckedWriter, bucket_name
from wikisem.files import create_binary
from wikisem.layout import index_folder
from wikisem.schemas import ENTITIES
from wikisem.transforms.entities import ROW_GROUP
from wikisem.wikis import wiki_of

Ints = np.ndarray[Any, Any]

# Language: items with a label and items with a page, of 574.
SHARES: Final = {
    "en": (456, 53), "nl": (284, 16), "ast": (176, 0), "fr": (148, 42), "es": (139, 14), "sv": (118, 105),
    "ceb": (104, 85), "de": (74, 25), "pl": (55, 51), "sl": (53, 4), "it": (39, 17), "ca": (23, 6), "ru": (21, 15),
    "da": (19, 4), "tr": (18, 13), "nb": (17, 6), "pt": (16, 11), "nn": (15, 0), "ar": (13, 9), "hu": (10, 4),
    "ro": (9, 4), "fi": (9, 4), "cs": (9, 6), "zh": (9, 7), "id": (9, 5), "bn": (9, 0), "oc": (8, 6), "ja": (8, 6),
    "eu": (7, 5), "eo": (7, 4), "fa": (7, 7), "uk": (7, 7), "he": (6, 5), "gl": (6, 0), "lt": (6, 4),
}  # fmt: skip
_COUNTED: Final = 574

_CHUNK_PAGES: Final = 20_000  # of a frame of a dump
_FILES: Final = 8
_FILE_ROWS: Final = 150_000
# A bijection on the residues of a prime scatters what is next to each other.
_PRIME: Final = 1_000_000_007
_STEP: Final = 618_033_989
_HEAD: Final = b"""<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">
  <siteinfo>
    <sitename>Wikipedia</sitename>
    <dbname>enwiki</dbname>
    <case>first-letter</case>
    <namespaces>
      <namespace key="0" case="first-letter" />
      <namespace key="6" case="first-letter">File</namespace>
      <namespace key="14" case="first-letter">Category</namespace>
    </namespaces>
  </siteinfo>
"""
_WORDS: Final = (
    "the", "of", "and", "in", "to", "was", "is", "for", "as", "on", "with", "by", "he", "at", "from", "his", "it", "an",
    "were", "are", "which", "this", "also", "be", "has", "had", "its", "who", "one", "their", "first", "been", "after",
    "not", "new", "two", "but", "other", "during", "when", "where", "there", "city", "year", "film", "season", "team",
)  # fmt: skip


@dataclass(frozen=True)
class Wikipedia:
    """How much of everything."""

    articles: int = 6_000_000
    redirects: int = 1_000_000
    links: int = 250_000_000
    pairs: int = 60_000_000

    def scaled(self, part: float) -> "Wikipedia":
        """The same, ``part`` times as large."""
        return Wikipedia(*(int(each * part) for each in (self.articles, self.redirects, self.links, self.pairs)))


def wikidata_size(part: float) -> Size:
    """Wikidata, ``part`` times as large."""
    return Size(instances=111_000_000).scaled(part)


def write_wikipedia(folder: Path, wiki: Wikipedia, prose: int, processes: int) -> list[str]:
    """Write the dump in parts, with so many bytes of prose around each link; the paths of the parts."""
    folder.mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        return list(pool.map(partial(_write_part, folder, wiki, prose), range(_FILES)))


def _write_part(folder: Path, wiki: Wikipedia, prose: int, number: int) -> str:
    path = folder / f"enwiki-pages-articles{number + 1}.xml.zst"
    bounds = np.linspace(0, wiki.articles + wiki.redirects, _FILES + 1).astype(np.int64)
    with path.open("wb") as sink:
        sink.write(zstandard.compress(_HEAD, 1))
        # With much prose fewer pages at a time, so that a frame is of the same size.
        step = _CHUNK_PAGES * 60 // (60 + prose)
        for begin in range(int(bounds[number]), int(bounds[number + 1]), step):
            pages = np.arange(begin, min(begin + step, int(bounds[number + 1])))
            sink.write(zstandard.compress(_pages(wiki, pages, prose), 1))
        sink.write(zstandard.compress(b"</mediawiki>\n", 1))
    return str(path)


def titles_of(pages: Ints) -> pa.Array:
    """The titles of articles, or of redirects after them, by their numbers."""
    words = pa.array(_WORDS).take(pa.array(pages % len(_WORDS)))
    return pc.binary_join_element_wise("Article", pc.cast(pa.array(pages), pa.string()), words, " ")


def _pages(wiki: Wikipedia, pages: Ints, prose: int) -> bytes:
    """Successive pages as XML; every seventh or so is a redirect."""
    every = (wiki.articles + wiki.redirects) // wiki.redirects
    is_redirect = (pages % every == every - 1) & (pages // every < wiki.redirects)
    rank = np.minimum(pages // every, wiki.redirects)
    targets = (rank * _STEP % _PRIME) % wiki.articles
    titles = titles_of(np.where(is_redirect, wiki.articles + rank, pages - rank))
    rng = np.random.default_rng([1, int(pages[0])])
    texts = _texts(rng, wiki, pages - rank, ~is_redirect, prose)
    marks = pc.binary_join_element_wise('    <redirect title="', titles_of(targets), '" />\n', "")
    numbers = pc.cast(pa.array(pages + 1), pa.string())
    rows = pc.binary_join_element_wise(
        "  <page>\n    <title>", titles, "</title>\n    <ns>0</ns>\n    <id>", numbers, "</id>\n",
        pc.if_else(pa.array(is_redirect), marks, ""), "    <revision>\n      <id>", numbers,
        '</id>\n      <text bytes="1" xml:space="preserve">', texts, "</text>\n    </revision>\n  </page>\n", "",
    )  # fmt: skip
    joined: bytes = pc.binary_join(pa.ListArray.from_arrays([0, len(rows)], rows), "")[0].as_py().encode()
    return joined


def _texts(rng: np.random.Generator, wiki: Wikipedia, articles: Ints, has_links: Ints, prose: int) -> pa.Array:
    """The text of each page: its links; the first ones are of pairs that no other page is sure to link."""
    begin, end = (articles * wiki.pairs // wiki.articles, (articles + 1) * wiki.pairs // wiki.articles)
    own = np.where(has_links, end - begin, 0)
    others = np.where(has_links, rng.poisson((wiki.links - wiki.pairs) / wiki.articles, len(articles)), 0)
    counts = own + others
    page = np.repeat(np.arange(len(articles)), counts)
    place = np.arange(len(page)) - np.repeat(np.cumsum(counts) - counts, counts)
    fresh = place < own[page]
    drawn = (wiki.pairs * rng.random(len(page)) ** 3).astype(np.int64)
    links = _links(wiki, np.where(fresh, begin[page] + place, drawn), rng.random(len(page)) < 0.1)
    if prose:
        text = " ".join(np.random.default_rng(2).choice(_WORDS, prose).tolist())[:prose]
        links = pc.binary_join_element_wise(links, text, " ")
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    return pc.binary_join(pa.ListArray.from_arrays(pa.array(offsets), links), ", ")


def _links(wiki: Wikipedia, pairs: Ints, may_redirect: Ints) -> pa.Array:
    """The links of numbered pairs: ten anchors to a title, one of them the title; anchors are shared by titles."""
    article = (pairs // 10 * _STEP % _PRIME) % wiki.articles
    redirect = wiki.articles + article % wiki.redirects
    leads = np.where(may_redirect & (pairs % 10 == 3), redirect, article)
    anchors = pc.binary_join_element_wise(
        pa.array(_WORDS).take(pa.array(pairs % 41)), pc.cast(pa.array(pairs * 7 % (wiki.pairs // 2)), pa.string()), " "
    )
    titles = titles_of(leads)
    piped = pc.binary_join_element_wise("[[", titles, "|", anchors, "]]", "")
    return pc.if_else(pa.array(pairs % 10 == 0), pc.binary_join_element_wise("[[", titles, "]]", ""), piped)


def write_wikidata(folder: Path, size: Size, wiki: Wikipedia, processes: int) -> None:
    """Write ``*.parquet`` and their index as the entities stage would."""
    folder.mkdir(parents=True, exist_ok=True)
    files = range(len(files_of_items(size, _FILE_ROWS)))
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        found = list(pool.map(partial(_write_items, folder, size, wiki), files))
    names = [_name(number) for number in files]
    for bucket in range(QID_BUCKETS):
        with create_binary(f"{index_folder(str(folder))}/{bucket_name(bucket, QID_BUCKETS)}") as sink:
            write_index(sink, names, [[one[one % QID_BUCKETS == bucket] for one in groups] for groups in found])


def _name(number: int) -> str:
    return f"{number:05d}.parquet"


def _write_items(folder: Path, size: Size, wiki: Wikipedia, number: int) -> list[Ints]:
    """Write a file in the stage's row groups; the numbers of the items in each."""
    items = files_of_items(size, _FILE_ROWS)[number]
    rng = np.random.default_rng([3, number])
    # 316 of the 574 items had no sitelink.
    sitelinks = np.where(rng.random(len(items)) < 258 / _COUNTED, draw_sitelinks(rng, len(items)), 0)
    table = entities_of(rng, size, items, sitelinks.astype(np.int32), _edges(size))
    labels = {language: rng.random(len(items)) < labelled / _COUNTED for language, (labelled, _) in SHARES.items()}
    titles = {
        str(wiki_of(language)): rng.random(len(items)) < titled / _COUNTED
        for language, (_, titled) in SHARES.items()
        if titled and language != "en"
    }
    total = size.classes + size.instances
    # Items that have an English page are spread evenly: each page is of one of them.
    page = items * wiki.articles // total
    titles["enwiki"] = np.diff(page, prepend=page[0] - 1) > 0
    english = titles_of(page)
    columns = {
        "labels": _maps({key: (has, labels_of(items + 7 * place)) for place, (key, has) in enumerate(labels.items())}),
        "titles": _maps({key: (has, english if key == "enwiki" else names_of(items)) for key, has in titles.items()}),
    }
    for name, column in columns.items():
        table = table.set_column(table.schema.get_field_index(name), name, column)
    with create_binary(f"{folder}/{_name(number)}") as sink:
        writer = CheckedWriter(sink, ENTITIES, dictionaries=False, rows=ROW_GROUP)
        writer.write(table.cast(ENTITIES))
        writer.close()
    return [np.sort(each) for each in np.split(numbers_of(items), range(ROW_GROUP, len(items), ROW_GROUP))]


def labels_of(items: Ints) -> pa.Array:
    """``names_of`` cut to four to eleven letters, the longest in two words, so that labels differ in form."""
    letters = np.frombuffer(names_of(items).buffers()[2], dtype=np.uint8).reshape(len(items), -1).copy()
    sizes = 4 + items * _STEP % 8
    long = np.flatnonzero(sizes > 9)
    letters[long, sizes[long] // 2] = ord(" ")
    text = letters[np.arange(letters.shape[1]) < sizes[:, np.newaxis]]
    offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    return pa.StringArray.from_buffers(len(items), pa.py_buffer(offsets), pa.py_buffer(text))


@lru_cache(maxsize=1)
def _edges(size: Size) -> tuple[Ints, Ints]:
    return subclass_edges(np.random.default_rng(size.classes), size)


def _maps(columns: dict[str, tuple[Ints, pa.Array]]) -> pa.MapArray:
    """Maps from which rows have a key, and the value that each row would have."""
    found = [(key, np.flatnonzero(has), values) for key, (has, values) in sorted(columns.items())]
    rows = np.concatenate([rows for _, rows, _ in found])
    order = pa.array(np.argsort(rows, kind="stable"))
    keys = pa.concat_arrays([pa.repeat(pa.scalar(key), len(rows)) for key, rows, _ in found]).take(order)
    values = pa.concat_arrays([values.take(pa.array(rows)) for _, rows, values in found]).take(order)
    length = len(next(iter(columns.values()))[0])
    offsets = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=length))]).astype(np.int32)
    return pa.MapArray.from_arrays(pa.array(offsets), keys, values)
