"""The texts of a release for people: README.md (the data set card), LICENSE and CITATION.cff.

Each section of the card is a function of the facts, and empty if they have nothing for it.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any, Final
from urllib.parse import quote

import orjson

from wikisem.datasets.files import CONTROLS
from wikisem.outputs.release.metadata import CC0, ManifestFile, ReleaseFacts, Source
from wikisem.outputs.release.sentences import (
    REASONS,
    TEXTS,
    biases,
    collection,
    description,
    limits,
    listed,
    made_up,
    personal,
    share,
    social_impact,
    uses,
    word_sources,
)
from wikisem.records import OUTLIER_CLASSES, RELATED, TIERS
from wikisem.wikipedia.data.iso_639 import iso_639
from wikisem.wikis import date_in_name

PAPER_URL: Final = "https://arxiv.org/abs/1611.01547"
PAPER: Final = (
    "Blair, Philip, Yuval Merhav, and Joel Barry. 2016. Automated Generation of Multilingual Clusters for the "
    "Evaluation of Distributed Representations. arXiv:1611.01547."
)
# The author in CITATION.cff and croissant.json, which must name one, if no maintainer is given.
NOBODY: Final = "anonymous"

# README.md: YAML for programs, then Markdown.

_SIZES: Final = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def card(facts: ReleaseFacts, files: Mapping[str, ManifestFile]) -> str:
    """Write the text of README.md; ``files`` are those of the release.

    Languages are configs and never splits: a viewer takes thousands of configs and some thirty splits. Every code is
    quoted, because ``no`` is False in YAML. Names of recipes, files and versions are escaped, so that none is taken for
    Markdown, HTML or the end of a cell, and control characters are removed.
    """
    head = "\n".join(["---", *_front_matter(facts, files), "---"])
    return CONTROLS.sub("", "\n\n".join([head, *filter(None, (section(facts) for section in SECTIONS))]) + "\n")


def configs(facts: ReleaseFacts) -> Iterator[tuple[str, str]]:
    """Yield the name of every config with the path or pattern of its files; the first is the default."""
    yield "cases", "cases/*.parquet"
    yield "groups", "groups/*.parquet"
    for language in facts.filled:
        yield language.code, f"groups/{language.code}.parquet"
        yield f"{language.code}_cases", f"cases/{language.code}.parquet"
    for kind, codes in facts.extras.items():
        for code in codes:
            yield f"{code}_{kind}", f"{kind}/{code}.parquet"
    for code in facts.names:
        yield f"names-{code}", f"names/{code}/*.parquet"


def _front_matter(facts: ReleaseFacts, files: Mapping[str, ManifestFile]) -> Iterator[str]:
    yield f"pretty_name: {yaml_json(facts.name)}"
    yield f"license: {yaml_json(facts.licence.spdx.lower())}"
    yield "language:"
    yield from (f"- {yaml_json(code)}" for code in facts.iso_codes)
    yield f"multilinguality: {yaml_json('multilingual' if len(facts.iso_codes) > 1 else 'monolingual')}"
    yield 'task_categories: ["multiple-choice"]'
    origins = ["wikidata", *(["wikipedia"] if facts.credited else [])]
    origins += ["synthetic"] if facts.made_up else []
    yield f"tags: {yaml_json(['outlier-detection', 'odd-one-out', 'word-embeddings', 'lexical-semantics', *origins])}"
    yield f"size_categories: [{yaml_json(next((word for size, word in _SIZES if facts.cases < size), '1M<n<10M'))}]"
    yield "configs:"
    for at, (name, path) in enumerate(configs(facts)):
        yield f"- config_name: {yaml_json(name)}"
        yield from ["  default: true"] if at == 0 else []
        # datasets 5 recognises a config in its cache by these lines alone, so they must change with the tables.
        digests = "".join(files[one].sha256 for one in sorted(files) if fnmatchcase(one, path))
        yield f"  description: {yaml_json('content ' + hashlib.sha256(digests.encode()).hexdigest())}"
        yield "  data_files:"
        yield f'  - split: "test"\n    path: {yaml_json(path)}'


def _title(facts: ReleaseFacts) -> str:
    languages = "one language" if len(facts.spoken) == 1 else f"{len(facts.spoken)} languages"
    dated = "the date of the newest dump" if facts.newest else "that of wikisem, since the date of no dump is known"
    amount = f"{facts.cases:,} test cases in {languages}, version {_plain(facts.version)}: {dated}."
    name, contact = _plain(facts.maker.name), _plain(facts.maker.contact)
    maintained = f"Maintained by {name} ({contact})." if name and contact else f"Maintained by {name or contact}."
    if not name and not contact:
        maintained = "Nobody is named as its maintainer."
    return _paragraphs(f"# {_plain(facts.name)}", description(facts), amount, maintained)


def _example(facts: ReleaseFacts) -> str:
    row = facts.example
    if not row:
        return ""
    choices = " · ".join(_plain(word) for word in row["choices"])
    return (
        f"For example, {_code(row['id'])} asks for the odd one of {choices}. All but **{_plain(row['outlier'])}** are "
        f"of the class {_plain(row['label'])} ({row['class']}); "
        f"the outlier is of a {OUTLIER_CLASSES[row['outlier_class']].kind} class."
    )


def _loading(facts: ReleaseFacts) -> str:
    where, one = facts.repository or "FOLDER", facts.largest
    return f"""## Use it

```python
from datasets import load_dataset

cases = load_dataset("{where}", split="test")  # test cases of all languages: choices and answer
cases = load_dataset("{where}", "{one}_cases", split="test")  # of one language
groups = load_dataset("{where}", "{one}", split="test")  # clusters and outliers, with provenance
```

Start these beside FOLDER, since harnesses write their logs where they are started:

```console
$ (cd FOLDER && lm_eval --model hf --model_args pretrained=MODEL --include_path lm_eval --tasks wikisem)
$ inspect eval FOLDER/inspect_wikisem.py -T language={one} --model MODEL
$ euroeval --custom-datasets-file FOLDER/euroeval_wikisem.py --dataset wikisem-{one} --zero-shot --model MODEL
$ wikisem evaluate outliers FOLDER --vectors VECTORS
```

`index.html` shows every group, from disk: open it in a browser."""


def _contents(facts: ReleaseFacts) -> str:
    rows = [
        f"| `{one.code}` | {', '.join(sorted({iso_639(code) for code in one.spoken}))} | {one.groups} | {one.cases} "
        f"| {_plain(reasons_of(one.rejected))} |"
        for one in facts.filled
    ]
    table = _table(["config", "ISO 639", "groups", "test cases", "classes without a group"], "llrrl", rows)
    seen = {reason for one in facts.filled for reason in one.rejected}
    reasons = "\n".join(f"- `{reason}`: {means}" for reason, means in REASONS.items() if reason in seen)
    empty = ", ".join(f"`{one.code}`" for one in facts.languages if not one.groups)
    without = f"No class gave a group in {empty}: there are no files for them." if empty else ""
    extras = "\n".join(
        f"`<code>_{kind}` for {', '.join(f'`{code}`' for code in codes)}: what `wikisem categories` wrote beside the "
        "groups; the manifest does not say by which recipe."
        for kind, codes in facts.extras.items()
        if kind != "walls"
    )
    return _paragraphs("## What is in it", table, reasons, without, TEXTS["columns"], extras)


def _walls(facts: ReleaseFacts) -> str:
    if not facts.walls:
        return ""
    tiers = list(dict.fromkeys(tier for tier in TIERS for own in facts.walls.values() if tier in own))
    rows = [
        f"| `{code}_walls` | {' | '.join(f'{own.get(tier, 0):,}' for tier in tiers)} |"
        for code, own in facts.walls.items()
    ]
    table = _table(["config", *tiers], f"l{'r' * len(tiers)}", rows)
    first = next(iter(facts.walls))
    drawn = (facts.stages[f"walls/{first}"].recipe or {}).get("walls") if f"walls/{first}" in facts.stages else None
    if drawn and drawn != facts.recipe.get("walls"):
        values = " and ".join(f"`{key} = {value}`" for key, value in drawn.items())
        table += f"\n\nThey were drawn with {values} in place of what the recipe has under `[walls]`."
    use = f"""```console
$ (cd FOLDER && lm_eval --model hf --model_args pretrained=MODEL --include_path lm_eval --tasks wikisem_walls)
$ inspect eval FOLDER/inspect_walls.py -T language={first} --model MODEL
$ euroeval --custom-datasets-file FOLDER/euroeval_walls.py --dataset wikisem-walls-{first} --model MODEL
$ wikisem evaluate walls FOLDER --vectors VECTORS
```"""
    return _paragraphs("## Walls", TEXTS["walls"], table, use)


def _names(facts: ReleaseFacts) -> str:
    if not facts.names:
        return ""
    rows = []
    for code, count in facts.names.items():
        stage = facts.stages.get(f"names/{code}")
        left_out = 0 if stage is None or stage.read is None or stage.kept is None else stage.read - stage.kept
        rows.append(f"| `names-{code}` | {count:,} | {left_out:,} |")
    table = _table(["config", "rows", "pairs left out, which few links have"], "lrr", rows)
    return _paragraphs("## Names", TEXTS["names"], table)


def _sizes(facts: ReleaseFacts) -> str:
    sizes, outliers = sorted(facts.total("sizes").items()), sorted(facts.total("outliers").items())
    lines = [f"- {count:,} groups of {size} words in the cluster" for size, count in sizes]
    lines += [
        f"- {count:,} test cases with a related outlier"
        if one.number == RELATED
        else f"- {count:,} test cases with an outlier of a {one.kind} class ({one.name})"
        for one, count in ((OUTLIER_CLASSES[number], count) for number, count in outliers)
    ]
    return "\n".join(lines)


def _words(facts: ReleaseFacts) -> str:
    found = list(facts.by_source())
    counts = {code: Counter[str]() for code in facts.spoken}
    for (code, source), count in facts.total("words").items():
        counts[code][source] += count
    rows = [
        f"| {_plain(code)} | {own.total():,} | {' | '.join(share(own[source], own) for source in found)} "
        f"| {', '.join(_code(source.name) for source in facts.dumps(code)) or 'none was read'} |"
        for code, own in counts.items()
    ]
    headings = ["language", "words", *(f"{source}s" for source in found), f"dump of its {made_up(facts)}Wikipedia"]
    table = _table(headings, f"lr{'r' * len(found)}l", rows)
    return _paragraphs(
        "## Where the words are from", f"{word_sources(facts)} Words of all groups, outliers too:", table
    )


def _baselines(facts: ReleaseFacts) -> str:
    names = list(dict.fromkeys(name for one in facts.filled for name in one.baselines))
    rows = [
        f"| `{one.code}` | {' | '.join(_percent(one.baselines.get(name)) for name in names)} |" for one in facts.filled
    ]
    table = _table(["config", *names], f"l{'r' * len(names)}", rows)
    return _paragraphs("## What form and prominence give away", TEXTS["baselines"], table)


def _models(facts: ReleaseFacts) -> str:
    rows = [
        f"| {_plain(one.model)} | {_plain(one.language)} | {one.cases:,} | {_score(one.opp)} | {_score(one.accuracy)} |"
        for one in facts.models
    ]
    about = "By `wikisem evaluate outliers`, in percent with intervals of 95 %, in the cases whose words a model knows."
    table = _table(["model", "language", "cases", "OPP", "accuracy"], "llrrr", rows)
    return _paragraphs("## Scores of models", about, table) if rows else ""


# The columns of the changes since another release.
CHANGES: Final = ("groups out", "groups in", "cases out", "cases kept", "cases in", "surface forms")


def _changes(facts: ReleaseFacts) -> str:
    rows = [
        f"| {_plain(code)} | {' | '.join(f'{number:,}' for number in numbers)} |"
        for code, numbers in facts.changes.items()
    ]
    about = (
        f"Since version {_plain(facts.since)}; surface forms are counted in groups that are in both. Groups, items and "
        "test cases that are in both have the same ids. `wikisem changes` lists every change, and why groups came or "
        "went."
    )
    table = _table(["language", *CHANGES], f"l{'r' * len(CHANGES)}", rows)
    return _paragraphs("## Changes", about, table) if rows else ""


def _spreads(facts: ReleaseFacts) -> str:
    rows = [
        f"| {name} | {count:,} | {' | '.join(f'{each:.3f}' for each in values)} |"
        for name, (count, values) in facts.spreads.items()
    ]
    headings = ["", "number", "lowest", "lower quartile", "median", "upper quartile", "highest"]
    table = _table(headings, "lrrrrrr", rows)
    return _paragraphs("## What statements say", TEXTS["statements"], table) if rows else ""


def _making(facts: ReleaseFacts) -> str:
    rows = [f"| {_plain(name)} | {_plain(version)} |" for name, version in sorted(facts.versions.items())]
    rows += [f"| {_plain(source_kind(code, facts))} | {_source(source)} |" for code, source in facts.sources]
    built = [unit.removeprefix("surfaces/") for unit in facts.stages if unit.startswith("surfaces/")]
    given = facts.recipe.get("languages")
    asked = f"; the set was built with `--languages {','.join(built)}`" if given and {*given} != {*built} else ""
    seed = f"The seed is {facts.seed}. `recipe.toml` is the whole recipe, which `wikisem build` reads{asked}:"
    recipe = f"```toml\n{toml_text(facts.recipe)}```"
    return _paragraphs("## How it was made", collection(facts), _table(["", ""], "ll", rows), seed, recipe)


def _caution(facts: ReleaseFacts) -> str:
    paragraphs = (write(facts) for write in (uses, limits, biases, social_impact, personal))
    return _paragraphs("## What it is good for, and where it may be wrong", *paragraphs)


def _licence(facts: ReleaseFacts) -> str:
    called = f"[{facts.licence.spdx}]({facts.licence.url})"
    if facts.made_up:
        said = f"{called}. {TEXTS['made_up_words']}"
    elif facts.licence is CC0:
        said = f"{called}. All words and items are from Wikidata, which is in the public domain."
    else:
        said = (
            f"{called}: the anchors are from the text of Wikipedia, which its contributors publish under this licence. "
            "LICENSE names each Wikipedia. Wikidata is CC0."
        )
    cite = (
        "Cite the paper that has the method, and this set by its name and version, "
        f"{_plain(facts.name)} {_plain(facts.version)}:"
    )
    return _paragraphs("## Licence and citation", said, cite, f"```bibtex\n{TEXTS['bibtex'].strip()}\n```")


# The sections of the card, in their order.
SECTIONS: Final[Sequence[Callable[[ReleaseFacts], str]]] = (
    _title,
    _example,
    _loading,
    _contents,
    _sizes,
    _walls,
    _names,
    _words,
    _baselines,
    _models,
    _spreads,
    _changes,
    _making,
    _caution,
    _licence,
)


def reasons_of(rejected: Mapping[str, int]) -> str:
    """List reasons with their numbers of classes, most frequent first: "affix 3, few-outliers 1"."""
    return ", ".join(f"{reason} {count}" for reason, count in Counter(rejected).most_common())


def _paragraphs(*texts: str) -> str:
    return "\n\n".join(text.strip("\n") for text in texts if text)


def _table(headings: Sequence[str], sides: str, rows: Sequence[str]) -> str:
    ruler = "|".join("---:" if side == "r" else "---" for side in sides)
    return "\n".join([f"| {' | '.join(headings)} |", f"|{ruler}|", *rows])


def _percent(share: tuple[float, float, float] | None) -> str:
    if share is None:
        return "–"
    value, low, high = (f"{100 * each:.1f}" for each in share)
    return value if low == high else f"{value} ({low} to {high})"


def _score(score: tuple[float | None, float | None, float | None]) -> str:
    value, low, high = score
    if value is None:
        return "–"
    return f"{value:.1f}" if low is None or high is None else f"{value:.1f} ({low:.1f} to {high:.1f})"


def source_kind(language: str, facts: ReleaseFacts) -> str:
    """Name the kind of a dump: "Wikidata" for no language, else "Wikipedia, de"."""
    return made_up(facts) + (f"Wikipedia, {language}" if language else "Wikidata")


def _source(source: Source) -> str:
    url, day = source.origin.url, source.day
    name = f"[{_plain(source.name)}]({quote(url, _URL)})" if url else _code(source.name)
    dated = f", of {day}" if day and not date_in_name(source.name) else ""
    return f"{name}{dated}, {source.size:,} bytes" + (f", SHA-256 {_code(source.sha256)}" if source.sha256 else "")


# The page of the tasks of lm-evaluation-harness, by its template for new tasks.


def lm_eval_readme(facts: ReleaseFacts) -> str:
    """Write lm_eval/README.md: paper, groups, tasks, and the checklist of lm-evaluation-harness."""
    codes = [one.code for one in facts.filled]
    walls = facts.extras.get("walls", ())
    scored = "the odd word out; the model scores"
    variants = {
        "": (codes, f"{scored} each word as the answer. The main variant"),
        "_letters": (codes, f"{scored} the letters before the words. For models that follow instructions"),
        "_walls": (walls, "walls: the model divides sixteen words into four groups, and writes these down"),
    }
    groups = [f"* `wikisem{end}`: {listed(own)}, the mean of all cases" for end, (own, _) in variants.items() if own]
    tasks = [f"* `wikisem_<code>{end}`: {said}" for end, (own, said) in variants.items() if own]
    return (
        _paragraphs(
            f"# {_plain(facts.name)}",
            "### Paper",
            f"{PAPER} {PAPER_URL}",
            description(facts),
            f"Homepage: {hub_url(facts)}" if facts.repository else "",
            f"### Citation\n\n```bibtex\n{TEXTS['bibtex'].strip()}\n```",
            "### Groups, Tags, and Tasks",
            "#### Groups\n\n" + "\n".join(groups),
            "#### Tasks\n\n" + "\n".join(tasks),
            TEXTS["lm_eval_checklist"],
        )
        + "\n"
    )


# LICENSE and CITATION.cff.


def license_text(facts: ReleaseFacts) -> str:
    """Write LICENSE: the licence, the address of its text, and the Wikipedias from which words were taken."""
    licence = facts.licence
    lines = [
        f"{facts.name} {facts.version}",
        *(["", TEXTS["made_up"]] if facts.made_up else []),
        "",
        f"Licensed under the {licence.name}.",
        f"Its text: {licence.url}legalcode",
    ]
    if facts.credited:
        lines += [
            "",
            "Words are from links in the articles of these Wikipedias, by their contributors, under the same licence.",
            "Who wrote an article is on its page, under the tab of its history:",
            "",
        ]
        for code in facts.credited:
            dumps = ", ".join(source.name for source in facts.dumps(code))
            lines.append(f"- https://{code}.wikipedia.org/{dumps and f' ({dumps})'}")
        taken = "They were chosen among the links and put into groups"
        if facts.names:
            chosen = "; words of groups were chosen among them" if facts.linked else ""
            taken = f"The tables of names have the words of links and how often they lead to each page{chosen}"
        lines += ["", f"{taken}; nothing else of the articles was taken."]
    words = "" if facts.linked else "All words of groups, classes" if facts.names else "All words, classes"
    others = f"{words or 'Classes'}, items and their numbers"
    wikidata = f"{others} are from Wikidata, https://www.wikidata.org/, which is in the public domain (CC0)."
    lines += ["", TEXTS["made_up_words"] if facts.made_up else wikidata, ""]
    return CONTROLS.sub("", "\n".join(lines))


def citation(facts: ReleaseFacts) -> str:
    """Write CITATION.cff, by version 1.2.0 of its schema."""
    maker = facts.maker
    contact = {"email" if "@" in maker.contact else "website": maker.contact} if maker.contact else {}
    author = {"name": maker.name or NOBODY}
    lines = {
        "cff-version": "1.2.0",
        "type": "dataset",
        "title": facts.name,
        "version": facts.version,
        "date-released": facts.published,
        "license": facts.licence.spdx,
        "message": "If you use this data set, cite it and the paper that has its method.",
        "abstract": description(facts),
        "authors": [author],
        **({"contact": [author | contact]} if contact else {}),
        **({"url": hub_url(facts)} if facts.repository else {}),
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
    return yaml_text(lines)


def hub_url(facts: ReleaseFacts) -> str:
    """The address of a release with a name on the Hub."""
    return f"https://huggingface.co/datasets/{facts.repository}"


# Values in YAML and TOML, and strings from elsewhere in Markdown.

_UNPRINTED: Final = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def yaml_json(value: Any) -> str:
    """Encode a value as JSON that is also YAML: characters that YAML does not print are escaped."""
    return _UNPRINTED.sub(lambda found: f"\\u{ord(found[0]):04x}", orjson.dumps(value).decode())


def yaml_text(values: Mapping[str, Any]) -> str:
    """Write a mapping as YAML, a line per key; the values are JSON."""
    return "".join(f"{key}: {yaml_json(value)}\n" for key, value in values.items())


def toml_text(tables: Mapping[str, Any]) -> str:
    """Write tables, such as those of a recipe, as TOML; None is ``false``, and the key ``name`` comes first.

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
    # Strings and numbers are as in JSON, except that DEL must be escaped.
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + " }" if value else "{}"
    return orjson.dumps(False if value is None else value).decode().replace("\x7f", "\\u007f")


# Characters with a meaning in Markdown, its tables or HTML; dots and dashes within a name have none.
_SPECIAL: Final = re.compile(r"[\\`*_{}\[\]()<>#+!|~$&:@^]")
_CODE: Final = re.compile(r"[\w.,:+ -]+")
_URL: Final = "/:?#@!$&*+,;=%~"


def _plain(text: str) -> str:
    """Escape a string for one line of Markdown, in which all ASCII punctuation may be escaped."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))


def _code(text: str) -> str:
    """Mark a string as code, or escape it if code cannot hold it."""
    return f"`{text}`" if _CODE.fullmatch(text) else _plain(text)
