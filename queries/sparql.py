"""SPARQL for Wikidata: queries made of checked ids, and the rows of answers."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from string import Template
from typing import Any, Final, TypeAlias

import msgspec
from rdflib.plugins.sparql import prepareQuery
from rdflib.plugins.sparql.parserutils import CompValue
from rdflib.plugins.sparql.sparql import Query

from wikisem.categories.recipe import Category, PropertyPath
from wikisem.errors import RecipeError, UsageError
from wikisem.ids import check_property, check_qid
from wikisem.web import NoAnswerError

# The words of Wikidata's RDF, as in https://www.mediawiki.org/wiki/Wikibase/Indexing/RDF_Dump_Format (2026-11).

ENTITY: Final = "http://www.wikidata.org/entity/"
TRUTHY: Final = "http://www.wikidata.org/prop/direct/"
SITELINKS: Final = "http://wikiba.se/ontology#sitelinks"
PREFIXES: Final = {
    "bd": "http://www.bigdata.com/rdf#",
    "hint": "http://www.bigdata.com/queryHints#",
    "p": "http://www.wikidata.org/prop/",
    "pq": "http://www.wikidata.org/prop/qualifier/",
    "ps": "http://www.wikidata.org/prop/statement/",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "schema": "http://schema.org/",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "wd": ENTITY,
    "wdt": TRUTHY,
    "wikibase": "http://wikiba.se/ontology#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}


# Queries.


@cache
def _template(name: str) -> Template:
    """The query of a ``.rq`` file, prefixes in front, comments left out."""
    # SPARQLWrapper 2.0 takes a word such as "drop" in a second line of comments for the kind of the query.
    lines = (resources.files(__package__) / f"{name}.rq").read_text(encoding="utf-8").splitlines()
    heads = [f"PREFIX {prefix}: <{iri}>" for prefix, iri in PREFIXES.items()]
    return Template("\n".join([*heads, *(line for line in lines if not line.startswith("#"))]) + "\n")


def render(name: str, **parts: str) -> str:
    """The query of a ``.rq`` file with its ``$parts`` filled in."""
    return _template(name).substitute(parts)


def item_term(qid: str) -> str:
    """``wd:Q42``; BadIdError unless it is an item id."""
    return f"wd:{check_qid(qid)}"


def path_term(path: PropertyPath) -> str:
    """``wdt:P36`` or ``wdt:P131+``; BadIdError unless it is a property id."""
    return f"wdt:{check_property(path.property)}{'+' if path.repeated else ''}"


def graph_pattern(category: Category) -> str:
    """The graph pattern that binds the items of a category to ``?item``."""
    if category.pattern:
        check_pattern(category.pattern, offline=False)
        return category.pattern
    if category.having:
        # Other values are properties, strings of no language and numbers, and blank nodes for unknown ones.
        wanted = f'FILTER(STRSTARTS(STR(?value), "{ENTITY}Q") || LANG(?value) != "")'
        return f"?item {path_term(PropertyPath(category.having))} ?value . {wanted}"
    links = "|".join(path_term(PropertyPath(name)) for name in category.linked_by)
    path = f"({links}){'/wdt:P279*' if category.subclasses else ''}"
    conditions = [f"?item {path_term(stated.path)} {item_term(stated.value)} ." for stated in category.conditions()]
    exclusions = [f"FILTER NOT EXISTS {{ ?item {path} {item_term(qid)} . }}" for qid in category.exclude]
    return "\n    ".join([f"?item {path} {item_term(category.class_)} .", *conditions, *exclusions])


def check_pattern(pattern: str, offline: bool) -> Query:
    """The parsed query for a recipe's pattern; RecipeError unless it is a pattern that binds ``?item``.

    ``offline`` also refuses SERVICE, which would ask the network (UsageError).
    """
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


# Language tags.

# Language codes of Wikidata that have another tag in its RDF, as MediaWiki's
# LanguageCode::getNonstandardLanguageCodeMapping lists them, which Wikibase's RDF writer applies (2026-11). Codes that
# labels no longer use (als, be-x-old, ...) are left out, since their standard forms are codes of their own.
_TAGS: Final = {
    "cbk-zam": "cbk",
    "de-formal": "de-x-formal",
    "eml": "egl",
    "es-formal": "es-x-formal",
    "hu-formal": "hu-x-formal",
    "map-bms": "jv-x-bms",
    "mo": "ro-cyrl-md",
    "nl-informal": "nl-x-informal",
    "nrm": "nrf",
    "roa-tara": "nap-x-tara",
    "simple": "en-simple",
    "sr-ec": "sr-cyrl",
    "sr-el": "sr-latn",
    "zh-cn": "zh-hans-cn",
    "zh-hk": "zh-hant-hk",
    "zh-mo": "zh-hant-mo",
    "zh-my": "zh-hans-my",
    "zh-sg": "zh-hans-sg",
    "zh-tw": "zh-hant-tw",
}
_CODES: Final = {tag: code for code, tag in _TAGS.items()}


def rdf_tag(code: str) -> str:
    """The tag, in lower case, of a label's language code: "zh-hant-tw" for "zh-tw", "de" for "de"."""
    return _TAGS.get(code, code)


def code_of(tag: str) -> str:
    """The language code of a tag: "zh-tw" for "zh-Hant-TW"."""
    return _CODES.get(tag.lower(), tag.lower())


def tags_of(codes: Iterable[str]) -> list[str]:
    """All tags that labels under these codes may have, sorted; other engines may keep the codes themselves."""
    return sorted({tag for code in codes for tag in (code, rdf_tag(code))})


# Answers in SPARQL's JSON form (https://www.w3.org/TR/sparql11-results-json/).


@dataclass(frozen=True, slots=True)
class Term:
    """A value in an answer: an IRI, or a literal with its language, if it has one."""

    text: str
    is_iri: bool
    language: str = ""


AnswerRow: TypeAlias = dict[str, Term]


class _Value(msgspec.Struct):
    type: str
    value: str
    language: str = msgspec.field(name="xml:lang", default="")


class _Results(msgspec.Struct):
    bindings: list[dict[str, _Value]]


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
    return [
        {
            name: Term(value.value, value.type == "uri", value.language.lower())
            for name, value in row.items()
            if value.type != "bnode"
        }
        for row in rows
    ]
