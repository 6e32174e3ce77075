"""Which candidates become the outliers of a cluster: σₒ of Blair et al. (2016, equation 16).

In one language, or the same items in several for parallel test groups (recipe ``outliers.shared``).
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Protocol, TypeVar

from wikisem.records import Member


class Named(Protocol):
    """What a choice looks at: an item and its surface form."""

    @property
    def id(self) -> str:
        """The item."""
        ...

    @property
    def surface(self) -> str:
        """Its surface form."""
        ...


_Named = TypeVar("_Named", bound=Named)


def fill_outliers(
    cluster: Sequence[Member], candidates: Iterable[Iterable[_Named]], per_class: int
) -> tuple[_Named, ...]:
    """Fill the outlier classes in turn, up to ``per_class`` each, from candidates in their order of preference.

    ``candidates`` holds one sequence for each of O1, O2, O3, read only as far as needed. A candidate is skipped when
    the cluster or an earlier outlier has its surface form or is the same item.
    """
    surfaces = {member.surface for member in cluster}
    items = {member.id for member in cluster}
    chosen: list[_Named] = []
    for ordered in candidates:
        # Lazy on purpose: each candidate meets the surfaces and items that the one before it left.
        fresh = (outlier for outlier in ordered if outlier.surface not in surfaces and outlier.id not in items)
        for outlier in islice(fresh, per_class):
            chosen.append(outlier)
            surfaces.add(outlier.surface)
            items.add(outlier.id)
    return tuple(chosen)


def fill_parallel(
    clusters: Mapping[str, Sequence[Member]],
    candidates: Iterable[Iterable[Mapping[str, _Named]]],
    per_class: int,
) -> dict[str, tuple[_Named, ...]]:
    """Fill the outlier classes in turn with items that every language can name beside its own cluster.

    ``clusters`` holds the cluster of each language that has one. Each candidate is one item under its name in every
    language that has a surface form for it. It is skipped in all languages when it lacks a name in one of them, or
    when one has used its surface form or the item itself already; so every language gets the same items.
    """
    surfaces = {language: {member.surface for member in cluster} for language, cluster in clusters.items()}
    items = {member.id for cluster in clusters.values() for member in cluster}
    chosen: list[Mapping[str, _Named]] = []
    for ordered in candidates:
        end = len(chosen) + per_class
        for names in ordered:
            if _fits(names, surfaces, items):
                chosen.append(names)
                items.add(next(iter(names.values())).id)
                for language, used in surfaces.items():
                    used.add(names[language].surface)
            if len(chosen) == end:
                break
    return {language: tuple(names[language] for names in chosen) for language in clusters}


def _fits(names: Mapping[str, Named], surfaces: Mapping[str, set[str]], items: set[str]) -> bool:
    return all(
        language in names and names[language].surface not in used and names[language].id not in items
        for language, used in surfaces.items()
    )
