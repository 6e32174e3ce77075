"""What is said of a language that has no groups."""

from pathlib import Path

import pytest

from wikisem.outputs.release.card import REASONS
from wikisem.pipeline.commands.stages import REMEDIES, print_summary, remedy
from wikisem.pipeline.runs.ledger import Record
from wikisem.recipes.options import ClusterOptions, OutlierOptions, Recipe, SurfaceOptions
from wikisem.records import Counts


@pytest.mark.parametrize(
    ("classes", "has_links", "said"),
    [
        (Counts(), False, "too few items have a name there; add its Wikipedia: --wikipedia la=DUMP"),
        (Counts(), True, 'too few items have a name there; set surface.fallback = "label", or set surface'),
        (Counts(9, 0, {"affix": 2, "no-kind": 7}), True, "7 of 9 classes rejected as no-kind; lower cluster.coherence"),
        (Counts(1, 0, {"obscure": 1}), True, "1 of 1 class rejected as obscure; lower outliers.min_sitelinks"),
        (Counts(2, 0, {"affix": 1, "digits": 1}), True, 'as affix; raise filters.affix, or set it to "surprise"'),
        (Counts(2, 0, {"my-rule": 2}), True, "2 of 2 classes rejected as my-rule; filters.extra.my_rule decides it"),
    ],
)
def test_the_remedy_is_said(classes: Counts, has_links: bool, said: str) -> None:
    """What was missing where no class was tried, else the keys of the recipe that decide the most frequent reason."""
    found = remedy(Record("groups/la", "", "", classes), has_links=has_links)
    assert found.startswith("no group in la: ")
    assert said in found


SMALL = SurfaceOptions(fallback="label", minimum_count=1)


@pytest.mark.parametrize(
    ("named", "recipe", "said"),
    [
        (10, Recipe("la"), 'status, where few items have a name (10); set surface.fallback = "label", or read all of'),
        (19, Recipe("la", surface=SMALL), "as status, where few items have a name (19); read all of Wikidata"),
        (900, Recipe("la", surface=SMALL), "as status; set outliers.status_share = 0"),
    ],
)
def test_few_names_are_the_cause_before_any_rule(named: int, recipe: Recipe, said: str) -> None:
    """Without names for the items beside a class, no rule that is switched off gives it outliers."""
    record = Record("groups/la", "", "", Counts(2, 0, {"status": 2}), made_with={"recipe": recipe.to_dict()})
    assert said in remedy(record, has_links=True, named=named)


@pytest.mark.parametrize(
    ("options", "helps"),
    [
        (OutlierOptions(certificate=8), "lower outliers.min_sitelinks, or lower outliers.certificate, or read all"),
        (OutlierOptions(min_sitelinks=0, certificate=8), "few-outliers; lower outliers.certificate, or read all"),
        (OutlierOptions(min_sitelinks=0), "few-outliers; read all of Wikidata"),
    ],
)
def test_no_key_is_named_that_goes_no_further(options: OutlierOptions, helps: str) -> None:
    """A bound that is 0 already cannot be lowered."""
    counts, recipe = Counts(2, 0, {"few-outliers": 2}), Recipe("la", outliers=options)
    record = Record("groups/la", "", "", counts, made_with={"recipe": recipe.to_dict()})
    assert helps in remedy(record, has_links=True, named=900)


def test_a_mix_without_any_class_names_no_dump() -> None:
    """It has no Wikipedia of its own: what its languages lack is said of them."""
    found = remedy(Record("groups/mixed-de-en", "", "", Counts()), has_links=False)
    assert found == "no group in mixed-de-en: no class has a group in any of its languages"


def test_what_helps_a_third_without_groups_is_said() -> None:
    """A tail in which no class has enough instances is deeper with fewer sitelinks; names are not what lacks."""
    recipe = Recipe("obscure", cluster=ClusterOptions(fame="tail"))
    found = remedy(Record("groups/la", "", "", Counts(), made_with={"recipe": recipe.to_dict()}), has_links=True)
    assert found.startswith("no group in la: no class has 7 named instances in its tail; lower outliers.min_sitelinks")


def test_every_reason_for_a_rejection_has_a_remedy() -> None:
    """But for the limit of groups, which leaves some."""
    assert set(REMEDIES["reasons"]) == set(REASONS) - {"capped"}


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
