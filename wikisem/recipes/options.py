"""Recipes: everything that decides which groups come out, as frozen values with their defaults and bounds."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from wikisem.records import Level, Share

FromZero: TypeAlias = Annotated[int, Meta(ge=0)]
FromOne: TypeAlias = Annotated[int, Meta(ge=1)]
FromTwo: TypeAlias = Annotated[int, Meta(ge=2)]
# The variants that ``wikisem.wikipedia.variants`` can write; "" leaves each surface form as it is.
Variant: TypeAlias = Literal[
    "", "gan-hans", "gan-hant", "ike-cans", "ike-latn", "kk-cyrl", "kk-latn", "ku-arab", "ku-latn", "sh-cyrl",
    "shi-latn", "shi-tfng", "sr-ec", "sr-el", "tg-latn", "tly", "tly-cyrl", "uz-cyrl", "uz-latn", "wuu-hans",
    "wuu-hant", "zgh-latn", "zh-hans", "zh-hant", "zh-hk", "zh-tw",
]  # fmt: skip

# What names an item without an anchor.
Fallback: TypeAlias = Literal["none", "label", "title"]
# From which third of a class, by prominence, its members are.
Fame: TypeAlias = Literal["all", "head", "torso", "tail"]


@dataclass(frozen=True, slots=True)
class GraphOptions:
    """What is pruned from the class graph, and which statements are edges."""

    disambiguation: tuple[str, ...] = ("Q4167410",)
    internal: tuple[str, ...] = ()
    root: str = "Q35120"
    root_distance: FromZero = 3
    ranks: Literal["best", "not-deprecated"] = "best"


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """How large a cluster is, and which of the groups that passed are kept."""

    size: FromTwo = 8
    minimum: FromTwo = 7
    max_groups: FromZero = 500
    class_order: Literal["sample", "prominence"] = "sample"
    # Groups of another level are rejected: concepts have a subclass-of statement, entities have none.
    level: Level | Literal["both"] = "both"
    # What makes an instance prominent, a member before others: sitelinks, or links in the language's own Wikipedia.
    prominence: Literal["global", "local"] = "global"
    # Which third of a class's instances the members are from, by prominence; each takes its best known.
    fame: Fame = "all"
    # A cluster with less is rejected: how often a member has more evidence of being one than another item has.
    # Instances without evidence are members only where the class has too few others.
    coherence: Share | None = None


@dataclass(frozen=True, slots=True)
class OutlierOptions:
    """How outliers are drawn; ``distance`` is the paper's μ. docs/outliers.md has each rule.

    ``draw`` is for O1 and O2, ``draw_o3`` for O3: section 3 of the paper takes two items of one sibling class and of
    one cousin class, but far items at random. By "class", all come from one class where one brings enough.
    """

    per_class: FromZero = 2
    minimum: FromOne = 2
    draw: Literal["class", "items"] = "class"
    draw_o3: Literal["class", "items"] = "items"
    min_sitelinks: FromZero = 10
    distance: FromOne = 7
    # How many instances prove that an outlier does not belong; 0 asks for no proof, and instances alone are left out.
    certificate: FromZero = 0
    # A class is a status if at least this share of its instances has another class; 0 switches the rule off.
    status_share: Share = 0.0
    # An outlier takes a place among the members, in form and fame, that the seed gives.
    places: bool = False
    # An outlier gives way if at least this share of the instances has less evidence of being one than it has.
    margin: Share | None = None
    # How many further outliers of another kind, tied to members by statements; they change no other outlier.
    related: FromZero = 0
    # How many further outliers share a kind with most members, and yet have a certificate.
    near: FromZero = 0
    shared: bool = False


@dataclass(frozen=True, slots=True)
class ClassOptions:
    """Which classes may give groups, each by QID or by its label in ``language``; every class where none is included.

    ``include_below`` and ``exclude_below`` mean a class and everything below it. What is excluded is not included.
    """

    include: tuple[str, ...] = ()
    include_below: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    exclude_below: tuple[str, ...] = ()
    language: str = "en"

    @property
    def names(self) -> tuple[str, ...]:
        """All names, in the order of the keys."""
        return (*self.include, *self.include_below, *self.exclude, *self.exclude_below)


class ItemOptions(msgspec.Struct, frozen=True, rename={"from_": "from"}):
    """Which items may be members or outliers, by their number, which is the order of creation; "" sets no bound."""

    from_: str = ""  # no field of a dataclass, because ``from`` is a keyword of Python
    to: str = ""
    apply: Literal["clusters", "outliers", "both"] = "both"


@dataclass(frozen=True, slots=True)
class SurfaceOptions:
    """Where surface forms come from, and which anchors are good enough to be one.

    ``minimum_total`` counts the links to a page; ``minimum_share`` bounds P(s | page) and ``minimum_page_share`` P(page
    | s). ``form = "dictionary"`` takes the title if the most frequent anchor is an inflected form of it, ``script``
    refuses letters of other scripts, and ``clean_labels`` removes a trailing parenthesis from labels. ``variant`` is
    the script in which surface forms are written, of those that the wiki has.
    """

    fallback: Fallback = "none"
    link_trail: bool = False
    minimum_count: FromOne = 1
    minimum_total: FromZero = 0
    minimum_share: Share = 0.0
    minimum_page_share: Share = 0.0
    form: Literal["anchor", "dictionary"] = "anchor"
    script: bool = False
    clean_labels: bool = False
    variant: Variant = ""

    @property
    def asks_aliases(self) -> bool:
        """Whether labels are surface forms only of items that they mean, rather than others of that label or alias."""
        return self.fallback == "label" and self.minimum_page_share > 0


@dataclass(frozen=True, slots=True)
class FilterOptions:
    """The smallest numbers that reject a cluster, each rule off with ``false`` (then ``None`` here).

    ``extra`` gives further rules of ``heuristics/rules/wording.py`` their numbers. ``replace`` rejects only where no
    other instances keep the rules in place of members that break one together.
    """

    replace: bool = False
    digits: FromOne | None = 3
    affix: FromOne | Literal["surprise"] | None = 4
    length_one: FromOne | None = 2
    stop_affix: bool = True
    outlier_stop_affix: bool = False
    initial_capital: bool = False
    near_duplicates: FromOne | None = None
    extra: Mapping[str, FromOne] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class WallOptions:
    """How many walls of sixteen words a language gets, of all three tiers together, and in how many a word may be."""

    number: FromZero = 0
    uses: FromOne = 8


@dataclass(frozen=True, slots=True)
class Recipe:
    """Everything that decides which groups come out, besides the dumps: the keys of a recipe file (docs/recipes.md).

    It is frozen: ``dataclasses.replace(recipe, seed=7)`` makes a variant.
    """

    name: str
    seed: FromZero = 500
    languages: tuple[str, ...] = ("en", "es", "de", "ja", "zh")
    mixed: tuple[str, ...] = ()
    graph: GraphOptions = field(default_factory=GraphOptions)
    cluster: ClusterOptions = field(default_factory=ClusterOptions)
    outliers: OutlierOptions = field(default_factory=OutlierOptions)
    classes: ClassOptions = field(default_factory=ClassOptions)
    items: ItemOptions = field(default_factory=ItemOptions)
    surface: SurfaceOptions = field(default_factory=SurfaceOptions)
    filters: FilterOptions = field(default_factory=FilterOptions)
    walls: WallOptions = field(default_factory=WallOptions)

    @property
    def witness(self) -> bool:
        """Whether a rule asks the signatures of items, a second witness of what they are beside P31."""
        return self.cluster.coherence is not None or self.outliers.margin is not None

    @property
    def counts_instances(self) -> bool:
        """Whether a rule counts all instances of classes, those that nothing links to among them."""
        return self.outliers.certificate > 0 or self.outliers.status_share > 0

    def to_dict(self) -> dict[str, Any]:
        """The recipe as plain values, for the manifest and for fingerprints."""
        return {**dataclasses.asdict(self), "items": msgspec.to_builtins(self.items)}
