"""The files of a release for evaluation harnesses: lm-evaluation-harness, inspect-ai and EuroEval."""

import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any, Final

from wikisem.outputs.release.card import SHOTS, fill, hub_url, toml_text, write_text, yaml_text
from wikisem.outputs.release.cases import QUESTION
from wikisem.outputs.release.metadata import ReleaseFacts
from wikisem.outputs.release.sentences import description, made_up
from wikisem.outputs.wall_answers import SCORES
from wikisem.wikipedia.data.iso_639 import iso_639

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# An answer to a wall takes some two hundred tokens, and far more in a script that the tokenizer hardly covers.
_WALL_TOKENS: Final = 1024
_METRICS: Final = ("acc", "acc_norm", "acc_bytes")
# One choice per line: many words have commas, and none has the end of a line.
_LISTED: Final = QUESTION + "\n{% for choice in choices %}\n$. {{ choice }}{% endfor %}\nAnswer:"
_WORDS_TEXT: Final = _LISTED.replace("$.", "-")
_LETTERS_TEXT: Final = _LISTED.replace("$", "{{ '" + _LETTERS + "'[loop.index0] }}")


def harness_files(facts: ReleaseFacts) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of every file, those for walls last.

    lm_eval/ has a template for each variant and three lines for each language. In ``wikisem_<code>`` a model scores the
    words themselves; in ``wikisem_<code>_letters``, for models that follow instructions, the letters before them. The
    question is that of *odd one out* in BIG-bench (Srivastava et al. 2022). ``wikisem_<code>_walls`` is for models that
    follow instructions; no sequence stops an answer, since a model may think first. All three harnesses read answers to
    walls with the module that evaluation has.
    """
    yield "eval.yaml", yaml_text(_eval_yaml(facts))
    yield "inspect_wikisem.py", fill("inspect_wikisem.py")
    yield from _package(facts)
    codes = [language.code for language in facts.filled]
    spoken = {language.code: [iso_639(code) for code in language.spoken] for language in facts.filled}
    yield (
        "euroeval_wikisem.py",
        fill("euroeval_wikisem.py", languages=spoken, shots=facts.shots, prompts=_prompts(facts)),
    )
    yield "lm_eval/README.md", write_text("lm_eval/README.md", facts)
    choices = "{{ '" + _LETTERS + "'[:choices | length] | list }}"
    yield "lm_eval/_words.yaml", yaml_text(_template(facts, _multiple_choice(_WORDS_TEXT, "choices"), _METRICS))
    yield "lm_eval/_letters.yaml", yaml_text(_template(facts, _multiple_choice(_LETTERS_TEXT, choices), _METRICS[:1]))
    for code in codes:
        yield f"lm_eval/{code}.yaml", _task(facts, code, "words", "")
        yield f"lm_eval/{code}_letters.yaml", _task(facts, code, "letters", "_letters")
    yield "lm_eval/wikisem.yaml", yaml_text(_task_group("wikisem", [f"wikisem_{code}" for code in codes], _METRICS))
    letters = [f"wikisem_{code}_letters" for code in codes]
    yield "lm_eval/wikisem_letters.yaml", yaml_text(_task_group("wikisem_letters", letters, _METRICS[:1]))
    if walled := facts.extras.get("walls"):
        yield "lm_eval/wall_answers.py", files("wikisem.outputs").joinpath("wall_answers.py").read_text("utf-8")
        generation = {"until": [], "do_sample": False, "max_gen_toks": _WALL_TOKENS}
        asked = {"doc_to_text": "{{text}}", "doc_to_target": "{{target_text}}", "generation_kwargs": generation}
        template = yaml_text(_template(facts, {"output_type": "generate_until", **asked}, SCORES))
        yield "lm_eval/_walls.yaml", template + "process_results: !function wall_answers.process_results\n"
        for code in walled:
            yield f"lm_eval/{code}_walls.yaml", _task(facts, code, "walls", "_walls", "walls")
        walls = [f"wikisem_{code}_walls" for code in walled]
        yield "lm_eval/wikisem_walls.yaml", yaml_text(_task_group("wikisem_walls", walls, SCORES))
        yield "inspect_walls.py", fill("inspect_walls.py")
        yield "euroeval_walls.py", fill("euroeval_walls.py", languages={code: [iso_639(code)] for code in walled})


def _prompts(facts: ReleaseFacts) -> dict[str, Any]:
    """Prompts and letters for EuroEval, which has prompts of its own in few languages; ``text`` has the choices."""
    letters = list(_LETTERS[: max(facts.total("sizes")) + 1].lower())
    return {
        "labels": letters,
        "prompt_label_mapping": {letter: letter for letter in letters},
        "prompt_prefix": "",
        "prompt_template": "{text}\nAnswer: {label}",
        "instruction_prompt": "{text}\n\nAnswer with one letter and nothing else.",
    }


def _package(facts: ReleaseFacts) -> Iterator[tuple[str, str]]:
    """Yield what makes the folder a Python package whose tasks inspect-ai finds by name, as its register requires."""
    letters = re.sub("[^a-z0-9]+", "_", facts.name.lower()).strip("_")
    # Never the name of this library.
    name, maker = f"{letters if letters.startswith('wikisem') else f'wikisem_{letters}'}_set", facts.maker
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
    data = ["cases/*.parquet", "shots/*.parquet", "walls/*.parquet", "lm_eval/wall_answers.py"]
    setuptools = {"packages": [name], "package-dir": {name: "."}, "package-data": {name: data}}
    system = {"requires": ["setuptools>=77"], "build-backend": "setuptools.build_meta"}
    tables = {"build-system": system, "project": project, "tool": {"setuptools": setuptools}}
    yield "pyproject.toml", toml_text(tables).lstrip()
    imports = "".join(f"import {name}.{module}\n" for module in modules)
    yield "_registry.py", f'"""The tasks that inspect-ai finds in this package."""\n\n{imports}'
    yield ".gitignore", fill("gitignore")


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


def _task(facts: ReleaseFacts, code: str, template: str, suffix: str, kind: str = "cases") -> str:
    # Codes are quoted, because ``no`` is False in YAML. Without a repository, paths are those of the folder.
    lines: dict[str, Any] = {"include": f"_{template}.yaml", "task": f"wikisem_{code}{suffix}"}
    shots = {SHOTS: f"shots/{code}.parquet"} if kind == "cases" and code in facts.shots else {}
    if facts.repository:
        lines["dataset_name"] = f"{code}_{kind}"
    else:
        lines["dataset_kwargs"] = {"data_files": {"test": f"{kind}/{code}.parquet"} | shots}
    # Without a split of its own the harness would draw examples from the test cases; 0 here outdoes --num_fewshot.
    few = {"fewshot_split": SHOTS, "fewshot_config": {"sampler": "first_n"}} if shots else {"num_fewshot": 0}
    return yaml_text(lines | few)


def _task_group(name: str, tasks: Sequence[str], metrics: Sequence[str]) -> dict[str, Any]:
    """Describe a group of tasks of lm-evaluation-harness, with the means over all their cases."""
    means = [{"metric": metric, "aggregation": "mean", "weight_by_size": True} for metric in metrics]
    return {"group": name, "task": list(tasks), "aggregate_metric_list": means, "metadata": {"version": 1.0}}


def _eval_yaml(facts: ReleaseFacts) -> dict[str, Any]:
    """Describe a task for each language to inspect-ai, EuroEval and the benchmarks of Hugging Face.

    EuroEval takes the language from the start of a config's name, and alone reads the keys of ``_prompts``.
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
