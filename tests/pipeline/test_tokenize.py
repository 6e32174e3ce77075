"""The command ``wikisem tokenize``."""

import importlib.util
import json
from pathlib import Path

import pytest

from tests.word_groups import surfaces
from wikisem.datasets.word_groups import read_dataset
from wikisem.pipeline.cli import main

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # of the packages
    pytest.mark.skipif(importlib.util.find_spec("fugashi") is None, reason="fugashi is not installed"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A set in two languages."""
    for language, text in {"ja": "東京タワー\n大阪城\n\n日本語\n", "en": "Big_Ben\nTower\n\nwater\n"}.items():
        (tmp_path / "set" / language).mkdir(parents=True)
        (tmp_path / "set" / language / "Q1.txt").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_words_are_divided(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Tokens are joined as the words of a name are, and the groups read as before."""
    assert main(["tokenize", "set", "--tokenizer", "fugashi", "--output", "out"]) == 0
    assert capsys.readouterr().out == "2 groups divided by fugashi\noutput: out\n"
    english, japanese = read_dataset(folder / "out")
    assert surfaces(japanese.cluster) == ("東京_タワー", "大阪_城")
    assert [outlier.surface for outlier in japanese.outliers] == ["日本_語"]
    assert surfaces(english.cluster) == ("Big_Ben", "Tower")


def test_outlier_classes_are_kept(folder: Path) -> None:
    """Those of a run's groups, which text files alone do not say."""
    rows = [
        {"class": name, "language": "ja", "cluster": [{"surface": "大阪城"}, {"surface": "寺"}],
         "outliers": [{"surface": "川", "outlier_class": one} for one in classes]}
        for name, classes in (("Q1", [1, 1, 1, 2, 2, 2]), ("Q2", [3]), ("Q3", [None, 2]))
    ]  # fmt: skip
    (folder / "ja.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert main(["tokenize", "ja.jsonl", "--tokenizer", "fugashi", "--output", "out"]) == 0
    found = {group.id: [one.outlier_class for one in group.outliers] for group in read_dataset(folder / "out")}
    assert found == {"Q1": [1, 1, 1, 2, 2, 2], "Q2": [3], "Q3": [None, 2]}


@pytest.mark.parametrize(("qid", "language"), [("../../evil", "en"), ("Q2", "../.."), ("/tmp/evil", "en")])
def test_no_name_leads_out_of_the_folder(
    folder: Path, qid: str, language: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Groups of others may be called anything; where one would be written elsewhere, none is written."""
    words = [{"id": f"Q{number}", "surface": word} for number, word in enumerate(("a", "b"), start=1)]
    outliers = [{"id": "Q3", "surface": "c", "outlier_class": 1}]
    good = {"class": "Q1", "language": "en", "cluster": words, "outliers": outliers}
    lines = [json.dumps(row) + "\n" for row in (good, good | {"class": qid, "language": language})]
    (folder / "groups.jsonl").write_text("".join(lines))
    assert main(["tokenize", "groups.jsonl", "--tokenizer", "fugashi", "--output", "a/out"]) == 1
    assert f"that name a file, saw '{language}' and '{qid}'" in capsys.readouterr().err
    assert not (folder / "a").exists()


@pytest.mark.usefixtures("folder")
def test_a_language_can_be_chosen_and_the_set_is_not_overwritten(capsys: pytest.CaptureFixture[str]) -> None:
    """The output is another folder."""
    words = ["tokenize", "set", "--tokenizer", "fugashi", "--language", "ja", "--output"]
    assert main([*words, "out"]) == 0
    assert sorted(str(path) for path in Path("out").rglob("*.txt")) == ["out/ja/Q1.txt"]
    assert main([*words, "set"]) == 2
    assert "expected another folder" in capsys.readouterr().err
    assert Path("set/ja/Q1.txt").read_text(encoding="utf-8").startswith("東京タワー")
