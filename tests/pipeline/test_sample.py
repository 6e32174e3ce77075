"""`wikisem sample`: the set that comes with wikisem, from the package to the first score."""

import importlib.util
import json
import re
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import wikisem
from benchmarks.reading import HIDDEN, joined
from benchmarks.reading import sample as draw_cases
from benchmarks.sample_set import HERE as BENCHMARK
from tests.outputs.release.world import write_run
from tests.plain_python import run_plain
from wikisem.datasets.files import SAMPLE
from wikisem.outputs.groupfile import read_groups
from wikisem.pipeline.cli import main

LANGUAGES = ["ar", "de", "el", "en", "es", "fr", "he", "hi", "it", "ja", "ko", "nl", "pt", "ru", "tr", "vi", "zh"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The set, written once."""
    folder = tmp_path_factory.mktemp("sample") / "set"
    wikisem.sample(folder)
    return folder


def test_the_set_is_what_its_card_says(folder: Path) -> None:
    """Seventeen languages of labels, all of them read; with what no run can know of it, and the notice of the CLDR."""
    groups = read_groups(folder)
    members = [one for group in groups for one in (*group.cluster, *group.outliers)]
    assert sorted({group.language for group in groups}) == LANGUAGES
    assert {one.source for one in members} == {"label"}
    assert {one.title for one in members} <= {None, *(one.title for one in members if one.title)}
    card = (folder / "README.md").read_text(encoding="utf-8")
    cases = sum(len(group.outliers) for group in groups)
    assert f"{cases:,} test cases in 17 languages" in card
    assert "neither called a case wrong or doubtful" in card
    assert "No reading of these cases is on record" not in card
    assert "For all others their number is an order of prominence".lower() in card.lower()
    # Labels are CC0, names of the CLDR are not; each licence has its text in the release.
    expression = "CC0-1.0 AND Unicode-3.0 AND Unicode-DFS-2016"
    assert f'\nlicense: other\nlicense_name: "{expression}"\nlicense_link: LICENSE\n' in card
    assert "\nlicense:" not in (folder / "CITATION.cff").read_text(encoding="utf-8")  # of several it takes any one
    croissant = json.loads((folder / "croissant.json").read_bytes())
    assert len(croissant["license"]) == 3
    assert f'license = "{expression}"' in (folder / "pyproject.toml").read_text(encoding="utf-8")
    licence = (folder / "LICENSE").read_text(encoding="utf-8")
    for text in (BENCHMARK / "Unicode-3.0.txt", BENCHMARK / "Unicode-DFS-2016.txt"):
        assert text.read_text(encoding="utf-8").strip() in licence
    assert "public domain (CC0)" in licence
    assert "Maintained by The wikisem authors." in card
    assert "For example, `en-" in card  # of the language with the most cases
    assert 'load_dataset("FOLDER", "en_cases", split="test")' in card
    manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_bytes())
    assert [one["path"] for one in manifest["stages"]["entities"]["inputs"]] == ["wikidata-slice.json.zst"]
    assert f'date-released: "{manifest["published"]}"' in (folder / "CITATION.cff").read_text()


def test_the_package_holds_little_for_it() -> None:
    """As a wheel packs it, a small part of what a word-vectors file has."""
    packed = sum(len(zlib.compress(path.read_bytes())) for path in SAMPLE.rglob("*") if path.is_file())
    assert packed < 175_000
    assert {path.parent.name for path in SAMPLE.rglob("*.jsonl")} == {"groups", "rejected", "walls"}


def test_what_a_release_has_beside_its_run_is_kept_by_the_next(folder: Path, tmp_path: Path) -> None:
    """Notes and reading are of the data, and stay with it."""
    assert main(["release", str(folder), "--output", str(tmp_path / "again")]) == 0
    card, again = ((one / "README.md").read_text(encoding="utf-8") for one in (folder, tmp_path / "again"))
    (limits,) = re.findall("A case is right where .*", card)
    assert limits in again


def test_the_set_is_read_by_its_name(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Unless there is a folder of that name; nothing is written into the package."""
    monkeypatch.chdir(tmp_path)
    assert read_groups("sample", "de") == read_groups(folder, "de")
    assert main(["browse", "sample"]) == 2
    assert "give --output FOLDER" in capsys.readouterr().err
    assert main(["browse", "sample", "--output", "page"]) == 0
    assert (tmp_path / "page" / "index.html").is_file()
    (tmp_path / "sample").mkdir()
    with pytest.raises(wikisem.errors.MissingInputError):
        read_groups("sample", "de")


def test_no_outlier_is_remembered(folder: Path) -> None:
    """In at most 2 % of the cases of a language one item is the outlier, where there are fifty cases or more."""
    for language in LANGUAGES:
        items = Counter(one.id for group in read_groups(folder, language) for one in group.outliers)
        assert max(items.values()) <= max(1, 0.02 * items.total()), language


def test_the_set_has_thirty_walls(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Vectors are scored on them, in the folder and by the name of the set; the card names them."""
    found = {code: wikisem.read_walls("sample", code) for code in ("de", "en", "es")}
    assert all(len(walls) >= 30 for walls in found.values())
    assert [wall.id for wall in found["es"]] == [wall.id for wall in wikisem.read_walls(folder, "es")]
    assert main(["evaluate", "walls", "sample", "--vectors", "characters:3"]) == 0
    assert "herring" in capsys.readouterr().out
    assert "en_walls" in (folder / "README.md").read_text(encoding="utf-8")


def test_a_release_without_walls_says_that_a_build_makes_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither command sends its user to the other one."""
    release = str(tmp_path / "set")
    assert main(["release", str(write_run(tmp_path / "out")), "--output", release]) == 0
    assert main(["evaluate", "walls", release, "--vectors", "characters:3"]) == 1
    remedy = "a release only has those of its run: run `wikisem build`, then `wikisem walls OUT`"
    assert remedy in capsys.readouterr().err
    assert main(["walls", release]) == 1
    expected = f"{release}: expected a run, saw a release, which has no class graph to make walls from; run `wikis"
    assert expected in capsys.readouterr().err


def test_its_cases_can_be_read_blind(tmp_path: Path) -> None:
    """Sheets hide the outlier class, of which as many cases are drawn each; judgements are joined with it again."""
    draw_cases(SAMPLE, SAMPLE, tmp_path / "sheets", tmp_path / "key.jsonl", 2, (12, 0))
    for number in (1, 2):
        lines = (tmp_path / "sheets" / f"sheet-{number}.jsonl").read_text(encoding="utf-8").splitlines()
        shown = [json.loads(line) for line in lines]
        assert len(shown) == 6
        assert not any(set(HIDDEN) & case.keys() for case in shown)
        answers = [json.dumps({"case": case["case"], "judgement": "good", "why": "it is none"}) for case in shown]
        (tmp_path / "sheets" / f"answers-{number}.jsonl").write_text("\n".join(answers))
    read = joined(tmp_path / "sheets", tmp_path / "key.jsonl")
    assert Counter(case["outlier_class"] for case in read) == {1: 4, 2: 4, 3: 4}
    assert {case["judgement"] for case in read} == {"good"}


FIRST_MINUTE = """
from wikisem.pipeline.cli import main

assert main(["sample", "set"]) == 0
assert main(["show", "set", "capital", "--language", "en"]) == 0
assert main(["evaluate", "outliers", "set", "--languages", "en", "--vectors", "characters:3"]) == 0
"""


def test_the_first_minute_needs_nothing_that_builds_need(folder: Path, tmp_path: Path) -> None:
    """What next to do is printed, and does what it says; the set is the same, to the byte."""
    done = run_plain(FIRST_MINUTE, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "next: wikisem show set capital --language en\n" in done.stdout
    assert "capital (Q5119, en) in full" in done.stdout
    assert "P(form | page)" not in done.stdout  # no links were counted
    assert "country (Q6256)" in done.stdout  # which has no group, and its label with the reason
    (score,) = re.findall(r"sample +│ all .*|set +│ all .*", done.stdout)
    assert float(score.split("│")[4]) > 15  # chance is 11
    files = [path.relative_to(folder) for path in sorted(folder.rglob("*")) if path.is_file()]
    assert [path for path in files if (tmp_path / "set" / path).read_bytes() != (folder / path).read_bytes()] == []


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("opencc") is None, reason="opencc is not installed: wikisem[chinese]")
def test_the_package_has_what_a_build_of_the_items_gives(tmp_path: Path) -> None:
    """Its groups and rejections are those of the pipeline, by the recipe and the items beside the program."""
    from benchmarks.sample_set import build

    build(tmp_path)
    kept = {path.relative_to(SAMPLE): path for path in SAMPLE.rglob("*") if path.is_file()}
    assert sorted(kept) == sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    for name, path in kept.items():
        if name.suffix == ".jsonl":
            assert (tmp_path / name).read_bytes() == path.read_bytes(), f"{name}: python -m benchmarks.sample_set build"
    one, other = (json.loads((path / "manifest.json").read_bytes()) for path in (SAMPLE, tmp_path))
    assert {**one, "versions": None} == {**other, "versions": None}
