"""Test cases as rows of their own: one outlier among the cluster, in an order that gives nothing away.

The outlier's place is its rank modulo the number of choices, in a seeded order of all cases of that size: every place
is then as frequent as any other, bar one case. By a hash alone one place won 18 to 20 % of the cases where each of nine
should have 11 %. The words of the cluster are in a seeded order as well, another one in each case.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

import pyarrow as pa

from wikisem.records import Group, Member, Outlier

QUESTION: Final = "Pick the odd word out."

# One row a test case; ``answer`` is the place of the outlier in ``choices``, counted from 0.
CASES: Final = pa.schema(
    [
        ("id", pa.string()),
        ("class", pa.string()),
        ("label", pa.string()),
        ("language", pa.string()),
        ("question", pa.string()),
        ("outlier_class", pa.int8()),
        ("choices", pa.list_(pa.string())),
        ("items", pa.list_(pa.string())),
        ("answer", pa.int8()),
        ("outlier", pa.string()),
    ]
)


def cases_table(groups: Sequence[Group], seed: int) -> pa.Table:
    """The test cases of groups in one language as a table of schema ``CASES``, in the order of the groups."""
    return pa.Table.from_pylist(list(case_rows(groups, seed)), schema=CASES)


def case_rows(groups: Sequence[Group], seed: int) -> Iterable[dict[str, Any]]:
    """A row for each outlier of each group."""
    cases = [(group, outlier) for group in groups for outlier in group.outliers]
    places = _places(cases, seed)
    for group, outlier in cases:
        case = case_id(group, outlier)
        members: list[Member] = sorted(group.cluster, key=lambda member: _key(seed, "word", case, member.id))
        members.insert(places[case], outlier)
        yield {
            "id": case,
            "class": group.qid,
            "label": group.label,
            "language": group.language,
            "question": QUESTION,
            "outlier_class": outlier.outlier_class,
            "choices": [member.surface for member in members],
            "items": [member.id for member in members],
            "answer": places[case],
            "outlier": outlier.surface,
        }


def case_id(group: Group, outlier: Outlier) -> str:
    """The name of a test case, the same in every release that has it: language, class and outlier."""
    return f"{group.language}-{group.qid}-{outlier.id}"


def _places(cases: Iterable[tuple[Group, Outlier]], seed: int) -> dict[str, int]:
    by_size: defaultdict[int, list[str]] = defaultdict(list)
    for group, outlier in cases:
        by_size[len(group.cluster) + 1].append(case_id(group, outlier))
    return {
        case: rank % size
        for size, names in by_size.items()
        for rank, case in enumerate(sorted(names, key=lambda name: _key(seed, "place", name)))
    }


def _key(seed: int, *parts: str) -> bytes:
    """Bytes that depend on the seed and the strings alone: what is sorted by them is shuffled."""
    return hashlib.blake2b("\x1f".join([str(seed), *parts]).encode(), digest_size=16).digest()
