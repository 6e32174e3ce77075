"""The facts of a release, and its texts for people: README.md (the data set card), LICENSE and CITATION.cff.

Facts come from the manifest of the run; sentences that are the same in every release are in words.toml. JSON strings
and lists are YAML, too.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Final
from urllib.parse import quote

import msgspec
import orjson

from wikisem.errors import DamagedInputError
from wikisem.wikipedia.data.iso_639 import iso_639

_TEXTS: Final[dict[str, Any]] = tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))
REASONS: Final[dict[str, str]] = _TEXTS.pop("reasons")
WORDS: Final[dict[str, str]] = _TEXTS
LICENSE: Final = "cc-by-sa-4.0"
LICENSE_URL: Final = "https://creativecommons.org/licenses/by-sa/4.0/"
PAPER_URL: Final = "https://arxiv.org/abs/1611.01547"
PAPER: Final = (
    "Blair, Philip, Yuval Merhav, and Joel Barry. 2016. Automated Generation of Multilingual Clusters for the "
    "Evaluation of Distributed Representations. arXiv:1611.01547."
)


# The facts: recipe, seed and versions, dumps, and how much is in it.


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
    """What there is in one language: groups, test cases, classes that gave no group by reason.

    ``baselines`` says how often who knows nothing of meaning is right: shares with the ends of their intervals.
    """

    code: str
    groups: int
    cases: int
    rejected: Mapping[str, int] = field(default_factory=dict)
    baselines: Mapping[str, tuple[float, float, float] | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReleaseFacts:
    """All facts in the texts of a release; ``repository`` is its name on the Hub, empty if it has none."""

    recipe: Mapping[str, Any]
    seed: int
    versions: Mapping[str, str]
    sources: tuple[Source, ...]
    languages: tuple[LanguageFacts, ...]
    published: str
    repository: str = ""
    extras: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # "categories" or "analogies" -> codes
    # "coherence" of groups, "margin, O1" and so on of outliers, where any is known -> how many are, and five quartiles.
    spreads: Mapping[str, tuple[int, Sequence[float]]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the set, from its recipe."""
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
    spreads: Mapping[str, tuple[int, Sequence[float]]] | None = None,
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
    return ReleaseFacts(
        recipe, seed, versions, tuple(sources), tuple(languages), published, repository, extras or {}, spreads or {}
    )


def _web_address(url: str) -> str:
    """The URL, if it is one that leads to the web."""
    return url if url.startswith(("https://", "http://")) else ""


# README.md: YAML for programs, then Markdown.

_SIZES: Final = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def card(facts: ReleaseFacts) -> str:
    """The text of README.md.

    Languages are configs and never splits: a viewer takes thousands of the former and some thirty of the latter. Every
    code is quoted, because ``no`` is False in YAML. Names of recipes, files and versions come from elsewhere: in the
    text they are escaped, so that none is taken for Markdown, HTML or the end of a cell.
    """
    head = "\n".join(["---", *_front_matter(facts), "---"])
    return "\n\n".join([head, *_text(facts)]) + "\n"


def configs(facts: ReleaseFacts) -> Iterator[tuple[str, str]]:
    """The name of every config, and the path of its file."""
    for language in facts.filled:
        yield language.code, f"groups/{language.code}.parquet"
        yield f"{language.code}-cases", f"cases/{language.code}.parquet"
    for kind, codes in facts.extras.items():
        for code in codes:
            yield f"{code}-{kind}", f"{kind}/{code}.parquet"


def _front_matter(facts: ReleaseFacts) -> Iterator[str]:
    yield f"pretty_name: {yaml_json(facts.name)}"
    yield f"license: {yaml_json(LICENSE)}"
    yield "language:"
    yield from (f"- {yaml_json(code)}" for code in facts.iso_codes)
    yield f"multilinguality: {yaml_json('multilingual' if len(facts.iso_codes) > 1 else 'monolingual')}"
    yield 'task_categories: ["multiple-choice"]'
    yield 'tags: ["outlier-detection", "odd-one-out", "word-embeddings", "lexical-semantics", "wikidata", "wikipedia"]'
    yield f"size_categories: [{yaml_json(next((word for size, word in _SIZES if facts.cases < size), '1M<n<10M'))}]"
    yield "configs:"
    for name, path in configs(facts):
        yield f"- config_name: {yaml_json(name)}"
        yield "  data_files:"
        yield f'  - split: "test"\n    path: {yaml_json(path)}'


def _text(facts: ReleaseFacts) -> Iterator[str]:
    yield f"# {_plain(facts.name)}"
    yield WORDS["description"]
    yield f"{facts.cases:,} test cases in {len(facts.filled)} languages."
    yield from _loading(facts)
    yield "## What is in it"
    yield _languages_table(facts)
    yield WORDS["columns"]
    yield "## What form and prominence give away"
    yield WORDS["baselines"]
    yield _baselines_table(facts)
    if facts.spreads:
        yield "## What statements say"
        yield WORDS["statements"]
        yield _spreads_table(facts)
    yield "## How it was made"
    yield WORDS["collection"]
    yield "\n".join(_made(facts))
    yield f"{WORDS['uses']}\n\n{WORDS['limits']}"
    yield "## Licence and citation"
    yield WORDS["licence"]
    yield (
        "Cite the paper that has the method, and this set by its name and version, "
        f"{_plain(facts.name)} {_plain(facts.version)}:"
    )
    yield f"```bibtex\n{WORDS['bibtex']}\n```"


def _loading(facts: ReleaseFacts) -> Iterator[str]:
    where = facts.repository or "FOLDER"
    first = facts.filled[0].code
    yield "## Use it"
    yield f"""```python
from datasets import load_dataset

groups = load_dataset("{where}", "{first}", split="test")        # clusters and outliers, with provenance
cases = load_dataset("{where}", "{first}-cases", split="test")   # one outlier among the cluster: choices and answer
```"""
    yield f"""In this folder:

```console
$ lm_eval --model hf --model_args pretrained=MODEL --include_path lm_eval --tasks wikisem
$ inspect eval inspect_wikisem.py -T language={first} --model MODEL
$ wikisem evaluate outliers groups --vectors VECTORS
```"""
    yield "`index.html` shows every group, from disk: open it in a browser."


def _languages_table(facts: ReleaseFacts) -> str:
    lines = ["| config | ISO 639 | groups | test cases | classes without a group |", "|---|---|---:|---:|---|"]
    lines += [
        f"| `{one.code}` | {iso_639(one.code)} | {one.groups} | {one.cases} | {_plain(reasons_of(one.rejected))} |"
        for one in facts.filled
    ]
    empty = ", ".join(f"`{one.code}`" for one in facts.languages if not one.groups)
    seen = {reason for one in facts.filled for reason in one.rejected}
    lines += ["", *(f"- `{reason}`: {means}" for reason, means in REASONS.items() if reason in seen)]
    return "\n".join(lines).rstrip() + (
        f"\n\nNo class gave a group in {empty}: there are no files for them." if empty else ""
    )


def _baselines_table(facts: ReleaseFacts) -> str:
    names = list(dict.fromkeys(name for one in facts.filled for name in one.baselines))
    lines = [f"| config | {' | '.join(names)} |", f"|---|{'---:|' * len(names)}"]
    return "\n".join(
        [
            *lines,
            *(
                f"| `{one.code}` | {' | '.join(_percent(one.baselines.get(name)) for name in names)} |"
                for one in facts.filled
            ),
        ]
    )


def _spreads_table(facts: ReleaseFacts) -> str:
    lines = ["| | number | lowest | lower quartile | median | upper quartile | highest |", f"|---|{'---:|' * 6}"]
    for name, (count, values) in facts.spreads.items():
        lines.append(f"| {name} | {count:,} | {' | '.join(f'{each:.3f}' for each in values)} |")
    return "\n".join(lines)


def _percent(share: tuple[float, float, float] | None) -> str:
    if share is None:
        return "–"
    value, low, high = (f"{100 * each:.1f}" for each in share)
    return value if low == high else f"{value} ({low} to {high})"


def reasons_of(rejected: Mapping[str, int]) -> str:
    """Reasons and how many classes each has, most frequent first: "affix 3, few-outliers 1"."""
    return ", ".join(f"{reason} {count}" for reason, count in Counter(rejected).most_common())


def _made(facts: ReleaseFacts) -> Iterator[str]:
    yield "| | |\n|---|---|"
    yield f"| recipe | {_code(str(facts.recipe.get('name', '')))}, seed {facts.seed} |"
    yield from (f"| {_plain(name)} | {_plain(version)} |" for name, version in sorted(facts.versions.items()))
    yield from (f"| {_source_kind(source)} | {_source(source)} |" for source in facts.sources)


def _source_kind(source: Source) -> str:
    return f"Wikipedia, {_plain(source.language)}" if source.language else "Wikidata"


def _source(source: Source) -> str:
    name = f"[{_plain(source.name)}]({quote(source.url, _URL)})" if source.url else _code(source.name)
    return f"{name}, {source.size:,} bytes" + (f", SHA-256 {_code(source.sha256)}" if source.sha256 else "")


# LICENSE and CITATION.cff.


def license_text(facts: ReleaseFacts) -> str:
    """Which licence, who is credited, and where its text is."""
    credited = []
    for language in facts.filled:
        dump = ", ".join(source.name for source in facts.sources if source.language == language.code)
        credited.append(f"- https://{language.code}.wikipedia.org/" + (f" ({dump})" if dump else ""))
    head = [f"{facts.name} {facts.version}", "", WORDS["attribution"], ""]
    return "\n".join([*head, *credited, "", WORDS["changes"], ""])


def citation(facts: ReleaseFacts) -> str:
    """CITATION.cff, by version 1.2.0 of its schema."""
    lines = {
        "cff-version": "1.2.0",
        "type": "dataset",
        "title": facts.name,
        "version": facts.version,
        "date-released": facts.published,
        "license": "CC-BY-SA-4.0",
        "message": "If you use this data set, cite it and the paper that has its method.",
        "abstract": WORDS["description"],
        "authors": [{"name": "The wikisem authors"}],
        "preferred-citation": {
            "type": "article",
            "title": (
                "Automated Generation of Multilingual Clusters for the Evaluation of Distributed Representations"
            ),
            "authors": [
                {"family-names": family, "given-names": given}
                for family, given in (("Blair", "Philip"), ("Merhav", "Yuval"), ("Barry", "Joel"))
            ],
            "year": 2016,
            "url": PAPER_URL,
        },
    }
    return "".join(f"{key}: {yaml_json(value)}\n" for key, value in lines.items())


# Strings from elsewhere, in YAML and in Markdown.

_UNPRINTED: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def yaml_json(value: Any) -> str:
    """A value as JSON that is YAML, too: what YAML does not print is escaped."""
    return _UNPRINTED.sub(lambda found: f"\\u{ord(found[0]):04x}", orjson.dumps(value).decode())


# What Markdown, its tables and HTML give a meaning to; dots and dashes within a name have none.
_SPECIAL: Final = re.compile(r"[\\`*_{}\[\]()<>#+!|~$&:@^]")
_CODE: Final = re.compile(r"[\w.,:+ -]+")
_URL: Final = "/:?#@!$&*+,;=%~"


def _plain(text: str) -> str:
    """A string on one line of Markdown that is read as it is: ASCII punctuation may always be escaped."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))


def _code(text: str) -> str:
    """The same as code, unless it has characters that must be escaped."""
    return f"`{text}`" if _CODE.fullmatch(text) else _plain(text)
