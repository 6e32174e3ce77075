"""Hostile surroundings: the user's own modules in the current folder, and a Python whose path holds a blank."""

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest
from apache_beam.runners.portability.fn_api_runner import worker_handlers

from tests.pipeline.test_bad_input import LINES, RECIPE, write_dump
from tests.trees import results_of
from wikisem.pipeline.cli import main

ROOT = Path(__file__).parent.parent.parent
OWN = ("transforms", "evaluation", "queries", "heuristics", "outputs")


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """A Python in a folder with a blank, which sees what this one sees."""
    home = tmp_path / "my env"
    venv.create(home, symlinks=True)
    site = next(home.glob("lib/python*/site-packages"))
    (site / "shared.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n{ROOT}\n")
    return home / "bin" / "python"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with modules of the user's that are called like our packages, and cannot be imported by mistake."""
    folder = tmp_path / "my work"
    folder.mkdir()
    for name in OWN:
        (folder / f"{name}.py").write_text(f"raise RuntimeError('{name} is the user\\'s')\n")
    (folder / "pipeline.py").write_text(
        "def encode(texts):\n    return [[float(len(text)), float(ord(text[0])), 1.0] for text in texts]\n"
    )
    return folder


def _run(python: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [str(python), "-m", "wikisem", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_build_with_workers_and_the_users_encoder(python: Path, folder: Path) -> None:
    """Two worker processes start and build; then the user's own module in the current folder scores the groups."""
    (folder / "small.toml").write_text(RECIPE)
    write_dump(folder / "wikidata.json.gz", LINES)
    words = ["small.toml", "--wikidata", "wikidata.json.gz", "--output", "out", "--workers", "2"]
    done = _run(python, folder, "build", *words)
    assert done.returncode == 0, done.stderr
    assert len((folder / "out" / "groups" / "en.jsonl").read_text().splitlines()) == 1

    score = _run(
        python, folder, "evaluate", "outliers", "out/groups/en.jsonl", "--vectors", "python:pipeline:encode", "--json"
    )
    assert score.returncode == 0, score.stderr
    assert '"metric":"opp"' in score.stdout


def test_the_command_line_is_a_module_too(python: Path, folder: Path) -> None:
    """``python -m wikisem --version`` says which wikisem this is, and what it runs on."""
    done = _run(python, folder, "--version")
    assert done.returncode == 0, done.stderr
    first, *others = done.stdout.splitlines()
    assert first.startswith("wikisem 0.")
    assert f"python: {sys.version.split()[0]}" in others
    assert any(line.startswith("apache-beam: 2.") for line in others)


@pytest.mark.slow
def test_a_beam_that_changed_what_workers_rely_on_costs_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One process then builds the same bytes."""
    (tmp_path / "small.toml").write_text(RECIPE)
    write_dump(tmp_path / "wikidata.json.gz", LINES)
    monkeypatch.chdir(tmp_path)
    words = ["build", "small.toml", "--wikidata", "wikidata.json.gz", "--workers", "2", "--output"]
    assert main([*words, "whole"]) == 0
    assert caplog.messages == []
    monkeypatch.delattr(worker_handlers, "GrpcWorkerHandler")
    assert main([*words, "changed"]) == 0
    (warning,) = caplog.messages
    assert warning.startswith("one process does the work of 2: expected GrpcWorkerHandler with ")
    assert results_of(tmp_path / "changed") == results_of(tmp_path / "whole")


def test_beam_is_imported_without_a_word(tmp_path: Path) -> None:
    """Beam warns of optional clients of Google that are missing, and configures the root logger for that."""
    program = "import logging, wikisem.transforms.entities; print(logging.getLogger().handlers)"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "[]\n", "")
