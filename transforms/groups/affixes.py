"""The affixes of a language's surface forms, counted once and kept beside its other inputs."""

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np
import pyarrow as pa

from wikisem.heuristics.rules.affix_counts import AffixCounts, count_affixes
from wikisem.sampling import hash_keys
from wikisem.surfaces.table import SurfaceTable
from wikisem.transforms.io.parquet import read_parquet, write_parquet

# One row for each affix; the empty one, which all surface forms have at both sides, says how many these are.
COLUMNS: Final = pa.schema([("side", pa.string()), ("affix", pa.string()), ("count", pa.int64())])

# From a language with more surface forms about this many are read: what four of eight may share is 700 of them, give
# or take 26.
SAMPLE: Final = 200_000

_NO_AFFIX: Final = ""


def sample_affixes(parts: Iterable[SurfaceTable], total: int) -> AffixCounts:
    """The affixes of the surface forms of some tables, ``total`` in all; the sample depends on the items alone."""
    return count_affixes(_sample(parts, 1 + total // SAMPLE))


def _sample(parts: Iterable[SurfaceTable], every: int) -> Iterator[str]:
    for part in parts:
        # Not by the recipe's seed: which clusters begin or end alike must not depend on it.
        yield from part.texts(np.flatnonzero(hash_keys(0, part.numbers) % np.uint64(every) == 0))


def write_affixes(path: str, counts: AffixCounts) -> None:
    """Write the counts as Parquet."""
    sides = {"beginning": counts.beginnings, "end": counts.ends}
    rows = [("", _NO_AFFIX, counts.total)]
    rows += [(side, affix, count) for side, known in sides.items() for affix, count in sorted(known.items())]
    write_parquet(path, pa.table([list(column) for column in zip(*rows, strict=True)], schema=COLUMNS))


def read_affixes(path: str) -> AffixCounts:
    """The counts that ``write_affixes`` wrote."""
    rows = zip(*(column.to_pylist() for column in read_parquet(path).columns), strict=True)
    by_side: dict[str, dict[str, int]] = {"": {}, "beginning": {}, "end": {}}
    for side, affix, count in rows:
        by_side[side][affix] = count
    return AffixCounts(by_side[""][_NO_AFFIX], by_side["beginning"], by_side["end"])
