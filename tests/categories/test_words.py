"""Items and pairs under the words of a language: fallbacks, equal words, and that everything is accounted for."""

import pytest

from wikisem.categories.language_sets import (
    CategoryItem,
    LeftOutItem,
    WordPair,
    name_in,
    word_category,
    word_relation,
)
from wikisem.categories.recipe import CandidateItem, WordFilter

RANKED = [
    CandidateItem("Q5", 9),
    CandidateItem("Q1", 7),
    CandidateItem("Q2", 7),
    CandidateItem("Q3", 1),
    CandidateItem("Q4", 0),
]


def test_the_language_comes_before_mul() -> None:
    """A label in the language wins, then one that holds in every language, then nothing: never another language."""
    assert name_in({"la": "Roma", "mul": "Rome", "en": "Rome"}, "la") == ("Roma", "la")
    assert name_in({"mul": "Rome", "en": "Rome"}, "la") == ("Rome", "mul")
    assert name_in({"en": "Rome"}, "la") is None
    assert name_in({"la": " ", "mul": ""}, "la") is None


@pytest.mark.parametrize("nothing", ["\u200e", "\u200b\ufeff", "\u200d \u200c", "\u3164", "\u00ad\u2066\ufe0f"])
def test_a_name_with_nothing_to_see_hides_no_other(nothing: str) -> None:
    """As of the labels that surface forms fall back on; joiners inside a name stay."""
    assert name_in({"la": nothing, "mul": "Roma"}, "la") == ("Roma", "mul")
    assert name_in({"la": nothing}, "la") is None
    assert name_in({"fa": "\u200eمی\u200cخواهم"}, "fa") == ("می\u200cخواهم", "fa")


def test_codes_of_one_language_follow_each_other() -> None:
    """A language that Wikidata labels under a code of its own is found by the code of its Wikipedia."""
    assert name_in({"yue": "羅馬", "mul": "Roma"}, "zh-yue") == ("羅馬", "yue")


def test_names_are_whole_and_normalised() -> None:
    """Words of several tokens stay whole, with single spaces, in NFC."""
    assert name_in({"fr": "  Sao\u0303  Tomé et\u00a0Principe "}, "fr") == ("Saõ Tomé et Principe", "fr")


def test_every_candidate_is_kept_or_left_out() -> None:
    """Order is kept; of equal labels the more prominent item is kept; each that is out has its reason."""
    names = {"Q5": {"la": "Roma"}, "Q1": {"en": "x"}, "Q2": {"mul": "Roma"}, "Q3": {"mul": "Ostia"}, "Q4": {"la": ":x"}}
    words = word_category("cities", "la", RANKED, names)
    assert words.items == (CategoryItem("Q5", "Roma", "la", 9), CategoryItem("Q3", "Ostia", "mul", 1))
    assert words.left_out == (
        LeftOutItem("Q1", "no-label"),
        LeftOutItem("Q2", "same-label"),
        LeftOutItem("Q4", "colon"),
    )


def test_every_subject_is_a_pair_or_left_out() -> None:
    """A pair needs two words that differ; a second pair of the same words is left out."""
    names = {qid: {"la": label} for qid, label in [("Q1", "Italia"), ("Q2", "Roma"), ("Q4", "Italia"), ("Q5", ":")]}
    roma = {"la": "Roma"}
    subjects = [
        ("Q1", (("Q9", roma),)),
        ("Q2", (("Q9", roma),)),
        ("Q3", (("Q9", roma),)),
        ("Q4", (("Q9", roma),)),
        ("Q5", (("", roma),)),
        ("Q6", ()),
        ("Q1", (("Q8", {"en": "Rome"}),)),
        ("Q1", (("Q7", {"la": "Ostia"}),)),
    ]
    words = word_relation("capital", "la", subjects, names, value_first=False)
    assert words.pairs == (WordPair("Q1", "Q9", ("Italia", "Roma")),)
    assert [(one.id, one.reason) for one in words.left_out] == [
        ("Q2", "same-word"),
        ("Q3", "no-label"),
        ("Q4", "same-pair"),
        ("Q5", "colon"),
        ("Q6", "no-value"),
        ("Q1", "no-label"),
        ("Q1", "ambiguous"),
    ]


def test_a_filter_takes_the_first_value_that_it_keeps() -> None:
    """Words of a pair must both be kept; of several values, the first that is; items of categories likewise."""
    names = {"Q1": {"en": "Dallas"}, "Q2": {"en": "New York"}, "Q3": {"en": "Paris"}, "Q4": {"en": "Rome"}}
    county, city = ("Q8", {"en": "county seat"}), ("Q9", {"en": "city"})
    subjects = [(qid, (county, city)) for qid in ("Q1", "Q2", "Q3")] + [("Q4", (county,))]
    keep = WordFilter(frozenset({"dallas", "new york", "rome", "city"}), single=True)
    words = word_relation("r", "en", subjects, names, value_first=False, keep=keep)
    assert words.pairs == (WordPair("Q1", "Q9", ("Dallas", "city")),)
    assert words.left_out == tuple(LeftOutItem(qid, "filtered") for qid in ("Q2", "Q3", "Q4"))
    category = word_category("c", "en", [CandidateItem(qid, 1) for qid in names], names, keep)
    assert [item.label for item in category.items] == ["Dallas", "Rome"]
    assert category.left_out == (LeftOutItem("Q2", "filtered"), LeftOutItem("Q3", "filtered"))


def test_the_value_may_come_first() -> None:
    """Athens is to Greece: the value of the property comes first."""
    subjects = [("Q1", (("Q9", {"la": "Roma"}),))]
    words = word_relation("capital", "la", subjects, {"Q1": {"la": "Italia"}}, value_first=True)
    assert words.pairs == (WordPair("Q1", "Q9", ("Roma", "Italia")),)


@pytest.mark.parametrize("mark", ["\u200e", "\u200f", "\u00ad", "\u202b", "\u2068", "\ufeff", "\u200b"])
def test_marks_that_nobody_sees_are_no_part_of_a_name(mark: str) -> None:
    """Two labels that look the same are the same word, and one of nothing else does not hide ``mul``."""
    assert name_in({"la": f"{mark}Ro{mark}ma{mark}"}, "la") == ("Roma", "la")
    assert name_in({"la": f"{mark} ", "mul": "Rome"}, "la") == ("Rome", "mul")
    words = word_category("c", "la", RANKED[:2], {"Q5": {"la": "Roma"}, "Q1": {"la": f"Roma{mark}"}})
    assert words.left_out == (LeftOutItem("Q1", "same-label"),)


def test_joiners_that_shape_letters_stay() -> None:
    """They are seen: without them Persian and Hindi words are written otherwise."""
    assert name_in({"fa": "می\u200cشود"}, "fa") == ("می\u200cشود", "fa")
