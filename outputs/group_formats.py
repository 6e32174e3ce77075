"""The forms in which each group is written to a file of its own, beside the JSON lines and the Parquet.

To add one, write a function from a group to the text of its file, and name it in ``FORMATS``: a build then writes
``OUT/<name>/<language>/<QID>.txt`` (docs/architecture.md shows one in full).
"""

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from wikisem.datasets.word_groups import OUTLIER_CLASSES, write_outlier_classes
from wikisem.records import Group


def format_group(group: Group) -> str:
    """WikiSem500 text, as Blair et al. (2016, 3.2) released it: cluster lines, one blank line, outlier lines.

    Every line ends with a newline. Surfaces are in Unicode form NFC, with ``_`` for every run of white space.
    """
    cluster = [format_surface(member.surface) for member in group.cluster]
    outliers = [format_surface(outlier.surface) for outlier in group.outliers]
    return "\n".join([*cluster, "", *outliers, ""])


def format_surface(surface: str) -> str:
    """A surface form as one token: ``New_York`` for "New York"."""
    return "_".join(unicodedata.normalize("NFC", surface).split())


# Folder in OUT -> the text of a group's file.
FORMATS: Final[Mapping[str, Callable[[Group], str]]] = {"wikisem500": format_group}


def group_folders(language: str) -> list[str]:
    """The folders of a language, one for each format, below OUT."""
    return [f"{name}/{language}" for name in FORMATS]


def side_files(language: str, groups: Sequence[Group]) -> Iterator[tuple[str, bytes]]:
    """The files beside those of the groups of a language: the outlier classes, which WikiSem500 text does not say."""
    classes = ((group.qid, [outlier.outlier_class for outlier in group.outliers]) for group in groups)
    yield f"wikisem500/{language}/{OUTLIER_CLASSES}", write_outlier_classes(classes)


def group_files(group: Group) -> Iterator[tuple[str, bytes]]:
    """The files of a group, one for each format: the path below OUT, and the bytes."""
    for name, text_of in FORMATS.items():
        yield f"{name}/{group.language}/{group.qid}.txt", text_of(group).encode()
