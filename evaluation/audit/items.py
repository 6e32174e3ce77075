"""What an audit reads: groups of a run with all that is known of their members, or released text with words alone."""

from dataclasses import dataclass
from pathlib import Path

from wikisem.datasets.word_groups import WordGroup
from wikisem.ids import is_qid, qid_number
from wikisem.records import Group, Member, Outlier


@dataclass(frozen=True, slots=True)
class AuditItem:
    """A member or an outlier: its surface form, and what else is known; None is what the data set does not say.

    ``page_share`` is P(page | surface), ``by_link`` whether links gave the surface form, ``own_language`` whether it is
    in the group's language. ``outlier_class`` is 0 for members of the cluster.
    """

    surface: str
    outlier_class: int | None
    qid: str | None = None
    via: str | None = None
    page_share: float | None = None
    by_link: bool | None = None
    own_language: bool | None = None

    @property
    def number(self) -> int | None:
        """The item number: items are numbered in the order of their creation."""
        return qid_number(self.qid) if self.qid else None


@dataclass(frozen=True, slots=True)
class AuditGroup:
    """A test group; ``id`` is its class, or the name of its file where that is no QID."""

    id: str
    language: str
    cluster: tuple[AuditItem, ...]
    outliers: tuple[AuditItem, ...]

    @property
    def qid(self) -> str | None:
        """The class, where the data set says it."""
        return self.id if is_qid(self.id) else None

    @classmethod
    def of_group(cls, group: Group) -> "AuditGroup":
        """A group of a run."""
        members = tuple(_item(member, group.language) for member in group.cluster)
        return cls(
            group.qid, group.language, members, tuple(_item(outlier, group.language) for outlier in group.outliers)
        )

    @classmethod
    def of_words(cls, group: WordGroup) -> "AuditGroup":
        """A group of a released set; ``_`` is read as a space, and the folder says the language (``en/Q28640.txt``)."""
        cluster = tuple(AuditItem(_words(surface), 0) for surface in group.cluster)
        outliers = tuple(AuditItem(_words(outlier.surface), outlier.outlier_class) for outlier in group.outliers)
        return cls(group.id, group.language or Path(group.where).parent.name, cluster, outliers)


def _item(member: Member, language: str) -> AuditItem:
    outlier = member if isinstance(member, Outlier) else None
    return AuditItem(
        member.surface,
        outlier.outlier_class if outlier else 0,
        member.id,
        outlier.via if outlier else None,
        member.page_share,
        member.source == "anchor",
        member.label_language in {None, language},
    )


def _words(surface: str) -> str:
    return surface.replace("_", " ")
