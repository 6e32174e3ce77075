"""What is said of a language that has no groups."""

from pathlib import Path

import pytest

from wikisem.outputs.release.sentences import REASONS
from wikisem.pipeline.commands.stages import REMEDIES, print_summary, remedy
from wikisem.pipeline.runs.ledger import Record
from wikisem.pipeline.runs.stages import no_groups, nothing_to_try
from wikisem.recipes.load import load_recipe
from wikisem.recipes.options import ClusterOptions, Recipe
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


@pytest.mark.parametrize(
    ("classes", "has_links", "said"),
    [
        (Counts(), False, "too few items have a name there; add its Wikipedia: --wikipedia la=DUMP"),
        (Counts(), True, 'too few items have a name there; set surface.fallback = "label" in the recipe'),
        (Counts(9, 0, {"affix": 2, "no-kind": 7}), True, "of 9 classes 7 were rejected as no-kind; lower cluster.coh"),
        (Counts(2, 0, {"affix": 1, "digits": 1}), True, 'as affix; raise filters.affix, or set it to "surprise"'),
        (Counts(2, 0, {"my-rule": 2}), True, "of 2 classes 2 were rejected as my-rule; filters.extra.my_rule decides"),
    ],
)
def test_the_remedy_is_said(classes: Counts, has_links: bool, said: str) -> None:
    """What was missing where no class was tried, else the keys of the recipe that decide the most frequent reason."""
    found = remedy(Record("groups/la", "", "", classes), has_links=has_links)
    assert found.startswith("no group in la: ")
    assert said in found


def test_what_helps_a_third_without_groups_is_said() -> None:
    """A tail in which no class has enough instances is deeper with fewer sitelinks; names are not what lacks."""
    recipe = Recipe("obscure", cluster=ClusterOptions(fame="tail"))
    found = remedy(Record("groups/la", "", "", Counts(), made_with={"recipe": recipe.to_dict()}), has_links=True)
    assert found.startswith("no group in la: no class has 7 named instances in its tail; lower outliers.min_sitelinks")


def test_every_reason_for_a_rejection_has_a_remedy() -> None:
    """But for the limit of groups, which leaves some."""
    assert set(REMEDIES) == set(REASONS) - {"capped"}


def test_the_closing_table_tells_outcomes_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A column each, a line for the kinds and reasons of each, and only the columns that are in use are explained."""
    links = Record("mentions/de", "", "", Counts(10, 6, {"redirect": 3}, {"bad-page": 1}))
    groups = Record("groups/de", "", "", Counts(9, 7, {"affix": 2}), facts={"places": {"met": 30, "missed": 0}})
    nothing = Record("groups/la", "", "", Counts(4, 0, {"digits": 4}))
    assert print_summary([links, groups, nothing], str(tmp_path)) == 0
    printed = [line.strip("│ ") for line in capsys.readouterr().out.splitlines()]
    assert "mentions/de │ 10 │    6 │        3 │          │          1 │ left out: redirect 3" in printed
    assert "│    │      │          │          │            │ unreadable: bad-page 1".strip("│ ") in printed
    assert "groups/de   │  9 │    7 │          │        2 │            │ kept: places met 30" in printed
    assert "rejected: affix 2" in printed
    explained = [line.partition(": ")[0] for line in printed if ": " in line]
    assert explained[-7:] == ["kept", "left out", "rejected", "unreadable", "no group in la", "next", "output"]
    assert print_summary([groups], str(tmp_path)) == 0
    assert "left out" not in capsys.readouterr().out.partition("kept: goes on")[2]


def test_what_only_this_process_has_is_followed_by_no_command(capsys: pytest.CaptureFixture[str]) -> None:
    """A new process would find nothing at memory://."""
    groups = Record("groups/de", "", "", Counts(9, 9))
    for output, expected in (("memory://out", []), ("out", ["next: wikisem browse out"])):
        assert print_summary([groups], output) == 0
        assert [line for line in capsys.readouterr().out.splitlines() if line.startswith("next: ")] == expected
