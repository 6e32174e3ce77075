"""``wikisem plan``: every graph of a build, without a cloud."""

import json
from pathlib import Path

import pytest
from apache_beam.portability.api import beam_runner_api_pb2

from wikisem.pipeline.cli import main

pytestmark = pytest.mark.slow


def test_every_stage_is_planned_and_its_proto_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One line of JSON and one file for each pipeline, in the order of a build."""
    options = [
        "--runner=DataflowRunner",
        "--project=my-project",
        "--region=europe-west1",
        "--temp_location=gs://bucket/t",
    ]
    assert main(["plan", "--json", "--output", str(tmp_path / "plan"), "--", *options]) == 0
    plans = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    stages = [plan["label"].partition(" ")[0].rstrip(":") for plan in plans]
    assert list(dict.fromkeys(stages)) == ["entities", "mentions", "surfaces", "taxonomy", "groups"]
    assert {plan["environment"] for plan in plans} == {"docker"}
    # On Dataflow the engine shuffles: in every stage that has rows to shuffle there are batches to group.
    grouped = {
        plan["label"].partition(" ")[0].rstrip(":")
        for plan in plans
        for step in plan["steps"]
        if step["kind"] == "group_by_key" and step["name"].endswith("/shuffle")
    }
    assert grouped == {"entities", "mentions", "surfaces"}
    files = sorted((tmp_path / "plan").iterdir())
    assert len(files) == len(plans)
    for path, plan in zip(files, plans, strict=True):
        proto = beam_runner_api_pb2.Pipeline.FromString(path.read_bytes())
        names = {each.unique_name for each in proto.components.transforms.values()}
        assert {step["name"] for step in plan["steps"]} <= names


def test_beam_carries_names_and_numbers_between_steps_that_any_runner_knows(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Rows go through files, so no shuffle grows with them; and Beam's Dask runner loses outputs that have tags."""
    assert main(["plan", "--json"]) == 0
    steps = [step for line in capsys.readouterr().out.splitlines() for step in json.loads(line)["steps"]]
    shuffled = [step for step in steps if step["kind"] in {"group_by_key", "reshuffle"}]
    assert len(shuffled) > 10
    assert [step["name"] for step in shuffled if "BytesCoder" in str(step["coders"])] == []
    # What Beam creates is spread over workers by Beam, and needs no shuffle of ours.
    created = {step["name"] for step in steps if step["kind"] == "create"}
    assert [step["name"] for step in shuffled if step["kind"] == "reshuffle" and created & {*step["inputs"]}] == []
    assert [step["name"] for step in steps if len(step["coders"]) > 1 or step["side_inputs"]] == []


def test_a_stage_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is built."""
    assert main(["plan", "entity"]) == 2
    assert "expected stages of entities, mentions, surfaces, taxonomy, groups, saw 'entity'" in capsys.readouterr().err
