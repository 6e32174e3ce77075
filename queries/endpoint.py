"""Categories from a SPARQL endpoint: Wikidata's query service or another with the same vocabulary."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from pathlib import Path
from typing import Final, Protocol, TypeAlias

import SPARQLWrapper

from wikisem.categories.recipe import CandidateItem, Category, PropertyPath, sorted_values
from wikisem.errors import EndpointError
from wikisem.files import replace_file
from wikisem.ids import check_language, check_qid, is_qid, qid_number, qid_of
from wikisem.queries.sparql import (
    ENTITY,
    AnswerRow,
    Term,
    code_of,
    graph_pattern,
    item_term,
    parse_answer,
    path_term,
    rdf_tag,
    render,
    tags_of,
)
from wikisem.records import Statement
from wikisem.web import HttpClient, NoAnswerError, Patience

# How a query is sent.


class Ask(Protocol):
    """Sends a query and returns the body of the answer; NoAnswerError when it does not come whole."""

    def __call__(self, query: str) -> bytes:
        """The body of the answer."""
        ...


_NO_POST: Final = frozenset({405, 501})


@dataclass(frozen=True, slots=True)
class Transport:
    """Sends queries to an endpoint: SPARQLWrapper says how, by the protocol, and our client bounds what comes back.

    Wikidata's query service stops a query after 60 s by itself, and should have the time to say so.
    """

    endpoint: str
    http: HttpClient

    def __call__(self, query: str) -> bytes:
        """The body of the answer; NoAnswerError when it does not come whole in time."""
        try:
            return self._send(query, SPARQLWrapper.POST)  # a batch may not fit into a URL
        except NoAnswerError as error:
            if error.status not in _NO_POST:
                raise
        return self._send(query, SPARQLWrapper.GET)

    def _send(self, query: str, method: str) -> bytes:
        wrapper = SPARQLWrapper.SPARQLWrapper(self.endpoint)
        wrapper.setReturnFormat(SPARQLWrapper.JSON)
        wrapper.setMethod(method)
        wrapper.setQuery(query)
        # Not sent by SPARQLWrapper, which reads answers and errors without a limit.
        request = wrapper._createRequest()  # noqa: SLF001 - its only way to address, parameters and headers
        return self.http.read(request.full_url, method, request.data, dict(request.header_items()))


# A patient client: it asks, waits, asks again, keeps what it got, and says so when it gives up.


@dataclass(frozen=True, slots=True)
class AnswerCache:
    """Whole answers in one folder, each in a file named after its endpoint and query.

    An interrupted run continues where it stopped, and nothing is asked twice.
    """

    folder: Path

    def get(self, endpoint: str, query: str) -> bytes | None:
        """The answer to a query, if it is there."""
        try:
            return self._path(endpoint, query).read_bytes()
        except FileNotFoundError:
            return None

    def put(self, endpoint: str, query: str, answer: bytes) -> None:
        """Keep an answer; a reader sees the whole of it or nothing. OutputError when it cannot be written."""
        replace_file(str(self._path(endpoint, query)), answer)

    def _path(self, endpoint: str, query: str) -> Path:
        key = hashlib.sha256(f"{endpoint}\n{query}".encode()).hexdigest()
        return self.folder / f"{key}.json"


_Check: TypeAlias = Callable[[list[AnswerRow]], None]


@dataclass(frozen=True)
class Client:
    """Queries to one endpoint, one at a time; ``ask`` sends one."""

    endpoint: str
    ask: Ask
    cache: AnswerCache | None = None
    patience: Patience = field(default_factory=Patience)

    def rows(self, query: str, about: str, check: _Check = lambda _: None) -> list[AnswerRow]:
        """The rows of a whole answer, from the cache or the endpoint; EndpointError when it cannot be had.

        ``about`` names the query in that error; ``check`` raises NoAnswerError unless all rows are there.
        """
        kept = self.cache.get(self.endpoint, query) if self.cache else None
        if kept is not None:
            try:
                return _whole(kept, check)
            except NoAnswerError:
                pass  # a damaged file is no answer: ask, and overwrite it

        def ask() -> tuple[bytes, list[AnswerRow]]:
            body = self.ask(query)
            return body, _whole(body, check)

        body, rows = self.patience.persist(self.endpoint, ask, EndpointError, about)
        if self.cache:
            self.cache.put(self.endpoint, query, body)
        return rows


def _whole(body: bytes, check: _Check) -> list[AnswerRow]:
    rows = parse_answer(body)
    check(rows)
    return rows


# The categories.

# Rows a page and items a batch: answers of this size are whole within seconds, and far below what any engine cuts at.
PAGE: Final = 5000
_BATCH: Final = 200
_LABELS: Final = 2000
# Pages of PAGE rows for more items than Wikidata has, which are 120 million (2026-11).
_MOST_PAGES: Final = 30_000


class EndpointSource:
    """A CategorySource over a SPARQL endpoint."""

    def __init__(self, client: Client, page: int = PAGE, most_pages: int = _MOST_PAGES) -> None:
        self._client = client
        self._page = page
        self._most_pages = most_pages

    def items(self, category: Category) -> list[CandidateItem]:
        """The items of a class, property or pattern with at least ``min_sitelinks``, by QID.

        Pages follow one another until one is empty, so nothing is lost if an endpoint cuts pages shorter than asked.
        EndpointError for a listing without an end.
        """
        pattern = graph_pattern(category)
        found: list[CandidateItem] = []
        for _ in range(self._most_pages):
            after = qid_number(found[-1].qid) if found else 0
            page = self._items_after(after, pattern, category.min_sitelinks)
            if not page:
                return found
            found += page
        raise EndpointError(
            f"{self._client.endpoint}: expected the items of {category.name} on at most {self._most_pages:,} pages, "
            f"saw more; the last one ends at {found[-1].qid}"
        )

    def values(self, qids: Sequence[str], path: PropertyPath) -> dict[str, list[Statement]]:
        """The items and monolingual texts that a path leads to from each item, sorted."""
        found: dict[str, list[Statement]] = defaultdict(list)
        for batch in _batches(qids, _BATCH):
            query = render("values", items=_terms(batch), path=path_term(path))
            for qid, term in self._terms_of(batch, query, "value"):
                found[qid] += _statements(path.property, term)
        return {qid: sorted_values(statements) for qid, statements in found.items() if statements}

    def labels(self, qids: Sequence[str], codes: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        """The labels of items under the given language codes, in the order of the codes."""
        tags = tags_of(check_language(code) for code in codes)
        languages = ", ".join(f'"{tag}"' for tag in tags)
        found: dict[str, dict[str, str]] = defaultdict(dict)
        for batch in _batches(qids, max(1, _LABELS // len(tags))):
            query = render("labels", items=_terms(batch), languages=languages)
            for qid, term in self._terms_of(batch, query, "label"):
                found[qid][term.language] = term.text
        return {qid: _by_code(labels, codes) for qid, labels in found.items()}

    def notes(self) -> list[str]:
        """Nothing: an endpoint knows what Wikidata knows."""
        return []

    def _items_after(self, after: int, pattern: str, min_sitelinks: int) -> list[CandidateItem]:
        bounds = {"after": str(after), "min_sitelinks": str(min_sitelinks), "page": str(self._page)}

        def check(rows: Sequence[AnswerRow]) -> None:
            numbers = [after, *(qid_number(one.qid) for one in _candidates(rows))]
            if any(one >= other for one, other in pairwise(numbers)):
                raise NoAnswerError(f"items that do not follow Q{after} in order", final=True)
            if len(rows) > self._page:
                raise NoAnswerError(f"{len(rows):,} items on a page of {self._page:,}", final=True)

        query = render("items", pattern=pattern, **bounds)
        return _candidates(self._client.rows(query, f"items after Q{after}", check))

    def _terms_of(self, batch: Sequence[str], query: str, variable: str) -> Iterator[tuple[str, Term]]:
        for row in self._client.rows(query, f"the {variable}s of {batch[0]} and {len(batch) - 1} more", _check_end):
            if variable in row and "item" in row:
                yield _qid(row["item"]), row[variable]


def _candidates(rows: Sequence[AnswerRow]) -> list[CandidateItem]:
    try:
        return [CandidateItem(check_qid(qid_of(int(row["number"].text))), int(row["sitelinks"].text)) for row in rows]
    except (KeyError, ValueError) as error:
        raise NoAnswerError("a row without the number or the sitelinks of an item", final=True) from error


def _check_end(rows: Sequence[AnswerRow]) -> None:
    if not rows or "end" not in rows[-1]:
        raise NoAnswerError(f"an answer of {len(rows)} rows that lacks the last one")


def _batches(qids: Sequence[str], size: int) -> Iterator[list[str]]:
    rest = iter(dict.fromkeys(qids))
    while batch := list(islice(rest, size)):
        yield batch


def _terms(qids: Sequence[str]) -> str:
    return " ".join(item_term(qid) for qid in qids)


def _qid(term: Term) -> str:
    return term.text.removeprefix(ENTITY)


def _statements(name: str, term: Term) -> list[Statement]:
    if term.is_iri:
        return [Statement(name, _qid(term))] if is_qid(_qid(term)) else []
    return [Statement(name, term.text, code_of(term.language))] if term.language else []


def _by_code(labels: Mapping[str, str], codes: Sequence[str]) -> dict[str, str]:
    # An engine may hold the code itself ("zh-tw") instead of Wikibase's tag for it ("zh-hant-tw").
    found: dict[str, str] = {}
    rest = dict(labels)
    for code in codes:
        label = rest.pop(rdf_tag(code), rest.pop(code, None))
        if label is not None:
            found[code] = label
    return found
