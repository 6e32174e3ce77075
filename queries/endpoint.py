"""Categories from a SPARQL endpoint: Wikidata's query service or another with the same vocabulary."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Final, TypeAlias

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

# The body of the answer to a query; NoAnswerError when it does not come whole.
Ask: TypeAlias = Callable[[str], bytes]
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


_Check: TypeAlias = Callable[[list[AnswerRow]], None]


@dataclass(frozen=True)
class Client:
    """Queries to one endpoint, one at a time; ``ask`` sends one.

    Whole answers are kept in the folder ``cache``, each in a file named after its endpoint and query, so that an
    interrupted run continues where it stopped, and nothing is asked twice.
    """

    endpoint: str
    ask: Ask
    cache: Path | None = None
    patience: Patience = field(default_factory=Patience)

    def rows(self, query: str, about: str, check: _Check = lambda _: None) -> list[AnswerRow]:
        """The rows of a whole answer, from the cache or the endpoint; EndpointError after the last attempt.

        ``about`` names the query in that error; ``check`` raises NoAnswerError unless all rows are there.
        """

        def whole(body: bytes) -> tuple[bytes, list[AnswerRow]]:
            rows = parse_answer(body)
            check(rows)
            return body, rows

        key = hashlib.sha256(f"{self.endpoint}\n{query}".encode()).hexdigest()
        path = self.cache / f"{key}.json" if self.cache else None
        # A file that is damaged is no answer: it is asked for, and overwritten.
        with suppress(FileNotFoundError, NoAnswerError):
            if path:
                return whole(path.read_bytes())[1]
        body, rows = self.patience.persist(self.endpoint, lambda: whole(self.ask(query)), EndpointError, about)
        if path:
            replace_file(str(path), body)
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
            bounds = {"after": str(after), "min_sitelinks": str(category.min_sitelinks), "page": str(self._page)}
            query = render("items", pattern=pattern, **bounds)
            check = partial(_check_page, after=after, size=self._page)
            page = _candidates(self._client.rows(query, f"items after Q{after}", check))
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
                if not term.is_iri and term.language:
                    found[qid].append(Statement(path.property, term.text, code_of(term.language)))
                elif term.is_iri and is_qid(value := term.text.removeprefix(ENTITY)):
                    found[qid].append(Statement(path.property, value))
        return {qid: sorted_values(statements) for qid, statements in found.items()}

    def labels(self, qids: Sequence[str], codes: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        """The labels of items under the given language codes, in the order of the codes."""
        tags = tags_of(check_language(code) for code in codes)
        languages = ", ".join(f'"{tag}"' for tag in tags)
        found: dict[str, dict[str, str]] = defaultdict(dict)
        for batch in _batches(qids, max(1, _LABELS // len(tags))):
            query = render("labels", items=_terms(batch), languages=languages)
            for qid, term in self._terms_of(batch, query, "label"):
                found[qid][term.language] = term.text
        by_code: dict[str, dict[str, str]] = {qid: {} for qid in found}
        for qid, labels in found.items():
            for code in codes:
                # An engine may hold the code itself ("zh-tw") instead of Wikibase's tag for it ("zh-hant-tw").
                label = labels.pop(rdf_tag(code), labels.pop(code, None))
                if label is not None:
                    by_code[qid][code] = label
        return by_code

    def notes(self) -> list[str]:
        """Nothing: an endpoint knows what Wikidata knows."""
        return []

    def _terms_of(self, batch: Sequence[str], query: str, variable: str) -> Iterator[tuple[str, Term]]:
        def check(rows: Sequence[AnswerRow]) -> None:
            if not rows or "end" not in rows[-1]:
                raise NoAnswerError(f"an answer of {len(rows)} rows that lacks the last one")

        for row in self._client.rows(query, f"the {variable}s of {batch[0]} and {len(batch) - 1} more", check):
            if variable in row and "item" in row:
                yield row["item"].text.removeprefix(ENTITY), row[variable]


def _candidates(rows: Sequence[AnswerRow]) -> list[CandidateItem]:
    try:
        return [CandidateItem(check_qid(qid_of(int(row["number"].text))), int(row["sitelinks"].text)) for row in rows]
    except (KeyError, ValueError) as error:
        raise NoAnswerError("a row without the number or the sitelinks of an item", final=True) from error


def _check_page(rows: Sequence[AnswerRow], after: int, size: int) -> None:
    numbers = [after, *(qid_number(item.qid) for item in _candidates(rows))]
    if any(number >= following for number, following in pairwise(numbers)):
        raise NoAnswerError(f"items that do not follow Q{after} in order", final=True)
    if len(rows) > size:
        raise NoAnswerError(f"{len(rows):,} items on a page of {size:,}", final=True)


def _batches(qids: Sequence[str], size: int) -> Iterator[list[str]]:
    rest = iter(dict.fromkeys(qids))
    while batch := list(islice(rest, size)):
        yield batch


def _terms(qids: Sequence[str]) -> str:
    return " ".join(item_term(qid) for qid in qids)
