"""The section and the figure of the rehearsal at full size, from the results that were gathered."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from matplotlib.figure import Figure

from benchmarks.report import DOCS, table, write_section

RESULTS: Final = DOCS / "full-size.jsonl"
_STAGES: Final = ("mentions", "surfaces", "taxonomy", "groups", "bare groups")

Row = Mapping[str, Any]


def draw() -> None:
    """Write the section of docs/benchmarks.md, and full-size.svg; of a step measured twice, the last one counts."""
    lines = RESULTS.read_text(encoding="utf-8").splitlines()
    steps = [row for row in map(json.loads, lines) if row["step"] != "labels"]
    labels = {(row["scale"], row["indexed"]): row for row in map(json.loads, lines) if row["step"] == "labels"}
    found = {(row["step"], row["scale"], row["prose"], row["workers"]): row for row in steps}
    rows = [
        found[key] for key in sorted(found, key=lambda key: (key[2], key[1], _order(key[0]), key[3])) if key[2] < 100
    ]
    _figure(rows)
    # A quarter and the whole, and a step that was never measured at these by its largest part.
    largest = {row["step"]: row for row in rows}
    shown = table(
        _HEADER,
        [
            _cells(row)
            for row in rows
            if row["step"] in _STAGES and (row["scale"] >= 0.25 or row is largest[row["step"]])
        ],
    )
    reading, index = (labels[max(labels)[0], indexed]["seconds"] for indexed in (False, True))
    write_section(
        "Full size", _TEXT.format(table=shown, reading=reading, index=index), ["apache-beam", "numpy", "pyarrow"]
    )


def _order(step: str) -> int:
    return ["dump", "mentions", "items", "surfaces", "taxonomy", "groups", "bare groups"].index(step)


_HEADER: Final = ["step", "part", "time", "CPU", "peak memory", "of it private", "peak disk", "measured"]


def _cells(row: Row) -> list[str]:
    return [
        row["step"],
        f"{row['scale']:g}",
        _time(row["seconds"]),
        _time(row["cpu"]),
        f"{row['peak'] / 1e9:.2f} GB",
        f"{row['private'] / 1e9:.2f} GB" if "private" in row else "",
        f"{row['disk'] / 1e9:.1f} GB",
        row["date"],
    ]


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def _figure(rows: Sequence[Row]) -> None:
    """Peak memory of each stage against its part of the full size."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for stage in _STAGES:
        points = sorted((row["scale"], row["peak"] / 1e9) for row in rows if row["step"] == stage)
        if points:
            axes.plot(*zip(*points, strict=True), marker="o", label=stage)
    axes.set(xlabel="part of the full size", ylabel="peak memory of all processes, GB", ylim=(0, None), xscale="log")
    axes.legend()
    axes.grid(alpha=0.3)
    figure.savefig(DOCS / "full-size.svg", metadata={"Date": None})


_TEXT: Final = """
`python -m benchmarks.full_size --scale PART`: made-up dumps of the numbers of English Wikipedia (7 M pages, 250 M
links) and of Wikidata (115 M items, 4 M classes, labels in 35 languages), or a part of them, by the recipe `wikisem` in
ten languages with two workers. `bare groups` are without places and the second witness. Memory is that of all
processes together at the highest moment, shared pages counted once. What is not private are pages of mapped files,
which the system takes back when memory is short. Other work shared the machine in most runs.
`full-size.jsonl` has all steps and parts.

{table}

![Peak memory against the part of the full size](benchmarks/full-size.svg)

The labels of fifty items, as `explain` asks for them, take {index:.2f} s with the index of the `entities` stage and
{reading:.2f} s without it.
"""
