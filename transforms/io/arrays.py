"""Arrays through Beam's file systems: written anywhere, mapped into memory where they are on this machine."""

import shutil
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any

from wikisem.graph.store import write_arrays
from wikisem.transforms.io.files import create_binary, list_files, open_binary


def save_arrays(record: Any, folder: str, prefix: str = "") -> None:
    """Write the arrays of a dataclass into a folder, into files whose names begin with the prefix."""
    write_arrays(record, lambda name: create_binary(f"{folder}/{name}"), prefix)


@lru_cache(maxsize=64)
def local_folder(folder: str) -> Path:
    """A folder whose files can be mapped: itself, or a copy that this process makes once for one on another machine."""
    if "://" not in folder:
        return Path(folder)
    copy = Path(tempfile.mkdtemp(prefix="wikisem-"))
    for path in list_files(f"{folder}/*"):
        with open_binary(path) as source, (copy / path.rpartition("/")[2]).open("wb") as sink:
            shutil.copyfileobj(source, sink, 1 << 24)
    return copy
