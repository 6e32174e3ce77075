"""The facts of a release, all of them from the manifest of a run, its groups, and what its maintainer says."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec
import orjson

from wikisem.errors import DamagedInputError
from wikisem.records import Group, Rejection
from wikisem.typed_json import with_checksum
from wikisem.wikipedia.data.iso_639 import iso_639
from wikisem.wikis import date_in_name

# Where a surface form comes from, in the order in which texts name them.
ANCHOR, LABEL, TITLE = WORD_SOURCES = ("anchor", "label", "title")


@dataclass(frozen=True, slots=True)
class Licence:
    """A licence: its identifier in SPDX, what people call it, and where its text is."""

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


# What a run says of itself.


class ManifestOrigin(msgspec.Struct, omit_defaults=True):
    """Where an input came from, as far as it is known."""

    url: str = ""


class ManifestInput(msgspec.Struct, omit_defaults=True):
    """A file of a dump that a unit read."""

    path: str
    size: int
    sha256: str = ""
    origin: ManifestOrigin = msgspec.field(default_factory=ManifestOrigin)
    date: str = ""


class LinkedPages(msgspec.Struct):
    """The pages that links and the sitelinks of items lead to, and how many of them, and of the best linked, lack."""

    linked: int = 0
    missing: int = 0
    best_linked: int = 0
    best_missing: int = 0
    best_missing_titles: list[str] = []


class PublicTables(msgspec.Struct):
    """What the public tables of Wikidata that a run read in place of the dump do not have."""

    lacks: list[str] = []


class ManifestStage(msgspec.Struct, omit_defaults=True):
    """What a release says of a finished unit; ``english_labels`` are classes whose label is English for want of one.

    ``highest_item`` is that of the dump of Wikidata, 0 where no record has it. ``recipe`` is its own where it has one;
    in a release, where it is not that of the run.
    """

    inputs: list[ManifestInput] = []
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


class Manifest(msgspec.Struct):
    """The manifest of a run, as far as a release depends on it; what units do not have in common is not set.

    That of a release also lists its other files, has its date, and names inputs without their folders. ``notes`` are
    sentences about the limits of the set that no run can know, ``reading`` says who read its cases, and what was found.
    ``made_up`` marks a set from dumps that were made up, as those of the demo are.
    """

    recipe: dict[str, Any] | None = None
    seed: int | None = None
    versions: dict[str, str] | None = None
    stages: dict[str, ManifestStage] = {}
    files: dict[str, ManifestFile] = {}
    published: str = ""
    notes: list[str] = []
    reading: str = ""
    made_up: bool = False


# The facts.


@dataclass(frozen=True, slots=True)
class Source:
    """A file of a dump: ``language`` is empty for Wikidata; ``url``, ``sha256`` and ``date`` are empty where unknown.

    ``date`` is YYYY-MM-DD, of the record of its download or else of its name.
    """

    name: str
    size: int
    language: str = ""
    url: str = ""
    sha256: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class LanguageFacts:
    """What there is in one language, or in one mix of languages: groups and test cases, and where words come from.

    ``words`` counts the words of groups by language and source, ``foreign`` the labels in the language of another code
    than the group's. ``sizes`` counts groups by their words in the cluster, ``outliers`` test cases by outlier class,
    ``rejected`` classes without a group by reason. ``baselines`` says how often somebody is right who knows nothing of
    meaning: shares with the ends of their intervals.
    """

    code: str
    groups: int
    cases: int
    rejected: Mapping[str, int] = field(default_factory=dict)
    baselines: Mapping[str, tuple[float, float, float] | None] = field(default_factory=dict)
    words: Mapping[tuple[str, str], int] = field(default_factory=dict)
    foreign: Mapping[str, int] = field(default_factory=dict)
    sizes: Mapping[int, int] = field(default_factory=dict)
    outliers: Mapping[int, int] = field(default_factory=dict)

    @property
    def spoken(self) -> tuple[str, ...]:
        """The languages of its words: one, or those that are mixed."""
        return tuple(sorted({code for code, _ in self.words})) or (self.code,)

    def by_source(self) -> Counter[str]:
        """Its words by source."""
        found: Counter[str] = Counter()
        for (_, source), count in self.words.items():
            found[source] += count
        return found


def language_facts(
    code: str,
    groups: Sequence[Group],
    rejections: Sequence[Rejection],
    baselines: Mapping[str, tuple[float, float, float] | None],
) -> LanguageFacts:
    """The facts of the groups and the rejected classes of one language."""
    members = [one for group in groups for one in (*group.cluster, *group.outliers)]
    outliers = Counter(one.outlier_class for group in groups for one in group.outliers)
    return LanguageFacts(
        code,
        len(groups),
        outliers.total(),
        dict(sorted(Counter(rejection.reason for rejection in rejections).items())),
        baselines,
        dict(sorted(Counter((one.language or code, one.source) for one in members).items())),
        dict(sorted(Counter(one.label_language for one in members if one.label_language).items())),
        dict(sorted(Counter(len(group.cluster) for group in groups).items())),
        dict(sorted(outliers.items())),
    )


@dataclass(frozen=True, slots=True)
class ModelScore:
    """A model's scores in one language, in percent, each with the ends of its interval where there is one."""

    model: str
    language: str
    cases: int
    opp: tuple[float | None, float | None, float | None]
    accuracy: tuple[float | None, float | None, float | None]


@dataclass(frozen=True, slots=True)
class Maker:
    """Who answers for a release: a name, an e-mail address or web page, its name on the Hub; empty where not said."""

    name: str = ""
    contact: str = ""
    repository: str = ""


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    """All facts in the texts of a release.

    ``stages`` has what each unit of the run read and kept. ``extras`` are languages with category sets or analogies.
    ``spreads`` has of "coherence" and of the margins of each outlier class, where any is known, how many are, and five
    quartiles. ``example`` is a row of test cases. ``walls`` counts walls by language and tier, ``names`` the
    rows of tables of names by language. ``changes`` are the numbers of ``card.CHANGES`` by language, ``since`` is the
    version of the set before. ``notes``, ``reading`` and ``made_up`` are those of the manifest.
    """

    recipe: Mapping[str, Any]
    seed: int
    versions: Mapping[str, str]
    sources: tuple[Source, ...]
    languages: tuple[LanguageFacts, ...]
    published: str
    maker: Maker = Maker()
    extras: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    spreads: Mapping[str, tuple[int, Sequence[float]]] = field(default_factory=dict)
    stages: Mapping[str, ManifestStage] = field(default_factory=dict)
    models: Sequence[ModelScore] = ()
    example: Mapping[str, Any] = field(default_factory=dict)
    walls: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    names: Mapping[str, int] = field(default_factory=dict)
    since: str = ""
    changes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    notes: Sequence[str] = ()
    reading: str = ""
    made_up: bool = False

    @property
    def name(self) -> str:
        """The name of the set, from its recipe."""
        recipe = str(self.recipe.get("name", "wikisem"))
        return recipe if "wikisem" in recipe.lower() else f"wikisem-{recipe}"

    @property
    def repository(self) -> str:
        """Its name on the Hub, empty if it has none."""
        return self.maker.repository

    @property
    def filled(self) -> tuple[LanguageFacts, ...]:
        """The languages that have groups: only these have files."""
        return tuple(language for language in self.languages if language.groups)

    @property
    def largest(self) -> str:
        """The language with the most test cases, which examples are in."""
        return max(self.filled, key=lambda language: language.cases).code

    @property
    def spoken(self) -> tuple[str, ...]:
        """The languages of all words."""
        return tuple(sorted({code for language in self.filled for code in language.spoken}))

    @property
    def iso_codes(self) -> list[str]:
        """The languages by their codes in ISO 639, each once."""
        return sorted({iso_639(code) for code in self.spoken})

    @property
    def cases(self) -> int:
        """Test cases in all languages."""
        return sum(language.cases for language in self.languages)

    def total(self, counts: str) -> Counter[Any]:
        """The sum over all languages of one kind of counts, such as "sizes" or "outliers"."""
        found: Counter[Any] = Counter()
        for language in self.filled:
            found.update(getattr(language, counts))
        return found

    def by_source(self) -> dict[str, int]:
        """The words of all languages by source, without sources that no word has."""
        found = sum((language.by_source() for language in self.filled), Counter[str]())
        return {source: found[source] for source in WORD_SOURCES if found[source]}

    @property
    def linked(self) -> tuple[str, ...]:
        """The languages with words that are anchors of links."""
        words = self.total("words")
        return tuple(code for code in self.spoken if words[code, ANCHOR])

    @property
    def credited(self) -> tuple[str, ...]:
        """The languages of the Wikipedias that words of groups or names were taken from; none if they are made up."""
        return () if self.made_up else tuple(sorted({*self.linked, *self.names}))

    @property
    def licence(self) -> Licence:
        """That of Wikipedia where words were taken from its articles, else that of Wikidata."""
        return CC_BY_SA if self.credited else CC0

    def dumps(self, language: str) -> tuple[Source, ...]:
        """The files of a language's Wikipedia; of Wikidata for ""."""
        return tuple(source for source in self.sources if source.language == language)

    def option(self, table: str, key: str) -> Any:
        """The value of a key in a table of the recipe; None if the manifest does not have it."""
        return (self.recipe.get(table) or {}).get(key)

    @property
    def newest(self) -> str:
        """The date of the newest dump, empty if no date is known."""
        return max((source.date for source in self.sources), default="")

    @property
    def version(self) -> str:
        """The date of the newest dump as a version: 2026.11.1; of dumps without a date, that of wikisem."""
        if not self.newest:
            return self.versions["wikisem"]
        return ".".join(str(int(part)) for part in self.newest.split("-"))

    def metadata(self) -> dict[str, str]:
        """What every Parquet file carries about itself, as the keys and values of its metadata."""
        return {
            "wikisem.recipe": orjson.dumps(self.recipe, option=orjson.OPT_SORT_KEYS).decode(),
            "wikisem.seed": str(self.seed),
            "wikisem.versions": orjson.dumps(self.versions, option=orjson.OPT_SORT_KEYS).decode(),
            "wikisem.license": self.licence.spdx.lower(),
        }


def read_facts(manifest: Manifest, languages: Sequence[LanguageFacts], published: str, **more: Any) -> ReleaseFacts:
    """The facts in a run's manifest and ``more`` of ReleaseFacts; DamagedInputError if groups were made in many ways.

    Of the stages only those of the set's languages count: a run may have read other Wikipedias for another set.
    """
    recipe, seed, versions = manifest.recipe, manifest.seed, manifest.versions
    if recipe is None or seed is None or versions is None:
        common = {"recipe": recipe, "seed": seed, "versions": versions}
        missing = [key for key, value in common.items() if value is None]
        raise DamagedInputError(
            f"manifest.json: expected one {' and '.join(missing)} for all groups, saw several: build every language "
            "with the same recipe, seed and versions first"
        )
    read = {"", *(code for language in languages for code in (language.code, *language.spoken))}
    stages = {unit: stage for unit, stage in sorted(manifest.stages.items()) if unit.partition("/")[2] in read}
    sources = tuple(_source(one, unit.partition("/")[2]) for unit, stage in stages.items() for one in stage.inputs)
    more |= {"stages": stages, "notes": manifest.notes, "reading": manifest.reading, "made_up": manifest.made_up}
    return ReleaseFacts(recipe, seed, versions, sources, tuple(languages), published, **more)


def _source(one: ManifestInput, language: str) -> Source:
    name = one.path.rpartition("/")[2]
    date = date_in_name(one.date) or date_in_name(name)
    return Source(name, one.size, language, _web_address(one.origin.url), one.sha256, date)


def manifest_json(facts: ReleaseFacts, files: Mapping[str, ManifestFile]) -> bytes:
    """The manifest of a release, from which the same facts are read again, with no folder of a machine."""

    def named(stage: ManifestStage) -> ManifestStage:
        inputs = [
            ManifestInput(
                one.path.rpartition("/")[2],
                one.size,
                one.sha256,
                ManifestOrigin(_web_address(one.origin.url)),
                one.date,
            )
            for one in stage.inputs
        ]
        own = None if stage.recipe == facts.recipe else stage.recipe
        return msgspec.structs.replace(stage, inputs=inputs, recipe=own)

    stages = {unit: named(stage) for unit, stage in facts.stages.items()}
    own = facts.published, [*facts.notes], facts.reading, facts.made_up
    manifest = Manifest(dict(facts.recipe), facts.seed, dict(facts.versions), stages, dict(files), *own)
    values = with_checksum(msgspec.to_builtins(manifest))
    return orjson.dumps(values, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def _web_address(url: str) -> str:
    """The URL, if it is one that leads to the web."""
    return url if url.startswith(("https://", "http://")) else ""


def package_name(facts: ReleaseFacts) -> str:
    """The name of a release as a Python package: "wikisem_demo_set", which is never the name of this library."""
    letters = re.sub("[^a-z0-9]+", "_", facts.name.lower()).strip("_")
    return f"{letters if letters.startswith('wikisem') else f'wikisem_{letters}'}_set"


# Recipes and pyproject.toml as files.


def toml_text(tables: Mapping[str, Any]) -> str:
    """Tables, such as those of a recipe, as TOML; None, for off, is ``false``, and the key ``name`` is the first.

    >>> print(toml_text({"name": "mine", "filters": {"affix": None, "extra": {"contained": 1}}}), end="")
    name = "mine"
    <BLANKLINE>
    [filters]
    affix = false
    extra = { contained = 1 }
    """
    inner = {key: value for key, value in tables.items() if isinstance(value, Mapping)}
    first = {"name": tables["name"]} if "name" in tables else {}
    top = "".join(f"{key} = {_toml(value)}\n" for key, value in {**first, **tables}.items() if key not in inner)
    return top + "".join(
        f"\n[{name}]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in table.items())
        for name, table in inner.items()
    )


def _toml(value: Any) -> str:
    """A value in TOML: strings and numbers are as in JSON, but that DEL must be escaped."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + " }" if value else "{}"
    return orjson.dumps(False if value is None else value).decode().replace("\x7f", "\\u007f")
