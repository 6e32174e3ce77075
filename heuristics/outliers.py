"""Which of the candidates become the outliers of a cluster: σₒ of Blair et al. (2016, equation 16)."""

from collections.abc import Iterable, Sequence
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
