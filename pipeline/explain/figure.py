"""A group as a picture, after figure 1 of Blair et al. (2016): instances, classes, solid and dashed arrows.

Classes are left of what is below them and instances on the right, one a line, so that names in any script have room.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
import networkx as nx
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch
from matplotlib.text import Text

from wikisem.evaluation.plot import save_figure
from wikisem.graph.taxonomy import Taxonomy
from wikisem.pipeline.console.terminal import log
from wikisem.pipeline.explain.explanation import Explanation
from wikisem.pipeline.explain.fonts import families_for
from wikisem.pipeline.explain.layout import group_graph, place

# The palette of Okabe and Ito (2008), which colour-blind readers can tell apart: cluster, O1, O2, O3, other classes.
COLOURS: Final = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#777777")
KINDS: Final = ("cluster", "outlier class 1: sibling", "outlier class 2: cousin", "outlier class 3: far away")
_OTHER: Final = 4
_WIDTH: Final = 13.0
_LINE: Final = 0.42


def draw(path: Path, taxonomy: Taxonomy, explanation: Explanation) -> None:
    """Draw the group into a .svg, .png or .pdf file, with a warning of characters that no installed font has.

    Raises UsageError for another form of file, OutputError where it cannot be written.
    """
    graph = group_graph(taxonomy, explanation)
    families, missing = families_for("".join(data["text"] for _, data in graph.nodes(data=True)))
    if missing:
        log(f"warning: no installed font has {missing!r}; install one for this script, such as Noto")
    # The same group gives the same bytes: no date, no random ids.
    settings: dict[Any, Any] = {"font.family": families, "svg.hashsalt": explanation.qid}
    with mpl.rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")  # said above, once
        figure = _figure(graph, explanation)
        save_figure(figure, path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)


def _figure(graph: nx.DiGraph, explanation: Explanation) -> Figure:
    places = place(graph)
    height = _LINE * (max(y for _, y in places.values()) - min(y for _, y in places.values()) + 4)
    figure = Figure(figsize=(_WIDTH, height), layout="constrained")
    axes = figure.subplots()
    boxes = {node: _box(axes, places[node], data) for node, data in graph.nodes(data=True)}
    for low, high, data in graph.edges(data=True):
        _arrow(axes, boxes[low], boxes[high], data)
    axes.set_title(f"{explanation.label(explanation.qid)} ({explanation.qid}, {explanation.language})", fontsize=14)
    xs, ys = zip(*places.values(), strict=True)
    axes.set(xlim=(min(xs) - 0.45, max(xs) + 0.75), ylim=(min(ys) - 1, max(ys) + 1))
    axes.axis("off")
    axes.legend(handles=list(_legend(graph)), loc="lower left", fontsize=9, frameon=False)
    return figure


def _box(axes: Axes, at: tuple[float, float], data: Mapping[str, Any]) -> Text:
    colour = COLOURS[data["kind"]]
    style = {"boxstyle": "round,pad=0.3", "edgecolor": colour, "facecolor": colour if data["is_class"] else "white"}
    side = "center" if data["is_class"] else "left"
    ink = "white" if data["is_class"] else "black"
    return axes.text(*at, data["text"], ha=side, va="center", fontsize=10, color=ink, bbox=style, zorder=2)


def _arrow(axes: Axes, low: Text, high: Text, data: Mapping[str, Any]) -> None:
    axes.add_patch(
        FancyArrowPatch(
            low.get_position(),
            high.get_position(),
            patchA=low.get_bbox_patch(),
            patchB=high.get_bbox_patch(),
            arrowstyle="-|>",
            mutation_scale=10,
            linestyle="-" if data["instance"] else "--",
            color=COLOURS[data["kind"]],
            zorder=1,
        )
    )


def _legend(graph: nx.DiGraph) -> Iterator[Line2D]:
    yield Line2D([], [], color="black", linestyle="-", label="instance of")
    yield Line2D([], [], color="black", linestyle="--", label="subclass of")
    present: Sequence[int] = sorted({data["kind"] for _, data in graph.nodes(data=True)} - {_OTHER})
    for kind in present:
        yield Line2D([], [], color=COLOURS[kind], marker="s", linestyle="", label=KINDS[kind])
