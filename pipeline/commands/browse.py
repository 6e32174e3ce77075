"""Write a page to look through the groups of a run: plain HTML that works from disk and without a network.

OUT/browse/index.html has an overview of all languages, every group as a card, rejected classes with their reasons, a
class in all its languages side by side, and a quiz. --scores adds the scores of models on each group.
"""

import argparse

from wikisem.files import path_of, write_files
from wikisem.pipeline.command_options import add_folder, argument
from wikisem.pipeline.console.terminal import print_line
from wikisem.pipeline.release import browse_files, facts_of, read_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of browse."""
    parser.add_argument("run", metavar="OUT", type=argument(path_of), help="the output folder of a run")
    add_folder(parser, "FOLDER", "the folder to write the page to (default: OUT/browse)", required=False)
    parser.add_argument(
        "--scores",
        action="append",
        default=[],
        type=argument(path_of),
        metavar="FILE",
        help="the output of wikisem evaluate outliers --json; repeat for several files",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the page and say where it is."""
    folder = arguments.output or arguments.run / "browse"
    read = read_run(arguments.run)
    write_files(folder, browse_files(facts_of(read, ""), read.groups, read.rejections, arguments.scores, read.english))
    print_line(f"open in a browser: {folder / 'index.html'}")
    return 0
