"""Stage 1: read a Wikidata JSON dump into OUT/entities, one row an item, as Parquet."""

import argparse
from collections.abc import Sequence

from wikisem.pipeline import options
from wikisem.pipeline.build import stages
from wikisem.pipeline.build.inputs import find_dump
from wikisem.pipeline.build.ledger import check_writable
from wikisem.pipeline.build.manifest import write_manifest
from wikisem.pipeline.console.summary import conclude
from wikisem.transforms.entities.stage import EntityOptions


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the entities stage."""
    options.add_wikidata(parser)
    parser.add_argument(
        "--languages",
        default="en",
        metavar="en,de|all",
        help="languages whose labels are kept beside English and mul; all keeps every one",
    )
    parser.add_argument(
        "--ranks",
        choices=["best", "not-deprecated"],
        default="best",
        help="statements that count: of the best rank alone (default), or all that are not deprecated",
    )
    parser.add_argument(
        "--linked-only",
        action="store_true",
        help="leave out, and count, items with no sitelink, no P279 and no edge towards them",
    )
    options.add_output(parser)
    options.add_checksum(parser)


def run(arguments: argparse.Namespace, beam_options: Sequence[str]) -> int:
    """Read the dump and print what was done."""
    every = arguments.languages == stages.ALL
    labels = None if every else stages.labels_for(options.parse_languages(arguments.languages))
    run_ = options.make_run(arguments, beam_options)
    dump = find_dump(arguments.wikidata, arguments.checksum)
    check_writable(run_.output)
    wanted = EntityOptions(labels, arguments.properties, arguments.ranks, arguments.linked_only)
    records = [stages.entities(run_, dump, wanted)]
    write_manifest(run_, records)
    return conclude(records, run_.output)
