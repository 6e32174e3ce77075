"""The difficulty of a case before any model: its features by hand, its constants, and the tiers of evaluate."""

import json
import math
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest

from wikisem.datasets.word_groups import ItemKeys, OutlierWord, WordGroup
from wikisem.evaluation.difficulty import difficulty, features, keep_tier, tier_of
from wikisem.pipeline.cli import main


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
