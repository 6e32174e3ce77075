"""What the documentation site has beside docs/: the start page, changes, the API, a style, and the rest of the menu."""

import re
import tomllib
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
# The public names by what they are for, each under the name that is imported.
API = {
    "Read sets": ["read_groups", "read_walls", "read_dataset"],
    "Build": ["load_recipe", "build", "BuildResult"],
    "Look at a run, and publish it": ["audit", "explain", "browse", "release", "sample"],
    "Check a data set": ["check", "Violation", "language_profile", "LanguageProfile"],
    "Ask the class graph": ["Taxonomy"],
    "Read one dump file": ["read_entities", "count_links"],
    "Records": ["Group", "Member", "Outlier", "Wall", "Recipe"],
    "Score a model": ["evaluate"],
    "Errors": ["errors"],
}

# Tables without a header have an empty one in Markdown; columns are as narrow as what is in them, and tables that
# commands print have no gaps between their lines.
STYLE = """.md-grid { max-width: 76rem }
.md-typeset pre > code { line-height: 1.25 }
.md-typeset table:not([class]) thead:not(:has(th:not(:empty))) { display: none }
.md-typeset table:not([class]) th { min-width: 0 }
.md-typeset table:not([class]) :is(th, td) { padding: .5em .8em }
.md-typeset td a code { white-space: nowrap }
"""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put pages that the menu does not name yet into a part of their own, and take addresses from pyproject.toml."""
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"].get("urls", {})
    config.site_url, config.repo_url = urls.get("Documentation", ""), urls.get("Repository", "")
    named = set(re.findall(r"[\w/-]+\.md", str(config.nav)))
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    if more := sorted(pages - named):
        config.nav = [*(config.nav or []), {"More": more}]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not in docs/."""
    pages = {
        "index.md": _page("README.md"),
        "contributing.md": _page("CONTRIBUTING.md"),
        "changelog.md": _page("CHANGELOG.md"),
        "api.md": _api(),
        "style.css": STYLE,
    }
    for name, text in pages.items():
        files.append(File.generated(config, name, content=text))
    return files


def _api() -> str:
    """A heading for each part, and a line for each name that mkdocstrings replaces by its docstrings."""
    lines = ["# API", "What `import wikisem` offers; [Python](python.md) has examples that are tests."]
    for heading, names in API.items():
        lines += [f"## {heading}", *(f"::: wikisem.{name}\n    options: {{heading_level: 3}}" for name in names)]
    return "\n\n".join(lines) + "\n"


def _page(name: str) -> str:
    """A page at the top of the repository with its links as they are within the site."""
    text = (ROOT / name).read_text(encoding="utf-8")
    text = re.sub(r"\]\(docs/", "](", text)
    text = text.replace("](CHANGELOG.md)", "](changelog.md)").replace("](CONTRIBUTING.md)", "](contributing.md)")
    return re.sub(r"\[([^\]]*)\]\(LICENSE\)", r"\1", text)
