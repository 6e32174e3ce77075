"""Commands that list: recipes, formats, and the words of a shell's completion."""

import shutil
import subprocess
from pathlib import Path

import pytest

from wikisem.outputs.groupfile import FORMATS
from wikisem.pipeline.cli import COMMANDS, main, open_command
from wikisem.pipeline.commands import formats
from wikisem.pipeline.commands.completion import options_of
from wikisem.recipes.load import load_recipe, shipped_recipes

BASH = shutil.which("bash")


def test_every_recipe_that_ships_is_listed_with_what_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """Those of builds and those of category sets; a sentence ends at its end, not at an abbreviation."""
    assert main(["recipes"]) == 0
    out = capsys.readouterr().out
    assert [name for name in [*shipped_recipes(), "google-semantic", "emoji"] if f"│ {name} " not in out] == []
    assert "The faithful recipe: the method of Blair, Merhav and Barry (2016)" in out
    assert "Mikolov et al. 2013" in out


def test_a_recipe_is_printed_to_start_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is printed is a recipe file that loads to the same recipe."""
    assert main(["recipes", "wikisem"]) == 0
    (tmp_path / "mine.toml").write_text(capsys.readouterr().out)
    assert load_recipe(tmp_path / "mine.toml") == load_recipe("wikisem")
    assert main(["recipes", "emoji"]) == 0
    assert 'name = "emoji"' in capsys.readouterr().out
    assert main(["recipes", "emojis"]) == 2
    told = capsys.readouterr().err
    assert "a recipe that ships (demo, emoji, " in told
    assert "saw 'emojis'; did you mean emoji?" in told


def test_formats_name_every_form_that_groups_are_written_in(capsys: pytest.CaptureFixture[str]) -> None:
    """A form that is added to FORMATS is in the list."""
    assert main(["formats"]) == 0
    out = capsys.readouterr().out
    assert [name for name in FORMATS if f"{name}/<code>/<QID>.txt" not in out] == []
    assert "croissant.json" in out


def test_formats_name_commands_and_options_that_there_are() -> None:
    """The last column is what to type: commands, tasks of evaluate, or options of build."""
    known = set(COMMANDS) | options_of(open_command("build")[1]) | options_of(open_command("evaluate")[1])
    named = [word.split()[0] for *_, takers in (*formats._READS, *formats._WRITES) for word in takers.split(", ")]
    assert [word for word in named if word not in known and word != "every"] == []
    readers = {"lexemes", "wordnet", "check", "audit", "annotate", "tokenize", "correlate", "browse", "categories"}
    assert readers - set(named) == set()


@pytest.mark.skipif(BASH is None, reason="no bash is installed")
@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["dow"], ["download"]),
        (["download", "--dr"], ["--dry-run"]),
        (["evaluate", "outliers", "--vec"], ["--vectors"]),
        (["build", "READ"], ["README.md"]),
        (["nothing", "--"], []),
    ],
)
def test_bash_completes_what_is_typed(
    typed: list[str], offered: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Commands first, then the options of the command, then files."""
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    (tmp_path / "README.md").touch()
    words = " ".join(["wikisem", *typed])
    ask = f'COMP_WORDS=({words}); COMP_CWORD={len(typed)}; _wikisem; printf "%s\\n" "${{COMPREPLY[@]}}"'
    done = subprocess.run(
        [str(BASH), "-c", script + "\n" + ask], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert done.stdout.split() == offered


def test_every_command_is_in_the_script_of_both_shells(capsys: pytest.CaptureFixture[str]) -> None:
    """zsh loads what reads bash's."""
    assert main(["completion", "zsh"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("autoload -U +X bashcompinit")
    assert [name for name in COMMANDS if f"      {name}) words=" not in out] == []
