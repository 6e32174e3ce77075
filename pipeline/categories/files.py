"""The files of a category set: which there are, and how each is written completely or not at all."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from wikisem.atomic_files import whole_file
from wikisem.categories.language_sets import LanguageSet
from wikisem.categories.recipe import CategoryRecipe
from wikisem.outputs.category_formats import (
    analogy_lines,
    category_json,
    category_lines,
    left_out_json,
    pairs_json,
    stringham_lines,
)
from wikisem.outputs.category_report import ReportRow, report_tsv


def write_sets(folder: Path, recipe: CategoryRecipe, sets: Sequence[LanguageSet], rows: Sequence[ReportRow]) -> None:
    """Write every form of every language, and what was left out; OutputError when the folder cannot be written."""
    for one in sets:
        name = one.language
        write_lines(folder / "categories" / f"{name}.txt", category_lines(one.categories))
        write_lines(folder / "categories" / f"{name}.jsonl", map(category_json, one.categories))
        write_lines(folder / "stringham2020" / f"{name}.txt", stringham_lines(one.categories))
        if recipe.relations:
            related = zip(recipe.relations, one.relations, strict=True)
            write_lines(folder / "analogies" / f"{name}.txt", analogy_lines(related, recipe.seed))
            write_lines(folder / "analogies" / f"{name}.jsonl", map(pairs_json, one.relations))
    left_out = (line for one in sets for words in one.words() for line in left_out_json(words))
    write_lines(folder / "categories-left-out.jsonl", left_out)
    write_lines(folder / "categories-report.tsv", report_tsv(rows).splitlines())


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines to a file that is seen whole or not at all; OutputError when it cannot be written."""
    with whole_file(path) as sink:
        sink.writelines(f"{line}\n".encode() for line in lines)
