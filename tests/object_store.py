"""A bucket on an S3 server of this machine, and bundles that are run twice."""

import collections
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import apache_beam as beam
import pytest

BUCKET = "a-bucket"


@contextmanager
def s3_bucket() -> Iterator[str]:
    """The address of a server with one empty bucket; credentials and address are in the environment, for workers too.

    The test is skipped where the server or the driver is not installed.
    """
    boto3 = pytest.importorskip("boto3", reason="boto3 comes with wikisem[test]")
    server = pytest.importorskip("moto.server", reason="moto comes with wikisem[test]")
    s3fs = pytest.importorskip("s3fs", reason="s3fs comes with wikisem[test]")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    s3 = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    s3.start()
    host, port = s3.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "key")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        client = boto3.client("s3", endpoint_url=endpoint)
        client.create_bucket(Bucket=BUCKET)
        client.close()
        patch.setenv("AWS_ENDPOINT_URL", endpoint)
        s3fs.S3FileSystem.clear_instance_cache()  # of another server of these tests
        yield endpoint
    s3.stop()


class Twice(beam.DoFn):
    """A DoFn whose bundles are tried before they are run, and tried again after all others of the worker.

    A runner may run a bundle again: when a worker died after it had written all, or beside one that is slow. What such
    a try yields is thrown away, and what it writes must change nothing.
    """

    tries = 0

    def __init__(self, inner: beam.DoFn) -> None:
        self._inner = inner
        self._seen: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = []

    def infer_output_type(self, input_type: Any) -> Any:
        """As the inner one."""
        return self._inner.infer_output_type(input_type)

    def get_type_hints(self) -> Any:
        """As the inner one."""
        return self._inner.get_type_hints()

    def setup(self) -> None:
        """As the inner one."""
        self._inner.setup()

    def process(self, element: Any, *rest: Any, **more: Any) -> Iterator[Any]:
        """Try, try the one before again, and run."""
        self._try(element, *rest, **more)
        if self._seen:
            last, its_rest, its_more = self._seen[-1]
            self._try(last, *its_rest, **its_more)
        yield from self._inner.process(element, *rest, **more) or ()
        self._seen.append((element, rest, more))

    def finish_bundle(self) -> None:
        """Try everything again, the last one first."""
        for element, rest, more in reversed(self._seen):
            self._try(element, *rest, **more)
        self._seen.clear()

    def teardown(self) -> None:
        """As the inner one."""
        self._inner.teardown()

    def _try(self, element: Any, *rest: Any, **more: Any) -> None:
        Twice.tries += 1
        collections.deque(self._inner.process(element, *rest, **more) or (), maxlen=0)


def twice(fn: Any, *rest: Any, **more: Any) -> beam.ParDo:
    """``beam.ParDo`` whose bundles run twice."""
    return beam.transforms.core.ParDo(Twice(fn) if isinstance(fn, beam.DoFn) else fn, *rest, **more)


class _Function(beam.DoFn):
    """What ``beam.FlatMap`` makes of a function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function

    def process(self, element: Any, *rest: Any, **more: Any) -> Any:
        """Call it."""
        return self._function(element, *rest, **more)


def flat_map_twice(function: Callable[..., Any], *rest: Any, **more: Any) -> beam.ParDo:
    """``beam.FlatMap`` whose bundles run twice."""
    return twice(_Function(function), *rest, **more)


def map_twice(function: Callable[..., Any], *rest: Any, **more: Any) -> beam.ParDo:
    """``beam.Map`` whose bundles run twice."""
    return flat_map_twice(lambda element, *rest, **more: [function(element, *rest, **more)], *rest, **more)


def run_bundles_twice(patch: pytest.MonkeyPatch) -> None:
    """Let the bundles of all DoFns and functions of pipelines run twice."""
    for name, transform in (("ParDo", twice), ("Map", map_twice), ("FlatMap", flat_map_twice)):
        patch.setattr(beam, name, transform)
