"""What the documentation site has beside docs/: the start page, changes, the API, a style, and the rest of the menu."""

import re
import tomllib
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
API = """# API

What `import wikisem` offers; [Python](python.md) has examples that are tests.

::: wikisem.pipeline.api
::: wikisem.evaluate
::: wikisem.outputs.groupfile
    options: {members: [read_groups]}
::: wikisem.records
::: wikisem.errors
"""

# Tables without a header have an empty one in Markdown; columns are as narrow as what is in them.
STYLE = """.md-typeset table:not([class]) thead:not(:has(th:not(:empty))) { display: none }
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
        "api.md": API,
        "style.css": STYLE,
    }
    for name, text in pages.items():
        files.append(File.generated(config, name, content=text))
    return files


def _page(name: str) -> str:
    """A page at the top of the repository with its links as they are within the site."""
    text = (ROOT / name).read_text(encoding="utf-8")
    text = re.sub(r"\]\(docs/", "](", text)
    text = text.replace("](CHANGELOG.md)", "](changelog.md)").replace("](CONTRIBUTING.md)", "](contributing.md)")
    return re.sub(r"\[([^\]]*)\]\(LICENSE\)", r"\1", text)
