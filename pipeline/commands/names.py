"""The anchor dictionary as tables for other programs: what each page is called, what each name means, how often.

A row for each pair of a page and an anchor of the links to it: P(anchor | page), P(page | anchor), the counts behind
both, and the page's QID, in OUT/names/<language>/*.parquet. It takes the mentions and entities in OUT.
"""

import argparse
import shutil

from wikisem.errors import MissingInputError, UsageError
from wikisem.files import create_binary, open_binary, sizes_below
from wikisem.pipeline import command_options as options
from wikisem.pipeline.console.tables import print_summary
from wikisem.pipeline.runs.run import make_run, with_workers
from wikisem.pipeline.runs.stage_runner import run_stages, session
from wikisem.pipeline.runs.stages import names


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare OUT, the languages, and a folder for copies."""
    parser.add_argument(
        "output",
        metavar="OUT",
        type=options.argument(options.folder),
        help="an output folder with mentions and entities",
    )
    options.add_languages(parser, "all with mentions in OUT")
    parser.add_argument(
        "--output",
        dest="folder",
        type=options.argument(options.folder),
        metavar="FOLDER",
        help="a folder or URL to copy the tables to, as FOLDER/names/LANG/*.parquet",
    )
    options.add_run(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the tables and print what was done."""
    run_ = with_workers(make_run(arguments), arguments.workers)
    with session(run_):
        counted = [record.unit for record in run_.ledger.records() if record.unit.startswith("mentions/")]
        languages = arguments.languages or [unit.partition("/")[2] for unit in counted]
        if not languages:
            raise MissingInputError(f"expected mentions in {run_.output}, saw none; run `wikisem mentions` first")
        records = run_stages([names(languages)], run_)
        if folder := arguments.folder:
            paths = [path for record in records for path in record.parts]
            for below in sorted({path.rpartition("/")[0] for path in paths}):
                # A reader of names/de/*.parquet would take tables of another set for part of this.
                there = [f"{below}/{name}" for name in sizes_below(f"{folder}/{below}")]
                if others := sorted(path for path in there if path.endswith(".parquet") and path not in paths):
                    message = f"{folder}: expected no other tables in {below}, saw {others[0]}; remove them first"
                    raise UsageError(message)
            for path in paths:
                with open_binary(f"{run_.output}/{path}") as source, create_binary(f"{folder}/{path}") as sink:
                    shutil.copyfileobj(source, sink)
    return print_summary(records, run_.output)
