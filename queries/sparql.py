"""SPARQL for Wikidata: queries made of checked ids, and the rows of answers."""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from itertools import islice, pairwise
from pathlib import Path
from string import Template
from typing import Any, Final, TypeAlias

import msgspec
import SPARQLWrapper
from rdflib.plugins.sparql import prepareQuery
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import Query

from wikisem.categories.recipe import CandidateItem, Category, PropertyPath, parse_condition, sorted_values
from wikisem.errors import EndpointError, RecipeError, UsageError
from wikisem.files import replace_file
from wikisem.ids import check_language, check_property, check_qid, is_qid, qid_number, qid_of
from wikisem.records import Statement
from wikisem.typed_json import packaged_tables
from wikisem.web import HttpClient, NoAnswerError, Patience

_VOCABULARY: Final = packaged_tables(__package__, "vocabulary.toml")
PREFIXES: Final[Mapping[str, str]] = _VOCABULARY["prefixes"]
ENTITY: Final = PREFIXES["wd"]
TRUTHY: Final = PREFIXES["wdt"]
SITELINKS: Final = f"{PREFIXES['wikibase']}sitelinks"


@cache
def template(name: str) -> Template:
    """The query of a ``.rq`` file, prefixes in front, comments left out."""
    # SPARQLWrapper 2.0 takes a word such as "drop" in a second line of comments for the kind of the query.
    lines = (resources.files(__package__) / f"{name}.rq").read_text(encoding="utf-8").splitlines()
    heads = [f"PREFIX {prefix}: <{iri}>" for prefix, iri in PREFIXES.items()]
    return Template("\n".join([*heads, *(line for line in lines if not line.startswith("#"))]) + "\n")


def item_terms(*qids: str) -> str:
    """``wd:Q42 wd:Q64``; BadIdError unless all are item ids."""
    return " ".join(f"wd:{check_qid(qid)}" for qid in qids)


def path_term(path: PropertyPath) -> str:
    """``wdt:P36`` or ``wdt:P131+``; BadIdError unless it is a property id."""
    return f"wdt:{check_property(path.property)}{'+' if path.repeated else ''}"


def graph_pattern(category: Category) -> str:
    """The SPARQL that binds the items of a category to ``?item``: its own pattern, or that of a property or a class.

    A class gives ``?item (wdt:P31)/wdt:P279* wd:Q515 .``, then its conditions and exclusions.
    """
    if category.pattern:
        check_pattern(category.pattern, offline=False)
        return category.pattern
    if category.having:
        # Values that are items or texts in a language count, but no numbers, plain strings, properties or unknown ones.
        wanted = f'FILTER(STRSTARTS(STR(?value), "{ENTITY}Q") || LANG(?value) != "")'
        return f"?item {path_term(PropertyPath(category.having))} ?value . {wanted}"
    links = "|".join(path_term(PropertyPath(name)) for name in category.linked_by)
    path = f"({links}){'/wdt:P279*' if category.subclasses else ''}"
    stated_conditions = map(parse_condition, category.statements)
    conditions = [f"?item {path_term(stated.path)} {item_terms(stated.value)} ." for stated in stated_conditions]
    exclusions = [f"FILTER NOT EXISTS {{ ?item {path} {item_terms(qid)} . }}" for qid in category.exclude]
    return "\n    ".join([f"?item {path} {item_terms(category.class_)} .", *conditions, *exclusions])


def check_pattern(pattern: str, offline: bool) -> Query:
    """The parsed query for a pattern; RecipeError unless it binds ``?item``, UsageError for SERVICE if ``offline``."""
    text = f"SELECT DISTINCT ?item WHERE {{\n{pattern}\n}}"
    try:
        query = prepareQuery(text, initNs=PREFIXES)
    except Exception as error:  # the parser raises what its grammar library likes
        raise RecipeError(f"pattern: expected a SPARQL pattern, saw {pattern!r}: {error}") from error
    if offline and _holds(query.algebra, "ServiceGraphPattern"):
        raise UsageError("expected a pattern that entities can answer, saw SERVICE; ask an endpoint instead")
    return query


def _holds(part: Any, name: str) -> bool:
    if isinstance(part, CompValue):
        return part.name == name or any(_holds(value, name) for value in part.values())
    return isinstance(part, (list, tuple)) and any(_holds(value, name) for value in part)


_TAGS: Final[Mapping[str, str]] = _VOCABULARY["tags"]
_CODES: Final = {tag: code for code, tag in _TAGS.items()}


def rdf_tag(code: str) -> str:
    """The tag, in lower case, of a label's language code: "zh-hant-tw" for "zh-tw", "de" for "de"."""
    return _TAGS.get(code, code)


class Term(msgspec.Struct):
    """A value in an answer: an IRI ("uri"), or a literal with the tag of its language, if it has one.

    Answers are in SPARQL's JSON form (https://www.w3.org/TR/sparql11-results-json/).
    """

    type: str
    text: str = msgspec.field(name="value")
    language: str = msgspec.field(name="xml:lang", default="")


AnswerRow: TypeAlias = dict[str, Term]


class _Results(msgspec.Struct):
    bindings: list[AnswerRow]


class _Answer(msgspec.Struct):
    results: _Results


def parse_answer(body: bytes) -> list[AnswerRow]:
    """The rows, each a map from variable to term, blank nodes left out; NoAnswerError when the answer is not whole.

    The query service begins an answer before it has all of it: if it fails later, the status is still 200, and the JSON
    breaks off or is followed by a Java stack trace.
    """
    try:
        rows = msgspec.json.decode(body, type=_Answer).results.bindings
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        tail = body[-120:].decode("utf-8", "replace").strip()
        raise NoAnswerError(f"an answer that stops half-way or is no SPARQL result, at its end {tail!r}") from error
    # A blank node is an unknown value (somevalue).
    return [{name: term for name, term in row.items() if term.type != "bnode"} for row in rows]


# The body of the answer to a query; NoAnswerError when it does not come whole.
Ask: TypeAlias = Callable[[str], bytes]
_NO_POST: Final = frozenset({405, 501})


@dataclass(frozen=True, slots=True)
class Transport:
    """Sends queries: SPARQLWrapper says how, by the protocol, and our client bounds what comes back."""

    endpoint: str
    http: HttpClient

    def __call__(self, query: str) -> bytes:
        """Send a query and return the body of the answer."""
        for method in (SPARQLWrapper.POST, SPARQLWrapper.GET):  # a batch may not fit into a URL
            wrapper = SPARQLWrapper.SPARQLWrapper(self.endpoint)
            wrapper.setReturnFormat(SPARQLWrapper.JSON)
            wrapper.setMethod(method)
            wrapper.setQuery(query)
            # Not sent by SPARQLWrapper, which reads answers and errors without a limit.
            request = wrapper._createRequest()  # noqa: SLF001 - its only way to address, parameters and headers
            try:
                return self.http.read(request.full_url, method, request.data, dict(request.header_items()))
            except NoAnswerError as error:
                if method == SPARQLWrapper.GET or error.status not in _NO_POST:
                    raise
        raise AssertionError("the second method answers or raises")


_Check: TypeAlias = Callable[[list[AnswerRow]], None]


@dataclass(frozen=True)
class Client:
    """Queries to one endpoint, one at a time; ``ask`` sends one.

    Whole answers are kept in files of the folder ``cache``, so that an interrupted run asks nothing twice.
    """

    endpoint: str
    ask: Ask
    cache: Path | None = None
    patience: Patience = field(default_factory=Patience)

    def rows(self, query: str, about: str, check: _Check = lambda _: None) -> list[AnswerRow]:
        """The rows of a whole answer, from the cache or else from the endpoint, whose answer is then cached.

        An answer that is cut or damaged, or for which ``check`` raises NoAnswerError, is asked for again: EndpointError
        after the last attempt. ``about`` says in messages what the answer is about.
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


# Rows a page and items a batch: answers of this size are whole within seconds, and far below what any engine cuts at.
PAGE: Final = 5000
_BATCH: Final = 200
_LABELS: Final = 2000
# Pages of PAGE rows for more items than Wikidata has, which are 120 million (2026-11).
_MOST_PAGES: Final = 30_000


@dataclass(frozen=True, slots=True)
class EndpointSource:
    """A CategorySource over a SPARQL endpoint, which is asked for pages of ``page`` items, at most ``most_pages``."""

    client: Client
    page: int = PAGE
    most_pages: int = _MOST_PAGES

    def items(self, category: Category) -> list[CandidateItem]:
        """The items of a class, property or pattern with at least ``min_sitelinks``, by QID.

        Pages follow one another until one is empty, so nothing is lost if an endpoint cuts pages shorter than asked.
        EndpointError for a listing without an end.
        """
        pattern = graph_pattern(category)
        found: list[CandidateItem] = []
        for _ in range(self.most_pages):
            after = qid_number(found[-1].qid) if found else 0
            bounds = {"after": str(after), "min_sitelinks": str(category.min_sitelinks), "page": str(self.page)}
            query = template("items").substitute(pattern=pattern, **bounds)

            def check(rows: Sequence[AnswerRow], after: int = after) -> None:
                numbers = [after, *(qid_number(item.qid) for item in _candidates(rows))]
                if any(number >= following for number, following in pairwise(numbers)):
                    raise NoAnswerError(f"items that do not follow Q{after} in order", final=True)
                if len(rows) > self.page:
                    raise NoAnswerError(f"{len(rows):,} items on a page of {self.page:,}", final=True)

            page = _candidates(self.client.rows(query, f"items after Q{after}", check))
            if not page:
                return found
            found += page
        expected = f"the items of {category.name} on at most {self.most_pages:,} pages"
        seen = f"more; the last one ends at {found[-1].qid}"
        raise EndpointError(f"{self.client.endpoint}: expected {expected}, saw {seen}")

    def values(self, qids: Sequence[str], path: PropertyPath) -> dict[str, list[Statement]]:
        """The values, items and monolingual texts, that a property path leads to from each item, sorted."""
        found: dict[str, list[Statement]] = defaultdict(list)
        for qid, term in self._terms_of(qids, _BATCH, "value", path=path_term(path)):
            if term.type != "uri" and (tag := term.language.lower()):
                code = _CODES.get(tag, tag)  # a tag of RDF, "zh-hant-tw", may differ from Wikidata's code, "zh-tw"
                found[qid].append(Statement(path.property, term.text, code))
            elif term.type == "uri" and is_qid(value := term.text.removeprefix(ENTITY)):
                found[qid].append(Statement(path.property, value))
        return {qid: sorted_values(statements) for qid, statements in found.items()}

    def labels(self, qids: Sequence[str], codes: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        """The labels of items, by QID and by language code in the order of ``codes``; items without any are absent."""
        # All tags that labels under these codes may have: other engines than Wikidata's may keep the codes themselves.
        tags = sorted({tag for code in map(check_language, codes) for tag in (code, rdf_tag(code))})
        languages = ", ".join(f'"{tag}"' for tag in tags)
        found: dict[str, dict[str, str]] = defaultdict(dict)
        for qid, term in self._terms_of(qids, max(1, _LABELS // len(tags)), "label", languages=languages):
            found[qid][term.language.lower()] = term.text
        return {
            qid: {code: label for code in codes if (label := labels.get(rdf_tag(code), labels.get(code))) is not None}
            for qid, labels in found.items()
        }

    def notes(self) -> list[str]:
        """Nothing: an endpoint knows what Wikidata knows."""
        return []

    def _terms_of(self, qids: Sequence[str], size: int, variable: str, **terms: str) -> Iterator[tuple[str, Term]]:
        """Ask for the values or the labels of items, ``size`` at a time, and yield QIDs, each with one of them.

        ``variable`` is "value" or "label", and ``terms`` complete its query. The queries let a row that binds ``end``
        come last: an answer without it was cut, and is asked for again.
        """

        def check(rows: Sequence[AnswerRow]) -> None:
            if not rows or "end" not in rows[-1]:
                raise NoAnswerError(f"an answer of {len(rows)} rows that lacks the last one")

        rest = iter(dict.fromkeys(qids))
        while batch := list(islice(rest, size)):
            query = template(f"{variable}s").substitute(items=item_terms(*batch), **terms)
            for row in self.client.rows(query, f"the {variable}s of {batch[0]} and {len(batch) - 1} more", check):
                if variable in row and "item" in row:
                    yield row["item"].text.removeprefix(ENTITY), row[variable]


def _candidates(rows: Sequence[AnswerRow]) -> list[CandidateItem]:
    try:
        return [CandidateItem(check_qid(qid_of(int(row["number"].text))), int(row["sitelinks"].text)) for row in rows]
    except (KeyError, ValueError) as error:
        raise NoAnswerError("a row without the number or the sitelinks of an item", final=True) from error
