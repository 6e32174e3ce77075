"""The affix rule that measures by the language's own surface forms."""

from collections import Counter
from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wikisem.heuristics.rules import affix
from wikisem.heuristics.rules.affix import (
    LONGEST,
    AffixCounts,
    check_affix,
    check_affix_surprise,
    count_affixes,
    surprise,
)
from wikisem.wikipedia.languages import language_profile

# One of a thousand surface forms begins with "The ", sixty end with "ville".
ORDINARY = [f"{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}{chr(97 + n // 676)} {n % 10}" for n in range(4000)]
ENGLISH = count_affixes([*ORDINARY, *[f"The {n}" for n in ORDINARY[:400]], *[f"{n}ville" for n in ORDINARY[:600]]])


def test_what_many_surface_forms_have_is_no_surprise() -> None:
    """Four that begin with "The ", as 8 % do, are kept; four that begin with a word hardly any has are not."""
    others = ["oak", "elm", "ash", "yew"]
    assert check_affix_surprise(["The Who", "The Band", "The Cure", "The Fall", *others], ENGLISH).keep
    verdict = check_affix_surprise(["Los Reyes", "Los Lobos", "Los Bravos", "Los Canarios", *others], ENGLISH)
    assert (verdict.keep, verdict.reason) == (False, "affix")
    assert verdict.detail.startswith("4 share the beginning 'L', which 0.02% of others have: Los Reyes, Los Lobos")


def test_the_more_share_an_affix_the_more_ordinary_it_may_be() -> None:
    """Five towns in "ville", which 12 % of all have, are kept; eight are rejected by their end."""
    towns = [f"{name}ville" for name in ("Nash", "Louis", "Green", "Knox", "Jackson", "Hunts", "Ash", "Evans")]
    assert check_affix_surprise([*towns[:5], "Rome", "Oslo", "Kyiv"], ENGLISH).keep
    assert "8 share the end" in check_affix_surprise(towns, count_affixes(ORDINARY)).detail


@pytest.mark.parametrize(("count", "share"), [(4, 0.00346), (5, 0.0112), (6, 0.0268), (7, 0.0538), (8, 0.0999)])
def test_the_limits_that_the_documentation_names(count: int, share: float) -> None:
    """Of eight, that many may share what a little more than this share of all have, and not this."""
    assert surprise(count, 8, share) >= affix.SURPRISE > surprise(count, 8, share * 1.01)


def test_a_language_of_few_surface_forms_keeps_the_old_rule() -> None:
    """Below 2,000, and where nothing was counted, four by the language's own rule reject as well."""
    clubs = ["Arsenal F.C.", "Everton F.C.", "Fulham F.C.", "Chelsea F.C.", "Ajax", "Porto", "Roma"]
    english = language_profile("en")
    for counts in (None, count_affixes(clubs), AffixCounts(1999, {}, {" F.C."[-n:]: 150 for n in range(1, 6)})):
        assert "last word 'F.C.'" in check_affix(clubs, english, "surprise", counts).detail
        assert check_affix(clubs[1:], english, "surprise", counts).keep
    for total in (1999, 2000):
        assert "share the end '.'" in check_affix(clubs, english, "surprise", AffixCounts(total, {}, {})).detail


def test_a_small_sample_knows_how_rare_an_ending_is_beside_the_clusters_own() -> None:
    """Of 600 surface forms six end in "-film", five of them in the cluster: the sixth alone is evidence."""
    films = ["Stummfilm", "Kinderfilm", "Animationsfilm", "Dokumentarfilm", "Exploitationfilm"]
    cluster, german = [*films, "Anime", "Thriller", "Drama"], language_profile("de")
    counts = count_affixes([*ORDINARY[:594], *cluster, "Tonfilm"])
    verdict = check_affix(cluster, german, "surprise", counts)
    assert verdict.detail.startswith("5 share the end 'm', which 0.17% of others have: Stummfilm")
    assert check_affix(cluster, german, 4).keep


def test_a_number_measures_by_the_language_whatever_was_counted() -> None:
    """`affix = 4` and `affix = false` do not look at the counts."""
    places = ["Newcastle", "Newport", "Newark", "Newhaven", "Rome", "Oslo", "Kyiv"]
    counts = AffixCounts(2000, {}, {})
    assert check_affix(places, language_profile("en"), 4, counts).keep
    assert check_affix(places, language_profile("en"), None, counts).keep
    assert not check_affix(places, language_profile("en"), "surprise", counts).keep


@given(st.integers(1, 12), st.integers(0, 12), st.integers(1, 999))
def test_the_probability_is_the_exact_sum(size: int, more: int, per_mille: int) -> None:
    """That of exact fractions, for any count up to the size."""
    count, share = 1 + more % size, Fraction(per_mille, 1000)
    exact = sum(comb(size, k) * share**k * (1 - share) ** (size - k) for k in range(count, size + 1))
    assert 10 ** -surprise(count, size, float(share)) == pytest.approx(float(exact), rel=1e-9)


WORDS = st.text("ab", min_size=1, max_size=10)


@given(st.lists(WORDS, min_size=1, max_size=40))
def test_counts_are_those_of_plain_counting(surfaces: list[str]) -> None:
    """Every affix of one to eight characters, as often as it occurs; none is rare among so few."""
    counts = count_affixes(surfaces)
    for side, known in ((str.startswith, counts.beginnings), (str.endswith, counts.ends)):
        affixes = {
            word[:n] if side is str.startswith else word[-n:] for word in surfaces for n in range(1, LONGEST + 1)
        }
        assert known == {affix: sum(side(word, affix) for word in surfaces) for affix in affixes}
    assert counts.total == len(surfaces)


LETTERS = st.lists(st.sampled_from(["a", "b", "e\u0301", "กำ"]), min_size=1, max_size=10)


@given(st.lists(LETTERS, min_size=1, max_size=40))
def test_marks_are_counted_with_their_letter(split: list[list[str]]) -> None:
    """The same where letters have marks: an affix is whole letters, in some surface forms or in all."""
    counts = count_affixes(map("".join, split))
    lengths = range(1, LONGEST + 1)
    beginnings = Counter("".join(letters[:n]) for letters in split for n in lengths if n <= len(letters))
    ends = Counter("".join(letters[-n:]) for letters in split for n in lengths if n <= len(letters))
    assert (counts.total, counts.beginnings, counts.ends) == (len(split), beginnings, ends)


def test_rare_affixes_are_left_out() -> None:
    """Of 30,000 surface forms, an affix of two is not kept and one of three is."""
    counts = count_affixes([*["oak"] * 29_995, *["elm"] * 3, *["yew"] * 2])
    assert (counts.beginnings.get("elm"), counts.beginnings.get("yew"), counts.ends["oak"]) == (3, None, 29_995)


def rejected_by_plain_reading(cluster: list[str], population: list[str]) -> bool:
    """Some beginning or end of one to eight characters is shared by four that chance would hardly give it to."""
    for side in (slice(None), slice(None, None, -1)):
        turned, all_turned = [word[side] for word in cluster], [word[side] for word in population]
        for shared in {word[:n] for word in turned for n in range(1, LONGEST + 1) if n <= len(word)}:
            k, n = sum(word.startswith(shared) for word in turned), len(cluster)
            others = max(sum(word.startswith(shared) for word in all_turned) - k, 1)
            p = max(others / max(len(population) - n, 1), 1e-4)
            tail = sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))
            if k >= 4 and tail <= 1e-8:
                return True
    return False


@pytest.mark.slow
def test_verdicts_are_those_of_plain_reading() -> None:
    """On random clusters and random languages; kept and rejected, at the beginning and at the end, all occur."""
    seen: Counter[str] = Counter()
    head, tail = st.sampled_from(["", "ab", "ba", "x"]), st.sampled_from(["", "yz", "zzz"])
    word = st.builds("{}{}{}".format, head, st.text("abyz", min_size=1, max_size=3), tail)

    @settings(max_examples=600)
    @given(
        st.lists(word, min_size=4, max_size=8, unique=True),
        st.lists(word, min_size=1, max_size=40),
        st.integers(1, 400),
    )
    def compare(cluster: list[str], some: list[str], others: int) -> None:
        population = some + [f"q{n}q" for n in range(others)]
        verdict = check_affix_surprise(cluster, count_affixes(population))
        assert verdict.keep != rejected_by_plain_reading(cluster, population)
        seen[verdict.detail.split("'")[0].partition("the ")[2] or "kept"] += 1

    compare()
    for outcome in ("kept", "beginning ", "end "):
        assert seen[outcome] >= 10, seen
