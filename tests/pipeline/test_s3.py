"""A whole build on a real S3 server, through Beam's own s3:// file system: the same bytes as on this machine."""

import functools
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.test_object_store import RESULTS, fetch
from tests.trees import tree_of
from wikisem.errors import OutputError
from wikisem.pipeline.cli import main
from wikisem.pipeline.demo.sample_world import write_sample_world
from wikisem.transforms.io.files import copy, list_files, open_binary, replace_file

boto3 = pytest.importorskip("boto3", reason="boto3 comes with wikisem[test]")
server = pytest.importorskip("moto.server", reason="moto comes with wikisem[test]")

pytestmark = pytest.mark.slow

BUCKET = "a-bucket"


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """A server with one bucket; its address goes to Beam as an option, its credentials are in the environment."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    s3 = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    s3.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "key")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        host, port = s3.get_host_and_port()
        patch.setattr(boto3.session, "Session", functools.cache(_Session))
        boto3.session.Session().client("s3", f"http://{host}:{port}").create_bucket(Bucket=BUCKET)
        yield f"http://{host}:{port}"
        boto3.session.Session().client("s3", f"http://{host}:{port}").close()
    s3.stop()


_REAL = boto3.session.Session


class _Session:
    """A session with one client for each endpoint: Beam 2.77 makes one for each call, in a tenth of a second."""

    def __init__(self) -> None:
        self._session = _REAL()
        self._clients: dict[str | None, Any] = {}

    def client(self, service_name: str, endpoint_url: str | None, **options: Any) -> Any:
        """The client."""
        if endpoint_url not in self._clients:
            made = self._session.client(service_name, endpoint_url=endpoint_url, **options)
            self._clients[endpoint_url] = made
        return self._clients[endpoint_url]


def test_a_build_on_an_s3_server_leaves_the_same_bytes(endpoint: str, tmp_path: Path) -> None:
    """Groups, what stages hand to each other and unreadable records; a second run finds all of it finished."""
    world = write_sample_world(str(tmp_path))
    words = ["build", "demo", "--wikidata", world.wikidata, "--wikipedia", f"de={world.wikipedia['de']}", "--output"]
    assert main([*words, str(tmp_path / "local")]) == 0
    output = f"s3://{BUCKET}/a/out"
    assert main([*words, output, "--", f"--s3_endpoint_url={endpoint}"]) == 0
    fetched = fetch(output, tmp_path / "fetched")
    assert tree_of(fetched, *RESULTS) == tree_of(tmp_path / "local", *RESULTS)
    assert list_files(f"{output}/.work/**") == []


def test_objects_without_bytes_and_objects_that_are_not_there(endpoint: str) -> None:
    """Beam's writer sends no part of an empty object, and its copy returns errors in place of raising them."""
    assert endpoint
    url = f"s3://{BUCKET}/edge"
    replace_file(f"{url}/empty", b"")
    with open_binary(f"{url}/empty") as source:
        assert source.read() == b""
    copy(f"{url}/empty", f"{url}/other")
    assert list_files(f"{url}/*") == [f"{url}/empty", f"{url}/other"]
    with pytest.raises(OutputError, match=r"expected to copy .*absent.*404"):
        copy(f"{url}/absent", f"{url}/third")
