"""Fresh sets: which items may be members or outliers, by the order in which items were created.

Wikidata numbers items in the order of their creation, so that a set of items from some number on cannot be in a model
whose texts were collected before that item was created. With ``[items] from = "Q130000000"``:

>>> from wikisem.recipes.options import ItemOptions
>>> fresh = ItemOptions(from_="Q130000000", apply="outliers")
>>> in_range(np.array([42, 130_000_000]), fresh, "outliers").tolist()
[False, True]
>>> in_range(np.array([42, 130_000_000]), fresh, "clusters").tolist()
[True, True]
"""

from typing import Literal

import numpy as np
import numpy.typing as npt

from wikisem.graph.array_types import Flags
from wikisem.ids import qid_number
from wikisem.recipes.options import ItemOptions


def in_range(numbers: npt.ArrayLike, options: ItemOptions, role: Literal["clusters", "outliers"]) -> Flags:
    """Whether items with these numbers may be in clusters, or be outliers; both ends of the range are in it."""
    known = np.asarray(numbers)
    flags: Flags = np.ones(known.shape, dtype=bool)
    if options.apply in {role, "both"}:
        if options.from_:
            flags &= known >= qid_number(options.from_)
        if options.to:
            flags &= known <= qid_number(options.to)
    return flags
