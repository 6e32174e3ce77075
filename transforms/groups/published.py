"""The three files of a language that people load, below OUT: its groups as lines and as Parquet, and its rejections."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from wikisem.outputs.groupfile import decode_group, encode_group, groups_table
from wikisem.records import Group
from wikisem.transforms.io.files import create_binary
from wikisem.transforms.io.parquet import read_row_groups, write_parquet


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


def add_titles(lines: Sequence[bytes], surfaces: Iterable[str]) -> list[bytes]:
    """Lines of ``encode_group`` with the titles of the items' pages, from the files of the language's surface forms."""
    groups = [decode_group(line) for line in lines]
    wanted = pa.array(sorted({one.id for group in groups for one in (*group.cluster, *group.outliers)}), pa.string())
    titles: dict[str, str] = {}
    for path in surfaces if groups else ():
        for table in read_row_groups(path, ["qid", "title"]):
            found = table.filter(pc.is_in(table["qid"], value_set=wanted))
            titles.update(zip(found["qid"].to_pylist(), found["title"].to_pylist(), strict=True))
    return [encode_group(_titled(group, titles)) for group in groups]


def _titled(group: Group, titles: Mapping[str, str]) -> Group:
    cluster = tuple(replace(one, title=titles.get(one.id)) for one in group.cluster)
    outliers = tuple(replace(one, title=titles.get(one.id)) for one in group.outliers)
    return replace(group, cluster=cluster, outliers=outliers)


def write_lines(path: str, lines: Iterable[bytes]) -> None:
    """Write lines that end in newlines as one file."""
    with create_binary(path) as sink:
        sink.write(b"".join(lines))
