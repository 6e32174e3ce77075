"""The rule against clusters that differ by numbers only."""

from hypothesis import given
from hypothesis import strategies as st

from wikisem.heuristics.rules.wording import check_digits, without_digits

MONTHS = ["January 2010", "January 2012", "January 2014"]


def test_three_surfaces_alike_but_for_digits_break_the_rule() -> None:
    """More than two is the paper's limit, and the detail names the surfaces."""
    verdict = check_digits(["March", *MONTHS, "April"], 3)
    assert not verdict.keep
    assert verdict.reason == "digits"
    assert all(month in verdict.detail for month in MONTHS)


def test_two_surfaces_alike_but_for_digits_pass() -> None:
    """Two of eight may be alike."""
    assert check_digits(["March", *MONTHS[:2], "April"], 3).keep


def test_digits_of_every_script_count() -> None:
    """Arabic, Devanagari and full-width digits are digits; Han numerals and Roman ones are letters."""
    assert without_digits("عام ٢٠١٠") == "عام "
    assert without_digits("१९४७ और") == " और"
    assert without_digits("２０１０年") == "年"
    assert without_digits("二〇年 XIV") == "二〇年 XIV"


def test_none_switches_the_rule_off() -> None:
    """A recipe's `digits = false` keeps what the rule would reject."""
    assert check_digits([*MONTHS, "January 2016"], None).keep


@given(st.lists(st.text("ab1٢ ", max_size=4), unique=True, max_size=8), st.integers(1, 5))
def test_the_rule_is_the_sentence_of_the_paper(surfaces: list[str], number: int) -> None:
    """Rejected exactly when some text is left by at least that many surfaces when digits go."""
    stems = ["".join(c for c in surface if not c.isdigit()) for surface in surfaces]
    assert check_digits(surfaces, number).keep == all(stems.count(stem) < number for stem in stems)
