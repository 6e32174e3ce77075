"""Write the set that comes with wikisem, a release of real items in 17 languages, which needs no dump and no network.

FOLDER gets what `wikisem release` writes: a card, tables, a page, tasks for harnesses. All commands that read a release
also take the set by its name, "sample", without any folder. It is small: the card says what it is good for.
"""

import argparse
from os import PathLike

from wikisem.datasets.files import SAMPLE
from wikisem.files import path_of
from wikisem.outputs.release.metadata import Maker, ReleaseFacts
from wikisem.pipeline.command_options import add, result_folder
from wikisem.pipeline.console.terminal import print_line
from wikisem.pipeline.release import write_release
from wikisem.pipeline.runs.read import read_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of sample."""
    add(parser, "folder=FOLDER", "the folder to write to", result_folder)


def run(arguments: argparse.Namespace) -> int:
    """Write the set, and say what is in it and what to do with it."""
    facts, folder = sample(arguments.folder), arguments.folder
    print_line(f"{facts.cases:,} test cases in {len(facts.filled)} languages")
    print_line("groups: " + ", ".join(f"{language.code} {language.groups}" for language in facts.filled))
    print_line(f"next: wikisem show {folder} capital --language en")
    print_line(f"      wikisem evaluate outliers {folder} --languages en --vectors characters:3")
    print_line(f"open in a browser: {folder}/index.html")
    print_line(f"output: {folder}")
    return 0


def sample(folder: str | PathLike[str]) -> ReleaseFacts:
    """Write the set that comes with wikisem to ``folder``, as ``wikisem sample`` does; part of the public API.

    UsageError for a folder that holds anything but a release of the same languages.
    """
    made = read_run(SAMPLE).manifest.published
    return write_release(SAMPLE, path_of(folder), made, Maker("The wikisem authors"))
