"""Plan every pipeline of a build without a cloud: ``python -m tests.engines.plan [STAGE ...] [-- BEAM OPTIONS]``.

The sample world is built on this machine, and each of its pipelines is also planned with the options after ``--``,
which Beam validates as for a job. The steps, side inputs and coders are read from Beam's proto, which is all that a
runner gets. A graph does not depend on the dumps, except for their names.
"""

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions, StandardOptions
from apache_beam.options.pipeline_options_validator import PipelineOptionsValidator
from apache_beam.portability import common_urns, python_urns
from apache_beam.portability.api import beam_runner_api_pb2
from apache_beam.runners.portability.portable_runner import PortableRunner
from apache_beam.transforms.environments import Environment

from wikisem.errors import UsageError
from wikisem.pipeline.cli import STAGES, split_beam_options
from wikisem.pipeline.console.terminal import make_console, make_table
from wikisem.pipeline.demo import demo_options
from wikisem.pipeline.runs.run import Run, absolute_setup_file, run_stages, session
from wikisem.pipeline.runs.stages import build_stages
from wikisem.transforms.io.runtime import Runtime, parse_options

# Composites that runners take as one step, besides everything that is not composite.
_WHOLE: Final = (common_urns.composites.RESHUFFLE.urn,)
_PARDO: Final = common_urns.primitives.PAR_DO.urn
_IMPULSE: Final = common_urns.primitives.IMPULSE.urn


@dataclass(frozen=True, slots=True)
class PlannedStep:
    """One step: what kind it is, the steps or side inputs that it reads, and the coder of each of its outputs."""

    name: str
    kind: str
    inputs: tuple[str, ...]
    side_inputs: tuple[str, ...]
    coders: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlannedPipeline:
    """One pipeline of a stage, with the proto that a runner would get, and where its workers would run."""

    label: str
    steps: tuple[PlannedStep, ...]
    environment: str
    proto: bytes


def plan_build(beam_options: Sequence[str], stages: Sequence[str] = ()) -> list[PlannedPipeline]:
    """The pipelines of these stages, of all if none is named, in the order of a build."""
    words = absolute_setup_file(beam_options)
    runtime = PlanningRuntime(
        planned_for=check_options(words),
        stages=tuple(stages) or tuple(STAGES),
        shuffles_by_engine=Runtime(words).shuffles_by_engine,
    )
    with tempfile.TemporaryDirectory(prefix="wikisem-plan-") as folder:
        options, run = demo_options(folder), Run(f"{folder}/out", runtime)
        with session(run):
            wanted = build_stages(options, run)
            last = max(number for number, stage in enumerate(wanted) if stage.name in runtime.stages)
            run_stages(wanted[: last + 1], run, options.recipe)
    return runtime.plans


def check_options(words: Sequence[str]) -> PipelineOptions:
    """Beam's options from the words after ``--``; UsageError for errors that Beam's own validation finds."""
    options = parse_options(words)
    runner = options.view_as(StandardOptions).runner or ""
    # The validation looks at the name of the runner's class alone, and importing Dataflow's takes Google's packages.
    named = type(runner.rpartition(".")[2] or "FnApiRunner", (), {})()
    if errors := PipelineOptionsValidator(options, named).validate():
        raise UsageError(f"after --: expected options that Beam takes, saw {' '.join(sorted(set(errors)))}")
    return options


def plan_pipeline(
    construct: Callable[[beam.Pipeline], object], label: str, options: PipelineOptions
) -> PlannedPipeline:
    """Construct a pipeline and read its graph; nothing runs."""
    pipeline = beam.Pipeline(options=PipelineOptions(["--runner=FnApiRunner"]))
    shutil.rmtree(pipeline.local_tempdir)  # which Beam makes at once, and removes when it runs the pipeline
    construct(pipeline)
    return read_plan(pipeline, label, options)


def read_plan(pipeline: beam.Pipeline, label: str, options: PipelineOptions) -> PlannedPipeline:
    """The graph of a pipeline, as it would be sent to where the options say."""
    proto = pipeline.to_runner_api(default_environment=_environment(options))
    kinds = {each.urn for each in proto.components.environments.values()} - {python_urns.EMBEDDED_PYTHON}
    return PlannedPipeline(
        label, tuple(_steps(proto)), ", ".join(_last(urn) for urn in sorted(kinds)), proto.SerializeToString()
    )


@lru_cache(maxsize=1)  # for each, Beam asks pip what is installed
def _environment(options: PipelineOptions) -> Environment:
    """Where workers would run."""
    return PortableRunner().default_environment(options)


@dataclass(frozen=True)
class PlanningRuntime(Runtime):
    """A local runtime that plans the pipelines of some stages for other options before it runs them.

    They run, so that the next one has input. Rows are shuffled as the runner that is planned for does.
    """

    planned_for: PipelineOptions = field(default_factory=PipelineOptions)
    stages: tuple[str, ...] = ()
    plans: list[PlannedPipeline] = field(default_factory=list)
    shuffles_by_engine: bool = False

    @contextmanager
    def pipeline(self, *, label: str, **progress: Any) -> Iterator[beam.Pipeline]:
        """Plan, then run here."""
        with super().pipeline(label=label, **progress) as pipeline:
            yield pipeline
            if label.startswith(self.stages):
                self.plans.append(read_plan(pipeline, label, self.planned_for))


def _steps(proto: Any) -> Iterator[PlannedStep]:
    components = proto.components
    leaves = [leaf for root in proto.root_transform_ids for leaf in _leaves(root, components.transforms)]
    makers = {output: each.unique_name for each in leaves for output in each.outputs.values()}
    for each in leaves:
        sides = _side_inputs(each)
        yield PlannedStep(
            each.unique_name,
            "create" if _is_source(each, components.transforms) else _last(each.spec.urn),
            tuple(makers[source] for name, source in sorted(each.inputs.items()) if name not in sides),
            tuple(makers[source] for name, source in sorted(each.inputs.items()) if name in sides),
            tuple(
                _coder(components.pcollections[output].coder_id, components.coders)
                for _, output in sorted(each.outputs.items())
            ),
        )


def _leaves(name: str, transforms: Mapping[str, Any]) -> Iterator[Any]:
    """The steps below a transform that a runner sees as one."""
    transform = transforms[name]
    if not transform.subtransforms or transform.spec.urn in _WHOLE or _is_source(transform, transforms):
        if transform.spec.urn:  # what only names its parts does nothing
            yield transform
        return
    for below in transform.subtransforms:
        yield from _leaves(below, transforms)


def _is_source(transform: Any, transforms: Mapping[str, Any]) -> bool:
    """Whether a transform is Beam's ``Create``: a composite that begins with an impulse."""
    return any(transforms[below].spec.urn == _IMPULSE for below in transform.subtransforms)


def _side_inputs(transform: Any) -> frozenset[str]:
    if transform.spec.urn != _PARDO:
        return frozenset()
    return frozenset(beam_runner_api_pb2.ParDoPayload.FromString(transform.spec.payload).side_inputs)


def _coder(name: str, coders: Mapping[str, Any]) -> str:
    """A coder with its parts, such as ``TupleCoder[VarIntCoder, BytesCoder]``; Beam's ids hold the class's name."""
    short = name.removeprefix("ref_Coder_").rpartition("_")[0]
    parts = [_coder(part, coders) for part in coders[name].component_coder_ids]
    return f"{short}[{', '.join(parts)}]" if parts else short


def _last(urn: str) -> str:
    """The part of an URN that says what it is.

    >>> _last("beam:transform:group_by_key:v1")
    'group_by_key'
    """
    return urn.rpartition(":")[0].rpartition(":")[2] or urn


def main(words: Sequence[str]) -> None:
    """Print the graph of each pipeline, a row for each step."""
    stages, beam_options = split_beam_options(words)
    for plan in plan_build(beam_options, stages):
        names = ("step", "kind", "reads", "side inputs", "coder of what it gives")
        table = make_table(names, title=f"{plan.label}, workers: {plan.environment}", title_justify="left")
        for step in plan.steps:
            table.add_row(step.name, step.kind, *map("\n".join, (step.inputs, step.side_inputs, step.coders)))
        make_console().print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
