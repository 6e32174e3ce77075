"""Blocks of candidate classes to groups and rejections, and those of a language to its finished files."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import apache_beam as beam
import pyarrow.parquet as pq

from wikisem.graph.outlier_sets.hash_ring import Ring
from wikisem.graph.outlier_sets.index import OutlierIndex
from wikisem.graph.store import open_arrays
from wikisem.heuristics.selection.candidates import Setting, Side
from wikisem.heuristics.selection.class_order import first_classes
from wikisem.heuristics.selection.groups import CAPPED, Grouping
from wikisem.ids import qid_of
from wikisem.outputs.groupfile import class_of, decode_rejection, encode_group, encode_rejection, groups_table
from wikisem.records import Counts, Group, Rejection
from wikisem.transforms.groups.labels import read_labels, read_profile
from wikisem.transforms.groups.names import SAMPLE
from wikisem.transforms.groups.plan import BLOCK, Sources
from wikisem.transforms.io.arrays import local_folder
from wikisem.transforms.io.counts import write_counts
from wikisem.transforms.io.files import create_binary, open_binary


class JudgeBlock(beam.DoFn):
    """The number of a block to a file of groups and one of rejections in each language."""

    def __init__(self, sources: Sources, languages: Sequence[str]) -> None:
        self._sources, self._languages = sources, languages
        self._grouping: Grouping | None = None

    def process(self, number: int) -> Iterator[tuple[str, int]]:
        """Judge the classes of the block; every language has its files, empty where it has no candidate there."""
        # Not in setup: the files that it opens are written by earlier steps of the same pipeline.
        self._grouping = self._grouping or Grouping(self._setting(), self._index())
        candidates = self._sources.all_candidates(self._languages)[number * BLOCK : (number + 1) * BLOCK]
        lines: dict[str, list[bytes]] = {f"{kind}/{one}": [] for one in self._languages for kind in _KINDS}
        for language, judgement in self._grouping.judge(candidates):
            if isinstance(judgement, Group):
                lines[f"groups/{language}"].append(encode_group(judgement))
            else:
                lines[f"rejected/{language}"].append(encode_rejection(judgement))
        for name, texts in lines.items():
            _write(_part(self._sources, name, number), texts)
        yield from ((language, number) for language in self._languages)

    def _index(self) -> OutlierIndex:
        return open_arrays(OutlierIndex, local_folder(self._sources.index()))

    def _setting(self) -> Setting:
        graph = self._sources.graph()
        sides = {language: _side(self._sources, language) for language in self._languages}
        return Setting(graph, sides, self._sources.recipe, self._sources.seed)


def _side(sources: Sources, language: str) -> Side:
    folder = sources.names(language)
    names = sources.table(language)
    return Side(
        profile=read_profile(sources, language, names.sample(SAMPLE)),
        names=names,
        ring=open_arrays(Ring, local_folder(f"{folder}/ring")),
        candidates=sources.candidates(language),
        labels=read_labels(sources, language),
    )


class FinishLanguage(beam.DoFn):
    """The blocks of a language to its groups and rejections, ordered by class, and their counts.

    Lines are put in order and never taken apart, except for what they say of their class.
    """

    def __init__(self, sources: Sources) -> None:
        self._sources = sources

    def process(self, met: tuple[str, Iterable[int]]) -> None:
        """Cap, order, write."""
        language, numbers = met[0], sorted(met[1])
        kept, capped = self._cap(self._read(f"groups/{language}", numbers), language)
        rejected = [*self._read(f"rejected/{language}", numbers), *capped]
        done = self._sources.scratch.published
        _write(f"{done}/groups/{language}.jsonl", kept)
        _write(f"{done}/rejected/{language}.jsonl", sorted(rejected, key=class_of))
        with create_binary(f"{done}/groups/{language}.parquet") as sink:
            pq.write_table(groups_table(kept).combine_chunks(), sink, compression="zstd")
        reasons = Counter(decode_rejection(line).reason for line in rejected)
        counts = Counts(len(kept) + len(rejected), len(kept), rejected=dict(sorted(reasons.items())))
        write_counts(f"{self._sources.scratch.parts}/counts/{language}.json", counts)

    def _read(self, name: str, numbers: Iterable[int]) -> list[bytes]:
        """The lines of some blocks."""
        found: list[bytes] = []
        for number in numbers:
            with open_binary(_part(self._sources, name, number)) as source:
                found.extend(source.read().splitlines(keepends=True))
        return found

    def _cap(self, groups: Sequence[bytes], language: str) -> tuple[list[bytes], list[bytes]]:
        """The lines of the groups that are kept, by class, and rejections of the others."""
        sources = self._sources
        most, order = sources.recipe.cluster.max_groups, sources.recipe.cluster.class_order
        by_class = {class_of(line): line for line in groups}
        first = first_classes(sources.graph(), list(by_class), sources.recipe.cluster, sources.seed)
        said = f"one of {len(groups)} groups, of which the first {most} by {order} are kept"
        rejections = (Rejection(qid_of(one), language, CAPPED, said) for one in by_class if one not in first)
        return [by_class[one] for one in sorted(first)], [encode_rejection(one) for one in rejections]


_KINDS = ("groups", "rejected")


def _part(sources: Sources, name: str, number: int) -> str:
    return f"{sources.scratch.parts}/blocks/{name}/{number:05d}.jsonl"


def _write(path: str, lines: Iterable[bytes]) -> None:
    with create_binary(path) as sink:
        sink.write(b"".join(lines))
