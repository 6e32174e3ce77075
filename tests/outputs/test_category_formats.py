"""Category sets as files: what each form holds, and that the tools it is for read it."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.categories.language_sets import (
    CategoryItem,
    CategoryWords,
    LanguageSet,
    LeftOutItem,
    RelationWords,
    WordPair,
)
from wikisem.categories.recipe import Category, CategoryRecipe, Relation
from wikisem.datasets.word_groups import read_categories
from wikisem.outputs.category_formats import ReportRow, report_row, without_any, write_sets

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


RELATION = Relation("city-in-state", "cities", "P131+")
FORMS = ("categories/en.txt", "stringham2020/en.txt", "categories/en.jsonl")


def write(folder: Path, categories: Sequence[CategoryWords], relation: Relation | None = None) -> None:
    """The files of a set in English: the categories, and if there is a relation, ``PAIRS``."""
    relations = () if relation is None else (relation,)
    recipe = CategoryRecipe("r", (Category("any", class_="Q515"),), relations, seed=1)
    words = LanguageSet("en", tuple(categories), (PAIRS,) * len(relations))
    write_sets(folder, recipe, [words], [report_row(one) for one in words.words()])


def lines_of(path: Path) -> list[str]:
    """The lines of a file."""
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def test_category_files_have_a_word_a_line(tmp_path: Path) -> None:
    """Several tokens of one word are tied with "_", as in word2vec's phrases."""
    write(tmp_path, [CITIES, STATES])
    wanted = [": us cities", "New_York_City", "Boston", ": states", "Massachusetts"]
    assert lines_of(tmp_path / "categories" / "en.txt") == wanted


def test_the_authors_form_has_a_category_a_line(tmp_path: Path) -> None:
    """Stringham and Izbicki's files: name and language after a colon, all words on the next line."""
    write(tmp_path, [CITIES, STATES])
    wanted = [":us cities (en)", "New_York_City Boston", ":states (en)", "Massachusetts"]
    assert lines_of(tmp_path / "stringham2020" / "en.txt") == wanted


def test_json_lines_keep_everything(tmp_path: Path) -> None:
    """QIDs, labels as Wikidata has them, where each label comes from, and sitelinks."""
    write(tmp_path, [CITIES], RELATION)
    assert json.loads((tmp_path / "categories" / "en.jsonl").read_text()) == {
        "category": "us cities",
        "language": "en",
        "items": [
            {"id": "Q60", "label": "New York City", "source": "en", "sitelinks": 300},
            {"id": "Q100", "label": "Boston", "source": "mul", "sitelinks": 200},
        ],
    }
    assert json.loads((tmp_path / "analogies" / "en.jsonl").read_text())["pairs"][1:] == [
        {"subject": "Q60", "value": "Q1384", "words": ["New York City", "New York"]},
        {"subject": "Q1297", "value": None, "words": ["Chicago", "Illinois"]},
    ]


def test_scorers_read_every_form(tmp_path: Path) -> None:
    """What the scores read from the three forms are the same categories with the same words."""
    write(tmp_path, [CITIES, STATES])
    ours, theirs, full = (read_categories(tmp_path / name) for name in FORMS)
    assert [category.words for category in ours] == [("New_York_City", "Boston"), ("Massachusetts",)]
    assert [category.words for category in theirs] == [category.words for category in ours]
    assert [category.words for category in full] == [("New York City", "Boston"), ("Massachusetts",)]
    assert [category.name for category in ours] == [category.name for category in full] == ["us cities", "states"]


def test_what_is_left_out_is_listed(tmp_path: Path) -> None:
    """A line for each item that is out, with the reason."""
    write(tmp_path, [CITIES])
    assert [json.loads(line) for line in lines_of(tmp_path / "categories-left-out.jsonl")] == [
        {"of": "us cities", "language": "en", "id": "Q1297", "reason": "no-label"},
        {"of": "us cities", "language": "en", "id": "Q5", "reason": "same-label"},
    ]


def test_questions_are_four_tokens(tmp_path: Path) -> None:
    """All n(n-1) questions, or the sample that the relation asks for."""
    write(tmp_path, [], RELATION)
    path = tmp_path / "analogies" / "en.txt"
    lines = lines_of(path)
    assert lines[:2] == [": city-in-state", "Boston Massachusetts New_York_City New_York"]
    assert len(lines) == 1 + 6
    write(tmp_path, [], Relation("city-in-state", "cities", "P131+", questions=2))
    some = lines_of(path)
    assert len(some) == 1 + 2
    assert set(some) < set(lines)


def test_gensim_reads_the_questions(tmp_path: Path) -> None:
    """gensim takes every question in, under the relation's name, and answers those whose words it has."""
    models = pytest.importorskip("gensim.models", reason="gensim comes with wikisem[dev]")
    write(tmp_path, [], RELATION)
    vectors = models.KeyedVectors(2)
    vectors.add_vectors(
        ["Boston", "Massachusetts", "New_York_City", "New_York", "Chicago", "Illinois"],
        [[1, 0], [1, 1], [2, 0], [2, 2], [3, 0], [3, 3]],
    )
    _, sections = vectors.evaluate_word_analogies(str(tmp_path / "analogies" / "en.txt"))
    section = sections[0]
    assert section["section"] == "city-in-state"
    assert len(section["correct"]) + len(section["incorrect"]) == 6


def test_the_report_adds_up(tmp_path: Path) -> None:
    """Every item is kept, without a label, or left out otherwise; labels under ``mul`` are told apart."""
    rows = [report_row(CITIES), report_row(STATES), report_row(PAIRS)]
    assert rows == [
        ReportRow("en", "category", "us cities", items=4, kept=2, under_mul=1, without_label=1, otherwise=1),
        ReportRow("en", "category", "states", items=1, kept=1, under_mul=0, without_label=0, otherwise=0),
        ReportRow("en", "relation", "city-in-state", items=4, kept=3, under_mul=0, without_label=0, otherwise=1),
    ]
    write(tmp_path, [CITIES])
    assert lines_of(tmp_path / "categories-report.tsv")[1] == "en\tcategory\tus cities\t4\t2\t1\t1\t1"


def test_a_language_without_labels_is_noticed() -> None:
    """Only labels of the language itself count: a set all under ``mul`` says nothing of it."""
    rows = [
        ReportRow("la", "category", "a", items=3, kept=2, under_mul=2, without_label=1, otherwise=0),
        ReportRow("en", "category", "a", items=3, kept=2, under_mul=1, without_label=1, otherwise=0),
        ReportRow("la", "category", "b", items=1, kept=0, under_mul=0, without_label=1, otherwise=0),
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
    write(folder, categories)
    for name in FORMS:
        wanted = (
            lists if name.endswith(".jsonl") else [[label.replace(" ", "_") for label in labels] for labels in lists]
        )
        assert [list(category.words) for category in read_categories(folder / name)] == wanted
