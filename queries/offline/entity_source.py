"""Categories from the entities of a build: no network, whole columns at a time."""

from collections.abc import Mapping, Sequence

import numpy as np

from wikisem.arrow.numbers import Numbers, distinct, union
from wikisem.arrow.qids import qids_of
from wikisem.categories.category_source import CandidateItem, sorted_values
from wikisem.categories.recipe import Category, Condition, PropertyPath
from wikisem.ids import qid_number
from wikisem.queries.offline.entity_table import EntityTable
from wikisem.queries.offline.patterns import match_pattern
from wikisem.queries.offline.property_edges import PropertyEdges
from wikisem.records import Statement


class EntitySource:
    """A CategorySource over the Parquet that the entities stage wrote."""

    def __init__(self, folder: str) -> None:
        self._table = EntityTable(folder)
        self._absent: set[str] = set()

    def items(self, category: Category) -> list[CandidateItem]:
        """The items of a class, property or pattern with at least ``min_sitelinks``, by QID."""
        if category.pattern:
            numbers = np.asarray(match_pattern(category.pattern, self._table, self._edges), dtype=np.int64)
        elif category.having:
            numbers = self._having(category.having)
        else:
            numbers = self._of_class(category)
        sitelinks = self._table.sitelinks(numbers)
        kept = sitelinks >= category.min_sitelinks
        return [CandidateItem(*one) for one in zip(qids_of(numbers[kept]), sitelinks[kept].tolist(), strict=True)]

    def values(self, qids: Sequence[str], path: PropertyPath) -> dict[str, list[Statement]]:
        """The items and monolingual texts that a path leads to from each item, sorted."""
        edges, texts = self._edges(path.property), self._table.texts(path.property)
        found = {}
        for qid in qids:
            start = [qid_number(qid)]
            ends = edges.reached(start) if path.repeated else edges.objects_of(start)
            items = [Statement(path.property, value) for value in qids_of(ends)]
            found[qid] = sorted_values([*items, *(one for one in texts.get(qid, ()) if one.language)])
        return {qid: statements for qid, statements in found.items() if statements}

    def labels(self, qids: Sequence[str], codes: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        """The labels of items under the given language codes."""
        return self._table.labels(qids, codes)

    def notes(self) -> list[str]:
        """The properties that were asked for and that no item of these entities has."""
        return [
            f"no item in {self._table.folder} has a statement of {name}; if Wikidata has some, "
            f"the build did not keep that property"
            for name in sorted(self._absent)
        ]

    def _having(self, name: str) -> Numbers:
        """The items with a statement of a property whose value is an item, or a text in some language."""
        items = self._edges(name).pairs()[0]
        texts = self._table.texts(name).items()
        with_language = [qid_number(qid) for qid, listed in texts if any(one.language for one in listed)]
        return distinct(np.concatenate([items, np.array(with_language, dtype=np.int64)]))

    def _of_class(self, category: Category) -> Numbers:
        numbers = self._linked(category, [category.class_])
        for condition in category.conditions():
            numbers = np.intersect1d(numbers, self._meeting(condition), assume_unique=True)
        return np.setdiff1d(numbers, self._linked(category, category.exclude), assume_unique=True)

    def _linked(self, category: Category, classes: Sequence[str]) -> Numbers:
        wanted = np.asarray([qid_number(one) for one in classes], dtype=np.int64)
        if category.subclasses:
            wanted = union([wanted, self._edges("P279").reaching(wanted)])
        return union(self._edges(name).subjects_of(wanted) for name in category.linked_by)

    def _meeting(self, condition: Condition) -> Numbers:
        edges, value = self._edges(condition.path.property), [qid_number(condition.value)]
        return edges.reaching(value) if condition.path.repeated else edges.subjects_of(value)

    def _edges(self, name: str) -> PropertyEdges:
        edges = self._table.edges(name)
        if not len(edges) and not self._table.texts(name):
            self._absent.add(name)
        return edges
