"""The records that wikisem works with, as frozen values. In bulk they are Arrow columns, see schemas.py."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from typing import Annotated, ClassVar, Final, Literal, NamedTuple, TypeAlias

import msgspec
import orjson
from msgspec import Meta

from wikisem.errors import DamagedInputError, TooManyUnreadableError, redacted

# What is checked where records are read from files: where a surface form is from, and what columns of numbers hold.
Source: TypeAlias = Annotated[str, Meta(pattern="^(anchor|label|title)$")]
Count: TypeAlias = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Sitelinks: TypeAlias = Annotated[int, Meta(ge=0, lt=2**31)]
Share: TypeAlias = Annotated[float, Meta(ge=0, le=1)]


class Statement(NamedTuple):
    """A statement other than P31 and P279: a QID or a string, with a language for monolingual text."""

    property: str
    value: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Entity:
    """A Wikidata item, reduced to what the method reads; best-rank statements only unless the recipe says otherwise.

    ``titles`` maps wiki ids of Wikipedias ("dewiki") to page titles; ``sitelinks`` counts the whole map, all sites.
    ``other_instance_of`` are the P31 at sound ranks that are not the best. ``properties`` are the numbers of all other
    properties that it has a statement of, whatever their ranks and values; ``relations`` are the numbers of property
    and item of each statement about an item; ``aliases`` are by language. All three are empty without a sitelink.
    ``description`` is the English one.
    """

    qid: str
    instance_of: tuple[str, ...] = ()
    subclass_of: tuple[str, ...] = ()
    sitelinks: int = 0
    titles: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    lastrevid: int = 0
    statements: tuple[Statement, ...] = ()
    other_instance_of: tuple[str, ...] = ()
    properties: tuple[int, ...] = ()
    relations: tuple[tuple[int, int], ...] = ()
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """A page of a wiki dump: the text of its latest revision's main slot, and where it redirects to, if it does.

    ``version`` is the id of the page and that of the revision, None unless it has both.
    """

    title: str
    namespace: int
    text: str
    redirect: str | None = None
    version: tuple[int, int] | None = None
    deleted: bool = False


class Link(NamedTuple):
    """A link as a reader sees it: the normalised title it leads to, and the words that carry it."""

    target: str
    anchor: str


class Member(msgspec.Struct, frozen=True, kw_only=True, gc=False, repr_omit_defaults=True):
    """A word in a group, and what is known of its item. The fields are those of files, in this order.

    ``id`` is the QID of the item, empty if the data set does not say, ``surface`` its surface form in the group's
    language. ``source`` says where the surface form comes from: "anchor", "label" or "title". ``count`` of the
    ``total`` links to its page have this anchor, so P(surface | page) = ``count / total``. ``links`` is how many links
    of the whole wiki have it, and ``page_share`` is P(page | surface) = ``count / links``; both are None if the surface
    form is not an anchor. ``label_language`` is the code of a label from another language, such as ``mul``.
    ``language`` is set in groups of several languages. ``title`` is the title of its page, None if it has none.
    ``type`` is the QID of its coarse type (``wikisem.graph.outlier_sets``): of the classes that at least a twentieth of
    all items are instances of, at any depth, its smallest one; None if it has none, or without certificates.

    All that wikisem makes has ``NEEDED``. Sets of others may have words alone: what they do not say is None.
    """

    id: str = ""
    surface: str
    source: Source | None = None
    count: Count | None = None
    total: Count | None = None
    sitelinks: Sitelinks | None = None
    links: Count | None = None
    page_share: float | None = None
    label_language: str | None = None
    language: str | None = None
    title: str | None = None
    type: str | None = None

    NEEDED: ClassVar[tuple[str, ...]] = ("source", "count", "total", "sitelinks")

    @property
    def name(self) -> str:
        """What messages call it: the surface form with the QID, or alone."""
        return f"{self.surface} ({self.id})" if self.id else self.surface


class Tie(msgspec.Struct, frozen=True, gc=False):
    """A statement between a member of a cluster and a related outlier, of either about the other.

    ``Tie("Q2044", "P131", "Q1273")`` says that Florence is located in Tuscany.
    """

    item: str
    property: Annotated[str, Meta(pattern="^P[1-9][0-9]*$")]
    value: str


class Certificate(msgspec.Struct, frozen=True, gc=False):
    """Why an outlier is no instance of the class of its group: one of its own classes shares no instance with that.

    ``id`` is the QID of that class, of which the outlier is an instance directly or by classes in between, and
    ``label`` its label. Besides the outlier it has ``instances`` items, at any depth and at any rank but deprecated,
    and the class of the group has ``of_class``; none is an instance of both.
    """

    id: str = msgspec.field(name="class")
    instances: Count
    of_class: Count
    label: str = ""


class OutlierClass(NamedTuple):
    """An outlier class: its ``number`` in files, its ``name``, its ``key`` in scores, and how people are told of it.

    ``kind`` says what classes its outliers are of, ``title`` is its line in tables of scores. Pages put ``mark`` beside
    its words; figures draw it in ``colour``.
    """

    number: int
    name: str
    key: str
    kind: str
    title: str
    mark: str
    colour: str

    @property
    def label(self) -> str:
        """Its name and kind.

        >>> OUTLIER_CLASSES[1].label, OUTLIER_CLASSES[RELATED].label
        ('O1: sibling', 'related')
        """
        return self.name if self.name == self.kind else f"{self.name}: {self.kind}"


# The outlier classes by number, in the order of every table: siblings, cousins and strangers (Blair et al. 2016, 3.1),
# then related and near outliers. Colour-blind readers can tell the colours apart, by Okabe and Ito (2008).
FAR: Final = 3
RELATED: Final = 4
NEAR: Final = 5
OUTLIER_CLASSES: Final[Mapping[int, OutlierClass]] = {
    one.number: one
    for one in (
        OutlierClass(1, "O1", "1", "sibling", "O1, siblings", "▲", "#E69F00"),
        OutlierClass(2, "O2", "2", "cousin", "O2, cousins", "◆", "#009E73"),
        OutlierClass(FAR, "O3", "3", "far", "O3, far away", "■", "#CC79A7"),
        OutlierClass(RELATED, "related", "related", "related", "related", "★", "#D55E00"),
        OutlierClass(NEAR, "near", "near", "near", "near", "▼", "#56B4E9"),
    )
}
# Those that are drawn by the class graph for every group.
DRAWN: Final = tuple(number for number in OUTLIER_CLASSES if number < RELATED)
OutlierNumber: TypeAlias = Annotated[int, Meta(ge=1, le=len(OUTLIER_CLASSES))]
UNKNOWN_CLASS: Final = OutlierClass(0, "O?", "unknown", "unknown", "unknown", "", "")


def class_of(outlier_class: int | None) -> OutlierClass:
    """Return the outlier class with a number; ``UNKNOWN_CLASS`` for None, as in sets that do not say."""
    return UNKNOWN_CLASS if outlier_class is None else OUTLIER_CLASSES[outlier_class]


class Outlier(Member, frozen=True, kw_only=True, gc=False, repr_omit_defaults=True):
    """An item that does not belong to the cluster of its group.

    ``outlier_class`` is a number of ``OUTLIER_CLASSES``. ``via`` is the QID of the class that brought it in, one of its
    own for a stranger or a related outlier. ``ties`` are the statements that tie a related outlier to members, or None.

    ``margin`` is the share of the class's instances whose statements are less typical of the class than those of the
    outlier, a tie counting half: 0 if every instance is more typical. None if the recipe has no rule on statements, or
    nothing is stated of the members. ``certificate`` proves that it does not belong; None if the recipe asks for none.
    """

    outlier_class: OutlierNumber | None = None
    via: str = ""
    certificate: Certificate | None = None
    margin: Share | None = None
    ties: tuple[Tie, ...] | None = None

    NEEDED: ClassVar[tuple[str, ...]] = (*Member.NEEDED, "outlier_class")

    @property
    def of_class(self) -> OutlierClass:
        """What it was drawn as."""
        return class_of(self.outlier_class)


# Of what a group is: items that have a subclass-of statement, such as sciences, or that have none, such as cities.
Level: TypeAlias = Literal["concepts", "entities"]
LEVELS: Final[tuple[Level, ...]] = ("concepts", "entities")


class Group(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, repr_omit_defaults=True):
    """A cluster with its outliers in one language; each outlier makes one test case (Blair et al. 2016, 3.2).

    ``id`` is the QID of the class, or the name of a text file without its suffix (a QID in WikiSem500); ``label`` is
    the label of the class. ``level`` says whether its items are types or individuals; None if the recipe lets it mix
    them, or a data set does not say. ``coherence`` is the chance that a random member's statements are more typical of
    the class than those of a random prominent item, a tie counting half: 0.5 if the members have nothing in common, 1
    if statements tell all of them from other items. In a group of several languages it is the lowest of theirs. None
    where ``Outlier.margin`` is. ``where`` is the file that a group was read from, and in JSON lines the line.
    """

    id: str = msgspec.field(name="class")
    label: str = ""
    language: str = ""
    level: Level | None = None
    coherence: Share | None = None
    cluster: tuple[Member, ...]
    outliers: tuple[Outlier, ...]
    where: str = ""

    @property
    def qid(self) -> str:
        """The class of a group that wikisem made: its id, which there is a QID."""
        return self.id

    @property
    def name(self) -> str:
        """What tables call it: the label with the id, or the id alone."""
        return f"{self.label} ({self.id})" if self.label else self.id

    @property
    def members(self) -> Iterator[Member]:
        """All of its words, cluster first."""
        return chain(self.cluster, self.outliers)

    @property
    def types_of_near(self) -> set[str]:
        """The coarse types of its near outliers, which are named beside their certificates."""
        return {one.type for one in self.outliers if one.type is not None and one.outlier_class == NEAR}


# A wall has four groups of four words; in one with herrings at least so many fit a second group.
SIDE: Final = 4
LEAST_HERRINGS: Final = 2
# How far apart the classes of a wall are, or that words fit a second one.
Tier: TypeAlias = Literal["far", "sibling", "herring"]
TIERS: Final[tuple[Tier, ...]] = ("far", "sibling", "herring")


class WallGroup(msgspec.Struct, frozen=True):
    """One of the four hidden groups of a wall: a class, its label, and the QIDs of its four words."""

    qid: str = msgspec.field(name="class")
    label: str
    members: tuple[str, ...]


class Herring(msgspec.Struct, frozen=True):
    """A word of a wall that fits further groups: ``id`` is the QID of the word, ``fits`` are those of their classes.

    ``by`` says why it fits each: "graph" for the class graph, "witness" if its statements are like those of members.
    """

    id: str
    fits: tuple[str, ...]
    by: tuple[Literal["graph", "witness"], ...]


class Wall(msgspec.Struct, frozen=True):
    """Sixteen ``words`` in the order shown, and the only division into four ``groups`` of four that fits.

    ``order`` has the classes in an order in which they can be solved: only four words fit each once those of the
    classes before it are taken. That is why there is no second solution. ``margin`` is the bound from which the second
    witness lets a word fit a class; None if only the class graph says what fits.
    """

    id: str
    language: str
    tier: Tier
    words: tuple[Member, ...]
    groups: tuple[WallGroup, ...]
    herrings: tuple[Herring, ...]
    order: tuple[str, ...]
    margin: Share | None = None


class Rejection(msgspec.Struct, frozen=True):
    """A class that gave no group in a language, and why; its label is empty if it has none or in older files.

    ``members`` are the items of the cluster that was judged, if one was.
    """

    qid: str = msgspec.field(name="class")
    language: str
    reason: str
    detail: str
    label: str = ""
    members: tuple[str, ...] = ()


# How many characters of a record, or of what its reader raised, the detail of an unreadable one shows.
SHOWN: Final = 200


@dataclass(frozen=True, slots=True)
class UnreadableRecord:
    """An input record that could not be read: the stage, a stable reason, the place (file and offset), the detail."""

    stage: str
    reason: str
    where: str
    detail: str

    def as_line(self) -> bytes:
        """Return one line of JSON, as the files of ``OUT/unreadable`` have it."""
        kept = replace(self, where=redacted(self.where), detail=redacted(self.detail))
        return orjson.dumps(asdict(kept), option=orjson.OPT_APPEND_NEWLINE)


def unforeseen(record: str, error: Exception) -> str:
    """Return the detail of an unreadable record whose reader raised an error that nobody foresaw."""
    return redacted(f"expected a {record} that can be read, saw {type(error).__name__}: {error}")[:SHOWN]


def report_unreadable(record: UnreadableRecord, on_unreadable: Callable[[UnreadableRecord], object] | None) -> None:
    """Hand an unreadable record to the caller; DamagedInputError for a caller that takes none."""
    if on_unreadable is None:
        raise DamagedInputError(
            f"{record.where}: {record.reason}: {record.detail}; pass on_unreadable to go on without such records"
        )
    on_unreadable(record)


# How many unreadable records a run may have, whatever share of its input they are.
FEW_UNREADABLE: Final = 100


@dataclass(frozen=True, slots=True)
class Counts:
    """What a stage did with its records: ``read`` = ``kept`` + all ``left_out`` + all ``unreadable``, by reason."""

    read: Count = 0
    kept: Count = 0
    left_out: Mapping[str, Count] = field(default_factory=dict)
    unreadable: Mapping[str, Count] = field(default_factory=dict)

    def __add__(self, other: "Counts") -> "Counts":
        left_out, unreadable = (
            {key: one.get(key, 0) + more.get(key, 0) for key in sorted({*one, *more})}
            for one, more in ((self.left_out, other.left_out), (self.unreadable, other.unreadable))
        )
        return Counts(self.read + other.read, self.kept + other.kept, left_out, unreadable)

    def check(self, stage: str) -> None:
        """Raise AssertionError unless in = kept + left out + unreadable."""
        out = self.kept + sum(self.left_out.values()) + sum(self.unreadable.values())
        assert self.read == out, f"{stage}: {self.read} records in, {out} accounted for"

    def check_unreadable(self, stage: str, most: float, kept_in: str) -> None:
        """Raise TooManyUnreadableError where more than the share ``most`` of all records could not be read.

        ``kept_in`` is the file that has them. Fewer than FEW_UNREADABLE are accepted: they may be many of a small file.
        """
        unreadable = sum(self.unreadable.values())
        if unreadable >= FEW_UNREADABLE and unreadable > most * self.read:
            raise TooManyUnreadableError(
                f"{stage}: expected at most {most:.2%} unreadable records (--max-unreadable), "
                f"saw {unreadable:,} of {self.read:,}; they are in {kept_in}"
            )
