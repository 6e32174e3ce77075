"""A whole build on a real S3 server: the same bytes as on this machine, however the server's address is given."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.object_store import BUCKET, s3_bucket
from tests.pipeline.test_object_store import RESULTS, fetch
from tests.trees import tree_of
from wikisem.files import list_files
from wikisem.pipeline.cli import main
from wikisem.pipeline.demo.sample_world import write_sample_world

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """A server with one bucket."""
    with s3_bucket() as address:
        yield address


@pytest.mark.parametrize("by_option", [False, True])
def test_a_build_on_an_s3_server_leaves_the_same_bytes(
    endpoint: str, by_option: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Groups, what stages hand to each other and unreadable records, by two workers."""
    world = write_sample_world(str(tmp_path))
    words = ["build", "demo", "--wikidata", world.wikidata, "--wikipedia", f"de={world.wikipedia['de']}", "--output"]
    assert main([*words, str(tmp_path / "local")]) == 0
    output = f"s3://{BUCKET}/a{by_option}/out"
    more = []
    if by_option:
        monkeypatch.delenv("AWS_ENDPOINT_URL")
        more = ["--", f"--s3_endpoint_url={endpoint}"]
    assert main([*words, output, "--workers", "2", *more]) == 0
    fetched = fetch(output, tmp_path / "fetched")
    assert tree_of(fetched, *RESULTS) == tree_of(tmp_path / "local", *RESULTS)
    assert list_files(f"{output}/.work/**") == []
