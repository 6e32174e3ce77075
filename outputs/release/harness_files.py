"""Files that evaluation harnesses read: tasks for lm-evaluation-harness, eval.yaml and a task file for inspect-ai.

lm_eval/ has a template for each variant and three lines for each language. In ``wikisem_<code>`` a model scores the
words themselves; in ``wikisem_<code>_letters``, for models that follow instructions, the letters before them. The
prompt is that of *odd one out* in BIG-bench (Srivastava et al. 2022). Every value is written as JSON, which is YAML.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from wikisem.outputs.release.facts import ReleaseFacts, yaml_json
from wikisem.outputs.release.words import WORDS

_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_METRICS: Final = ("acc", "acc_norm", "acc_bytes")

_WORDS_TEXT: Final = "Pick the odd word out.\n\nQ: {{ choices | join(', ') }}\nA:"
_LETTERS_TEXT: Final = (
    "Pick the odd word out.\n"
    "{% for choice in choices %}\n{{ '" + _LETTERS + "'[loop.index0] }}. {{ choice }}{% endfor %}\nAnswer:"
)


def harness_files(facts: ReleaseFacts) -> Iterator[tuple[str, bytes]]:
    """Every file: the path in the release, and the bytes."""
    yield "eval.yaml", _yaml(_eval_yaml(facts))
    yield "inspect_wikisem.py", WORDS["inspect_task"].encode()
    codes = [language.code for language in facts.filled]
    choices = "{{ '" + _LETTERS + "'[:choices | length] | list }}"
    yield "lm_eval/_words.yaml", _yaml(_template(facts, _WORDS_TEXT, "choices", _METRICS))
    yield "lm_eval/_letters.yaml", _yaml(_template(facts, _LETTERS_TEXT, choices, _METRICS[:1]))
    for code in codes:
        yield f"lm_eval/{code}.yaml", _task(facts, code, "words", "")
        yield f"lm_eval/{code}_letters.yaml", _task(facts, code, "letters", "_letters")
    yield "lm_eval/wikisem.yaml", _yaml(_group("wikisem", [f"wikisem_{code}" for code in codes], _METRICS))
    letters = [f"wikisem_{code}_letters" for code in codes]
    yield "lm_eval/wikisem_letters.yaml", _yaml(_group("wikisem_letters", letters, _METRICS[:1]))


def _template(facts: ReleaseFacts, text: str, choices: str, metrics: Sequence[str]) -> dict[str, Any]:
    return {
        "dataset_path": facts.repository or "parquet",
        "test_split": "test",
        "output_type": "multiple_choice",
        "doc_to_text": text,
        "doc_to_choice": choices,
        "doc_to_target": "answer",
        "metric_list": [{"metric": name, "aggregation": "mean", "higher_is_better": True} for name in metrics],
        "metadata": {"version": 1.0},
    }


def _task(facts: ReleaseFacts, code: str, template: str, suffix: str) -> bytes:
    """Three lines; codes are quoted, because ``no`` is False in YAML. Without a repository, paths are of the folder."""
    lines: dict[str, Any] = {"include": f"_{template}.yaml", "task": f"wikisem_{code}{suffix}"}
    if facts.repository:
        return _yaml({**lines, "dataset_name": f"{code}-cases"})
    return _yaml({**lines, "dataset_kwargs": {"data_files": {"test": f"cases/{code}.parquet"}}})


def _group(name: str, tasks: Sequence[str], metrics: Sequence[str]) -> dict[str, Any]:
    means = [{"metric": metric, "aggregation": "mean", "weight_by_size": True} for metric in metrics]
    return {"group": name, "task": list(tasks), "aggregate_metric_list": means, "metadata": {"version": 1.0}}


def _eval_yaml(facts: ReleaseFacts) -> dict[str, Any]:
    """What inspect-ai and the benchmarks of Hugging Face read: a task for each language."""
    return {
        "name": facts.name,
        "description": WORDS["description"],
        "evaluation_framework": "inspect-ai",
        "tasks": [
            {
                "id": language.code,
                "config": f"{language.code}-cases",
                "split": "test",
                "field_spec": {
                    "input": "question",
                    "target": "answer",
                    "choices": "choices",
                    "id": "id",
                    "metadata": ["class", "outlier_class"],
                },
                "solvers": [{"name": "multiple_choice"}],
                "scorers": [{"name": "choice"}],
            }
            for language in facts.filled
        ],
    }


def _yaml(value: dict[str, Any]) -> bytes:
    """A mapping as YAML that is JSON but for its first level, a line for each key."""
    return "".join(f"{key}: {yaml_json(each)}\n" for key, each in value.items()).encode()
