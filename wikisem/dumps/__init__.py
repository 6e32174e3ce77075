"""Dumps cut into ranges that decode on their own, whatever they are wrapped in: each record is read exactly once.

``plan_ranges`` cuts a file, ``read_records`` gives the whole records of one range and what could not be decoded.
"""

from wikisem.dumps.model import Chunk, Damage, Form, Opener, Range, open_plain
from wikisem.dumps.plan import plan_ranges
from wikisem.dumps.reader import read_records

__all__ = ["Chunk", "Damage", "Form", "Opener", "Range", "open_plain", "plan_ranges", "read_records"]
