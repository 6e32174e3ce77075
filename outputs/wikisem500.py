"""Test groups as WikiSem500 text: one file a group, as Blair et al. (2016, 3.2) released them."""

import unicodedata

from wikisem.records import Group


def format_group(group: Group) -> str:
    """The text of ``<QID>.txt``: cluster lines, one blank line, outlier lines, each ended by a newline.

    Surfaces are in Unicode form NFC, with ``_`` for every run of white space.
    """
    cluster = [format_surface(member.surface) for member in group.cluster]
    outliers = [format_surface(outlier.surface) for outlier in group.outliers]
    return "\n".join([*cluster, "", *outliers, ""])


def format_surface(surface: str) -> str:
    """A surface form as one token: ``New_York`` for "New York"."""
    return "_".join(unicodedata.normalize("NFC", surface).split())
