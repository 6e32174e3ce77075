"""The second witness: what else Wikidata says of an item, asked whether it is of a class's kind.

P31 is one witness of what an item is, and it forgets: Kristianstad is a town in all but its statements. The second is
the signature of an item, the properties that it has besides P31 and P279 (``wikisem.graph.signatures``). A property
that many instances of a class have, and few other items, speaks for the class. So says naive Bayes: with n instances,
c(t) of which have property t, and the share p(t) of all prominent items that have it, the weight of t is

    w(t) = ln θ(t) - ln p(t),   θ(t) = (c(t) + p(t)) / (n + 1)

and the *evidence* that item i is of the class is the sum of the weights of its properties over the square root of their
number: a long list of properties is no better witness than a short one. An instance is measured by the others: its own
vote is taken out of c and n.

*Margin* of an outlier: the share of the instances that have less evidence than it, ties half. It is 0 if every instance
is more typical of the class than the outlier, as it should be.

*Coherence* of a cluster: how often a member has more evidence than a prominent item has, ties half (the area under the
ROC curve), where evidence against the class counts as none. It is 1 for a class that its statements give away, and 0.5
for one whose members have nothing in common.

Items without a signature are no witnesses: they are not counted among instances, members and prominent items. As an
outlier such an item has evidence 0, neither for nor against. Where nothing is said of any instance, or any member,
there is no margin, or no coherence, and no rule.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from wikisem.graph.csr import CsrRows, Int64s, Ints, offsets_of
from wikisem.graph.signatures import Signatures
from wikisem.ids import qid_number

# Weights are integers of this many to a unit, so that sums do not depend on their order.
_UNITS: Final = 1024
# Digits of margins and coherence in files.
_DIGITS: Final = 4

Evidence = npt.NDArray[np.float64]


class ClassEvidence:
    """The evidence that items are of a class, from its instances: its reference and the members of a cluster.

    ``coherence`` is that of the cluster; None if nothing is said of its members.
    """

    def __init__(self, signatures: Signatures, node: int, cluster: Sequence[str]) -> None:
        self._signatures = signatures
        members = signatures.rows_of(_numbers(cluster))
        members = members[members < len(signatures.items)]
        reference = signatures.reference.row(node)
        instances = np.concatenate([members, reference[~np.isin(reference, members)]])
        own = signatures.rows.take(instances)
        counts = np.bincount(own.targets, minlength=len(signatures.shares))
        # Properties that an instance has, and the weights of these for other items and for an instance itself.
        self._known = np.flatnonzero(counts)
        counts, shares = counts[self._known], signatures.shares[self._known]
        self._weights = _units(np.log((counts + shares) / (len(instances) + 1)) - np.log(shares))
        self._other = _units(-np.log(len(instances) + 1.0))
        without_own = _units(np.log((counts - 1 + shares) / max(len(instances), 1)) - np.log(shares))
        evidence = _evidence(own, without_own[np.searchsorted(self._known, own.targets)])
        self._of_instances = np.sort(evidence)
        others = signatures.sample[~np.isin(signatures.sample, instances)]
        self.coherence = self._coherence(evidence[: len(members)], self._of_others(others))

    def margin(self, item: str) -> float | None:
        """The share of the instances with less evidence than an item (a QID) that is none of them, ties half.

        None if nothing is said of any instance.
        """
        return _share_below(self._of_instances, self._of_others(self._signatures.rows_of(_numbers([item]))))

    def weights(self) -> dict[int, float]:
        """The weight of each property (its number) that an instance has."""
        numbers = self._signatures.properties[self._known].tolist()
        return dict(zip(numbers, (self._weights / _UNITS).tolist(), strict=True))

    def _coherence(self, of_members: Evidence, of_others: Evidence) -> float | None:
        below = _share_below(np.sort(np.maximum(of_members, 0)), np.maximum(of_others, 0))
        return None if below is None else round(1 - below, _DIGITS)

    def _of_others(self, rows: Ints) -> Evidence:
        signatures = self._signatures.rows.take(rows)
        at = np.minimum(np.searchsorted(self._known, signatures.targets), len(self._known) - 1)
        is_known = self._known[at] == signatures.targets if len(self._known) else np.zeros(len(at), dtype=bool)
        weights = np.full(len(at), self._other)
        weights[is_known] = self._weights[at[is_known]]
        return _evidence(signatures, weights)


def _numbers(qids: Sequence[str]) -> Int64s:
    return np.array([qid_number(qid) for qid in qids], dtype=np.int64)


def _units(weights: npt.ArrayLike) -> Int64s:
    units: Int64s = np.rint(np.asarray(weights) * _UNITS).astype(np.int64)
    return units


def _evidence(signatures: CsrRows, weights: Int64s) -> Evidence:
    """The evidence of each row, from the weights of all its properties."""
    sums, counts = np.diff(offsets_of(weights)[signatures.offsets]), signatures.counts()
    return sums / np.sqrt(np.maximum(counts, 1))


def _share_below(ascending: Evidence, others: Evidence) -> float | None:
    """How often one of ``ascending`` is less than one of the others, ties half; None without any of either."""
    if not len(ascending) or not len(others):
        return None
    below = np.searchsorted(ascending, others, "left").sum() + np.searchsorted(ascending, others, "right").sum()
    return round(int(below) / (2 * len(ascending) * len(others)), _DIGITS)
