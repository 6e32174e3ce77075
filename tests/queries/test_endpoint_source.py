"""Categories from an endpoint, answered by hand: what is asked, and which answers are not believed."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from wikisem.categories.recipe import Category, parse_path
from wikisem.errors import EndpointError
from wikisem.queries.sparql import ENTITY, Client, EndpointSource
from wikisem.records import Statement
from wikisem.web import Patience

END = {"end": {"type": "literal", "value": "true"}}


def body(*rows: dict[str, dict[str, str]]) -> bytes:
    """An answer in SPARQL's JSON form."""
    return orjson.dumps({"results": {"bindings": rows}})


def item(qid: str) -> dict[str, str]:
    """An item as a term."""
    return {"type": "uri", "value": ENTITY + qid}


def label(text: str, language: str) -> dict[str, str]:
    """A string in a language as a term."""
    return {"type": "literal", "value": text, "xml:lang": language}


class Replies:
    """An endpoint that gives these answers one after the other, and keeps the queries and the pauses."""

    def __init__(self, *answers: bytes) -> None:
        self._answers = iter(answers)
        self.queries: list[str] = []
        self.pauses: list[float] = []

    def __call__(self, query: str) -> bytes:
        """The next answer."""
        self.queries.append(query)
        return next(self._answers)

    def source(self, attempts: int = 2) -> EndpointSource:
        """A source that asks here."""
        patience = Patience(attempts=attempts, wait=self.pauses.append)
        return EndpointSource(Client("http://x/", self, None, patience))


def test_an_answer_without_any_row_is_not_believed() -> None:
    """Labels and values end in a mark of their own: no row at all is an answer that was cut in front of the first."""
    replies = Replies(body(), body({"item": item("Q1"), "label": label("one", "en")}, END))
    assert replies.source().labels(["Q1", "Q2"], ["en"]) == {"Q1": {"en": "one"}}
    assert replies.pauses == [1.0]
    with pytest.raises(EndpointError, match=r"the labels of Q1 and 1 more, saw none in 2 attempts.*0 rows that lacks"):
        Replies(body(), body()).source().labels(["Q1", "Q2"], ["en"])


def test_the_mark_must_be_in_the_last_row() -> None:
    """Rows after the mark, or a mark that is missing, are an answer that was put together wrongly."""
    row = {"item": item("Q1"), "value": item("Q2")}
    for wrong in (body(row), body(END, row)):
        with pytest.raises(EndpointError, match="the values of Q1 and 0 more"):
            Replies(wrong).source(attempts=1).values(["Q1"], parse_path("P36"))


def row_of(number: int) -> dict[str, Any]:
    """A row of a page of items."""
    return {name: {"type": "literal", "value": str(value)} for name, value in (("number", number), ("sitelinks", 1))}


def test_pages_have_an_end() -> None:
    """An endpoint that always has one more item is not asked for ever."""
    replies = Replies(*(body(row_of(number)) for number in range(1, 100)))
    source = EndpointSource(Client("http://x/", replies), page=5, most_pages=3)
    with pytest.raises(EndpointError, match="items of all on at most 3 pages, saw more; the last one ends at Q3"):
        source.items(Category("all", class_="Q5"))
    assert len(replies.queries) == 3


def test_a_page_has_no_more_than_was_asked_for() -> None:
    """LIMIT is kept to by whatever answers the query."""
    replies = Replies(body(row_of(1), row_of(2), row_of(3)))
    with pytest.raises(EndpointError, match="3 items on a page of 2"):
        EndpointSource(Client("http://x/", replies), page=2).items(Category("all", class_="Q5"))


@pytest.mark.parametrize("number", ["9" * 5000, "9" * 40, "-1", "0", "1.5", "Q1", ""])
def test_a_number_that_is_no_items_is_refused(number: str) -> None:
    """One message, whatever the number is."""
    strange = {**row_of(1), "number": {"type": "literal", "value": number}}
    with pytest.raises(EndpointError, match="items after Q0, saw none in 1 attempt"):
        EndpointSource(Client("http://x/", Replies(body(strange)))).items(Category("all", class_="Q5"))


def test_a_row_without_an_item_is_passed_over() -> None:
    """There is nothing that it could be a label of."""
    replies = Replies(body({"label": label("one", "en")}, END))
    assert replies.source().labels(["Q1"], ["en"]) == {}


def test_values_that_are_no_items_and_no_texts_are_left_out() -> None:
    """Properties, unknown values and strings without a language name nothing; the same value counts once."""
    values = [item("Q10"), item("Q9"), item("Q9"), item("P31"), {"type": "bnode", "value": "t"}, label("Paris", "fr")]
    plain = {"type": "literal", "value": "12"}
    rows = [{"item": item("Q1"), "value": value} for value in [*values, plain]]
    found = Replies(body(*rows, END)).source().values(["Q1"], parse_path("P36"))
    assert found == {"Q1": [Statement("P36", "Q9"), Statement("P36", "Q10"), Statement("P36", "Paris", "fr")]}


def test_items_and_languages_go_in_batches_each_once() -> None:
    """200 items a query, or fewer where many languages make the answers long; repeated items are asked once."""
    qids = [f"Q{number}" for number in range(1, 402)]
    replies = Replies(*[body(END)] * 9)
    assert replies.source().values([*qids, *qids], parse_path("P36")) == {}
    assert [query.count("wd:Q") for query in replies.queries] == [200, 200, 1]


def test_labels_come_back_under_the_codes_that_were_asked_for() -> None:
    """In the order of the codes: under the tag of RDF, or under the code itself where an engine keeps it."""
    rows = [
        {"item": item("Q1"), "label": label("台灣", "zh-Hant-TW")},
        {"item": item("Q1"), "label": label("Taiwan", "en")},
        {"item": item("Q2"), "label": label("中國", "zh-tw")},
    ]
    found = Replies(body(*rows, END)).source().labels(["Q1", "Q2"], ["zh-tw", "en"])
    assert {qid: list(labels.items()) for qid, labels in found.items()} == {
        "Q1": [("zh-tw", "台灣"), ("en", "Taiwan")],
        "Q2": [("zh-tw", "中國")],
    }


def test_pages_go_on_after_the_last_item() -> None:
    """The next page begins after the highest number so far, and an empty page is the last."""
    rows = [
        {"number": {"type": "literal", "value": str(number)}, "sitelinks": {"type": "literal", "value": "3"}}
        for number in (5, 42)
    ]
    replies = Replies(body(*rows), body())
    found = replies.source().items(Category("c", class_="Q5", min_sitelinks=2))
    assert [(one.qid, one.sitelinks) for one in found] == [("Q5", 3), ("Q42", 3)]
    assert ["> 0" in query for query in replies.queries] == [True, False]
    assert "> 42" in replies.queries[1]


def test_a_kept_answer_is_checked_as_a_new_one_is(tmp_path: Path) -> None:
    """Whole JSON that lacks the last row, as an earlier version may have kept it, is asked for again and replaced."""
    row = {"item": item("Q1"), "label": label("one", "en")}
    replies = Replies(body(row, END))
    EndpointSource(Client("http://x/", replies, tmp_path)).labels(["Q1"], ["en"])
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(body(row))
    again = Replies(body(row, END))
    assert EndpointSource(Client("http://x/", again, tmp_path)).labels(["Q1"], ["en"]) == {"Q1": {"en": "one"}}
    assert again.queries == replies.queries
    assert kept.read_bytes() == body(row, END)
