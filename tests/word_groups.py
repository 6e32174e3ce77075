"""Groups of words, as sets of others have them."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from wikisem.records import Group, Member, Outlier


def outlier_word(surface: str, outlier_class: int | None = None, qid: str = "") -> Outlier:
    """An outlier of which little more than the word is known."""
    return Outlier(id=qid, surface=surface, outlier_class=outlier_class)


def word_group(
    name: str,
    cluster: Sequence[str],
    outliers: Iterable[Outlier],
    where: str,
    language: str = "",
    label: str = "",
    qids: Sequence[str] = (),
) -> Group:
    """A group of words, with the QIDs of the cluster's items if they are known."""
    members = tuple(Member(id=qid, surface=word) for word, qid in zip_longest(cluster, qids, fillvalue=""))
    return Group(id=name, label=label, language=language, cluster=members, outliers=tuple(outliers), where=where)


def surfaces(members: Iterable[Member]) -> tuple[str, ...]:
    """The words of some members, without anything else."""
    return tuple(member.surface for member in members)
