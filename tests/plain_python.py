"""Run Python as after `pip install wikisem`: what only extras bring is not found."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = (
    "agreement",
    "all",
    "build",
    "categories",
    "chinese",
    "counts",
    "figures",
    "model2vec",
    "tokenizers",
    "wordnet",
)

_START = """
import sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {missing}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
"""


def names_of(lines: list[str]) -> set[str]:
    """The packages of some requirements, without the extras of wikisem itself."""
    return {name for line in lines if (name := re.split(r"[><=\[; ]", line)[0]) != "wikisem"}


def run_plain(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A script in a Python of its own, in which packages of extras are missing."""
    brought = {name for extra in EXTRAS for name in names_of(PROJECT["optional-dependencies"][extra])}
    missing = {name.replace("-", "_") for name in brought - names_of(PROJECT["dependencies"])}
    command = [sys.executable, "-c", _START.format(missing=missing) + script]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
