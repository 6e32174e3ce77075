"""Stage 1: read a Wikidata JSON dump into OUT/entities, as Parquet with one row per item."""

import argparse

from wikisem.pipeline import command_options as options
from wikisem.pipeline.build.inputs import find_wikidata
from wikisem.pipeline.build.run import make_run, with_workers
from wikisem.pipeline.build.stage_runner import run_stages, session
from wikisem.pipeline.build.stages.entities import ALL, entities, labels_for
from wikisem.pipeline.console.tables import print_stage_summary
from wikisem.transforms.entities.stage import EntityOptions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the entities stage."""
    options.add_wikidata(parser)
    options.add_languages(
        parser,
        "en",
        f"languages (or {ALL}) whose labels are kept beside English and mul",
        lambda text: [ALL] if text == ALL else options.parse_languages(text),
    )
    parser.add_argument(
        "--ranks",
        choices=["best", "not-deprecated"],
        default="best",
        help="which statements count: those of the best rank, or all that are not deprecated (default: best)",
    )
    parser.add_argument(
        "--linked-only",
        action="store_true",
        help="leave out, and count, items with no sitelink, no P279 and no edge towards them",
    )
    parser.add_argument(
        "--no-signatures",
        dest="signatures",
        action="store_false",
        help="do not record which properties an item has, for recipes with neither coherence nor margin",
    )
    parser.add_argument(
        "--no-relations",
        dest="relations",
        action="store_false",
        help="do not record which items the statements of an item are about, for recipes without related outliers",
    )
    options.add_output(parser)
    options.add_max_unreadable(parser)
    options.add_checksum(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read the dump and print what was done."""
    labels = None if ALL in arguments.languages else labels_for(arguments.languages)
    run_ = make_run(arguments)
    dump = find_wikidata(arguments.wikidata, arguments.checksum)
    run_ = with_workers(run_, arguments.workers, dump)
    wanted = EntityOptions(
        labels,
        tuple(sorted(arguments.properties)),
        arguments.ranks,
        arguments.linked_only,
        arguments.signatures,
        arguments.relations,
    )
    with session(run_):
        records = run_stages([entities(dump, wanted, run_)], run_)
    return print_stage_summary(records, run_)
