"""Rules on a single outlier: one that breaks a rule gives way to the next on the ring; no group is rejected for it."""

from collections.abc import Callable, Iterable, Sequence

from wikisem.heuristics.rules.stop_affixes import check_stop_affixes
from wikisem.recipes.options import FilterOptions
from wikisem.wikipedia.graphemes import initial_case
from wikisem.wikipedia.languages import LanguageProfile


def outlier_rules(cluster: Sequence[str], profile: LanguageProfile, filters: FilterOptions) -> Callable[[str], bool]:
    """Whether a surface form may be an outlier of a cluster with these surface forms.

    ``outlier_stop_affix``: not with a stop affix of the language. ``initial_capital``: not where all of the cluster
    begin with capitals and the outlier with a small letter, or the other way round.
    """
    stop_affixes = profile.stop_affixes if filters.outlier_stop_affix else ()
    agreed = agreed_case(cluster) if filters.initial_capital else ""

    def may_join(surface: str) -> bool:
        if differs_in_case(surface, agreed):
            return False
        return not stop_affixes or check_stop_affixes([surface], stop_affixes).keep

    return may_join


def agreed_case(surfaces: Iterable[str]) -> str:
    """The ``initial_case`` of all surface forms; "" where they do not agree in one.

    >>> agreed_case(["Oslo", "Rome"]), agreed_case(["Oslo", "42nd Street"])
    ('capital', '')
    """
    initials = {initial_case(surface) for surface in surfaces}
    return initials.pop() if len(initials) == 1 else ""


def differs_in_case(surface: str, agreed: str) -> bool:
    """Whether a surface form begins otherwise than those that agree in a case; never if they agree in none."""
    return agreed != "" and initial_case(surface) not in ("", agreed)
