"""Surface forms that are a part of another one."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wikisem.heuristics.rules.wording import check_contained
from wikisem.wikipedia.languages import language_profile


@pytest.mark.parametrize(
    ("code", "inner", "outer"),
    [
        ("en", "Riau", "Riau Islands"),
        ("en", "gold medal", "Congressional Gold Medal of Honor"),
        ("de", "Provinz", "römische Provinz"),
        ("ru", "роман", "графический роман"),
        ("ar", "رواية", "رواية مصورة"),
        ("ko", "한국", "한국 은행"),
        ("ja", "東京", "東京都"),
        ("ja", "アルバム", "写真アルバム"),
        ("zh", "大学", "北京大学"),
        ("th", "เชียงใหม่", "อำเภอเชียงใหม่"),
        ("my", "နိုင်ငံ", "ထိုင်းနိုင်ငံ"),
    ],
)
def test_one_inside_the_other(code: str, inner: str, outer: str) -> None:
    """As whole words without case where there are spaces, as characters where there are none; in either order."""
    profile = language_profile(code)
    for pair in ([inner, outer], [outer, inner]):
        verdict = check_contained([*pair, "x"], profile, 1)
        assert (verdict.keep, verdict.reason) == (False, "contained")
        assert verdict.detail == f"{inner!r} is in {outer!r}"


@pytest.mark.parametrize(
    ("code", "one", "other"),
    [
        ("en", "Rome", "Romeo"),  # no whole word
        ("en", "New York", "York, New England"),  # not in this order
        ("en", "New York", "New South York"),  # with a gap
        ("de", "Schule", "Hochschule"),
        ("zh", "马", "河马"),  # one character says too little
        ("ja", "ボン", "リスボン"),  # two kana do
        ("th", "ตาก", "จังหวัดตาก"),  # and three letters
        ("en", "riau", "Riau"),  # the same words: neither is longer
        ("en", "…", "… and Justice for All"),  # no word at all
    ],
)
def test_what_only_resembles_a_part_is_kept(code: str, one: str, other: str) -> None:
    """Parts are whole words in order, or two characters at least."""
    assert check_contained([one, other], language_profile(code), 1).keep


def test_the_number_counts_pairs() -> None:
    """Guinea is in two others, which makes two pairs."""
    surfaces = ["Guinea", "Guinea-Bissau", "Equatorial Guinea", "Togo"]
    english = language_profile("en")
    assert "'Guinea' is in 'Guinea-Bissau', 'Guinea' is in" in check_contained(surfaces, english, 2).detail
    assert check_contained(surfaces, english, 3).keep


def pairs_by_plain_reading(surfaces: list[str], spaced: bool) -> int:
    """Ordered pairs of which the first, between blanks where there are words, is found in the second."""
    marked = [f" {surface} " if spaced else surface for surface in surfaces]
    least = 1 if spaced else 4
    return sum(len(one.strip()) >= least and one != other and one in other for one in marked for other in marked)


@pytest.mark.parametrize("code", ["en", "th"])
def test_pairs_are_those_of_plain_search(code: str) -> None:
    """With and without spaces, on random strings; no pair, one and several all occur."""
    seen: Counter[int] = Counter()
    shortest = 1 if code == "en" else 3
    letters = st.lists(st.sampled_from("aaab"), min_size=shortest, max_size=shortest + 4)

    @settings(max_examples=600)
    @given(st.lists(letters, min_size=4, max_size=6))
    def compare(drawn: list[list[str]]) -> None:
        surfaces = list(dict.fromkeys((" " if code == "en" else "").join(each) for each in drawn))
        pairs = pairs_by_plain_reading(surfaces, code == "en")
        for number in (1, 2, 3):
            assert check_contained(surfaces, language_profile(code), number).keep == (pairs < number)
        seen[min(pairs, 2)] += 1

    compare()
    assert all(seen[pairs] >= 5 for pairs in (0, 1, 2)), seen
