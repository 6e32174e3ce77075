"""Where a file is cut: every so many bytes, since a range finds its own first unit."""

import logging
from typing import BinaryIO, Final

from wikisem.dumps.bzip2.reader import HEADER
from wikisem.dumps.codecs import CODECS
from wikisem.dumps.members import find_head
from wikisem.dumps.model import Form, Opener, Range, open_plain
from wikisem.dumps.stream import Tape, size_of

_LOG: Final = logging.getLogger(__name__)
_ENDINGS: Final[dict[str, Form]] = {"gz": "gzip", "bz2": "bzip2", "zst": "zstd"}
# A file with no second member in its first part is read in one go: looking further would read it twice.
_LOOK_BYTES: Final = 1 << 28


def plan_ranges(path: str, open_binary: Opener = open_plain, target_bytes: int = 1 << 25) -> list[Range]:
    """Cut a file into ranges of about ``target_bytes`` of its own (compressed) bytes.

    The first bytes tell the form; where they are none that is known, the name does, so that a damaged head does not
    turn a dump into text. An empty file has no ranges.
    """
    with open_binary(path) as source:
        size = size_of(source)
        form = _form(path, source)
        target = size if _is_single(path, form, source, target_bytes) else target_bytes
    return [Range(path, form, start, min(start + target, size)) for start in range(0, size, max(1, target))]


def _form(path: str, source: BinaryIO) -> Form:
    source.seek(0)
    head = source.read(4)
    if HEADER.match(head):
        return "bzip2"
    for form, codec in CODECS.items():
        if head.startswith(codec.magic) or codec.skippable.match(head):
            return form
    return _ENDINGS.get(path.rpartition(".")[2].lower(), "plain")


def _is_single(path: str, form: Form, source: BinaryIO, target_bytes: int) -> bool:
    if form not in CODECS or size_of(source) <= target_bytes:
        return False
    if find_head(CODECS[form], Tape(source, 1), 1 + _LOOK_BYTES) is not None:
        return False
    _LOG.warning("%s holds no second %s member to start from: one worker reads all of it", path, form)
    return True
