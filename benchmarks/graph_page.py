"""The page of ``benchmarks.graph``: what was measured so far."""

from dataclasses import dataclass, field
from typing import NamedTuple

from benchmarks.graph_world import Size
from benchmarks.report import Run, table
from benchmarks.tree import Held


class Step(NamedTuple):
    """A stage on the whole world or on a tenth of it."""

    world: str
    stage: str
    workers: int


WHOLE, TENTH = "whole", "tenth"
# What is run, in this order.
STEPS = (
    Step(WHOLE, "taxonomy", 1),
    Step(WHOLE, "taxonomy", 2),
    Step(WHOLE, "groups", 1),
    Step(WHOLE, "groups", 2),
    Step(TENTH, "taxonomy", 1),
    Step(TENTH, "groups", 1),
)


@dataclass(frozen=True)
class Measured:
    """One run of a step, what its processes held, and the CPU seconds that other programs used meanwhile."""

    run: Run
    held: Held
    others: float


@dataclass
class Findings:
    """All that was measured so far; milliseconds are the median and the 99th percentile."""

    size: Size
    steps: dict[Step, Measured] = field(default_factory=dict)
    graphs: dict[str, tuple[int, int, int]] = field(default_factory=dict)  # classes, items, P279 edges
    groups: dict[str, tuple[int, int]] = field(default_factory=dict)  # candidates, groups
    milliseconds: dict[str, tuple[float, float]] = field(default_factory=dict)


def page(found: Findings) -> str:
    """The section, complete or as far as it got."""
    left = [f"{step.stage} on the {step.world}, {_workers(step)}" for step in STEPS if step not in found.steps]
    paragraphs = [
        _facts(found),
        f"**Not measured, because the run was cut off:** {'; '.join(left)}." if left else "",
        table(["stage", "wall s", "CPU s", "others' CPU s", "private GB", "mapped GB", "peak GB"], _stages(found)),
        _questions(found),
        _slopes(found),
    ]
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def _facts(found: Findings) -> str:
    classes, items, edges = found.graphs.get(WHOLE, (0, 0, 0))
    candidates, groups = found.groups.get(WHOLE, (0, 0))
    return (
        f"A made-up world of the shape of Wikidata: of {found.size.classes:,} classes and {found.size.instances:,} "
        f"instances {classes:,} and {items:,} are left after pruning, with {edges:,} P279 edges. "
        + (f"{candidates:,} classes are candidates and {groups:,} give a group. " if candidates else "")
        + "Each step was run once; *others* are the CPU seconds of other programs meanwhile. *Private* and *mapped* "
        "are the most that any one process held of memory of its own and of mapped files; *peak* is the most of both."
    )


def _stages(found: Findings) -> list[list[str]]:
    return [
        [
            f"{step.stage}, {_workers(step)}" + (", a tenth of the size" if step.world == TENTH else ""),
            *(f"{value:.0f}" for value in (one.run.seconds, one.run.cpu, one.others)),
            *(f"{value / 1e9:.2f}" for value in (one.held.private, one.held.mapped, one.held.peak)),
        ]
        for step, one in found.steps.items()
    ]


def _workers(step: Step) -> str:
    return f"{step.workers} worker" + ("s" if step.workers > 1 else "")


def _questions(found: Findings) -> str:
    rows = [[f"`{name}`", f"{median:.2f}", f"{high:.2f}"] for name, (median, high) in found.milliseconds.items()]
    return table(["question to the opened graph", "median ms", "99 % ms"], rows) if rows else ""


def _slopes(found: Findings) -> str:
    """What a tenfold Wikidata would take, from two sizes: time as a line and a square, memory as a line."""
    rows = []
    for stage in ("taxonomy", "groups"):
        tenth, whole = (found.steps.get(Step(world, stage, 1)) for world in (TENTH, WHOLE))
        if tenth and whole:
            times, memory = (tenth.run.cpu, whole.run.cpu), (tenth.held.peak / 1e9, whole.held.peak / 1e9)
            square = max(0.0, (times[1] - 10 * times[0]) / 0.9)  # never less than a line: fixed costs blur small worlds
            tenfold = 10 * (times[1] - square) + 100 * square
            more = memory[1] + 10 * (memory[1] - memory[0])
            rows.append([stage, *(f"{time:.1f}" for time in times), f"{tenfold:,.0f}"])
            rows[-1] += [f"{size:.2f}" for size in memory] + [f"{more:.0f}"]
    if not rows:
        return ""
    head = [
        "one worker",
        *(f"{size}, {unit}" for unit in ("CPU s", "GB") for size in ("a tenth", "the whole", "tenfold")),
    ]
    return (
        table(head, rows) + "\n\nTenfold is worked out, not measured: CPU seconds as *a n* + *b n²* through the two "
        "sizes, with *b* not below zero, memory (the largest process, mapped files included) as a line."
    )
