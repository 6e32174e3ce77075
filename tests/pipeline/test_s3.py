"""A whole build on a real S3 server: the same bytes as on this machine, however the server's address is given."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.object_store import BUCKET, s3_bucket
from tests.pipeline.test_object_store import RESULTS, fetch
from tests.trees import tree_of
from wikisem.files import list_files
from wikisem.pipeline.cli import main
from wikisem.pipeline.demo import SampleDumps

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """A server with one bucket."""
    with s3_bucket() as address:
        yield address


@pytest.fixture(scope="module")
def words(world: SampleDumps) -> list[str]:
    """The inputs of a build in one language."""
    return ["--wikidata", world.wikidata, "--wikipedia", f"de={world.wikipedia['de']}"]


@pytest.fixture(scope="module")
def local(words: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the build leaves on this machine."""
    output = tmp_path_factory.mktemp("local") / "out"
    assert main(["build", "demo", *words, "--output", str(output)]) == 0
    return output


def test_a_build_on_an_s3_server_leaves_the_same_bytes(
    endpoint: str, words: list[str], local: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Groups, what stages hand to each other and unreadable records, by two workers.

    The address is that of an option in one stage: Beam hands its own options to workers, and nothing in their
    environment names the server. In the others it is that of the environment.
    """
    output = f"s3://{BUCKET}/build/out"
    with monkeypatch.context() as patch:
        patch.delenv("AWS_ENDPOINT_URL")
        stage = ["mentions", *words[2:], "--output", output, "--workers", "2"]
        assert main([*stage, "--", f"--s3_endpoint_url={endpoint}"]) == 0
    assert main(["build", "demo", *words, "--output", output, "--workers", "2"]) == 0
    assert tree_of(fetch(output, tmp_path), *RESULTS) == tree_of(local, *RESULTS)
    assert list_files(f"{output}/.work/**") == []
