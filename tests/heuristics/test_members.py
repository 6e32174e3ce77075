"""The members of a cluster: each surface form once, and others in place of those that break a rule together."""

from collections import Counter
from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from wikisem.heuristics.rules.wording import KEEP, Verdict, largest_sharing, reject
from wikisem.heuristics.selection.groups import merge_surfaces, settle_cluster
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


def test_the_best_known_that_keep_a_rule_together_are_members() -> None:
    """Where at most two may begin alike, they are the first of those that are not the third with their letter."""
    met: Counter[str] = Counter()

    @settings(max_examples=300)
    @given(st.lists(st.sampled_from("abcde"), min_size=4, max_size=12), st.integers(3, 5))
    def check(initials: list[str], size: int) -> None:
        ranked = [member(number, f"{letter}{number}") for number, letter in enumerate(initials)]

        def verdict_of(cluster: Sequence[Member]) -> Verdict:
            _, sharing = largest_sharing([one.surface for one in cluster], lambda surface: surface[0])
            return KEEP if len(sharing) <= 2 else reject("alike", "", sharing)

        cluster, verdict = settle_cluster(ranked[:size], lambda: ranked[size:], verdict_of)
        able = [one for number, one in enumerate(ranked) if initials[:number].count(initials[number]) < 2][:size]
        is_kept = len(able) == min(size, len(ranked))
        assert (list(cluster), verdict.keep) == (able if is_kept else ranked[:size], is_kept)
        met["as they are" if is_kept and able == ranked[:size] else "others" if is_kept else "rejected"] += 1

    check()
    assert met.keys() == {"as they are", "others", "rejected"}, met


def test_a_rule_that_names_no_members_rejects_at_once() -> None:
    """Too few surface forms are no fault of any of them, so no further instance is read."""
    ranked = [member(1, "ash"), member(2, "elm")]
    too_few = reject("too-few", "expected more")
    read = list[str]()

    def read_further() -> Sequence[Member]:
        read.append("further")
        return [member(3, "oak")]

    assert settle_cluster(ranked, read_further, lambda _: too_few) == (tuple(ranked), too_few)
    assert read == []
