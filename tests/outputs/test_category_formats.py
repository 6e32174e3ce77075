"""Category sets as files: what each form holds, and that the tools it is for read it."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.categories.language_sets import CategoryItem, CategoryWords, LeftOutItem, RelationWords, WordPair
from wikisem.categories.recipe import Relation
from wikisem.datasets.word_categories import read_categories
from wikisem.outputs.category_formats import (
    ReportRow,
    analogy_lines,
    category_json,
    category_lines,
    left_out_json,
    pairs_json,
    report_row,
    report_tsv,
    stringham_lines,
    token,
    without_any,
)

CITIES = CategoryWords(
    "us cities",
    "en",
    (CategoryItem("Q60", "New York City", "en", 300), CategoryItem("Q100", "Boston", "mul", 200)),
    (LeftOutItem("Q1297", "no-label"), LeftOutItem("Q5", "same-label")),
)
STATES = CategoryWords("states", "en", (CategoryItem("Q771", "Massachusetts", "en", 150),), ())
PAIRS = RelationWords(
    "city-in-state",
    "en",
    (
        WordPair("Q100", "Q771", ("Boston", "Massachusetts")),
        WordPair("Q60", "Q1384", ("New York City", "New York")),
        WordPair("Q1297", "", ("Chicago", "Illinois")),
    ),
    (LeftOutItem("Q61", "no-value"),),
)


def test_category_files_have_a_word_a_line() -> None:
    """Several tokens of one word are tied with "_", as in word2vec's phrases."""
    assert list(category_lines([CITIES, STATES])) == [
        ": us cities",
        "New_York_City",
        "Boston",
        ": states",
        "Massachusetts",
    ]


def test_the_authors_form_has_a_category_a_line() -> None:
    """Stringham and Izbicki's files: name and language after a colon, all words on the next line."""
    assert list(stringham_lines([CITIES, STATES])) == [
        ":us cities (en)",
        "New_York_City Boston",
        ":states (en)",
        "Massachusetts",
    ]


def test_json_lines_keep_everything() -> None:
    """QIDs, labels as Wikidata has them, where each label comes from, and sitelinks."""
    assert json.loads(category_json(CITIES)) == {
        "category": "us cities",
        "language": "en",
        "items": [
            {"id": "Q60", "label": "New York City", "source": "en", "sitelinks": 300},
            {"id": "Q100", "label": "Boston", "source": "mul", "sitelinks": 200},
        ],
    }
    assert json.loads(pairs_json(PAIRS))["pairs"][1:] == [
        {"subject": "Q60", "value": "Q1384", "words": ["New York City", "New York"]},
        {"subject": "Q1297", "value": None, "words": ["Chicago", "Illinois"]},
    ]


def test_scorers_read_every_form(tmp_path: Path) -> None:
    """What the scores read from the three forms are the same categories with the same words."""
    files = {
        "a.txt": category_lines([CITIES, STATES]),
        "b.txt": stringham_lines([CITIES, STATES]),
        "c.jsonl": map(category_json, [CITIES, STATES]),
    }
    for name, lines in files.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    ours, theirs, full = (read_categories(tmp_path / name) for name in files)
    assert [category.words for category in ours] == [("New_York_City", "Boston"), ("Massachusetts",)]
    assert [category.words for category in theirs] == [category.words for category in ours]
    assert [category.words for category in full] == [("New York City", "Boston"), ("Massachusetts",)]
    assert [category.name for category in ours] == [category.name for category in full] == ["us cities", "states"]


def test_what_is_left_out_is_listed() -> None:
    """A line for each item that is out, with the reason."""
    assert [json.loads(line) for line in left_out_json(CITIES)] == [
        {"of": "us cities", "language": "en", "id": "Q1297", "reason": "no-label"},
        {"of": "us cities", "language": "en", "id": "Q5", "reason": "same-label"},
    ]


def test_questions_are_four_tokens() -> None:
    """All n(n-1) questions, or the sample that the relation asks for."""
    relation = Relation("city-in-state", "cities", "P131+")
    lines = list(analogy_lines([(relation, PAIRS)], seed=1))
    assert lines[:2] == [": city-in-state", "Boston Massachusetts New_York_City New_York"]
    assert len(lines) == 1 + 6
    some = list(analogy_lines([(Relation("city-in-state", "cities", "P131+", questions=2), PAIRS)], seed=1))
    assert len(some) == 1 + 2
    assert set(some) < set(lines)


def test_gensim_reads_the_questions(tmp_path: Path) -> None:
    """gensim takes every question in, under the relation's name, and answers those whose words it has."""
    models = pytest.importorskip("gensim.models", reason="gensim comes with wikisem[dev]")
    path = tmp_path / "questions.txt"
    lines = analogy_lines([(Relation("city-in-state", "cities", "P131+"), PAIRS)], seed=1)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    vectors = models.KeyedVectors(2)
    vectors.add_vectors(
        ["Boston", "Massachusetts", "New_York_City", "New_York", "Chicago", "Illinois"],
        [[1, 0], [1, 1], [2, 0], [2, 2], [3, 0], [3, 3]],
    )
    _, sections = vectors.evaluate_word_analogies(str(path))
    section = sections[0]
    assert section["section"] == "city-in-state"
    assert len(section["correct"]) + len(section["incorrect"]) == 6


def test_the_report_adds_up() -> None:
    """Every item is kept, without a label, or left out otherwise; labels under ``mul`` are told apart."""
    rows = [report_row(CITIES), report_row(STATES), report_row(PAIRS)]
    assert rows == [
        ReportRow("en", "category", "us cities", kept=2, under_mul=1, without_label=1, otherwise=1),
        ReportRow("en", "category", "states", kept=1, under_mul=0, without_label=0, otherwise=0),
        ReportRow("en", "relation", "city-in-state", kept=3, under_mul=0, without_label=0, otherwise=1),
    ]
    assert [row.items for row in rows] == [4, 1, 4]
    assert report_tsv(rows).splitlines()[1] == "en\tcategory\tus cities\t4\t2\t1\t1\t1"


def test_a_language_without_labels_is_noticed() -> None:
    """Only labels of the language itself count: a set all under ``mul`` says nothing of it."""
    rows = [
        ReportRow("la", "category", "a", kept=2, under_mul=2, without_label=1, otherwise=0),
        ReportRow("en", "category", "a", kept=2, under_mul=1, without_label=1, otherwise=0),
        ReportRow("la", "category", "b", kept=0, under_mul=0, without_label=1, otherwise=0),
    ]
    assert without_any(rows) == ["la"]


# Labels as ``wording`` makes them: no white space at their ends, and single blanks between words.
LABELS = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), min_size=1, max_size=12).map(
    lambda text: " ".join(text.replace("\u00a0", "x").split())
)
WORDS = st.lists(LABELS.filter(lambda label: label and not label.startswith(":")), max_size=6)


@given(st.lists(WORDS, min_size=1, max_size=3))
def test_any_label_comes_back_from_every_form(tmp_path_factory: pytest.TempPathFactory, lists: list[list[str]]) -> None:
    """Whatever script and signs: with "_" for blanks from text, as it is from JSON lines, and no category is lost."""
    categories = [
        CategoryWords(f"c{at}", "en", tuple(CategoryItem("Q1", label, "en", 1) for label in labels), ())
        for at, labels in enumerate(lists)
    ]
    folder = tmp_path_factory.getbasetemp()
    for name, lines in [
        ("a.txt", category_lines(categories)),
        ("b.txt", stringham_lines(categories)),
        ("c.jsonl", map(category_json, categories)),
    ]:
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", newline="")
        wanted = lists if name == "c.jsonl" else [[token(label) for label in labels] for labels in lists]
        assert [list(category.words) for category in read_categories(folder / name)] == wanted
