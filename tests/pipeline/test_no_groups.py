"""What is said of a language that has no groups."""

import pytest

from wikisem.pipeline.build.stages.groups import no_groups, nothing_to_try
from wikisem.recipes.load import load_recipe
from wikisem.records import Counts


@pytest.mark.parametrize(
    ("classes", "said"),
    [
        (Counts(9, 1, left_out={"affix": 8}), ""),
        (
            Counts(),
            "no group in la: no class has 7 instances with a surface form; 1,080 of 1,587 items have none",
        ),
        (
            Counts(1200, 0, left_out={"few-outliers": 1200}),
            "no group in la: all 1,200 classes were rejected (few-outliers 1,200); out/rejected/la.jsonl lists them",
        ),
    ],
)
def test_what_was_missing_is_said(classes: Counts, said: str) -> None:
    """Items without a surface form where no class was tried, else the reasons, the most frequent first."""
    items = Counts(1587, 507, {"no-name": 1000, "no-page": 80})
    assert no_groups("out", "la", classes, nothing_to_try(items, load_recipe("wikisem"))) == said


def test_a_language_without_any_item_is_told() -> None:
    """As when the dumps are of other languages."""
    nothing = nothing_to_try(Counts(), load_recipe("wikisem"))
    assert nothing == "no class has 7 instances with a surface form; no item has a page or a label there"
