"""Rows of scores in tests: those that a command printed, and the one that is meant."""

from collections.abc import Iterable

import msgspec

from wikisem.evaluation.outlier_detection import Evaluation, GroupScore, scored
from wikisem.evaluation.rows import Row, rows_of


def printed_rows(text: str) -> list[Row]:
    """What ``--json`` printed."""
    return [msgspec.json.decode(line, type=Row) for line in text.splitlines()]


def one(rows: Iterable[Row], metric: str = "accuracy", **fields: str) -> Row:
    """The only row of a metric with these fields, by default a score of all cases in a model's own vocabulary."""
    wanted = {"metric": metric, "part": "all", "less": "", "vocabulary": "own", **fields}
    found = [
        row
        for row in rows
        if all(getattr(row, name) == value for name, value in wanted.items())
        and (row.task != "baseline" or fields.get("task") == "baseline")
    ]
    assert len(found) == 1, (wanted, found)
    return found[0]


def scores(*evaluations: Evaluation[GroupScore], groups: bool = False) -> list[Row]:
    """The rows of what models answered, and of their differences."""
    return rows_of("outliers", [scored(each, groups) for each in evaluations])
