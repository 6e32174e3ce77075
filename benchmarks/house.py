"""The size and the cut of the library: lines, functions, how long they are, and private ones with a single caller.

``python -m benchmarks.house [FOLDER]`` measures the checkout in FOLDER, this one by default: the modules of the
packages that are installed, without tests, benchmarks and studies. Code is what is neither blank, comment nor
docstring. The body of a function is its lines of code; a caller is a place that names it, in its own module for
functions and anywhere in the library for methods.
"""

import ast
import io
import re
import statistics
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

FOLDERS = ("wikisem", "pipeline", "transforms", "queries", "heuristics", "outputs", "evaluation")
Function = ast.FunctionDef | ast.AsyncFunctionDef


def modules(root: Path) -> Iterator[Path]:
    """The modules of the library; the links in wikisem/ to the folders at the top are not followed."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            if not any(parent.is_symlink() for parent in path.parents if parent != root):
                yield path


def code_lines(text: str, tree: ast.Module) -> set[int]:
    """The numbers of the lines that have code: more than a blank, a comment or a docstring."""
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    lines = {line for each in tokens if each.type not in skipped for line in range(each.start[0], each.end[0] + 1)}
    for node in ast.walk(tree):
        if isinstance(node, Function | ast.ClassDef | ast.Module) and ast.get_docstring(node, clean=False) is not None:
            lines -= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return lines


def named_in(tree: ast.Module) -> Counter[str]:
    """How often each name is used as a variable or as an attribute."""
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    return Counter(names + [node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)])


def measure(root: Path) -> dict[str, str]:
    """What the table has, by its rows."""
    texts = {path: path.read_text(encoding="utf-8") for path in modules(root)}
    trees = {path: ast.parse(text) for path, text in texts.items()}
    lines, code, imports, single = 0, 0, 0, 0
    bodies: list[int] = []
    classes = 0
    everywhere = sum(map(named_in, trees.values()), Counter[str]())
    for path, tree in trees.items():
        own, here = code_lines(texts[path], tree), named_in(tree)
        lines += texts[path].count("\n")
        code += len(own)
        methods = {id(child) for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for child in node.body}
        for node in ast.walk(tree):
            classes += isinstance(node, ast.ClassDef)
            if isinstance(node, ast.Import | ast.ImportFrom):
                imports += (node.end_lineno or node.lineno) - node.lineno + 1
            if isinstance(node, Function):
                bodies.append(len(own & set(range(node.body[0].lineno, (node.end_lineno or 0) + 1))))
                is_private = re.match(r"_[^_]", node.name) is not None
                single += is_private and (everywhere if id(node) in methods else here)[node.name] == 1
    return {
        "modules": f"{len(texts):,}",
        "lines": f"{lines:,}",
        "lines of code": f"{code:,}",
        "functions per 1,000 lines of code": f"{1000 * len(bodies) / code:.0f}",
        "classes per 1,000 lines of code": f"{1000 * classes / code:.1f}",
        "body of a function, median; 90th percentile": (
            f"{statistics.median(bodies):.0f}; {statistics.quantiles(bodies, n=10)[-1]:.0f}"
        ),
        "private functions with one caller": f"{single:,}",
        "import lines, %": f"{100 * imports / lines:.1f}",
    }


if __name__ == "__main__":
    found = measure(Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent))
    for name, value in found.items():
        print(f"{name:<46}{value:>10}")
