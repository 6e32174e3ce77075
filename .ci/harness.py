"""Runs the harnesses over releases, with a tiny random model made on the spot, and checks their numbers against ours.

    python .ci/harness.py            # make an environment in .versions/harness (gigabytes: torch), run, print the table
    python .ci/harness.py --write    # and write the table to docs/harnesses/results.md

The releases are those of benchmarks/releases.py, five where $WIKISEM_DATA names the real data. Nothing comes from a
network but the packages: the model has two layers, random weights and a token for each byte. The Python is 3.12, which
EuroEval needs.
"""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".versions" / "harness"


def main(words: list[str]) -> int:
    """Make the environment unless $HARNESS_PYTHON names one, and run harness_run.py in it."""
    python = os.environ.get("HARNESS_PYTHON") or _make_environment()
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "OMP_NUM_THREADS": "2"}
    environment |= {"PYTHONPATH": str(ROOT), "UV": _uv()}  # for benchmarks.releases; to install a release as a package
    command = [python, str(ROOT / ".ci" / "harness_run.py"), *words]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def _uv() -> str:
    return str(Path(sys.executable).parent / "uv")


def _make_environment() -> str:
    python = str(FOLDER / "bin" / "python")
    if not Path(python).exists():
        subprocess.run([_uv(), "venv", "--quiet", "--python", "3.12", str(FOLDER)], check=True)
    subprocess.run(
        [_uv(), "pip", "install", "--quiet", "--python", python, "--editable", ".[harness]"], cwd=ROOT, check=True
    )
    return python


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
