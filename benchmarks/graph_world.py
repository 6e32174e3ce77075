"""A made-up Wikidata of the real shape and size, as Parquet of the form that the entities and surfaces stages write.

The shape is that of Wikidata in 2026: 4 million classes, most of them leaves below few huge ones; 5 million P279 edges
with cycles and self-loops among them; 35 million items with a sitelink, classes of all sizes (Zipf), a tenth of the
items in several classes, sitelinks with a heavy tail (7 % have ten or more).
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.columns import distinct
from wikisem.arrow.parquet import write_parquet
from wikisem.schemas import ENTITIES, SURFACES

Ints = np.ndarray[Any, Any]

_FILE_ROWS = 600_000
_ROOT = 35120
# Numbers are assigned by a bijection on this prime's residues, so that classes and instances mix as in Wikidata.
_PRIME = 135_000_017
_STEP = 57_885_161


@dataclass(frozen=True)
class Size:
    """How much of everything: ``inner`` classes have subclasses, ``leaves`` have none."""

    inner: int = 120_000
    leaves: int = 3_880_000
    instances: int = 35_000_000

    @property
    def classes(self) -> int:
        """All classes."""
        return self.inner + self.leaves

    def scaled(self, part: float) -> "Size":
        """The same shape, ``part`` times as large."""
        return Size(*(int(each * part) for each in (self.inner, self.leaves, self.instances)))


def write_world(folder: Path, size: Size, languages: int = 1) -> None:
    """Write ``entities/*.parquet`` and ``surfaces/l<i>/*.parquet`` under the folder."""
    rng = np.random.default_rng(size.classes)
    edges = subclass_edges(rng, size)
    for number, items in enumerate(files_of_items(size, _FILE_ROWS)):
        sitelinks = draw_sitelinks(rng, len(items))
        _write(folder / "entities" / f"{number:05d}.parquet", entities_of(rng, size, items, sitelinks, edges))
        for language in range(languages):
            linked = items[(sitelinks > 0) & (rng.random(len(items)) < 0.1 + 0.08 * np.minimum(sitelinks, 11))]
            _write(folder / "surfaces" / f"l{'abcdefghij'[language]}" / f"{number:05d}.parquet", _surfaces(linked))


def files_of_items(size: Size, rows: int) -> list[Ints]:
    """All items, classes first, as the places of each file of so many rows."""
    total = size.classes + size.instances
    return [np.arange(begin, min(begin + rows, total)) for begin in range(0, total, rows)]


def numbers_of(items: Ints) -> Ints:
    """The QID numbers of places: item 0 is the root."""
    return 1 + (items * _STEP + _ROOT - 1) % _PRIME


def subclass_edges(rng: np.random.Generator, size: Size) -> tuple[Ints, Ints]:
    """The subclass and the superclass of each P279, by subclass."""
    children, parents = _subclasses(rng, size)
    order = np.argsort(children, kind="stable")
    return children[order], parents[order]


def _subclasses(rng: np.random.Generator, size: Size) -> tuple[Ints, Ints]:
    inner, leaves = np.arange(1, size.inner), np.arange(size.inner, size.classes)
    tree = np.concatenate([[0], (rng.random(len(inner)) * inner).astype(np.int64)])  # about 13 levels on average
    hubs = rng.permutation(size.inner)
    parents = hubs[_zipf(rng, len(leaves), size.inner)]
    # A second parent is most often one that the first has anyway, or another popular class.
    again = np.flatnonzero(rng.random(len(leaves)) < 0.25)
    popular = hubs[_zipf(rng, len(again), size.inner)]
    second = np.where(rng.random(len(again)) < 0.6, tree[parents[again]], popular)
    crossing = inner[rng.random(len(inner)) < 0.4]
    across = (rng.random(len(crossing)) * crossing).astype(np.int64)
    loops = rng.integers(1, size.inner, size.inner // 60)  # each closes a cycle with its own first parent
    selves = rng.integers(1, size.classes, size.inner // 200)
    return (
        np.concatenate([inner, leaves, leaves[again], crossing, tree[loops], selves]),
        np.concatenate([tree[1:], parents, second, across, loops, selves]),
    )


def _zipf(rng: np.random.Generator, count: int, ranks: int) -> Ints:
    """Ranks from 0 up, the r-th about 1/r as frequent as the first."""
    drawn: Ints = np.exp(rng.random(count) * np.log(ranks)).astype(np.int64)
    return np.minimum(drawn, ranks - 1)


def draw_sitelinks(rng: np.random.Generator, count: int) -> Ints:
    """Numbers of sitelinks from 1 up, with a heavy tail."""
    return np.minimum(rng.random(count) ** (-1 / 1.15), 400).astype(np.int32)


def _signatures(rng: np.random.Generator, kinds: Ints, targets: Ints, sitelinks: Ints) -> pa.ListArray:
    """The properties of each item, none without a sitelink: half of them of its classes, half any of 12,000.

    The more sitelinks an item has the more properties it has: 5 on average with one or two sitelinks, 11 with three to
    nine, 21 with ten to 29, 52 with thirty or more. Of 763 real items these have 6, 10, 18 and 57.
    """
    counts = np.where(sitelinks, 5.2 * sitelinks**0.57 * rng.uniform(0.5, 1.5, len(kinds)), 0).astype(np.int64)
    rows, pools = np.repeat(np.arange(len(kinds)), counts), np.repeat(np.maximum(counts, 20), counts)
    chosen = (np.cumsum(kinds) - kinds)[rows] + (rng.random(len(rows)) * kinds[rows]).astype(np.int64)
    own = (np.append(targets, 0)[np.minimum(chosen, len(targets))] * 7919 + rng.integers(0, pools)) % 12_000
    numbers = 300 + np.where(rng.random(len(rows)) < 0.5, own, _zipf(rng, len(rows), 12_000))
    signed = distinct(rows << 32 | numbers)
    ends = np.searchsorted(signed, np.arange(len(kinds) + 1) << 32)
    return pa.ListArray.from_arrays(pa.array(ends.astype(np.int32)), pa.array(signed.astype(np.int32)))


def _descriptions(items: Ints, kinds: Ints, targets: Ints) -> pa.Array:
    """What each item is, by the first of its classes, and where, by one of 5,000 places: four words."""
    first = np.append(targets, 0)[np.minimum(np.cumsum(kinds) - kinds, len(targets))]
    return pc.binary_join_element_wise(names_of(first), "in the", names_of(items % 5_000), " ")


def entities_of(
    rng: np.random.Generator, size: Size, items: Ints, sitelinks: Ints, edges: tuple[Ints, Ints]
) -> pa.Table:
    """The rows of successive items, each with an English label alone."""
    first, end = np.searchsorted(edges[0], [items[0], items[-1] + 1])
    children, parents = edges[0][first:end], edges[1][first:end]
    is_class = items < size.classes
    kinds = np.where(is_class, rng.random(len(items)) < 0.1, 1 + (rng.random(len(items)) < 0.1)).astype(np.int64)
    # Half of the inner classes have nearly all instances; one P31 in fifty leads to any class.
    targets = np.random.default_rng(7).permutation(size.inner)[_zipf(rng, int(kinds.sum()), size.inner // 2)]
    anywhere = rng.random(len(targets)) < 0.02
    targets[anywhere] = rng.integers(1, size.inner, int(anywhere.sum()))
    supers = np.bincount(children - items[0], minlength=len(items))
    blank: list[list[object]] = [[]] * len(items)
    return pa.table(
        [
            _qids(items),
            _lists(kinds, _qids(targets)),
            _lists(supers, _qids(parents)),
            pa.array(sitelinks),
            pa.array(blank, ENTITIES.field("titles").type),
            _labels(items),
            pa.array(items),
            pa.array(blank, ENTITIES.field("statements").type),
            pa.array(blank, ENTITIES.field("other_instance_of").type),
            _signatures(np.random.default_rng(items[0]), kinds, targets, sitelinks),
            pa.array(blank, ENTITIES.field("relations").type),
            pa.array(blank, ENTITIES.field("aliases").type),
            _descriptions(items, kinds, targets),
        ],
        schema=ENTITIES,
    )


def _labels(items: Ints) -> pa.Array:
    offsets = pa.array(np.arange(len(items) + 1, dtype=np.int32))
    return pa.MapArray.from_arrays(offsets, pa.array(["en"] * len(items)), names_of(items))


def _lists(counts: Ints, values: pa.Array) -> pa.Array:
    offsets = np.zeros(len(counts) + 1, dtype=np.int32)
    np.cumsum(counts, out=offsets[1:])
    return pa.ListArray.from_arrays(pa.array(offsets), values)


def _qids(items: Ints) -> pa.Array:
    return pc.binary_join_element_wise("Q", pc.cast(pa.array(numbers_of(items)), pa.string()), "")


def names_of(items: Ints) -> pa.Array:
    """Eleven letters for each item, different for different items and without common beginnings."""
    mixed = (items.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    letters = [(mixed // np.uint64(26**letter) % np.uint64(26)).astype(np.uint8) + 97 for letter in range(11)]
    return pc.cast(pa.array(np.stack(letters, axis=1).reshape(-1).view("S11")), pa.string())


def _surfaces(items: Ints) -> pa.Table:
    counts = pa.array(items % 100 + 1)
    columns = [_qids(items), names_of(items), names_of(items), counts, counts, pa.array(["anchor"] * len(items))]
    share, label_language = pa.array(np.ones(len(items))), pa.nulls(len(items), pa.string())
    return pa.table([*columns, counts, share, label_language], schema=SURFACES)


def _write(path: Path, table: pa.Table) -> None:
    write_parquet(str(path), table)
