"""A release, tried with the tools that people load it with: datasets, mlcroissant, YAML, Jinja, pandas, polars, duckdb.

Tools run in processes of their own, offline: they keep caches, and warn of each other's versions.
"""

import ast
import importlib
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

import jinja2
import pyarrow.parquet as pq
import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

import wikisem
from tests.entity_files import write_entities
from tests.outputs.release.world import (
    CODES,
    HOSTILE,
    READ_CROISSANT,
    make_group,
    run_euroeval_file,
    run_python,
    write_run,
)
from wikisem.errors import DamagedInputError
from wikisem.files import write_files
from wikisem.outputs.groupfile import GROUPS, read_groups
from wikisem.outputs.release.card import REASONS, _percent
from wikisem.outputs.release.metadata import Manifest, Share, count_regions
from wikisem.pipeline.cli import main
from wikisem.pipeline.commands import release as release_command
from wikisem.pipeline.commands.release import countries_of
from wikisem.pipeline.runs.ledger import Ledger, Record
from wikisem.pipeline.runs.read import RunFiles, read_run
from wikisem.records import Counts, Entity, Group, Member, Statement

ROOT = Path(__file__).parent.parent.parent
TOOLS = ["datasets", "datasets, streaming", "mlcroissant", "pandas", "polars", "duckdb"]
datasets = pytest.mark.skipif("not __import__('importlib.util').util.find_spec('datasets')", reason="no datasets")


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The release of a run in five languages, and a sixth without groups."""
    folder = tmp_path_factory.mktemp("release")
    run = write_run(folder / "out")
    categories = [{"category": "colours", "language": "no", "items": [{"id": "Q1", "label": "NA", "code": "no"}]}]
    (run / "categories").mkdir()
    (run / "categories" / "no.jsonl").write_text("".join(json.dumps(row) + "\n" for row in categories))
    (run / "categories" / "de.jsonl").write_text("")
    assert main(["release", str(run), "--output", str(folder / "set")]) == 0
    return folder / "set"


def test_files_are_those_of_languages_that_have_groups(release: Path) -> None:
    """No empty file for an empty language, and none for an empty set of categories."""
    found = {path.relative_to(release).as_posix() for path in release.rglob("*") if path.is_file()}
    tasks = {f"lm_eval/{code}{suffix}.yaml" for code in CODES for suffix in ("", "_letters")}
    tables = {f"{kind}/{code}.parquet" for kind in ("groups", "cases", "items") for code in CODES}
    tables |= {f"rejected/{code}.jsonl" for code in (*CODES, "la")}
    pages = {"index.html", "data/index.js", *(f"data/{code}.js" for code in CODES)}
    assert found == tasks | tables | pages | {
        "README.md", "manifest.json", "recipe.toml", "croissant.json", "eval.yaml", "inspect_wikisem.py", "LICENSE",
        "CITATION.cff", "euroeval_wikisem.py", "pyproject.toml", "_registry.py", ".gitignore", "lm_eval/README.md",
        "categories/no.parquet", "lm_eval/_words.yaml", "lm_eval/_letters.yaml", "lm_eval/wikisem.yaml",
        "lm_eval/wikisem_letters.yaml",
    }  # fmt: skip
    assert all(path.stat().st_size for path in release.rglob("*") if path.is_file())


def test_groups_are_those_of_the_run(release: Path) -> None:
    """The Parquet files of a release read to the same groups, under the schema of a run."""
    assert read_groups(release / "groups" / "no.parquet") == read_groups(release.parent / "out", "no")
    assert pq.read_schema(release / "groups" / "no.parquet").remove_metadata() == GROUPS


def test_other_bytes_are_refused_in_the_files_that_are_read(release: Path, tmp_path: Path) -> None:
    """The manifest lists all files of a release; a card that someone has edited is not read with the groups."""
    copied = Path(shutil.copytree(release, tmp_path / "set"))
    (copied / "README.md").write_text("edited")
    assert sorted(read_run(copied).groups) == sorted(read_run(release).groups)
    path = copied / "groups" / f"{CODES[0]}.parquet"
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(DamagedInputError, match=f"{CODES[0]}.parquet: expected the file with checksum .*copy it again"):
        read_run(copied)


def test_parquet_files_say_what_they_are_made_from(release: Path) -> None:
    """Recipe, seed, versions and licence are in the metadata of each file."""
    for kind in ("groups", "cases", "categories"):
        about = pq.read_schema(release / kind / "no.parquet").metadata
        assert about[b"wikisem.seed"] == b"500"
        assert json.loads(about[b"wikisem.recipe"])["name"] == "tiny"
        assert json.loads(about[b"wikisem.versions"])["wikisem"] == "0.1.0"
        assert about[b"wikisem.license"] == b"cc-by-sa-4.0"


def test_a_release_is_the_same_bytes_every_time(release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Made again on the same day, of the same run: nothing differs."""
    day = json.loads((release / "croissant.json").read_bytes())["datePublished"]
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(datetime.fromisoformat(f"{day}T12:00Z").timestamp())))
    assert main(["release", str(release.parent / "out"), "--output", str(tmp_path)]) == 0
    for path in release.rglob("*"):
        if path.is_file():
            assert (tmp_path / path.relative_to(release)).read_bytes() == path.read_bytes(), path


@pytest.mark.slow
@datasets
def test_datasets_loads_every_config_whole_and_streaming(release: Path, tmp_path: Path) -> None:
    """Codes that YAML or a table takes for something else, words that CSV takes for nothing: all are as they were."""
    script = """
import json, datasets
configs = datasets.get_dataset_config_names("../set")
cases = datasets.load_dataset("../set", "no_cases", split="test")
groups = datasets.load_dataset("../set", "nan", split="test")
stream = datasets.load_dataset("../set", "no_cases", split="test", streaming=True)
default = datasets.load_dataset("../set", split="test")
rows = {name: datasets.load_dataset("../set", name, split="test").num_rows for name in configs}
words = sorted({word for row in cases for word in row["choices"]} | {groups[1]["label"]})
print(json.dumps([rows, words, list(stream) == list(cases), sorted(default["language"]), default.column_names]))
"""
    rows, words, same, languages, columns = run_python(script, release, tmp_path)
    of_languages = {f"{code}{kind}" for code in CODES for kind in ("", "_cases", "_items")}
    assert set(rows) == {"cases", "items", "groups", *of_languages, "no_categories"}
    assert languages == sorted(code for code in CODES for _ in range(20))  # without a name: the cases of all languages
    assert "answer" in columns
    assert {"items", "outlier", "label"}.isdisjoint(columns)
    assert rows["no"] == 5
    assert rows["no_cases"] == 2 + 3 + 4 + 5 + 6
    assert {*HOSTILE, "NA"} <= set(words)
    assert same


@datasets
@pytest.mark.slow
def test_every_tool_reads_a_release_of_real_items(tmp_path: Path) -> None:
    """datasets, whole and streaming, mlcroissant, pandas, polars and DuckDB: every value is what was written.

    mlcroissant's are compared without ties and certificates, which it does not read.
    """
    wikisem.sample(tmp_path)
    command = [sys.executable, "-m", "benchmarks.release_tools", "--json", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    groups = read_groups(tmp_path)
    cases = sum(pq.read_table(path).num_rows for path in (tmp_path / "cases").glob("*.parquet"))
    assert {(row["groups"], row["cases"]) for row in rows} == {(len(groups), cases)}
    assert [row["tool"] for row in rows] == TOOLS
    assert cases > 100


@pytest.mark.slow
@datasets
def test_croissant_validates_and_reads_every_record(release: Path, tmp_path: Path) -> None:
    """mlcroissant finds neither error nor warning, and its records are the rows of the Parquet files."""
    script = (
        READ_CROISSANT
        + """
records = {name: [plain(record) for record in dataset.records(name)] for name in ("groups", "cases", "items")}
print(json.dumps([sorted(issues.errors), sorted(issues.warnings), records], default=lambda value: value.item()))
"""
    )
    errors, warnings, records = run_python(script, release, tmp_path)
    assert errors == []
    assert warnings == []
    for kind, found in records.items():
        rows = [row for code in CODES for row in pq.read_table(release / kind / f"{code}.parquet").to_pylist()]
        key = (lambda row: row["language"] + row["class"]) if kind == "groups" else lambda row: row["id"]
        for one, other in zip(sorted(found, key=key), sorted(rows, key=key), strict=True):
            for outlier in other.get("outliers", ()):
                del outlier["ties"], outlier["certificate"]
            assert json.loads(json.dumps(one)) == other


def test_croissant_names_the_dumps_and_no_folder_of_a_machine(release: Path) -> None:
    """prov:wasDerivedFrom has every file; nothing in a release says where it was on a disk."""
    document = json.loads((release / "croissant.json").read_bytes())
    derived = {source["name"] for source in document["prov:wasDerivedFrom"]}
    assert derived >= {"wikidata-20261102-all.json.gz", "zh_classicalwiki-2026-11-01-p1p9.xml.bz2"}
    assert document["version"] == "2026.11.2"
    texts = [
        path for path in release.rglob("*") if path.suffix in {".md", ".json", ".cff", ".yaml", ""} and path.is_file()
    ]
    assert [path for path in texts if "/data/" in path.read_text()] == []


@datasets
def test_yaml_of_card_and_tasks_is_what_is_meant(release: Path, tmp_path: Path) -> None:
    """``no`` is a string; languages are ISO 639; every task has its template; tasks of inspect-ai are complete."""
    script = """
import json, yaml, pathlib
card = yaml.safe_load(pathlib.Path("README.md").read_text().split("---")[1])
tasks = {path.stem: yaml.safe_load(path.read_text()) for path in pathlib.Path("lm_eval").glob("*.yaml")}
print(json.dumps([card, tasks, yaml.safe_load(open("eval.yaml")), yaml.safe_load(open("CITATION.cff"))]))
"""
    card, tasks, evaluation, citation = run_python(script, release, tmp_path)
    assert card["language"] == ["ar", "de", "lzh", "nan", "no"]
    assert [config["config_name"] for config in card["configs"]].count("no") == 1
    assert card["license"] == "cc-by-sa-4.0"
    files = {"data_files": {"test": "cases/no.parquet"}}
    assert tasks["no"].pop("doc_to_text").endswith("\nSvar:")
    few = {"num_fewshot": 0}  # with five groups there is no split for shots
    assert tasks["no"] == {"include": "_words.yaml", "task": "wikisem_no", "dataset_kwargs": files, **few}
    assert tasks["wikisem"]["task"] == [f"wikisem_{code}" for code in CODES]
    assert [metric["metric"] for metric in tasks["_words"]["metric_list"]] == ["acc", "acc_norm", "acc_bytes"]
    assert [task["id"] for task in evaluation["tasks"]] == list(CODES)
    assert evaluation["evaluation_framework"] == "inspect-ai"
    # EuroEval takes the language from what is before the underscore.
    assert [task["config"] for task in evaluation["tasks"]] == [f"{code}_cases" for code in CODES]
    assert evaluation["labels"] == list("abcdefghi")
    assert citation["cff-version"] == "1.2.0"
    assert citation["version"] == "2026.11.2"


def test_a_release_is_a_package_that_inspect_ai_finds(release: Path) -> None:
    """Of the release's version and licence, with every table of cases, under a name that is not this library's."""
    text = (release / "pyproject.toml").read_text(encoding="utf-8")
    package = tomllib.loads(text)
    project, setuptools = package["project"], package["tool"]["setuptools"]
    assert (project["name"], project["version"], project["license"]) == (
        "wikisem-tiny-set",
        "2026.11.2",
        "CC-BY-SA-4.0",
    )
    assert project["entry-points"] == {"inspect_ai": {"wikisem_tiny_set": "wikisem_tiny_set._registry"}}
    assert setuptools["package-dir"] == {"wikisem_tiny_set": "."}
    packed = {path for one in setuptools["package-data"]["wikisem_tiny_set"] for path in release.glob(one)}
    assert packed == set((release / "cases").iterdir())
    registry = (release / "_registry.py").read_text(encoding="utf-8")
    assert re.findall("^import (.*)$", registry, re.MULTILINE) == ["wikisem_tiny_set.inspect_wikisem"]


def test_euroeval_gets_a_data_set_for_each_language(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those that it knows by their code in ISO 639, with the letters of all choices."""
    text = (release / "euroeval_wikisem.py").read_text(encoding="utf-8")
    assert "{'ar': ['ar'], 'de': ['de'], 'nan': ['nan'], 'no': ['no'], 'zh-classical': ['lzh']}.items()" in text
    found = run_euroeval_file(release / "euroeval_wikisem.py", monkeypatch)
    assert {name for name in found if name.startswith("CASES_")} == {"CASES_de", "CASES_no"}
    data_set = found["CASES_no"]
    assert (data_set.name, data_set.source) == ("wikisem-no", f"{release}::no_cases")
    assert [language.code for language in data_set.languages] == ["no"]
    assert data_set.labels == list("abcdefghi")


def test_tasks_of_lm_evaluation_harness_have_the_page_that_it_asks_for(release: Path) -> None:
    """Every group, every kind of task, the paper, and no walls where there are none."""
    text = (release / "lm_eval" / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^\* `(.*?)`: ", text, re.MULTILINE) == [
        "wikisem",
        "wikisem_letters",
        "wikisem_<code>",
        "wikisem_<code>_letters",
    ]
    assert "arXiv:1611.01547" in text
    assert text.count("* [x] ") + text.count("* [ ] ") == 6


def rendered(release: Path, kind: str, words: Sequence[str]) -> tuple[list[str], str]:
    """The lines of the prompt that lm-evaluation-harness makes of a case, and the choices that it scores."""
    template = yaml.safe_load((release / "lm_eval" / f"_{kind}.yaml").read_text(encoding="utf-8"))
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    row = {"choices": words, "question": "Pick the odd word out."}
    text, choices = (environment.from_string(template[key]).render(**row) for key in ("doc_to_text", "doc_to_choice"))
    return text.split("\n"), choices


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# Words of names, and what lists are made with; as in any surface form, no blanks at the ends and no end of a line.
WORDS = st.text(st.sampled_from("ab,;.·|/-*A)( \"'")).filter(lambda word: word and word == word.strip())


@given(words=st.lists(WORDS, min_size=2, max_size=26))
@example(words=["Washington, D.C.", "Washington", "D.C.", "- Answer:", "A. B. Yehoshua"])
def test_no_choice_can_be_cut_wrongly(release: Path, words: list[str]) -> None:
    """Each choice has a line of its own, after a dash or a letter, in the order of the row."""
    first, blank, *lines, last = rendered(release, "words", words)[0]
    assert (first, blank, last) == ("Pick the odd word out.", "", "Answer:")
    assert lines == [f"- {word}" for word in words]
    lettered, choices = rendered(release, "letters", words)
    assert lettered[2:-1] == [f"{letter}. {word}" for letter, word in zip(LETTERS, words, strict=False)]
    assert ast.literal_eval(choices) == list(LETTERS[: len(words)])


def test_harnesses_that_list_choices_themselves_are_given_a_list(
    release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """inspect-ai and EuroEval put a letter before each; the question that they are given has no word of the case."""
    tasks = yaml.safe_load((release / "eval.yaml").read_text(encoding="utf-8"))["tasks"]
    assert {task["field_spec"]["choices"] for task in tasks} == {"choices"}
    assert 'choices=row["choices"],' in (release / "inspect_wikisem.py").read_text(encoding="utf-8")
    found = run_euroeval_file(release / "euroeval_wikisem.py", monkeypatch)
    assert found["CASES_de"].choices_column == "choices"
    rows = pq.read_table(release / "cases" / "de.parquet").to_pylist()
    assert {row["question"] for row in rows} == {"Welches Wort passt nicht zu den anderen?"}
    assert any(", " in word for row in rows for word in row["choices"])


@pytest.mark.slow
@datasets
def test_tables_are_read_in_one_line_each(release: Path, tmp_path: Path) -> None:
    """pandas, polars and duckdb count the same rows, and keep the word NA."""
    script = """
import json, pandas, polars, duckdb
p = pandas.read_parquet("cases/no.parquet")
q = polars.read_parquet("cases/no.parquet")
d = duckdb.sql("select count(*), count(distinct class) from 'cases/*.parquet' where language = 'no'").fetchall()[0]
p, q = p.merge(pandas.read_parquet("items/no.parquet"), on="id"), q.join(polars.read_parquet("items/no.parquet"), "id")
named = int((p.label == "NA").sum()), q.filter(polars.col("label") == "NA").height
print(json.dumps([len(p), q.height, list(d), *named]))
"""
    assert run_python(script, release, tmp_path) == [20, 20, [20, 5], 3, 3]


def test_the_card_says_what_is_in_it(release: Path) -> None:
    """Counts, reasons, dumps, and the language that has nothing."""
    text = (release / "README.md").read_text(encoding="utf-8")
    assert "100 test cases in 5 languages, version 2026.11.2: the date of the newest dump." in text
    assert "| `zh-classical` | lzh | 5 | 20 | few-outliers 1 |" in text
    assert "\n- `few-outliers`: too few items can be outliers\n" in text
    assert "- `affix`" not in text
    assert "No class gave a group in `la`: there are no files for them." in text
    (head,) = [line for line in text.splitlines() if line.startswith("| config | chance | longest | shortest |")]
    row = next(line for line in text[text.index(head) :].splitlines() if line.startswith("| `zh-classical` |"))
    chance, longest = row.split(" | ")[1:3]
    assert 100 / 9 < float(chance) < 100 / 7
    assert (scores := re.fullmatch(r"\*\*(\d+\.\d) \((\d+\.\d) to \d+\.\d\)\*\*", longest))
    assert float(scores[1]) > float(scores[2]) > float(chance)
    assert "| Wikidata | `wikidata-20261102-all.json.gz`, 1,234 bytes |" in text


@pytest.mark.parametrize(
    ("number", "said"), [(10, "Arabic, Azerbaijani, Bulgarian, Catalan, Danish, German,"), (11, "11 languages: ")]
)
def test_the_card_names_ten_languages_and_counts_more(number: int, said: str, tmp_path: Path) -> None:
    """A sentence with three hundred names would not be read."""
    codes = ("ar", "az", "bg", "ca", "da", "de", "en", "es", "fi", "fr", "it")
    run = write_run(tmp_path / "out", 1, codes[:number], ())
    assert main(["release", str(run), "--output", str(tmp_path / "set")]) == 0
    assert f"Outlier detection in {said}" in (tmp_path / "set" / "README.md").read_text(encoding="utf-8")


def test_the_card_names_pages_that_a_dump_lacks(tmp_path: Path) -> None:
    """And what public tables lack, as the manifest has both; that of the release keeps them and the last item."""
    run = write_run(tmp_path / "out", 1, ("de", "en"))
    manifest = json.loads((run / "manifest.json").read_bytes())
    pages: dict[str, Any] = {"linked": 9000, "missing": 7, "best_linked": 1000, "best_missing": 2}
    pages |= {"best_missing_titles": ["Rom", "Bern"]}
    manifest["stages"] |= {"surfaces/de": {"linked_pages": pages}}
    manifest["stages"] |= {"surfaces/en": {"linked_pages": {**pages, "best_missing": 0}}}
    manifest["stages"]["entities"] = {"highest_item": 138_000_000, "inputs": [{"path": "a", "size": 1, "date": "x"}]}
    manifest["stages"]["entities"] |= {"tables": {"layout": "release", "lacks": ["scholarly works", "labels in mul"]}}
    (run / "manifest.json").write_text(json.dumps(manifest))
    assert main(["release", str(run), "--output", str(tmp_path / "set")]) == 0
    text = (tmp_path / "set" / "README.md").read_text(encoding="utf-8")
    assert "Dumps lack some of the best linked pages of their Wikipedias: 2 of 1,000 (de)." in text
    assert text.count("2 of 1,000: Rom, Bern |") == 1
    assert "Wikidata was read from public tables, which lack scholarly works; labels in mul." in text
    stages = json.loads((tmp_path / "set" / "manifest.json").read_bytes())["stages"]
    assert stages["surfaces/de"]["linked_pages"] == pages
    assert stages["entities"]["tables"]["lacks"] == ["scholarly works", "labels in mul"]
    assert (stages["entities"]["highest_item"], stages["entities"]["inputs"][0]["date"]) == (138_000_000, "x")


def test_shares_are_in_percent() -> None:
    """With their interval, if it is not a point; a dash for a baseline that a language lacks."""
    assert [_percent(share) for share in (None, Share(0.5, 0.5, 0.5), Share(0.5, 0.4, 0.6))] == [
        "–",
        "50.0",
        "50.0 (40.0 to 60.0)",
    ]


def test_the_card_knows_every_reason_for_a_rejection() -> None:
    """Each that rules and the choice of groups can give, and no other."""
    files = [path for path in sorted((ROOT / "heuristics").rglob("*.py")) if path.name != "walls.py"]
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    given = re.findall(r"""reject\("([a-z-]+)"|^[A-Z_]+: Final = "([a-z-]+)"$""", text, re.MULTILINE)
    assert {one or other for one, other in given} == set(REASONS)


def test_the_card_says_how_coherence_and_margins_are_spread(release: Path, tmp_path: Path) -> None:
    """Over all languages, margins by outlier class; a set of a recipe without such rules has no such table."""
    text = (release / "README.md").read_text(encoding="utf-8")
    # Five languages, each with groups of 0.92 to 0.95, of three to six outliers of margins from 0.
    assert "| coherence | 20 | 0.920 | 0.927 | 0.935 | 0.943 | 0.950 |" in text
    assert "| margin, O1 | 40 | 0.000 | 0.000 | 0.005 | 0.010 | 0.010 |" in text
    assert "| margin, O2 | 35 | 0.020 | 0.020 | 0.020 | 0.030 | 0.030 |" in text
    assert "| margin, O3 | 15 | 0.040 | 0.040 | 0.040 | 0.050 | 0.050 |" in text
    run = write_run(tmp_path / "out", 1, ("de",))
    assert main(["release", str(run), "--output", str(tmp_path / "set")]) == 0
    assert "| coherence |" not in (tmp_path / "set" / "README.md").read_text(encoding="utf-8")


def test_a_repository_is_what_files_load_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the name on the Hub, the card and the tasks need no folder; the commands to publish are said."""
    run = write_run(tmp_path / "out", 1, ("de",), ())
    assert main(["release", str(run), "--output", str(tmp_path / "set"), "--repository", "me/wikisem"]) == 0
    assert 'load_dataset("me/wikisem", "de", split="test")' in (tmp_path / "set" / "README.md").read_text()
    assert 'dataset_name: "de_cases"' in (tmp_path / "set" / "lm_eval" / "de.yaml").read_text()
    assert 'dataset_path: "me/wikisem"' in (tmp_path / "set" / "lm_eval" / "_words.yaml").read_text()
    out = capsys.readouterr().out
    assert f"hf upload me/wikisem {tmp_path / 'set'} --repo-type dataset" in out


def test_what_cannot_be_released_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No run, no group, groups made in different ways, a name that is none, the run's own folder."""
    run = write_run(tmp_path / "out", 1, ("de",))
    cases = [
        (
            [str(tmp_path), "--output", str(tmp_path / "a")],
            1,
            "expected the output folder of a run or a release, saw no manifest.json",
        ),
        ([str(run), "--output", str(run)], 2, "expected another folder than that of the run"),
        ([str(run), "--output", str(tmp_path / "a"), "--repository", "wikisem"], 2, "expected a name such as my-name"),
    ]
    for words, code, told in cases:
        assert main(["release", *words]) == code
        assert told in capsys.readouterr().err
    (run / "groups" / "de.jsonl").write_bytes(b"")
    assert main(["release", str(run), "--output", str(tmp_path / "a")]) == 1
    assert "expected test groups, saw none in de, la" in capsys.readouterr().err
    (run / "groups" / "de.jsonl").write_bytes(b"{}\n")
    assert main(["release", str(run), "--output", str(tmp_path / "a")]) == 1
    assert "de.jsonl:1: expected a JSON line of a group" in capsys.readouterr().err
    other = write_run(tmp_path / "other", 1, ("de",))
    manifest = json.loads((other / "manifest.json").read_bytes())
    del manifest["seed"]
    (other / "manifest.json").write_text(json.dumps(manifest))
    assert main(["release", str(other), "--output", str(tmp_path / "a")]) == 1
    assert "expected one seed for all groups, saw several" in capsys.readouterr().err
    for text, told in [
        ("{broken", "manifest.json: expected the manifest of a run"),
        ("[]", "manifest.json: expected the manifest of a run"),
        (
            json.dumps(manifest | {"seed": 1, "stages": {"entities": {"inputs": [{}]}}}),
            "manifest.json: expected the manifest of a run, saw Object missing required field `path`",
        ),
    ]:
        (other / "manifest.json").write_text(text)
        assert main(["release", str(other), "--output", str(tmp_path / "a")]) == 1
        assert told in capsys.readouterr().err
    assert not (tmp_path / "a").exists()


@pytest.mark.parametrize("seconds", ["yesterday", "9" * 30])
def test_a_date_that_is_none_is_said(
    seconds: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """SOURCE_DATE_EPOCH is a number of seconds, such as a person may forget to compute."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", seconds)
    run = write_run(tmp_path / "out", 1, ("de",))
    assert main(["release", str(run), "--output", str(tmp_path / "a")]) == 2
    assert f"SOURCE_DATE_EPOCH: expected seconds since 1970, saw '{seconds}'" in capsys.readouterr().err


def test_tables_of_other_languages_do_not_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Tools read every table of a folder: a release beside those of an earlier one, with more languages, is refused."""
    both, one, folder = write_run(tmp_path / "both", 1, ("de", "no")), write_run(tmp_path / "one", 1, ("de",)), "set"
    output = ["--output", str(tmp_path / folder)]
    assert main(["release", str(both), *output]) == 0
    before = {path: path.read_bytes() for path in (tmp_path / folder).rglob("*") if path.is_file()}
    capsys.readouterr()
    assert main(["release", str(one), *output]) == 2
    assert "of the same languages, saw 3 other tables, groups/no.parquet first" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in (tmp_path / folder).rglob("*") if path.is_file()} == before
    for kind in ("groups", "cases", "items"):
        (tmp_path / folder / kind / "no.parquet").unlink()
    assert main(["release", str(one), *output]) == 0


def contents(folder: Path) -> dict[str, bytes]:
    """The bytes of every file below a folder, by path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("released", "texts", "said"),
    [
        (False, {"README.md": "mine", "LICENSE": "mine", "notes/a.txt": "mine"}, "3 of other origin: LICENSE, README"),
        (False, {"manifest.json": "{}"}, "1 of other origin: manifest.json"),
        (True, {"README.md": "mine"}, "1 of other origin: README.md (edited)"),
        (True, {"thesis.txt": "mine"}, "1 of other origin: thesis.txt"),
        (True, {"manifest.json": "[]", "thesis.txt": "mine"}, "2 of other origin: manifest.json, thesis.txt"),
    ],
)
def test_what_no_release_wrote_is_neither_replaced_nor_published(
    released: bool, texts: dict[str, str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A page and a licence of one's own, an edited card, a foreign file: all stay, and are named."""
    run, folder = write_run(tmp_path / "out", 1, ("de",)), tmp_path / "set"
    words = ["release", str(run), "--output", str(folder)]
    if released:
        assert main(words) == 0
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    before = contents(folder)
    assert main(words) == 2
    err = " ".join(capsys.readouterr().err.split())
    assert said in err
    assert "move these away or choose another --output" in err
    assert contents(folder) == before


def test_an_unedited_release_is_replaced(tmp_path: Path) -> None:
    """By one with another maintainer, too; what git and evaluation harnesses leave in the folder is nobody's work."""
    run, folder = write_run(tmp_path / "out", 1, ("de",)), tmp_path / "set"
    words = ["release", str(run), "--output", str(folder)]
    assert main(words) == 0
    for name in (".git/config", ".gitattributes", "__pycache__/inspect_wikisem.pyc", "logs/one.eval"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("left")
    assert main([*words, "--maintainer", "Ada Lovelace"]) == 0
    assert "Maintained by Ada Lovelace" in (folder / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("written", [0, 1, 7, 1000])
def test_an_interrupted_release_is_written_again(
    again: bool, written: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a new folder, or over an earlier release; also where a killed process left an unfinished file."""
    run, folder, whole = write_run(tmp_path / "out", 2, ("de",)), tmp_path / "set", tmp_path / "whole"
    words = ["release", str(run), "--maintainer", "Ada Lovelace", "--output"]
    assert main([*words, str(whole)]) == 0
    if again:
        assert main(["release", str(run), "--output", str(folder)]) == 0

    def write_some(target: Path, files: Iterable[tuple[str, bytes]]) -> None:
        write_files(target, islice(files, written))  # without the manifest, which is last
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(release_command, "write_files", write_some)
        assert main([*words, str(folder)]) == 130
    (folder / "cases").mkdir(parents=True, exist_ok=True)
    (folder / "cases" / f".{'0' * 32}.part").write_bytes(b"half")
    assert main([*words, str(folder)]) == 0
    assert contents(folder) == contents(whole)


def test_the_world_of_these_tests_is_hostile() -> None:
    """What they try is there to be tried."""
    assert {member.surface for member in make_group("de", 1).cluster} == set(HOSTILE)


NAMES = [
    "a|b",
    "**x** _y_",
    "<script>alert(1)</script>",
    "[x](javascript:1)",
    "`code`",
    "# not a title\n---\n",
    "é\u2028\x85: {x}",
]


@pytest.mark.parametrize("name", NAMES)
def test_names_in_the_card_are_read_as_they_are(name: str, tmp_path: Path) -> None:
    """A recipe, a file, a version and a reason of any name are text: no markup, no cell, no end of the YAML."""
    run = write_run(tmp_path / "out", 1, ("de",))
    manifest = json.loads((run / "manifest.json").read_bytes())
    manifest["recipe"]["name"], manifest["versions"]["library"] = name, name
    manifest["stages"]["entities"] = {"inputs": [{"path": f"/x/{name.replace('/', '')}", "size": 1, "sha256": name}]}
    bad = [{"path": "a.gz", "size": 1, "origin": {"url": url}} for url in ("javascript:1", "https://x/)[(<b>")]
    manifest["stages"]["entities"]["inputs"] += bad
    (run / "manifest.json").write_text(json.dumps(manifest))
    (run / "rejected" / "de.jsonl").write_text(
        json.dumps({"class": "Q9", "language": "de", "reason": name, "detail": ""}) + "\n"
    )
    assert main(["release", str(run), "--output", str(tmp_path / "release")]) == 0
    text = (tmp_path / "release" / "README.md").read_text(encoding="utf-8")
    _, head, card = text.split("---\n", 2)
    project = tomllib.loads((tmp_path / "release" / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert re.fullmatch("wikisem(-[a-z0-9]+)*-set", project["name"])
    expected = f"wikisem-{name}"
    if importlib.util.find_spec("yaml") is not None:
        yaml = importlib.import_module("yaml")
        assert yaml.safe_load(head)["pretty_name"] == expected
        citation = (tmp_path / "release" / "CITATION.cff").read_text(encoding="utf-8")
        assert yaml.safe_load(citation)["title"] == expected
        assert yaml.safe_load((tmp_path / "release" / "eval.yaml").read_text(encoding="utf-8"))["name"] == expected
    prose = re.sub(r"^```.*?^```$", "", card, flags=re.DOTALL | re.MULTILINE)  # in a block of code all is as it is
    unescaped = re.sub(r"\\[!-/:-@\[-`{-~]", "", prose)
    assert "<" not in unescaped.replace("<code>", "")
    assert "javascript:" not in unescaped
    title = next(line for line in unescaped.splitlines() if line.startswith("# "))
    assert not set(title[2:]) & set("*_`[]<|")
    rows = [line for line in unescaped.splitlines() if line.startswith("|")]
    widths = {row.count("|") for row in rows}
    assert widths == {3, 6, 7, 10, 19}  # of versions, languages, sources, regions and baselines


def test_regions_are_those_of_the_countries_of_members(tmp_path: Path) -> None:
    """A country is in its own; without any country nothing is known, which is a dash on the card and never zero."""
    groups = {"de": [make_group("de", 3)], "no": [make_group("no", 6)]}
    items = [member.id for member in groups["de"][0].cluster]
    countries = {items[0]: {"Q17"}, items[1]: {"Q17", "Q29999"}, items[2]: {"Q15180"}, items[3]: {"Q1033", "Q258"}}
    found = count_regions(groups, countries)
    assert found == {"de": {"": 5, "Africa": 1, "Asia": 1, "several": 1}, "no": {"": 8}}
    assert count_regions(groups, {}) == {}
    france = Group(id="Q6256", language="de", cluster=(Member(id="Q142", surface="Frankreich"),), outliers=())
    assert count_regions({"de": [france]}, {"Q9": {"Q16"}}) == {"de": {"Europe": 1}}
    run = write_run(tmp_path / "out", 3, ("de", "en"))
    manifest = json.loads((run / "manifest.json").read_bytes())
    for regions, told in (
        ({}, "| – | – | – | – | – | – | – |"),
        (found, "| 37.5 | 33.3 | 0.0 | 33.3 | 0.0 | 0.0 | 33.3 |"),
    ):
        (run / "manifest.json").write_text(json.dumps({**manifest, "regions": regions}))
        assert main(["release", str(run), "--output", str(tmp_path / "set")]) == 0
        card = (tmp_path / "set" / "README.md").read_text(encoding="utf-8")
        assert f"\n| `de` | 0.0 {told}\n" in card
        assert ("--properties P17" in card) == (not regions)


def test_countries_are_read_where_the_run_has_them(tmp_path: Path) -> None:
    """Among the statements that ``--properties`` asked for, and among relations; a release has no entities."""
    members = [
        Entity("Q1000", ("Q2",), statements=(Statement("P17", "Q17"), Statement("P36", "Q1490"))),
        Entity("Q1001", ("Q2",), relations=((17, 142), (36, 90))),
        Entity("Q1002", ("Q2",)),
    ]
    cluster = tuple(Member(id=one.qid, surface=one.qid) for one in members)
    run = RunFiles(tmp_path, {"en": [Group(id="Q2", cluster=cluster, outliers=())]}, {}, Manifest())
    assert countries_of(run) == {}
    write_entities(tmp_path / "entities" / "0f", members)
    Ledger(str(tmp_path)).put(Record("entities", "0f", "", Counts()))
    assert countries_of(run) == {"Q1000": {"Q17"}, "Q1001": {"Q142"}}


@pytest.mark.parametrize("folder", ["groups", "categories"])
def test_a_file_whose_name_is_no_language_is_said(
    folder: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Names of files become paths, links and columns of the release."""
    run = write_run(tmp_path / "out", 1, ("de",))
    (run / folder).mkdir(exist_ok=True)
    (run / folder / "x](y).jsonl").write_text("{}\n")
    assert main(["release", str(run), "--output", str(tmp_path / "release")]) == 2
    assert "expected a language code such as de or zh-yue, saw 'x](y)'" in capsys.readouterr().err
