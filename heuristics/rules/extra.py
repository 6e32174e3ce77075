"""Further rules on a cluster, beyond those of the paper: off unless a recipe gives them a number in ``filters.extra``.

To add one, write a function from a cluster and a number to a verdict, and name it in ``EXTRA_RULES``
(docs/architecture.md shows one in full).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from wikisem.errors import RecipeError
from wikisem.heuristics.rules.wording import Verdict, check_contained, check_own_label
from wikisem.recipes.load import did_you_mean
from wikisem.wikipedia.languages import LanguageProfile


@dataclass(frozen=True, slots=True)
class ClusterWords:
    """What a rule may look at: different surface forms, best ranked first, and the label of the class.

    ``label`` is the one that the group shows, and "" if it is unknown.
    """

    surfaces: Sequence[str]
    profile: LanguageProfile
    label: str = ""


Rule = Callable[[ClusterWords, int], Verdict]

# Name in a recipe -> rule. The verdict's reason is the same name, with a hyphen for each underscore.
EXTRA_RULES: Final[Mapping[str, Rule]] = {
    "own_label": lambda cluster, number: check_own_label(cluster.surfaces, cluster.label, cluster.profile, number),
    "contained": lambda cluster, number: check_contained(cluster.surfaces, cluster.profile, number),
}


def require_known(numbers: Mapping[str, int]) -> None:
    """Raise RecipeError for a name in ``filters.extra`` that no rule has."""
    for name in numbers:
        if name not in EXTRA_RULES:
            hint = did_you_mean(name, EXTRA_RULES) or f"known here: {', '.join(EXTRA_RULES)}"
            raise RecipeError(f"filters.extra: unknown rule {name}; {hint}")
