"""Workers that do not share the output folder are noticed before any work."""

from pathlib import Path

import pytest

from wikisem.errors import OutputError
from wikisem.files import exists
from wikisem.transforms.io import runtime
from wikisem.transforms.io.runtime import Runtime, check_shared


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> Runtime:
    """A runner that is taken for one whose workers may be anywhere."""
    monkeypatch.setattr(runtime, "_HERE", frozenset())
    return Runtime(["--runner=FnApiRunner"])


def test_workers_that_share_the_folder_answer(tmp_path: Path, elsewhere: Runtime) -> None:
    """Nothing is left of the exchange."""
    check_shared(str(tmp_path), elsewhere)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_workers_that_do_not_see_the_folder_are_an_error(
    tmp_path: Path, elsewhere: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The message says what to do."""
    monkeypatch.setattr(runtime, "exists", lambda _: False)
    with pytest.raises(OutputError, match=r"workers to see what this process writes, saw no .*asked on one.*or a URL"):
        check_shared(str(tmp_path), elsewhere)


def test_workers_whose_files_are_not_seen_are_an_error(
    tmp_path: Path, elsewhere: Runtime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They may have a folder of the same path, which only looks the same."""
    monkeypatch.setattr(runtime, "exists", lambda path: exists(path) and not path.endswith("answered"))
    with pytest.raises(OutputError, match=r"to see what workers of FnApiRunner write to .*, saw nothing"):
        check_shared(str(tmp_path), elsewhere)


def test_a_folder_of_this_machine_cannot_be_the_output_of_dataflow(tmp_path: Path) -> None:
    """That is known without a job, which takes minutes to start."""
    with pytest.raises(OutputError, match="expected an output URL such as gs://bucket/out for DataflowRunner"):
        check_shared(str(tmp_path), Runtime(["--runner", "DataflowRunner"]))


@pytest.mark.parametrize(("output", "runner"), [("gs://bucket/out", "PrismRunner"), ("out", "DirectRunner")])
def test_nobody_is_asked_where_the_answer_is_known(output: str, runner: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """URLs are shared, and the local runner's workers are at home."""
    monkeypatch.setattr(Runtime, "pipeline", None)
    check_shared(output, Runtime([f"--runner={runner}"]))
    check_shared("out", Runtime(workers=2))
