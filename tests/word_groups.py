"""Groups of words, as sets of others have them."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from msgspec.structs import asdict

from wikisem.evaluation.analogies import Section
from wikisem.evaluation.baselines import baselines_by_language
from wikisem.evaluation.rows import ALL
from wikisem.evaluation.statistics import ErrorBars
from wikisem.heuristics.rules.cluster import broken_rules
from wikisem.heuristics.rules.wording import KEEP, Verdict
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


def baselines_of_cases(cases: Iterable[tuple[str, Sequence[Member]]]) -> Mapping[str, ErrorBars | None]:
    """How often each baseline is right on some cases, each of a class; the last word of a case is its outlier."""
    groups = [
        Group(id=name, language="en", cluster=tuple(words[:-1]), outliers=(Outlier(**asdict(words[-1])),))
        for name, words in cases
    ]
    return baselines_by_language(groups)["en"][ALL]


def words_asked(section: Section) -> list[tuple[str, ...]]:
    """The words of each analogy question of a section."""
    return [tuple(section.words[number] for number in row) for row in section.rows.tolist()]


def check_cluster(*of_cluster: Any, **further: Any) -> Verdict:
    """The first rule that a cluster breaks, by the arguments of ``broken_rules``, or a verdict that keeps it."""
    return next(broken_rules(*of_cluster, **further), KEEP)
