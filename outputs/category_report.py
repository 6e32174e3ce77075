"""How much of a category set there is in each language: a row for each category or relation and language."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from wikisem.categories.wording import MULTILINGUAL, LanguageWords, RelationWords

REPORT_HEADER: Final = ("language", "kind", "name", "items", "kept", "under mul", "without label", "left out otherwise")


@dataclass(frozen=True, slots=True)
class ReportRow:
    """One category or relation in one language: ``items`` = ``kept`` + ``without_label`` + ``otherwise``."""

    language: str
    kind: str  # "category" or "relation"
    name: str
    kept: int
    under_mul: int
    without_label: int
    otherwise: int

    @property
    def items(self) -> int:
        """How many items, or subjects of pairs, there were."""
        return self.kept + self.without_label + self.otherwise

    def cells(self) -> tuple[str, ...]:
        """The row as texts, in the order of REPORT_HEADER."""
        counts = (self.items, self.kept, self.under_mul, self.without_label, self.otherwise)
        return (self.language, self.kind, self.name, *map(str, counts))


def report_row(words: LanguageWords) -> ReportRow:
    """The counts of a category or relation in a language."""
    reasons = Counter(one.reason for one in words.left_out)
    missing = reasons.pop("no-label", 0)
    if isinstance(words, RelationWords):
        return ReportRow(words.language, "relation", words.relation, len(words.pairs), 0, missing, reasons.total())
    under_mul = sum(item.source == MULTILINGUAL for item in words.items)
    return ReportRow(words.language, "category", words.category, len(words.items), under_mul, missing, reasons.total())


def report_tsv(rows: Sequence[ReportRow]) -> str:
    """The rows as a table of tab-separated values with a header line."""
    return "".join("\t".join(cells) + "\n" for cells in [REPORT_HEADER, *(row.cells() for row in rows)])


def without_any(rows: Iterable[ReportRow]) -> list[str]:
    """The languages in which not one item of any category has a label of the language itself, sorted."""
    own: Counter[str] = Counter()
    for row in rows:
        own[row.language] += row.kept - row.under_mul
    return sorted(language for language, count in own.items() if count == 0)
