"""All rules on a cluster in their order, and those on a single outlier (the f of Blair et al. 2016, equation 16)."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from wikisem.heuristics.rules import wording
from wikisem.heuristics.rules.affix import AffixCounts, check_affix
from wikisem.heuristics.rules.wording import KEEP, Verdict, check_digits, check_length_one, check_stop_affixes, reject
from wikisem.recipes.options import FilterOptions
from wikisem.wikipedia.graphemes import initial_case
from wikisem.wikipedia.languages import LanguageProfile


def broken_rules(
    surfaces: Sequence[str],
    profile: LanguageProfile,
    filters: FilterOptions,
    minimum: int,
    label: str = "",
    affixes: AffixCounts | None = None,
) -> Iterator[Verdict]:
    """Return every rule that the cluster breaks: fewer than ``minimum`` surfaces, the paper's rules, then extra ones.

    ``surfaces`` are the members' surface forms, most prominent first; equal ones count once. Outliers are never looked
    at. ``label`` is that of the class, if any, and ``affixes`` are those of the language, if they were counted.
    """
    distinct = list(dict.fromkeys(surfaces))
    words = wording.ClusterWords(distinct, profile, label)
    verdicts = (
        check_size(distinct, minimum),
        check_digits(distinct, filters.digits),
        check_affix(distinct, profile, filters.affix, affixes),
        check_stop_affixes(distinct, profile.stop_affixes if filters.stop_affix else ()),
        check_length_one(distinct, filters.length_one if profile.length_one else None),
        *(rule(words, filters.extra[name]) for name, rule in wording.EXTRA_RULES.items() if name in filters.extra),
    )
    return (verdict for verdict in verdicts if not verdict.keep)


def check_size(distinct: Sequence[object], minimum: int) -> Verdict:
    """Reject when fewer than ``minimum`` surfaces are left once equal ones are merged."""
    if len(distinct) >= minimum:
        return KEEP
    return reject("too-few", f"expected at least {minimum} different surface forms, saw {len(distinct)}")


def outlier_rules(cluster: Sequence[str], profile: LanguageProfile, filters: FilterOptions) -> Callable[[str], bool]:
    """Return a function that says whether a surface form may be an outlier of a cluster with these surface forms.

    An outlier that breaks a rule is replaced by the next; the group is not rejected. ``outlier_stop_affix`` excludes
    stop affixes of the language, ``initial_capital`` a small letter if all of the cluster begin with capitals, and the
    other way round.
    """
    stop_affixes = profile.stop_affixes if filters.outlier_stop_affix else ()
    agreed = agreed_case(cluster) if filters.initial_capital else ""
    return lambda surface: (
        (not agreed or initial_case(surface) in ("", agreed))
        and (not stop_affixes or check_stop_affixes([surface], stop_affixes).keep)
    )


def agreed_case(surfaces: Iterable[str]) -> str:
    """Return the ``initial_case`` of all surface forms; "" if they do not agree in one.

    >>> agreed_case(["Oslo", "Rome"]), agreed_case(["Oslo", "42nd Street"])
    ('capital', '')
    """
    initials = {initial_case(surface) for surface in surfaces}
    return initials.pop() if len(initials) == 1 else ""
