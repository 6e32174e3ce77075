"""Redirects, argmax and ties on columns equal the same rules read one row at a time."""

from collections import Counter
from collections.abc import Sequence

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from wikisem.schemas import MENTIONS, REDIRECTS
from wikisem.surfaces.link_counts import (
    ANCHOR_TOTALS,
    add_redirected,
    break_ties,
    deduplicate_redirects,
    follow_redirects,
    title_anchors,
    top_anchors,
)

names = st.sampled_from(["A", "B", "C", "a", "ä", "Z"])
pairs = st.dictionaries(st.tuples(names, names), st.integers(1, 4), max_size=20)


def mentions_of(counts: dict[tuple[str, str], int]) -> pa.Table:
    """A mentions table of (title, anchor) -> count."""
    rows = [{"title": title, "anchor": anchor, "count": count} for (title, anchor), count in counts.items()]
    return pa.Table.from_pylist(rows, MENTIONS)


def redirects_of(rows: Sequence[tuple[str, str]]) -> pa.Table:
    """A redirects table of (source, target)."""
    return pa.Table.from_pylist([{"source": source, "target": target} for source, target in rows], REDIRECTS)


def choose(mentions: pa.Table, titles: Sequence[str], minimum_count: int = 1) -> list[dict[str, object]]:
    """The chosen surface forms, ties broken by the totals of all anchors."""
    top = top_anchors(mentions, pa.array(titles, pa.string()), minimum_count)
    totals: Counter[str] = Counter()
    for row in mentions.to_pylist():
        totals[row["anchor"]] += row["count"]
    table = pa.table({"anchor": list(totals), "count": list(totals.values())}, ANCHOR_TOTALS)
    chosen: list[dict[str, object]] = break_ties(top, table).to_pylist()
    return chosen


def brute_force(counts: dict[tuple[str, str], int], titles: Sequence[str], minimum: int) -> list[dict[str, object]]:
    """The argmax with its three tie rules, page by page."""
    totals: Counter[str] = Counter()
    for (_, anchor), count in counts.items():
        totals[anchor] += count
    chosen: list[dict[str, object]] = []
    for title in sorted(set(titles)):
        forms = {anchor: count for (page, anchor), count in counts.items() if page == title}
        best = min(forms, key=lambda s: (-forms[s], s != title, -forms[s] / totals[s], s), default=None)
        if best is not None and forms[best] >= minimum:
            row = {"title": title, "surface": best, "count": forms[best], "total": sum(forms.values())}
            chosen.append({**row, "links": totals[best]})
    return chosen


@given(pairs, st.lists(names), st.integers(1, 3))
def test_argmax_is_brute_force(counts: dict[tuple[str, str], int], titles: list[str], minimum: int) -> None:
    """The chosen form, its count and the page's total are those of a loop over all pairs."""
    assert choose(mentions_of(counts), titles, minimum) == brute_force(counts, titles, minimum)


def test_title_wins_a_tie() -> None:
    """Of equally frequent forms the page's own title is taken, even where another form names this page alone."""
    counts = {("Rīga", "Reiga"): 2, ("Rīga", "Rīga"): 2, ("Rīga (film)", "Rīga"): 50}
    assert choose(mentions_of(counts), ["Rīga"])[0]["surface"] == "Rīga"


def test_exclusive_form_wins_a_tie() -> None:
    """Without the title among them, the form that leads here most surely is taken: the higher P(page | s)."""
    counts = {("Rīga", "capital"): 2, ("Rīga", "reigā"): 2, ("Oslo", "capital"): 1}
    assert choose(mentions_of(counts), ["Rīga"])[0]["surface"] == "reigā"


def test_code_point_order_is_last() -> None:
    """Forms that nothing else tells apart go by code point: upper case before lower case before accents."""
    counts = {("Page", "ä"): 1, ("Page", "a"): 1, ("Page", "Z"): 1}
    assert choose(mentions_of(counts), ["Page"])[0]["surface"] == "Z"


def test_rare_links_count_in_the_total() -> None:
    """P(surface | page) is a share of all links, those under anchors below minimum_count too."""
    counts = {("Page", "often"): 3, ("Page", "once"): 1}
    assert choose(mentions_of(counts), ["Page"], 2) == [
        {"title": "Page", "surface": "often", "count": 3, "total": 4, "links": 3}
    ]


def title_by_hand(counts: dict[tuple[str, str], int], title: str) -> tuple[str, int]:
    """The most frequent anchor of a page that is its title but for the first letter's case, else the title."""
    found = [(-n, s) for (page, s), n in counts.items() if page == title and s.lower() == title.lower()]
    return (min(found)[1], -min(found)[0]) if found else (title, 0)


@given(pairs, st.lists(names))
def test_title_anchors_are_brute_force(counts: dict[tuple[str, str], int], titles: list[str]) -> None:
    """Each linked page has its title, in the case in which links mostly have it, with the links that have it so."""
    rows = title_anchors(mentions_of(counts), pa.array(titles, pa.string())).to_pylist()
    linked = {title for title, _ in counts} & set(titles)
    assert {row["title"]: (row["surface"], row["count"]) for row in rows} == {
        title: title_by_hand(counts, title) for title in linked
    }
    assert all(row["total"] == sum(n for (page, _), n in counts.items() if page == row["title"]) for row in rows)


@given(pairs, st.dictionaries(names, names))
def test_redirects_are_followed_once(counts: dict[tuple[str, str], int], redirects: dict[str, str]) -> None:
    """Every pair ends under the title that its own title names, one step further at most, and none is lost."""
    direct, redirected = follow_redirects(
        mentions_of(counts), deduplicate_redirects(redirects_of(list(redirects.items())))
    )
    wanted: Counter[tuple[str, str]] = Counter()
    for (title, anchor), count in counts.items():
        wanted[redirects.get(title, title), anchor] += count
    merged = add_redirected(direct, redirected).to_pylist()
    assert len(merged) == len(wanted)
    assert {(row["title"], row["anchor"]): row["count"] for row in merged} == wanted
    assert all(redirects.get(row["title"], row["title"]) == row["title"] for row in direct.to_pylist())


def test_double_redirect_ends_on_the_second_page() -> None:
    """A redirect to a redirect is followed one step: what links to A counts for B, and what links to B for C."""
    redirects = deduplicate_redirects(redirects_of([("B", "C"), ("A", "B")]))
    direct, redirected = follow_redirects(mentions_of({("A", "a"): 1, ("B", "b"): 1, ("C", "c"): 1}), redirects)
    assert {(row["anchor"], row["title"]) for row in redirected.to_pylist()} == {("a", "B"), ("b", "C")}
    assert [row["title"] for row in direct.to_pylist()] == ["C"]


def test_redirects_are_deduplicated() -> None:
    """One row a source, sorted: self-redirects are gone, repeated rows are one, conflicting ones the first."""
    rows = [("S", "Z"), ("Self", "Self"), ("S", "A"), ("R", "T"), ("R", "T")]
    deduplicated = deduplicate_redirects(redirects_of(rows))
    assert deduplicated.to_pylist() == [{"source": "R", "target": "T"}, {"source": "S", "target": "A"}]
    assert deduplicate_redirects(redirects_of([])).equals(REDIRECTS.empty_table())


def test_a_redirect_to_itself_is_none_where_another_row_leads_elsewhere() -> None:
    """The self-redirect is dropped before duplicates are, so that the other target counts, though it sorts later."""
    assert deduplicate_redirects(redirects_of([("A", "A"), ("A", "B")])).to_pylist() == [{"source": "A", "target": "B"}]
