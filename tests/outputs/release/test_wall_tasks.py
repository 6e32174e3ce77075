"""Walls in a release: their table, the tasks of three harnesses, and the parser that these have."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from msgspec.structs import replace

from tests.outputs.release.world import READ_CROISSANT, run_euroeval_file, run_python, write_run
from tests.outputs.test_wallfile import HERRING_WALL, make_wall
from tests.rows import one, printed_rows
from wikisem.errors import DamagedInputError
from wikisem.outputs.groupfile import WALLS, encode_wall, read_walls
from wikisem.outputs.wall_answers import SCORES
from wikisem.pipeline.cli import main

datasets = pytest.mark.skipif("not __import__('importlib.util').util.find_spec('datasets')", reason="no datasets")
CODES = ("de", "no")
RUN = {
    code: [
        replace(make_wall(f"{code}-far-1", language=code), words=make_wall().words[::-1]),
        replace(HERRING_WALL, id=f"{code}-herring-1", language=code),
    ]
    for code in CODES
}


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The release of a run with walls in two of three languages."""
    folder = tmp_path_factory.mktemp("walls")
    run = write_run(folder / "out", 1, ("ar", *CODES))
    (run / "walls").mkdir()
    for code, walls in RUN.items():
        (run / "walls" / f"{code}.jsonl").write_bytes(b"".join(map(encode_wall, walls)))
    assert main(["release", str(run), "--output", str(folder / "set")]) == 0
    return folder / "set"


def test_a_release_without_walls_has_none_of_their_files(release: Path, tmp_path: Path) -> None:
    """Of the files of both, those of walls are in one alone."""
    assert (
        main(["release", str(write_run(tmp_path / "out", 1, ("ar", *CODES))), "--output", str(tmp_path / "set")]) == 0
    )
    with_walls, without = (
        {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        for folder in (release, tmp_path / "set")
    )
    own = {f"walls/{code}.parquet" for code in CODES} | {f"lm_eval/{code}_walls.yaml" for code in CODES}
    shared = {"_walls.yaml", "wikisem_walls.yaml", "wall_answers.py"}
    tasks = {"inspect_walls.py", "euroeval_walls.py", *(f"lm_eval/{name}" for name in shared)}
    assert with_walls - without == own | tasks
    assert "walls" not in (tmp_path / "set" / "README.md").read_text()


def test_the_table_has_what_a_model_is_asked_and_the_walls_themselves(release: Path) -> None:
    """Each row has the words in the order shown beside the number of their group, and reads to the wall again."""
    assert pq.read_schema(release / "walls" / "de.parquet").remove_metadata() == WALLS
    first, second = pq.read_table(release / "walls" / "de.parquet").to_pylist()
    assert first["choices"][:2] == ["word Q43", "word Q42"]
    assert first["answer"] == [3] * 4 + [2] * 4 + [1] * 4 + [0] * 4
    assert (first["classes"][3], first["labels"][3]) == ("Q4", "class Q4")
    assert first["target_text"].splitlines()[0] == "word Q13, word Q12, word Q11, word Q10"
    assert first["text"].endswith("\n\n" + "\n".join(first["choices"]))
    assert second["herrings"][1] == {"id": "Q10", "fits": "Q4", "by": "witness"}
    far, herring = read_walls(release, "no")
    assert herring == RUN["no"][1]
    shown = [replace(group, members=group.members[::-1]) for group in far.groups]
    assert replace(far, groups=tuple(shown)) == RUN["no"][0]


def test_walls_of_a_release_are_scored(release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The folder of a release is as good as the OUT of a run."""
    vectors = [f"word_Q{10 * group + word} " + " ".join("1" if at == group else "0" for at in range(1, 5))
               for group in range(1, 5) for word in range(4)]  # fmt: skip
    (tmp_path / "vectors.txt").write_text("\n".join(["A 1 1 1 1", *vectors]))
    assert main(["evaluate", "walls", str(release), "--vectors", str(tmp_path / "vectors.txt"), "--json"]) == 0
    assert one(printed_rows(capsys.readouterr().out), "solved").value == 100


def test_walls_stay_the_same_in_a_release_of_a_release(release: Path, tmp_path: Path) -> None:
    """Byte for byte, in the table and in the page."""
    assert main(["release", str(release), "--output", str(tmp_path / "again")]) == 0
    for name in ("walls/de.parquet", "data/de.js", "lm_eval/de_walls.yaml"):
        assert (tmp_path / "again" / name).read_bytes() == (release / name).read_bytes()


def test_what_is_no_table_of_walls_is_said(release: Path, tmp_path: Path) -> None:
    """A table of test cases, and no Parquet at all."""
    (tmp_path / "no.parquet").write_bytes(b"walls")
    cases, none = release / "cases" / "no.parquet", tmp_path / "no.parquet"
    for path, expected in ((cases, "row 0: expected a row of walls"), (none, "expected a Parquet file of walls")):
        with pytest.raises(DamagedInputError, match=rf"no\.parquet: {expected}, saw "):
            read_walls(path)


def test_the_parser_of_a_release_needs_nothing_but_python(release: Path) -> None:
    """In a Python without site-packages, the right answer to every wall has every score."""
    rows = [row for code in CODES for row in pq.read_table(release / "walls" / f"{code}.parquet").to_pylist()]
    asked = json.dumps([{name: row[name] for name in ("choices", "answer", "target_text")} for row in rows])
    script = (
        "import json, sys; sys.path.insert(0, 'lm_eval'); from wall_answers import process_results\n"
        "print(json.dumps([process_results(row, [row['target_text']]) for row in json.load(sys.stdin)]))"
    )
    command = [sys.executable, "-I", "-S", "-B", "-c", script]
    done = subprocess.run(command, cwd=release, input=asked, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [dict.fromkeys(SCORES, 1.0)] * 4


def test_tasks_are_whole(release: Path, tmp_path: Path) -> None:
    """Templates name the function beside them; paths are of the folder or, with a name on the Hub, its configs."""
    template = (release / "lm_eval" / "_walls.yaml").read_text()
    assert template.splitlines()[-1] == "process_results: !function wall_answers.process_results"
    assert 'doc_to_text: "{{text}}"' in template
    assert 'data_files": {"test": "walls/no.parquet"' in _spaced(release / "lm_eval" / "no_walls.yaml")
    assert 'task: ["wikisem_de_walls", "wikisem_no_walls"]' in _spaced(release / "lm_eval" / "wikisem_walls.yaml")
    for name in ("inspect_walls.py", "euroeval_walls.py"):
        compile((release / name).read_text(), name, "exec")
    assert "in {'de': ['de'], 'no': ['no']}.items()" in (release / "euroeval_walls.py").read_text()
    named = ["--output", str(tmp_path / "set"), "--repository", "me/wikisem"]
    assert main(["release", str(release.parent / "out"), *named]) == 0
    assert 'dataset_name: "no_walls"' in (tmp_path / "set" / "lm_eval" / "no_walls.yaml").read_text()


def _spaced(path: Path) -> str:
    return path.read_text().replace(":", ": ").replace(",", ", ").replace("  ", " ")


def test_euroeval_scores_answers_that_are_in_another_order_than_rows(
    release: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It puts answers from its cache last, and their references with them; the rows that it gives stay."""
    found = run_euroeval_file(release / "euroeval_walls.py", monkeypatch)
    words = [[f"{wall}{at}" for at in range(16)] for wall in "ab"]
    solutions = ["\n".join(", ".join(own[at : at + 4]) for at in (0, 4, 8, 12)) for own in words]
    columns = {"target_text": solutions, "choices": words, "answer": [[at // 4 for at in range(16)]] * 2}
    answers = solutions[::-1]
    scores = [metric(answers, answers, columns, None, None) for metric in found["WALLS"].metrics]
    assert scores == [1] * len(SCORES)


def test_the_card_counts_walls_by_tier(release: Path) -> None:
    """A config for each language, and a row with its tiers."""
    text = (release / "README.md").read_text()
    assert '- config_name: "no_walls"' in text
    assert "| config | far | herring |\n|---|---:|---:|\n| `de_walls` | 1 | 1 |\n| `no_walls` | 1 | 1 |" in text
    assert "wikisem categories" not in text


def test_the_card_says_how_walls_were_drawn_where_the_recipe_does_not(release: Path, tmp_path: Path) -> None:
    """`wikisem walls` has options of its own, which the manifest has with the stage."""
    manifest = json.loads((release / "manifest.json").read_bytes())
    del manifest["checksum"]  # as who edits it does
    manifest["stages"]["walls/de"] = {"in": 3, "kept": 2, "recipe": {"walls": {"number": 9, "uses": 8}}}
    shutil.copytree(release, tmp_path / "run")
    (tmp_path / "run" / "manifest.json").write_text(json.dumps(manifest))
    assert main(["release", str(tmp_path / "run"), "--output", str(tmp_path / "set")]) == 0
    said = "They were drawn with `number = 9` and `uses = 8` in place of what the recipe has under `[walls]`."
    assert said in (tmp_path / "set" / "README.md").read_text()
    assert "They were drawn with" not in (release / "README.md").read_text()


@pytest.mark.slow
@datasets
def test_datasets_and_croissant_read_every_wall(release: Path, tmp_path: Path) -> None:
    """A config and a record set have the values that were written, without a warning."""
    script = (
        READ_CROISSANT
        + """
import datasets
records = [plain(record) for record in dataset.records("walls")]
loaded = [datasets.load_dataset("../set", f"{code}_walls", split="test").to_list() for code in ("de", "no")]
found = [sorted(issues.errors), sorted(issues.warnings), records, sum(loaded, [])]
print(json.dumps(found, default=lambda value: value.item()))
"""
    )
    errors, warnings, records, loaded = run_python(script, release, tmp_path)
    rows: list[dict[str, Any]] = [
        row for code in CODES for row in pq.read_table(release / "walls" / f"{code}.parquet").to_pylist()
    ]
    assert (errors, warnings) == ([], [])
    assert loaded == rows
    assert sorted(records, key=lambda row: row["id"]) == sorted(rows, key=lambda row: row["id"])
