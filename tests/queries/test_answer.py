"""Answers of an endpoint: rows of terms, or the knowledge that an answer is not whole."""

import orjson
import pytest

from wikisem.queries.sparql import Term, parse_answer
from wikisem.web import NoAnswerError

ROWS = [
    {
        "item": {"type": "uri", "value": "http://www.wikidata.org/entity/Q90"},
        "label": {"type": "literal", "value": "Paris } ]", "xml:lang": "zh-Hant-TW"},
    },
    {"item": {"type": "bnode", "value": "t1"}, "number": {"type": "literal", "value": "7"}},
]
BODY = orjson.dumps({"head": {"vars": ["item", "label", "number"]}, "results": {"bindings": ROWS}})


def test_terms_are_iris_or_literals_with_their_language() -> None:
    """Tags are as they came; an unknown value (a blank node) is as if it were not there."""
    assert parse_answer(BODY) == [
        {
            "item": Term("uri", "http://www.wikidata.org/entity/Q90"),
            "label": Term("literal", "Paris } ]", language="zh-Hant-TW"),
        },
        {"number": Term("literal", "7")},
    ]


@pytest.mark.parametrize("length", range(len(BODY)))
def test_an_answer_cut_anywhere_is_no_answer(length: int) -> None:
    """Whichever byte is the last to arrive, rows are never taken for all rows."""
    with pytest.raises(NoAnswerError, match="an answer that stops half-way"):
        parse_answer(BODY[:length])


@pytest.mark.parametrize(
    "body",
    [
        BODY + b"\njava.util.concurrent.TimeoutException",
        b"<html>Service Unavailable</html>",
        b"[]",
        b"null",
        b'{"results": {}}',
        b'{"head": {}, "boolean": true}',
        b'{"results": {"bindings": [7]}}',
        b'{"results": {"bindings": [{"item": {"type": "uri"}}]}}',
        b'{"results": {"bindings": [{"item": "Q90"}]}}',
        b'{"results": {"bindings": [{"item": {"type": "uri", "value": 5}}]}}',
        b'{"results": {"bindings": [{"item": {"type": null, "value": "Q90"}}]}}',
        b'{"results": {"bindings": [{"item": {"type": "literal", "value": "x", "xml:lang": []}}]}}',
        b'{"head": ' + b"[" * 100_000,
    ],
)
def test_what_is_no_whole_result_is_told_by_its_end(body: bytes) -> None:
    """The message ends with what the body ends with, where a server says what went wrong; it may be asked again."""
    with pytest.raises(NoAnswerError) as caught:
        parse_answer(body)
    assert str(caught.value).endswith(repr(body[-120:].decode().strip()))
    assert not caught.value.final


def test_an_answer_without_rows_is_whole() -> None:
    """The last page of a listing is empty."""
    assert parse_answer(b'{"head": {"vars": []}, "results": {"bindings": []}}') == []
