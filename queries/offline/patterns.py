"""SPARQL patterns over the entities of a build: rdflib evaluates them, the columns of the entities answer its lookups.

Only best-rank statements between items or with texts (``wdt:``) and ``wikibase:sitelinks`` are in the entities; a
pattern that asks for anything else is refused, so that no answer is silently smaller than an endpoint's.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

import numpy as np
from rdflib import Graph
from rdflib.store import Store
from rdflib.term import IdentifiedNode, Literal, URIRef, Variable

from wikisem.errors import UsageError
from wikisem.ids import is_qid, qid_number
from wikisem.queries.offline.entity_table import EntityTable
from wikisem.queries.offline.property_edges import PropertyEdges
from wikisem.queries.sparql.vocabulary import ENTITY, SITELINKS, TRUTHY, check_pattern

Triple: TypeAlias = tuple[Any, Any, Any]
ITEM: Final = Variable("item")


def match_pattern(pattern: str, table: EntityTable, edges: Callable[[str], PropertyEdges]) -> list[int]:
    """The numbers of the items that a pattern binds to ``?item``, each once, sorted.

    Raises RecipeError for what is no SPARQL, UsageError for what the entities cannot answer.
    """
    query = check_pattern(pattern, offline=True)
    graph = Graph(store=_EntityStore(table, edges), bind_namespaces="none")
    bound = {str(one[ITEM]).removeprefix(ENTITY) for one in graph.query(query).bindings if ITEM in one}
    return sorted(qid_number(one) for one in bound if is_qid(one))


class _EntityStore(Store):
    """The statements of entities as RDF triples, looked up by subject, by object or both."""

    def __init__(self, table: EntityTable, edges: Callable[[str], PropertyEdges]) -> None:
        super().__init__()
        self._table = table
        self._edges = edges

    def triples(self, triple_pattern: Triple, context: Any = None) -> Iterator[tuple[Triple, Any]]:  # noqa: ARG002
        """The triples that match; an unbound part is ``None``. The property must be given."""
        subject, predicate, value = triple_pattern
        if predicate == URIRef(SITELINKS):
            found = self._sitelink_triples(subject)
        else:
            found = self._statement_triples(subject, predicate, value)
        yield from ((triple, iter(())) for triple in found if value is None or triple[2] == value)

    def __len__(self, context: Any = None) -> int:
        return len(self._table.all_sitelinks[0])

    def _sitelink_triples(self, subject: Any) -> Iterator[Triple]:
        numbers, counts = self._table.all_sitelinks
        if subject is not None:
            at = slice(*(np.searchsorted(numbers, _number(subject), side=side) for side in ("left", "right")))
            numbers, counts = numbers[at], counts[at]
        for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
            yield _item(number), URIRef(SITELINKS), Literal(count)

    def _statement_triples(self, subject: Any, predicate: Any, value: Any) -> Iterator[Triple]:
        if predicate is None or not str(predicate).startswith(TRUTHY):
            raise UsageError(
                f"expected a pattern of wdt: properties and wikibase:sitelinks, which are what entities hold, "
                f"saw {'a property that is not given' if predicate is None else predicate}; ask an endpoint instead"
            )
        edges = self._edges(str(predicate).removeprefix(TRUTHY))
        if subject is not None:
            pairs = [(_number(subject), one) for one in edges.objects_of([_number(subject)]).tolist()]
        elif value is not None:
            pairs = [(one, _number(value)) for one in edges.subjects_of([_number(value)]).tolist()]
        else:
            pairs = list(zip(*(column.tolist() for column in edges.pairs()), strict=True))
        yield from ((_item(one), predicate, _item(other)) for one, other in pairs)
        yield from self._text_triples(subject, predicate, value)

    def _text_triples(self, subject: Any, predicate: Any, value: Any) -> Iterator[Triple]:
        if isinstance(value, IdentifiedNode):
            return
        texts = self._table.texts(str(predicate).removeprefix(TRUTHY))
        qids = texts if subject is None else [str(subject).removeprefix(ENTITY)]
        for qid in qids:
            for one in texts.get(qid, ()):
                yield URIRef(ENTITY + qid), predicate, Literal(one.value, lang=one.language or None)


def _item(number: int) -> URIRef:
    return URIRef(f"{ENTITY}Q{number}")


def _number(node: Any) -> int:
    """The number of an item's IRI; -1, which no item has, for any other node."""
    text = str(node).removeprefix(ENTITY)
    return qid_number(text) if is_qid(text) else -1
