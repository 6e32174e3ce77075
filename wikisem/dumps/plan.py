"""Where a file is cut: at multiples of a size, since the reader of a range finds its own first segment."""

import logging
from typing import BinaryIO, Final

from wikisem.dumps.bzip2.block_reader import HEADER
from wikisem.dumps.codecs import CODECS
from wikisem.dumps.gzip_zstd import find_head
from wikisem.dumps.lookahead import Lookahead, Retries, size_of
from wikisem.dumps.model import Form, Opener, Range, open_plain

_LOG: Final = logging.getLogger(__name__)
_LOG.addHandler(logging.NullHandler())  # a library prints nothing; programs that configure logging see it
_ENDINGS: Final[dict[str, Form]] = {"gz": "gzip", "bz2": "bzip2", "zst": "zstd"}
# A file with no second member in this many bytes is read in one go: looking further would read it twice.
_LOOK_BYTES: Final = 1 << 28


def plan_ranges(path: str, open_binary: Opener = open_plain, target_bytes: int = 1 << 25) -> list[Range]:
    """Cut a file into ranges of about ``target_bytes`` of its own (compressed) bytes; an empty file has none.

    The first bytes tell the form. Where they are those of no known form the file's name does, so that a dump with a
    damaged head is not read as text.
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
    if find_head(CODECS[form], Lookahead(source, 1), 1 + _LOOK_BYTES, Retries()) is not None:
        return False
    _LOG.warning("%s holds no second %s member to start from: one worker reads all of it", path, form)
    return True
