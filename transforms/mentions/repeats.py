"""Pages that the files of a wiki hold more than once, as a plain and a multistream dump do, or parts that overlap.

Each range leaves the versions of its pages in a file, and the span of their ids beside its counts. The files of a dump
are sorted by page id, so that spans tell that nothing repeats, and no version is read. Only ranges whose spans overlap
can hold copies of one page:

    a.xml    range 0   1 to 400      overlaps range 2
             range 1   401 to 900
    b.xml    range 2   380 to 400    overlaps range 0: their versions say which pages come twice

Ranges with copies that do not count are then scanned once more, without these.
"""

from itertools import pairwise
from typing import Final

import numpy as np

from wikisem.arrow.ipc import decode_numbers, encode_numbers
from wikisem.arrow.numbers import Numbers, distinct, join
from wikisem.links.positions import Positions
from wikisem.links.repeats import NO_VERSIONS, in_parts, superseded
from wikisem.transforms.io.bucket_files import BucketFile, create_bucket_file, part_path, read_bucket
from wikisem.transforms.io.counts import read_json
from wikisem.transforms.mentions.files import MentionFiles

# In the bucket file of a range's redirects, the versions of its pages.
_VERSIONS: Final = "versions"
# So many pages are compared at a time, in some 300 MB of memory: more of them take more steps.
_AT_ONCE: Final = 1 << 22


def add_versions(file: BucketFile, versions: Positions) -> list[int]:
    """Write the versions of a range, and give their span: how many, the lowest and highest id, whether ids ascend."""
    versions = versions[:, np.argsort(versions[2])]
    file.add(_VERSIONS, encode_numbers(versions.ravel()))
    ids = versions[0]
    return [ids.size, int(ids.min()), int(ids.max()), int((ids[1:] > ids[:-1]).all())] if ids.size else [0, 0, -1, 1]


def find_repeats(files: MentionFiles, language: str, ranges: int) -> frozenset[int]:
    """The ranges with copies that do not count, which ``read_repeats`` reads from then on."""
    spans = np.array([read_json(files.counts(language, number))["span"] for number in range(ranges)])
    if not (suspects := _overlapping(spans)).size:
        return frozenset()
    found: dict[int, list[Numbers]] = {}
    steps = -(-int(spans[suspects, 0].sum()) // _AT_ONCE)
    edges = np.linspace(spans[suspects, 1].min(), spans[suspects, 2].max() + 1, steps + 1).astype(np.int64)
    for low, high in pairwise(edges):
        near = suspects[(spans[suspects, 1] < high) & (spans[suspects, 2] >= low)].tolist()
        versions, part = in_parts(_read_versions(files, language, number, low, high) for number in near)
        dropped = superseded(versions, part)
        for row in distinct(part[dropped]).tolist():
            found.setdefault(near[row], []).append(versions[2, dropped & (part == row)])
    with create_bucket_file(files.repeats(language)) as file:
        for number, starts in sorted(found.items()):
            file.add(number, encode_numbers(distinct(join(starts))))
    return frozenset(found)


def _overlapping(spans: Positions) -> Positions:
    """The ranges whose ids do not ascend, or whose span overlaps that of another one."""
    ordered = np.argsort(spans[:, 1], kind="stable")
    ordered = ordered[spans[ordered, 0] > 0]
    _, lowest, highest, ascends = spans[ordered].T
    mask = ascends == 0
    mask[1:] |= lowest[1:] <= np.maximum.accumulate(highest)[:-1]
    mask[:-1] |= lowest[1:] <= highest[:-1]
    return np.sort(ordered[mask])


def _read_versions(files: MentionFiles, language: str, number: int, low: int, high: int) -> Positions:
    """The versions of a range whose page id is from ``low`` to below ``high``."""
    (batch,) = read_bucket(part_path(files.redirects(language), number), [_VERSIONS])
    versions = decode_numbers(batch).reshape(len(NO_VERSIONS), -1)
    return versions[:, (versions[0] >= low) & (versions[0] < high)]


def read_repeats(files: MentionFiles, language: str, number: int) -> Numbers:
    """Where the copies that do not count begin in the text of a range, ascending."""
    return join(map(decode_numbers, read_bucket(files.repeats(language), [number])))
