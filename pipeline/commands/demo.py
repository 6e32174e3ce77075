"""A sample world that ships with wikisem, start to end, offline: dumps in six languages go in, test groups come out.

The dumps are written first, with real facts, made-up sentences and one broken record in the middle of each; then the
same build runs that reads real dumps.
"""

import argparse
import shlex
import tempfile
from pathlib import Path
from typing import Final

from wikisem.files import absolute
from wikisem.outputs.groupfile import read_groups, read_rejections
from wikisem.pipeline.command_options import Options, local_output
from wikisem.pipeline.commands.show import group_table, languages_table
from wikisem.pipeline.console.terminal import log, make_console, print_line, progress
from wikisem.pipeline.demo.sample_world import demo_options, read_classes, read_items
from wikisem.pipeline.runs.run import Run, run_stages, session
from wikisem.pipeline.runs.stages import build_stages
from wikisem.transforms.io.runtime import Runtime

SHOWN: Final = ("en", "Q747074")  # comune of Italy: names that readers know, with outliers of all three classes

OPTIONS: Final[Options] = {"--output": {"convert": local_output}}


def run(arguments: argparse.Namespace) -> int:
    """Write the sample dumps, build, and print what came out and where it is."""
    output = arguments.output or tempfile.mkdtemp(prefix="wikisem-demo-")
    Path(output, "dumps").mkdir(parents=True, exist_ok=True)
    run_ = Run(absolute(output), Runtime(arguments.beam_options, progress), log=log)
    with session(run_):
        options = demo_options(f"{output}/dumps")
        records = run_stages(build_stages(options, run_), run_, options.recipe)
    groups = {language: read_groups(output, language) for language in options.languages}
    rejections = {language: read_rejections(output, language) for language in options.languages}
    names = {row.qid: row.labels["en"] for row in read_classes()} | {
        item.qid: item.names["en"].surface for item in read_items() if "en" in item.names
    }
    console = make_console()
    console.print(languages_table(groups, rejections))
    language, qid = SHOWN
    console.print(*(group_table(group, names) for group in groups[language] if group.qid == qid))
    unread, dumps = sum(sum(record.counts.unreadable.values()) for record in records), 1 + len(options.wikipedia)
    broken = f"{unread} records in {dumps} dumps could not be read (one in each is broken on purpose)"
    print_line(f"{broken}; they are in {output}/unreadable")
    print_line(f"next: {shlex.join(['wikisem', 'browse', output])}")
    print_line(f"output: {output}")
    return 0
