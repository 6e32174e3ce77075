"""Slices of the candidate classes to groups and rejections, and those of a language to its finished files."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import apache_beam as beam
import orjson

from wikisem.graph.outlier_sets.hash_ring import HashRing
from wikisem.graph.outlier_sets.outlier_index import OutlierIndex
from wikisem.graph.store import open_arrays
from wikisem.heuristics.selection.class_order import first_classes, in_class_order
from wikisem.heuristics.selection.groups import CAPPED, GroupBuilder
from wikisem.heuristics.selection.inputs import GroupInputs, LanguageInputs
from wikisem.heuristics.selection.near_duplicates import NEAR_DUPLICATE, near_duplicates
from wikisem.ids import qid_of
from wikisem.outputs.groupfile import (
    class_of,
    cluster_items,
    decode_rejection,
    encode_group,
    encode_rejection,
)
from wikisem.records import Counts, Group, Rejection
from wikisem.transforms.groups.affixes import read_affixes
from wikisem.transforms.groups.labels import english_path, read_labels
from wikisem.transforms.groups.outlier_indexes import SLICE
from wikisem.transforms.groups.profiles import read_profile, write_profile
from wikisem.transforms.groups.published import add_titles, write_groups, write_lines
from wikisem.transforms.groups.shared_files import GroupFiles
from wikisem.transforms.io.arrays import local_folder
from wikisem.transforms.io.counts import write_counts
from wikisem.transforms.io.files import list_files, open_binary


class JudgeClasses(beam.DoFn):
    """The number of a slice to a file of groups and one of rejections in each language."""

    def __init__(self, files: GroupFiles, languages: Sequence[str]) -> None:
        self._files, self._languages = files, languages
        self._builder: GroupBuilder | None = None
        self._english: dict[str, set[int]] = {}

    def process(self, number: int) -> Iterator[tuple[str, int]]:
        """Judge the classes of the slice; every language has its files, empty where it has no candidate class here.

        The third lists classes whose label is English for want of another.
        """
        # Not in setup: the files that it opens are written by earlier steps of the same pipeline.
        self._builder = self._builder or GroupBuilder(self._inputs(), self._index())
        candidates = self._files.all_candidates(self._languages)[number * SLICE : (number + 1) * SLICE]
        groups: dict[str, list[bytes]] = {language: [] for language in self._languages}
        rejected: dict[str, list[bytes]] = {language: [] for language in self._languages}
        for language, judgement in self._builder.judge(candidates):
            if isinstance(judgement, Group):
                groups[language].append(encode_group(judgement))
            else:
                rejected[language].append(encode_rejection(judgement))
        for language in self._languages:
            write_lines(self._files.judged("groups", language, number), groups[language])
            write_lines(self._files.judged("rejected", language, number), rejected[language])
            english = [each for each in map(class_of, groups[language]) if each in self._english[language]]
            write_lines(self._files.judged("english", language, number), [b"%d\n" % each for each in english])
            yield language, number

    def _index(self) -> OutlierIndex:
        return open_arrays(OutlierIndex, local_folder(self._files.outlier_index()))

    def _inputs(self) -> GroupInputs:
        labels = {language: read_labels(self._files, language) for language in self._languages}
        self._english = {language: own.english for language, own in labels.items()}
        languages = {language: _language_inputs(self._files, language, own.texts) for language, own in labels.items()}
        return GroupInputs(self._files.graph(), languages, self._files.recipe)


def _language_inputs(files: GroupFiles, language: str, labels: Mapping[int, str]) -> LanguageInputs:
    surfaces = files.surfaces(language)
    return LanguageInputs(
        profile=read_profile(files, language).profile,
        surfaces=surfaces,
        ring=open_arrays(HashRing, local_folder(f"{files.language(language)}/ring")),
        candidates=files.candidates(language),
        labels=labels,
        affixes=read_affixes(files.affixes(language)) if files.recipe.filters.affix == "surprise" else None,
    )


class FinishLanguage(beam.DoFn):
    """The slices of a language to its groups and rejections, ordered by class, and their counts.

    Lines are put in order as they are; only the number of their class is parsed.
    """

    def __init__(self, files: GroupFiles, surfaces: Mapping[str, str]) -> None:
        self._files, self._surfaces = files, surfaces

    def process(self, slices_of: tuple[str, Iterable[int]]) -> None:
        """Leave out near-duplicates, cap, order, add the titles of pages, write."""
        language, numbers = slices_of[0], sorted(slices_of[1])
        distinct, repeated = self._without_near_duplicates(self._read("groups", language, numbers), language)
        kept, capped = self._cap(distinct, language)
        rejected = [*self._read("rejected", language, numbers), *repeated, *capped]
        titled = add_titles(kept, list_files(f"{self._surfaces[language]}/*.parquet"))
        write_groups(self._files.scratch.published, language, titled, sorted(rejected, key=class_of))
        write_profile(self._files, language)
        reasons = Counter(decode_rejection(line).reason for line in rejected)
        counts = Counts(len(kept) + len(rejected), len(kept), rejected=dict(sorted(reasons.items())))
        write_counts(f"{self._files.scratch.parts}/counts/{language}.json", counts)
        english = {int(line) for line in self._read("english", language, numbers)}
        shown = [qid_of(number) for number in map(class_of, kept) if number in english]
        write_lines(english_path(self._files.scratch, language), [orjson.dumps(shown)])

    def _read(self, kind: str, language: str, numbers: Iterable[int]) -> list[bytes]:
        """The lines of some slices."""
        lines: list[bytes] = []
        for number in numbers:
            with open_binary(self._files.judged(kind, language, number)) as source:
                lines.extend(source.read().splitlines(keepends=True))
        return lines

    def _without_near_duplicates(self, groups: list[bytes], language: str) -> tuple[list[bytes], list[bytes]]:
        """The lines of the groups that repeat no other one, and rejections of those that do."""
        number = self._files.recipe.filters.near_duplicates
        if number is None:
            return groups, []
        by_class = {class_of(line): line for line in groups}
        order = in_class_order(self._files.graph(), list(by_class), self._files.recipe)
        found = near_duplicates(((each, cluster_items(by_class[each])) for each in order), number)
        details = {
            each: f"shares {one.shared} items with {qid_of(one.kept)}, which is kept" for each, one in found.items()
        }
        rejections = [Rejection(qid_of(each), language, NEAR_DUPLICATE, detail) for each, detail in details.items()]
        return [line for each, line in by_class.items() if each not in found], list(map(encode_rejection, rejections))

    def _cap(self, groups: Sequence[bytes], language: str) -> tuple[list[bytes], list[bytes]]:
        """The lines of the groups that are kept, by class, and rejections of the others."""
        recipe = self._files.recipe
        most, order = recipe.cluster.max_groups, recipe.cluster.class_order
        by_class = {class_of(line): line for line in groups}
        first = first_classes(self._files.graph(), list(by_class), recipe)
        detail = f"one of {len(groups)} groups, of which the first {most} by {order} are kept"
        capped = [Rejection(qid_of(number), language, CAPPED, detail) for number in by_class if number not in first]
        return [by_class[number] for number in sorted(first)], [encode_rejection(one) for one in capped]
