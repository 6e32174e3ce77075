"""The page and the figure of the rehearsal at full size, from the results that were gathered."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from matplotlib.figure import Figure

from benchmarks.full_size_data import Wikipedia, wikidata_size
from benchmarks.report import DOCS, table, write_section

RESULTS: Final = DOCS / "full-size.jsonl"
_STAGES: Final = ("mentions", "surfaces", "taxonomy", "groups", "bare groups")

_SHOWN: Final = 0.05  # of smaller parts and of the steps that write what is read, only the results have figures

Row = Mapping[str, Any]


def draw() -> None:
    """Write docs/benchmarks/full-size.md and full-size.svg; of the same step measured twice, the last one counts."""
    lines = RESULTS.read_text(encoding="utf-8").splitlines()
    steps = [row for row in map(json.loads, lines) if row["step"] != "labels"]
    labels = {(row["scale"], row["indexed"]): row for row in map(json.loads, lines) if row["step"] == "labels"}
    found = {(row["step"], row["scale"], row["prose"], row["workers"]): row for row in steps}
    rows = [found[key] for key in sorted(found, key=lambda key: (key[2], key[1], _order(key[0]), key[3]))]
    _figure(rows)
    text = _TEXT.format(
        table=table(_HEADER, [_cells(row) for row in rows if row["scale"] >= _SHOWN and row["step"] in _STAGES]),
        labels=table(["items", "labels by", "time", "read"], [_label_cells(labels[key]) for key in sorted(labels)]),
    )
    write_section("full-size", "A rehearsal at full size", text, ["apache-beam", "numpy", "pyarrow"])


def _order(step: str) -> int:
    return ["dump", "mentions", "items", "surfaces", "taxonomy", "groups", "bare groups"].index(step)


_HEADER: Final = [
    "step", "part of full size", "read", "prose", "workers", "time", "CPU", "peak memory", "one process", "peak disk",
    "measured",
]  # fmt: skip


def _cells(row: Row) -> list[str]:
    return [
        row["step"],
        f"{row['scale']:g}",
        _input(row["step"], row["scale"]),
        str(row["prose"]),
        str(row["workers"]),
        _time(row["seconds"]),
        _time(row["cpu"]),
        f"{row['peak'] / 1e9:.2f} GB",
        f"{row['largest'] / 1e9:.2f} GB" if "largest" in row else "",
        f"{row['disk'] / 1e9:.1f} GB",
        row["date"],
    ]


def _label_cells(row: Row) -> list[str]:
    how = "the index" if row["indexed"] else "reading all"
    return [_input("labels", row["scale"]), how, f"{row['seconds']:.2f} s", f"{row['read'] / 1e6:,.1f} MB"]


def _input(step: str, scale: float) -> str:
    if step in {"dump", "mentions"}:
        return f"{Wikipedia().scaled(scale).links / 1e6:.3g} M links"
    size = wikidata_size(scale)
    return f"{(size.classes + size.instances) / 1e6:.3g} M items"


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def _figure(rows: Sequence[Row]) -> None:
    """Peak memory of each stage against its part of the full size."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    for stage in _STAGES:
        points = sorted(
            (row["scale"], row["peak"] / 1e9) for row in rows if row["step"] == stage and row["prose"] < 100
        )
        if points:
            axes.plot(*zip(*points, strict=True), marker="o", label=stage)
    axes.set(xlabel="part of the full size", ylabel="peak memory of all processes, GB", ylim=(0, None), xscale="log")
    axes.legend()
    axes.grid(alpha=0.3)
    figure.savefig(DOCS / "full-size.svg", metadata={"Date": None})


_TEXT: Final = """
`python -m benchmarks.full_size --scale PART`: made-up dumps of the numbers of English Wikipedia (7 M pages of which
1 M are redirects, 250 M links, 60 M distinct pairs of title and anchor) and of Wikidata (115 M items, 4 M classes,
labels in 35 languages, titles and signatures, as many as real items have), or a part of them, through the stages by the
recipe `wikisem`, in ten languages at once. `bare groups` are without places and the second witness. *Prose* is the
bytes of text after each link. Memory is that of all processes together at the highest moment (PSS); *one process* is
the most that any of them held. Disk is the highest, dumps included. Other work shared the machine in most runs, which
multiplies the time and adds to the CPU time. Rows from before 2026-11-23 are of earlier versions, and groups of earlier
days than 2026-11-27 have no certificates. `full-size.jsonl` has all steps and parts.

{table}

![Peak memory against the part of the full size](full-size.svg)

`python -m benchmarks.full_size --steps items labels`: the labels of fifty items, as `categories --entities` and
`explain` ask for them, with the index of the `entities` stage and without it.

{labels}
"""
