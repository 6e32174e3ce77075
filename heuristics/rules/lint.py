"""The cluster rules applied to existing data sets, ours or others: a linter for test groups."""

from collections.abc import Iterable
from dataclasses import dataclass

from wikisem.datasets.word_groups import WordGroup
from wikisem.heuristics.rules.cluster import broken_rules
from wikisem.recipes.options import Recipe
from wikisem.wikipedia.languages import LanguageProfile


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that a group breaks, and what in the group breaks it."""

    group: str
    rule: str
    detail: str


def find_violations(groups: Iterable[WordGroup], profile: LanguageProfile, recipe: Recipe) -> list[Violation]:
    """Every rule that any of the groups breaks, in the order of the groups and of the rules.

    ``build`` writes the first broken rule only; somebody who repairs a group wants to know all of them. Only the stop
    affixes of the language are known here, because there is no dump to add more.
    """
    return [
        Violation(group.id, verdict.reason, verdict.detail)
        for group in groups
        for verdict in broken_rules(cluster_surfaces(group), profile, recipe.filters, recipe.cluster.minimum)
    ]


def cluster_surfaces(group: WordGroup) -> list[str]:
    """The cluster's surface forms as they are in running text, with a space for ``_``."""
    return [surface.replace("_", " ") for surface in group.cluster]
