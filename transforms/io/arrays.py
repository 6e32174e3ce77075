"""Arrays through Beam's file systems: written anywhere, mapped into memory where they are on this machine."""

import shutil
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO

from wikisem.graph.store import write_arrays
from wikisem.transforms.io.files import create_binary, list_files, open_binary


def save_arrays(record: Any, folder: str, prefix: str = "") -> list[str]:
    """Write the arrays of a dataclass into a folder; the names of the files, which begin with the prefix."""
    names: list[str] = []

    def create(name: str) -> BinaryIO:
        names.append(name)
        return create_binary(f"{folder}/{name}")

    write_arrays(record, create, prefix)
    return names


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
