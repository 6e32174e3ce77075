"""Wikipedia pages for measuring: real ones, and as many as wanted that do not repeat."""

import bz2
import os
import random
import re
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

DUMPS = ("enwiki-20220720-excerpt", "ltgwiki-20170901-pages-articles")
_PAGE = re.compile(rb" *<page>.*?</page>\n", re.DOTALL)
_PLAIN_LINK = re.compile(rb"\[\[[^\[\]:&{}<>#%]*\]\]")
_LETTERS = bytes(range(ord("a"), ord("z") + 1))


def real_data() -> Path:
    """The folder of real data; without it the program ends and says so."""
    folder = os.environ.get("WIKISEM_DATA", "")
    if not folder:
        sys.exit("expected $WIKISEM_DATA to name the folder of real data, saw nothing")
    return Path(folder)


def read_dump(realdata: Path, name: str) -> bytes:
    """A dump of the real data as XML."""
    return bz2.decompress((realdata / "wikipedia" / f"{name}.xml.bz2").read_bytes())


def write_pages(path: Path, realdata: Path, size: int, same_links: bool = False) -> None:
    """The pages of both dumps over and over, up to about ``size`` bytes.

    In every copy but the first the letters a to z of all links without a namespace, section or markup are replaced by
    other letters, so that copies share hardly a link, unless they are to have the ``same_links``; each copy has its own
    order of pages.
    """
    dumps = [read_dump(realdata, name) for name in DUMPS]
    with path.open("wb") as sink:
        sink.write(dumps[0][: dumps[0].index(b"  <page>")])
        for page in _copies([page for dump in dumps for page in _PAGE.findall(dump)], same_links):
            sink.write(page)
            if sink.tell() >= size:
                break
        sink.write(b"</mediawiki>\n")


def write_sample(path: Path, realdata: Path, every: int) -> None:
    """Every n-th page of both dumps, as they are."""
    dumps = [read_dump(realdata, name) for name in DUMPS]
    pages = [page for dump in dumps for page in _PAGE.findall(dump)]
    path.write_bytes(dumps[0][: dumps[0].index(b"  <page>")] + b"".join(pages[::every]) + b"</mediawiki>\n")


def _translated(letters: bytes, found: re.Match[bytes]) -> bytes:
    return found.group().translate(letters)


def _copies(pages: list[bytes], same_links: bool) -> Iterator[bytes]:
    copy = 0
    while True:
        order = random.Random(copy)
        order.shuffle(pages)
        others = bytes(_LETTERS if same_links or not copy else order.sample(_LETTERS, len(_LETTERS)))
        changed = bytes.maketrans(_LETTERS, others)
        for page in pages:
            yield _PLAIN_LINK.sub(partial(_translated, changed), page)
        copy += 1
