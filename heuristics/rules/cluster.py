"""All rules on a cluster, in their order (the f of Blair et al. 2016, equation 16, on the cluster's side)."""

from collections.abc import Iterator, Sequence
from typing import Final

from wikisem.heuristics.rules.affix import check_affix
from wikisem.heuristics.rules.affix_counts import AffixCounts
from wikisem.heuristics.rules.digits import check_digits
from wikisem.heuristics.rules.extra import ClusterWords, check_extra
from wikisem.heuristics.rules.length_one import check_length_one
from wikisem.heuristics.rules.stop_affixes import check_stop_affixes
from wikisem.heuristics.rules.verdict import KEEP, Verdict, reject
from wikisem.recipes.options import FilterOptions
from wikisem.wikipedia.languages import LanguageProfile

TOO_FEW: Final = "too-few"


def check_cluster(
    surfaces: Sequence[str],
    profile: LanguageProfile,
    filters: FilterOptions,
    minimum: int,
    label: str = "",
    affixes: AffixCounts | None = None,
) -> Verdict:
    """The first broken rule, or a verdict that keeps the cluster.

    ``surfaces`` are those of the fixed eight, best ranked first; equal ones count once. Outliers are never looked at.
    ``label`` is the label of the class, if any, and ``affixes`` are those of the language, if they were counted.
    """
    return next(broken_rules(surfaces, profile, filters, minimum, label, affixes), KEEP)


def broken_rules(
    surfaces: Sequence[str],
    profile: LanguageProfile,
    filters: FilterOptions,
    minimum: int,
    label: str = "",
    affixes: AffixCounts | None = None,
) -> Iterator[Verdict]:
    """Every rule that the cluster breaks, ``too-few`` first, then those of the paper, then extra ones."""
    distinct = list(dict.fromkeys(surfaces))
    verdicts = (
        check_size(distinct, minimum),
        check_digits(distinct, filters.digits),
        check_affix(distinct, profile, filters.affix, affixes),
        check_stop_affixes(distinct, profile.stop_affixes if filters.stop_affix else ()),
        check_length_one(distinct, filters.length_one if profile.length_one else None),
        *check_extra(ClusterWords(distinct, profile, label), filters.extra),
    )
    return (verdict for verdict in verdicts if not verdict.keep)


def check_size(distinct: Sequence[str], minimum: int) -> Verdict:
    """Reject when fewer than ``minimum`` surfaces are left once equal ones are merged."""
    if len(distinct) >= minimum:
        return KEEP
    return reject(TOO_FEW, f"expected at least {minimum} different surface forms, saw {len(distinct)}")
