"""The same outliers in several languages, for parallel test groups (recipe ``outliers.shared``)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from heuristics.outliers import Named
from wikisem.records import Member

_Named = TypeVar("_Named", bound=Named)


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
