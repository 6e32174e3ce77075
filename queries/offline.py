"""Categories from the entities of a build: no network, whole columns at a time."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from rdflib import Graph
from rdflib.store import Store
from rdflib.term import IdentifiedNode, Literal, URIRef, Variable

from wikisem.arrow.buckets import read_items
from wikisem.arrow.columns import Numbers, distinct, join, qid_numbers, qids_of, union
from wikisem.arrow.parquet import open_parquet
from wikisem.categories.recipe import CandidateItem, Category, PropertyPath, parse_condition, sorted_values
from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.files import check_address, list_files, open_binary, read_if_there
from wikisem.ids import is_qid, qid_number
from wikisem.layout import find_folder, index_folder
from wikisem.queries.sparql import ENTITY, SITELINKS, TRUTHY, check_pattern
from wikisem.records import Statement
from wikisem.schemas import ADDED, ENTITIES


class EntitySource:
    """A CategorySource over the Parquet of a build, in ``folder``: OUT, ``OUT/entities`` or the folder with the files.

    It is a path or a URL. Raises MissingInputError without Parquet there, DamagedInputError if it is not of entities.
    """

    def __init__(self, folder: str) -> None:
        """Find the Parquet files, in the folder itself or in its ``entities``, and check the first."""
        self._folder = folder.rstrip("/")
        path = check_address(self._folder).rstrip("/") or "/"
        found = find_folder(path, "entities", read_if_there)
        self._path = found if list_files(f"{found}/*.parquet") else f"{path}/entities"
        self._files = list_files(f"{self._path}/*.parquet")
        if not self._files:
            raise MissingInputError(f"expected the entities of a build (*.parquet), saw none in {self._folder!r}")
        with _open(self._files[0]):  # raises if it has other columns
            pass
        self._known: dict[str, PropertyEdges] = {}  # statements that were read, by property

    def items(self, category: Category) -> list[CandidateItem]:
        """The items of a class, property or pattern with at least ``min_sitelinks``, by QID."""
        # Their item numbers: what a SPARQL pattern binds, what has a property, or what is linked to a class.
        if category.pattern:
            # Entities have best-rank statements between items or with texts (``wdt:``) and ``wikibase:sitelinks`` only:
            # any other pattern is refused, so no answer is silently smaller than an endpoint's.
            query = check_pattern(category.pattern, offline=True)
            store = _EntityStore()
            store.source = self
            graph = Graph(store=store, bind_namespaces="none")
            bound = {str(row[_ITEM]).removeprefix(ENTITY) for row in graph.query(query).bindings if _ITEM in row}
            numbers = np.asarray(sorted(qid_number(qid) for qid in bound if is_qid(qid)), dtype=np.int64)
        elif category.having:
            # The value of a statement is an item, or a string in a language.
            edges = self.statements(category.having)
            with_text = [qid_number(qid) for qid, texts in edges.texts.items() if any(text.language for text in texts)]
            numbers = distinct(np.concatenate([edges.subjects, np.array(with_text, dtype=np.int64)]))
        else:
            numbers = self._linked(category, [category.class_])
            for condition in map(parse_condition, category.statements):
                edges, value = self.statements(condition.path.property), qid_number(condition.value)
                meeting = edges.subjects_of([value], condition.path.repeated)
                numbers = np.intersect1d(numbers, meeting, assume_unique=True)
            numbers = np.setdiff1d(numbers, self._linked(category, category.exclude), assume_unique=True)
        # Of these, keep items with enough sitelinks. One that statements name but that has no row of its own has none.
        known, counts = self.all_sitelinks
        rows = np.searchsorted(known, numbers).clip(max=max(len(known) - 1, 0))
        sitelinks = np.where(known[rows] == numbers, counts[rows], 0) if len(known) else np.zeros_like(numbers)
        kept = sitelinks >= category.min_sitelinks
        return list(map(CandidateItem, qids_of(numbers[kept]), sitelinks[kept].tolist()))

    def values(self, qids: Sequence[str], path: PropertyPath) -> dict[str, list[Statement]]:
        """The values, items and monolingual texts, that a property path leads to from each item, sorted."""
        edges, found = self.statements(path.property), {}
        for qid in qids:
            ends = qids_of(edges.objects_of([qid_number(qid)], path.repeated))
            items = [Statement(path.property, value) for value in ends]
            found[qid] = sorted_values([*items, *(text for text in edges.texts.get(qid, ()) if text.language)])
        return {qid: statements for qid, statements in found.items() if statements}

    def notes(self) -> list[str]:
        """A note for each property that was asked for and that no item of these entities has."""
        return [
            f"no item in {self._folder} has a statement of {name}; if Wikidata has some, "
            f"the build did not keep that property"
            for name, edges in sorted(self._known.items())
            if not len(edges.subjects) and not edges.texts
        ]

    def _linked(self, category: Category, classes: Sequence[str]) -> Numbers:
        """The items that a property of ``linked_by`` links to one of some classes, or to a class below; sorted."""
        wanted = np.asarray([qid_number(qid) for qid in classes], dtype=np.int64)
        if category.subclasses:
            wanted = union([wanted, self.statements("P279").subjects_of(wanted, repeated=True)])
        return union(self.statements(name).subjects_of(wanted) for name in category.linked_by)

    @cached_property
    def all_sitelinks(self) -> tuple[Numbers, Numbers]:
        """All item numbers, sorted, and the sitelinks of each."""
        numbers, counts = list[Numbers](), list[Numbers]()
        for batch in self._batches("qid", "sitelinks"):
            numbers.append(qid_numbers(batch["qid"]))
            counts.append(np.asarray(pc.fill_null(batch["sitelinks"], 0)))
        unsorted = join(numbers)
        order = np.argsort(unsorted)
        return unsorted[order], join(counts)[order]

    def labels(self, qids: Sequence[str], codes: Sequence[str]) -> dict[str, dict[str, str]]:
        """The labels of items, by QID and by language code in the order of ``codes``; items without any are absent."""
        index = list_files(f"{index_folder(self._path)}/*.parquet")
        # Files that were written before there was an index are read as a whole.
        tables: Iterator[pa.RecordBatch | pa.Table] = (
            read_items(self._path, index, qids, ["labels"]) if index else self._batches("qid", "labels", qids=qids)
        )
        found = {}
        for table in tables:
            for row in table.to_pylist():
                labels = dict(row["labels"] or ())
                found[row["qid"]] = {code: labels[code] for code in codes if code in labels}
        return {qid: labels for qid, labels in found.items() if labels}

    def statements(self, name: str) -> "PropertyEdges":
        """The values of a property, such as "P31", which are read once.

        P31 and P279 have a column of their own, a list of items. Other properties are in the column "statements", a
        list of structs with the property, the value, and the language of a text.
        """
        if name in self._known:
            return self._known[name]
        subjects, objects = [], []
        texts: dict[str, list[Statement]] = defaultdict(list)
        column = _LISTS.get(name, "statements")
        for batch in self._batches("qid", column):
            # Unnest the lists: a row for each element, with the QID of its subject.
            qids, values = batch["qid"].take(pc.list_parent_indices(batch[column])), pc.list_flatten(batch[column])
            if column == "statements":
                has_property = pc.equal(pc.struct_field(values, "property"), name)
                qids, statements = qids.filter(has_property), values.filter(has_property)
                values, languages = pc.struct_field(statements, "value"), pc.struct_field(statements, "language")
                is_item = pc.and_(pc.equal(pc.fill_null(languages, ""), ""), pc.match_substring_regex(values, _QID))
                is_text = pc.invert(is_item)
                rows = statements.filter(is_text).to_pylist()
                for qid, row in zip(qids.filter(is_text).to_pylist(), rows, strict=True):
                    texts[qid].append(Statement(name, row["value"], row["language"] or ""))
                qids, values = qids.filter(is_item), values.filter(is_item)
            subjects.append(qid_numbers(qids))
            objects.append(qid_numbers(values))
        self._known[name] = PropertyEdges(join(subjects), join(objects), texts)
        return self._known[name]

    def _batches(self, *columns: str, qids: Sequence[str] | None = None) -> Iterator[pa.RecordBatch]:
        chosen = None if qids is None else pa.array(list(qids), pa.string())
        for path in self._files:
            with _open(path) as file:
                for batch in file.iter_batches(columns=list(columns)):
                    batch.validate(full=True)
                    yield batch if chosen is None else batch.filter(pc.is_in(batch["qid"], chosen))


class PropertyEdges:
    """The (subject, object) pairs of one property in order of object: two columns of item numbers, shape ``(n,)``.

    ``texts`` has the values that are no items, by the QID of their subject.
    """

    def __init__(self, subjects: Numbers, objects: Numbers, texts: Mapping[str, Sequence[Statement]]) -> None:
        order = np.lexsort((subjects, objects))
        self.subjects, self.objects, self.texts = subjects[order], objects[order], texts

    def subjects_of(self, objects: npt.ArrayLike, repeated: bool = False) -> Numbers:
        """The items that have any of these values, or with ``repeated`` lead to one in any number of steps; sorted."""
        return _reachable(self.objects, self.subjects, objects, repeated)

    def objects_of(self, subjects: npt.ArrayLike, repeated: bool = False) -> Numbers:
        """The values that any of these items has, or with ``repeated`` leads to in any number of steps; sorted."""
        return _reachable(*self._by_subject, subjects, repeated)

    @cached_property
    def _by_subject(self) -> tuple[Numbers, Numbers]:
        order = np.lexsort((self.objects, self.subjects))
        return self.subjects[order], self.objects[order]


def _reachable(keys: Numbers, values: Numbers, starts: npt.ArrayLike, repeated: bool) -> Numbers:
    """The items that a graph's edges, from ``keys`` (sorted) to ``values``, lead to from the starts; sorted, each once.

    With ``repeated`` they may be any number of steps away. A start is only among them if a path leads back to it.
    """
    found, new = np.zeros(0, np.int64), np.asarray(starts, dtype=np.int64)
    while len(new):
        low = np.searchsorted(keys, new, side="left")
        counts = np.searchsorted(keys, new, side="right") - low
        # Row numbers low, low + 1, ... of every start, one after the other: with low = [3, 7] and counts = [2, 1]
        # first = [3, 3, 5], and the rows are 3, 4, 7.
        first = np.repeat(low - np.cumsum(counts) + counts, counts)
        reached = distinct(values[first + np.arange(counts.sum())])
        new = np.setdiff1d(reached, found, assume_unique=True) if repeated else new[:0]
        found = union([found, reached])
    return found


_LISTS: Final = {"P31": "instance_of", "P279": "subclass_of"}
_QID: Final = r"^Q[1-9][0-9]*$"


@contextmanager
def _open(path: str) -> Iterator[pq.ParquetFile]:
    """Open a file of entities; DamagedInputError unless it has the columns of the entities stage."""
    with open_binary(path) as source, open_parquet(source, path, "the Parquet of the entities stage") as file:
        types = {column.name: column.type for column in file.schema_arrow}
        # Category sets do not read the columns that older files lack.
        columns = [column for column in ENTITIES if column.name not in ADDED]
        if missing := [column.name for column in columns if column.name not in types]:
            raise DamagedInputError(f"{path}: expected the columns of entities, saw none called {', '.join(missing)}")
        for column in columns:
            if (seen := types[column.name]) != column.type:
                raise DamagedInputError(f"{path}: expected {column.name} to be {column.type}, saw {seen}")
        yield file


# A subject, a predicate and a value, in the terms of RDFLib, which evaluates SPARQL patterns.
_Triple: TypeAlias = tuple[Any, Any, Any]
_ITEM: Final = Variable("item")


class _EntityStore(Store):
    """The statements of entities, from ``source``, as RDF triples: looked up by subject, by object or both."""

    source: EntitySource

    def triples(self, triple_pattern: _Triple, context: Any = None) -> Iterator[tuple[_Triple, Any]]:  # noqa: ARG002
        """The triples that match, as RDFLib asks a store for them; an unbound part is ``None`` (never the property).

        Beside each is an iterator over the graphs it is in, of which there are none.
        """
        subject, predicate, value = triple_pattern
        found: Iterator[_Triple]
        if predicate == URIRef(SITELINKS):
            numbers, counts = self.source.all_sitelinks
            if subject is not None:
                own_row = slice(*(np.searchsorted(numbers, _number(subject), side=side) for side in ("left", "right")))
                numbers, counts = numbers[own_row], counts[own_row]
            found = (
                (URIRef(f"{ENTITY}Q{number}"), predicate, Literal(count))
                for number, count in zip(numbers.tolist(), counts.tolist(), strict=True)
            )
        else:
            found = self._statements(subject, predicate, value)
        yield from ((triple, iter(())) for triple in found if value is None or triple[2] == value)

    def __len__(self, context: Any = None) -> int:
        return len(self.source.all_sitelinks[0])

    def _statements(self, subject: Any, predicate: Any, value: Any) -> Iterator[_Triple]:
        """The triples of a wdt: property that may match a pattern, in which ``None`` is any subject or value.

        First are those with items as values, then those with texts, unless the value is an item. The value is only used
        to find items faster: the caller drops triples with others. UsageError for another predicate.
        """
        if predicate is None or not str(predicate).startswith(TRUTHY):
            expected = "a pattern of wdt: properties and wikibase:sitelinks, which are what entities hold"
            seen = "a property that is not given" if predicate is None else predicate
            raise UsageError(f"expected {expected}, saw {seen}; ask an endpoint instead")
        edges = self.source.statements(str(predicate).removeprefix(TRUTHY))
        # Values that are items, as pairs of item numbers.
        if subject is not None:
            pairs = [(_number(subject), number) for number in edges.objects_of([_number(subject)]).tolist()]
        elif value is not None:
            pairs = [(number, _number(value)) for number in edges.subjects_of([_number(value)]).tolist()]
        else:
            pairs = list(zip(edges.subjects.tolist(), edges.objects.tolist(), strict=True))
        for number, other in pairs:
            yield URIRef(f"{ENTITY}Q{number}"), predicate, URIRef(f"{ENTITY}Q{other}")
        # Values that are texts.
        if isinstance(value, IdentifiedNode):
            return
        for qid in edges.texts if subject is None else [str(subject).removeprefix(ENTITY)]:
            for text in edges.texts.get(qid, ()):
                yield URIRef(ENTITY + qid), predicate, Literal(text.value, lang=text.language or None)


def _number(node: Any) -> int:
    """The number of an item's IRI; -1, which no item has, for any other node."""
    text = str(node).removeprefix(ENTITY)
    return qid_number(text) if is_qid(text) else -1
