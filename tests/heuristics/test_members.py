"""The members of a cluster, each surface form once."""

from hypothesis import given
from hypothesis import strategies as st

from wikisem.heuristics.selection.groups import merge_surfaces
from wikisem.records import Member


def member(number: int, surface: str) -> Member:
    """A member whose provenance does not matter."""
    return Member(id=f"Q{number}", surface=surface, source="anchor", count=1, total=1, sitelinks=9)


MEMBERS = st.lists(st.builds(member, st.integers(1, 120), st.sampled_from("abcdefgh")), max_size=9)


def test_equal_surfaces_merge_under_the_higher_ranked_item() -> None:
    """The second `b` goes; the order of the others stays."""
    ranked = [member(number, surface) for number, surface in enumerate("abcdbfgh", start=1)]
    merged = merge_surfaces(ranked)
    assert [item.surface for item in merged] == list("abcdfgh")
    assert merged[1].id == "Q2"


def test_case_tells_surfaces_apart() -> None:
    """`Turkey` and `turkey` are two surfaces."""
    assert len(merge_surfaces([member(1, "Turkey"), member(2, "turkey")])) == 2


@given(MEMBERS)
def test_merging_agrees_with_plain_reading(ranked: list[Member]) -> None:
    """Each member whose surface no earlier one has, in order."""
    expected = [item for at, item in enumerate(ranked) if item.surface not in {seen.surface for seen in ranked[:at]}]
    assert list(merge_surfaces(ranked)) == expected
