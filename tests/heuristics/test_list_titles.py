"""What list titles have in common and others have not."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wikisem.heuristics.rules.wording import RARE, SHARE, SUPPORT, common_affixes
from wikisem.wikipedia.languages import language_profile

TOWNS = [
    f"{first}{last}" for first in ("North", "South", "East", "West", "Ash", "Oak") for last in ("ham", "ton", "by")
]
THINGS = [f"{thing} in {town}" for thing in ("Rivers", "Castles", "Bridges", "Lakes") for town in TOWNS]
OTHERS = [f"{town} {n}" for town in TOWNS for n in range(60)]


def test_a_beginning_that_lists_share_is_found_whole() -> None:
    """`List of `, with its space, and not the shorter `List ` that nine tenths of them extend."""
    lists = [f"List of {thing.lower()}" for thing in THINGS] + ["List Regiment", *THINGS[:5]]
    assert common_affixes(lists, OTHERS, spaced=True) == ("List of …",)


def test_a_beginning_with_many_ways_on_stays_short() -> None:
    """German lists go on with `der`, `von` or an adjective: `Liste ` is what they share."""
    lists = [f"Liste {way} {thing}" for thing in THINGS for way in ("der", "von", "großer")]
    assert common_affixes(lists, OTHERS, spaced=True) == ("Liste …",)


@pytest.mark.parametrize(("ending", "spaced"), [(" loend", True), (" 목록", True), ("一覧", False), ("列表", False)])
def test_an_ending_is_found_with_and_without_spaces(ending: str, spaced: bool) -> None:
    """Estonian and Korean set it off with a space, Japanese and Chinese do not."""
    lists = [f"{thing}{ending}" for thing in THINGS]
    assert common_affixes(lists, OTHERS, spaced) == (f"…{ending}",)


@pytest.mark.parametrize(("affix", "spaced"), [("{}一覧", False), ("年表{}", False), ("List {}", True)])
def test_a_title_that_is_nothing_but_the_affix_does_not_count(affix: str, spaced: bool) -> None:
    """A page named "一覧" is a list, but no title that "一覧" could be taken off."""
    lists = [affix.format(thing) for thing in THINGS[:SUPPORT]]
    assert common_affixes(lists, [], spaced) == (affix.replace("{}", "…"),)
    assert common_affixes([*lists[1:], affix.replace("{}", "").strip()], [], spaced) == ()


def test_a_namespace_prefix_ends_at_its_colon() -> None:
    """`Anexo:` comes before a word without a space."""
    lists = [f"Anexo:{thing}" for thing in THINGS]
    assert common_affixes(lists, OTHERS, spaced=True) == ("Anexo:…",)


def test_what_other_titles_share_tells_nothing() -> None:
    """Lists about a country that has many articles of that name are not told apart by it."""
    lists = [f"Oakham {thing}" for thing in THINGS]
    assert common_affixes(lists, OTHERS, spaced=True) == ()


def test_a_few_lists_say_nothing() -> None:
    """In a small wiki a handful of lists may share any word."""
    lists = [f"Saraksts {thing}" for thing in THINGS[: SUPPORT - 1]]
    assert common_affixes(lists, OTHERS, spaced=True) == ()
    assert common_affixes([], [], spaced=True) == ()


TITLES = st.lists(
    st.lists(st.sampled_from(["List", "of", "towns", "by", "Index:"]), min_size=1, max_size=4).map(" ".join)
)


@settings(max_examples=40)
@given(TITLES, TITLES, st.randoms(use_true_random=False))
def test_every_affix_keeps_its_promises(lists: list[str], others: list[str], random: Random) -> None:
    """Shared by enough lists, rare elsewhere, none within another, and the same in any order."""
    lists, others = lists * 4, others * 3
    lists = [f"{title} {n}" for n, title in enumerate(lists)]
    found = common_affixes(lists, others, spaced=True)
    for affix in (stop.removesuffix("…") for stop in found):
        sharing = [title for title in set(lists) if title.startswith(affix)]  # the numbers leave no common end
        assert len(sharing) >= max(SUPPORT, SHARE * len(set(lists)))
        assert sum(title.startswith(affix) for title in others) <= RARE * len(others)
        assert not any(other != affix and affix.startswith(other) for other in found)
    random.shuffle(lists)
    random.shuffle(others)
    assert common_affixes(lists, others, spaced=True) == found


def test_one_other_title_in_a_thousand_may_have_the_affix() -> None:
    """Exactly one in a thousand keeps the affix, two do not."""
    lists = [f"List of {chr(97 + n)}ish" for n in range(20)]
    others = [f"Subject {n}" for n in range(1000)]
    assert "List of …" in common_affixes(lists, ["List of the rare", *others[1:]], spaced=True)
    assert common_affixes(lists, ["List of the rare", "List of two", *others[2:]], spaced=True) == ()


def test_a_tenth_of_the_lists_must_share_an_affix() -> None:
    """Of 300 lists 25 are catalogues: enough for a small wiki, too few here."""
    lists = [f"List of {n}" for n in range(275)] + [f"Catalogue of {n}" for n in range(25)]
    assert common_affixes(lists, ["Subject"], spaced=True) == ("List of …",)


@pytest.mark.parametrize(
    ("code", "pattern", "words"),
    [
        ("en", "List of {}", ("List of …",)),
        ("es", "Anexo:{}", ("Anexo:…",)),
        ("de", "Liste der {}", ("Liste der …",)),
        ("ja", "{}一覧", ("…一覧",)),
        ("zh", "{}列表", ("…列表",)),
    ],
)
def test_thirty_titles_of_the_languages_of_the_paper_give_their_rows(
    code: str, pattern: str, words: tuple[str, ...]
) -> None:
    """Of which six are no such titles: what is learned is what a person has written into the row."""
    profile = language_profile(code)
    han = ["山川河海島"[number % 5] + "東西南北中上"[number // 5] for number in range(30)]
    names = [f"W{number}s" for number in range(30)] if profile.spaced else han
    titles = [pattern.format(name) if number % 5 else f"{name}X{number}" for number, name in enumerate(names)]
    others = [f"{name}{number}" for number in range(100) for name in names]
    assert common_affixes(titles, others, profile.spaced) == words
    assert words[0].strip("…").strip() in {one.strip("…").strip() for one in profile.lists}
