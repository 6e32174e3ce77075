"""Stage 2: count the links of Wikipedia dumps into OUT/mentions/<language>, the anchor dictionary of each language."""

import argparse

from wikisem.pipeline import command_options as options
from wikisem.pipeline.build.inputs import find_profiles, find_wikipedias, read_named
from wikisem.pipeline.build.run import make_run, with_workers
from wikisem.pipeline.build.stage_runner import run_stages, session
from wikisem.pipeline.build.stages.mentions import mentions
from wikisem.pipeline.console.tables import print_stage_summary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the mentions stage."""
    options.add_wikipedia(parser, required=True)
    parser.add_argument(
        "--link-trail", action="store_true", help="count [[bus]]es as buses, by each language's own trail rule"
    )
    options.add_output(parser)
    options.add_max_unreadable(parser)
    options.add_profile(parser)
    options.add_checksum(parser)


def run(arguments: argparse.Namespace) -> int:
    """Count the links and print what was done."""
    run_ = make_run(arguments)
    dumps = find_wikipedias(arguments.wikipedia, arguments.checksum)
    run_ = with_workers(run_, arguments.workers, *dumps.values())
    profiles = find_profiles(run_.output, list(dumps), read_named(arguments.profile))
    with session(run_):
        records = run_stages([mentions(dumps, arguments.link_trail, profiles)], run_)
    return print_stage_summary(records, run_)
