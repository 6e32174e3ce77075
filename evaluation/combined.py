"""The Combined score of Topk and OddOneOut, which Stringham and Izbicki (2020), table 1, choose models by.

They call it the harmonic mean of both. What their seventeen rows have is the harmonic mean of (OddOneOut + 1) and
(Topk + 1), both being numbers of right answers, so that a model with none of one kind still has a score.

    >>> combined(oddoneout=1140, topk=8)  # ancient Greek, 17.86 in their table
    17.8591...
"""

from collections.abc import Iterable
from statistics import harmonic_mean
from typing import Any

from wikisem.evaluation.category_words import CategoryScore


def combined(oddoneout: int, topk: int) -> float:
    """The harmonic mean of (OddOneOut + 1, Topk + 1), from numbers of right answers."""
    return harmonic_mean([oddoneout + 1, topk + 1])


def combined_as_json(oddoneout: Iterable[CategoryScore], topk: Iterable[CategoryScore]) -> dict[str, Any]:
    """The score of a set and the numbers of right answers it is made of, under the names that programs read."""
    numbers = {"oddoneout": sum(row.correct for row in oddoneout), "topk": sum(row.correct for row in topk)}
    return {"combined": combined(**numbers), **numbers}
