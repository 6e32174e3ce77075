"""The eight that stand for a class."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from heuristics.members import choose_members
from wikisem.records import Member


def member(number: int, sitelinks: int, surface: str) -> Member:
    """A member whose provenance does not matter."""
    return Member(f"Q{number}", surface, "anchor", 1, 1, sitelinks)


MEMBERS = st.lists(
    st.builds(member, st.integers(1, 120), st.integers(0, 3), st.sampled_from("abcdefghijkl")),
    unique_by=lambda candidate: candidate.id,
    max_size=16,
)


def test_most_sitelinks_come_first_and_ties_go_to_the_lower_number() -> None:
    """Q9 stands before Q10: ids are numbers, not texts."""
    chosen = choose_members([member(10, 5, "j"), member(9, 5, "i"), member(100, 7, "c"), member(1, 4, "a")], 3)
    assert [item.id for item in chosen] == ["Q100", "Q9", "Q10"]


def test_equal_surfaces_merge_and_no_ninth_moves_up() -> None:
    """The eight are fixed before equal surfaces merge, so that a merged cluster is smaller."""
    candidates = [member(number, 20 - number, surface) for number, surface in enumerate("abcdbfghi", start=1)]
    chosen = choose_members(candidates, 8)
    assert [item.surface for item in chosen] == list("abcdfgh")
    assert chosen[1].id == "Q2"


def test_case_tells_surfaces_apart() -> None:
    """`Turkey` and `turkey` are two surfaces."""
    assert len(choose_members([member(1, 2, "Turkey"), member(2, 1, "turkey")], 8)) == 2


@given(MEMBERS, st.integers(1, 8), st.randoms())
def test_the_choice_agrees_with_plain_reading_in_any_order(candidates: list[Member], size: int, random: Random) -> None:
    """Sort by the two keys, cut, and drop what repeats: whatever the order of arrival."""
    ranked = sorted(candidates, key=lambda item: int(item.id[1:]))
    ranked.sort(key=lambda item: item.sitelinks, reverse=True)
    expected = [
        item for at, item in enumerate(ranked[:size]) if item.surface not in {seen.surface for seen in ranked[:at]}
    ]
    shuffled = list(candidates)
    random.shuffle(shuffled)
    assert list(choose_members(shuffled, size)) == expected
