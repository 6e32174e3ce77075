"""What is done with each block of a page: commands and Python are run, data is read by the loader that it is for."""

import argparse
import contextlib
import doctest
import functools
import importlib.util
import io
import itertools
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

import wikisem
from benchmarks.reading import HIDDEN, JUDGEMENTS
from tests.docs.blocks import ROOT, Block, Command, Row, commands
from tests.docs.tables import INSTEAD, OTHER_OUTPUT, OTHERS_OPTIONS, SET_ASIDE, TEXTS
from tests.engines.plan import check_options
from tests.outputs.annotation.forms import page_answers
from wikisem.categories.lexeme_pairs import load_relations
from wikisem.categories.recipe import parse_category_recipe
from wikisem.datasets.word_groups import read_dataset
from wikisem.outputs.annotation.sheets import read_key
from wikisem.outputs.groupfile import decode_group, read_groups
from wikisem.pipeline.cli import COMMANDS, main, open_command, split_beam_options
from wikisem.recipes.load import parse_recipe


def reason_aside(command: str) -> str:
    """Why a command is not run; empty if it is."""
    return next((reason for start, reason in SET_ASIDE.items() if command.startswith(start)), "")


class PageRun:
    """The blocks of a page in its folder, one after the other: each finds what those before it left."""

    def __init__(self, demo: Path, real: bool = False) -> None:
        """``demo`` is the folder of a finished demo; ``real`` if samples are real data."""
        self.demo = demo
        self.real = real
        self.printed: dict[str, str] = {}
        self.names: dict[str, Any] = {}
        self.found: Any = None  # what the last query gave

    def block(self, block: Block) -> None:
        """Do what its language asks for."""
        _BY_LANGUAGE[block.language](self, block)

    def console(self, block: Block) -> None:
        """Run the commands, and compare their output with what the page shows."""
        for command in commands(block):
            if reason_aside(command.text):
                check_set_aside(command)
            else:
                self._run(command)
            shown = command.output.splitlines()
            if shown and self._is_comparable(command.text):
                assert_in_order(shown, self.printed[" ".join(command.words)])

    def row(self, row: Row) -> None:
        """Run the commands of a row of docs/papers.md, and evaluate its expressions, which are true."""
        for call in row.calls:
            if call.startswith("wikisem "):
                self._run(Command(call, ""))
            else:
                assert eval(call, {"wikisem": wikisem}), f"{row.paper}, {row.where}: {call}"

    def _is_comparable(self, command: str) -> bool:
        other = next((why for start, why in OTHER_OUTPUT.items() if command.startswith(start)), "")
        return not other or (other == "real" and self.real)

    def _run(self, command: Command) -> None:
        text = command.text
        for shown, (run, _) in INSTEAD.items():
            text = text.replace(shown, run)
        program, *words = Command(text, "").words
        assert program == "wikisem", f"no rule for {text!r}"
        if words[:2] == ["annotate", "--score"]:
            _answer(Path(words[2]))
        name = " ".join(command.words)
        code = self._print_of(name, [each for word in words for each in _expand(word)])
        failed = re.search(r"\Awikisem: |, [1-9]\d* breaks? a rule$", command.output, re.MULTILINE)
        assert (code != 0) == bool(failed), (text, code, self.printed[name])

    def _print_of(self, name: str, words: list[str]) -> int:
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            code = main(words)
        self.printed[name] = out.getvalue()
        return code

    def usage(self, block: Block) -> None:
        """Every line is a command whose words and options the parser knows; those in brackets may be left out."""
        for line in block.text.splitlines():
            check_usage(line)

    def python(self, block: Block) -> None:
        """Examples give what they show; a script runs."""
        if block.text.startswith("from datasets import"):
            pytest.importorskip("datasets")
        if ">>>" not in block.text:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(block.text, block.where, "exec"), self.names)
            self.found = self.names["table"].to_pylist() if "table" in self.names else None
            return
        examples = doctest.DocTestParser().get_doctest(block.text, {}, block.where, block.page, block.line)
        examples.globs = self.names
        report: list[str] = []
        failed, attempted = doctest.DocTestRunner().run(examples, out=report.append, clear_globs=False)
        assert attempted
        assert failed == 0, "".join(report)

    def toml(self, block: Block) -> None:
        """The recipe is valid, and is there under the name that the page's commands give it."""
        _LOADERS[block.page](block.text)
        if name := tomllib.loads(block.text).get("name"):
            # The sample world has no item so young.
            Path(f"{name}.toml").write_text(block.text.replace("Q130000000", "Q2"))

    def json(self, block: Block) -> None:
        """What the page shows of a file is read by what reads the file."""
        _READERS[block.page](block.text, self.demo)

    def sql(self, block: Block) -> None:
        """DuckDB runs the query."""
        duckdb = pytest.importorskip("duckdb")
        self.found = [list(map(str, row)) for row in duckdb.sql(block.text).fetchall()]

    def csv(self, block: Block) -> None:
        """A data set, by the name that the page gives it."""
        Path("fruit.csv").write_text(block.text, encoding="utf-8")
        assert read_dataset("fruit.csv")

    def diff(self, block: Block) -> None:
        """Held against the code elsewhere: tests/test_docs.py."""

    def text(self, block: Block) -> None:
        """Compare it with the output or file that it is of; the table says of every block what it is."""
        kind, _, what = treatment(block).partition(": ")
        if kind == "output" or (kind == "real output" and self.real):
            (printed,) = [text for command, text in self.printed.items() if command.startswith(what)][:1]
            assert_in_order(block.text.splitlines(), printed)
        elif kind == "file" or (kind == "real file" and self.real):
            path = self.demo.parent / what if kind == "file" else Path(what)
            assert block.text.rstrip() in path.read_text(encoding="utf-8")
        elif kind == "paths":
            paths = [line.split()[0].replace("out/", "") for line in block.text.splitlines()]
            assert [path for path in paths if not (self.demo / path).exists()] == []
        elif kind == "error":
            assert self._print_of("error", [*what.split()[1:], "--wikidata", "x", "--output", "out"]) == 2
            assert self.printed["error"].splitlines()[-1] == block.text.strip()
        elif kind == "result" and self.real:
            assert self.found == _rows(block.text)


def treatment(block: Block) -> str:
    """What the table says of a block of text."""
    (found,) = [what for (page, start), what in TEXTS.items() if page == block.page and block.text.startswith(start)]
    return found


def check_set_aside(command: Command) -> None:
    """What a command that is not run names is there: options, extras, targets, modules."""
    words = command.words
    if words[0] == "wikisem":
        ours, beam_options = split_beam_options(words[1:])
        # A URL is refused where its file system's package is not installed: parsed as a path.
        _, parser = open_command(ours[0])
        parser.parse_args([word.replace("gs://", "/") for word in ours[1:]])
        check_options(beam_options)
    elif words[0] == "pip":
        known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
        if extras := re.fullmatch(r"(?:\.|wikisem)\[(.*)\]", words[-1]):
            assert set(extras[1].split(",")) <= set(known)
    elif words[0] == "make":
        assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.MULTILINE), words
    elif words[0] == "python":
        _check_module(words)
    else:
        assert words[0] == "hf"
        program = Path(sys.executable).with_name("hf")
        if program.exists():  # it comes with what is installed for the tests of releases
            said = _help(str(program), *itertools.takewhile(lambda word: "/" not in word, words[1:]))
            assert [word for word in words if word.startswith("--") and word not in said] == []


@functools.cache
def _help(*words: str) -> str:
    """What a program says of a command of its own; pages name the same ones."""
    return subprocess.run([*words, "--help"], capture_output=True, text=True, check=True).stdout


def is_known(option: str) -> bool:
    """Whether a command of ours has an option, or it is another program's: those of Beam have an underscore."""
    return "_" in option or option in OTHERS_OPTIONS or option in _all_options()


def options_of(parser: argparse.ArgumentParser) -> set[str]:
    """All options that a parser knows, and the parsers of tasks in it."""
    found: set[str] = set()
    for action in parser._actions:
        found.update(action.option_strings)
        if isinstance(action, argparse._SubParsersAction):
            found |= {option for task in action.choices.values() for option in options_of(task)}
    return found


@functools.cache
def _all_options() -> frozenset[str]:
    return frozenset(option for name in COMMANDS for option in options_of(open_command(name)[1]))


def _check_module(words: list[str]) -> None:
    """A module that ``python -m`` runs is there, and its source has the options."""
    spec = importlib.util.find_spec(words[2]) or importlib.util.find_spec(f"{words[2]}.__main__")
    assert spec
    assert spec.origin
    files = [Path(spec.origin), Path(spec.origin).with_name("__main__.py")]
    source = "".join(file.read_text(encoding="utf-8") for file in files if file.exists())
    ours, _ = split_beam_options(words[3:])
    assert [word for word in ours if word.startswith("--") and f'"{word}"' not in source] == []


def check_usage(line: str) -> None:
    """A synopsis parses without what is in brackets, and every option in brackets is one of the command's."""
    options = re.findall(r"(?<=[\[ ])--?[a-z][\w-]*", line)
    needed = [word.removesuffix("...") for word in re.sub(r"\[[^\]]*\]", "", line).split() if word != "..."]
    _, parser = open_command(needed[1])
    parser.parse_args(needed[2:])
    assert [option for option in options if option not in options_of(parser)] == []


def check_span(span: str) -> None:
    """A command between backquotes is one of ours, and knows each of its options; an option alone is known to one."""
    if span.startswith("--"):
        options = re.findall(r"(?<![\w-])--[a-z][\w-]*", span)
        assert [option for option in options if not is_known(option)] == []
        return
    if span.startswith("python "):
        _check_module(span.split())
        return
    words = split_beam_options(span.split()[1:])[0]
    if words and words[0] in COMMANDS:
        known = options_of(open_command(words[0])[1])
        named = [word.strip("[]") for word in words if word.strip("[]").startswith("-")]
        assert [option for option in named if option not in known] == []
    else:
        assert words in (["--version"], ["--help"]) or not words[0].startswith("-")


def assert_in_order(lines: list[str], printed: str) -> None:
    """Each line was printed, in this order."""
    rest = iter([line.rstrip() for line in printed.splitlines()])
    missing = [line for line in lines if line.strip() and line.rstrip() not in rest]
    assert not missing, f"expected {missing[0]!r} in\n{printed}"


def _expand(word: str) -> list[str]:
    """The files that a shell would put in place of a word; a quoted LANG=PATH stays as it is."""
    return (sorted(map(str, Path().glob(word))) if "*" in word and "=" not in word else []) or [word]


def _answer(sheets: Path) -> None:
    """Made-up answers: the n-th annotator cannot tell one case, has n - 1 wrong, and the third leaves out the last."""
    key = read_key(sheets)
    for number, (annotator, cases) in enumerate(key.annotators.items()):
        choices = {case: key.by_id[case].outlier for case in cases}
        choices |= {case: key.by_id[case].outlier % 7 + 1 for case in cases[1 : number + 1]} | {cases[0]: 0}
        if number == 2:
            del choices[cases[-1]]
        (sheets / "answers" / f"{annotator}.json").write_bytes(page_answers(key.sheet(annotator), choices))


def _rows(text: str) -> Any:
    """The cells of a table as DuckDB draws it, or a Python value."""
    if text.startswith("["):
        return json.loads(text.replace("'", '"'))
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines() if line.startswith("│")]
    return rows[1:]


def _category_recipe(text: str) -> None:
    data = tomllib.loads(text)
    if "relation" in data:
        own = [{"name": "countries", "class": "Q6256"}, {"name": "capitals", "class": "Q5119"}]
        data = {"name": "with-categories", "category": own, **data}
    parse_category_recipe(data)


def _relations(text: str) -> None:
    Path("relations.toml").write_text(text)
    assert load_relations(Path("relations.toml"))


def _recipe(text: str) -> None:
    parse_recipe(tomllib.loads(text))


def _own_recipe(text: str) -> None:
    _recipe(text)
    Path("mine.toml").write_text(text)


_LOADERS: Final[Mapping[str, Callable[[str], None]]] = {
    "docs/categories.md": _category_recipe,
    "docs/lexemes.md": _relations,
    "docs/parallel.md": _recipe,
    "docs/recipes.md": _recipe,
    "docs/surface-forms.md": _recipe,
    "docs/witness.md": _recipe,
    "docs/tutorial.md": _own_recipe,
}


def _group(text: str, demo: Path) -> None:
    """A line of groups, shortened: its items are those of the demo."""
    shown = decode_group(re.sub(r",\s*\.\.\.", "", text).replace("\n", " "))
    (group,) = [each for each in read_groups(demo, shown.language) if each.qid == shown.qid]
    assert (shown.label, shown.cluster[0], shown.outliers[0]) == (group.label, group.cluster[0], group.outliers[0])


def _judgement(text: str, demo: Path) -> None:
    """A line of a sheet, or of a reader's answers."""
    del demo
    line = json.loads(text)
    assert line.get("judgement", "good") in JUDGEMENTS
    assert not set(line) & set(HIDDEN)


_READERS: Final[Mapping[str, Callable[[str, Path], None]]] = {
    "docs/output-folder.md": _group,
    "docs/reading/guide.md": _judgement,
}

_BY_LANGUAGE: Final[Mapping[str, Callable[[PageRun, Block], None]]] = {
    "console": PageRun.console,
    "usage": PageRun.usage,
    "python": PageRun.python,
    "toml": PageRun.toml,
    "json": PageRun.json,
    "sql": PageRun.sql,
    "diff": PageRun.diff,
    "text": PageRun.text,
    "csv": PageRun.csv,
}
LANGUAGES: Final = frozenset(_BY_LANGUAGE)
