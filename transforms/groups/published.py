"""The three files of a language that people load, below OUT: its groups as lines and as Parquet, and its rejections."""

from collections.abc import Iterable, Sequence

from wikisem.outputs.groupfile import groups_table
from wikisem.transforms.io.files import create_binary
from wikisem.transforms.io.parquet import write_parquet


def group_leaves(language: str) -> tuple[str, str, str]:
    """The paths of groups as lines, groups as Parquet, and rejections.

    >>> group_leaves("de")
    ('groups/de.jsonl', 'groups/de.parquet', 'rejected/de.jsonl')
    """
    return f"groups/{language}.jsonl", f"groups/{language}.parquet", f"rejected/{language}.jsonl"


def write_groups(folder: str, language: str, groups: Sequence[bytes], rejected: Iterable[bytes]) -> None:
    """Write lines of ``encode_group`` and of ``encode_rejection``, in the order given."""
    lines, table, rejections = (f"{folder}/{path}" for path in group_leaves(language))
    write_lines(lines, groups)
    write_parquet(table, groups_table(groups))
    write_lines(rejections, rejected)


def write_lines(path: str, lines: Iterable[bytes]) -> None:
    """Write lines that end in newlines as one file."""
    with create_binary(path) as sink:
        sink.write(b"".join(lines))
