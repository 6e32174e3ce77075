"""What a release says about itself: which recipe, seed and versions made it, from which dumps, how much is in it."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec
import orjson

from wikisem.errors import DamagedInputError
from wikisem.wikipedia.data.iso_639 import iso_639

LICENSE: Final = "cc-by-sa-4.0"
LICENSE_URL: Final = "https://creativecommons.org/licenses/by-sa/4.0/"
_UNPRINTED: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
PAPER: Final = (
    "Blair, Philip, Yuval Merhav, and Joel Barry. 2016. Automated Generation of Multilingual Clusters for the "
    "Evaluation of Distributed Representations. arXiv:1611.01547."
)


@dataclass(frozen=True, slots=True)
class Source:
    """A file of a dump: ``language`` is empty for Wikidata; ``url`` and ``sha256`` are empty where unknown."""

    name: str
    size: int
    language: str = ""
    url: str = ""
    sha256: str = ""

    @property
    def date(self) -> str:
        """The date in the file's name as YYYY-MM-DD; empty without one.

        >>> Source("dewiki-20261101-pages-articles.xml.bz2", 1).date
        '2026-11-01'
        """
        found = re.search(r"-(20\d\d)-?([01]\d)-?([0-3]\d)-", self.name)
        return "-".join(found.groups()) if found else ""


@dataclass(frozen=True, slots=True)
class LanguageFacts:
    """What there is in one language: groups, test cases, classes that gave no group by reason."""

    code: str
    groups: int
    cases: int
    rejected: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    """All that the texts of a release are made from; ``repository`` is its name on the Hub, empty if it has none."""

    recipe: Mapping[str, Any]
    seed: int
    versions: Mapping[str, str]
    sources: tuple[Source, ...]
    languages: tuple[LanguageFacts, ...]
    published: str
    repository: str = ""
    extras: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # "categories" or "analogies" -> codes

    @property
    def name(self) -> str:
        """What people call the set: by its recipe."""
        recipe = str(self.recipe.get("name", "wikisem"))
        return recipe if "wikisem" in recipe.lower() else f"wikisem-{recipe}"

    @property
    def filled(self) -> tuple[LanguageFacts, ...]:
        """The languages that have groups: only these have files."""
        return tuple(language for language in self.languages if language.groups)

    @property
    def iso_codes(self) -> list[str]:
        """The languages by their codes in ISO 639, each once."""
        return sorted({iso_639(language.code) for language in self.filled})

    @property
    def cases(self) -> int:
        """Test cases in all languages."""
        return sum(language.cases for language in self.languages)

    @property
    def version(self) -> str:
        """The date of the newest dump as a version: 2026.11.1; of dumps without a date, that of wikisem."""
        newest = max((source.date for source in self.sources), default="")
        return ".".join(str(int(part)) for part in newest.split("-")) if newest else self.versions["wikisem"]

    def metadata(self) -> dict[str, str]:
        """What every Parquet file carries about itself, as the keys and values of its metadata."""
        return {
            "wikisem.recipe": orjson.dumps(self.recipe, option=orjson.OPT_SORT_KEYS).decode(),
            "wikisem.seed": str(self.seed),
            "wikisem.versions": orjson.dumps(self.versions, option=orjson.OPT_SORT_KEYS).decode(),
            "wikisem.license": LICENSE,
        }


class ManifestOrigin(msgspec.Struct):
    """Where an input came from, as far as it is known."""

    url: str = ""


class ManifestInput(msgspec.Struct):
    """A file of a dump that a unit read."""

    path: str
    size: int
    sha256: str = ""
    origin: ManifestOrigin = msgspec.field(default_factory=ManifestOrigin)


class ManifestStage(msgspec.Struct):
    """What a release says of a finished unit; ``english_labels`` are classes whose label is English for want of one."""

    inputs: list[ManifestInput] = []
    english_labels: list[str] = []


class Manifest(msgspec.Struct):
    """The manifest of a run, as far as a release depends on it; what units do not have in common is not set."""

    recipe: dict[str, Any] | None = None
    seed: int | None = None
    versions: dict[str, str] | None = None
    stages: dict[str, ManifestStage] = {}


def read_facts(
    manifest: Manifest,
    languages: Sequence[LanguageFacts],
    published: str,
    repository: str = "",
    extras: Mapping[str, tuple[str, ...]] | None = None,
) -> ReleaseFacts:
    """The facts in a run's manifest; DamagedInputError if its groups were made in different ways."""
    recipe, seed, versions = manifest.recipe, manifest.seed, manifest.versions
    if recipe is None or seed is None or versions is None:
        common = {"recipe": recipe, "seed": seed, "versions": versions}
        missing = [key for key, value in common.items() if value is None]
        raise DamagedInputError(
            f"manifest.json: expected one {' and '.join(missing)} for all groups, saw several: build every language "
            "with the same recipe, seed and versions first"
        )
    sources = [
        Source(one.path.rpartition("/")[2], one.size, unit.partition("/")[2], _web_address(one.origin.url), one.sha256)
        for unit, stage in sorted(manifest.stages.items())
        for one in stage.inputs
    ]
    return ReleaseFacts(recipe, seed, versions, tuple(sources), tuple(languages), published, repository, extras or {})


def _web_address(url: str) -> str:
    """The URL, if it is one that leads to the web."""
    return url if url.startswith(("https://", "http://")) else ""


def yaml_json(value: Any) -> str:
    """A value as JSON that is YAML, too: what YAML does not print is escaped."""
    return _UNPRINTED.sub(lambda found: f"\\u{ord(found[0]):04x}", orjson.dumps(value).decode())


def reasons_of(rejected: Mapping[str, int]) -> str:
    """Reasons and how many classes each has, most frequent first: "affix 3, few-outliers 1"."""
    return ", ".join(f"{reason} {count}" for reason, count in Counter(rejected).most_common())
