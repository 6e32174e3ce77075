"""Which items of the outlier pool become the outliers of a cluster: σₒ of Blair et al. (2016, equation 16).

In one language, or the same items in several for parallel test groups (recipe ``outliers.shared``). With ``per_class``
2 and the cluster [oak, elm], the first outlier class [elm, moss, fern, moss] gives moss and fern: elm is taken by the
cluster.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Protocol, TypeVar

from wikisem.records import Member


class HasSurface(Protocol):
    """What the choice depends on: an item and its surface form."""

    @property
    def id(self) -> str:
        """The item's QID."""
        ...

    @property
    def surface(self) -> str:
        """The item's surface form."""
        ...


_Chosen = TypeVar("_Chosen", bound=HasSurface)


def choose_outliers(
    cluster: Sequence[Member], pool: Iterable[Iterable[_Chosen]], per_class: int
) -> tuple[_Chosen, ...]:
    """Fill the outlier classes in turn, up to ``per_class`` each, from the pool in its order.

    ``pool`` has one sequence for each of O1, O2, O3, read only as far as needed. An item is skipped when the cluster or
    an earlier outlier has its surface form or is the same item.
    """
    surfaces = {member.surface for member in cluster}
    items = {member.id for member in cluster}
    chosen: list[_Chosen] = []
    for ordered in pool:
        # Lazy on purpose: each item is checked against the surfaces and items that were taken just before.
        fresh = (outlier for outlier in ordered if outlier.surface not in surfaces and outlier.id not in items)
        for outlier in islice(fresh, per_class):
            chosen.append(outlier)
            surfaces.add(outlier.surface)
            items.add(outlier.id)
    return tuple(chosen)


def choose_shared_outliers(
    clusters: Mapping[str, Sequence[Member]],
    pool: Iterable[Iterable[Mapping[str, _Chosen]]],
    per_class: int,
) -> dict[str, tuple[_Chosen, ...]]:
    """Fill the outlier classes in turn with items that can be an outlier in every language that has a cluster.

    ``clusters`` has the cluster of each language that has one. Each item of the pool comes with its surface form in
    every language that has one for it. It is skipped in all languages when one of them has no surface form for it, or
    has used the surface form or the item already; so every language gets the same items.
    """
    surfaces = {language: {member.surface for member in cluster} for language, cluster in clusters.items()}
    items = {member.id for cluster in clusters.values() for member in cluster}
    chosen: list[Mapping[str, _Chosen]] = []
    for ordered in pool:
        end = len(chosen) + per_class
        for by_language in ordered:
            if _fits(by_language, surfaces, items):
                chosen.append(by_language)
                items.add(next(iter(by_language.values())).id)
                for language, used in surfaces.items():
                    used.add(by_language[language].surface)
            if len(chosen) == end:
                break
    return {language: tuple(by_language[language] for by_language in chosen) for language in clusters}


def _fits(by_language: Mapping[str, HasSurface], surfaces: Mapping[str, set[str]], items: set[str]) -> bool:
    return all(
        language in by_language and by_language[language].surface not in used and by_language[language].id not in items
        for language, used in surfaces.items()
    )
