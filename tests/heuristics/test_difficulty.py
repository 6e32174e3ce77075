"""The difficulty of a case before any model: its features by hand, its constants, and the tiers of evaluate."""

import json
import math
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest

from tests.heuristics.test_groups import judge, random_recipe
from tests.oracle import Named
from wikisem.datasets.word_groups import ItemKeys, OutlierWord, WordGroup, parse_line
from wikisem.heuristics.selection.difficulty import difficulty, features, keep_tier, tier_of
from wikisem.outputs.groupfile import encode_group
from wikisem.pipeline.cli import main
from wikisem.recipes.options import DIFFICULTIES, Difficulty, OutlierOptions
from wikisem.records import Entity, Group, Rejection


def keys(*sitelinks: int) -> tuple[ItemKeys, ...]:
    """Keys of items that say nothing but their sitelinks."""
    return tuple(ItemKeys(sitelinks=number) for number in sitelinks)


SCHOOL = OutlierWord("Art School Bar", 1, *keys(7))
GROUP = WordGroup("Q1", ("High School", "Art_School", "Eton"), (SCHOOL,), "here", "en", "school", keys(3, 8, 12))


def test_features_are_what_can_be_counted() -> None:
    """By hand: logarithms of numbers of words and of sitelinks + 1, and the shares of members that share a word."""
    assert features(GROUP, SCHOOL) == pytest.approx(
        {
            "O2": 0,
            "O3": 0,
            "words of members": fmean([math.log(2), math.log(2), 0]),
            "words of the outlier": math.log(3),
            "members that share a word": 2 / 3,
            "members that share a word with the outlier": 2 / 3,
            "prominence of members": fmean([math.log(4), math.log(9), math.log(13)]),
            "prominence of the outlier above theirs": math.log(8) - fmean([math.log(4), math.log(9), math.log(13)]),
        }
    )
    words = replace(GROUP, keys=())
    assert not {name for name in features(words, OutlierWord("bar")) if name[0] in "Op"}


def test_difficulty_rises_with_what_makes_models_fail() -> None:
    """Far classes and members that share a word are easier, words of many parts harder; what is unknown is the mean."""
    bar = OutlierWord("bar", 1)
    assert 0 < difficulty(GROUP, replace(bar, outlier_class=3)) < difficulty(GROUP, bar) < 1
    apart = replace(GROUP, cluster=("High School", "Art College", "Eton"))
    assert difficulty(GROUP, bar) < difficulty(apart, bar)
    assert difficulty(apart, bar) < difficulty(apart, OutlierWord("bar of the four old kings", 1))
    # Words of one part that share none: all other features at their means.
    known = [-0.2117 * 0.292, -0.9756 * 0.429, -0.2051 * 3.842, 0.0849 * 0.340]
    plain = WordGroup("Q2", ("a", "b", "c"), (), "here")
    assert difficulty(plain, OutlierWord("d")) == pytest.approx(1 / (1 + math.exp(-0.8334 - sum(known))))


def test_a_tier_can_be_scored_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every case has one tier; evaluate scores its cases alone, and says so where there are none."""
    easy, hard = OutlierWord("far", 3), OutlierWord("the long road to the north", 1)
    group = replace(GROUP, cluster=("red school", "art school", "old school"), outliers=(easy,))
    rare = replace(GROUP, cluster=("grey old house", "art school of it", "red big Eton"), outliers=(hard,))
    assert [tier_of(group, easy), tier_of(rare, hard)] == ["easy", "hard"]
    assert [one.outliers for one in keep_tier([group, rare], "easy")] == [(easy,)]
    monkeypatch.chdir(tmp_path)
    lines = [
        {
            "class": each.id,
            "label": "",
            "language": "en",
            "cluster": [{"id": "Q7", "surface": word} for word in each.cluster],
            "outliers": [
                {"id": "Q8", "surface": one.surface, "outlier_class": one.outlier_class, "via": "Q1"}
                for one in each.outliers
            ],
        }
        for each in (group, replace(rare, id="Q2"))
    ]
    Path("groups.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    Path("spelled.py").write_text(
        "def encode(texts):\n    return [[len(text), text.count('o') + 1] for text in texts]\n"
    )
    words = ["evaluate", "outliers", "groups.jsonl", "--vectors", "python:spelled:encode", "--json"]
    counts = []
    for tier in ([], ["--tier", "easy"], ["--tier", "hard"]):
        assert main([*words, *tier, "--cases", "cases.jsonl"]) == 0
        counts.append(json.loads(capsys.readouterr().out)["cases"])
        rows = [json.loads(line) for line in Path("cases.jsonl").read_text().splitlines()]
        assert all(0 < row["difficulty"] < 1 for row in rows)
    assert counts == [2, 1, 1]
    Path("groups.jsonl").write_text(json.dumps(lines[1]) + "\n")
    assert main([*words, "--tier", "easy"]) == 1
    assert "groups.jsonl: expected easy test cases, saw none" in capsys.readouterr().err


# What a class beside four towns brings, with its sitelinks: little known, with more words, with words of two towns.
SIBLINGS: dict[Difficulty, dict[str, int]] = {
    "easy": {"Lone": 1, "Nib": 2, "Ore": 1},
    "middle": {"Big Old Thing": 9, "Far Away Song": 30, "Grey Stone": 20},
    "hard": {"Ash Elm": 9, "Elm and Oak": 20, "Oak Ash": 9},
}


def towns(options: OutlierOptions, siblings: dict[str, int], shared: bool = False) -> dict[str, Group | Rejection]:
    """What becomes of four towns by language; in German each sibling has its English name and two words more."""
    entities = [Entity("Q2", (), ("Q1",)), Entity("Q3", (), ("Q1",))]
    names: dict[str, dict[str, Named]] = {"en": {}, "de": {}}
    for number, town in enumerate(("Ash", "Elm", "Oak", "Fir"), start=10):
        entities.append(Entity(f"Q{number}", ("Q2",), (), 200))
        names["en"][f"Q{number}"] = names["de"][f"Q{number}"] = Named(town)
    for number, (name, sitelinks) in enumerate(siblings.items(), start=20):
        entities.append(Entity(f"Q{number}", ("Q3",), (), sitelinks))
        names["en"][f"Q{number}"], names["de"][f"Q{number}"] = Named(name), Named(f"{name} Ash Elm")
    recipe = random_recipe(replace(options, minimum=1, min_sitelinks=1, distance=1, shared=shared), seed=1)
    recipe = replace(recipe, cluster=replace(recipe.cluster, size=4))
    return {language: one for (language, qid), one in judge(entities, names, recipe).items() if qid == "Q2"}


@pytest.mark.parametrize("places", [False, True])
@pytest.mark.parametrize("tier", DIFFICULTIES)
def test_a_recipe_may_ask_for_a_tier(tier: Difficulty, places: bool) -> None:
    """Every outlier is of it, by the file of groups too; an item that is not gives way to the next on the ring."""
    everything = {name: number for own in SIBLINGS.values() for name, number in own.items()}
    found = towns(OutlierOptions(per_class=3, places=places, difficulty=tier), everything)
    group = found["en"]
    assert isinstance(group, Group)
    assert {one.surface for one in group.outliers} == SIBLINGS[tier].keys()
    written = parse_line(encode_group(group).decode(), "here")
    assert keep_tier([written], tier) == [written]
    whole = towns(OutlierOptions(per_class=9, places=places), everything)["en"]
    assert isinstance(whole, Group)
    assert {one.surface for one in whole.outliers} == everything.keys()


def test_a_class_without_outliers_of_the_tier_gives_no_group() -> None:
    """The rejection says what was asked for."""
    found = towns(OutlierOptions(difficulty="middle"), SIBLINGS["easy"] | SIBLINGS["hard"])["en"]
    assert isinstance(found, Rejection)
    assert (found.reason, found.detail) == ("few-outliers", "expected at least 1 middle outliers, saw 0")


def test_parallel_outliers_are_of_the_tier_in_every_language() -> None:
    """All German names share words with two towns, so that only what is hard in English is hard in both."""
    everything = {name: number for own in SIBLINGS.values() for name, number in own.items()}
    own = towns(OutlierOptions(per_class=9, difficulty="hard"), everything)
    both = towns(OutlierOptions(per_class=9, difficulty="hard"), everything, shared=True)
    counts = [
        len(one.outliers) for each in (own["en"], own["de"], both["en"], both["de"]) if isinstance(one := each, Group)
    ]
    assert counts == [3, 9, 3, 3]
