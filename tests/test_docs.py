"""What the documentation says is true: its examples run, its links lead somewhere, its terms exist."""

import doctest
import re
from pathlib import Path

import pytest

import wikisem
from wikisem.pipeline.demo.sample_world import write_world

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a page in one language."""
    return [text for name, text in FENCE.findall(page.read_text(encoding="utf-8")) if name == language]


def test_the_python_page_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every example of docs/python.md gives the output that the page shows, on the demo's sample world."""
    (tmp_path / "demo" / "dumps").mkdir(parents=True)
    write_world(str(tmp_path / "demo" / "dumps"))
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "python.md"
    examples = doctest.DocTestParser().get_doctest("\n".join(blocks(page, "python")), {}, page.name, str(page), 0)
    report: list[str] = []
    result = doctest.DocTestRunner().run(examples, out=report.append)
    assert result.failed == 0, "".join(report)
    assert result.attempted > 25


def test_the_python_page_names_everything_public() -> None:
    """Each name of ``wikisem`` and of ``wikisem.evaluate``, and each error, is on docs/python.md."""
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    errors = [name for name, value in vars(wikisem.errors).items() if isinstance(value, type)]
    names = [*wikisem.__all__, *wikisem.evaluate.__all__, *errors]
    assert [name for name in names if not re.search(rf"\b{name}\b", page)] == []
    assert len(names) > 30


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    """Every relative link of a page names a file of the repository."""
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []
