"""The files of a release for evaluation harnesses: lm-evaluation-harness, inspect-ai and EuroEval."""

import re
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any, Final

from wikisem.outputs.release.card import SHOTS, fill, write_text, yaml_text
from wikisem.outputs.release.cases import ENGLISH, PROMPTS, Prompt, prompt_in
from wikisem.outputs.release.metadata import ReleaseFacts
from wikisem.outputs.wall_answers import SCORES
from wikisem.wikipedia.language_tables import iso_639

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# An answer to a wall takes some two hundred tokens, and far more in a script that the tokenizer hardly covers.
_WALL_TOKENS: Final = 1024
_METRICS: Final = ("acc", "acc_norm", "acc_bytes")
# What is before a choice in each kind of task; it has a line of its own, for many words have commas.
_MARKS: Final = {"words": "-", "letters": "{{ '" + _LETTERS + "'[loop.index0] }}."}


def _text(kind: str, question: str, answer: str) -> str:
    return f"{question}\n{{% for choice in choices %}}\n{_MARKS[kind]} {{{{ choice }}}}{{% endfor %}}\n{answer}"


def harness_files(facts: ReleaseFacts) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of every file, those for walls last."""
    yield "eval.yaml", fill("eval.yaml", facts=facts, prompts=_prompts(facts, PROMPTS["en"]))
    asked = {}  # for inspect-ai, by language: the phrasings of the question, and the request to answer with a letter
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
    spoken = {language.code: [iso_639(code) for code in language.spoken] for language in facts.filled}
    prompts = {code: _prompts(facts, prompt_in(code)) for code in spoken}
    yield "euroeval_wikisem.py", fill("euroeval_wikisem.py", languages=spoken, shots=facts.shots, prompts=prompts)
    yield "lm_eval/README.md", write_text("lm_eval/README.md", facts)
    yield from _choice_tasks(facts, list(spoken))
    if walled:
        yield "lm_eval/wall_answers.py", files("wikisem.outputs").joinpath("wall_answers.py").read_text("utf-8")
        # No sequence stops an answer, since a model may think first.
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
    """Yield the test cases for lm-evaluation-harness: a template for each variant, a few lines for each language.

    Models score the words themselves in ``wikisem_<code>``, and in ``wikisem_<code>_letters``, if they follow
    instructions, the letters before them.
    """
    english = PROMPTS["en"].answer
    letters = "{{ '" + _LETTERS + "'[:choices | length] | list }}"
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
    yield _task_group("wikisem", [f"wikisem_{code}" for code in codes], _METRICS)
    if "en" in codes:
        for number, question in enumerate(ENGLISH[1:], start=2):
            text = {"doc_to_text": _text("words", question, english)}
            yield f"lm_eval/en_{number}.yaml", _task(facts, "en", "words", f"_{number}", text)
        phrased = ["wikisem_en", *(f"wikisem_en_{number}" for number in range(2, len(ENGLISH) + 1))]
        yield _task_group("wikisem_en_phrasings", phrased, _METRICS)
    yield _task_group("wikisem_letters", [f"wikisem_{code}_letters" for code in codes], _METRICS[:1])


def _prompts(facts: ReleaseFacts, prompt: Prompt) -> dict[str, Any]:
    """Prompts and letters for EuroEval, which has prompts of its own in few languages; ``text`` has the choices."""
    letters = list(_LETTERS[: max(facts.total("sizes")) + 1].lower())
    request = prompt.request.format(answers=", ".join(letters))
    return {
        "labels": letters,
        "prompt_label_mapping": {letter: letter for letter in letters},
        "prompt_prefix": "",
        "prompt_template": f"{{text}}\n{prompt.answer} {{label}}",
        "instruction_prompt": f"{{text}}\n\n{request}",
    }


def _template(facts: ReleaseFacts, asked: Mapping[str, Any], metrics: Sequence[str]) -> dict[str, Any]:
    return {
        "dataset_path": facts.maker.repository or "parquet",
        "test_split": "test",
        **asked,
        "metric_list": [{"metric": name, "aggregation": "mean", "higher_is_better": True} for name in metrics],
        "metadata": {"version": 1.0},
    }


def _task(facts: ReleaseFacts, code: str, template: str, suffix: str, text: Mapping[str, str]) -> str:
    """Write the task of a language from a template: its name, its data, ``text`` for its own prompts, and its shots."""
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
