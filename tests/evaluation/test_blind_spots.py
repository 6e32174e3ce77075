"""What most models fail."""

import json
from pathlib import Path

import pytest

from tests.outputs.release.world import make_group
from wikisem.datasets.word_groups import OutlierWord, WordGroup
from wikisem.errors import MissingInputError
from wikisem.evaluation.blind_spots import blind_cases, blind_groups, explain_case, find_group
from wikisem.evaluation.outlier_detection import score_models
from wikisem.evaluation.vectors.models import open_model
from wikisem.outputs.groupfile import encode_group
from wikisem.pipeline.cli import main

GOOD = "lion 1 0.1\ntiger 1 0\nlynx 1 0.2\ncar -0.1 1\nvan 0 1\n"
BAD = GOOD.replace("car -0.1 1", "car 1 0.05").replace("van 0 1\n", "")
MODELS = ["--vectors", "good.txt", "--vectors", "bad.txt"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two models, of which one takes a car for a cat and does not know a van, and a set of two groups."""
    (tmp_path / "good.txt").write_text(GOOD)
    (tmp_path / "bad.txt").write_text(BAD)
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "cats.txt").write_text("lion\ntiger\nlynx\n\ncar\nvan\ncar\nship\n")
    (tmp_path / "set" / "none.txt").write_text("ship\nboat\n\ncar\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_cases_that_most_models_fail_come_first(capsys: pytest.CaptureFixture[str]) -> None:
    """A case counts for the models that know it; what none knows is left out, and repeated lines are one case."""
    assert main(["evaluate", "blindspots", "set", *MODELS, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["cases"] == [
        {
            "group": "cats",
            "label": "",
            "language": "",
            "outlier": "car",
            "outlier_class": "unknown",
            "models": 2,
            "failed": 1,
            "share": 0.5,
            "by": ["bad.txt"],
        },
        {
            "group": "cats",
            "label": "",
            "language": "",
            "outlier": "van",
            "outlier_class": "unknown",
            "models": 1,
            "failed": 0,
            "share": 0.0,
            "by": [],
        },
    ]
    # Five cases of both models, of which the two lines with a car are failed by one.
    assert found["groups"] == [
        {"group": "cats", "label": "", "language": "", "models": 2, "failed": 1, "share": 2 / 5, "by": ["bad.txt"]}
    ]
    assert main(["evaluate", "blindspots", "set", *MODELS]) == 0
    assert "1 of 2: bad.txt" in capsys.readouterr().out
    assert main(["evaluate", "blindspots", "set", *MODELS, "--csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "cats,,,car,unknown,2,1,0.5,bad.txt"


@pytest.mark.usefixtures("folder")
def test_one_group_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """Each model's words, the one it takes for the outlier first; a case it does not know has none."""
    assert main(["evaluate", "blindspots", "set", *MODELS, "--explain", "cats", "--json"]) == 0
    good, bad = map(json.loads, capsys.readouterr().out.splitlines())
    assert [(case["outlier"], case["words"][0][0]) for case in good["cases"][:2]] == [("car", "car"), ("van", "van")]
    assert bad["cases"][0]["words"][0][0] != "car"
    assert bad["cases"][1]["words"] == []
    assert main(["evaluate", "blindspots", "set", *MODELS, "--explain", "cats"]) == 0
    assert "cats: bad.txt" in capsys.readouterr().out
    assert main(["evaluate", "blindspots", "set", *MODELS, "--explain", "dogs"]) == 1
    assert "expected the id or the label of one group, saw 'dogs'; the first are cats, none" in capsys.readouterr().err


def test_the_explanation_agrees_with_the_score(folder: Path) -> None:
    """The first word is the outlier exactly where the case is detected."""
    group = WordGroup("g", ("lion", "tiger", "lynx"), (OutlierWord("car"), OutlierWord("van")), "here")
    for name in ("good.txt", "bad.txt"):
        lookup = open_model(str(folder / name))
        (evaluation,), _ = score_models([group], [lookup])
        for case in evaluation.groups[0].cases:
            words = explain_case(group, case.outlier, lookup)
            assert (words[0][0] == case.outlier.surface) == case.detected
            assert words == sorted(words, key=lambda pair: pair[1])
        assert len(blind_cases([evaluation])) == len(evaluation.groups[0].cases)
        assert len(blind_groups([evaluation])) == 1


def test_groups_are_found_by_their_name() -> None:
    """By id or label if it is the only one, else by the name that reports have."""
    groups = [
        WordGroup("a", (), (), "f", "de"),
        WordGroup("a", (), (), "f", "en"),
        WordGroup("b", (), (), "f", "en", "City"),
    ]
    assert find_group(groups, "b") is groups[2]
    assert find_group(groups, "city") is groups[2]
    assert find_group(groups, "en/a") is groups[1]
    with pytest.raises(MissingInputError, match=r"saw 'a'; did you mean de/a, en/a\?"):
        find_group(groups, "a")
    with pytest.raises(MissingInputError, match=r"saw 'ctiy'; did you mean City \(en/b\)\?"):
        find_group(groups, "ctiy")


def test_tables_call_a_group_by_its_label(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With its id, so that nobody has to look up a QID; outlier classes by name, too."""
    group = make_group("en", 1)
    words = [one.surface for one in (*group.cluster, *group.outliers)]
    vectors = "".join(f"{word.replace(' ', '_')} {at} 1\n" for at, word in enumerate(words))
    (folder / "own.txt").write_text(f"{len(words)} 2\n{vectors}")
    (folder / "groups.jsonl").write_bytes(encode_group(group))
    assert main(["evaluate", "blindspots", "groups.jsonl", "--vectors", "own.txt"]) == 0
    said = capsys.readouterr().out
    assert said.count("class 1 (Q1)") == 1 + len(group.outliers)
    assert "O1, siblings" in said
    assert main(["evaluate", "blindspots", "groups.jsonl", "--vectors", "own.txt", "--explain", "class 1"]) == 0
    assert "class 1 (Q1): own.txt" in capsys.readouterr().out
