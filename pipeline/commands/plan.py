"""The graphs that a runner would get, without a cloud: steps, side inputs, coders, and Beam's proto of each.

The sample world is built on this machine, and every pipeline of it is also planned with the options after --, which
Beam validates as for a job. A graph does not depend on the dumps, except for their names.
"""

import argparse
import tempfile
from dataclasses import asdict
from typing import Final

from rich.table import Table

from wikisem.errors import UsageError
from wikisem.files import write_files
from wikisem.pipeline.build.method import build_stages
from wikisem.pipeline.build.run import Run, absolute_setup_file
from wikisem.pipeline.build.stage_runner import run_stages, session
from wikisem.pipeline.command_options import add_folder
from wikisem.pipeline.console.terminal import make_console, make_table, print_json, print_line
from wikisem.pipeline.demo.sample_world import demo_options
from wikisem.transforms.io.plan import PlannedPipeline, PlanningRuntime, check_options

STAGES: Final = ("entities", "mentions", "surfaces", "taxonomy", "groups")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what is planned, and where the protos go."""
    parser.add_argument("stage", nargs="*", metavar="STAGE", help=f"of {', '.join(STAGES)} (default: all)")
    text = "a local folder for the proto of each pipeline, as NN-<label>.pb (default: none is written)"
    add_folder(parser, "FOLDER", text, required=False)
    parser.add_argument("--json", action="store_true", help="print the steps as JSON, one pipeline a line")


def run(arguments: argparse.Namespace) -> int:
    """Plan the stages and print their graphs."""
    if unknown := [stage for stage in arguments.stage if stage not in STAGES]:
        raise UsageError(f"expected stages of {', '.join(STAGES)}, saw {unknown[0]!r}")
    runtime = PlanningRuntime(
        planned_for=check_options(absolute_setup_file(arguments.beam_options)), stages=tuple(arguments.stage or STAGES)
    )
    with tempfile.TemporaryDirectory(prefix="wikisem-plan-") as folder:
        options, run_ = demo_options(folder), Run(f"{folder}/out", runtime)
        with session(run_):
            stages = build_stages(options, run_)
            last = max(at for at, stage in enumerate(stages) if stage.name in runtime.stages)
            run_stages(stages[: last + 1], run_, options.recipe)
    plans = runtime.plans
    if arguments.output is not None:
        protos = ((_file_name(number, plan.label), plan.proto) for number, plan in enumerate(plans, 1))
        write_files(arguments.output, protos)
    for plan in plans:
        if arguments.json:
            print_json({name: value for name, value in asdict(plan).items() if name != "proto"})
        else:
            make_console().print(_plan_table(plan))
    if arguments.output is not None and not arguments.json:
        print_line(f"{len(plans)} graphs: {arguments.output}")
    return 0


def _file_name(number: int, label: str) -> str:
    return f"{number:02d}-{label.replace(': ', '-').replace(' ', '-')}.pb"


def _plan_table(plan: PlannedPipeline) -> Table:
    """The graph of one pipeline for people, a row for each step."""
    names = ("step", "kind", "reads", "side inputs", "coder of what it gives")
    title = f"{plan.label}, workers: {plan.environment}"
    table = make_table(names, title=title, title_justify="left")
    for step in plan.steps:
        table.add_row(step.name, step.kind, "\n".join(step.inputs), "\n".join(step.side_inputs), "\n".join(step.coders))
    return table
