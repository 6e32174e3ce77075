"""The second witness: what else Wikidata says of an item, asked whether it is of a class's kind (docs/witness.md).

P31 is one witness of what an item is, and it forgets: Kristianstad is a town in all but its statements. The second is
the signature of an item, the properties that it has besides P31 and P279 and the words of its English description, by
number (``wikisem.graph.statements``); here both are called properties. One that many instances of a class have, and few
other items, speaks for the class: with n instances, c(t) of which have property t, and the share p(t) of all prominent
items that have it, the weight of t is

    w(t) = ln θ(t) - ln p(t),   θ(t) = (c(t) + p(t)) / (n + 1)

and the *evidence* that an item is of the class is the sum of the weights of its properties over the square root of
their number. An instance is measured by the others: its own vote is taken out of c and n.

Items without a signature are not counted among instances, members and prominent items, and have no margin: evidence 0
would be more than that of an instance whose statements speak against the class.
"""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from wikisem.graph.csr import CsrRows, Flags, Int64s, Ints, indices_of, offsets_of, pack_pairs
from wikisem.graph.statements import Signatures
from wikisem.ids import qid_number

# Weights are integers of this many to a unit, so that sums do not depend on their order.
_UNITS: Final = 1024
# Digits of margins and coherence in files.
_DIGITS: Final = 4

Evidence = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClassEvidence:
    """The evidence that items are of a class, from its instances: its reference and the members of a cluster.

    ``coherence`` is that of the cluster; None if none of its members has a signature. ``known`` are the properties that
    an instance has, as indices, and ``of_every`` the weights of all for items that are not instances. ``of_instances``
    is the evidence of the instances themselves, ascending.
    """

    signatures: Signatures
    coherence: float | None
    known: Ints
    of_every: Ints
    of_instances: Sequence[float]
    _margins: dict[int, float | None] = field(default_factory=dict, init=False)

    @staticmethod
    def of_classes(signatures: Signatures, nodes: Ints, clusters: Sequence[Sequence[str]]) -> "Iterator[ClassEvidence]":
        """For each of some classes (nodes) and its cluster (QIDs), how much each property of an item speaks for it.

        If c of a class's n instances have a property, and a share p of all prominent items, its weight is the logarithm
        of (c + p) / ((n + 1) p). All classes are in each array, since calls cost more than what they do; they should be
        tens, not thousands, as each has a weight for every property that any item has.
        """
        # The instances that a class is measured by: members with a signature (their properties), then others of its
        # reference, a sample. ``instances[i]`` is the row of a signature, ``owners[i]`` the position of its class.
        count, size = len(nodes), len(signatures.shares)  # of classes, and of properties
        numbers_of_members = [qid_number(item) for cluster in clusters for item in cluster]
        rows = signatures.rows_of(np.array(numbers_of_members, dtype=np.int64))
        offsets = offsets_of(np.array(list(map(len, clusters)), dtype=np.int64))
        members = CsrRows(offsets, rows).keep(rows < len(signatures.items))
        others = signatures.reference.take(nodes)
        known_members = pack_pairs(members.sources(), members.targets)
        others = others.keep(~np.isin(pack_pairs(others.sources(), others.targets), known_members))
        owners = np.concatenate([members.sources(), others.sources()]).astype(np.int64)
        instances = np.concatenate([members.targets, others.targets])
        of_instances = signatures.rows.take(instances)
        # How many instances of each class have each property: ``codes`` number the pairs of a class and a property.
        codes = owners[of_instances.sources()] * size + of_instances.targets
        counts, totals = np.bincount(codes, minlength=count * size), np.bincount(owners, minlength=count)
        known = np.flatnonzero(counts)
        of_class, properties = np.divmod(known, size)
        having, total, shares = counts[known], totals[of_class], signatures.shares[properties]
        # The weights w(t) for items that are no instances: ln 1 / (n + 1) where no instance has t, whatever p(t) is.
        of_every = np.repeat(_weights(np.zeros_like(totals), totals, np.ones(count)).astype(np.int32), size)
        of_every[known] = _weights(having, total, shares)
        # The weights for an instance, without its own vote, and with them its evidence.
        of_itself = np.zeros(len(counts), dtype=np.int64)
        of_itself[known] = _weights(having - 1, total - 1, shares)
        evidence = _evidence(of_instances, of_itself.take(codes))
        # One class after another: its coherence, and the weights of its properties.
        in_sample, is_in_sample = indices_of(instances, signatures.sample)
        for position, weights in enumerate(of_every.reshape(count, size)):
            is_own = owners == position
            own_evidence, is_member = evidence[is_own], np.flatnonzero(is_own) < len(members.targets)
            # Coherence, the area under the ROC curve: how often a member has more evidence than one of the sampled
            # prominent items that are no instances. A tie counts half, and evidence against the class counts as none.
            sample = _evidence(signatures.of_sample, weights.take(signatures.of_sample.targets))
            negatives = np.sort(np.maximum(np.delete(sample, in_sample[is_own & is_in_sample]), 0))
            positives, coherence = np.maximum(own_evidence[is_member], 0), None
            if len(positives) and len(negatives):
                twice_below = sum(int(np.searchsorted(negatives, positives, side).sum()) for side in ("left", "right"))
                coherence = round(twice_below / (2 * len(positives) * len(negatives)), _DIGITS)
            begin, end = np.searchsorted(known, (position * size, (position + 1) * size))
            of_own = np.sort(own_evidence).tolist()
            yield ClassEvidence(signatures, coherence, properties[begin:end], weights, of_instances=of_own)

    def margin(self, number: int) -> float | None:
        """The share of the class's instances with less evidence than another item, by its number; a tie counts half.

        Evidence is the sum of the weights (``of_every``) of an item's properties, its signature, over the square root
        of their number. None if the item has no signature, or no instance has one.
        """
        # Asked of one item at a time, and of many again. Buffers (memoryviews) give one value faster than arrays do.
        if number in self._margins:
            return self._margins[number]
        items, rows = self.signatures.items.data, self.signatures.rows
        row = bisect_left(items, number)
        margin = None
        if row < len(items) and items[row] == number and self.of_instances:
            properties = rows.targets.data[rows.offsets.data[row] : rows.offsets.data[row + 1]]
            evidence = sum(map(self.of_every.data.__getitem__, properties)) / math.sqrt(len(properties))
            twice_below = bisect_left(self.of_instances, evidence) + bisect_right(self.of_instances, evidence)
            margin = round(twice_below / (2 * len(self.of_instances)), _DIGITS)
        self._margins[number] = margin
        return margin

    def margins(self, others: CsrRows) -> Evidence:
        """The margins of many items that are not instances, by their signatures; NaN where there is none."""
        found, instances = _evidence(others, self.of_every.take(others.targets)), np.array(self.of_instances)
        below = np.searchsorted(instances, found, "left") + np.searchsorted(instances, found, "right")
        count = 2 * max(len(instances), 1)
        rounded: Evidence = np.array([round(each / count, _DIGITS) for each in range(count + 1)]).take(below)
        return np.where((others.counts() > 0) & bool(self.of_instances), rounded, np.nan)

    def weights(self) -> dict[int, float]:
        """The weight of each property (its number) that an instance has."""
        numbers = self.signatures.properties[self.known].tolist()
        return dict(zip(numbers, (self.of_every[self.known] / _UNITS).tolist(), strict=True))


def evidence_of_instances(signatures: Signatures, nodes: Ints) -> Callable[[Ints, Ints], Flags]:
    """Return a function that says which instances of some classes (nodes) have evidence of being one.

    It takes instances, each as the position of its class in ``nodes`` and an item's number. An instance has evidence if
    its properties (its signature) speak for the class more than against it, by a sample of the class's instances
    (``reference``) without itself; without a signature it has none.
    """
    size, reference = len(signatures.shares), signatures.reference.take(nodes)
    owners, totals = reference.sources().astype(np.int64), reference.counts()
    having = signatures.rows.take(reference.targets)
    # How many sampled instances of each class have each of the ``size`` properties.
    counts = np.bincount(owners[having.sources()] * size + having.targets, minlength=len(nodes) * size)
    # Which items those are, as pairs of a class and an item's signature.
    in_reference = pack_pairs(owners, reference.targets)

    def has_evidence(positions: Ints, numbers: Ints) -> Flags:
        """Whether the properties of each item, by its number, speak for the class at its position in ``nodes``."""
        rows = signatures.rows_of(numbers)
        of_items, is_sampled = signatures.rows.take(rows), np.isin(pack_pairs(positions, rows), in_reference)
        # For each property of each item its weight by the other instances: a sampled item's own vote is taken out.
        items, properties = of_items.sources(), of_items.targets.astype(np.int64)
        of_class, own_vote = positions[items], is_sampled[items]
        others_having, others = counts[of_class * size + properties] - own_vote, totals[of_class] - own_vote
        weights = _weights(others_having, others, signatures.shares[properties])
        flags: Flags = np.bincount(items, weights, minlength=len(numbers)) > 0
        return flags

    return has_evidence


def _weights(having: Ints, total: Ints, shares: Evidence) -> Int64s:
    """The weights w(t) of properties that ``having`` of ``total`` instances have, by their shares p(t), in units."""
    units: Int64s = np.rint((np.log((having + shares) / (total + 1)) - np.log(shares)) * _UNITS).astype(np.int64)
    return units


def _evidence(signatures: CsrRows, weights: Ints) -> Evidence:
    """The evidence of each row, from the weights of all its properties."""
    sums, counts = np.diff(offsets_of(weights)[signatures.offsets]), signatures.counts()
    return sums / np.sqrt(np.maximum(counts, 1))
