"""The metadata of a release: facts from the manifest of a run, its groups and its maintainer, and manifest.json."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib.resources import files as resources
from typing import Any, Final, NamedTuple

import msgspec
import orjson

from wikisem.errors import DamagedInputError
from wikisem.records import Group, Rejection
from wikisem.typed_json import with_checksum
from wikisem.wikis import date_in_name

# The sources of surface forms, in the order in which texts name them.
ANCHOR, LABEL, TITLE = WORD_SOURCES = ("anchor", "label", "title")


class Licence(NamedTuple):
    """A licence: its SPDX identifier, its name, and the address of its text."""

    spdx: str
    name: str
    url: str


# https://foundation.wikimedia.org/wiki/Policy:Terms_of_Use, section 7 (2026-11): text of Wikipedia is under the first;
# https://www.wikidata.org/wiki/Wikidata:Licensing: labels, sitelinks and statements under the second.
CC_BY_SA: Final = Licence(
    "CC-BY-SA-4.0",
    "Creative Commons Attribution-ShareAlike 4.0 International License (CC BY-SA 4.0)",
    "https://creativecommons.org/licenses/by-sa/4.0/",
)
CC0: Final = Licence(
    "CC0-1.0",
    "Creative Commons CC0 1.0 Universal Public Domain Dedication (CC0 1.0)",
    "https://creativecommons.org/publicdomain/zero/1.0/",
)


class Origin(msgspec.Struct, omit_defaults=True):
    """The record of a download; the address is empty if unknown."""

    url: str = ""


class Source(msgspec.Struct, omit_defaults=True):
    """A file of a dump: its path in a run, its name in a release; checksum and date are empty if unknown."""

    name: str = msgspec.field(name="path")
    size: int
    sha256: str = ""
    origin: Origin = msgspec.field(default_factory=Origin)
    date: str = ""

    @property
    def day(self) -> str:
        """The date of the dump as YYYY-MM-DD, by its download or else by its name; empty if unknown."""
        return date_in_name(self.date) or date_in_name(self.name)


class LinkedPages(msgspec.Struct):
    """Count the pages that links and sitelinks lead to, all and the best linked, and those that the dump lacks."""

    linked: int = 0
    missing: int = 0
    best_linked: int = 0
    best_missing: int = 0
    best_missing_titles: list[str] = []


class PublicTables(msgspec.Struct):
    """List what the public tables of Wikidata lack, if a run read them in place of the dump."""

    lacks: list[str] = []


class ManifestStage(msgspec.Struct, omit_defaults=True):
    """A finished unit. ``english_labels`` are the classes without a label of their language, which have an English one.

    ``highest_item`` is the highest number in the dump of Wikidata, 0 if unknown. ``recipe`` is that of the unit; in a
    release, it is None if it is the recipe of the run.
    """

    inputs: list[Source] = []
    english_labels: list[str] = []
    read: int | None = msgspec.field(default=None, name="in")
    kept: int | None = None
    highest_item: int = 0
    linked_pages: LinkedPages | None = None
    tables: PublicTables | None = None
    recipe: dict[str, Any] | None = None


class ManifestFile(msgspec.Struct):
    """A file of a release."""

    size: int
    sha256: str


class HeldHalf(msgspec.Struct):
    """The groups that a release holds back: the SHA-256 of their file, and how many they are."""

    sha256: str
    groups: int
    cases: int


class Terms(msgspec.Struct):
    """A licence of some words, beside that of the set: ``about`` says which words, ``text`` is its text."""

    spdx: str
    url: str
    about: str
    text: str


class OpenedHalf(msgspec.Struct):
    """The held half of an earlier release: its version, its file in this release, and the SHA-256 that it published."""

    version: str
    file: str
    sha256: str


class Manifest(msgspec.Struct):
    """The manifest of a run or release; ``recipe``, ``seed`` and ``versions`` are None if units differ in them.

    ``notes`` are sentences about limits of the set that no run can know, ``reading`` tells who read its cases and what
    they found. ``regions`` are what ``count_regions`` finds, ``terms`` further licences of words. ``made_up`` marks a
    set from made-up dumps, such as those of the demo. Only a release has ``files``, the date ``published``, the
    ``canary``, and halves that are ``held`` or ``opened``.
    """

    recipe: dict[str, Any] | None = None
    seed: int | None = None
    versions: dict[str, str] | None = None
    stages: dict[str, ManifestStage] = {}
    files: dict[str, ManifestFile] = {}
    published: str = ""
    notes: list[str] = []
    reading: str = ""
    regions: dict[str, dict[str, int]] = {}
    terms: list[Terms] = []
    made_up: bool = False
    canary: str = ""
    held: HeldHalf | None = None
    opened: list[OpenedHalf] = []


class Share(NamedTuple):
    """A share from 0 to 1, with both ends of its interval."""

    value: float
    low: float
    high: float


# What says nothing of a guesser that ignores meaning: the score of a guess, and one that knows what items are.
CHANCE, ODD_TYPE = "chance", "odd type"


class LanguageFacts(msgspec.Struct):
    """Count the groups, test cases and words of one language, or of one mix of languages.

    ``words`` counts words of groups by language and source, ``foreign`` labels by their language code if it is not the
    group's, ``sizes`` groups by number of words in the cluster, ``outliers`` test cases by outlier class, ``rejected``
    classes without a group by reason. ``certificates`` counts those of outliers, ``levels`` groups by level.
    ``baselines`` are the accuracies of guessers that ignore meaning.
    """

    code: str
    groups: int
    cases: int
    rejected: Mapping[str, int]
    baselines: Mapping[str, Share | None]
    words: Mapping[tuple[str, str], int]
    foreign: Mapping[str, int]
    sizes: Mapping[int, int]
    outliers: Mapping[int, int]
    certificates: int
    levels: Mapping[str, int]

    @property
    def spoken(self) -> tuple[str, ...]:
        """The languages of the words: one, or those that are mixed."""
        return tuple(sorted({code for code, _ in self.words})) or (self.code,)

    @property
    def better_guessers(self) -> list[str]:
        """The guessers that are better than chance beyond doubt: their whole intervals are above that of chance."""
        if (chance := self.baselines.get(CHANCE)) is None:
            return []
        known = {name: share for name, share in self.baselines.items() if share is not None and name != ODD_TYPE}
        return [name for name, share in known.items() if share.low > chance.high]


def language_facts(
    code: str, groups: Sequence[Group], rejections: Sequence[Rejection], baselines: Mapping[str, Share | None]
) -> LanguageFacts:
    """Count the groups of one language, their words and test cases, and its rejected classes; keys are sorted.

    ``words`` are counted by language, by default ``code``, and source: "anchor", "label", "title", or "" if unknown.
    ``foreign`` counts labels that are not of the group's language.
    """

    def count(values: Iterable[Any]) -> dict[Any, int]:
        return dict(sorted(Counter(values).items()))

    members = [member for group in groups for member in group.members]
    outliers = [outlier for group in groups for outlier in group.outliers]
    return LanguageFacts(
        code,
        groups=len(groups),
        cases=len(outliers),
        rejected=count(rejection.reason for rejection in rejections),
        baselines=baselines,
        words=count((member.language or code, member.source or "") for member in members),
        foreign=count(member.label_language for member in members if member.label_language),
        sizes=count(len(group.cluster) for group in groups),
        outliers=count(outlier.of_class.number for outlier in outliers),
        certificates=sum(outlier.certificate is not None for outlier in outliers),
        levels=count(group.level for group in groups if group.level),
    )


# The regions of M49, in the order of the card; Antarctica has no country.
REGIONS: Final = ("Africa", "Americas", "Asia", "Europe", "Oceania")
# Of a member without a country that is known, and of one with countries in several regions.
NOWHERE: Final = ""
SEVERAL: Final = "several"


def count_regions(
    groups: Mapping[str, Sequence[Group]], countries: Mapping[str, Collection[str]]
) -> dict[str, dict[str, int]]:
    """Count members of clusters by language and region of M49; empty if no country of any member is known.

    ``countries`` has the QIDs of the countries (P17) of each item. A member that is a country itself counts for its
    region; one without any region counts for ``NOWHERE``, one with more than one for ``SEVERAL``.
    """
    if not any(countries.values()):
        return {}
    lines = resources(__package__).joinpath("countries.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if not line.startswith("#")]
    region_of = {item: region for item, _, _, region in rows[1:]}
    counted: dict[str, dict[str, int]] = {}
    for code, of_language in groups.items():
        counts = Counter[str]()
        for member in (member for group in of_language for member in group.cluster):
            items = (member.id, *countries.get(member.id, ()))
            regions = {region_of[item] for item in items if item in region_of}
            counts[SEVERAL if len(regions) > 1 else next(iter(regions), NOWHERE)] += 1
        counted[code] = dict(sorted(counts.items()))
    return counted


class ModelScore(NamedTuple):
    """A model's scores in one language, each a share with the ends of its interval, or None if it has none."""

    model: str
    language: str
    cases: int
    opp: Share | None
    accuracy: Share | None


class Maker(NamedTuple):
    """The maintainer of a release: a name, an e-mail address or web page, and the release's name on the Hub."""

    name: str = ""
    contact: str = ""
    repository: str = ""


class ReleaseFacts(Manifest):
    """All facts in the texts of a release: those of its manifest, and what its groups and files say.

    ``extras`` are the languages with category sets, analogies or walls, by kind. ``spreads`` are the number of known
    values and their five quartiles, for "coherence" and for the margins of each outlier class. ``example`` is a row of
    test cases. ``walls`` counts walls by language and tier, ``names`` rows of the tables of names by language.
    ``split`` has the numbers of test cases and of few-shot cases by language. ``changes`` has, by language, the numbers
    of the card's table of changes since version ``since``. ``lacking`` counts, by language, the classes without an
    English group, empty if there are no English ones.
    """

    recipe: dict[str, Any] = {}
    seed: int = 0
    versions: dict[str, str] = {}
    languages: Sequence[LanguageFacts] = ()
    maker: Maker = Maker()
    extras: Mapping[str, tuple[str, ...]] = {}
    spreads: Mapping[str, tuple[int, Sequence[float]]] = {}
    models: Sequence[ModelScore] = ()
    example: Mapping[str, Any] = {}
    walls: Mapping[str, Mapping[str, int]] = {}
    names: Mapping[str, int] = {}
    split: Mapping[str, tuple[int, int]] = {}
    since: str = ""
    changes: Mapping[str, Sequence[int]] = {}
    lacking: Mapping[str, int] = {}

    @property
    def name(self) -> str:
        """The name of the set, from its recipe."""
        recipe = str(self.recipe.get("name", "wikisem"))
        return recipe if "wikisem" in recipe.lower() else f"wikisem-{recipe}"

    @property
    def filled(self) -> tuple[LanguageFacts, ...]:
        """The languages with groups, which are those with files."""
        return tuple(language for language in self.languages if language.groups)

    @property
    def shots(self) -> dict[str, int]:
        """The number of few-shot cases of each language that has any."""
        return {code: shots for code, (_, shots) in self.split.items() if shots}

    @property
    def shown(self) -> str:
        """The language of examples: English, that of the card, or else that with the most test cases."""
        return max(self.filled, key=lambda language: (language.code == "en", language.cases)).code

    @property
    def spoken(self) -> tuple[str, ...]:
        """The languages of all words."""
        return tuple(sorted({code for language in self.filled for code in language.spoken}))

    @property
    def cases(self) -> int:
        """The number of test cases in all languages."""
        return sum(language.cases for language in self.languages)

    def total(self, counts: str) -> Counter[Any]:
        """Sum one field of counts over all languages, such as "sizes" or "outliers"."""
        found: Counter[Any] = Counter()
        for language in self.filled:
            found.update(getattr(language, counts))
        return found

    def by_source(self) -> dict[str, int]:
        """Count the words of all languages by source, without sources that no word has."""
        words = self.total("words").items()
        counts = {source: sum(count for (_, of), count in words if of == source) for source in WORD_SOURCES}
        return {source: count for source, count in counts.items() if count}

    @property
    def linked(self) -> tuple[str, ...]:
        """The languages with words that are anchors of links."""
        words = self.total("words")
        return tuple(code for code in self.spoken if words[code, ANCHOR])

    @property
    def credited(self) -> tuple[str, ...]:
        """The languages of the Wikipedias from which words of groups or names were taken; empty for made-up ones."""
        return () if self.made_up else tuple(sorted({*self.linked, *self.names}))

    @property
    def licence(self) -> Licence:
        """The licence of Wikipedia if words were taken from its articles, else that of Wikidata."""
        return CC_BY_SA if self.credited else CC0

    @property
    def spdx(self) -> str:
        """The SPDX expression of all licences that apply, each to some of the content."""
        return " AND ".join([self.licence.spdx, *(one.spdx for one in self.terms)])

    @property
    def sources(self) -> list[tuple[str, Source]]:
        """The files that were read, each after the language of its Wikipedia, or after "" if it is of Wikidata."""
        return [(unit.partition("/")[2], source) for unit, stage in self.stages.items() for source in stage.inputs]

    def dumps(self, language: str) -> list[Source]:
        """The files of a language's Wikipedia, or of Wikidata for ""."""
        return [source for code, source in self.sources if code == language]

    def linked_pages(self, language: str) -> LinkedPages | None:
        """The pages that links of a language's Wikipedia lead to; None if no stage has counted them."""
        stage = self.stages.get(f"surfaces/{language}")
        return stage.linked_pages if stage else None

    @property
    def odd_type(self) -> list[str]:
        """The lowest and the highest share of cases of a language that coarse types solve, in percent, if known."""
        shares = [share.value for language in self.filled if (share := language.baselines.get(ODD_TYPE))]
        return [f"{100 * end:.1f}" for end in (min(shares), max(shares))] if shares else []

    def option(self, table: str, key: str) -> Any:
        """Look up a key in a table of the recipe; None if the manifest does not have it."""
        return (self.recipe.get(table) or {}).get(key)

    @property
    def newest(self) -> str:
        """The date of the newest dump, empty if no date is known."""
        return max((source.day for _, source in self.sources), default="")

    @property
    def version(self) -> str:
        """The date of the newest dump as a version, such as 2026.11.1; without a date, the version of wikisem."""
        if not self.newest:
            return self.versions["wikisem"]
        return ".".join(str(int(part)) for part in self.newest.split("-"))

    def metadata(self) -> dict[str, str]:
        """The key-value metadata of every Parquet file of the release."""
        return {
            "wikisem.recipe": orjson.dumps(self.recipe, option=orjson.OPT_SORT_KEYS).decode(),
            "wikisem.seed": str(self.seed),
            "wikisem.versions": orjson.dumps(self.versions, option=orjson.OPT_SORT_KEYS).decode(),
            "wikisem.license": self.spdx if self.terms else self.spdx.lower(),  # as the card of the Hub has it
            **({"wikisem.canary": self.canary} if self.canary else {}),
        }


def read_facts(manifest: Manifest, languages: Sequence[LanguageFacts], published: str, **more: Any) -> ReleaseFacts:
    """Collect the facts of a release from the manifest of a run, the counts of its languages, and ``more`` fields.

    Fields in ``more`` replace those of the manifest. Stages of other languages are left out, and so are folders of
    inputs and addresses that are not on the Web. DamagedInputError if groups differ in recipe, seed or versions.
    """
    recipe, seed, versions = manifest.recipe, manifest.seed, manifest.versions
    if recipe is None or seed is None or versions is None:
        missing = [key for key in ("recipe", "seed", "versions") if getattr(manifest, key) is None]
        raise DamagedInputError(
            f"manifest.json: expected one {' and '.join(missing)} for all groups, saw several: build every language "
            "with the same recipe, seed and versions first"
        )
    # A stage is of no language (""), such as "entities", or of one, such as "surfaces/de".
    kept_languages = {"", *(code for language in languages for code in (language.code, *language.spoken))}
    stages = {}
    for unit, stage in sorted(manifest.stages.items()):
        if unit.partition("/")[2] in kept_languages:
            # A stage keeps only a recipe that differs from the run's.
            other_recipe = None if stage.recipe == recipe else stage.recipe
            inputs = []
            for source in stage.inputs:
                origin = source.origin if source.origin.url.startswith(("https://", "http://")) else Origin()
                inputs.append(msgspec.structs.replace(source, name=source.name.rpartition("/")[2], origin=origin))
            stages[unit] = msgspec.structs.replace(stage, inputs=inputs, recipe=other_recipe)
    fields = msgspec.structs.asdict(manifest) | {"canary": "", "languages": languages, "published": published}
    return ReleaseFacts(**{**fields, **more, "stages": stages})


def manifest_json(facts: ReleaseFacts, files: Mapping[str, ManifestFile]) -> bytes:
    """Encode the manifest of a release, from which the same facts are read again."""
    found = {name: files if name == "files" else getattr(facts, name) for name in Manifest.__struct_fields__}
    values = with_checksum(msgspec.to_builtins(found))
    return orjson.dumps(values, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
