"""What ``wikisem categories`` prints: what it asks while it works, and a table of the sets when it is done."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.table import Table

from wikisem.categories.category_source import CandidateItem, CategorySource
from wikisem.categories.recipe import Category, PropertyPath
from wikisem.outputs.category_report import ReportRow
from wikisem.pipeline.console.terminal import log, make_console
from wikisem.records import Statement


@dataclass(frozen=True, slots=True)
class LoggedSource:
    """A source that logs what it is asked and how much it found."""

    source: CategorySource

    def items(self, category: Category) -> list[CandidateItem]:
        """The items of a category."""
        answer = self.source.items(category)
        log(f"{category.name}: {len(answer):,} items")
        return answer

    def values(self, qids: Sequence[str], path: PropertyPath) -> Mapping[str, Sequence[Statement]]:
        """The values of items."""
        answer = self.source.values(qids, path)
        log(f"{path.property} of {len(qids):,} items: {len(answer):,} have it")
        return answer

    def labels(self, qids: Sequence[str], codes: Sequence[str]) -> Mapping[str, Mapping[str, str]]:
        """The labels of items."""
        answer = self.source.labels(qids, codes)
        log(f"labels of {len(qids):,} items under {len(codes):,} language codes: {len(answer):,} have any")
        return answer

    def notes(self) -> Sequence[str]:
        """What a reader of the sets should know about the source."""
        return self.source.notes()


def print_report(rows: Sequence[ReportRow], warnings: Sequence[str]) -> None:
    """Print a line for each language, summed over the categories, and the warnings.

    A recipe without categories gets a line for each relation in each language.
    """
    make_console().print(_sums_table(rows) if any(row.kind == "category" for row in rows) else _relation_table(rows))
    for warning in warnings:
        log(f"warning: {warning}")


def _relation_table(rows: Sequence[ReportRow]) -> Table:
    table = Table("language", "relation", title="relations", title_justify="left")
    for name in ("items", "pairs", "without label", "left out otherwise"):
        table.add_column(name, justify="right")
    for row in rows:
        counts = (row.items, row.kept, row.without_label, row.otherwise)
        table.add_row(row.language, row.name, *(f"{count:,}" for count in counts))
    return table


def _sums_table(rows: Sequence[ReportRow]) -> Table:
    table = Table("language", title="category sets", title_justify="left")
    for name in ("items", "kept", "under mul", "without label", "left out otherwise", "pairs"):
        table.add_column(name, justify="right")
    for language in dict.fromkeys(row.language for row in rows):
        table.add_row(language, *(f"{count:,}" for count in _sums([row for row in rows if row.language == language])))
    return table


def _sums(rows: Sequence[ReportRow]) -> list[int]:
    categories = [row for row in rows if row.kind == "category"]
    counts = [(row.items, row.kept, row.under_mul, row.without_label, row.otherwise) for row in categories]
    pairs = sum(row.kept for row in rows if row.kind == "relation")
    return [*(sum(column) for column in zip(*counts, strict=True)), pairs]
