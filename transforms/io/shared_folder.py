"""Whether workers see the folder that this process writes to: a token written by one is read by the other, both ways.

A runner may start its workers on other machines, or in containers. Where they do not share the output folder, each
would write into one of its own, and the stage would end without a result.
"""

import uuid
from collections.abc import Iterator
from typing import Final

import apache_beam as beam
from apache_beam.options.pipeline_options import StandardOptions

from wikisem.errors import OutputError
from wikisem.transforms.io.addresses import is_local
from wikisem.transforms.io.files import exists, open_binary, remove, replace_file
from wikisem.transforms.io.runtime import Runtime

# Runners whose workers are this process, or its children.
_HERE: Final = frozenset({"FnApiRunner", "DirectRunner", "BundleBasedDirectRunner", "SwitchingDirectRunner"})


def check_shared(output: str, runtime: Runtime) -> None:
    """Raise OutputError unless the workers of the runner that is named share the output folder with this process.

    A URL is shared by nature, and a runner of this process has no workers elsewhere: neither is asked.
    """
    runner = str(runtime.options().view_as(StandardOptions).runner).rpartition(".")[2]
    if not is_local(output) or not runtime.names_runner or runner in _HERE:
        return
    if runner in {"DataflowRunner", "TestDataflowRunner"}:
        raise OutputError(f"expected an output URL such as gs://bucket/out for {runner}, saw the folder {output}")
    _exchange_tokens(output, runner, runtime)


def _exchange_tokens(output: str, runner: str, runtime: Runtime) -> None:
    token = uuid.uuid4().hex
    asked, answered = (f"{output}/.wikisem/{token}.{word}" for word in ("asked", "answered"))
    replace_file(asked, token.encode())

    def construct(pipeline: beam.Pipeline) -> None:
        _ = pipeline | "token" >> beam.Create([(asked, answered)]) | "answer" >> beam.ParDo(AnswerToken(token))

    try:
        runtime.run(construct, label="output folder")
        if not exists(answered):
            raise OutputError(f"expected to see what workers of {runner} write to {output}, saw nothing; {_ADVICE}")
    finally:
        remove(asked)
        remove(answered)


_ADVICE: Final = "use a folder that all of them share, under the same path, or a URL"


class AnswerToken(beam.DoFn):
    """The paths of a token and of its answer to nothing; the answer is written where the token is read."""

    def __init__(self, token: str) -> None:
        self._token = token

    def process(self, paths: tuple[str, str]) -> Iterator[None]:
        """Read, compare and answer; OutputError where the token is not there."""
        asked, answered = paths
        if not exists(asked):
            raise OutputError(f"expected workers to see what this process writes, saw no {asked} on one; {_ADVICE}")
        with open_binary(asked) as source:
            replace_file(answered, b"yes" if source.read().decode() == self._token else b"no")
        yield from ()
