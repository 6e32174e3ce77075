"""Every code block of README.md, CONTRIBUTING.md and docs/ is run, read, or set aside with a reason."""

import contextlib
import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.blocks import PAGES, all_blocks, commands, read_blocks, read_rows, spans
from tests.docs.real_samples import REAL_SAMPLES
from tests.docs.runs import LANGUAGES, PageRun, check_span, reason_aside, treatment
from tests.docs.samples import SAMPLES, make_samples, mirror
from tests.docs.tables import INSTEAD, OTHER_OUTPUT, SET_ASIDE, TEXTS
from wikisem.pipeline.cli import main, open_command
from wikisem.pipeline.commands import download

BLOCKS = all_blocks()
COMMANDS = [command.text for block in BLOCKS if block.language == "console" for command in commands(block)]
DIFFS = 3  # which tests/test_docs.py holds against the code


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One finished demo, which the samples of all pages are from."""
    folder = tmp_path_factory.mktemp("docs") / "demo"
    with contextlib.redirect_stdout(io.StringIO()):
        assert main(["demo", "--output", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def url(demo: Path) -> Iterator[str]:
    """A server with the demo's dumps."""
    with mirror(demo) as address:
        yield address


@pytest.mark.slow
@pytest.mark.parametrize("page", sorted({block.page for block in BLOCKS}))
def test_a_page_does_what_it_says(
    page: str, demo: Path, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the order of the page, in one folder: commands end as shown and print what is shown, data can be read."""
    make_samples(page, tmp_path, demo)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(download.OPTIONS["--mirror"], "default", url)
    run = PageRun(demo)
    for block in read_blocks(page):
        run.block(block)


PAPERS = "docs/papers.md"
ROWS = read_rows(PAPERS)
# How many equations, tables and figures each paper numbers.
NUMBERED = {
    "Blair, Merhav and Barry 2016": {"equation": 16, "table": 6, "figure": 3},
    "Camacho-Collados and Navigli 2016": {"equation": 7, "table": 3, "figure": 0},
    "Gamallo 2019": {"equation": 0, "table": 8, "figure": 1},
    "Stringham and Izbicki 2020": {"equation": 8, "table": 1, "figure": 5},
    "Gao, Bian and Liu 2014": {"equation": 1, "table": 5, "figure": 0},
}


@pytest.mark.slow
@pytest.mark.parametrize("paper", NUMBERED)
def test_each_row_of_a_paper_does_what_it_says(
    paper: str, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its commands run, and its expressions are true; a row without any says what is not there."""
    make_samples(PAPERS, tmp_path, demo)
    monkeypatch.chdir(tmp_path)
    run = PageRun(demo)
    for row in (row for row in ROWS if row.paper == paper):
        assert row.calls or row.cell.startswith("**Not there**: "), row
        run.row(row)


@pytest.mark.parametrize("paper", NUMBERED)
def test_every_numbered_part_of_a_paper_has_a_row(paper: str) -> None:
    """Its equations, tables and figures; no row names one that the paper does not have."""
    named: dict[str, set[int]] = {kind: set() for kind in NUMBERED[paper]}
    for row in (row for row in ROWS if row.paper == paper):
        for kind, numbers in re.findall(r"(equation|table|figure)s? ([0-9]+(?:, [0-9]+)*)", row.where):
            named[kind] |= set(map(int, numbers.split(", ")))
    assert named == {kind: set(range(1, last + 1)) for kind, last in NUMBERED[paper].items()}
    assert {row.paper for row in ROWS} == set(NUMBERED)


@pytest.mark.slow
@pytest.mark.realdata
@pytest.mark.parametrize("page", sorted(REAL_SAMPLES))
def test_numbers_of_real_data_are_those_of_the_page(
    page: str, demo: Path, realdata: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Output that the samples cannot give is what the real dumps and vectors give."""
    make_samples(page, tmp_path, demo)
    monkeypatch.chdir(tmp_path)
    for name, make in REAL_SAMPLES[page].items():
        make(Path(name), realdata)
    run = PageRun(demo, real=True)
    for block in read_blocks(page):
        run.block(block)


@pytest.mark.parametrize("page", PAGES)
def test_commands_between_backquotes_exist(page: str) -> None:
    """Each names a command, and only options that the command has; an option alone is one of ours or in the table."""
    for span in spans(page):
        check_span(span)


@pytest.mark.parametrize("page", ["README.md", "docs/tasks.md"])
def test_the_commands_of_a_table_parse(page: str) -> None:
    """Word by word, as somebody would type them."""
    typed = [span.split()[1:] for span in spans(page) if span.startswith("wikisem ") and len(span.split()) > 2]
    for name, *words in typed:
        open_command(name)[1].parse_args(words)
    assert len(typed) > 8


def test_no_block_escapes() -> None:
    """Every block has a language with a rule; every block of text is in the table; no table has what is not there."""
    assert {block.where: block.language for block in BLOCKS if block.language not in LANGUAGES} == {}
    texts = [block for block in BLOCKS if block.language == "text"]
    assert len({treatment(block) + block.where for block in texts}) == len(texts) == len(TEXTS)
    for table in (SET_ASIDE, OTHER_OUTPUT):
        assert [start for start in table if not any(command.startswith(start) for command in COMMANDS)] == []
    assert [words for words in INSTEAD if not any(words in command for command in COMMANDS)] == []
    assert set(SAMPLES) | set(REAL_SAMPLES) <= set(PAGES)


def test_most_commands_are_run() -> None:
    """What is set aside stays the exception."""
    wikisem = [command for command in COMMANDS if command.startswith("wikisem ")]
    aside = [command for command in wikisem if reason_aside(command)]
    assert len(aside) <= 8
    assert len(wikisem) > 40
    assert sum(block.language == "diff" for block in BLOCKS) == DIFFS
