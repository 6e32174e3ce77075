"""The next command that a stage prints: with the dumps filled in, one after the other lead to the set of a build."""

import shlex
from pathlib import Path

import pytest

from tests.trees import results_of
from wikisem.pipeline.cli import main
from wikisem.pipeline.commands.stages import next_command
from wikisem.pipeline.demo import write_sample_world


@pytest.mark.slow
def test_what_is_printed_leads_to_the_groups(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From the mentions on, each command names the next one; the recipe and a folder with a blank are kept."""
    world, output = write_sample_world(str(tmp_path)), tmp_path / "my out"
    filled = {"DUMP": world.wikidata, "LANG=DUMP": f"de={world.wikipedia['de']}", "wikisem": "demo"}
    typed = ["mentions", "--wikipedia", filled["LANG=DUMP"], "--output", str(output)]
    stages = []
    while typed[0] != "browse":
        stages.append(typed[0])
        assert main(typed) == 0
        (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("next: wikisem ")]
        words = shlex.split(line)[2:]
        typed = [words[0], *(filled.get(word, word) for word in words[1:])]
    assert stages == ["mentions", "entities", "surfaces", "taxonomy", "groups"]
    build = ["build", "demo", "--wikidata", world.wikidata, "--wikipedia", filled["LANG=DUMP"], "--output"]
    assert main([*build, str(tmp_path / "built")]) == 0
    assert results_of(output) == results_of(tmp_path / "built")


def test_only_what_is_missing_is_asked_for() -> None:
    """Mentions where there is nothing to name items by; a language whose groups are missing; then the page."""
    assert next_command(["entities"], "out") == "wikisem mentions --wikipedia LANG=DUMP --output out"
    named = ["entities", "surfaces/de", "surfaces/ja"]
    assert next_command(named, "out", "my.toml") == "wikisem taxonomy my.toml --output out"
    grouped = [*named, "taxonomy", "groups/ja"]
    assert next_command(grouped, "out") == "wikisem groups wikisem --languages de --output out"
    assert next_command([*grouped, "groups/de"], "my out") == "wikisem browse 'my out'"
