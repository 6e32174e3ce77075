"""The measures of an audit, against plain readings of their definitions."""

from collections import Counter
from itertools import combinations
from statistics import median

import networkx as nx
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.word_groups import outlier_word, word_group
from wikisem.datasets.word_groups import parse_group, with_spaces
from wikisem.evaluation.audit import (
    CLUSTER,
    Age,
    GroupMeasures,
    WitnessBounds,
    age_of,
    audit_groups,
    capital_differs,
    findings_of,
    measure_group,
    near_duplicates,
)
from wikisem.graph.taxonomy import Taxonomy
from wikisem.heuristics.rules.cluster import outlier_rules
from wikisem.heuristics.rules.wording import check_contained
from wikisem.heuristics.selection.kept_groups import near_duplicates as left_out_as_repeated
from wikisem.recipes.load import load_recipe
from wikisem.recipes.options import FilterOptions, GraphOptions
from wikisem.records import Entity, Group, Member, Outlier
from wikisem.wikipedia.languages import language_profile

# city Q1 and river Q2 are places Q3; capital Q4 is a city, Q5 is on its own.
CLASSES = [
    Entity("Q1", ("Q9",), ("Q3",)),
    Entity("Q2", (), ("Q3",)),
    Entity("Q4", ("Q2",), ("Q1",)),
    Entity("Q3", ("Q2",), ()),
    Entity("Q5", ("Q9",), ()),
]
ITEMS = [
    Entity("Q11", ("Q1", "Q4")),
    Entity("Q12", ("Q1", "Q4")),
    Entity("Q13", ("Q1", "Q5")),
    Entity("Q21", ("Q2",)),
    Entity("Q22", ("Q2", "Q5")),
    Entity("Q23", ("Q4",)),
    Entity("Q31", ("Q7",)),
]
ENGLISH = language_profile("en")
GRAPH = Taxonomy.of_entities([*CLASSES, *ITEMS], GraphOptions(root="", disambiguation=()))


def item(qid: str, surface: str, outlier_class: int | None = None) -> Outlier:
    """An item that is known by its QID and its surface form."""
    return Outlier(id=qid, surface=surface, outlier_class=outlier_class)


def cities(*outliers: Outlier) -> GroupMeasures:
    """The group of *city* with three members and some outliers, measured."""
    cluster = (item("Q11", "Oslo"), item("Q12", "Bern"), item("Q13", "Lima"))
    return measure_group(Group(id="Q1", language="en", cluster=cluster, outliers=outliers), ENGLISH, graph=GRAPH)


def test_the_largest_share_of_members_in_one_further_class_is_measured() -> None:
    """Two of three cities are capitals; that all are cities says nothing."""
    assert cities().further_class == 2 / 3


def test_an_outlier_is_measured_in_the_graph() -> None:
    """Its nearest class, the classes it shares with members, and whether it is an instance of the class or below."""
    rhine, port, capital, lone = (
        cities(item("Q21", "Rhine", 1), item("Q22", "Port", 1), item("Q23", "Rome", 2), item("Q31", "Mars", 3))
    ).outliers
    assert [one.distance for one in (rhine, port, capital, lone)] == [2, 2, 1, None]
    assert [one.shared_classes for one in (rhine, port, capital, lone)] == [0, 1, 1, 0]
    assert [one.below_class for one in (rhine, port, capital, lone)] == [False, False, True, False]


def test_the_class_and_what_is_above_or_below_it_are_found_as_outliers() -> None:
    """Each is a wrong test case, and says which it is; other classes are none of these."""
    group = cities(item("Q1", "city", 1), item("Q3", "place", 1), item("Q4", "capital", 2), item("Q5", "port", 3))
    assert [one.relation for one in group.outliers] == ["itself", "above", "below", "none"]
    wrong = [finding.text for finding in findings_of(group) if finding.wrong]
    assert wrong == [
        "city (Q1) is the class itself",
        "place (Q3) is a class above it",
        "capital (Q4) is a class below it",
    ]
    values = audit_groups("x", [group.group], GRAPH).languages["en"]
    assert [values[column]["the class, above or below it"] for column in ("O1", "O2", "O3")] == [2, 1, 0]


def test_pairs_are_from_one_class_if_two_outliers_of_an_outlier_class_share_one() -> None:
    """A pair of rivers is, a river and a capital are not, and a single outlier is no pair."""
    rivers = (item("Q21", "Rhine", 1), item("Q22", "Port", 1))
    mixed = (item("Q21", "Rhine", 2), item("Q23", "Rome", 2))
    assert cities(*rivers, *mixed, item("Q31", "Mars", 3)).from_one_class == ((1, True), (2, False))


def test_without_a_graph_pairs_are_told_by_the_class_via_which_they_came() -> None:
    """A groups file alone still says where its outliers came from."""
    outliers = tuple(
        Outlier(id=f"Q{n}", surface=name, outlier_class=1, via="Q2") for n, name in ((21, "Rhine"), (22, "Port"))
    )
    group = Group(id="Q1", language="en", cluster=(item("Q11", "Oslo"),), outliers=outliers)
    assert measure_group(group, ENGLISH).from_one_class == ((1, True),)


def test_age_is_told_by_item_numbers() -> None:
    """Numbers are compared as numbers; items without a QID do not count."""
    assert age_of([item("Q9", "a"), item("Q10", "b"), item("Q200", "c"), Member(surface="d")]) == Age(9, 10, 200)
    assert age_of([Member(surface="d")]) is None


def test_a_released_text_is_measured_as_far_as_words_allow() -> None:
    """The file says the class, and no folder the language here; what needs items or the graph is unknown, not zero."""
    text = "Riau\nRiau_Islands\nBali\n\nriver\nBali\n"
    group = replace(with_spaces(parse_group(text, "Q7", "mine/Q7.txt")), language="unknown")
    assert (group.id, group.language, group.cluster[1].surface) == ("Q7", "unknown", "Riau Islands")
    values = audit_groups("set", [group]).languages["unknown"]
    assert values[CLUSTER]["a surface form inside another"] == 1
    assert values["O?"]["initial capital differs"] == 1 / 2
    assert values["O?"]["equal surface forms"] == 1 / 2
    for measure in ("page share", "item number, lowest", "distance", "the class, above or below it"):
        assert values["O?"][measure] is None


def test_groups_with_wrong_test_cases_come_first_then_those_with_most_findings() -> None:
    """One wrong test case weighs more than any number of blemishes."""
    clean = cities(item("Q21", "Rhine", 1))
    blemished = cities(*(item("Q22", name, 1) for name in ("port", "quay", "pier")))
    wrong = cities(item("Q3", "Place", 1))
    groups = [
        Group(id=name, language="en", cluster=one.group.cluster, outliers=one.group.outliers)
        for name, one in (("Q1", clean), ("Q9", blemished), ("Q1", wrong))
    ]
    audit = audit_groups("x", groups, GRAPH)
    assert [one.measures.outliers[0].item.surface for one in audit.groups] == ["Place", "port", "Rhine"]


def test_sources_and_languages_of_surface_forms_are_shares() -> None:
    """A label is no link; a run's members say so."""
    members = (
        Member(id="Q11", surface="Oslo", source="anchor", count=3, total=4, sitelinks=9),
        Member(id="Q12", surface="Bern", source="label", count=0, total=0, sitelinks=9),
    )
    outlier = Outlier(
        id="Q21", surface="Rhine", source="title", count=0, total=0, sitelinks=9, outlier_class=1, via="Q2"
    )
    group = Group(id="Q1", label="city", language="en", cluster=members, outliers=(outlier,))
    values = audit_groups("x", [group], GRAPH).languages["en"]
    assert values[CLUSTER]["no link has the surface form"] == 1 / 2
    assert values["O1"]["no link has the surface form"] == 1
    assert values["O1"]["item number, median"] == 21


_SHARES = st.none() | st.sampled_from([0.0, 0.04, 0.05, 0.1, 0.6, 0.6499, 0.65, 1.0])


@given(st.lists(st.tuples(_SHARES, st.lists(_SHARES, max_size=4)), min_size=1, max_size=6), _SHARES, _SHARES)
def test_ranks_and_near_misses_are_what_a_plain_reading_gives(
    values: list[tuple[float | None, list[float | None]]], least: float | None, most: float | None
) -> None:
    """Every known value once, in order; near misses are the first of them, and none are counted without a bound."""
    groups = [
        Group(
            id=f"Q{n}",
            language="en",
            coherence=coherence,
            cluster=(item("Q11", "Oslo"),),
            outliers=tuple(Outlier(surface="x", outlier_class=1, margin=one) for one in margins),
        )
        for n, (coherence, margins) in enumerate(values, start=1)
    ]
    audit = audit_groups("x", groups, bounds=WitnessBounds(least, most))
    coherences = [coherence for coherence, _ in values if coherence is not None]
    margins = [one for _, own in values for one in own if one is not None]
    assert [coherence for coherence, _ in audit.by_coherence] == sorted(coherences)
    assert [margin for margin, *_ in audit.by_margin] == sorted(margins, reverse=True)
    assert all(group.coherence == coherence for coherence, group in audit.by_coherence)
    assert all(one in group.outliers for _, group, one in audit.by_margin)
    near = None if least is None else sum(10_000 * one < 10_000 * least + 500 - 1e-6 for one in coherences)
    assert audit.near_coherence == near
    assert audit.near_margin == (None if most is None else sum(2 * one > most for one in margins))


_FORMS = st.lists(
    st.sampled_from(
        ["Oslo", "Oslo, Norway", "oslo", "Riau", "Riau-Islands", "Romeo", "Rome", "ボン", "リスボン", "東京", "東京都",
         "3M", "ǅ", "…", "oak", "Oak Park"]
    ), min_size=2, max_size=4, unique=True,
)  # fmt: skip


def test_an_audit_finds_what_the_filters_would_have_left_out() -> None:
    """What is contained and whose initial differs has one definition, of the filters and of the audit."""
    seen: Counter[str] = Counter()

    @settings(max_examples=300)
    @given(_FORMS, st.sampled_from(["en", "ja", "ka"]))
    def compare(forms: list[str], code: str) -> None:
        profile = language_profile(code)
        *cluster, outlier = forms
        group = word_group("x", cluster, [outlier_word(outlier, 1)], "", code)
        found = measure_group(group, profile)
        (measured,) = found.outliers
        assert (found.contained > 0) == (not check_contained(cluster, profile, 1).keep)
        pairs = [[one, outlier] for one in cluster]
        assert measured.inside == any(not check_contained(pair, profile, 1).keep for pair in pairs)
        may_join = outlier_rules(cluster, profile, FilterOptions(initial_capital=True, outlier_stop_affix=False))
        assert bool(measured.capital_differs) == (not may_join(outlier))
        seen.update([f"inside {measured.inside}", f"capital {measured.capital_differs}"])

    compare()
    met = ("inside True", "inside False", "capital True", "capital False", "capital None")
    assert min(seen[one] for one in met) >= 9, seen


def test_what_agrees_in_nothing_gives_nothing_away() -> None:
    """A member that begins with a digit has no case, and so the cluster does not agree; of Arabic nothing is known."""
    assert capital_differs("oak", ["Oslo", "Rome"]) is True
    assert capital_differs("oak", ["Oslo", "3M"]) is False
    assert capital_differs("Elm", ["Oslo", "Rome"]) is False
    assert capital_differs("東", ["Oslo"]) is None
    assert capital_differs("oak", ["東", "3M"]) is None


@settings(max_examples=120)
@given(st.lists(st.sets(st.integers(1, 14), min_size=7, max_size=8), max_size=6))
def test_near_duplicates_of_whole_clusters_are_those_of_the_filter(clusters: list[set[int]]) -> None:
    """Half of the smaller of two clusters with seven or eight items is four, the number of the recipe wikisem."""
    number = load_recipe("wikisem").filters.near_duplicates
    assert number is not None
    groups = [
        word_group(f"Q{n}", list(map(str, own)), (), "", "en", "", [f"Q{m}" for m in own])
        for n, own in enumerate(clusters)
    ]
    named = [(n, [str(m) for m in own]) for n, own in enumerate(clusters)]
    left_out = left_out_as_repeated(named, number)
    assert bool(near_duplicates(groups)) == bool(left_out)
    assert near_duplicates([one for n, one in enumerate(groups) if n not in left_out]) == []


def test_near_duplicates_are_those_of_all_pairs() -> None:
    """Every pair in one language that shares at least half of the smaller cluster, as counting each pair finds them."""
    seen: Counter[bool] = Counter()
    clusters = st.lists(st.sets(st.integers(1, 9), min_size=1, max_size=8), max_size=8)

    @settings(max_examples=120)
    @given(clusters, st.lists(st.sampled_from(["en", "de"]), min_size=8, max_size=8))
    def compare(clusters: list[set[int]], languages: list[str]) -> None:
        groups = [
            word_group(f"Q{n + 1}", list(map(str, own)), (), "", languages[n], "", [f"Q{m}" for m in own])
            for n, own in enumerate(clusters)
        ]
        expected = {
            (languages[a], f"Q{a + 1}", f"Q{b + 1}", len(clusters[a] & clusters[b]))
            for a, b in combinations(range(len(clusters)), 2)
            if languages[a] == languages[b]
            and 2 * len(clusters[a] & clusters[b]) >= min(len(clusters[a]), len(clusters[b]))
        }
        found = near_duplicates(groups)
        assert {tuple(pair) for pair in found} == expected
        assert [pair.shared for pair in found] == sorted((pair.shared for pair in found), reverse=True)
        seen[bool(expected)] += 1

    compare()
    assert min(seen[True], seen[False]) >= 5, seen


EDGES = st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=3, max_size=9)
LISTS = st.lists(st.sets(st.integers(1, 6), min_size=1, max_size=3), min_size=3, max_size=6)


def test_measures_in_the_graph_are_those_of_plain_search() -> None:
    """Coherence, distance, shared classes, relation and descent on random graphs, cycles included, with networkx."""
    seen: Counter[str] = Counter()

    @settings(max_examples=240)
    @given(EDGES, LISTS)
    def compare(edges: list[tuple[int, int]], lists: list[set[int]]) -> None:
        parents = {n: tuple(f"Q{b}" for a, b in sorted(set(edges)) if a == n and b != n) for n in range(1, 7)}
        entities = [Entity(f"Q{n}", ("Q1",), up) for n, up in parents.items()]
        entities += [Entity(f"Q{10 + n}", tuple(f"Q{c}" for c in sorted(own))) for n, own in enumerate(lists)]
        taxonomy = Taxonomy.of_entities(entities, GraphOptions(root="", disambiguation=()))
        cluster = [item(f"Q{10 + n}", f"m{n}") for n in range(len(lists) - 1)]
        last = item(f"Q{9 + len(lists)}", "outlier", 1)
        other = item("Q2", "class", 2)
        group = measure_group(
            Group(id="Q1", language="en", cluster=tuple(cluster), outliers=(last, other)), ENGLISH, graph=taxonomy
        )
        up = nx.DiGraph([(a, b) for a, b in edges if a != b])
        up.add_nodes_from(range(1, 7))
        counts = Counter(c for own in lists[:-1] for c in own - {1})
        assert group.further_class == max(counts.values(), default=0) / len(cluster)
        steps = nx.single_source_shortest_path_length(up.to_undirected(), 1)
        own = lists[-1]
        first, second = group.outliers
        assert first.distance == min((steps[c] for c in own if c in steps), default=None)
        assert first.shared_classes == len(own & set(counts))
        assert first.below_class == bool(own & {1, *nx.ancestors(up, 1)})
        wanted = "above" if 2 in nx.descendants(up, 1) else "below" if 2 in nx.ancestors(up, 1) else "none"
        assert second.relation == wanted
        seen.update([wanted, f"distance {first.distance is not None}", f"below {first.below_class}"])

    compare()
    for met in ("above", "below", "none", "distance True", "distance False", "below True", "below False"):
        assert seen[met] >= 3, (met, seen)


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=9))
def test_the_median_is_that_of_the_numbers(numbers: list[int]) -> None:
    """Lowest, median and highest of any item numbers."""
    age = age_of([item(f"Q{number}", "x") for number in numbers])
    assert age == Age(min(numbers), median(numbers), max(numbers))
