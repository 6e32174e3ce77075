"""Items get the form that links give their page, else the fallback, else nothing."""

import pyarrow as pa
import pytest

from wikisem.schemas import ENTITIES
from wikisem.surfaces.anchors import TOP_ANCHORS
from wikisem.surfaces.naming import ITEMS, Fallback, items_of, plain_title, surfaces_of

ENTITY_ROWS = pa.Table.from_pylist(
    [
        {"qid": "Q1", "titles": {"ltgwiki": "Rīga", "dewiki": "Riga"}, "labels": {"en": "Riga", "mul": "Rīga"}},
        {"qid": "Q2", "titles": {"dewiki": "Oslo"}, "labels": {"de": "Oslo"}},
        {"qid": "Q3", "titles": {}, "labels": {"mul": "  Ada\u00a0 Lovelace\n"}},
        {"qid": "Q4", "titles": None, "labels": None},
        {"qid": "Q5", "titles": {"ltgwiki": "Upe"}, "labels": {"mul": " \t"}},
    ],
    ENTITIES,
)
ITEM_ROWS = pa.table(
    {
        "qid": ["Q1", "Q2", "Q3", "Q4"],
        "title": ["Rīga", "Oslo (Norvegeja)", None, "Upe"],
        "label": ["Reiga", "Oslo", "Ada Lovelace", None],
    },
    ITEMS,
)
CHOSEN = pa.table({"title": ["Rīga"], "surface": ["reigā"], "count": [3], "total": [5]}, TOP_ANCHORS)


def test_items_have_a_page_or_a_label() -> None:
    """The title is that of the wiki, the label that of the first language that has one; no white space is left over."""
    assert items_of(ENTITY_ROWS, "ltgwiki", ["ltg", "mul"]).to_pylist() == [
        {"qid": "Q1", "title": "Rīga", "label": "Rīga"},
        {"qid": "Q3", "title": None, "label": "Ada Lovelace"},
        {"qid": "Q5", "title": "Upe", "label": None},
    ]


def test_items_of_a_slice_and_of_chunks() -> None:
    """Where a row is in its table makes no difference."""
    cut = pa.concat_tables([ENTITY_ROWS.slice(0, 2), ENTITY_ROWS.slice(2, 0), ENTITY_ROWS.slice(2)])
    assert items_of(cut, "ltgwiki", ["ltg", "mul"]).equals(items_of(ENTITY_ROWS, "ltgwiki", ["ltg", "mul"]))
    assert items_of(ENTITY_ROWS.slice(2, 2), "ltgwiki", ["mul"])["qid"].to_pylist() == ["Q3"]


@pytest.mark.parametrize(
    ("fallback", "wanted"),
    [
        ("none", {"Q1": ("reigā", 3, 5, "anchor")}),
        (
            "label",
            {
                "Q1": ("reigā", 3, 5, "anchor"),
                "Q2": ("Oslo", 0, 0, "label"),
                "Q3": ("Ada Lovelace", 0, 0, "label"),
            },
        ),
        (
            "title",
            {"Q1": ("reigā", 3, 5, "anchor"), "Q2": ("Oslo", 0, 0, "title"), "Q4": ("Upe", 0, 0, "title")},
        ),
    ],
)
def test_fallback_where_no_link_names_the_page(
    fallback: Fallback, wanted: dict[str, tuple[str, int, int, str]]
) -> None:
    """A link's form comes first; a fallback counts no links; an item that nothing names has no row."""
    rows = surfaces_of(ITEM_ROWS, CHOSEN, fallback).to_pylist()
    assert {row["qid"]: (row["surface"], row["count"], row["total"], row["source"]) for row in rows} == wanted


def test_item_without_a_page_has_no_title() -> None:
    """The title column is that of the page whose links were counted, and null where there is none."""
    rows = surfaces_of(ITEM_ROWS, CHOSEN, "label")
    assert rows["title"].to_pylist() == ["Rīga", "Oslo (Norvegeja)", None]


@pytest.mark.parametrize(
    ("title", "plain"),
    [
        ("Mercury (planet)", "Mercury"),
        ("Mercury (Roman god) (film)", "Mercury (Roman god)"),
        ("東京（曖昧さ回避）", "東京"),
        ("(500) Days of Summer", "(500) Days of Summer"),
        ("(What's the Story)", "(What's the Story)"),
        ("Odd)", "Odd)"),
    ],
)
def test_plain_title(title: str, plain: str) -> None:
    """One trailing parenthesis goes, and what would leave nothing stays."""
    assert plain_title(pa.chunked_array([[title]])).to_pylist() == [plain]
