"""Links whose title is no page of their wiki, but in another script is one: they count for that page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.buckets import hash_strings
from wikisem.arrow.numbers import Numbers, is_in, union
from wikisem.schemas import REDIRECTS
from wikisem.wikipedia.variants import TitleVariants


@dataclass(frozen=True, slots=True)
class PageTitles:
    """Which titles a wiki has pages under, as hashes in ascending order, shape ``(n,)``: 8 bytes for each page.

    A hash may match a title that is no page (once in 10**12 or so).
    """

    hashes: Numbers

    @staticmethod
    def of(parts: Iterable[Numbers]) -> "PageTitles":
        """The titles of all parts, as ``hashes_of_titles`` gives them."""
        return PageTitles(union(parts))

    def hold(self, titles: pa.StringArray) -> npt.NDArray[np.bool_]:
        """Whether each title is that of a page."""
        return is_in(_hashes(titles), self.hashes)


def hashes_of_titles(titles: Sequence[str]) -> Numbers:
    """The hashes of titles, shape ``(n,)``."""
    return _hashes(pa.array(titles, pa.string()))


def _hashes(titles: pa.StringArray) -> Numbers:
    return hash_strings(titles).view(np.int64)


def find_conversions(titles: pa.ChunkedArray, pages: PageTitles, variants: TitleVariants) -> pa.Table:
    """For each of the titles that is no page, while one of its variants is: from it to the first such, as REDIRECTS.

    >>> pages = PageTitles.of([hashes_of_titles(["Ниш", "Novi Sad"])])
    >>> find_conversions(pa.chunked_array([["Niš", "Novi Sad", "Sofija"]]), pages, TitleVariants("sr")).to_pylist()
    [{'source': 'Niš', 'target': 'Ниш'}]
    """
    distinct = pc.unique(titles)
    missing = distinct.filter(pa.array(~pages.hold(distinct))).to_pylist()
    found: dict[str, str] = {}
    for written in variants.of(missing):
        for row in np.flatnonzero(pages.hold(pa.array(written, pa.string()))).tolist():
            found.setdefault(missing[row], written[row])
    return pa.table([list(found), list(found.values())], schema=REDIRECTS)


def convert_titles(rows: pa.Table, conversions: pa.Table, column: str = "title") -> pa.Table:
    """Rows under the titles that conversions lead to; the order stays."""
    at = pc.index_in(rows[column], value_set=conversions["source"].combine_chunks())
    converted = pc.if_else(at.is_valid(), conversions["target"].take(at), rows[column])
    return rows.set_column(rows.schema.get_field_index(column), column, converted)
