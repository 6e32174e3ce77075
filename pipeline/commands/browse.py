"""Write a page to look through the groups of a run or a release: plain HTML that works from disk and without a network.

OUT/browse/index.html has an overview of all languages, every group as a card, rejected classes with their reasons, a
class in all its languages side by side, walls and a quiz. --cases adds the scores of models on each group.
"""

import argparse
from collections.abc import Sequence
from os import PathLike, fspath
from pathlib import Path

from wikisem.datasets.files import SAMPLE, data_set_path
from wikisem.errors import UsageError
from wikisem.files import is_web, path_of, write_files
from wikisem.pipeline.command_options import add, add_cases, result_folder
from wikisem.pipeline.console.terminal import print_line
from wikisem.pipeline.release import browse_files, facts_of
from wikisem.pipeline.runs.read import read_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of browse."""
    add(parser, "run=OUT", "the output folder of a run, or a release")
    add(parser, "--output FOLDER", "the folder to write the page to (default: OUT/browse)", result_folder)
    add_cases(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the page and say where it is."""
    print_line(f"open in a browser: {browse(arguments.run, arguments.output, cases=arguments.cases)}")
    return 0


def browse(
    output: str | PathLike[str],
    folder: str | PathLike[str] | None = None,
    *,
    cases: Sequence[str | PathLike[str]] = (),
) -> Path:
    """Write a page to look through a run or a release, as ``wikisem browse`` does, and return the file to open.

    ``folder`` is OUT/browse by default. ``cases`` are files that ``wikisem evaluate outliers --cases`` wrote. Raises
    MissingInputError if there is no run or release. Part of the public API.
    """
    # Neither a web server nor the package is a place to write to.
    if folder is None and (is_web(fspath(output)) or data_set_path(output) == SAMPLE):
        raise UsageError(f"expected a folder for the page of {output}, saw none: give --output FOLDER")
    path = data_set_path(output)
    target = path / "browse" if folder is None else path_of(folder)
    run_files = read_run(path)
    write_files(target, browse_files(facts_of(run_files, ""), run_files, list(map(path_of, cases))))
    return target / "index.html"
