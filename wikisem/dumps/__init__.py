"""Dumps cut into ranges that decode on their own, in any compression: every record is read exactly once.

In: the path of a file, an opener, a delimiter. Out: ranges (``plan_ranges``), and for each range its chunks of whole
records and the damage that was found on the way (``read_records``); damage that shows only between ranges
(``join_streams``). It must not know what a record holds.
"""

from wikisem.dumps.bzip2.block_reader import StreamPart, join_streams
from wikisem.dumps.model import Chunk, Damage, Opener, Range
from wikisem.dumps.whole_records import ENDINGS, plan_ranges, read_head, read_ranges, read_records

__all__ = [
    "ENDINGS",
    "Chunk",
    "Damage",
    "Opener",
    "Range",
    "StreamPart",
    "join_streams",
    "plan_ranges",
    "read_head",
    "read_ranges",
    "read_records",
]
