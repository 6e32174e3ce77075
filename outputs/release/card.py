"""README.md of a release: the data set card, YAML for programs and text for people, all of it from the facts.

Languages are configs and never splits: a viewer takes thousands of the former and some thirty of the latter. Every code
is quoted, because ``no`` is False in YAML. JSON strings and lists are YAML, too. Names of recipes, files and versions
come from elsewhere: in the text they are escaped, so that none is taken for Markdown, HTML or the end of a cell.
"""

import re
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

from wikisem.outputs.release.facts import LICENSE, ReleaseFacts, Source, reasons_of, yaml_json
from wikisem.outputs.release.words import WORDS
from wikisem.wikipedia.data.iso_639 import iso_639

# What Markdown, its tables and HTML give a meaning to; dots and dashes within a name have none.
_SPECIAL: Final = re.compile(r"[\\`*_{}\[\]()<>#+!|~$&:@^]")
_CODE: Final = re.compile(r"[\w.,:+ -]+")
_URL: Final = "/:?#@!$&*+,;=%~"
_SIZES: Final = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def card(facts: ReleaseFacts) -> str:
    """The text of README.md."""
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
    return "\n".join(lines) + (f"\n\nNo class gave a group in {empty}: there are no files for them." if empty else "")


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


def _plain(text: str) -> str:
    """A string on one line of Markdown that is read as it is: ASCII punctuation may always be escaped."""
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))


def _code(text: str) -> str:
    """The same as code, where there is nothing in it that only escaped text can hold."""
    return f"`{text}`" if _CODE.fullmatch(text) else _plain(text)
