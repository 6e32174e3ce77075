"""The page of ``benchmarks.graph``: what was measured so far."""

from dataclasses import dataclass, field
from typing import NamedTuple

from benchmarks.graph_world import Size
from benchmarks.report import Run, table
from benchmarks.tree import Held


class Step(NamedTuple):
    """A stage on the made-up world."""

    stage: str
    workers: int


# What is run, in this order.
STEPS = tuple(Step(stage, workers) for stage in ("taxonomy", "groups") for workers in (1, 2))


@dataclass(frozen=True)
class Measured:
    """One run of a step, and what its processes held."""

    run: Run
    held: Held


@dataclass
class Findings:
    """All that was measured so far; milliseconds are the median and the 99th percentile."""

    size: Size
    steps: dict[Step, Measured] = field(default_factory=dict)
    graph: tuple[int, int, int] = (0, 0, 0)  # classes, items, P279 edges
    groups: tuple[int, int] = (0, 0)  # candidates, groups
    milliseconds: dict[str, tuple[float, float]] = field(default_factory=dict)


def page(found: Findings) -> str:
    """The section, complete or as far as it got."""
    left = [f"{step.stage}, {_workers(step)}" for step in STEPS if step not in found.steps]
    paragraphs = [
        _facts(found),
        f"**Not measured, because the run was cut off:** {'; '.join(left)}." if left else "",
        table(["stage", "wall s", "CPU s", "peak GB"], _stages(found)),
        _questions(found),
    ]
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def _facts(found: Findings) -> str:
    (classes, items, edges), (candidates, groups) = found.graph, found.groups
    return (
        f"A made-up world of the size of Wikidata, pruned: {classes:,} classes, {items:,} instances, {edges:,} edges; "
        f"{candidates:,} candidates and {groups:,} groups. *Peak* is the most that any one process held, mapped files "
        "included."
    )


def _stages(found: Findings) -> list[list[str]]:
    return [
        [
            f"{step.stage}, {_workers(step)}",
            *(f"{value:.0f}" for value in (one.run.seconds, one.run.cpu)),
            f"{one.held.peak / 1e9:.2f}",
        ]
        for step, one in found.steps.items()
    ]


def _workers(step: Step) -> str:
    return f"{step.workers} worker" + ("s" if step.workers > 1 else "")


def _questions(found: Findings) -> str:
    rows = [[f"`{name}`", f"{median:.2f}", f"{high:.2f}"] for name, (median, high) in found.milliseconds.items()]
    return table(["question to the opened graph", "median ms", "99 % ms"], rows) if rows else ""
