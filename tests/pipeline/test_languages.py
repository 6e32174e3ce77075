"""`wikisem languages`: what is known of every language, and what a folder has learned."""

import json
from pathlib import Path

import pytest

from wikisem.pipeline.cli import main
from wikisem.pipeline.demo import write_sample_world
from wikisem.wikis import LABEL_ONLY_CODES

KEYS = {"code", "wiki", "script", "spaced", "affix", "link_trail", "lists", "source", "support"}


def _listed(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, dict[str, object]]:
    assert main(["languages", *words, "--json"]) == 0
    return {one["code"]: one for one in json.loads(capsys.readouterr().out)}


def test_all_languages_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """Each of the 364 Wikipedias with its wiki, and the languages of labels without one."""
    found = _listed(capsys)
    assert all(set(one) >= KEYS for one in found.values())
    assert sum(one["wiki"] is not None and one["code"] not in LABEL_ONLY_CODES for one in found.values()) == 364
    assert (found["de"]["wiki"], found["zh-yue"]["wiki"], found["sma"]["wiki"]) == ("dewiki", "zh_yuewiki", None)
    assert (found["ja"]["script"], found["ja"]["spaced"], found["ru"]["script"]) == ("Hani", False, "Cyrl")
    assert found["de"]["groups"] is None
    assert main(["languages"]) == 0
    assert "Latgalian" in capsys.readouterr().out


@pytest.mark.slow
def test_a_folder_s_languages_have_their_groups_and_evidence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was learned, from how much, what was too little, and which file a person has changed."""
    (tmp_path / "world").mkdir()
    world = write_sample_world(str(tmp_path / "world"))
    output = tmp_path / "out"
    wikipedia = [f"{code}={world.wikipedia[code]}" for code in ("de", "ja")]
    command = ["build", "demo", "--wikidata", world.wikidata, "--wikipedia", *wikipedia, "--output", str(output)]
    assert main(command) == 0
    capsys.readouterr()
    found = _listed(capsys, str(output))
    assert set(found) == {"de", "ja"}
    lines = (output / "groups" / "de.jsonl").read_text(encoding="utf-8").splitlines()
    assert found["de"]["groups"] == len(lines) > 0
    assert found["de"]["support"]["writing"] > 100  # type: ignore[index]
    assert not found["de"]["edited"]
    path = output / "languages" / "de.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("hyphens = false", "hyphens = true"), encoding="utf-8")
    assert _listed(capsys, str(output))["de"]["edited"]
    assert main(["languages", str(output)]) == 0
    table = capsys.readouterr().out
    assert "de (edited)" in table
    assert "de: list words: expected 30 titles of lists, saw" in table


def test_a_folder_without_languages_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says what may be named."""
    assert main(["languages", str(tmp_path)]) == 1
    assert "expected the output folder of a build" in capsys.readouterr().err


def test_a_language_is_shown_by_its_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As it is known without a dump; anything else that is no folder of languages is an error."""
    monkeypatch.chdir(tmp_path)
    assert main(["languages", "is", "--json"]) == 0
    assert [one["name"] for one in json.loads(capsys.readouterr().out)] == ["Icelandic"]
    assert main(["languages", "icelandish"]) == 1
    assert "or the code of a language, saw 'icelandish'" in capsys.readouterr().err
