"""The page of a report, its Markdown, and its plots as SVG in the colours of the page, light or dark.

In: titles, tables of strings, and numbers to draw. Out: the text of the file. It must not know models, or where scores
come from.
"""

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import Final, NamedTuple

from wikisem.outputs.html_page import html_page

# The characters with a meaning in Markdown and in LaTeX, as they are written there.
_MARKUP: Final = {ord(sign): f"\\{sign}" for sign in "\\`*_[]<>#|"} | {ord("\n"): "<br>"}
_LATEX: Final = (
    {ord(sign): f"\\{sign}" for sign in "&%$#_{}"}
    | {ord(sign): f"${sign}$" for sign in "<>|"}
    | {ord("\\"): r"\textbackslash{}", ord("~"): r"\textasciitilde{}", ord("^"): r"\textasciicircum{}"}
    | {ord("−"): "$-$", ord("…"): r"\dots{}", ord("–"): "--", ord("ρ"): r"$\rho$", ord("≥"): r"$\geq$"}
)


class Sheet(NamedTuple):
    """A table; columns that are true in ``numbers`` are aligned on the right, and a cell may have several lines."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Sequence[bool]
    title: str = ""


class Point(NamedTuple):
    """A number with the ends of its interval; its dot is filled if it is the best or tied with the best."""

    name: str
    value: float
    low: float
    high: float
    filled: bool = False


class Intervals(NamedTuple):
    """A plot of one row per point, on a scale from ``least`` to ``most``, with a line at the score of a guess."""

    title: str
    points: Sequence[Point]
    chance: float | None = None
    least: float = 0.0
    most: float = 100.0


class Curve(NamedTuple):
    """A plot of points ``(x, y)``: joined by a line, or each with its name if there are ``names``."""

    title: str
    across: str
    up: str
    points: Sequence[tuple[float, float]]
    names: Sequence[str] = ()


Plot = Intervals | Curve
Block = Sheet | str


def report_page(title: str, blocks: Sequence[Block], plots: Sequence[Plot], made: str) -> str:
    """Write a self-contained page without scripts: the first table, the plots, and the other blocks."""
    import jinja2  # noqa: PLC0415 - scores that are only printed do without it

    loader = jinja2.PackageLoader(__name__)
    environment = jinja2.Environment(loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True)
    environment.globals["scale"] = _scale
    environment.tests["intervals"] = lambda plot: isinstance(plot, Intervals)
    environment.tests["sheet"] = lambda block: isinstance(block, Sheet)
    first = next((index for index, block in enumerate(blocks) if isinstance(block, Sheet)), -1) + 1
    template = environment.get_template("report.html.j2")
    body = template.render(before=blocks[:first], plots=plots, after=blocks[first:])
    return html_page(__name__, {"TITLE": escape(title), "BODY": body, "MADE": escape(made)})


def _scale(least: float, most: float, start: float, end: float) -> Callable[[float], float]:
    """A function from values to coordinates, of which ``least`` is at ``start`` and ``most`` at ``end``."""
    step = (end - start) / (most - least) if most > least else 0.0
    return lambda value: round(start + (value - least) * step, 1)


def report_markdown(title: str, blocks: Iterable[Block], made: str) -> str:
    """Write the tables and sentences of a report as Markdown, without plots.

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


def report_latex(title: str, blocks: Iterable[Block], made: str) -> str:
    r"""Write a report as LaTeX, its tables with the rules of booktabs: the best in bold, what is tied with it italic.

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


def _latex(cell: str) -> str:
    """A cell: the best in bold, what is tied with it italic, and in brackets the second line, the interval."""
    value, _, ends = cell.partition("\n")
    text = value.translate(_LATEX)
    for mark, style in (("best", "textbf"), ("tied", "textit")):
        if value.endswith(f" {mark}"):
            text = rf"\{style}{{{text.removesuffix(f' {mark}')}}}"
    return f"{text} ({ends.translate(_LATEX)})" if ends else text
