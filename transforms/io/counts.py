"""Exact counts of a stage: one small file for each part of the work, added up when the pipeline is over.

Beam's own metrics count what was tried: a bundle that is run again counts twice. A file that is written again does not.

Records that could not be read, written where a person can look at them.
"""

from collections.abc import Iterable
from dataclasses import asdict
from functools import reduce
from operator import add

import orjson

from wikisem.records import Counts, Reject
from wikisem.transforms.io.files import create_binary, list_files, open_binary


def write_counts(path: str, counts: Counts) -> None:
    """Write the counts of one part."""
    with create_binary(path) as sink:
        sink.write(orjson.dumps(asdict(counts), option=orjson.OPT_SORT_KEYS))


def sum_counts(pattern: str) -> Counts:
    """The sum of the counts in all files that the pattern names."""
    return reduce(add, (_read(path) for path in list_files(pattern)), Counts())


def _read(path: str) -> Counts:
    with open_binary(path) as source:
        return Counts(**orjson.loads(source.read()))


def write_rejects(path: str, rejects: Iterable[Reject]) -> int:
    """Write rejects as JSON lines and return how many; no file is made where there are none."""
    lines = [orjson.dumps(asdict(reject), option=orjson.OPT_APPEND_NEWLINE) for reject in rejects]
    if lines:
        with create_binary(path) as sink:
            sink.write(b"".join(lines))
    return len(lines)
