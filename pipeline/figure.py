"""A group as a picture, after figure 1 of Blair et al. (2016): instances, classes, solid and dashed arrows.

Classes are left of what is below them and instances on the right, one a line, so that names in any script have room.
"""

import textwrap
import warnings
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import networkx as nx
from matplotlib import ft2font, patches, rc_context
from matplotlib.figure import Figure
from matplotlib.font_manager import FontEntry, findSystemFonts, fontManager
from matplotlib.lines import Line2D

from wikisem.evaluation.plot import save_figure
from wikisem.graph.taxonomy import Taxonomy
from wikisem.ids import qid_number
from wikisem.pipeline.commands.explain import Explanation, way_up
from wikisem.pipeline.console.terminal import log
from wikisem.records import FAR, OUTLIER_CLASSES, Outlier

# Cluster, the outlier classes, others; and on each the ink with more contrast, 4.5 or above (WCAG 1.4.3).
COLOURS: Final = ("#0072B2", *(kind.colour for kind in OUTLIER_CLASSES.values()), "#6B6B6B")
INKS: Final = ("white", *("black" for _ in OUTLIER_CLASSES), "white")
_KINDS: Final = ("cluster", *(kind.label for kind in OUTLIER_CLASSES.values()))
_WIDTH: Final = 13.0
_LINE: Final = 0.42
_LABEL: Final = 24  # letters in a line of a class's label: more would reach the box of the next column


def draw(path: Path, taxonomy: Taxonomy, explanation: Explanation) -> None:
    """Draw the group into a .svg, .png or .pdf file, with a warning of characters that no installed font has.

    Raises UsageError for another form of file, OutputError where it cannot be written.
    """
    # Nodes have ``text``, ``kind`` (cluster, outlier class or other: the colour), ``column`` (from grandparents to
    # instances) and ``is_class``. Edges lead up, from an instance (``instance``) or a subclass, and have a ``kind``.
    assert explanation.group is not None
    graph = nx.DiGraph()
    _add_class(graph, explanation, explanation.qid, _CLUSTER, _CLASS)
    for member in explanation.group.cluster:
        graph.add_node(("item", member.id), text=member.surface, kind=_CLUSTER, column=_INSTANCE, is_class=False)
        graph.add_edge(("item", member.id), explanation.qid, kind=_CLUSTER, instance=True)
    for outlier in explanation.group.outliers:
        kind, item = outlier.of_class.number, ("item", outlier.id)
        _add_class(graph, explanation, outlier.via, kind, _CLASS)
        graph.add_node(item, text=outlier.surface, kind=kind, column=_INSTANCE, is_class=False)
        # Of the classes of the item, the one with the shortest way up to the class that it was drawn from (via).
        ways = [way_up(taxonomy.superclasses, start, outlier.via) for start in taxonomy.classes(outlier.id)]
        lowest = min(filter(None, ways), key=lambda way: (len(way), qid_number(way[0])))[0]
        if lowest != outlier.via:
            _add_class(graph, explanation, lowest, kind, _BETWEEN)
            graph.add_edge(lowest, outlier.via, kind=kind, instance=False)
        graph.add_edge(item, lowest, kind=kind, instance=True)
        if kind < FAR:  # a sibling or a cousin
            _join(graph, taxonomy, explanation, outlier)
    families, missing = families_for("".join(data["text"] for _, data in graph.nodes(data=True)))
    if missing:
        log(f"warning: no installed font has {missing!r}; install one for this script, such as Noto")
    # The same group gives the same bytes: no date, no random ids.
    settings: dict[Any, Any] = {"font.family": families, "svg.hashsalt": explanation.qid}
    with rc_context(settings), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from")  # said above, once
        figure = _figure(graph, f"{explanation.label(explanation.qid)} ({explanation.qid}, {explanation.language})")
        save_figure(figure, path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)


def _figure(graph: nx.DiGraph, title: str) -> Figure:
    """Draw the nodes as boxes, the edges as arrows between them, and a legend of the arrows and colours.

    Classes have filled boxes, instances plain ones; arrows to a class of an instance are solid, others dashed.
    """
    places = _place(graph)
    xs, ys = zip(*places.values(), strict=True)
    figure = Figure(figsize=(_WIDTH, _LINE * (max(ys) - min(ys) + 4)), layout="constrained")
    axes = figure.subplots()
    boxes = {}
    for node, data in graph.nodes(data=True):
        colour, is_class = COLOURS[data["kind"]], data["is_class"]
        box = {"boxstyle": "round,pad=0.3", "edgecolor": colour, "facecolor": colour if is_class else "white"}
        ink, side = (INKS[data["kind"]], "center") if is_class else ("black", "left")
        text = axes.text(*places[node], data["text"], ha=side, va="center", fontsize=10, color=ink, bbox=box, zorder=2)
        boxes[node] = text
    for low, high, data in graph.edges(data=True):
        start, end = boxes[low], boxes[high]
        arrow = patches.FancyArrowPatch(
            start.get_position(), end.get_position(), patchA=start.get_bbox_patch(), patchB=end.get_bbox_patch()
        )
        arrow.set(arrowstyle="-|>", mutation_scale=10, linestyle="-" if data["instance"] else "--", zorder=1)
        arrow.set_color(COLOURS[data["kind"]])
        axes.add_patch(arrow)
    axes.set_title(title, fontsize=14)
    axes.set(xlim=(min(xs) - 0.45, max(xs) + 0.75), ylim=(min(ys) - 1, max(ys) + 1))
    axes.axis("off")
    kinds = sorted({data["kind"] for _, data in graph.nodes(data=True)} - {_OTHER})
    legend = [
        Line2D([], [], color="black", linestyle="-", label="instance of"),
        Line2D([], [], color="black", linestyle="--", label="subclass of"),
        *(Line2D([], [], color=COLOURS[kind], marker="s", linestyle="", label=_KINDS[kind]) for kind in kinds),
    ]
    axes.legend(handles=legend, loc="lower left", fontsize=9, frameon=False)
    return figure


# The kinds of what is drawn, and of its colour: the cluster, the numbers of the outlier classes, and all else.
_CLUSTER, _SIBLING, _COUSIN, _OTHER = 0, 1, 2, max(OUTLIER_CLASSES) + 1
# Columns from left to right: grandparents, parents, the class and its like, classes on the way, instances.
_GRANDPARENT, _PARENT, _CLASS, _BETWEEN, _INSTANCE = range(5)


def _add_class(graph: nx.DiGraph, explanation: Explanation, qid: str, kind: int, column: int) -> None:
    if qid not in graph:
        label = explanation.label(qid)
        lines = [] if label == qid else textwrap.wrap(label, _LABEL)
        text = "\n".join([*lines, qid])
        graph.add_node(qid, text=text, kind=kind, column=column, is_class=True)


def _join(graph: nx.DiGraph, taxonomy: Taxonomy, explanation: Explanation, outlier: Outlier) -> None:
    """Add what connects the class of an outlier (``via``) to the group's class: their common parent or grandparent.

    A sibling class shares a parent with the group's class; a parent of a cousin class is the other one's grandparent.
    """
    parents = taxonomy.superclasses(explanation.qid)
    above_via = taxonomy.superclasses(outlier.via)
    if outlier.outlier_class == _SIBLING:
        shared = next(parent for parent in parents if parent in above_via)
        _add_class(graph, explanation, shared, _OTHER, _PARENT)
        edges = [(explanation.qid, shared, _CLUSTER), (outlier.via, shared, _SIBLING)]
    else:
        lineages = ((parent, above) for parent in parents for above in taxonomy.superclasses(parent))
        parent, shared = next((parent, above) for parent, above in lineages if above in above_via)
        _add_class(graph, explanation, parent, _OTHER, _PARENT)
        _add_class(graph, explanation, shared, _OTHER, _GRANDPARENT)
        edges = [(explanation.qid, parent, _CLUSTER), (parent, shared, _OTHER), (outlier.via, shared, _COUSIN)]
    for subclass, superclass, kind in edges:
        graph.add_edge(subclass, superclass, kind=kind, instance=False)


_ROOM: Final = 2.2  # lines that a box with two lines of text takes


def _place(graph: nx.DiGraph) -> Mapping[object, tuple[float, float]]:
    """Place each node at (column, height): instances one a line, classes level with the mean of what is below them.

    Heights are in lines of text: the first instance is at 0, the others below it at negative heights.
    """
    heights, line = dict[object, float](), 0.0
    for node, data in graph.nodes(data=True):
        if not data["is_class"]:
            heights[node] = line
            # The members share one class; each outlier has classes of its own beside it, which need their room.
            line -= 1.0 if data["kind"] == _CLUSTER else _ROOM
    for column in (_BETWEEN, _CLASS, _PARENT, _GRANDPARENT):
        wanted = {}
        for node, data in graph.nodes(data=True):
            if data["column"] == column:
                below = [heights[low] for low in graph.predecessors(node) if low in heights]
                wanted[node] = sum(below) / len(below) if below else 0.0
        # From the top down, each box is moved down as far as it would overlap the one above it.
        lowest = float("inf")
        for node, height in sorted(wanted.items(), key=lambda pair: (-pair[1], str(pair[0]))):
            heights[node] = lowest = min(height, lowest - _ROOM)
    return {node: (float(data["column"]), heights[node]) for node, data in graph.nodes(data=True)}


# Ships with matplotlib: Latin, Greek, Cyrillic, Hebrew, Arabic letters and more, but nothing of East Asia.
_FIRST_FAMILY: Final = "DejaVu Sans"


def families_for(text: str) -> tuple[list[str], str]:
    """Choose fonts of this machine, best first, that together have a string's characters; and find those in none."""
    wanted = {ord(character) for character in text if not character.isspace()}
    first = (_characters(font.fname) for font in _plain_fonts() if font.name == _FIRST_FAMILY)
    families, missing = [_FIRST_FAMILY], wanted.difference(*first)
    if missing:
        # Fonts that were installed after matplotlib made its list, which it keeps for ever.
        for path in sorted(set(findSystemFonts()) - {font.fname for font in fontManager.ttflist}):
            fontManager.addfont(path)
    while missing:
        best = max(_plain_fonts(), key=lambda font: (len(missing & _characters(font.fname)), "Sans" in font.name))
        covered = missing & _characters(best.fname)
        if not covered:
            break
        families.append(best.name)
        missing -= covered
    return families, "".join(map(chr, sorted(missing)))


def _plain_fonts() -> list[FontEntry]:
    fonts = [font for font in fontManager.ttflist if font.style == "normal" and font.weight in (400, "normal")]
    # The font of last resort "has" every character, as an empty box.
    return sorted((font for font in fonts if "Last Resort" not in font.name), key=lambda font: (font.name, font.fname))


@cache
def _characters(path: str) -> frozenset[int]:
    return frozenset(ft2font.FT2Font(path).get_charmap())
