"""Exact counts of a stage: one small file for each part of the work, added up when the pipeline is over.

Beam's own metrics count what was tried: a bundle that is run again counts twice. A file that is written again does not.
"""

from dataclasses import asdict
from functools import reduce
from operator import add

import orjson

from transforms.files import create_binary, list_files, open_binary
from wikisem.records import Counts


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
