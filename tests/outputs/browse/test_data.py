"""Scripts of data: JSON in a call, in which no tag ends and no line breaks."""

import re
from typing import Any

import msgspec

from tests.outputs.release.world import HOSTILE, make_group
from tests.outputs.test_wallfile import HERRING_WALL, make_wall
from wikisem.outputs.browse import (
    MOST_REJECTED,
    BrowseLanguage,
    PageScore,
    browse_page,
    index_script,
    language_script,
)
from wikisem.records import Rejection


def _value(script: bytes, kind: str) -> Any:
    found = re.fullmatch(rf"wikisem\.{kind}\((.*)\);\n", script.decode(), re.DOTALL)
    assert found
    return msgspec.json.decode(found[1])


def test_a_group_is_rows_that_the_page_reads() -> None:
    """Numbers for items, the source as a number, what an outlier has beside it; nothing is lost."""
    group = make_group("de", 3)
    data = _value(language_script(BrowseLanguage("de", [group])), "language")
    (row,) = data["groups"]
    assert (row["q"], row["label"]) == (3, "class 3")
    assert row["in"][0] == [300, "de 3 0", 1, 0, 0, None, 100, "mul"]
    assert row["in"][1] == [301, "de 3 1", 0, 8, 10, 20, 99]
    assert row["out"][2] == [352, "de 3 out 2", 0, 5, 6, 5, 40, None, 2, 902, 0.02]
    assert row["out"][1] == [351, "de 3 out 1", 0, 5, 6, 5, 40, None, 1, 901, 0.01, None, [802, 1200, 79]]
    assert row["coherence"] == 0.93
    assert "scores" not in row
    assert data["names"] == {"3": "class 3", "802": HOSTILE[5]}
    labelled = _value(
        language_script(BrowseLanguage("de", [group], labels={"Q902": "river", "Q3": "third"})),
        "language",
    )
    assert labelled["names"] == {"902": "river", "3": "class 3", "802": HOSTILE[5]}


def test_a_label_that_is_english_for_want_of_another_is_marked() -> None:
    """Only those of the classes that are named."""
    groups = [make_group("de", 3), make_group("de", 4)]
    data = _value(language_script(BrowseLanguage("de", groups, english=frozenset({"Q4"}))), "language")
    assert [row.get("english") for row in data["groups"]] == [None, True]


def test_a_wall_is_its_words_with_their_groups() -> None:
    """Groups and further classes by their numbers; a language without walls has no such part."""
    language = BrowseLanguage("en", [make_group("en", 3)], walls=[make_wall(), HERRING_WALL])
    first, second = _value(language_script(language), "language")["walls"]
    assert (first["id"], first["tier"], first["fits"]) == ("en-far-1", "far", [])
    assert first["words"][4] == [20, "word Q20", 1]
    assert first["groups"][1] == [2, "class Q2"]
    assert first["order"] == [0, 1, 2, 3]
    assert second["fits"] == [[0, [[1, "graph"], [3, "witness"]]], [9, [[3, "witness"]]]]
    assert b'"walls"' not in language_script(BrowseLanguage("en", [make_group("en", 3)]))


def test_no_word_can_end_a_script_or_a_line() -> None:
    """A closing tag and the line ends of JavaScript are escaped, and read back as they were."""
    script = language_script(BrowseLanguage("de", [make_group("de", 1), make_group("de", 2)]))
    assert b"<" not in script
    assert "\u2028" not in script.decode()
    words = {row[1] for row in _value(script, "language")["groups"][0]["in"]}
    assert words == set(HOSTILE)


def test_the_overview_counts_and_says_where_classes_are() -> None:
    """Groups, cases, sources, reasons, directions; of each class the languages that have it; means of scores."""
    languages = [
        BrowseLanguage(
            "de",
            [make_group("de", 3), make_group("de", 4)],
            scores={"m": {3: PageScore(40.0, 0.0), 4: PageScore(60.0, None)}},
        ),
        BrowseLanguage("zh-classical", [make_group("zh-classical", 4)], [Rejection("Q9", "x", "affix", "")] * 2),
        BrowseLanguage("la", [], [Rejection("Q9", "la", "few-outliers", "")]),
    ]
    index = _value(index_script({"name": "set"}, languages, {"de": "German"}), "index")
    de, lzh, la = index["languages"]
    assert (de["name"], de["groups"], de["cases"], de["sources"]) == ("German", 2, 12, {"anchor": 26, "label": 2})
    assert (de["scores"], lzh["scores"]) == ({"m": 50.0}, {})
    assert (lzh["tag"], lzh["wiki"], lzh["rejected"]) == ("lzh", "zh_classicalwiki", {"affix": 2})
    assert (la["groups"], la["rejected"]) == (0, {"few-outliers": 1})
    assert index["classes"] == {"3": [0], "4": [0, 1]}


def test_rejected_classes_are_listed_up_to_a_bound() -> None:
    """The overview counts all of them."""
    rejections = [Rejection(f"Q{number}", "de", "affix", "x" * 999) for number in range(1, MOST_REJECTED + 100)]
    language = BrowseLanguage("de", [make_group("de", 3)], rejections)
    listed = _value(language_script(language), "language")["rejected"]
    assert len(listed) == MOST_REJECTED
    assert listed[0] == [1, "affix", "x" * 159 + "…"]
    index = _value(index_script({}, [language], {}), "index")
    assert index["languages"][0]["rejected"] == {"affix": MOST_REJECTED + 99}


def test_scores_are_beside_the_groups_that_have_them() -> None:
    """OPP and accuracy for each model; a group without a score has none."""
    language = BrowseLanguage(
        "de", [make_group("de", 3), make_group("de", 4)], scores={"glove": {3: PageScore(62.5, 50.0)}}
    )
    one, other = _value(language_script(language), "language")["groups"]
    assert one["scores"] == {"glove": [62.5, 50.0]}
    assert "scores" not in other


def test_the_quiz_knows_which_cases_a_model_found() -> None:
    """In the order of the outliers, null for one that the model does not know; in the overview the share of all."""
    group = make_group("de", 3)
    first, second, third = (outlier.id for outlier in group.outliers[:3])
    scores = {"glove": {3: PageScore(62.5, 50.0, {third: True, first: True, second: False})}}
    language = BrowseLanguage("de", [group], scores=scores)
    (one,) = _value(language_script(language), "language")["groups"]
    assert one["scores"]["glove"][2] == [True, False, True, *[None] * (len(group.outliers) - 3)]
    (row,) = _value(index_script({}, [language], {}), "index")["languages"]
    assert row["accuracy"] == {"glove": 100 * 2 / 3}


def test_300_languages_of_500_groups_stay_below_160_megabytes() -> None:
    """Words of 24 bytes, six outliers, 500 rejected classes with a detail: what one language takes, times 300."""
    groups = [make_group("x" * 10, 1_000_000 + number) for number in range(500)]
    rejections = [Rejection(f"Q{10**6 + number}", "de", "affix", "x" * 120) for number in range(MOST_REJECTED)]
    size = len(language_script(BrowseLanguage("de", groups, rejections)))
    assert 300 * size < 160_000_000, size


def test_a_title_is_text() -> None:
    """The page's policy allows its own script and style by their hashes, and no other origin."""
    page = browse_page("<b>{{SCRIPT}}").decode()
    assert "<title>&lt;b&gt;{{SCRIPT}}</title>" in page
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy
    assert "http" not in policy[1]
    assert "default-src &#x27;none&#x27;" in policy[1]
