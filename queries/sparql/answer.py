"""The rows of an answer in SPARQL's JSON form, or the knowledge that it stopped half-way.

Form: https://www.w3.org/TR/sparql11-results-json/. The query service begins an answer before it has all of it: when it
fails later, the status is 200 still, and the JSON breaks off or is followed by a Java stack trace.
"""

from dataclasses import dataclass
from typing import Any, TypeAlias

import orjson

from wikisem.queries.patience import NoAnswerError


@dataclass(frozen=True, slots=True)
class Term:
    """A value in an answer: an IRI, or a literal with its language, if it has one."""

    text: str
    is_iri: bool
    language: str = ""


AnswerRow: TypeAlias = dict[str, Term]


def parse_answer(body: bytes) -> list[AnswerRow]:
    """The rows, each a map from variable to term, blank nodes left out; NoAnswerError when the answer is not whole."""
    try:
        bindings = orjson.loads(body)["results"]["bindings"]
        return [{name: term for name, value in row.items() if (term := _term(value))} for row in bindings]
    except (orjson.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
        tail = body[-120:].decode("utf-8", "replace").strip()
        raise NoAnswerError(f"an answer that stops half-way or is no SPARQL result, at its end {tail!r}") from error


def _term(value: dict[str, Any]) -> Term | None:
    if value["type"] == "bnode":
        return None  # an unknown value (somevalue)
    return Term(value["value"], value["type"] == "uri", value.get("xml:lang", "").lower())
