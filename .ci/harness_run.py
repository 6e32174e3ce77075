"""What .ci/harness.py runs in the environment of the harnesses; see there."""

import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import mteb
import numpy as np
import pyarrow.parquet as pq
from mteb.languages import ISO_TO_LANGUAGE, ISO_TO_SCRIPT

from benchmarks.releases import make_releases
from wikisem.evaluate import outliers
from wikisem.evaluation.harness_samples import read_samples
from wikisem.evaluation.mteb_task import language_script, outlier_task
from wikisem.evaluation.options import MEASURES
from wikisem.outputs.wall_answers import SCORES, score_answer
from wikisem.wikis import WIKIPEDIA_CODES

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "harnesses" / "results.md"


def main(words: list[str]) -> int:
    """Run everything on every release; 1 where a harness disagrees with us."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        releases = dict(make_releases(here))
        model = make_model(here / "tiny")
        rows = [row for name, release in releases.items() for row in run_all(name, release, model, here)]
    check_languages()
    table = format_table(rows, time.monotonic() - begin)
    print(table)
    if "--write" in words:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(table, encoding="utf-8")
    return 0


def make_model(folder: Path) -> Path:
    """A GPT-2 of two layers with random weights, and a tokenizer with a token for each byte."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: at for at, token in enumerate([*alphabet, "<|end|>"])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, eos_token="<|end|>", bos_token="<|end|>", pad_token="<|end|>"
    )
    fast.chat_template = "{% for message in messages %}{{ message['content'] }}\n{% endfor %}"
    fast.save_pretrained(folder)
    torch.manual_seed(500)
    end = vocabulary["<|end|>"]
    config = GPT2Config(
        vocab_size=len(vocabulary), n_positions=8192, n_embd=32, n_layer=2, n_head=2, bos_token_id=end, eos_token_id=end
    )
    GPT2LMHeadModel(config).save_pretrained(folder)
    return folder


def run_all(name: str, release: Path, model: Path, here: Path) -> Iterator[dict[str, Any]]:
    """A row for each harness and language."""
    codes = sorted(path.stem for path in (release / "cases").glob("*.parquet"))
    for variant in ("", "_letters"):
        for code, row in run_lm_eval(release, codes, variant, model, here).items():
            yield {"release": name, "harness": f"lm-eval{variant and ', letters'}", "language": code, **row}
    for code in codes:
        yield {"release": name, "harness": "inspect-ai", "language": code, **run_inspect(release, code, f"hf/{model}")}
        seeded = {"release": name, "harness": "inspect-ai, seeded answers", "language": code}
        yield {**seeded, **run_inspect(release, code, "")}
    for code, row in run_mteb(release, codes).items():
        yield {"release": name, "harness": "MTEB", "language": code, **row}
    for path in sorted((release / "walls").glob("*.parquet")):
        for harness, row in run_walls(release, path.stem).items():
            yield {"release": name, "harness": f"{harness}, walls", "language": path.stem, **row}
    check_eval_yaml(release, here)


def run_walls(release: Path, code: str) -> dict[str, dict[str, Any]]:
    """Prepared answers to the walls of a language: both harnesses give each score as we do."""
    walls = pq.read_table(release / "walls" / f"{code}.parquet").to_pylist()
    answers = [prepared_answer(wall, random.Random(wall["id"])) for wall in walls]
    scores = [
        score_answer(answer, wall["choices"], wall["answer"]) for wall, answer in zip(walls, answers, strict=True)
    ]
    ours = {name: float(np.mean([one[name] for one in scores])) for name in SCORES}
    found = {
        "lm-eval": walls_by_lm_eval(release, code, walls, answers),
        "inspect-ai": walls_by_inspect(release, code, answers),
    }
    for harness, theirs in found.items():
        assert all(abs(theirs[name] - ours[name]) < 1e-9 for name in SCORES), (harness, code, theirs, ours)
    groups = f"groups found: {100 * ours['groups_found']:.1f}"
    return {
        harness: {"cases": len(walls), "accuracy": theirs["solved"], "ours": ours["solved"], "opp": groups}
        for harness, theirs in found.items()
    }


def prepared_answer(wall: dict[str, Any], chance: random.Random) -> str:
    """The solution, as it is, without one of its lines, or with two words in each other's place."""
    groups = [[word for word, own in zip(wall["choices"], wall["answer"], strict=True) if own == at] for at in range(4)]
    kind = chance.randrange(3)
    if kind == 1:
        groups.pop()
    if kind == 2:
        groups[0][0], groups[1][0] = groups[1][0], groups[0][0]
    return "\n".join(f"{at}. {', '.join(group)}" for at, group in enumerate(groups, start=1))


def walls_by_lm_eval(release: Path, code: str, walls: list[dict[str, Any]], answers: list[str]) -> dict[str, float]:
    """The scores of lm-evaluation-harness, of a model that knows these answers."""
    import lm_eval
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    known = dict(zip((wall["text"] for wall in walls), answers, strict=True))

    class Prepared(LM):
        def generate_until(self, requests: Any) -> list[str]:
            return [known[request.args[0]] for request in requests]

        def loglikelihood(self, requests: Any) -> Any:
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    os.chdir(release)
    manager = TaskManager(include_path=str(release / "lm_eval"), include_defaults=False)
    task = f"wikisem_{code}_walls"
    results = lm_eval.simple_evaluate(Prepared(), tasks=[task], task_manager=manager)["results"][task]
    return {name: results[f"{name},none"] for name in SCORES}


def walls_by_inspect(release: Path, code: str, answers: list[str]) -> dict[str, float]:
    """The scores of inspect-ai, through its own mock of a model."""
    from inspect_ai import eval as evaluate

    os.chdir(release)
    log = evaluate(
        "inspect_walls.py", model=mock_model(answers), task_args={"language": code}, display="none",
        log_dir=str(release.parent / "inspect-logs"), max_connections=1, max_samples=1,
    )[0]  # fmt: skip
    assert log.status == "success", log.error.message
    return {score.name: score.metrics["mean"].value for score in log.results.scores}


def mock_model(answers: list[str]) -> Any:
    """A model that gives these answers one after the other."""
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    outputs = [ModelOutput.from_content("mockllm", each) for each in answers]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else it downloads a tokenizer
    return get_model("mockllm/model", custom_outputs=outputs)


def run_lm_eval(release: Path, codes: list[str], variant: str, model: Path, here: Path) -> dict[str, dict[str, Any]]:
    """The tiny model on every task; the samples that the harness logs, read by us, give its own accuracies."""
    import lm_eval
    from lm_eval.tasks import TaskManager

    os.chdir(release)
    tasks = [f"wikisem_{code}{variant}" for code in codes]
    manager = TaskManager(include_path=str(release / "lm_eval"), include_defaults=False)
    arguments = {"pretrained": str(model), "dtype": "float32"}
    found = lm_eval.simple_evaluate(
        "hf", model_args=arguments, tasks=tasks, task_manager=manager, batch_size=64, device="cpu"
    )
    rows = {}
    for code, task in zip(codes, tasks, strict=True):
        file = here / "tiny-model" / f"samples_{task}.jsonl"
        file.parent.mkdir(exist_ok=True)
        file.write_text("".join(json.dumps(sample, default=str) + "\n" for sample in found["samples"][task]))
        theirs = {measure: found["results"][task].get(f"{measure},none") for measure in MEASURES}
        ours = {measure: read_samples(file, measure).overall() for measure in MEASURES}
        for measure, their in theirs.items():
            assert their is None or abs(100 * their - ours[measure].accuracy) < 1e-9, (
                task,
                measure,
                their,
                ours[measure],
            )
        overall = ours["acc"]
        rows[code] = {
            "cases": overall.cases,
            "accuracy": theirs["acc"],
            "ours": overall.accuracy / 100,
            "opp": bars(overall),
        }
    return rows


def bars(overall: Any) -> str:
    """OPP with its interval."""
    opp = overall.error_bars[0]
    return f"{opp.value:.1f} ({opp.low:.1f} to {opp.high:.1f})"


def run_inspect(release: Path, code: str, model: str) -> dict[str, Any]:
    """A model on the multiple choices of a language: the tiny one, or seeded letters through inspect-ai's own mock."""
    from inspect_ai import eval as evaluate

    cases = pq.read_table(release / "cases" / f"{code}.parquet").to_pylist()
    letters = random.Random(code)
    if model:
        chosen: Any = model
    else:
        chosen = mock_model([f"ANSWER: {letters.choice('ABCDEFGHI'[: len(case['choices'])])}" for case in cases])
    os.chdir(release)
    log = evaluate(
        "inspect_wikisem.py", model=chosen, task_args={"language": code}, max_tokens=8, display="none",
        log_dir=str(release.parent / "inspect-logs"), max_connections=64 if model else 1, max_samples=64 if model else 1
    )[0]  # fmt: skip
    assert log.status == "success", log.error.message
    by_id = {case["id"]: case for case in cases}
    right = [
        by_id[sample.id]["answer"] == "ABCDEFGHI".find(sample.scores["clustered_choice"].answer or "?")
        for sample in log.samples
    ]
    metrics = log.results.scores[0].metrics
    assert len(right) == len(cases)
    assert abs(metrics["accuracy"].value - np.mean(right)) < 1e-9, (code, metrics, np.mean(right))
    error = metrics["stderr"].value
    return {"cases": len(cases), "accuracy": metrics["accuracy"].value, "ours": float(np.mean(right)), "stderr": error}


def check_eval_yaml(release: Path, here: Path) -> None:
    """inspect-ai makes its tasks from eval.yaml as from the Hub; only the download of the file is replaced."""
    import huggingface_hub
    from inspect_ai._eval.task.hf import task_create_from_hf

    os.chdir(here)
    (here / "owner").mkdir(exist_ok=True)
    link = here / "owner" / "set"
    link.unlink(missing_ok=True)
    link.symlink_to(release)
    download = huggingface_hub.hf_hub_download
    huggingface_hub.hf_hub_download = lambda **_: str(release / "eval.yaml")
    try:
        tasks = task_create_from_hf("hf/owner/set")
    finally:
        huggingface_hub.hf_hub_download = download
    counts = [len(task.dataset) for task in tasks]
    rows = [pq.read_metadata(path).num_rows for path in sorted((release / "cases").glob("*.parquet"))]
    assert counts == rows, (counts, rows)


def run_mteb(release: Path, codes: list[str]) -> dict[str, dict[str, Any]]:
    """MTEB's random encoder; our own command on the same vectors gives the same scores."""
    model = mteb.get_model("mteb/baseline-random-encoder")
    found = mteb.evaluate(model, tasks=[outlier_task(release)], cache=None, show_progress_bar=False)
    scores = {row["hf_subset"]: row for row in found.task_results[0].scores["test"]}
    rows = {}
    for code in codes:
        ours = outliers(str(release / "groups" / f"{code}.parquet"), _vectors_of(model, release)).overall()
        row = scores[code]
        assert row["languages"] == [language_script(code)]
        assert abs(100 * row["accuracy"] - ours.accuracy) < 1e-6, (code, row, ours.accuracy)
        assert abs(100 * row["opp"] - ours.opp) < 1e-6
        rows[code] = {"cases": ours.cases, "accuracy": row["accuracy"], "ours": ours.accuracy / 100, "opp": bars(ours)}
    return rows


def _vectors_of(model: Any, release: Path) -> Any:
    """The random encoder as a callable from words to vectors, which wikisem.evaluate takes."""
    from datasets import Dataset
    from mteb._create_dataloaders import create_dataloader

    task = outlier_task(release)

    def encode(words: Any) -> Any:
        batches = create_dataloader(Dataset.from_dict({"text": list(words)}), task_metadata=task.metadata)
        about = {"task_metadata": task.metadata, "hf_split": "test", "hf_subset": "en"}
        return np.asarray(model.encode(batches, **about), dtype=np.float64)

    from wikisem.evaluate import open_vectors

    return open_vectors(encode, name="random")


def check_languages() -> None:
    """MTEB knows language and script of every Wikipedia, or we say of which it does not."""
    unknown = [
        code
        for code in sorted(WIKIPEDIA_CODES)
        for language, script in [language_script(code).split("-")]
        if language not in ISO_TO_LANGUAGE or script not in ISO_TO_SCRIPT
    ]
    print(f"languages that MTEB does not know: {unknown or 'none'}")


def format_table(rows: list[dict[str, Any]], seconds: float) -> str:
    """The page."""
    names = ("lm-eval", "inspect-ai", "mteb", "torch", "transformers", "datasets")
    lines = [
        "<!-- written by make test-harness WRITE=--write -->",
        "",
        "| release | harness | language | cases | accuracy | ours | OPP (95 %) or standard error |",
        "|---|---|---|---:|---:|---:|---|",
    ]
    for row in rows:
        more = row.get("opp") or f"± {100 * row['stderr']:.1f}, clustered by class"
        head = f"| {row['release']} | {row['harness']} | {row['language']} | {row['cases']} "
        lines.append(f"{head}| {100 * row['accuracy']:.2f} | {100 * row['ours']:.2f} | {more} |")
    found = ", ".join(f"{name} {version(name)}" for name in names)
    return "\n".join([*lines, "", f"{found}; {seconds:.0f} s.", ""])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
