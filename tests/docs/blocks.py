"""The code blocks of the documentation, and the commands in them."""

import re
import shlex
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent.parent
PAGES: Final = tuple(
    path.relative_to(ROOT).as_posix()
    for path in [
        *map(ROOT.joinpath, ("README.md", "CONTRIBUTING.md", "studies/README.md")),
        *sorted(ROOT.glob("docs/**/*.md")),
    ]
    if path.name != "commands.md"  # made from the parsers, whose examples tests/test_docs.py parses
)
_BLOCK: Final = re.compile(r"^( *)```([^\n]*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_FENCE: Final = re.compile(r"^ *(```|~~~)", re.MULTILINE)
_SPAN: Final = re.compile(r"`((?:wikisem |python -m (?:benchmarks|studies|tests)|--)[^`]+)`")


@dataclass(frozen=True)
class Block:
    """A fenced block: its page and line, the language after the fence, and its text."""

    page: str
    line: int
    language: str
    text: str

    @property
    def where(self) -> str:
        """The place as a reader would name it."""
        return f"{self.page}:{self.line}"


@dataclass(frozen=True)
class Command:
    """A line after a prompt, continued lines joined, and what the page shows of its output."""

    text: str
    output: str

    @property
    def words(self) -> list[str]:
        """The words that a shell would make of it, without a comment."""
        return shlex.split(self.text, comments=True)


def read_blocks(page: str) -> list[Block]:
    """The blocks of a page in their order; AssertionError where a fence is not one of theirs."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = [
        Block(page, text.count("\n", 0, match.start()) + 1, match[2], textwrap.dedent(match[3]))
        for match in _BLOCK.finditer(text)
    ]
    assert len(_FENCE.findall(text)) == 2 * len(found), f"{page}: a fence without its other end"
    return found


def all_blocks() -> list[Block]:
    """The blocks of all pages."""
    return [block for page in PAGES for block in read_blocks(page)]


def commands(block: Block) -> Iterator[Command]:
    """The commands of a console block; AssertionError for what comes before the first prompt."""
    before, *typed = re.split(r"^\$ ", block.text, flags=re.MULTILINE)
    assert not before, f"{block.where}: expected a prompt first, saw {before!r}"
    for lines in typed:
        line, _, output = re.sub(r"\\\n *", "", lines).partition("\n")
        yield Command(line, output)


def spans(page: str) -> list[str]:
    """The commands and options that a page names between backquotes, outside of blocks."""
    text = _BLOCK.sub("", (ROOT / page).read_text(encoding="utf-8"))
    return [re.sub(r"\s+", " ", span).replace("\\|", "|") for span in _SPAN.findall(text)]


@dataclass(frozen=True)
class Row:
    """A row of a table of docs/papers.md: its paper, where in it, what it defines, and what wikisem has of it."""

    paper: str
    where: str
    what: str
    cell: str

    @property
    def calls(self) -> list[str]:
        """The commands and the Python expressions between backquotes."""
        return [span for span in re.findall(r"`([^`]+)`", self.cell) if re.search(r"^wikisem |\bwikisem\.", span)]


def read_rows(page: str) -> list[Row]:
    """The rows of the tables of three columns, each under the heading of its paper."""
    found, paper = [], ""
    for line in (ROOT / page).read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            paper = line.removeprefix("## ")
        elif line.startswith("| ") and not line.startswith("| where |"):
            where, what, cell = (each.strip() for each in line.strip("|").split(" | "))
            found.append(Row(paper, where, what, cell.removesuffix(" |")))
    return found
