"""Files on this machine that are seen whole or not at all, even by a process that looks while they are written."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from wikisem.errors import OutputError, WikisemError


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A new file to write to; it takes its name, and the place of an older one, when the context ends without an error.

    Its folder is made. OutputError when it cannot be written; nothing unfinished stays.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with part.open("wb") as sink:
                yield sink
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
    except WikisemError:
        raise  # some are OSErrors too, and say better what went wrong
    except OSError as error:
        raise OutputError(f"expected to write {path}, saw {error}") from error
