"""The texts of a release: README.md (the data set card), LICENSE, CITATION.cff, croissant.json, and tasks of harnesses.

These are in templates/ as they look, with the sentences that depend on the set in templates/sentences.j2.
"""

import fnmatch
import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from itertools import chain
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import jinja2
import orjson
import pyarrow as pa

from wikisem.datasets.files import CONTROLS
from wikisem.outputs.groupfile import GROUPS, WALLS
from wikisem.outputs.release import metadata
from wikisem.outputs.release.cases import CASES, ENGLISH, ITEMS, PROMPTS, SOURCE, Prompt, prompt_in
from wikisem.outputs.release.metadata import REGIONS, SEVERAL, ManifestFile, ReleaseFacts
from wikisem.outputs.wall_answers import SCORES
from wikisem.records import OUTLIER_CLASSES, TIERS
from wikisem.typed_json import packaged_tables
from wikisem.wikipedia.languages import iso_639
from wikisem.wikis import WIKIPEDIAS, date_in_name

_TEXTS: Final = packaged_tables(__package__, "texts.toml")
DONE: Final[dict[str, str]] = _TEXTS.pop("done")
REASONS: Final[dict[str, str]] = _TEXTS.pop("reasons")
TEXTS: Final[dict[str, str]] = _TEXTS
_NAMES: Final = {wiki.code: wiki.name for wiki in WIKIPEDIAS.values()}
PAPER_URL: Final = "https://arxiv.org/abs/1611.01547"
PAPER: Final = (
    "Blair, Philip, Yuval Merhav, and Joel Barry. 2016. Automated Generation of Multilingual Clusters for the "
    "Evaluation of Distributed Representations. arXiv:1611.01547."
)
HUB: Final = "https://huggingface.co/datasets/"  # where releases with a name are
SHOTS: Final = "dev"  # the split of few-shot cases; that of everything else is "test"
# The author in CITATION.cff and croissant.json, which must name one, if no maintainer is given.
NOBODY: Final = "anonymous"
_SIZES: Final = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


class Config(NamedTuple):
    """A config of the data set on Hugging Face's Hub: its name, what it has, and the path or pattern of each split."""

    name: str
    about: str
    splits: Mapping[str, str]


def card(facts: ReleaseFacts, files: Mapping[str, ManifestFile]) -> str:
    """Write the text of README.md, the data set card of a release with these files.

    Languages are configs (subsets) and never splits: a viewer takes thousands of configs and some thirty splits. Every
    code is quoted, because ``no`` is False in YAML. Names of recipes, files and versions are escaped, so that none is
    taken for Markdown, HTML or the end of a cell, and control characters are removed.
    """
    digests = {}  # by config: a SHA-256 of those of all its files
    for config in configs(facts):
        # The files of all splits, each split in the order of their names.
        of_splits = (sorted(fnmatch.filter(files, path)) for path in config.splits.values())
        sums = "".join(files[file].sha256 for file in chain.from_iterable(of_splits))
        digests[config.name] = hashlib.sha256(sums.encode()).hexdigest()
    words = {code: Counter[str]() for code in facts.spoken}  # how many are anchors of links, labels and titles
    for (code, source), count in facts.total("words").items():
        words[code][source] += count
    # What the recipe in the card does not say: walls that were drawn by other options, and languages built beside it.
    walls = [facts.stages[unit] for code in facts.walls if (unit := f"walls/{code}") in facts.stages]
    drawn = (walls[0].recipe or {}).get("walls") if walls else None
    built = [unit.removeprefix("surfaces/") for unit in facts.stages if unit.startswith("surfaces/")]
    asked = facts.recipe.get("languages")
    return write_text(
        "README.md",
        facts,
        configs=list(configs(facts)),
        digests=digests,
        bibtex=bibtex(facts),
        asked_in_english=[one.code for one in facts.filled if one.code not in PROMPTS],
        size=next((size for most, size in _SIZES if facts.cases < most), "1M<n<10M"),
        rejected={reason for language in facts.filled for reason in language.rejected},
        empty=[language.code for language in facts.languages if not language.groups],
        tiers=[tier for tier in TIERS if any(tier in counts for counts in facts.walls.values())],
        walls_drawn_with=drawn if drawn != facts.recipe.get("walls") else None,
        words=words,
        regions=[_region_cells(language, facts) for language in facts.filled],
        baselines=list(dict.fromkeys(name for language in facts.filled for name in language.baselines)),
        built=built if asked and {*asked} != {*built} else None,
    )


def _region_cells(language: metadata.LanguageFacts, facts: ReleaseFacts) -> list[str]:
    """Return a row of the card's table of regions: the code of a language, and shares in percent, "–" if unknown.

    These are the share of classes that English lacks, of members whose region is known, and of each region among them.
    """
    counts = facts.regions.get(language.code, {})
    known = sum(count for region, count in counts.items() if region != metadata.NOWHERE)
    shares = [(facts.lacking.get(language.code), language.groups), (known or None, sum(counts.values()))]
    shares += [(counts.get(region, 0), known) for region in (*REGIONS, SEVERAL)]
    cells = ["–" if count is None or not total else f"{100 * count / total:.1f}" for count, total in shares]
    return [f"`{language.code}`", *cells]


def configs(facts: ReleaseFacts) -> Iterator[Config]:
    """Yield every config (subset that can be loaded by name) of the data set on the Hub; the first is the default."""
    shots = {SHOTS: "shots/*.parquet"} if facts.shots else {}
    yield Config("cases", "test cases, all languages", {"test": "cases/*.parquet"} | shots)
    yield Config("items", "items of test cases, all languages", {"test": "items/*.parquet"})
    yield Config("groups", "clusters with outliers, all languages", {"test": "groups/*.parquet"})
    for language in facts.filled:
        code = language.code
        yield Config(code, f"clusters with outliers, {code}", {"test": f"groups/{code}.parquet"})
        shots = {SHOTS: f"shots/{code}.parquet"} if code in facts.shots else {}
        yield Config(f"{code}_cases", f"test cases, {code}", {"test": f"cases/{code}.parquet"} | shots)
        yield Config(f"{code}_items", f"items of test cases, {code}", {"test": f"items/{code}.parquet"})
    for kind, codes in facts.extras.items():
        for code in codes:
            yield Config(f"{code}_{kind}", f"{kind}, {code}", {"test": f"{kind}/{code}.parquet"})
    for code in facts.names:
        yield Config(f"names-{code}", f"what pages are called, {code}", {"test": f"names/{code}/*.parquet"})


def bibtex(facts: ReleaseFacts) -> str:
    """Write the BibTeX entry of the set, with the version and, if they are known, the maintainer and the address."""
    fields = {
        "title": facts.name,
        "author": facts.maker.name,
        "year": (facts.published or facts.newest)[:4],
        "version": facts.version,
        "url": HUB + facts.maker.repository if facts.maker.repository else "",
        "note": f"{facts.cases:,} test cases of outlier detection, by wikisem {facts.versions.get('wikisem', '')}",
    }
    lines = []
    for name, value in fields.items():
        # Of what has a meaning in LaTeX, braces, which must match, are left out, and others get a backslash.
        escaped = re.sub(r"[&%$#_]", r"\\\g<0>", re.sub(r"[{}\\~^]", "", " ".join(value.split())))
        text = value if name == "url" else escaped
        if text:
            # In braces of its own, the name of a maintainer is not divided into first and last names.
            lines.append(f"  {name} = {{{{{text}}}}}" if name == "author" else f"  {name} = {{{text}}}")
    key = re.sub("[^a-z0-9]+", "", facts.name.lower()) + facts.version.replace(".", "")
    return f"@misc{{{key},\n" + ",\n".join(lines) + "\n}"


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
        return "{ " + ", ".join(f"{key} = {_toml(inner)}" for key, inner in value.items()) + " }" if value else "{}"
    return orjson.dumps(False if value is None else value).decode().replace("\x7f", "\\u007f")


def write_text(name: str, facts: ReleaseFacts, /, **values: Any) -> str:
    """Fill the template of a file for people: blank lines that a part without content leaves are made one."""
    return CONTROLS.sub("", re.sub("\n{3,}", "\n\n", fill(name, facts=facts, **values)))


def fill(name: str, /, **values: Any) -> str:
    """Fill the template of a file with values."""
    return _TEMPLATES.get_template(f"{name}.j2").render(values)


def source_kind(language: str, facts: ReleaseFacts) -> str:
    """Name the kind of a dump: "Wikidata" for no language, else "Wikipedia, de"."""
    return ("made-up " if facts.made_up else "") + (f"Wikipedia, {language}" if language else "Wikidata")


# Characters with a meaning in Markdown, its tables or HTML; dots and dashes within a name have none.
_SPECIAL: Final = re.compile(r"[\\`*_{}\[\]()<>#+!|~$&:@^]")
_CODE: Final = re.compile(r"[\w.,:+ -]+")
_URL: Final = "/:?#@!$&*+,;=%~"


def _plain(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", " ".join(text.split()))


def _code(text: str) -> str:
    return f"`{text}`" if _CODE.fullmatch(text) else _plain(text)


def _file_of_dump(source: metadata.Source) -> str:
    url, day = source.origin.url, source.day
    name = f"[{_plain(source.name)}]({quote(url, _URL)})" if url else _code(source.name)
    dated = f", of {day}" if day and not date_in_name(source.name) else ""
    return f"{name}{dated}, {source.size:,} bytes" + (f", SHA-256 {_code(source.sha256)}" if source.sha256 else "")


def _percent(share: metadata.Share | None, is_bold: bool = False) -> str:
    """A share with its interval in percent, or a dash; without the interval, if both of its ends read alike."""
    if share is None:
        return "–"
    value, low, high = (f"{100 * number:.1f}" for number in share)
    text = value if low == high else f"{value} ({low} to {high})"
    return f"**{text}**" if is_bold else text


def _missing_pages(pages: metadata.LinkedPages | None) -> str:
    """How many of the best linked pages a dump lacks, of how many, and the first of them."""
    if pages is None or not pages.best_missing:
        return "–"
    names = list(map(_plain, pages.best_missing_titles))
    more = ["…"] if pages.best_missing > len(names) else []
    return f"{pages.best_missing:,} of {pages.best_linked:,}: {', '.join(names + more)}"


_TEMPLATES: Final = jinja2.Environment(  # noqa: S701 - none is HTML; the filters escape for Markdown and YAML
    loader=jinja2.PackageLoader("wikisem.outputs.release"),
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_TEMPLATES.filters |= {
    "code": _code,
    "file_of_dump": _file_of_dump,
    "iso_639": iso_639,
    "json": yaml_json,
    "language_name": lambda code: _NAMES.get(code, code),
    "missing_pages": _missing_pages,
    "percent": _percent,
    "plain": _plain,
    "squeeze": lambda text: " ".join(text.split()),
    "thousands": "{:,}".format,
    "toml": toml_text,
    "toml_value": _toml,
    "yaml": yaml_json,
}
_TEMPLATES.globals |= {
    "HUB": HUB,
    "NOBODY": NOBODY,
    "OUTLIER_CLASSES": OUTLIER_CLASSES,
    "PAPER": PAPER,
    "PROMPT_SOURCE": SOURCE,
    "PAPER_URL": PAPER_URL,
    "REASONS": REASONS,
    "REGIONS": (*REGIONS, SEVERAL),
    "NUMBERED_CLASSES": ", ".join(f"{number}: {one.kind}" for number, one in OUTLIER_CLASSES.items()),
    "TEXTS": TEXTS,
    "source_kind": source_kind,
}


def croissant_json(facts: ReleaseFacts) -> bytes:
    """Describe the data set as JSON-LD by Croissant 1.1 with its vocabulary for responsible AI.

    A kind of record has one FileSet and one RecordSet for all languages, since every record has a field ``language``.
    """
    schemas = {"groups": GROUPS, "cases": CASES, "items": ITEMS} | ({"shots": CASES} if facts.shots else {})
    schemas |= {"walls": WALLS} if "walls" in facts.extras else {}
    fields = {kind: [_field(kind, [column.name], column.type) for column in schema] for kind, schema in schemas.items()}
    activities = {}  # what each step by which the set was made, such as "surfaces/de", read and kept, in words
    for unit, stage in facts.stages.items():
        kind, _, language = unit.partition("/")
        counts = "" if stage.read is None or stage.kept is None else f": {stage.read:,} read, {stage.kept:,} kept"
        activities[unit] = f"{DONE.get(kind, kind)}{f', {language}' if language else ''}{counts}."
    text = fill("croissant.json", facts=facts, fields=fields, activities=activities)
    return orjson.dumps(orjson.loads(text), option=orjson.OPT_INDENT_2) + b"\n"


def _field(record_set: str, path: Sequence[str], kind: pa.DataType) -> dict[str, Any]:
    """Describe a column of a Parquet file as a ``Field`` of Croissant; a list of structs has their fields as subfields.

    In a subfield ``path`` is the names of the column and of the field; lists and structs within structs are left out.
    """
    identifier = "/".join([record_set, *path])
    about: dict[str, Any] = {"@type": "cr:Field", "@id": identifier, "name": path[-1]}
    if pa.types.is_list(kind) and pa.types.is_struct(kind.value_type):
        members = map(kind.value_type.field, range(kind.value_type.num_fields))
        plain = [member for member in members if not pa.types.is_nested(member.type)]
        subfields = [_field(record_set, [*path, member.name], member.type) for member in plain]
        return {**about, "repeated": True, "subField": subfields}
    source: dict[str, Any] = {"fileSet": {"@id": f"{record_set}-files"}, "extract": {"column": path[0]}}
    if len(path) > 1:
        source["transform"] = {"jsonPath": path[-1]}
    array = {"isArray": True, "arrayShape": "-1"} if pa.types.is_list(kind) else {}
    value = kind.value_type if array else kind
    type_ = "sc:Integer" if pa.types.is_integer(value) else "sc:Float" if pa.types.is_floating(value) else "sc:Text"
    return {**about, "dataType": type_, **array, "source": source}


_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# An answer to a wall takes some two hundred tokens, and far more in a script that the tokenizer hardly covers.
_WALL_TOKENS: Final = 1024
_METRICS: Final = ("acc", "acc_norm", "acc_bytes")
# What is before a choice in each kind of task; it has a line of its own, for many words have commas.
_MARKS: Final = {"words": "-", "letters": "{{ '" + _LETTERS + "'[loop.index0] }}."}


def _text(kind: str, question: str, answer: str) -> str:
    """Write a prompt as a Jinja template: the question, a line for each choice, and the word before the answer."""
    return f"{question}\n{{% for choice in choices %}}\n{_MARKS[kind]} {{{{ choice }}}}{{% endfor %}}\n{answer}"


def harness_files(facts: ReleaseFacts) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of every file for inspect-ai, EuroEval and lm-evaluation-harness, walls last."""
    # inspect-ai.
    yield "eval.yaml", fill("eval.yaml", facts=facts, prompts=_prompts(facts, PROMPTS["en"]))
    asked = {}  # by language: the phrasings of the question, and the request to answer with a letter
    for language in facts.filled:
        prompt = prompt_in(language.code)
        questions = list(ENGLISH) if prompt.question == ENGLISH[0] else [prompt.question]
        asked[language.code] = [questions, prompt.request.format(answers="ANSWER: $LETTER ($LETTER: {letters})")]
    yield "inspect_wikisem.py", fill("inspect_wikisem.py", prompts=asked)
    # These make the release a Python package, never with the name of this library, whose tasks inspect-ai registers.
    letters = re.sub("[^a-z0-9]+", "_", facts.name.lower()).strip("_")
    package = f"{letters if letters.startswith('wikisem') else f'wikisem_{letters}'}_set"
    walled = facts.extras.get("walls", ())
    modules = ["inspect_wikisem", *(["inspect_walls"] if walled else [])]
    imports = "".join(f"import {package}.{module}\n" for module in modules)
    yield "pyproject.toml", fill("pyproject.toml", facts=facts, name=package)
    yield "_registry.py", f'"""The tasks that inspect-ai finds in this package."""\n\n{imports}'
    yield ".gitignore", fill("gitignore")
    # EuroEval and lm-evaluation-harness.
    spoken = {language.code: [iso_639(code) for code in language.spoken] for language in facts.filled}
    prompts = {code: _prompts(facts, prompt_in(code)) for code in spoken}
    yield "euroeval_wikisem.py", fill("euroeval_wikisem.py", languages=spoken, shots=facts.shots, prompts=prompts)
    yield "lm_eval/README.md", write_text("lm_eval/README.md", facts)
    yield from _choice_tasks(facts, list(spoken))
    # Walls, for lm-evaluation-harness and then the others. No sequence stops an answer, since a model may think first.
    if walled:
        yield "lm_eval/wall_answers.py", files("wikisem.outputs").joinpath("wall_answers.py").read_text("utf-8")
        generation = {"until": [], "do_sample": False, "max_gen_toks": _WALL_TOKENS}
        texts = {"doc_to_text": "{{text}}", "doc_to_target": "{{target_text}}", "generation_kwargs": generation}
        template = yaml_text(_template(facts, {"output_type": "generate_until", **texts}, SCORES))
        yield "lm_eval/_walls.yaml", template + "process_results: !function wall_answers.process_results\n"
        for code in walled:
            yield f"lm_eval/{code}_walls.yaml", _task(facts, code, "walls", "_walls", {})
        yield _task_group("wikisem_walls", [f"wikisem_{code}_walls" for code in walled], SCORES)
        yield "inspect_walls.py", fill("inspect_walls.py")
        yield "euroeval_walls.py", fill("euroeval_walls.py", languages={code: [iso_639(code)] for code in walled})


def _choice_tasks(facts: ReleaseFacts, codes: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield paths and texts of the multiple-choice tasks of lm-evaluation-harness: the odd word out of each test case.

    Each kind has a template, and each language a few lines. Models score the words themselves in ``wikisem_<code>``,
    and in ``wikisem_<code>_letters``, for models that follow instructions, the letters before the words. Letters are of
    one length, so that no metric that divides by length is of use. ``wikisem_en_2`` and so on phrase the English
    question in other ways.
    """
    english = PROMPTS["en"].answer
    letters = "{{ '" + _LETTERS + "'[:choices | length] | list }}"  # for Jinja: as many letters as there are choices
    for kind, choices, metrics in (("words", "choices", _METRICS), ("letters", letters, _METRICS[:1])):
        asked = _text(kind, "{{question}}", english)
        texts = {"doc_to_text": asked, "doc_to_choice": choices, "doc_to_target": "answer"}
        yield f"lm_eval/_{kind}.yaml", yaml_text(_template(facts, {"output_type": "multiple_choice", **texts}, metrics))
    # A language only says what differs from the template: the word for "answer", unless it is the English one.
    for code in codes:
        answer = prompt_in(code).answer
        for kind, suffix in (("words", ""), ("letters", "_letters")):
            text = {"doc_to_text": _text(kind, "{{question}}", answer)} if answer != english else {}
            yield f"lm_eval/{code}{suffix}.yaml", _task(facts, code, kind, suffix, text)
    # Groups of tasks, whose scores are averaged; of the English question all phrasings are one.
    yield _task_group("wikisem", [f"wikisem_{code}" for code in codes], _METRICS)
    if "en" in codes:
        for number, question in enumerate(ENGLISH[1:], start=2):
            text = {"doc_to_text": _text("words", question, english)}
            yield f"lm_eval/en_{number}.yaml", _task(facts, "en", "words", f"_{number}", text)
        phrased = ["wikisem_en", *(f"wikisem_en_{number}" for number in range(2, len(ENGLISH) + 1))]
        yield _task_group("wikisem_en_phrasings", phrased, _METRICS)
    yield _task_group("wikisem_letters", [f"wikisem_{code}_letters" for code in codes], _METRICS[:1])


def _prompts(facts: ReleaseFacts, prompt: Prompt) -> dict[str, Any]:
    """Return prompts and letters for EuroEval, which has its own in few languages; ``{text}`` has the choices."""
    letters = list(_LETTERS[: max(facts.total("sizes")) + 1].lower())  # the largest cluster and an outlier
    request = prompt.request.format(answers=", ".join(letters))
    return {
        "labels": letters,
        "prompt_label_mapping": {letter: letter for letter in letters},
        "prompt_prefix": "",
        "prompt_template": f"{{text}}\n{prompt.answer} {{label}}",
        "instruction_prompt": f"{{text}}\n\n{request}",
    }


def _template(facts: ReleaseFacts, asked: Mapping[str, Any], metrics: Sequence[str]) -> dict[str, Any]:
    """What tasks of lm-evaluation-harness in all languages include: the data set, what is ``asked``, the metrics."""
    return {
        "dataset_path": facts.maker.repository or "parquet",
        "test_split": "test",
        **asked,
        "metric_list": [{"metric": name, "aggregation": "mean", "higher_is_better": True} for name in metrics],
        "metadata": {"version": 1.0},
    }


def _task(facts: ReleaseFacts, code: str, template: str, suffix: str, text: Mapping[str, str]) -> str:
    """Write a language's task for lm-evaluation-harness: a template, its data, its few-shot examples (shots) if any.

    ``suffix`` ends its name, and ``text`` has the prompts that differ from the template's.
    """
    kind = "walls" if template == "walls" else "cases"
    # Codes are quoted, because ``no`` is False in YAML. Without a repository, paths are those of the folder.
    lines: dict[str, Any] = {"include": f"_{template}.yaml", "task": f"wikisem_{code}{suffix}"}
    shots = {SHOTS: f"shots/{code}.parquet"} if kind == "cases" and code in facts.shots else {}
    if facts.maker.repository:
        lines["dataset_name"] = f"{code}_{kind}"
    else:
        lines["dataset_kwargs"] = {"data_files": {"test": f"{kind}/{code}.parquet"} | shots}
    # Without a split of its own the harness would draw examples from the test cases; 0 here outdoes --num_fewshot.
    few = {"fewshot_split": SHOTS, "fewshot_config": {"sampler": "first_n"}} if shots else {"num_fewshot": 0}
    return yaml_text({**lines, **text, **few})


def _task_group(name: str, tasks: Sequence[str], metrics: Sequence[str]) -> tuple[str, str]:
    """The path and the text of a group of tasks."""
    means = [{"metric": metric, "aggregation": "mean", "weight_by_size": True} for metric in metrics]
    group = {"group": name, "task": list(tasks), "aggregate_metric_list": means, "metadata": {"version": 1.0}}
    return f"lm_eval/{name}.yaml", yaml_text(group)
