"""The rules that look beyond one cluster, in the groups stage: labels, repeated clusters, affixes of the language."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import msgspec

from tests.oracle import OracleGraph
from tests.transforms.world_of_groups import bare, by_label, expected, read_built, run_stages
from wikisem.heuristics.rules.affix import AffixCounts, count_affixes
from wikisem.recipes.options import ClusterOptions, FilterOptions, GraphOptions, OutlierOptions, Recipe
from wikisem.records import Entity
from wikisem.transforms.io.counts import read_json

RECIPE = Recipe(
    "rules",
    graph=GraphOptions(root=""),
    cluster=ClusterOptions(max_groups=2, class_order="prominence"),
    outliers=OutlierOptions(min_sitelinks=0),
    filters=FilterOptions(affix=None, near_duplicates=4, extra={"own_label": 4, "contained": 1}),
)
SYLLABLES = ["ba", "de", "fi", "go", "lu", "ma", "ne", "po", "ri", "su", "ta", "ve"]


def word(number: int) -> str:
    """A name unlike the others: four syllables, each of the next digit of a number in base twelve."""
    return "".join(SYLLABLES[(number * 7 + number // 12**place) % 12] for place in range(4)) + str(number)


def town(number: int, classes: tuple[str, ...], name: str = "") -> Entity:
    """An item with sitelinks by its number, the lower the more."""
    return Entity(f"Q{number}", classes, (), 90_000 - number, labels={"en": name or word(number)})


def repeated_classes() -> list[Entity]:
    """Four classes of municipalities that share seven of eight members, a fifth that shares three, and banks."""
    own = [
        Entity(f"Q{n}", (), ("Q1",), links, labels={"en": f"kind {n}"})
        for n, links in zip(range(2, 6), (5, 9, 1, 3), strict=True)
    ]
    others = [
        Entity("Q6", (), ("Q1",), 2),
        Entity("Q7", (), ("Q1",), 4, labels={"en": "bank"}),
        Entity("Q8", (), ("Q1",), 8),
    ]
    shared = [town(100 + n, ("Q2", "Q3", "Q4", "Q5", *(["Q6"] if n < 3 else []))) for n in range(7)]
    single = [town(110 + n, (f"Q{n}",)) for n in range(2, 6)]
    six = [town(120 + n, ("Q6",)) for n in range(5)]
    banks = [town(130 + n, ("Q7",), f"{word(130 + n)} Bank {word(140 + n)}" if n < 4 else "") for n in range(8)]
    inside = [town(150 + n, ("Q8",), "Riau" if n == 0 else "Riau Islands" if n == 5 else "") for n in range(8)]
    return [*own, *others, *shared, *single, *six, *banks, *inside]


def test_repeated_clusters_their_label_and_names_inside_names_are_rejected(tmp_path: Path) -> None:
    """Groups, reasons and counts are the oracle's; of repeated clusters the first stays, and the cap comes after."""
    entities, seen = repeated_classes(), Counter[str]()
    names = {"en": by_label(entities, "en")}
    for most in (0, 1, 2):
        recipe = replace(RECIPE, cluster=replace(RECIPE.cluster, max_groups=most))
        done, counts = run_stages(tmp_path / str(most), entities, names, recipe)
        built = read_built(done, "en")
        assert bare(built) == bare(expected(OracleGraph(entities, recipe.graph), names["en"], recipe, "en"))
        counts["en"].check("en")
        reasons = {rejection.qid: rejection.reason for rejection in built[1]}
        assert counts["en"].left_out == Counter(reasons.values())
        assert {qid for qid, reason in reasons.items() if reason == "near-duplicate"} == {"Q2", "Q4", "Q5"}
        details = {rejection.detail for rejection in built[1] if rejection.reason == "near-duplicate"}
        assert details == {"shares 7 items with kind 3 (Q3), which is kept"}
        assert {rejection.qid: rejection.label for rejection in built[1]}["Q2"] == "kind 2"
        assert (reasons["Q7"], reasons["Q8"]) == ("own-label", "contained")
        seen.update(group.qid for group in built[0])
    assert seen == {"Q3": 3, "Q6": 2}


def test_members_that_break_a_rule_together_give_way_to_the_next(tmp_path: Path) -> None:
    """The least known of four banks is replaced by the ninth instance, one of two islands by the one after it.

    So are a kind among individuals, and members that contradict themselves, only where certificates are asked for. A
    class without enough others is rejected as before, for what its best known members share. All is as the oracle says.
    """
    first = repeated_classes()
    more = [
        *(town(180 + n, ("Q7",), f"{word(180 + n)} Bank {word(190 + n)}" if n in (0, 2) else "") for n in range(4)),
        *(town(184 + n, ("Q8",), "New Riau" if n == 0 else "") for n in range(2)),
        Entity("Q9", (), ("Q1",), labels={"en": "river"}),
        *(town(200 + n, ("Q9",), f"{word(200 + n)} River {word(210 + n)}") for n in range(12)),
    ]
    clusters = {}
    for certificate in (0, 1):
        recipe = replace(
            RECIPE,
            cluster=replace(RECIPE.cluster, max_groups=0),
            outliers=replace(RECIPE.outliers, certificate=certificate),
            filters=replace(RECIPE.filters, replace=True),
        )
        for name, entities in (("first", first), ("more", [*first, *more])):
            names = {"en": by_label(entities, "en")}
            done, _ = run_stages(tmp_path / f"{name} {certificate}", entities, names, recipe)
            built = read_built(done, "en")
            assert bare(built) == bare(expected(OracleGraph(entities, recipe.graph), names["en"], recipe, "en"))
            reasons = {rejection.qid: rejection.reason for rejection in built[1]}
            rejected = {"Q7": "own-label", "Q8": "contained"} if name == "first" else {"Q9": "own-label"}
            assert {qid: reasons.get(qid) for qid in rejected} == rejected
            clusters[name, certificate] = {group.qid: [int(one.id[1:]) for one in group.cluster] for group in built[0]}
    for certificate in (0, 1):
        found = clusters["more", certificate]
        assert found["Q7"] == [130, 131, 132, *range(134, 138), 181]  # 180 is another bank
        assert found["Q8"] == [*range(150, 155), 156, 157, 185]  # 155 is in 150 and so is 184


def test_affixes_are_measured_by_all_surface_forms_of_the_language(tmp_path: Path) -> None:
    """Where 2,000 show what is ordinary, four towns in "os" are kept among many such, and rejected among few."""
    ends = ["os", "os", "os", "os", "er", "ik", "am", "ul"]
    towns = [town(50_000 + n, ("Q3",), f"{word(50_000 + n)[:-5]}{end}") for n, end in enumerate(ends)]
    recipe = replace(RECIPE, filters=FilterOptions(affix="surprise"))
    reasons = {}
    for many in (False, True):
        others = [town(1000 + n, ("Q2",), word(1000 + n) + ("os" if many and n % 9 == 0 else "")) for n in range(2100)]
        entities = [Entity("Q2", (), ("Q1",)), Entity("Q3", (), ("Q1",)), *towns, *others]
        done, _ = run_stages(tmp_path / str(many), entities, {"en": by_label(entities, "en")}, recipe)
        groups, rejected = read_built(done, "en")
        reasons[many] = {one.qid: one.reason for one in rejected} | {group.qid: "group" for group in groups}
    assert (reasons[False]["Q3"], reasons[True]["Q3"]) == ("affix", "group")


def test_counted_affixes_are_read_as_they_were_written(tmp_path: Path) -> None:
    """Tabs, quotes and any script survive, and so does a language without surface forms."""
    for surfaces in (["a\tb", '"q"', "北京", "กรุงเทพ", " x "], []):
        counts = count_affixes(surfaces)
        (tmp_path / "affixes.json").write_bytes(msgspec.json.encode(counts))
        assert read_json(str(tmp_path / "affixes.json"), AffixCounts) == counts
    assert counts == AffixCounts(0, {}, {})
