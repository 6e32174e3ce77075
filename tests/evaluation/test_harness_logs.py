"""Logs of any task of lm-evaluation-harness and inspect-ai: scores by cluster, and what is no log."""

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard

from tests.rows import one, printed_rows
from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.evaluate import samples
from wikisem.evaluation.harness import read_log
from wikisem.evaluation.statistics import clustered_error
from wikisem.pipeline.cli import main

# Twelve questions on four passages: a model is right on all of a passage or on few.
PASSAGES = ["a", "a", "a", "b", "b", "b", "c", "c", "c", "d", "d", "d"]
GOOD = [1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0, 1]
BAD = [1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1]


def lm_eval_log(path: Path, right: Sequence[float], **more: Any) -> Path:
    """A file with the fields that ``lm_eval --log_samples`` writes."""
    path.parent.mkdir(exist_ok=True)
    rows = [
        {
            "doc_id": number,
            "doc": {"question": f"question {number}", "passage": PASSAGES[number]},
            "target": "0",
            "arguments": {"gen_args_0": {"arg_0": "prompt", "arg_1": " answer"}},
            "resps": [[["-1.5", "False"]]],
            "filtered_resps": [["-1.5", "False"]],
            "filter": "none",
            "metrics": ["acc", "acc_norm"],
            "doc_hash": f"hash {number}",
            "acc": score,
            "acc_norm": 1 - score,
            **more,
        }
        for number, score in enumerate(right)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def inspect_samples(right: Sequence[Any]) -> list[dict[str, Any]]:
    """Samples as inspect-ai logs them."""
    return [
        {"id": number, "epoch": 1, "input": "?", "target": "x", "metadata": {"passage": PASSAGES[number]},
         "scores": {} if value is None else {"match": {"value": value, "answer": "y"}}, "events": []}
        for number, value in enumerate(right)
    ]  # fmt: skip


HEADER = {"version": 2, "status": "success", "eval": {"task": "reading", "model": "maker/model", "run_id": "r"}}


def archive(path: Path, files: Mapping[str, Any], damaged: bool = False) -> Path:
    """A ZIP archive in Zstandard, method 93, as inspect-ai writes it since 2026 and Python 3.11 does not."""
    data, directory = io.BytesIO(), b""
    for name, value in files.items():
        plain = json.dumps(value).encode()
        packed = zstandard.compress(plain)
        checksum = zlib.crc32(plain) ^ damaged
        head = struct.pack("<HHHHHIIIHH", 63, 0, 93, 0, 33, checksum, len(packed), len(plain), len(name), 0)
        directory += b"PK\x01\x02" + struct.pack("<H", 63) + head
        directory += struct.pack("<HHHII", 0, 0, 0, 0, data.tell()) + name.encode()
        data.write(b"PK\x03\x04" + head + name.encode() + packed)
    start = data.tell()
    end = struct.pack("<HHHHIIH", 0, 0, len(files), len(files), len(directory), start, 0)
    path.write_bytes(data.getvalue() + directory + b"PK\x05\x06" + end)
    return path


def eval_log(path: Path, right: Sequence[Any], **more: Any) -> Path:
    """A log of inspect-ai as an archive."""
    files = {f"samples/{sample['id']}_epoch_1.json": sample for sample in inspect_samples(right)}
    return archive(path, {"_journal/start.json": HEADER, **files, "header.json": HEADER}, **more)


def test_scores_are_by_cluster(tmp_path: Path) -> None:
    """The mean is that of the samples, its error that of the passages, and larger than that of independent samples."""
    log = lm_eval_log(tmp_path / "good" / "samples_reading_2026-11-01T10-00-00.jsonl", GOOD)
    row = samples([log], cluster_by="passage").row("acc")
    assert (row.model, row.dataset, row.n, row.unit, row.cases) == ("good", "reading", 4, "cluster", 12)
    assert row.value == pytest.approx(75)
    sums = np.array([3.0, 3.0, 1.0, 2.0])
    assert row.se == pytest.approx(100 * (clustered_error(sums, np.full(4, 3.0)) or 0))
    alone = samples([log], cluster_by="doc_id").row("acc")
    assert (alone.n, alone.value) == (12, row.value)
    assert (alone.se or 0) < (row.se or 0)
    assert samples([log], cluster_by="passage", metric="acc_norm").row("acc_norm").value == pytest.approx(25)


def test_two_models_are_compared_pair_by_pair(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One table, one sentence with the difference and what would be seen; --cases is what calibrate reads."""
    name = "samples_reading_2026-11-01T10-00-00.jsonl"
    logs = [str(lm_eval_log(tmp_path / model / name, right)) for model, right in (("good", GOOD), ("bad", BAD))]
    words = ["evaluate", "samples", *logs, "--cluster-by", "passage", "--cases", str(tmp_path / "cases.jsonl")]
    assert main(words) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "acc: good − bad: +41.7 points" in printed
    assert "not told apart, 4 clusters; a difference of" in printed
    assert printed.count("┏") == 1
    assert main([*words, "--json"]) == 0
    rows = printed_rows(capsys.readouterr().out)
    (gap,) = (row for row in rows if row.less and row.metric == "acc")
    (effect,) = (row for row in rows if row.metric == "detectable_difference")
    # Student's quantile with three degrees of freedom and the normal one of .8.
    assert effect.value == pytest.approx((gap.se or 0) * (3.18245 + 0.84162), rel=1e-4)
    assert {one(rows, "acc", model=model).mark for model in ("good", "bad")} == {"best", "tied"}
    cases = [json.loads(line) for line in (tmp_path / "cases.jsonl").read_text().splitlines()]
    assert len(cases) == 24
    assert cases[0]["group"] == "reading/a"


def test_models_are_compared_on_the_samples_of_both(tmp_path: Path) -> None:
    """A log of fewer samples: own scores of all, common ones of those that both have."""
    full, part = lm_eval_log(tmp_path / "full" / "samples_x.jsonl", GOOD), tmp_path / "part" / "samples_x.jsonl"
    lm_eval_log(part, GOOD[:6])
    found = samples([full, part], cluster_by="passage")
    assert found.row("acc", model="full", vocabulary="own").cases == 12
    assert found.row("acc", model="full").cases == 6
    assert found.row("acc", model="full", less="part").value == 0
    with pytest.raises(UsageError, match=r"expected one row with .*, saw 2"):
        found.row("acc")
    lines = full.read_text().splitlines(keepends=True)
    full.write_text("".join(lines[6:]))
    apart = samples([full, part], cluster_by="passage")
    assert [row for row in apart.rows if row.less or row.mark] == []


@pytest.mark.parametrize("form", ["eval", "json"])
def test_inspect_logs_are_read(tmp_path: Path, form: str) -> None:
    """Words, numbers and truth values as scores; a sample that ended in an error is counted and left out."""
    right = ["C", "I", "P", "N", 1, 0.25, True, False, "yes", "0.5", "C", None]
    path = tmp_path / f"log.{form}"
    if form == "eval":
        eval_log(path, right)
    else:
        path.write_text(json.dumps({**HEADER, "samples": inspect_samples(right)}))
    log = read_log(path, "passage")
    assert [score for _, score in log.samples.values()] == [1, 0, 0.5, 0, 1, 0.25, 1, 0, 1, 0.5, 1]
    assert (log.model, log.task, log.metric, log.unscored) == ("maker/model", "reading", "match", 1)
    found = samples([path], cluster_by="passage")
    assert found.row("match").n == 4
    assert found.row("test_cases", part="coverage").value == 12


def test_a_plain_archive_is_read(tmp_path: Path) -> None:
    """Older logs are deflated."""
    with zipfile.ZipFile(tmp_path / "log.eval", "w", zipfile.ZIP_DEFLATED) as plain:
        plain.writestr("_journal/start.json", json.dumps(HEADER))
        for sample in inspect_samples(["C", "I"]):
            plain.writestr(f"samples/{sample['id']}_epoch_1.json", json.dumps(sample))
    assert read_log(tmp_path / "log.eval", "passage").samples == {"0 #1": ("a", 1.0), "1 #1": ("a", 0.0)}


def test_what_cannot_be_scored_is_said(tmp_path: Path) -> None:
    """A column, metric, filter or score that is not there, two logs of one run, and files that are no logs."""
    log = lm_eval_log(tmp_path / "m" / "samples_x.jsonl", GOOD)
    with pytest.raises(UsageError, match=r"column to cluster by \(question, passage, doc_id, .*\), saw 'topic'"):
        read_log(log, "topic")
    with pytest.raises(UsageError, match=r"expected a metric \(acc, acc_norm\), saw 'f1'"):
        read_log(log, "passage", "f1")
    with pytest.raises(UsageError, match=r"expected one log of m on x, saw .* and "):
        samples([log, log], cluster_by="passage")
    with pytest.raises(DamagedInputError, match=r":1: expected a score from 0 to 1, saw -3\.5; choose another"):
        read_log(lm_eval_log(tmp_path / "m" / "samples_low.jsonl", [-3.5]), "passage")
    strict = lm_eval_log(tmp_path / "m" / "samples_f.jsonl", GOOD, filter="strict-match").read_text()
    both = strict + lm_eval_log(tmp_path / "m" / "samples_f.jsonl", BAD, filter="flexible").read_text()
    (tmp_path / "m" / "samples_f.jsonl").write_text(both)
    with pytest.raises(UsageError, match="filters \\(acc,flexible or acc,strict-match\\)"):
        read_log(tmp_path / "m" / "samples_f.jsonl", "passage")
    assert len(read_log(tmp_path / "m" / "samples_f.jsonl", "passage", "acc,strict-match").samples) == 12
    (tmp_path / "other.jsonl").write_text('{"a": 1}\n')
    with pytest.raises(DamagedInputError, match=r"other.jsonl:1: expected a sample of lm_eval --log_samples, saw"):
        read_log(tmp_path / "other.jsonl", "a")
    (tmp_path / "other.eval").write_bytes(b"PK no")
    with pytest.raises(DamagedInputError, match="expected a log of inspect-ai"):
        read_log(tmp_path / "other.eval", "a")
    with pytest.raises(DamagedInputError, match=r"header.json damaged"):
        read_log(eval_log(tmp_path / "bad.eval", ["C"], damaged=True), "passage")
    with pytest.raises(MissingInputError, match="expected samples with a score, saw 1 without a score"):
        read_log(eval_log(tmp_path / "none.eval", [None]), "passage")
    assert main(["evaluate", "samples", str(log), "--metric", "acc"]) == 2
