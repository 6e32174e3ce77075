"""The page of a report, its Markdown, and its plots as SVG in the colours of the page, light or dark."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Final

from wikisem.outputs.html_page import html_page


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table; columns that are true in ``numbers`` are aligned on the right, and a cell may have several lines."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Sequence[bool]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Point:
    """A number with the ends of its interval; its dot is filled if it is the best or tied with the best."""

    name: str
    value: float
    low: float
    high: float
    filled: bool = False


@dataclass(frozen=True, slots=True)
class Intervals:
    """A plot of one row per point, on a scale from ``least`` to ``most``, with a line at the score of a guess."""

    title: str
    points: Sequence[Point]
    chance: float | None = None
    least: float = 0.0
    most: float = 100.0


@dataclass(frozen=True, slots=True)
class Curve:
    """A plot of points ``(x, y)``: joined by a line, or each with its name if there are ``names``."""

    title: str
    across: str
    up: str
    points: Sequence[tuple[float, float]]
    names: Sequence[str] = field(default=())


Plot = Intervals | Curve
Block = Sheet | str


def report_page(title: str, blocks: Iterable[Block], plots: Sequence[Plot], made: str) -> str:
    """Write a self-contained page without scripts: the first table, the plots, and the other blocks."""
    parts = [_html(block) for block in blocks]
    first = next((index for index, part in enumerate(parts) if "<table" in part), -1) + 1
    drawn = [_intervals(plot) if isinstance(plot, Intervals) else _curve(plot) for plot in plots]
    captions = [f"<figcaption>{escape(plot.title)}</figcaption>" for plot in plots]
    figures = "".join(f"<figure>{caption}{svg}</figure>" for caption, svg in zip(captions, drawn, strict=True))
    legend = _LEGEND if any(isinstance(plot, Intervals) for plot in plots) else ""
    shown = [f'<div class="plots">{figures}</div>', legend] if plots else []
    body = "\n".join([*parts[:first], *shown, *parts[first:]])
    values = {"TITLE": escape(title), "BODY": body, "MADE": escape(made)}
    return html_page("wikisem.outputs.report", values)


_LEGEND: Final = (
    '<p class="soft">● the best, or tied with it · ○ told apart from the best · lines: intervals of 95 %</p>'
)


def report_markdown(title: str, blocks: Iterable[Block], made: str) -> str:
    """Write the same as Markdown, without plots.

    >>> print(report_markdown("a", [Sheet(["x", "y"], [["a|b", "1"]], [False, True]), "all"], "me"), end="")
    # a
    <BLANKLINE>
    | x | y |
    |---|---:|
    | a\\|b | 1 |
    <BLANKLINE>
    all
    <BLANKLINE>
    me
    """
    parts = [f"# {title.translate(_MARKUP)}"]
    for block in blocks:
        if isinstance(block, str):
            parts.append(block.translate(_MARKUP))
            continue
        rows = [f"| {' | '.join(cell.translate(_MARKUP) for cell in row)} |" for row in (block.header, *block.rows)]
        marks = ["---:" if number else "---" for number in block.numbers]
        parts += [f"## {block.title.translate(_MARKUP)}"] if block.title else []
        parts.append("\n".join([rows[0], f"|{'|'.join(marks)}|", *rows[1:]]))
    return "\n\n".join([*parts, made.translate(_MARKUP)]) + "\n"


_MARKUP: Final = {ord(sign): f"\\{sign}" for sign in "\\`*_[]<>#|"} | {ord("\n"): "<br>"}


def report_latex(title: str, blocks: Iterable[Block], made: str) -> str:
    r"""Write the same as LaTeX, tables with the rules of booktabs: the best in bold, what is tied with it italic.

    >>> print(report_latex("a", [Sheet(["x", "y"], [["a_b", "1 best\n0 to 2"]], [False, True])], "me"), end="")
    % a
    % needs \usepackage{booktabs}
    <BLANKLINE>
    \begin{tabular}{lr}
    \toprule
    x & y \\
    \midrule
    a\_b & \textbf{1} (0 to 2) \\
    \bottomrule
    \end{tabular}
    <BLANKLINE>
    % me
    """
    found = [f"% {' '.join(title.split())}\n% needs \\usepackage{{booktabs}}"]
    for block in blocks:
        if isinstance(block, str):
            found.append(block.translate(_LATEX))
            continue
        lines = [" & ".join(map(_latex, row)) + r" \\" for row in (block.header, *block.rows)]
        columns = "".join("r" if number else "l" for number in block.numbers)
        table = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", lines[0], r"\midrule", *lines[1:], r"\bottomrule"]
        caption = [block.title.translate(_LATEX), ""] if block.title else []
        found.append("\n".join([*caption, *table, r"\end{tabular}"]))
    return "\n\n".join([*found, f"% {made}"]) + "\n"


_LATEX: Final = (
    {ord(sign): f"\\{sign}" for sign in "&%$#_{}"}
    | {ord(sign): f"${sign}$" for sign in "<>|"}
    | {ord("\\"): r"\textbackslash{}", ord("~"): r"\textasciitilde{}", ord("^"): r"\textasciicircum{}"}
    | {ord("−"): "$-$", ord("…"): r"\dots{}", ord("–"): "--", ord("ρ"): r"$\rho$", ord("≥"): r"$\geq$"}
)


def _latex(cell: str) -> str:
    value, _, ends = cell.partition("\n")
    for mark, style in (("best", "textbf"), ("tied", "textit")):
        if value.endswith(f" {mark}"):
            text = rf"\{style}{{{value.removesuffix(mark).rstrip().translate(_LATEX)}}}"
            break
    else:
        text = value.translate(_LATEX)
    return f"{text} ({ends.translate(_LATEX)})" if ends else text


def _html(block: Block) -> str:
    if isinstance(block, str):
        return f"<p>{escape(block)}</p>" if block.strip() else ""
    kinds = [' class="number"' if number else "" for number in block.numbers]
    heads = "".join(
        f'<th scope="col"{kind}>{escape(name)}</th>' for name, kind in zip(block.header, kinds, strict=True)
    )
    rows = "\n".join(
        "<tr>" + "".join(f"<td{kind}>{escape(cell)}</td>" for cell, kind in zip(row, kinds, strict=True)) + "</tr>"
        for row in block.rows
    )
    table = f"<table><thead><tr>{heads}</tr></thead>\n<tbody>{rows}</tbody></table>"
    scrolled = (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{escape(block.title or "table")}">{table}</div>'
    )
    return f"<h2>{escape(block.title)}</h2>\n{scrolled}" if block.title else scrolled


# Plots. Their style is that of the page, whose policy allows none inside them.

_WIDTH: Final = 440
_LEFT: Final = 175
_RIGHT: Final = 425
_ROW: Final = 24
_LONGEST: Final = 22
_HEIGHT: Final = 260


def _intervals(plot: Intervals) -> str:
    """Draw a dot and a bar, its interval, on a line for each point, and a dashed line for chance."""
    scale = _scale(plot.least, plot.most, _LEFT, _RIGHT)
    bottom = _ROW * len(plot.points) + 8
    parts = list(_ticks(plot.least, plot.most, scale, 4, bottom))
    if plot.chance is not None:
        x = scale(plot.chance)
        parts.append(f'<line class="chance" x1="{x}" y1="4" x2="{x}" y2="{bottom}"/>')
        parts.append(
            f'<text class="soft" x="{x}" y="{bottom + 32}" text-anchor="middle">chance {plot.chance:.1f}</text>'
        )
    for index, point in enumerate(plot.points):
        y = _ROW * index + 16
        said = f"{point.name}: {point.value:.2f} ({point.low:.2f} to {point.high:.2f})"
        parts.append(
            f'<g><title>{escape(said)}</title><text x="{_LEFT - 10}" y="{y + 4}" text-anchor="end">'
            f"{escape(_short(point.name))}</text>"
            f'<path class="bar" d="M{scale(point.low)} {y}H{scale(point.high)}"/>'
            f'<circle class="dot{" best" if point.filled else ""}" cx="{scale(point.value)}" cy="{y}" r="4"/></g>'
        )
    return _svg(plot.title, bottom + (38 if plot.chance is not None else 20), parts)


def _curve(plot: Curve) -> str:
    """Draw the points as dots with their names if they have any, else as one line."""
    xs, ys = [x for x, _ in plot.points], [y for _, y in plot.points]
    across = _scale(min(xs), max(xs), 60, _RIGHT - 15)
    up = _scale(min(ys), max(ys), _HEIGHT - 30, 36)
    parts = list(_ticks(min(xs), max(xs), across, 24, _HEIGHT - 18))
    parts += [
        f'<text class="soft" x="50" y="{up(value) + 4}" text-anchor="end">{value:.4g}</text>'
        for value in sorted({min(ys), max(ys)})
    ]
    parts.append(f'<text class="soft" x="230" y="{_HEIGHT + 14}" text-anchor="middle">{escape(plot.across)}</text>')
    parts.append(f'<text class="soft" x="4" y="12">{escape(plot.up)}</text>')
    if plot.names:
        for name, x, y in zip(plot.names, xs, ys, strict=True):
            end = " text-anchor='end'" if across(x) > _WIDTH / 2 else ""
            aside = -8 if end else 8
            parts.append(f'<circle class="dot best" cx="{across(x)}" cy="{up(y)}" r="4"/>')
            parts.append(f'<text x="{across(x) + aside}" y="{up(y) - 5}"{end}>{escape(_short(name))}</text>')
    else:
        line = " ".join(f"{across(x)},{up(y)}" for x, y in plot.points)
        parts.append(f'<polyline class="bar" points="{line}"/>')
    return _svg(plot.title, _HEIGHT + 22, parts)


def _scale(least: float, most: float, start: float, end: float) -> Callable[[float], float]:
    step = (end - start) / (most - least) if most > least else 0.0
    return lambda value: round(start + (value - least) * step, 1)


def _ticks(least: float, most: float, scale: Callable[[float], float], top: float, bottom: float) -> Iterable[str]:
    for part in range(5):
        value = least + (most - least) * part / 4
        x = scale(value)
        yield f'<line class="axis" x1="{x}" y1="{top}" x2="{x}" y2="{bottom}"/>'
        yield f'<text class="soft" x="{x}" y="{bottom + 16}" text-anchor="middle">{value:.4g}</text>'


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _svg(title: str, height: int, parts: Iterable[str]) -> str:
    label = escape(title, quote=True)
    return f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{label}">{"".join(parts)}</svg>'
