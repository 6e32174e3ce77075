"""What a release says about itself: which recipe, seed and versions made it, from which dumps, how much is in it."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from wikisem.errors import DamagedInputError
from wikisem.wikipedia.data.iso_639 import iso_639

LICENSE: Final = "cc-by-sa-4.0"
LICENSE_URL: Final = "https://creativecommons.org/licenses/by-sa/4.0/"
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


def read_facts(
    manifest: Mapping[str, Any],
    languages: Sequence[LanguageFacts],
    published: str,
    repository: str = "",
    extras: Mapping[str, tuple[str, ...]] | None = None,
) -> ReleaseFacts:
    """The facts in a run's manifest; DamagedInputError if it is none, or its groups were made in different ways."""
    missing = [key for key in ("recipe", "seed", "versions") if key not in manifest]
    if missing:
        raise DamagedInputError(
            f"manifest.json: expected one {' and '.join(missing)} for all groups, saw several: build every language "
            "with the same recipe, seed and versions first"
        )
    try:
        sources = [
            Source(_file_name(one), int(one["size"]), unit.partition("/")[2], _origin(one, "url"), str(one["sha256"]))
            for unit, stage in sorted(manifest.get("stages", {}).items())
            for one in stage.get("inputs", [])
        ]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamagedInputError(
            f"manifest.json: expected the inputs of each stage, saw {type(error).__name__}: {error}"
        ) from error
    return ReleaseFacts(
        recipe=manifest["recipe"],
        seed=int(manifest["seed"]),
        versions=manifest["versions"],
        sources=tuple(sources),
        languages=tuple(languages),
        published=published,
        repository=repository,
        extras=extras or {},
    )


def _file_name(described: Mapping[str, Any]) -> str:
    """The name without the folder: where it was on the machine of the run concerns nobody."""
    return str(described["path"]).rpartition("/")[2]


def _origin(described: Mapping[str, Any], key: str) -> str:
    return str((described.get("origin") or {}).get(key, ""))


def reasons_of(rejected: Mapping[str, int]) -> str:
    """Reasons and how many classes each has, most frequent first: "affix 3, few-outliers 1"."""
    return ", ".join(f"{reason} {count}" for reason, count in Counter(rejected).most_common())
