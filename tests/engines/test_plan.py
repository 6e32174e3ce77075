"""The graphs of a build as a runner would be given them, and Beam's validation of the options."""

import tempfile
from pathlib import Path

import apache_beam as beam
import pytest
from apache_beam.options.pipeline_options import PipelineOptions
from apache_beam.portability.api import beam_runner_api_pb2
from apache_beam.pvalue import AsList
from apache_beam.runners.portability.portable_runner import PortableRunner
from apache_beam.transforms.environments import Environment

from tests.engines.plan import PlannedPipeline, PlannedStep, check_options, main, plan_build, plan_pipeline
from wikisem.errors import UsageError

DATAFLOW = [
    "--runner=DataflowRunner",
    "--project=my-project",
    "--region=europe-west1",
    "--temp_location=gs://bucket/tmp",
]


def _construct(pipeline: beam.Pipeline) -> None:
    words = pipeline | "words" >> beam.Create(["a", "b"])
    numbers = pipeline | "numbers" >> beam.Create([1, 2])
    pair = beam.Map(lambda word, all_numbers: (word, len(all_numbers)), AsList(numbers))
    paired = words | "pair" >> pair.with_output_types(tuple[str, int])
    paired | "spread" >> beam.Reshuffle() | "group" >> beam.GroupByKey()


def test_steps_name_what_they_read_and_how_it_travels() -> None:
    """Composites are taken apart, but for those that runners know; side inputs are apart from inputs."""
    plan = plan_pipeline(_construct, "trial", check_options(DATAFLOW))
    assert plan.steps == (
        PlannedStep("words", "create", (), (), ("StrUtf8Coder",)),
        PlannedStep("numbers", "create", (), (), ("VarIntCoder",)),
        PlannedStep("pair", "pardo", ("words",), ("numbers",), ("TupleCoder[StrUtf8Coder, VarIntCoder]",)),
        PlannedStep("spread", "reshuffle", ("pair",), (), ("TupleCoder[StrUtf8Coder, VarIntCoder]",)),
        PlannedStep(
            "group", "group_by_key", ("spread",), (), ("TupleCoder[StrUtf8Coder, IterableCoder[VarIntCoder]]",)
        ),
    )


def test_a_plan_leaves_no_folder_of_its_pipeline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Beam makes a folder for every pipeline, and removes it when that has run."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    plan_pipeline(_construct, "trial", check_options(DATAFLOW))
    assert list(tmp_path.glob("beam-pipeline-*")) == []


def test_what_is_installed_is_asked_once_for_all_pipelines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beam starts pip for it, which takes longer than a plan."""
    asked: list[PipelineOptions] = []
    whole = PortableRunner.default_environment

    def count(runner: PortableRunner, options: PipelineOptions) -> Environment:
        asked.append(options)
        return whole(runner, options)

    monkeypatch.setattr(PortableRunner, "default_environment", count)
    options = check_options(["--runner=PortableRunner", "--environment_type=LOOPBACK"])
    plans = [plan_pipeline(_construct, label, options) for label in ("one", "other")]
    assert asked == [options]
    assert plans[0].steps == plans[1].steps


@pytest.mark.parametrize(
    ("words", "environment"),
    [(DATAFLOW, "docker"), (["--runner=PortableRunner", "--environment_type=LOOPBACK"], "embedded_python_loopback")],
)
def test_the_proto_is_a_pipeline_for_the_runner_named(words: list[str], environment: str) -> None:
    """It can be read back, and its workers run where the options say."""
    plan = plan_pipeline(_construct, "trial", PipelineOptions(words))
    proto = beam_runner_api_pb2.Pipeline.FromString(plan.proto)
    assert {"words", "numbers", "pair", "spread", "group"} <= {
        each.unique_name for each in proto.components.transforms.values()
    }
    assert plan.environment == environment
    (found,) = {each.urn for each in proto.components.environments.values()}
    assert environment in found


@pytest.mark.parametrize("missing", ["--project", "--temp_location"])
def test_what_a_cloud_needs_is_asked_for_without_it(missing: str) -> None:
    """In Beam's own words."""
    words = [word for word in DATAFLOW if not word.startswith(missing)]
    with pytest.raises(UsageError, match=f"after --: expected options that Beam takes.*{missing.removeprefix('--')}"):
        check_options(words)


def test_good_options_are_taken_as_they_are() -> None:
    """Those of Dataflow, and none at all."""
    assert check_options(DATAFLOW).get_all_options()["project"] == "my-project"
    assert check_options([]).get_all_options()["project"] is None


@pytest.fixture(scope="module")
def on_dataflow() -> list[PlannedPipeline]:
    """A build as Dataflow would be given it."""
    return plan_build(DATAFLOW)


@pytest.mark.slow
def test_every_stage_is_planned_and_its_proto_kept(on_dataflow: list[PlannedPipeline]) -> None:
    """In the order of a build, each with the proto whose steps are listed."""
    plans = on_dataflow
    stages = [plan.label.partition(" ")[0].rstrip(":") for plan in plans]
    assert list(dict.fromkeys(stages)) == ["entities", "mentions", "surfaces", "taxonomy", "groups"]
    assert {plan.environment for plan in plans} == {"docker"}
    # On Dataflow the engine shuffles: in every stage that has rows to shuffle there are batches to group.
    grouped = {
        stage
        for stage, plan in zip(stages, plans, strict=True)
        for step in plan.steps
        if step.kind == "group_by_key" and step.name.endswith("/shuffle")
    }
    assert grouped == {"entities", "mentions", "surfaces"}
    for plan in plans:
        proto = beam_runner_api_pb2.Pipeline.FromString(plan.proto)
        assert {step.name for step in plan.steps} <= {each.unique_name for each in proto.components.transforms.values()}


@pytest.mark.slow
def test_beam_carries_names_and_numbers_between_steps_that_any_runner_knows() -> None:
    """Rows go through files, so no shuffle grows with them; and Beam's Dask runner loses outputs that have tags."""
    steps = [step for plan in plan_build([]) for step in plan.steps]
    shuffled = [step for step in steps if step.kind in {"group_by_key", "reshuffle"}]
    assert len(shuffled) > 10
    assert [step.name for step in shuffled if "BytesCoder" in str(step.coders)] == []
    # What Beam creates is spread over workers by Beam, and needs no shuffle of ours.
    created = {step.name for step in steps if step.kind == "create"}
    assert [step.name for step in shuffled if step.kind == "reshuffle" and created & {*step.inputs}] == []
    assert [step.name for step in steps if len(step.coders) > 1 or step.side_inputs] == []


@pytest.mark.slow
def test_one_stage_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """The steps of its pipeline, and nothing of the stages before it."""
    main(["taxonomy", "--", *DATAFLOW])
    printed = capsys.readouterr().out
    assert "taxonomy, workers: docker" in printed
    assert "bring together" in printed
    assert "entities, workers" not in printed
