"""Records that could not be read, written where a person can look at them."""

from collections.abc import Iterable
from dataclasses import asdict

import orjson

from transforms.files import create_binary
from wikisem.records import Reject


def write_rejects(path: str, rejects: Iterable[Reject]) -> int:
    """Write rejects as JSON lines and return how many; no file is made where there are none."""
    lines = [orjson.dumps(asdict(reject), option=orjson.OPT_APPEND_NEWLINE) for reject in rejects]
    if lines:
        with create_binary(path) as sink:
            sink.write(b"".join(lines))
    return len(lines)
