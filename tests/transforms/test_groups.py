"""The taxonomy and groups stages as pipelines, against the oracle on real classes."""

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pyarrow.parquet as pq
import pytest

from tests.entity_files import dump_entities, write_entities
from tests.oracle import Named, OracleGraph, OracleGroups
from tests.transforms.world_of_groups import bare, by_label, expected, read_built, run_stages
from wikisem.graph.taxonomy import Taxonomy
from wikisem.layout import SURFACE_PARTS, Scratch
from wikisem.outputs.groupfile import read_groups
from wikisem.recipes.options import ClusterOptions, Fame, FilterOptions, GraphOptions, OutlierOptions, Recipe
from wikisem.records import RELATED, Certificate, Entity
from wikisem.transforms.groups import stage as groups_stage
from wikisem.transforms.groups.shared_files import GroupFacts, GroupWork
from wikisem.transforms.groups.stage import CollectItems
from wikisem.transforms.io.counts import read_json
from wikisem.transforms.io.runtime import Runtime
from wikisem.wikipedia.languages import language_profile

LANGUAGES = ("en", "de", "es", "ru", "zh", "ar")
RECIPE = Recipe(
    "real",
    languages=LANGUAGES,
    cluster=ClusterOptions(max_groups=0),
    outliers=OutlierOptions(min_sitelinks=0, certificate=1),
)


def test_the_titles_that_are_looked_at_do_not_depend_on_unlinked_items(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One title in n is sampled, and n grows with the items that can have one: a build may lack the others."""
    monkeypatch.setattr(groups_stage, "_SAMPLED_TITLES", 4)
    linked = [Entity(f"Q{n}", ("Q1",), sitelinks=1, titles={"enwiki": f"Page {n}"}) for n in range(10, 30)]
    unlinked = [Entity(f"Q{n}", ("Q1",)) for n in range(30, 60)]
    sampled = []
    for name, entities in (("some", linked), ("all", [*linked, *unlinked])):
        folder = tmp_path / name
        Taxonomy.of_entities(entities, RECIPE.graph).save(folder / "taxonomy")
        work = GroupWork(Scratch(str(folder / "work")), str(folder / "taxonomy"), RECIPE, {"en": ""}, {}, {})
        write_entities(folder / "entities", entities)
        list(CollectItems(work).process((0, str(folder / "entities/part-00000.parquet"))))
        (written,) = Path(work.scratch.titles("*")).parent.glob("titles-*")
        sampled.append(pq.read_table(written)["title"].to_pylist())
    assert sampled[0] == sampled[1]
    assert 0 < len(sampled[0]) < len(linked)


def real_entities(realdata: Path) -> list[Entity]:
    """The class-graph slice and the genuine items together, each id once, the higher revision first."""
    files = ("class-graph-slice.json.gz", "real-entities.json.gz")
    both = [entity for name in files for entity in dump_entities(realdata / "wikidata" / name)]
    best: dict[str, Entity] = {}
    for entity in both:
        if entity.qid not in best or entity.lastrevid > best[entity.qid].lastrevid:
            best[entity.qid] = entity
    return list(best.values())


# Groups that sections 2 and 3 of the method give on the real slice, with certificates and no member that contradicts
# itself, before stop affixes; counted by brute force.
BEFORE_STOP_AFFIXES = {"en": 96, "zh": 11}


@pytest.mark.slow
@pytest.mark.realdata
def test_real_groups_are_those_of_the_oracle(realdata: Path, tmp_path: Path) -> None:
    """On real classes, groups and reasons in six languages are the brute-force ones, member by member.

    What brute force finds beyond them without stop affixes is in ``rejected/`` with that reason, in two of them.
    """
    entities = real_entities(realdata)
    names = {language: by_label(entities, language) for language in LANGUAGES}
    done, counts = run_stages(tmp_path, entities, names, RECIPE, files=3)
    graph = OracleGraph(entities, RECIPE.graph)
    unstopped = replace(RECIPE, filters=replace(RECIPE.filters, stop_affix=False))
    for language in LANGUAGES:
        groups, rejected = read_built(done, language)
        assert bare((groups, rejected)) == bare(expected(graph, names[language], RECIPE, language))
        counts[language].check(language)
        assert (counts[language].kept, counts[language].read) == (len(groups), len(groups) + len(rejected))
        if language not in BEFORE_STOP_AFFIXES:
            continue
        before = {group.qid for group in expected(graph, names[language], unstopped, language)[0]}
        assert len(before) == BEFORE_STOP_AFFIXES[language]
        stopped = {rejection.qid for rejection in rejected if rejection.reason == "stop-affix"}
        assert before == {group.qid for group in groups} | (before & stopped)
    far = [
        outlier.id for group in read_built(done, "en")[0] for outlier in group.outliers if outlier.outlier_class == 3
    ]
    assert len(set(far)) >= len(far) / 2


def small_world() -> list[Entity]:
    """Classes in a chain of families, each with nine named instances, and a class without a line of its own."""
    classes = [
        Entity(f"Q{100 + n}", subclass_of=(f"Q{100 + n // 2}",), sitelinks=n, labels={"mul": f"class {n}"})
        for n in range(1, 12)
    ]
    names = ["Alba", "Bohr", "Curie", "Dirac", "Euler", "Fermi", "Gauss", "Hertz", "Ising"]
    items = [
        Entity(
            f"Q{1000 + 10 * n + k}",
            (f"Q{100 + n}",),
            sitelinks=20 + k,
            labels={"en": f"{name} {chr(96 + n)}o{chr(97 + k)}"},
        )
        for n in range(1, 14)
        for k, name in enumerate(names)
    ]
    return [*classes, *items]


SMALL = Recipe("small", graph=GraphOptions(root=""), cluster=ClusterOptions(max_groups=5, class_order="prominence"))


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small world, built by one worker from one file."""
    return build_small(tmp_path_factory.mktemp("once"), Runtime(), files=1)


def build_small(root: Path, runtime: Runtime, files: int, entities: list[Entity] | None = None) -> Path:
    """Run both stages on the small world in English and in a language that names nothing."""
    entities = entities or small_world()
    names = {"en": by_label(entities, "en"), "de": {}}
    return run_stages(root, entities, names, SMALL, runtime, files)[0]


def contents(done: Path) -> dict[str, bytes]:
    """Every finished file and its bytes."""
    return {str(path.relative_to(done)): path.read_bytes() for path in sorted(done.rglob("*")) if path.is_file()}


def test_kept_groups_are_those_of_a_build_without_a_limit(tmp_path: Path) -> None:
    """Outliers are chosen last for the groups that ``max_groups`` keeps, and take their places as in all groups."""
    entities, built = small_world(), {}
    for most in (4, 0):
        recipe = replace(SMALL, outliers=OutlierOptions(places=True), cluster=replace(SMALL.cluster, max_groups=most))
        done, _ = run_stages(tmp_path / str(most), entities, {"en": by_label(entities, "en")}, recipe)
        built[most] = read_built(done, "en")
    kept = [one.qid for one in built[4][0]]
    assert len(kept) == 4
    assert built[4][0] == [one for one in built[0][0] if one.qid in kept]
    assert {one.outlier_class for group in built[4][0] for one in group.outliers} > {1}
    capped = {one.qid for one in built[4][1] if one.reason == "capped"}
    assert capped == {one.qid for one in built[0][0]} - {*kept}


@pytest.mark.slow
def test_two_workers_and_another_order_give_the_same_bytes(once: Path, tmp_path: Path) -> None:
    """Neither processes nor the order of items nor the number of files can be seen in what comes out."""
    shuffled = small_world()[::-3] + small_world()[-2::-3] + small_world()[-3::-3]
    assert len(shuffled) == len(small_world())
    again = build_small(tmp_path, Runtime(workers=2), files=3, entities=shuffled)
    assert contents(again) == contents(once)
    assert {path.split("/")[0] for path in contents(once)} == {"groups", "languages", "rejected", "wikisem500"}


def test_scratch_does_not_keep_the_surface_forms_of_all_items(once: Path) -> None:
    """Once they are indexed, nothing reads them: what groups need of them is in the arrays of the language."""
    scratch = Scratch(str(once.parent))
    assert Path(scratch.surfaces("en")).is_dir()
    assert not Path(scratch.parts, SURFACE_PARTS).exists()


def test_the_most_prominent_groups_are_kept_and_the_others_capped(once: Path) -> None:
    """Of the groups that pass, the classes with most sitelinks of their own stay, by class; the rest says why not."""
    groups, rejected = read_built(once, "en")
    assert [group.qid for group in groups] == ["Q107", "Q108", "Q109", "Q110", "Q111"]
    assert [group.label for group in groups][:2] == ["class 7", "class 8"]
    capped = [rejection.qid for rejection in rejected if rejection.reason == "capped"]
    assert capped == sorted(capped)
    assert len(capped) > 0


def test_parquet_holds_the_rows_of_the_lines(once: Path) -> None:
    """Both forms of a language's groups say the same."""
    groups, _ = read_built(once, "en")
    assert read_groups(once / "groups" / "en.parquet") == groups


def test_a_language_that_names_nothing_has_empty_files(once: Path) -> None:
    """Its files are written all the same."""
    assert read_built(once, "de") == ([], [])
    assert pq.read_table(once / "groups" / "de.parquet").num_rows == 0


# Two sibling classes, each with nine instances; only some of them have the ten sitelinks that an outlier needs.
MIXED = [
    Entity("Q1", subclass_of=()),
    *(Entity(f"Q{n}", subclass_of=("Q1",)) for n in (2, 3)),
    *(
        Entity(f"Q{100 * n + k}", (f"Q{n}",), (), 10 if k < known else 9, {}, {"en": f"{name}{n}"})
        for n, known in ((2, 3), (3, 1))
        for k, name in enumerate(["alba", "bohr", "curie", "dirac", "euler", "fermi", "gauss", "hertz", "ising"])
    ),
]


def test_items_with_few_sitelinks_are_members_but_never_outliers(tmp_path: Path) -> None:
    """Below ``min_sitelinks`` an item can be in a cluster, with its surface form, and is never drawn as an outlier."""
    recipe = replace(SMALL, outliers=OutlierOptions(min_sitelinks=10, per_class=9, minimum=1))
    names = {"en": by_label(MIXED, "en")}
    done, _ = run_stages(tmp_path, MIXED, names, recipe)
    built = read_built(done, "en")
    assert bare(built) == bare(expected(OracleGraph(MIXED, recipe.graph), names["en"], recipe, "en"))
    drawn = {group.qid: {outlier.id for outlier in group.outliers} for group in built[0]}
    assert drawn == {"Q2": {"Q300"}, "Q3": {"Q200", "Q201", "Q202"}}
    surfaces = {group.qid: [member.surface for member in group.cluster] for group in built[0]}
    assert surfaces["Q3"] == ["alba3", "bohr3", "curie3", "dirac3", "euler3", "fermi3", "gauss3", "hertz3"]


@pytest.mark.parametrize(("places", "least", "kept"), [(True, 10, "Q4"), (True, 0, "Q2Q3Q4"), (False, 10, "Q2Q3Q4")])
def test_an_obscure_class_has_no_group_with_places(tmp_path: Path, places: bool, least: int, kept: str) -> None:
    """Most of its members must have the sitelinks of an outlier; without places, or if none are asked, it has one."""
    more = [replace(one, qid=f"Q4{one.qid[2:]}", instance_of=("Q4",)) for one in MIXED if one.instance_of == ("Q2",)]
    more = [replace(one, sitelinks=10) if at < 5 else one for at, one in enumerate(more)]
    entities = [*MIXED, Entity("Q4", subclass_of=("Q1",)), *more]
    recipe = replace(SMALL, outliers=OutlierOptions(min_sitelinks=least, minimum=1, places=places))
    names = {"en": by_label(entities, "en")}
    built = read_built(run_stages(tmp_path, entities, names, recipe)[0], "en")
    assert bare(built) == bare(expected(OracleGraph(entities, recipe.graph), names["en"], recipe, "en"))
    assert "".join(group.qid for group in built[0]) == kept
    wanted = "expected at least 5 of 8 members with 10 sitelinks, as outliers have, saw"
    assert [(one.qid, one.reason, one.detail) for one in built[1]] == [
        (qid, "obscure", f"{wanted} {seen}") for qid, seen in (("Q2", 3), ("Q3", 1)) if qid not in kept
    ]


@pytest.mark.parametrize(("fame", "known"), [("head", [24, 23, 23]), ("torso", [22, 22]), ("tail", [21, 21])])
def test_members_are_from_a_third_of_their_class(tmp_path: Path, fame: Fame, known: list[int]) -> None:
    """Clusters, outliers and reasons are those of the oracle; items with few sitelinks are in no third.

    Each class has an instance with 24 sitelinks and two with each number from 23 down.
    """
    entities = [replace(one, sitelinks=10 + one.sitelinks // 2) for one in small_world() if one.instance_of]
    entities += [one for one in small_world() if not one.instance_of]
    outliers = OutlierOptions(min_sitelinks=21, places=True, certificate=1)
    recipe = replace(SMALL, outliers=outliers, cluster=ClusterOptions(minimum=2, max_groups=0, fame=fame))
    names = by_label(entities, "en")
    built = read_built(run_stages(tmp_path, entities, {"en": names}, recipe)[0], "en")
    assert bare(built) == bare(expected(OracleGraph(entities, recipe.graph), names, recipe, "en"))
    assert len(built[0]) > 5
    assert all([member.sitelinks for member in group.cluster] == known for group in built[0])


@pytest.mark.parametrize("fame", get_args(Fame))
def test_members_are_what_their_wikipedia_links_to(tmp_path: Path, fame: Fame) -> None:
    """With local prominence clusters, in every third, are those of the oracle, and differ from language to language.

    Shared outliers are the same items in both. Some items have no link; they come last, by sitelinks.
    """
    entities = [replace(one, sitelinks=20 + int(one.qid[1:]) % 7) for one in small_world()]
    labels = by_label(entities, "en")
    names = {
        code: {
            qid: Named(one.surface, "anchor", links, links, links) if (links := (int(qid[1:]) + step) % 5 * 10) else one
            for qid, one in labels.items()
        }
        for code, step in (("en", 0), ("ha", 2))
    }
    cluster = ClusterOptions(size=4, minimum=2, max_groups=0, prominence="local", fame=fame)
    recipe = replace(SMALL, outliers=OutlierOptions(places=True, shared=True), cluster=cluster)
    done, _ = run_stages(tmp_path, entities, names, recipe)
    by_language = {}
    for code, own in names.items():
        oracle = OracleGroups(OracleGraph(entities, recipe.graph), recipe, language_profile(code), own)
        groups = by_language[code] = {group.qid: group for group in read_built(done, code)[0]}
        assert len(groups) > 5
        for qid, group in groups.items():
            assert [one.id for one in group.cluster] == [one.id for one in oracle.cluster(qid)]
    both = [(by_language["en"][qid], other) for qid, other in by_language["ha"].items() if qid in by_language["en"]]
    assert all([one.id for one in mine.outliers] == [one.id for one in other.outliers] for mine, other in both)
    assert any([one.id for one in mine.cluster] != [one.id for one in other.cluster] for mine, other in both)


def test_signatures_and_relations_are_asked_about_clusters_and_outliers(tmp_path: Path) -> None:
    """The stage finds what the oracle does in items from several files: a class without a kind, items that give way.

    Instances of every class have a property of their own, those of Q104 each that of another class; two of Q106 look
    like those of Q107. The instances of each class are related to one of the next, and some to any.
    """
    alike = {"Q1060": 107, "Q1061": 107} | {f"Q{1040 + k}": 105 + k for k in range(9)}
    entities = [
        replace(
            one,
            properties=(17, 1000 + alike.get(one.qid, int(one.instance_of[0][1:]))),
            relations=((131, 10 * int(one.instance_of[0][1:]) + 13), (1889, 1030), (36, 1000 + 7 * int(one.qid[-1]))),
        )
        if one.instance_of
        else one
        for one in small_world()
    ]
    outliers = OutlierOptions(margin=0.1, per_class=3, certificate=1, related=2)
    recipe = replace(SMALL, outliers=outliers, cluster=ClusterOptions(max_groups=0, coherence=0.6))
    names = by_label(entities, "en")
    groups, rejected = read_built(run_stages(tmp_path, entities, {"en": names}, recipe, files=3)[0], "en")
    assert bare((groups, rejected)) == bare(expected(OracleGraph(entities, recipe.graph), names, recipe, "en"))
    assert [one.qid for one in rejected if one.reason == "no-kind"] == ["Q104"]
    drawn = {group.qid: {outlier.id for outlier in group.outliers} for group in groups}
    assert any(ids & {"Q1060", "Q1061"} for ids in drawn.values())
    assert not drawn["Q107"] & {"Q1060", "Q1061"}
    assert all(group.coherence is not None and group.coherence > 0.9 for group in groups)
    ties = [len(one.ties or ()) for group in groups for one in group.outliers if one.outlier_class == RELATED]
    assert max(ties) > 3
    assert len(ties) > len(groups)


def test_no_items_give_no_groups(tmp_path: Path) -> None:
    """Files without rows, as a dump without items leaves them, are an empty graph and empty results."""
    done, counts = run_stages(tmp_path, [], {"en": {}, "de": {}}, SMALL)
    for language in ("en", "de"):
        assert read_built(done, language) == ([], [])
        assert (counts[language].read, counts[language].kept) == (0, 0)
        assert pq.read_table(done / "groups" / f"{language}.parquet").num_rows == 0


def test_certificates_have_the_labels_of_their_classes(tmp_path: Path) -> None:
    """In the language of the group, else ``mul``, else English, else none; of classes that give no group as well."""
    letters = "abcdefghijkl"
    entities = [
        Entity("Q100", subclass_of=("Q110",), labels={"mul": "town"}),
        # No class of plants has nine instances, what is above them has; the class of rivers has no line of its own.
        Entity("Q200", subclass_of=("Q110",), labels={"de": "Pflanze", "en": "plant"}),
        *(Entity(f"Q{n}", subclass_of=("Q200",), labels={"mul": f"plant {n}"}) for n in (201, 202, 203)),
        *(Entity(f"Q{n}", ("Q100",), labels={"mul": f"{letters[n]}opolis"}, sitelinks=20) for n in range(10)[1:]),
        *(Entity(f"Q{20 + n}", (f"Q{201 + n % 3}",), labels={"mul": f"{one}{one}"}) for n, one in enumerate(letters)),
        *(Entity(f"Q{40 + n}", ("Q300",), labels={"mul": f"{one}, river"}) for n, one in enumerate(letters)),
    ]
    off = FilterOptions(affix=None, stop_affix=False)
    outliers = OutlierOptions(min_sitelinks=0, certificate=8, distance=1)
    for most in (0, 5):  # outliers of groups below a limit are chosen again, and with them their certificates
        cluster = ClusterOptions(size=8, max_groups=most)
        recipe = Recipe("small", graph=GraphOptions(root=""), cluster=cluster, outliers=outliers, filters=off)
        names = {language: by_label(entities, "mul") for language in ("en", "de", "fr")}
        done, _ = run_stages(tmp_path / f"{most}", entities, names, recipe, files=2)
        for language, label in {"en": "plant", "de": "Pflanze", "fr": "plant"}.items():
            (town,) = (group for group in read_built(done, language)[0] if group.id == "Q100")
            found = {one.certificate for one in town.outliers}
            wanted = {Certificate("Q200", 11, 9, label)}
            assert wanted <= found <= {*wanted, Certificate("Q300", 11, 9, "")}


def test_labels_seed_and_order_are_those_of_the_method(tmp_path: Path) -> None:
    """With another seed than the shipped one: labels in the language, ``mul``, English or none; all lines by class."""
    labels: dict[str, dict[str, str]] = {
        "Q103": {"de": "Klasse drei", "mul": "class 3", "en": "class three"},
        "Q104": {"mul": "class 4", "en": "class four"},
        "Q107": {"en": "class seven"},
        "Q106": {},
    }
    entities = [replace(one, labels=labels.get(one.qid, one.labels)) for one in small_world()]
    names = {"de": by_label(entities, "en")}
    recipe = replace(SMALL, seed=8, cluster=replace(SMALL.cluster, class_order="sample", max_groups=9))
    built = read_built(run_stages(tmp_path, entities, names, recipe)[0], "de")
    assert bare(built) == bare(expected(OracleGraph(entities, recipe.graph), names["de"], recipe, "de"))
    shown = {group.qid: group.label for group in built[0]}
    assert [shown[f"Q{n}"] for n in (103, 104, 106, 107)] == ["Klasse drei", "class 4", "Q106", "class seven"]
    assert {rejection.reason for rejection in built[1]} == {"capped", "few-outliers"}
    assert read_json(Scratch(str(tmp_path / "made")).group_facts("de"), GroupFacts).english == ["Q107"]
