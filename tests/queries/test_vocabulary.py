"""What becomes part of a query: only ids of their form, and patterns that are patterns."""

from typing import Any

import orjson
import pytest

from wikisem.categories.recipe import Category, PropertyPath, parse_condition, parse_path
from wikisem.errors import BadIdError, RecipeError
from wikisem.queries.sparql import (
    ENTITY,
    PREFIXES,
    Client,
    EndpointSource,
    graph_pattern,
    item_terms,
    path_term,
    rdf_tag,
    template,
)
from wikisem.records import Statement

ATTACKS = ["Q1 } UNION { ?s ?p ?o", "Q1\n", "Q0", "q1", "wd:Q1", "", "Q1#", "Q1>"]


def _unasked(query: str) -> bytes:
    raise AssertionError(f"asked {query!r}")


@pytest.mark.parametrize("text", ATTACKS)
def test_only_item_ids_become_terms(text: str) -> None:
    """Whatever is not an item id from end to end is refused where a query is made, not only where a recipe is read."""
    with pytest.raises(BadIdError):
        item_terms(text)
    for category in (Category("c", class_=text), Category("c", class_="Q1", exclude=(text or "x",))):
        with pytest.raises(BadIdError):
            graph_pattern(category)
    with pytest.raises(BadIdError):
        parse_condition(f"P17 {text}")


@pytest.mark.parametrize("text", ["P31/wdt:P279", "P31 ?x", "p31", "P0", "P31++", "P31*", ""])
def test_only_property_ids_become_paths(text: str) -> None:
    """A path is a property with or without a plus: no other operator, no second property."""
    with pytest.raises(BadIdError):
        parse_path(text)
    with pytest.raises(BadIdError):
        path_term(PropertyPath(text))


def test_nothing_is_asked_with_a_bad_id() -> None:
    """Items and language codes are checked before a query leaves."""
    source = EndpointSource(Client("http://localhost/", _unasked))
    with pytest.raises(BadIdError):
        source.labels(["Q1 }"], ["en"])
    with pytest.raises(BadIdError):
        source.labels(["Q1"], ['en"))'])
    with pytest.raises(BadIdError):
        source.values(["Q1 }"], parse_path("P36"))


def test_a_pattern_that_is_no_sparql_is_not_sent() -> None:
    """The mistake is the recipe's, and is told before the endpoint sees it."""
    source = EndpointSource(Client("http://localhost/", _unasked))
    with pytest.raises(RecipeError, match="expected a SPARQL pattern"):
        source.items(Category("c", pattern="?item wdt:P31 ; }"))


def test_a_class_becomes_a_path() -> None:
    """Links are alternatives, subclasses a star, conditions triples, exclusions filters."""
    category = Category(
        "c", "Q5119", linked_by=("P31", "P1269"), subclasses=True, statements=("P131+ Q99",), exclude=("Q1",)
    )
    assert graph_pattern(category).split("\n    ") == [
        "?item (wdt:P31|wdt:P1269)/wdt:P279* wd:Q5119 .",
        "?item wdt:P131+ wd:Q99 .",
        "FILTER NOT EXISTS { ?item (wdt:P31|wdt:P1269)/wdt:P279* wd:Q1 . }",
    ]


def test_queries_begin_with_prefixes_and_hold_no_comment() -> None:
    """SPARQLWrapper guesses the kind of a query from its words, comments included: none are sent."""
    query = template("values").substitute(items="wd:Q1", path="wdt:P36")
    lines = query.splitlines()
    assert lines[0].startswith("PREFIX ")
    assert lines[len(PREFIXES)].startswith("SELECT ")
    assert not any(line.startswith("#") for line in lines)


@pytest.mark.parametrize(("code", "tag"), [("de", "de"), ("zh-tw", "zh-hant-tw"), ("sr-el", "sr-latn"), ("yue", "yue")])
def test_codes_and_tags_lead_to_each_other(code: str, tag: str) -> None:
    """Most codes are their own tag; those that are not come back as they were, in any case: RDF writes zh-Hant-TW."""
    assert rdf_tag(code) == tag
    texts = [{"type": "literal", "value": written, "xml:lang": written} for written in (tag, tag.upper())]
    rows: list[dict[str, Any]] = [{"item": {"type": "uri", "value": f"{ENTITY}Q1"}, "value": text} for text in texts]
    answer = orjson.dumps({"results": {"bindings": [*rows, {"end": {"type": "literal", "value": "true"}}]}})
    found = EndpointSource(Client("http://localhost/", lambda _: answer)).values(["Q1"], PropertyPath("P1"))
    assert sorted(found["Q1"], key=lambda text: text.value) == [
        Statement("P1", written, code) for written in (tag.upper(), tag)
    ]


def test_both_writings_are_asked_for() -> None:
    """An engine that holds the code itself answers as well."""
    source = EndpointSource(Client("http://localhost/", _unasked))
    with pytest.raises(AssertionError, match='"de", "mul", "zh-hant-tw", "zh-tw"'):
        source.labels(["Q1"], ["zh-tw", "de", "mul"])
