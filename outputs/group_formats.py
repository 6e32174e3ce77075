"""The forms in which each group is written to a file of its own, beside the JSON lines and the Parquet.

To add one, write a function from a group to the text of its file, and name it in ``FORMATS``: a build then writes
``OUT/<name>/<language>/<QID>.txt`` (docs/architecture.md shows one in full).
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from wikisem.outputs.wikisem500 import format_group
from wikisem.records import Group

# Folder in OUT -> the text of a group's file.
FORMATS: Final[Mapping[str, Callable[[Group], str]]] = {"wikisem500": format_group}


def group_folders(language: str) -> list[str]:
    """The folders of a language, one for each format, below OUT."""
    return [f"{name}/{language}" for name in FORMATS]


def group_files(group: Group) -> Iterator[tuple[str, bytes]]:
    """The files of a group, one for each format: the path below OUT, and the bytes."""
    for name, text_of in FORMATS.items():
        yield f"{name}/{group.language}/{group.qid}.txt", text_of(group).encode()
