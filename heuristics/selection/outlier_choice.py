"""Which items of the outlier pool become the outliers of a cluster: σₒ of Blair et al. (2016, equation 16).

In one language, or the same items in several for parallel test groups (recipe ``outliers.shared``). Each outlier class
is filled from one class that brings enough items (``outliers.draw`` and ``draw_o3``), or from all of its items. With
``per_class`` 2, the cluster [oak, elm], and two siblings that bring [elm, moss, moss] and [fern, larch, ash], the
outliers of O1 are fern and larch: elm is taken by the cluster, so the first sibling gives moss alone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Generic, NamedTuple, Protocol, TypeVar

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


class ItemsByClass(NamedTuple, Generic[_Chosen]):
    """The classes that bring items into an outlier class, in the order of the ring, each as its items in that order.

    An item comes as its surface form by language. ``full`` are the classes that may bring ``per_class`` items,
    ``every`` are all; each is read once, and only as far as needed.
    """

    full: Iterable[Iterable[Mapping[str, _Chosen]]]
    every: Iterable[Iterable[Mapping[str, _Chosen]]]


def choose_outliers(
    clusters: Mapping[str, Sequence[Member]],
    pool: Iterable[ItemsByClass[_Chosen]],
    per_class: int,
    admits: Callable[[str, str], bool] = lambda language, surface: True,  # noqa: ARG005
) -> dict[str, tuple[_Chosen, ...]]:
    """Fill the outlier classes in turn, up to ``per_class`` each, with the same items in every language.

    ``clusters`` has the cluster of each language that has one, ``pool`` what is brought into O1, O2 and O3. The first
    class that gives ``per_class`` outliers is chosen; if none does, they are taken from one class after another. An
    item is skipped in all languages if one of them has no surface form for it, if the cluster or an earlier outlier
    there has that surface form or the item, or if ``admits`` refuses (language, surface form).
    """
    choice: _Choice[_Chosen] = _Choice(clusters, admits)
    for full, every in pool:
        enough = (taken for ordered in full if len(taken := choice.take(ordered, per_class)) == per_class)
        choice.keep(next(enough, []) or choice.take(chain.from_iterable(every), per_class))
    return {language: tuple(item[language] for item in choice.kept) for language in clusters}


class _Choice(Generic[_Chosen]):
    """The outliers chosen so far, which restrict further choices."""

    def __init__(self, clusters: Mapping[str, Sequence[Member]], admits: Callable[[str, str], bool]) -> None:
        self._admits = admits
        self._surfaces = {language: {member.surface for member in cluster} for language, cluster in clusters.items()}
        self._items = {member.id for cluster in clusters.values() for member in cluster}
        self.kept: list[Mapping[str, _Chosen]] = []

    def take(self, ordered: Iterable[Mapping[str, _Chosen]], count: int) -> list[Mapping[str, _Chosen]]:
        """The first ``count`` items that fit the kept ones and one another; they are not kept yet."""
        taken: list[Mapping[str, _Chosen]] = []
        for item in ordered:
            if self._fits(item) and not any(_clash(item, other) for other in taken):
                taken.append(item)
                if len(taken) == count:
                    break
        return taken

    def keep(self, taken: Sequence[Mapping[str, _Chosen]]) -> None:
        """Keep these items."""
        for item in taken:
            self.kept.append(item)
            for language, used in self._surfaces.items():
                used.add(item[language].surface)
                self._items.add(item[language].id)

    def _fits(self, item: Mapping[str, _Chosen]) -> bool:
        return all(
            language in item
            and item[language].surface not in used
            and item[language].id not in self._items
            and self._admits(language, item[language].surface)
            for language, used in self._surfaces.items()
        )


def _clash(one: Mapping[str, HasSurface], other: Mapping[str, HasSurface]) -> bool:
    """Whether two items that are named in the same languages are one item, or share a surface form in any of them."""
    return any(
        one[language].surface == other[language].surface or one[language].id == other[language].id
        for language in one.keys() & other.keys()
    )
