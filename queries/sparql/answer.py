"""The rows of an answer in SPARQL's JSON form, or the knowledge that it stopped half-way.

Form: https://www.w3.org/TR/sparql11-results-json/. The query service begins an answer before it has all of it: when it
fails later, the status is 200 still, and the JSON breaks off or is followed by a Java stack trace.
"""

from dataclasses import dataclass
from typing import TypeAlias

import msgspec

from wikisem.queries.http_client import NoAnswerError


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
    """The rows, each a map from variable to term, blank nodes left out; NoAnswerError when the answer is not whole."""
    try:
        rows = msgspec.json.decode(body, type=_Answer).results.bindings
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        tail = body[-120:].decode("utf-8", "replace").strip()
        raise NoAnswerError(f"an answer that stops half-way or is no SPARQL result, at its end {tail!r}") from error
    # A blank node is an unknown value (somevalue).
    return [{name: _term(value) for name, value in row.items() if value.type != "bnode"} for row in rows]


def _term(value: _Value) -> Term:
    return Term(value.value, value.type == "uri", value.language.lower())
