"""Language codes of labels and their tags in Wikidata's RDF."""

import pytest

from wikisem.queries.sparql.language_tags import code_of, rdf_tag, tags_of


@pytest.mark.parametrize(("code", "tag"), [("de", "de"), ("zh-tw", "zh-hant-tw"), ("sr-el", "sr-latn"), ("yue", "yue")])
def test_codes_and_tags_lead_to_each_other(code: str, tag: str) -> None:
    """Most codes are their own tag; those that are not come back as they were."""
    assert rdf_tag(code) == tag
    assert code_of(tag) == code


def test_tags_are_read_in_any_case() -> None:
    """RDF writes zh-Hant-TW, engines keep it or lower it."""
    assert code_of("zh-Hant-TW") == "zh-tw"
    assert code_of("PT-BR") == "pt-br"


def test_both_writings_are_asked_for() -> None:
    """An engine that holds the code itself answers as well."""
    assert tags_of(["zh-tw", "de", "mul"]) == ["de", "mul", "zh-hant-tw", "zh-tw"]
