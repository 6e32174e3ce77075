"""The surroundings of the first links of a dump, read before the others: they say which trail its links have."""

from collections.abc import Callable
from typing import Final

from wikisem.arrow.numbers import Numbers, join
from wikisem.dumps import Chunk, read_records
from wikisem.links.repeats import without_pages
from wikisem.links.scan import PAGE_END
from wikisem.transforms.io.files import open_binary
from wikisem.transforms.mentions.dump import WikipediaDump
from wikisem.wikipedia.link_surroundings import ENOUGH, LinkSurroundings, count_surroundings

# Less than a block of bzip2 has, so that none is decoded in vain.
_CHUNK: Final = 1 << 19


def sample_surroundings(
    dump: WikipediaDump, repeats: Callable[[int], Numbers] = lambda _: join([])
) -> LinkSurroundings:
    """Those of the first 10,000 links of a dump, or of all; how it is cut makes no difference.

    ``repeats`` says where pages of a numbered range begin that do not count.
    """
    found = LinkSurroundings()
    for number, part in enumerate(dump.ranges):
        left_out = repeats(number)
        for piece in read_records(part, open_binary, PAGE_END, _CHUNK):
            if isinstance(piece, Chunk):
                text = without_pages(piece.data, left_out).decode(errors="replace")
                left_out = left_out - len(piece.data)
                found += count_surroundings(text, dump.site, ENOUGH - found.links)
            if found.links >= ENOUGH:
                return found
    return found
