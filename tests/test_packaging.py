"""What an installed wikisem holds: every package and every data file of the tree."""

import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
SETUP = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]
TOP = ("evaluation", "heuristics", "outputs", "pipeline", "queries", "transforms", "wikisem")


def test_every_package_of_the_tree_is_installed() -> None:
    """The explicit list in pyproject.toml names exactly the folders that hold modules."""
    folders = {path.parent for top in TOP for path in (ROOT / top).rglob("*.py")}
    assert {str(folder.relative_to(ROOT)).replace("/", ".") for folder in folders} == set(SETUP["packages"])


def test_every_data_file_of_the_tree_is_installed() -> None:
    """Each file in a package that is no module is matched by that package's data patterns."""
    data = [path for top in TOP for path in (ROOT / top).rglob("*") if path.is_file()]
    data = [path for path in data if path.suffix not in {".py", ".pyc"}]
    assert len(data) > 1
    lost = [str(path) for path in data if not _is_installed(path)]
    assert lost == []


def _is_installed(path: Path) -> bool:
    for package, patterns in SETUP["package-data"].items():
        folder = ROOT / package.replace(".", "/")
        if folder in path.parents and any(fnmatch(str(path.relative_to(folder)), pattern) for pattern in patterns):
            return True
    return False


@pytest.mark.parametrize("name", ["README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "setup.py"])
def test_a_stranger_finds_what_a_stranger_looks_for(name: str) -> None:
    """The files that every project has stand at the top."""
    assert (ROOT / name).stat().st_size > 0
