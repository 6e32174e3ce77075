"""Names the packages, and builds the bzip2 decoder where there is a compiler; the rest is in pyproject.toml.

Nothing fails without a compiler: the package then decodes with Python's ``bz2``, and its wheel is one for any platform.
Beam's ``--setup_file`` wants this file, too, to stage the package on remote workers. They install its sdist without
extras, so wikisem has that of "build" made part of it, by $WIKISEM_SDIST_EXTRA.
"""

import os
import tomllib
from pathlib import Path

from setuptools import Extension, find_namespace_packages, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist

# wikisem/ holds a link to each of these, for editors and for running in a checkout. The package is built from the
# folders themselves: where git writes links as text files (a zip, Windows, core.symlinks=false), they lead nowhere.
FOLDERS = ("evaluation", "heuristics", "outputs", "pipeline", "queries", "transforms")

SOURCES = Path("wikisem/dumps/bzip2/native")

DECODER = Extension(
    "wikisem.dumps.bzip2._native",
    sources=sorted(map(str, SOURCES.glob("*.c"))),
    depends=sorted(map(str, SOURCES.glob("*.h"))),
    # The stable ABI of 3.11, so that one wheel serves every later Python.
    define_macros=[("Py_LIMITED_API", "0x030b0000")],
    py_limited_api=True,
    # Python's own flags, but -O3; gcc's vectoriser of straight-line code slows the walk through the rows down.
    extra_compile_args=["-std=gnu11", "-O3", "-fno-tree-slp-vectorize"],
    optional=True,
)


def find_packages() -> list[str]:
    """The dotted names of wikisem's packages; the same whether wikisem/ holds links, text files or neither."""
    linked = [f"wikisem.{folder}{below}" for folder in FOLDERS for below in ("", ".*")]
    # Without C, which is compiled.
    own = find_namespace_packages(include=["wikisem", "wikisem.*"], exclude=[*linked, "*.native"])
    folders = find_namespace_packages(include=[*FOLDERS, *(f"{folder}.*" for folder in FOLDERS)])
    return [*own, *(f"wikisem.{package}" for package in folders)]


class BuildWheel(bdist_wheel):
    """A wheel for the platform if the decoder could be built, and for any platform if it could not."""

    def run(self) -> None:
        """Build the decoder first: the wheel's name depends on it."""
        self.run_command("build_ext")
        build: build_ext = self.get_finalized_command("build_ext")
        if not all(Path(path).exists() for path in build.get_outputs()):
            self.announce("the bzip2 decoder was not built: this wheel decodes with Python's bz2", level=3)
            self.distribution.ext_modules = None
            self.root_is_pure, self.py_limited_api = True, False
        super().run()


class WorkerSdist(sdist):
    """An sdist whose dependencies include those of the extra that $WIKISEM_SDIST_EXTRA names."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        """Add the lines of the extra to the copy of pyproject.toml."""
        super().make_release_tree(base_dir, files)
        if extra := os.environ.get("WIKISEM_SDIST_EXTRA"):
            path = Path(base_dir, "pyproject.toml")
            text = path.read_text(encoding="utf-8")
            added = tomllib.loads(text)["project"]["optional-dependencies"][extra]
            path.unlink()  # it may be a hard link to ours
            lines = "".join(f'    "{line}",\n' for line in added)
            path.write_text(text.replace("\ndependencies = [\n", f"\ndependencies = [\n{lines}"), encoding="utf-8")


setup(
    packages=find_packages(),
    package_dir={f"wikisem.{folder}": folder for folder in FOLDERS},
    ext_modules=[DECODER],
    cmdclass={"bdist_wheel": BuildWheel, "sdist": WorkerSdist},
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
