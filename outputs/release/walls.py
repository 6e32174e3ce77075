"""Walls in a release: tasks of three harnesses, all of which read answers with the module that evaluation has."""

from collections.abc import Iterator
from importlib.resources import files

from wikisem.outputs.release.facts import ReleaseFacts
from wikisem.outputs.release.files import task_group, yaml_bytes
from wikisem.outputs.release.prose import WORDS
from wikisem.outputs.wall_answers import SCORES
from wikisem.wikipedia.data.iso_639 import iso_639

# Four lines take some two hundred tokens, and far more in a script of which a tokenizer knows little.
_TOKENS = 1024


def wall_tasks(facts: ReleaseFacts) -> Iterator[tuple[str, bytes]]:
    """Every file: the path in the release, and the bytes; none if there are no walls.

    The tasks ``wikisem_<code>_walls`` of lm-evaluation-harness are for models that follow instructions: there is no
    sequence that stops an answer, since a model may think first.
    """
    codes = facts.extras.get("walls", ())
    if not codes:
        return
    yield "lm_eval/wall_answers.py", files("wikisem.outputs").joinpath("wall_answers.py").read_bytes()
    yield "lm_eval/_walls.yaml", _template(facts)
    for code in codes:
        data: dict[str, object] = {"dataset_name": f"{code}-walls"}
        if not facts.repository:
            data = {"dataset_kwargs": {"data_files": {"test": f"walls/{code}.parquet"}}}
        yield (
            f"lm_eval/{code}_walls.yaml",
            yaml_bytes({"include": "_walls.yaml", "task": f"wikisem_{code}_walls", **data}),
        )
    tasks = [f"wikisem_{code}_walls" for code in codes]
    yield "lm_eval/wikisem_walls.yaml", yaml_bytes(task_group("wikisem_walls", tasks, SCORES))
    yield "inspect_walls.py", WORDS["inspect_walls"].encode()
    languages = {code: iso_639(code) for code in codes}
    yield "euroeval_walls.py", WORDS["euroeval_walls"].replace("LANGUAGES", repr(languages)).encode()


def _template(facts: ReleaseFacts) -> bytes:
    lines = yaml_bytes(
        {
            "dataset_path": facts.repository or "parquet",
            "test_split": "test",
            "output_type": "generate_until",
            "doc_to_text": "{{text}}",
            "doc_to_target": "{{target_text}}",
            "generation_kwargs": {"until": [], "do_sample": False, "max_gen_toks": _TOKENS},
            "metric_list": [{"metric": name, "aggregation": "mean", "higher_is_better": True} for name in SCORES],
            "metadata": {"version": 1.0},
        }
    )
    return lines + b"process_results: !function wall_answers.process_results\n"
