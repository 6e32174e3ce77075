"""A group as a picture, after figure 1 of Blair et al. (2016): instances, classes, solid and dashed arrows.

Classes are left of what is below them and instances on the right, one a line, so that names in any script have room.
"""

import textwrap
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
import networkx as nx
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontEntry, findSystemFonts, fontManager
from matplotlib.ft2font import FT2Font
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch
from matplotlib.text import Text

from wikisem.evaluation.plot import save_figure
from wikisem.graph.taxonomy import Taxonomy
from wikisem.ids import qid_number
from wikisem.pipeline.console.terminal import log
from wikisem.pipeline.explain.explanation import Explanation, way_up
from wikisem.records import OUTLIER_CLASSES, Outlier

# The picture.

# Cluster, the outlier classes, others; and on each the ink with more contrast, 4.5 or above (WCAG 1.4.3).
COLOURS: Final = ("#0072B2", *(one.colour for one in OUTLIER_CLASSES.values()), "#6B6B6B")
INKS: Final = ("white", "black", "black", "black", "black", "white")
_KINDS: Final = ("cluster", *(one.label for one in OUTLIER_CLASSES.values()))
_WIDTH: Final = 13.0
_LINE: Final = 0.42
_LABEL: Final = 24  # letters in a line of a class's label: more would reach the box of the next column


def draw(path: Path, taxonomy: Taxonomy, explanation: Explanation) -> None:
    """Draw the group into a .svg, .png or .pdf file, with a warning of characters that no installed font has.

    Raises UsageError for another form of file, OutputError where it cannot be written.
    """
    graph = _group_graph(taxonomy, explanation)
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
    places = _place(graph)
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
    ink = INKS[data["kind"]] if data["is_class"] else "black"
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
        yield Line2D([], [], color=COLOURS[kind], marker="s", linestyle="", label=_KINDS[kind])


# Which classes and instances it shows, and how they are joined.

_CLUSTER, _OTHER = 0, 5
# Columns from left to right: grandparents, parents, the class and its like, classes on the way, instances.
_GRANDPARENT, _PARENT, _CLASS, _BETWEEN, _INSTANCE = range(5)


def _group_graph(taxonomy: Taxonomy, explanation: Explanation) -> nx.DiGraph:
    """The classes and instances that the picture shows; edges lead from instance to class and from sub- to superclass.

    Nodes have ``text``, ``kind`` (0 cluster, 1 to 3 outlier class, 4 neither), ``column`` and ``is_class``; edges have
    ``kind`` and ``instance`` (whether it is P31).
    """
    assert explanation.group is not None
    graph = nx.DiGraph()
    _add_class(graph, explanation, explanation.qid, _CLUSTER, _CLASS)
    for member in explanation.group.cluster:
        graph.add_node(("item", member.id), text=member.surface, kind=_CLUSTER, column=_INSTANCE, is_class=False)
        graph.add_edge(("item", member.id), explanation.qid, kind=_CLUSTER, instance=True)
    for outlier in explanation.group.outliers:
        _add_outlier(graph, taxonomy, explanation, outlier)
    return graph


def _add_class(graph: nx.DiGraph, explanation: Explanation, qid: str, kind: int, column: int) -> None:
    if qid not in graph:
        label = explanation.label(qid)
        lines = [] if label == qid else textwrap.wrap(label, _LABEL)
        text = "\n".join([*lines, qid])
        graph.add_node(qid, text=text, kind=kind, column=column, is_class=True)


def _add_outlier(graph: nx.DiGraph, taxonomy: Taxonomy, explanation: Explanation, outlier: Outlier) -> None:
    kind = outlier.outlier_class
    _add_class(graph, explanation, outlier.via, kind, _CLASS)
    item = ("item", outlier.id)
    graph.add_node(item, text=outlier.surface, kind=kind, column=_INSTANCE, is_class=False)
    own = _own_class(taxonomy, outlier)
    if own != outlier.via:
        _add_class(graph, explanation, own, kind, _BETWEEN)
        graph.add_edge(own, outlier.via, kind=kind, instance=False)
    graph.add_edge(item, own, kind=kind, instance=True)
    if kind < 3:
        _join(graph, taxonomy, explanation, outlier)


def _own_class(taxonomy: Taxonomy, outlier: Outlier) -> str:
    """The class of the item from which the way up to the class that brought it in is shortest."""
    ways = [way_up(taxonomy.superclasses, own, outlier.via) for own in taxonomy.classes(outlier.id)]
    return min(filter(None, ways), key=lambda way: (len(way), qid_number(way[0])))[0]


def _join(graph: nx.DiGraph, taxonomy: Taxonomy, explanation: Explanation, outlier: Outlier) -> None:
    """Add the parent that a sibling shares with the class, or the grandparent that a cousin shares with it."""
    parents = taxonomy.superclasses(explanation.qid)
    above_via = taxonomy.superclasses(outlier.via)
    if outlier.outlier_class == 1:
        shared = next(parent for parent in parents if parent in above_via)
        _add_class(graph, explanation, shared, _OTHER, _PARENT)
        _add_edges(graph, [(explanation.qid, shared, _CLUSTER), (outlier.via, shared, 1)])
        return
    parent, shared = next(
        (parent, above) for parent in parents for above in taxonomy.superclasses(parent) if above in above_via
    )
    _add_class(graph, explanation, parent, _OTHER, _PARENT)
    _add_class(graph, explanation, shared, _OTHER, _GRANDPARENT)
    _add_edges(graph, [(explanation.qid, parent, _CLUSTER), (parent, shared, _OTHER), (outlier.via, shared, 2)])


def _add_edges(graph: nx.DiGraph, edges: list[tuple[str, str, int]]) -> None:
    for low, high, kind in edges:
        if low != high:
            graph.add_edge(low, high, kind=kind, instance=False)


# Where they are placed.

# Lines that a box with two lines of text takes.
_ROOM: Final = 2.2


def _place(graph: nx.DiGraph) -> Mapping[object, tuple[float, float]]:
    """Where each node is placed: instances one a line, classes level with the middle of what is below them."""
    heights: dict[object, float] = {}
    line = 0.0
    for node, data in graph.nodes(data=True):
        if not data["is_class"]:
            heights[node] = line
            # The members share one class; each outlier has classes of its own beside it, which need their room.
            line -= 1.0 if data["kind"] == _CLUSTER else _ROOM
    for column in (_BETWEEN, _CLASS, _PARENT, _GRANDPARENT):
        nodes = [node for node, data in graph.nodes(data=True) if data["column"] == column]
        middles = {node: _middle(graph, node, heights) for node in nodes}
        heights |= _spread(middles)
    return {node: (float(data["column"]), heights[node]) for node, data in graph.nodes(data=True)}


def _middle(graph: nx.DiGraph, node: object, heights: Mapping[object, float]) -> float:
    below = [heights[low] for low in graph.predecessors(node) if low in heights]
    return sum(below) / len(below) if below else 0.0


def _spread(middles: Mapping[object, float]) -> dict[object, float]:
    """Push boxes apart that would overlap."""
    placed: dict[object, float] = {}
    lowest = float("inf")
    for node, height in sorted(middles.items(), key=lambda pair: (-pair[1], str(pair[0]))):
        lowest = min(height, lowest - _ROOM)
        placed[node] = lowest
    return placed


# Fonts that have the characters of a string, in any script.

# Ships with matplotlib: Latin, Greek, Cyrillic, Hebrew, Arabic letters and more, but nothing of East Asia.
_FIRST_FAMILY: Final = "DejaVu Sans"


def families_for(text: str) -> tuple[list[str], str]:
    """Fonts of this machine, best first, that together have a string's characters; and those that no font has."""
    wanted = {ord(character) for character in text if not character.isspace()}
    families, left = [_FIRST_FAMILY], wanted - _family_characters(_FIRST_FAMILY)
    if left:
        _learn_new_fonts()
    while left:
        best = max(_plain_fonts(), key=lambda font: (len(left & _characters(font.fname)), "Sans" in font.name))
        found = left & _characters(best.fname)
        if not found:
            break
        families.append(best.name)
        left -= found
    return families, "".join(map(chr, sorted(left)))


def _learn_new_fonts() -> None:
    """Add fonts that were installed after matplotlib made its list, which it keeps for ever."""
    known = {font.fname for font in fontManager.ttflist}
    for path in sorted(set(findSystemFonts()) - known):
        fontManager.addfont(path)


def _plain_fonts() -> list[FontEntry]:
    plain = (f for f in fontManager.ttflist if f.style == "normal" and f.weight in (400, "normal"))
    # The font of last resort "has" every character, as an empty box.
    return sorted((f for f in plain if "Last Resort" not in f.name), key=lambda f: (f.name, f.fname))


def _family_characters(family: str) -> set[int]:
    fonts: Iterable[FontEntry] = (font for font in _plain_fonts() if font.name == family)
    return {code for font in fonts for code in _characters(font.fname)}


@cache
def _characters(path: str) -> frozenset[int]:
    return frozenset(FT2Font(path).get_charmap())
