"""A whole set from a recipe: what is asked of the source, and what each language gets."""

from collections.abc import Mapping, Sequence

from wikisem.categories.language_sets import CategoryItem, Emoji, LeftOutItem, SetSources, WordPair, build_sets
from wikisem.categories.recipe import CandidateItem, Category, CategoryRecipe, PropertyPath, Relation
from wikisem.records import Statement

VALUES = {
    "P36": {"Q1": ["Q11", "Q12"], "Q2": ["Q13"], "Q3": []},
    "P1549": {"Q1": ["en:Northish", "en:Northlander", "la:Borealis"], "Q2": ["en:Southern"]},
}
LABELS = {
    "Q1": {"en": "Northland", "la": "Terra Borealis"},
    "Q2": {"en": "Southland"},
    "Q11": {"en": "North City"},
    "Q12": {"en": "Old City", "la": "Urbs"},
    "Q13": {"mul": "Southport"},
}


class _Source:
    """A source of three lands that writes down which labels it was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[list[str], list[str]]] = []

    def items(self, category: Category) -> list[CandidateItem]:
        lands = [CandidateItem("Q1", 5), CandidateItem("Q2", 9), CandidateItem("Q3", 9)]
        return lands if category.class_ == "Q6256" else [CandidateItem("Q12", 1)]

    def values(self, qids: Sequence[str], path: PropertyPath) -> Mapping[str, Sequence[Statement]]:
        texts = {qid: VALUES[path.property].get(qid, []) for qid in qids}
        return {qid: [_statement(path.property, text) for text in listed] for qid, listed in texts.items() if listed}

    def labels(self, qids: Sequence[str], codes: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        self.asked.append((list(qids), list(codes)))
        return {
            qid: {code: LABELS[qid][code] for code in codes if code in LABELS[qid]} for qid in qids if qid in LABELS
        }

    def notes(self) -> list[str]:
        return []


def _statement(name: str, text: str) -> Statement:
    language, _, value = text.rpartition(":")
    return Statement(name, value, language)


LANDS = Category("lands", class_="Q6256")


def test_items_stand_by_prominence_in_every_language() -> None:
    """Most sitelinks first, then lower QIDs; the same items in every language, with or without a label."""
    source = _Source()
    latin, english = build_sets(CategoryRecipe("r", (LANDS,)), ["la", "en"], SetSources(lambda: source, list))
    assert english.categories[0].items == (
        CategoryItem("Q2", "Southland", "en", 9),
        CategoryItem("Q1", "Northland", "en", 5),
    )
    assert english.categories[0].left_out == (LeftOutItem("Q3", "no-label"),)
    assert [item.label for item in latin.categories[0].items] == ["Terra Borealis"]
    assert [one.id for one in latin.categories[0].left_out] == ["Q2", "Q3"]


def test_labels_are_asked_for_once_in_all_languages() -> None:
    """One question for the labels of all items, categories and values alike, under all codes and ``mul``."""
    recipe = CategoryRecipe("r", (LANDS, Category("more", class_="Q6256")), (Relation("capital", "lands", "P36"),))
    source = _Source()
    build_sets(recipe, ["la", "zh-yue"], SetSources(lambda: source, list))
    assert source.asked == [(["Q1", "Q11", "Q13", "Q2", "Q3"], ["la", "mul", "yue", "zh-yue"])]


def test_a_question_has_one_right_answer() -> None:
    """Of two capitals the lower QID is taken, or the first of those that a category of values holds."""
    free = Relation("capital", "lands", "P36")
    bound = Relation("bound", "lands", "P36", values="old", order="value-first")
    recipe = CategoryRecipe("r", (LANDS, Category("old", class_="Q515")), (free, bound))
    (english,) = build_sets(recipe, ["en"], SetSources(_Source, list))
    assert english.relations[0].pairs == (
        WordPair("Q2", "Q13", ("Southland", "Southport")),
        WordPair("Q1", "Q11", ("Northland", "North City")),
    )
    assert english.relations[0].left_out == (LeftOutItem("Q3", "no-value"),)
    assert english.relations[1].pairs == (WordPair("Q1", "Q12", ("Old City", "Northland")),)
    assert [one.id for one in english.relations[1].left_out] == ["Q2", "Q3"]


def test_demonyms_name_items_and_values() -> None:
    """Texts in the language, the first of several by code points; no label of the item replaces a demonym."""
    named = Category("nationalities", class_="Q6256", named_by="P1549")
    recipe = CategoryRecipe("r", (LANDS, named), (Relation("demonym", "lands", "P1549"),))
    latin, english = build_sets(recipe, ["la", "en"], SetSources(_Source, list))
    assert [item.label for item in english.categories[1].items] == ["Southern", "Northish"]
    assert [item.label for item in latin.categories[1].items] == ["Borealis"]
    assert [pair.words for pair in english.relations[0].pairs] == [("Southland", "Southern"), ("Northland", "Northish")]
    assert latin.relations[0].pairs == (WordPair("Q1", "", ("Terra Borealis", "Borealis")),)


def test_a_limit_is_the_same_items_in_every_language() -> None:
    """The most prominent items make the category, also where the language has no label for them."""
    recipe = CategoryRecipe("r", (Category("lands", class_="Q6256", limit=1),))
    (latin,) = build_sets(recipe, ["la"], SetSources(_Source, list))
    assert latin.categories[0].items == ()
    assert latin.categories[0].left_out == (LeftOutItem("Q2", "no-label"),)


def test_emoji_ask_nobody() -> None:
    """Groups of emoji are the same in every language, and open no source."""

    def closed() -> _Source:
        raise AssertionError("a source was opened for emoji")

    recipe = CategoryRecipe("r", (Category("flags", emoji="Flags"),))
    listed = [Emoji("🏁", "Flags", "flag"), Emoji("🏳️", "Flags", "flag")]
    sets = build_sets(recipe, ["la", "te"], SetSources(closed, lambda: listed))
    assert [one.categories[0].items for one in sets] == [
        (CategoryItem("U+1F3C1", "🏁", "mul", 0), CategoryItem("U+1F3F3 U+FE0F", "🏳️", "mul", 0)),
    ] * 2
