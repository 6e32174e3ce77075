"""Runs the suite on the lowest versions that pyproject.toml declares, and on the newest that there are.

    python .ci/versions.py lowest    # the lowest Python, the lowest version of every dependency
    python .ci/versions.py newest    # the newest Python that is installed, the newest versions
    python .ci/versions.py prepare   # the lowest versions, without wikisem: beside the tests of another environment
    python .ci/versions.py quick     # in what that made: every module imported, quick tests that start no pipeline

Each has its environment in .versions/. uv resolves and installs; only wheels are taken, so that no compiler is needed.
$LOWEST_PYTHON and $NEWEST_PYTHON name interpreters that are not found by themselves. It prints the Python, the versions
of the direct dependencies, and what passed and failed.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".versions"
UV = shutil.which("uv", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}") or "uv"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# The versions that Beam 2.77 has wheels for, newest first, down to the lowest that pyproject.toml names.
PYTHONS = ("3.14", "3.13", "3.12", "3.11")
# Tests of the rooms that start no pipeline.
QUICK = """arrow categories datasets dumps graph heuristics links outputs recipes surfaces wikidata
wikipedia"""
# A browser does not depend on the versions of libraries.
BROWSER = [f"--deselect=tests/outputs/{room}/test_browser.py" for room in ("annotation", "browse")]

IMPORT_ALL = """
import importlib, pkgutil, wikisem
names = [module.name for module in pkgutil.walk_packages(wikisem.__path__, "wikisem.")]
# The first two run when they are imported, the last needs wikisem[mteb].
names = [name for name in names if not name.endswith((".worker", "__main__", ".mteb_task"))]
for name in names:
    importlib.import_module(name)
print(f"{len(names)} modules imported")
from wikisem.transforms.io.local_workers import changed_internal
# A build would go on in one process, with a warning: here a version of Beam that changed what workers rely on fails.
if changed := changed_internal():
    raise SystemExit(f"workers: {changed}")
"""


def main(kind: str) -> int:
    """Make the environment, say what is in it, and run the tests; the exit code is that of pytest."""
    lowest = kind != "newest"
    name = "lowest" if lowest else "newest"
    if kind != "quick":
        _make_environment(name, _find_python(lowest), lowest)
    if kind == "prepare":
        return 0
    python = _python_of(name)
    _uv("pip", "install", "--no-deps", "--python", python, "--editable", ".")
    version = subprocess.run([python, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    print(f"{kind}: {version}, {', '.join(_direct_versions(python))}", flush=True)
    # -P: modules come from the installation, whatever the folder is.
    subprocess.run([python, "-P", "-c", IMPORT_ALL], cwd=ROOT, check=True)
    tests = [f"tests/{room}" for room in QUICK.split()] if kind == "quick" else ["tests"]
    options = ["-q", "-p", "no:cacheprovider", "-n", "auto", "--dist", "loadfile", *BROWSER]
    if kind == "quick":  # what is slow depends on versions no more than what is quick
        options += ["-m", "not slow", "--hypothesis-profile=quick"]
    command = [python, "-m", "pytest", *options, *tests]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    print(done.stdout if done.returncode else "", end="")
    print(f"{kind}: {done.stdout.strip().rpartition(chr(10))[2].strip('= ')}; {version}", flush=True)
    return done.returncode


def _find_python(lowest: bool) -> str:
    """The interpreter that the environment names, or the lowest or newest of PYTHONS that is installed."""
    if named := os.environ.get("LOWEST_PYTHON" if lowest else "NEWEST_PYTHON"):
        return named
    wanted = PYTHONS[-1:] if lowest else PYTHONS
    for python in (path for version in wanted for path in _candidates(version)):
        probe = [python, "-c", "import sys; print(sys.version_info[:2])"]
        if subprocess.run(probe, capture_output=True, check=False).returncode == 0:
            return python
    raise SystemExit(f"expected one of Python {', '.join(wanted)}, saw none: set LOWEST_PYTHON or NEWEST_PYTHON")


def _candidates(version: str) -> Iterator[str]:
    if on_path := shutil.which(f"python{version}"):
        yield on_path  # may be a shim of pyenv that leads nowhere
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    yield from (str(path) for path in sorted(root.glob(f"{version}.*/bin/python"), reverse=True))


def _python_of(name: str) -> str:
    return str(FOLDER / name / "bin" / "python")


def _make_environment(name: str, python: str, lowest: bool) -> None:
    """A fresh environment with all that wikisem and its tests need."""
    folder, inside = FOLDER / name, _python_of(name)
    _uv("venv", "--clear", "--python", python, str(folder))
    locked = folder / "versions.txt"
    resolution = "lowest-direct" if lowest else "highest"
    _uv("pip", "compile", "--extra", "dev", "--resolution", resolution, "--no-build", "--python", inside,
        "--output-file", str(locked), "pyproject.toml")  # fmt: skip
    _uv("pip", "install", "--no-build", "--python", inside, "--requirement", str(locked))


def _uv(*words: str) -> None:
    subprocess.run([UV, *words, "--quiet"], cwd=ROOT, check=True, env={**os.environ, "UV_PYTHON_DOWNLOADS": "never"},
                   stdout=subprocess.DEVNULL)  # fmt: skip


def _direct_versions(python: str) -> list[str]:
    """The installed versions of what pyproject.toml names: dependencies, and the extras of users."""
    extras = PROJECT["optional-dependencies"]
    wanted = [extras[name] for name in ("all", "build", "categories", "chinese", "counts", "figures", "agreement")]
    names = [re.split(r"[<>=\[ ]", line)[0] for line in [*PROJECT["dependencies"], *chain.from_iterable(wanted)]]
    script = "import sys, importlib.metadata as m; [print(name, m.version(name)) for name in sys.argv[1:]]"
    done = subprocess.run([python, "-c", script, *names], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
