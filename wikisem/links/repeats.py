"""Pages that the files of a dump hold more than once, and which of their copies count.

Pages are identified by id. The copy with the newest revision counts, by the id of the revision, since ids ascend with
time; of equal revisions, the first copy counts. Pages without ids are not compared.

Versions are arrays of shape ``(3, n)``: the id of a page, that of its revision, and where the page begins in its text.

>>> page = b"<page><id>%d</id></page>"
>>> versions = np.array([[7, 8, 7], [70, 80, 71], [0, 23, 46]])
>>> superseded(versions, np.zeros(3, np.int64)).tolist()
[True, False, False]
>>> without_pages(page % 7 + page % 8, np.array([0])) == b" " * 23 + page % 8
True
"""

from collections.abc import Iterable
from typing import Final

import numpy as np

from wikisem.arrow.columns import differs_from_previous
from wikisem.links.markup import Mask, Positions

NO_VERSIONS: Final[Positions] = np.empty((3, 0), np.int64)
_END: Final = b"</page>"


def moved(versions: Positions, by: int) -> Positions:
    """Return the same versions with ``by`` more bytes in front of their pages."""
    return np.vstack([versions[:2], versions[2:] + by])


def in_parts(parts: Iterable[Positions]) -> tuple[Positions, Positions]:
    """Return the versions of several texts together, and for each the number of its text."""
    found = list(parts)
    numbers = np.repeat(np.arange(len(found)), [versions.shape[1] for versions in found])
    return np.hstack([NO_VERSIONS, *found]), numbers


def superseded(versions: Positions, part: Positions) -> Mask:
    """Which versions do not count because another one of the same page does; ``part`` numbers the text of each."""
    page, revision, start = versions
    latest_first = np.lexsort((start, part, -revision, page))
    mask = np.empty(len(page), np.bool_)
    # Of each page the first in this order counts.
    mask[latest_first] = ~differs_from_previous(page[latest_first])
    return mask


def without_pages(data: bytes, starts: Positions) -> bytes:
    """Return a chunk with blanks for the pages that begin at some bytes of it; starts outside the chunk are ignored."""
    inside = starts[(starts >= 0) & (starts < len(data))].tolist()
    if not inside:
        return data
    changed = bytearray(data)
    for start in inside:
        end = data.index(_END, start) + len(_END)
        changed[start:end] = b" " * (end - start)
    return bytes(changed)
