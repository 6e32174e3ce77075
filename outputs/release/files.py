"""The files of a release for programs: test cases, Parquet, tasks of evaluation harnesses, and croissant.json."""

import hashlib
import io
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any, Final

import orjson
import pyarrow as pa

from wikisem.arrow.checked_parquet import CheckedWriter
from wikisem.outputs.groupfile import GROUPS
from wikisem.outputs.release.card import NOBODY, PAPER, PAPER_URL, hub_url, lm_eval_readme, yaml_json
from wikisem.outputs.release.facts import ReleaseFacts, Source, package_name, toml_text
from wikisem.outputs.release.prose import (
    WORDS,
    activities,
    biases,
    collection,
    description,
    limits,
    made_up,
    personal,
    social_impact,
    uses,
)
from wikisem.outputs.wall_answers import SCORES
from wikisem.outputs.wallfile import WALLS
from wikisem.records import Group, Member, Outlier
from wikisem.wikipedia.data.iso_639 import iso_639

# Test cases as rows of their own.

QUESTION: Final = "Pick the odd word out."

# One row a test case; ``answer`` is the place of the outlier in ``choices``, counted from 0.
CASES: Final = pa.schema(
    [
        ("id", pa.string()),
        ("class", pa.string()),
        ("label", pa.string()),
        ("language", pa.string()),
        ("question", pa.string()),
        ("outlier_class", pa.int8()),
        ("choices", pa.list_(pa.string())),
        ("items", pa.list_(pa.string())),
        ("answer", pa.int8()),
        ("outlier", pa.string()),
        ("margin", pa.float64()),
        ("coherence", pa.float64()),
    ]
)


def cases_table(groups: Sequence[Group], seed: int) -> pa.Table:
    """The test cases of groups in one language as a table of schema ``CASES``, in the order of the groups."""
    return pa.Table.from_pylist(list(case_rows(groups, seed)), schema=CASES)


def case_rows(groups: Sequence[Group], seed: int) -> Iterable[dict[str, Any]]:
    """A row for each outlier of each group: it is among the cluster, in an order that gives nothing away.

    The outlier's place is its rank modulo the number of choices, in a seeded order of all cases of that size: every
    place is then as frequent as any other, bar one case. By a hash alone one place won 18 to 20 % of the cases where
    each of nine should have 11 %. The words of the cluster are in a seeded order as well, another one in each case.
    """
    cases = [(group, outlier) for group in groups for outlier in group.outliers]
    places = _places(cases, seed)
    for group, outlier in cases:
        case = case_id(group, outlier)
        members: list[Member] = sorted(group.cluster, key=lambda member: _key(seed, "word", case, member.id))
        members.insert(places[case], outlier)
        yield {
            "id": case,
            "class": group.qid,
            "label": group.label,
            "language": group.language,
            "question": QUESTION,
            "outlier_class": outlier.outlier_class,
            "choices": [member.surface for member in members],
            "items": [member.id for member in members],
            "answer": places[case],
            "outlier": outlier.surface,
            "margin": outlier.margin,
            "coherence": group.coherence,
        }


def case_id(group: Group, outlier: Outlier) -> str:
    """The name of a test case, the same in every release that has it: language, class and outlier."""
    return f"{group.language}-{group.qid}-{outlier.id}"


def _places(cases: Iterable[tuple[Group, Outlier]], seed: int) -> dict[str, int]:
    by_size: defaultdict[int, list[str]] = defaultdict(list)
    for group, outlier in cases:
        by_size[len(group.cluster) + 1].append(case_id(group, outlier))
    return {
        case: rank % size
        for size, names in by_size.items()
        for rank, case in enumerate(sorted(names, key=lambda name: _key(seed, "place", name)))
    }


def _key(seed: int, *parts: str) -> bytes:
    """Bytes that only depend on the seed and the strings; sorting by them shuffles."""
    return hashlib.blake2b("\x1f".join([str(seed), *parts]).encode(), digest_size=16).digest()


def parquet_bytes(table: pa.Table, metadata: Mapping[str, str]) -> bytes:
    """A Parquet file with the table, and key-value metadata that any reader shows; the same bytes every time."""
    about = {**(table.schema.metadata or {}), **{key.encode(): value.encode() for key, value in metadata.items()}}
    table = table.replace_schema_metadata(about)
    sink = io.BytesIO()
    writer = CheckedWriter(sink, table.schema)
    writer.write(table)
    writer.close()
    return sink.getvalue()


# Tasks for lm-evaluation-harness, eval.yaml and a task file for inspect-ai.

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# An answer to a wall takes some two hundred tokens, and far more in a script of which a tokenizer knows little.
_WALL_TOKENS: Final = 1024
_METRICS: Final = ("acc", "acc_norm", "acc_bytes")
# A choice is a line: many a word has a comma, and none has the end of a line.
_LISTED: Final = QUESTION + "\n{% for choice in choices %}\n$. {{ choice }}{% endfor %}\nAnswer:"
_WORDS_TEXT: Final = _LISTED.replace("$.", "-")
_LETTERS_TEXT: Final = _LISTED.replace("$", "{{ '" + _LETTERS + "'[loop.index0] }}")


def harness_files(facts: ReleaseFacts) -> Iterator[tuple[str, bytes]]:
    """Every file: the path in the release, and the bytes.

    lm_eval/ has a template for each variant and three lines for each language. In ``wikisem_<code>`` a model scores the
    words themselves; in ``wikisem_<code>_letters``, for models that follow instructions, the letters before them. The
    question is that of *odd one out* in BIG-bench (Srivastava et al. 2022). Every value is written as JSON, which is
    YAML.
    """
    yield "eval.yaml", yaml_bytes(_eval_yaml(facts))
    yield "inspect_wikisem.py", WORDS["inspect_task"].encode()
    yield from _package(facts)
    codes = [language.code for language in facts.filled]
    spoken = {language.code: language.spoken for language in facts.filled}
    yield "euroeval_wikisem.py", _euroeval("euroeval_cases", spoken, PROMPTS=_prompts(facts))
    yield "lm_eval/README.md", lm_eval_readme(facts).encode()
    choices = "{{ '" + _LETTERS + "'[:choices | length] | list }}"
    yield "lm_eval/_words.yaml", yaml_bytes(_template(facts, _multiple_choice(_WORDS_TEXT, "choices"), _METRICS))
    yield "lm_eval/_letters.yaml", yaml_bytes(_template(facts, _multiple_choice(_LETTERS_TEXT, choices), _METRICS[:1]))
    for code in codes:
        yield f"lm_eval/{code}.yaml", _task(facts, code, "words", "")
        yield f"lm_eval/{code}_letters.yaml", _task(facts, code, "letters", "_letters")
    yield "lm_eval/wikisem.yaml", yaml_bytes(_task_group("wikisem", [f"wikisem_{code}" for code in codes], _METRICS))
    letters = [f"wikisem_{code}_letters" for code in codes]
    yield "lm_eval/wikisem_letters.yaml", yaml_bytes(_task_group("wikisem_letters", letters, _METRICS[:1]))


def wall_tasks(facts: ReleaseFacts) -> Iterator[tuple[str, bytes]]:
    """The same for walls: every file, none if there are no walls.

    All three harnesses read answers with the module that evaluation has. The tasks ``wikisem_<code>_walls`` of
    lm-evaluation-harness are for models that follow instructions: there is no sequence that stops an answer, since a
    model may think first.
    """
    codes = facts.extras.get("walls", ())
    if not codes:
        return
    yield "lm_eval/wall_answers.py", files("wikisem.outputs").joinpath("wall_answers.py").read_bytes()
    generation = {"until": [], "do_sample": False, "max_gen_toks": _WALL_TOKENS}
    asked = {"doc_to_text": "{{text}}", "doc_to_target": "{{target_text}}", "generation_kwargs": generation}
    template = yaml_bytes(_template(facts, {"output_type": "generate_until", **asked}, SCORES))
    yield "lm_eval/_walls.yaml", template + b"process_results: !function wall_answers.process_results\n"
    for code in codes:
        yield f"lm_eval/{code}_walls.yaml", _task(facts, code, "walls", "_walls", "walls")
    tasks = [f"wikisem_{code}_walls" for code in codes]
    yield "lm_eval/wikisem_walls.yaml", yaml_bytes(_task_group("wikisem_walls", tasks, SCORES))
    yield "inspect_walls.py", WORDS["inspect_walls"].encode()
    yield "euroeval_walls.py", _euroeval("euroeval_walls", {code: [code] for code in codes})


def _euroeval(template: str, spoken: Mapping[str, Sequence[str]], **values: Any) -> bytes:
    """A file of data sets for EuroEval; ``values`` are those of other names in the template than LANGUAGES."""
    text = WORDS[template]
    languages = {code: [iso_639(each) for each in own] for code, own in spoken.items()}
    for name, value in {"LANGUAGES": languages, **values}.items():
        text = text.replace(name, repr(value))
    return text.encode()


def _prompts(facts: ReleaseFacts) -> dict[str, Any]:
    """What EuroEval asks in every language, since it has words of its own in few, and the letters of the largest case.

    The data set's question and its choices are ``text``.
    """
    letters = list(_LETTERS[: max(facts.total("sizes")) + 1].lower())
    return {
        "labels": letters,
        "prompt_label_mapping": {letter: letter for letter in letters},
        "prompt_prefix": "",
        "prompt_template": "{text}\nAnswer: {label}",
        "instruction_prompt": "{text}\n\nAnswer with one letter and nothing else.",
    }


def _package(facts: ReleaseFacts) -> Iterator[tuple[str, bytes]]:
    """What makes the folder a Python package whose tasks inspect-ai knows by name, which its register asks for."""
    name, maker = package_name(facts), facts.maker
    modules = ["inspect_wikisem", *(["inspect_walls"] if "walls" in facts.extras else [])]
    author = {"name": maker.name} | ({"email": maker.contact} if "@" in maker.contact else {})
    project = {
        "name": name.replace("_", "-"),
        "version": facts.version,
        "description": f"{facts.cases:,} {made_up(facts)}test cases of outlier detection",
        "readme": "README.md",
        "license": facts.licence.spdx,
        "license-files": ["LICENSE"],
        **({"authors": [author]} if maker.name else {}),
        **({"urls": {"Homepage": hub_url(facts)}} if facts.repository else {}),
        "requires-python": ">=3.10",
        "dependencies": ["datasets", "inspect_ai"],
        "entry-points": {"inspect_ai": {name: f"{name}._registry"}},
    }
    data = ["cases/*.parquet", "walls/*.parquet", "lm_eval/wall_answers.py"]
    setuptools = {"packages": [name], "package-dir": {name: "."}, "package-data": {name: data}}
    system = {"requires": ["setuptools>=77"], "build-backend": "setuptools.build_meta"}
    tables = {"build-system": system, "project": project, "tool": {"setuptools": setuptools}}
    yield "pyproject.toml", toml_text(tables).lstrip().encode()
    imports = "".join(f"import {name}.{module}\n" for module in modules)
    yield "_registry.py", f'"""The tasks that inspect-ai finds in this package."""\n\n{imports}'.encode()
    yield ".gitignore", WORDS["gitignore"].encode()


def _multiple_choice(text: str, choices: str) -> dict[str, Any]:
    return {
        "output_type": "multiple_choice",
        "doc_to_text": text,
        "doc_to_choice": choices,
        "doc_to_target": "answer",
    }


def _template(facts: ReleaseFacts, asked: Mapping[str, Any], metrics: Sequence[str]) -> dict[str, Any]:
    return {
        "dataset_path": facts.repository or "parquet",
        "test_split": "test",
        **asked,
        "metric_list": [{"metric": name, "aggregation": "mean", "higher_is_better": True} for name in metrics],
        "metadata": {"version": 1.0},
    }


def _task(facts: ReleaseFacts, code: str, template: str, suffix: str, kind: str = "cases") -> bytes:
    """Three lines; codes are quoted, because ``no`` is False in YAML. Without a repository, paths are of the folder."""
    lines: dict[str, Any] = {"include": f"_{template}.yaml", "task": f"wikisem_{code}{suffix}"}
    if facts.repository:
        return yaml_bytes({**lines, "dataset_name": f"{code}_{kind}"})
    return yaml_bytes({**lines, "dataset_kwargs": {"data_files": {"test": f"{kind}/{code}.parquet"}}})


def _task_group(name: str, tasks: Sequence[str], metrics: Sequence[str]) -> dict[str, Any]:
    """A group of tasks of lm-evaluation-harness, with the means over all their cases."""
    means = [{"metric": metric, "aggregation": "mean", "weight_by_size": True} for metric in metrics]
    return {"group": name, "task": list(tasks), "aggregate_metric_list": means, "metadata": {"version": 1.0}}


def _eval_yaml(facts: ReleaseFacts) -> dict[str, Any]:
    """What inspect-ai, EuroEval and the benchmarks of Hugging Face read: a task for each language.

    EuroEval takes the language from the start of a config's name; the keys of ``_prompts`` are for it alone.
    """
    return {
        "name": facts.name,
        "description": description(facts),
        "evaluation_framework": "inspect-ai",
        "tasks": [
            {
                "id": language.code,
                "config": f"{language.code}_cases",
                "split": "test",
                "field_spec": {
                    "input": "question",
                    "target": "answer",
                    "choices": "choices",
                    "id": "id",
                    "metadata": ["class", "outlier_class", "margin", "coherence"],
                },
                "solvers": [{"name": "multiple_choice"}],
                "scorers": [{"name": "choice"}],
            }
            for language in facts.filled
        ],
        **_prompts(facts),
    }


def yaml_bytes(value: dict[str, Any]) -> bytes:
    """A mapping as YAML that is JSON but for its first level, a line for each key."""
    return "".join(f"{key}: {yaml_json(each)}\n" for key, each in value.items()).encode()


# croissant.json, by https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html (2026-01-29).

_SPEC: Final = ("http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0")

# The context that the specification gives, and the vocabulary of provenance.
_TERMS: Final = """arrayShape citeAs column containedIn equivalentProperty extract field fileObject fileProperty fileSet
format includes isArray isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated replace
samplingRate separator source subField transform"""
CONTEXT: Final[dict[str, Any]] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    **{term: f"cr:{term}" for term in _TERMS.split()},
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
    "prov": "http://www.w3.org/ns/prov#",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
}


def croissant_json(facts: ReleaseFacts) -> bytes:
    """The text of croissant.json: the record sets, by Croissant 1.1 with its vocabulary for responsible AI.

    One FileSet and one RecordSet serve all languages: every record has a field ``language``.
    """
    kinds = [("groups", GROUPS), ("cases", CASES), *([("walls", WALLS)] if "walls" in facts.extras else [])]
    document = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": list(_SPEC),
        "name": facts.name,
        "description": description(facts),
        "version": facts.version,
        "license": facts.licence.url,
        "url": hub_url(facts) if facts.repository else PAPER_URL,
        "citeAs": PAPER,
        "creator": _creator(facts),
        "datePublished": facts.published,
        "inLanguage": facts.iso_codes,
        "isLiveDataset": False,
        # The eight that NeurIPS asks for (https://neurips.cc/Conferences/2026/EvaluationsDatasetsHosting), and how the
        # data was collected.
        "rai:dataCollection": collection(facts),
        "rai:dataUseCases": uses(facts),
        "rai:dataLimitations": limits(facts),
        "rai:dataBiases": biases(facts),
        "rai:dataSocialImpact": social_impact(facts),
        "rai:personalSensitiveInformation": personal(facts),
        "rai:hasSyntheticData": facts.made_up,
        "prov:wasDerivedFrom": [_derived(source, facts) for source in facts.sources],
        "prov:wasGeneratedBy": [
            {"@type": "prov:Activity", "name": f"wikisem {unit}", "description": said}
            for unit, said in activities(facts)
        ],
        "distribution": [_file_set(name) for name, _ in kinds],
        "recordSet": [_record_set(name, schema) for name, schema in kinds],
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n"


def _creator(facts: ReleaseFacts) -> dict[str, str]:
    contact = facts.maker.contact
    about = {"email" if "@" in contact else "url": contact} if contact else {}
    return {"@type": "sc:Person", "name": facts.maker.name or NOBODY} | about


def _derived(source: Source, facts: ReleaseFacts) -> dict[str, str]:
    about = {"@type": "prov:Entity", "name": made_up(facts) + source.name}
    about |= {"@id": source.url} if source.url else {}
    return about | ({"sha256": source.sha256} if source.sha256 else {})


def _file_set(name: str) -> dict[str, str]:
    return {
        "@type": "cr:FileSet",
        "@id": f"{name}-files",
        "name": f"{name}-files",
        "description": f"One Parquet file of {name} for each language.",
        "encodingFormat": "application/x-parquet",
        "includes": f"{name}/*.parquet",
    }


def _record_set(name: str, schema: pa.Schema) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"The {name} of all languages; the field language tells them apart.",
        "field": [_field(name, [column.name], column.type) for column in schema],
    }


def _field(record_set: str, path: Sequence[str], kind: pa.DataType) -> dict[str, Any]:
    """A column, or a field of the structs in a list; lists of structs in these are left out, as it has no null ones."""
    name = "/".join([record_set, *path])
    about: dict[str, Any] = {"@type": "cr:Field", "@id": name, "name": path[-1]}
    if pa.types.is_list(kind) and pa.types.is_struct(kind.value_type):
        members = kind.value_type
        subfields = [
            _field(record_set, [*path, members.field(at).name], members.field(at).type)
            for at in range(members.num_fields)
            if not pa.types.is_list(members.field(at).type)
        ]
        return {**about, "repeated": True, "subField": subfields}
    source: dict[str, Any] = {"fileSet": {"@id": f"{record_set}-files"}, "extract": {"column": path[0]}}
    if len(path) > 1:
        source["transform"] = {"jsonPath": path[-1]}
    if pa.types.is_list(kind):
        return {**about, "dataType": _data_type(kind.value_type), "isArray": True, "arrayShape": "-1", "source": source}
    return {**about, "dataType": _data_type(kind), "source": source}


def _data_type(kind: pa.DataType) -> str:
    if pa.types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"
