"""What became of the items of each language: one small file for each task, added up when the pipeline is over."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.records import Counts
from wikisem.surfaces.naming import count_items, count_refused
from wikisem.transforms.io.counts import read_json
from wikisem.transforms.io.files import create_binary


@dataclass(frozen=True, slots=True)
class SurfaceCounts:
    """What became of items, where their surface forms came from, and how many anchors each rule refused."""

    items: Counts = field(default_factory=Counts)
    sources: Mapping[str, int] = field(default_factory=dict)
    refused: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: "SurfaceCounts") -> "SurfaceCounts":
        return SurfaceCounts(
            self.items + other.items,
            dict(Counter(self.sources) + Counter(other.sources)),
            dict(Counter(self.refused) + Counter(other.refused)),
        )

    @property
    def summary(self) -> dict[str, object]:
        """Every source, and the reasons for refusals if there were any."""
        sources = {"anchor": 0, "label": 0, "title": 0} | dict(self.sources)
        return {**sources, **({"refused": dict(sorted(self.refused.items()))} if self.refused else {})}


def count_named(named: pa.Table) -> SurfaceCounts:
    """The counts of the rows that ``name_items`` gives."""
    sources = pc.value_counts(pc.drop_null(named.filter(named["surface"].is_valid())["source"]))
    found = {pair["values"]: pair["counts"] for pair in sources.to_pylist()}
    return SurfaceCounts(count_items(named), found, count_refused(named))


def write_tallies(path: str, found: Mapping[str, SurfaceCounts]) -> None:
    """Write what a task counted in each language."""
    with create_binary(path) as sink:
        sink.write(orjson.dumps({key: asdict(counts) for key, counts in found.items()}, option=orjson.OPT_SORT_KEYS))


def sum_tallies(paths: Iterable[str]) -> dict[str, SurfaceCounts]:
    """The sums over all tasks by language; StageError where one of them left none."""
    sums: dict[str, SurfaceCounts] = {}
    for path in paths:
        for language, found in read_json(path).items():
            counts = SurfaceCounts(Counts(**found["items"]), found["sources"], found["refused"])
            sums[language] = sums.get(language, SurfaceCounts()) + counts
    return sums
