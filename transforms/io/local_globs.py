"""Globs on this machine, by the rules of Beam's: ``*`` is any part of a name, ``**`` any part of a path."""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from apache_beam.io.filesystem import FileSystem

_GLOB: Final = re.compile(r"[*?\[]")


def match_local(pattern: str) -> Iterator[str]:
    """The files that match a path or glob; what of it exists as written is no glob."""
    if os.path.isfile(pattern):  # noqa: PTH113 - a Path would change how the path is written
        yield pattern
        return
    folder, rest = _split_at_folder(pattern)
    if not _GLOB.search(rest.partition("/")[0]):
        return  # a folder or file that is not there
    expression = re.compile(FileSystem.translate_pattern(rest))
    deep = "**" in rest or "/" in rest
    prefix = folder if folder.endswith("/") or not folder else f"{folder}/"
    for root, below, names in os.walk(folder or "."):
        if not deep:
            below.clear()
        inside = os.path.relpath(root, folder or ".")
        for name in names:
            path = name if inside == "." else f"{inside}/{name}"
            if expression.match(path):
                yield prefix + path


def _split_at_folder(pattern: str) -> tuple[str, str]:
    """The deepest folder of a pattern that exists as written, and what follows it."""
    folder, rest = pattern, ""
    while folder not in {"", "/"} and not Path(folder).is_dir():
        folder, _, name = folder.rpartition("/")
        rest = f"{name}/{rest}" if rest else name
        if not folder and pattern.startswith("/"):
            folder = "/"
    return folder, rest
