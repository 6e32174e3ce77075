"""What the documentation says is true: its links lead somewhere, its terms exist. tests/docs/ runs its examples."""

import ast
import importlib.util
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import wikisem
from benchmarks.__main__ import SECTIONS
from tests.docs.blocks import read_blocks
from tests.docs.commands_page import PAGE, commands_page
from wikisem.pipeline.cli import COMMANDS, FAMILIES, TOGETHER, open_command, parsers_of, split_beam_options
from wikisem.schemas import ENTITIES, NAMES

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "studies/README.md"])
GLOSSARY = ROOT / "docs" / "glossary.md"
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")


def test_the_python_page_names_everything_public() -> None:
    """Each name of ``wikisem`` and of ``wikisem.evaluate``, and each error, is on docs/python.md."""
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    errors = [name for name, value in vars(wikisem.errors).items() if isinstance(value, type)]
    names = [*wikisem.__all__, *wikisem.evaluate.__all__, *errors]
    assert [name for name in names if not re.search(rf"\b{name}\b", page)] == []
    assert dir(wikisem.evaluate) == sorted(wikisem.evaluate.__all__)
    assert len(names) > 30


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    """Every relative link of a page names a file of the repository."""
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


CODE_PATH = re.compile(
    r"(?<![\w/.])((?:wikisem|pipeline|transforms|heuristics|outputs|queries|evaluation|tests|benchmarks|studies|docs)/[\w./]*\w/?)"
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_files_that_a_page_names_exist(page: Path) -> None:
    """A path into the source tree, in backquotes or in a diff, is that of a file or folder."""
    text = page.read_text(encoding="utf-8")
    spans = [*re.findall(r"`([^`\n]+)`", text), *re.findall(r"^\+\+\+ (.*)$", text, re.MULTILINE)]
    named = {path for span in spans for path in CODE_PATH.findall(span) if span.startswith(path)}
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []
    assert named or page.name != "architecture.md"


def _listed(*patterns: str) -> list[str]:
    """The files of the repository that match."""
    command = ["git", "ls-files", *patterns]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "CHANGELOG.md"], ids=lambda page: page.name)
def test_modules_that_a_page_names_exist(page: Path) -> None:
    """A file of code in backquotes, named by the end of its path, is in the repository or in a release."""
    released = [f"{harness}_{what}.py" for harness in ("inspect", "euroeval") for what in ("wikisem", "walls")]
    listed = [*_listed("*"), *released, "_registry.py"]
    named = set(re.findall(r"`([\w/]+\.(?:py|c|h))`", page.read_text(encoding="utf-8")))
    assert [name for name in sorted(named) if not any(f"/{path}".endswith(f"/{name}") for path in listed)] == []


def test_the_page_of_benchmarks_has_every_section() -> None:
    """Under the title by which its program finds it again."""
    page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    for name in (*SECTIONS, "full_size_page"):
        titles = re.findall(r'write_section\(\s*"([^"]+)"', (ROOT / "benchmarks" / f"{name}.py").read_text("utf-8"))
        assert len(titles) == 1
        assert page.count(f"\n## {titles[0]}\n") == 1


def test_scores_in_the_readme_are_those_of_the_page_of_real_models() -> None:
    """Of each language the number of groups and the scores, without their intervals."""
    page = (ROOT / "docs/benchmarks/real-models.md").read_text(encoding="utf-8")
    names = {"de": "German", "ar": "Arabic", "en": "English", "ru": "Russian", "zh": "Chinese"}
    measured = {}
    for code, kind, row in re.findall(r"^\| (\w\w) \| (groups|walls), all \| (.*) \|$", page, re.MULTILINE):
        measured[kind, names.get(code)] = [re.sub(r" \(.*\)", "", cell.strip()) for cell in row.split("|")]
    table = (ROOT / "README.md").read_text(encoding="utf-8").partition("| chance |\n")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[1:]]
    for name, *scores in rows:
        assert scores == measured["walls" if "walls" in name else "groups", name.split()[0]], name
    assert len(rows) > 5


def test_the_diffs_of_the_architecture_page_fit_the_code() -> None:
    """Each line that a diff takes away is in the file that it names, and each diff has one file and one test."""
    diffs = [block.text for block in read_blocks("docs/architecture.md") if block.language == "diff"]
    assert len(diffs) == 3
    for diff in diffs:
        files = re.split(r"^\+\+\+ (.*)\n", diff, flags=re.MULTILINE)[1:]
        assert sorted(path.startswith("tests/") for path in files[::2]) == [False, True]
        for path, lines in zip(files[::2], files[1::2], strict=True):
            source = (ROOT / path).read_text(encoding="utf-8").splitlines()
            assert [line for line in lines.splitlines() if line.startswith("-") and line[1:] not in source] == []


def _make(*words: str | Path) -> str:
    command = ["make", "--no-print-directory", *map(str, words)]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True).stdout


def test_what_make_test_leaves_out_make_test_all_and_ci_run() -> None:
    """``make test`` runs every test but the slow ones, ``make test-all`` every one in full; both run ruff and mypy."""
    quick, whole = _make("--dry-run", "test"), _make("--dry-run", "test-all")
    pytest_runs = [[line for line in run.splitlines() if "-m pytest" in line] for run in (quick, whole)]
    assert [len(lines) for lines in pytest_runs] == [1, 1]
    assert pytest_runs[0][0] == f"{pytest_runs[1][0]} -m 'not slow' --hypothesis-profile=quick"
    assert all(check in run for run in (quick, whole) for check in ("ruff check", "ruff format", "mypy"))
    assert "\nmake test-all site " in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


def test_make_lets_python_keep_what_it_compiled(tmp_path: Path) -> None:
    """Where the environment forbids it, every start of Python in the tests would compile all that it imports."""
    (tmp_path / "show.mk").write_text('show:\n\t@echo "[$$PYTHONDONTWRITEBYTECODE]"\n')
    assert _make("--file", "Makefile", "--file", tmp_path / "show.mk", "show") == "[]\n"


def test_the_architecture_page_is_short() -> None:
    """It is read in one go: under 130 lines."""
    assert len((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8").splitlines()) < 130


def test_terms_of_the_glossary_exist() -> None:
    """Each class, function, field, module or option that the glossary gives for a term is defined in the code."""
    rows = re.findall(r"^\| ([^|]+) \|(?:\\\||[^|])*\| ([^|]*) \|", GLOSSARY.read_text(encoding="utf-8"), re.MULTILINE)
    packages = ["wikisem", "pipeline", "transforms", "heuristics", "outputs", "queries", "evaluation"]
    source = "\n".join(path.read_text(encoding="utf-8") for name in packages for path in (ROOT / name).rglob("*.py"))
    words = set(re.findall(r"[\w-]+", source))
    words |= {word[:end] for word in words for end in range(len(word)) if word[end] == "-"}
    missing = []
    for term, code in rows:
        for name in re.findall(r"`([^`]+)`", code):
            if name.startswith("wikisem."):
                found = importlib.util.find_spec(name) is not None
            else:
                parts = re.findall(r"[\w-]+", name.partition("=")[0])
                found = words.issuperset(parts)
            if not found:
                missing.append((term, name))
    assert missing == []
    assert len(rows) > 20


# Turns that a native reader has to translate back, each with what to write in its place.
TURNS = {
    r"cannot be meant": "is invalid",
    r"costs? itself": "only that record is dropped",
    r"whoever": "name who",
    r"nobody (can )?knows?": "is unknown",
    r"\blies? (in|on|at|behind|beside|below|there)\b": "is",
    r"stands? (in|on|at|under|for|beside|behind|before|below|between|there)\b": "is, means, replaces",
    r"\bbehind (it|them|a|the|its|--)\b": "after",
    r"\b[Aa] text (is|has|that|of|which|with)\b": "a string",
    r"what is said of": "what is known about",
}


def test_the_worst_turns_do_not_come_back() -> None:
    """Documentation, docstrings, comments and messages say what an engineer would say aloud."""
    files = [ROOT / name for name in _listed("*.py", "*.md") if not name.endswith("test_docs.py")]
    any_turn = re.compile("|".join(TURNS))
    found = [
        f"{path.relative_to(ROOT)}:{number}: {match[0]!r}: write {better!r}"
        for path in files
        if path.is_file()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if any_turn.search(line)
        for turn, better in TURNS.items()
        if (match := re.search(turn, line))
    ]
    assert len(files) > 300
    assert found == []


@pytest.mark.parametrize(("page", "schema"), [("docs/entities.md", ENTITIES), ("docs/labels.md", NAMES)])
def test_the_columns_of_public_tables_are_those_of_the_page(page: str, schema: pa.Schema) -> None:
    """The first table of the page has a row for each, in their order."""
    table = (ROOT / page).read_text(encoding="utf-8").partition("| column |")[2].partition("\n\n")[0]
    assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == schema.names


# Messages of Python and of Beam that the page of troubles quotes, and where ours makes them say so.
OTHERS_MESSAGES = {"No module named 'fcntl'": ("wikisem/atomic_files.py", "\nimport fcntl\n")}


def _said(source: str) -> Iterator[str]:
    """The strings of a module, with "…" for each value that is put into one."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            parts = [str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values]
            yield re.sub("…+", "…", "".join(parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield re.sub("%[ds]", "…", node.value)


def test_messages_on_the_page_of_troubles_are_those_of_the_code() -> None:
    """Each begins a paragraph, between backquotes, with "…" for what differs from case to case."""
    page = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    starts = "\n".join(re.findall(r"^\*\*`.*(?= — )", page, re.MULTILINE))
    quoted = re.findall(r"\*\*`([^`]+)`", starts)
    modules = [(ROOT / name).read_text(encoding="utf-8") for name in _listed("*.py") if not name.startswith("tests/")]
    said = "\n".join(text for module in modules for text in _said(module))
    assert [message for message in quoted if message not in said and message not in OTHERS_MESSAGES] == []
    for path, line in OTHERS_MESSAGES.values():
        assert line in (ROOT / path).read_text(encoding="utf-8")
    assert len(quoted) > 20


def test_every_command_is_in_one_family_and_has_examples() -> None:
    """A command is a module of wikisem.pipeline.commands, or one of several in a module."""
    listed = [name for commands in FAMILIES.values() for name in commands]
    assert len(listed) == len(COMMANDS)
    modules = {path.stem for path in (ROOT / "pipeline" / "commands").glob("*.py")} - {"__init__"}
    assert {TOGETHER.get(name, name) for name in listed} == modules


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_help_ends_in_two_examples_that_parse(command: str) -> None:
    """Of a command and of each task in it; they are different, and lines that a shell takes."""
    whole = open_command(command)[1]
    for words, parser in parsers_of(command, whole):
        heading, *examples = (parser.epilog or "").split("\n  ")
        assert heading == "examples:"
        assert len(examples) == 2, f"{words}: expected two examples in wikisem/pipeline/commands.toml"
        first, second = examples
        assert first != second
        assert parser.format_help().endswith(f"examples:\n  {first}\n  {second}\n")
        for line in (first, second):
            assert f"{line} ".startswith(f"wikisem {words} ")
            whole.parse_args(split_beam_options(shlex.split(line)[2:])[0])


def test_the_reference_of_commands_is_what_the_parsers_say() -> None:
    """Word for word: nothing of it is written by hand."""
    assert PAGE.read_text(encoding="utf-8") == commands_page(), "run python -m tests.docs.commands_page"
