"""Files around the code that nothing imports: the site's pages, the image of a worker, the citation."""

import ast
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

import wikisem

ROOT = Path(__file__).parent.parent


def test_every_page_that_the_menu_names_is_there() -> None:
    """Of docs/, or made by .ci/site_pages.py, which also adds the pages that the menu does not name."""
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    named = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    assert len(pages & named) > 30
    assert named - pages == {"index.md", "api.md", "contributing.md", "changelog.md"}


def test_the_page_of_the_api_has_every_public_name() -> None:
    """Once, under the name that is imported."""
    source = (ROOT / ".ci" / "site_pages.py").read_text(encoding="utf-8")
    parts = ast.literal_eval(re.search(r"^API = (\{.*?^\})", source, re.MULTILINE | re.DOTALL)[1])  # type: ignore[index]
    assert sorted(name for names in parts.values() for name in names) == sorted({*wikisem.__all__} - {"__version__"})


def test_the_image_of_a_worker_has_the_beam_that_stages_were_measured_on() -> None:
    """The lowest Beam and the lowest Python that pyproject.toml allows."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    beam, python = re.search(r"apache-beam>=([\d.]+)", project), re.search(r'requires-python = ">=([\d.]+)"', project)
    assert beam
    assert python
    assert f"ARG BEAM={beam[1]}.0\n" in dockerfile
    assert f"ARG PYTHON={python[1]}\n" in dockerfile
    copied = (ROOT / ".dockerignore").read_text(encoding="utf-8").split()
    assert {".git", ".venv", ".versions"} <= set(copied)


def test_the_citation_is_one() -> None:
    """CITATION.cff has what version 1.2.0 of its schema requires, and the paper."""
    yaml = pytest.importorskip("yaml")
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "title", "message", "authors"} <= citation.keys()
    assert citation["preferred-citation"]["url"] == "https://arxiv.org/abs/1611.01547"
    assert [author["family-names"] for author in citation["preferred-citation"]["authors"]] == [
        "Blair",
        "Merhav",
        "Barry",
    ]


def test_only_the_project_file_knows_where_wikisem_is_to_be_had() -> None:
    """Its [project.urls]; CITATION.cff repeats the repository, and nothing else has an address of wikisem."""
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"].get("urls", {})
    cited = re.search(r"^repository-code: (\S+)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert (cited[1] if cited else None) == urls.get("Repository")
    address = r"(github|gitlab|codeberg|readthedocs|pypi)[^ ]*/wikisem|wikisem\.(github|readthedocs|org|dev)"
    command = ["git", "grep", "--extended-regexp", "--files-with-matches", address]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    assert set(found) <= {"pyproject.toml", "CITATION.cff", "tests/test_site.py"}
