"""Mixed groups: each item in one language, evenly, seeded, no surface form twice."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from wikisem.heuristics.selection.kept_groups import is_mixed, mix_groups, mixed_code
from wikisem.ids import check_language
from wikisem.recipes.options import ClusterOptions, OutlierOptions, Recipe
from wikisem.records import Group, Member, Outlier, Rejection

LANGUAGES = ("en", "de", "ja")
RECIPE = Recipe(
    "mixed", mixed=LANGUAGES, cluster=ClusterOptions(size=8, minimum=7), outliers=OutlierOptions(shared=True)
)


def member(number: int, language: str, surface: str = "") -> Member:
    """An item with a surface form of its own in each language; lower numbers have more sitelinks."""
    return Member(
        id=f"Q{number}",
        surface=surface or f"{language}{number}",
        source="anchor",
        count=1,
        total=1,
        sitelinks=1000 - number,
    )


def outlier(number: int, language: str, surface: str = "") -> Outlier:
    """An outlier like it."""
    return Outlier(
        id=f"Q{number}",
        surface=surface or f"{language}{number}",
        source="anchor",
        count=1,
        total=1,
        sitelinks=9,
        outlier_class=1 + number % 3,
        via="Q7",
    )


def parallel(*languages: str, qid: str = "Q5") -> dict[str, list[Group]]:
    """The groups of a class with the same eight members and six outliers in some languages."""
    return {
        language: [
            Group(
                id=qid,
                label=f"class in {language}",
                language=language,
                cluster=tuple(member(n, language) for n in range(1, 9)),
                outliers=tuple(outlier(n, language) for n in range(11, 17)),
            )
        ]
        for language in languages
    }


def only(groups: dict[str, list[Group]], recipe: Recipe = RECIPE) -> Group:
    """The one mixed group."""
    (group,) = mix_groups(groups, recipe)
    assert isinstance(group, Group)
    return group


def test_every_item_comes_in_one_language_and_says_which() -> None:
    """The same items in the same order as in each language, each under the surface form of the language it names."""
    group = only(parallel(*LANGUAGES))
    assert (group.qid, group.label, group.language) == ("Q5", "class in en", "mixed-en-de-ja")
    assert [one.id for one in group.cluster] == [f"Q{n}" for n in range(1, 9)]
    assert [one.id for one in group.outliers] == [f"Q{n}" for n in range(11, 17)]
    assert all(one.surface == f"{one.language}{one.id[1:]}" for one in (*group.cluster, *group.outliers))


def test_languages_are_dealt_evenly_among_members_and_among_outliers() -> None:
    """Eight members in three languages are three, three and two; six outliers two each."""
    group = only(parallel(*LANGUAGES))
    assert sorted(Counter(one.language for one in group.cluster).values()) == [2, 3, 3]
    assert sorted(Counter(one.language for one in group.outliers).values()) == [2, 2, 2]


def test_the_seed_and_the_class_decide_and_nothing_else() -> None:
    """Another seed or class deals otherwise; the same ones deal the same."""
    dealt = [one.language for one in only(parallel(*LANGUAGES)).cluster]
    assert dealt == [one.language for one in only(parallel(*LANGUAGES)).cluster]
    others = {
        tuple(one.language for one in only(parallel(*LANGUAGES, qid=qid), replace(RECIPE, seed=seed)).cluster)
        for qid in ("Q5", "Q6")
        for seed in (500, 501)
    }
    assert len(others) == 4


def test_a_class_without_a_group_in_every_language_is_rejected() -> None:
    """The reason is a stable word, the detail names the languages; classes come in the order of their numbers."""
    groups = parallel("en", "de", "ja")
    groups["de"] += parallel("de", qid="Q10")["de"]
    groups["ja"].insert(0, parallel("ja", qid="Q4")["ja"][0])
    first, second, third = mix_groups(groups, RECIPE)
    assert isinstance(second, Group)
    assert first == Rejection("Q4", "mixed-en-de-ja", "not-parallel", "no group in en, de", "class in ja")
    assert third == Rejection("Q10", "mixed-en-de-ja", "not-parallel", "no group in en, ja", "class in de")


def test_a_member_that_only_one_language_has_comes_in_that_language() -> None:
    """Clusters may differ; the most prominent items of all of them are mixed."""
    groups = parallel("en", "de")
    (german,) = groups["de"]
    groups["de"] = [
        structs.replace(german, cluster=(structs.replace(member(30, "de"), sitelinks=2000), *german.cluster[:7]))
    ]
    group = only(groups)
    assert [one.id for one in group.cluster] == ["Q30", *(f"Q{n}" for n in range(1, 8))]
    assert group.cluster[0].language == "de"


@pytest.mark.parametrize(("german", "mixed"), [(0.7, 0.7), (0.95, 0.9), (0.0, 0.0), (None, None)])
def test_a_mixed_group_has_the_least_coherence_and_the_margins_of_its_languages(
    german: float | None, mixed: float | None
) -> None:
    """Without a coherence in one language, none is known; each outlier has the margin of its own language."""
    groups = parallel("en", "de")
    for language, coherence, margins in (("en", 0.9, 0.01), ("de", german, 0.05)):
        (one,) = groups[language]
        outliers = tuple(structs.replace(outlier, margin=margins) for outlier in one.outliers)
        groups[language] = [structs.replace(one, coherence=coherence, outliers=outliers)]
    group = only(groups)
    assert group.coherence == mixed
    assert {(one.language, one.margin) for one in group.outliers} == {("en", 0.01), ("de", 0.05)}


def test_no_surface_form_comes_twice() -> None:
    """An item whose form another item has in one language comes in the other, or not at all."""
    groups = parallel("en", "de")
    for language, one in (("en", groups["en"][0]), ("de", groups["de"][0])):
        outliers = (outlier(11, language, "same"), outlier(12, language, "same"), *one.outliers[2:])
        groups[language] = [structs.replace(one, outliers=outliers)]
    group = only(groups)
    surfaces = [one.surface for one in (*group.cluster, *group.outliers)]
    assert len(surfaces) == len(set(surfaces)) == 13
    assert surfaces.count("same") == 1


@pytest.mark.parametrize(("kept", "outliers", "reason"), [(6, 6, "too-few"), (8, 1, "few-outliers")])
def test_what_is_too_small_is_rejected(kept: int, outliers: int, reason: str) -> None:
    """Of surface forms that are different, and of outliers, a group needs what the recipe says."""
    groups = {
        language: [structs.replace(one[0], cluster=one[0].cluster[:kept], outliers=one[0].outliers[:outliers])]
        for language, one in parallel("en", "de").items()
    }
    (rejection,) = mix_groups(groups, RECIPE)
    assert isinstance(rejection, Rejection)
    assert rejection.reason == reason
    assert str(min(kept, outliers)) in rejection.detail


def test_the_code_of_mixed_groups_is_a_language_code() -> None:
    """So that every reader of languages takes it."""
    code = mixed_code(["en", "zh-yue"])
    assert code == check_language("mixed-en-zh-yue")
    assert is_mixed(code)
    assert not is_mixed("en")


def test_random_clusters_are_dealt_as_a_plain_reading_wants() -> None:
    """Every item in a language that has it, no form twice, none dropped that had a free form."""
    seen: Counter[str] = Counter()
    names = st.dictionaries(st.sampled_from(LANGUAGES), st.sampled_from("abcdefghij"), min_size=1)

    @settings(max_examples=300)
    @given(st.lists(names, min_size=3, max_size=8), st.integers(0, 2**64 - 1))
    def compare(items: list[dict[str, str]], seed: int) -> None:
        recipe = replace(RECIPE, seed=seed, cluster=ClusterOptions(size=8, minimum=2))
        outliers = {language: (outlier(90, language), outlier(91, language)) for language in LANGUAGES}
        groups = {
            language: [
                Group(
                    id="Q5",
                    label="x",
                    language=language,
                    cluster=tuple(
                        member(n, language, one[language]) for n, one in enumerate(items, 1) if language in one
                    ),
                    outliers=outliers[language],
                )
            ]
            for language in LANGUAGES
        }
        (found,) = mix_groups(groups, recipe)
        if isinstance(found, Rejection):
            seen["rejected"] += 1
            return
        surfaces = [one.surface for one in found.cluster]
        assert len(surfaces) == len(set(surfaces))
        for one in found.cluster:
            assert one.language is not None
            assert items[int(one.id[1:]) - 1][one.language] == one.surface
        dropped = {f"Q{n}" for n in range(1, len(items) + 1)} - {one.id for one in found.cluster}
        for qid in dropped:
            assert set(items[int(qid[1:]) - 1].values()) <= set(surfaces)
        seen.update(["mixed", f"dropped {bool(dropped)}", f"languages {len({one.language for one in found.cluster})}"])

    compare()
    for met in ("mixed", "dropped True", "dropped False", "languages 3"):
        assert seen[met] >= 10, (met, seen)
