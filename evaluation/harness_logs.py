"""Logs of evaluation harnesses, whatever the task: a score from 0 to 1 of each sample, and the cluster that it is in.

    lm-evaluation-harness  samples_TASK_TIME.jsonl of --log_samples, in a folder of the model (0.4.13, seen 2026-11)
    inspect-ai             .eval, an archive of JSON files, or .json (version 2 of its logs, 0.3.285, seen 2026-11)

Samples of a cluster, such as questions on one passage, are right or wrong together, so the cluster is the unit of error
bars and tests (Miller 2024, arXiv 2411.00640, section 2.2).
"""

import copy
import math
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from wikisem.datasets.files import numbered_lines, read_utf8
from wikisem.errors import DamagedInputError, MissingInputError, UsageError, optional_module
from wikisem.evaluation.rows import COVERAGE, WHOLE, Part, Scored, Tally, Vocabulary
from wikisem.typed_json import decode_json

# How inspect-ai's metrics read the words of its scorers; all other scores are numbers.
_VALUES: Final[Mapping[str, float]] = {
    "c": 1, "p": 0.5, "i": 0, "n": 0, "yes": 1, "true": 1, "no": 0, "false": 0
}  # fmt: skip
_ZSTANDARD: Final = 93  # of the ZIP file format specification 6.3.8, appendix on compression methods


@dataclass(frozen=True, slots=True)
class Log:
    """What a model scored on the samples of a task: by the name of each sample its cluster and its score.

    ``metric`` is the score that was read; ``unscored`` samples, such as those that ended in an error, have none.
    """

    path: Path
    model: str
    task: str
    metric: str
    samples: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    unscored: int = 0


def read_log(path: Path, cluster_by: str, metric: str = "") -> Log:
    """The log of a run of either harness, told apart by suffix.

    ``cluster_by`` names a field of a sample's document (its metadata, in inspect-ai), or of the sample itself, such as
    ``doc_id`` or ``id``. ``metric`` is one of the metrics of lm-evaluation-harness, the first by default, also with a
    filter ("exact_match,strict-match"), or a scorer of inspect-ai, with a key if it gives several ("judge,fluency").

    Raises MissingInputError without samples, UsageError for a field or metric that the samples do not have, and
    DamagedInputError for a file that is no log, a score that is not from 0 to 1, and a second sample of one name.
    """
    if not path.is_file():
        raise MissingInputError(f"expected a log of a harness, saw no file at {path}")
    read = _read_lm_eval if path.suffix == ".jsonl" else _read_inspect
    log = read(path, cluster_by, metric)
    if not log.samples:
        failed = f"{log.unscored} without a score" if log.unscored else "none"
        raise MissingInputError(f"{path}: expected samples with a score, saw {failed}")
    return log


def _read_lm_eval(path: Path, cluster_by: str, metric: str) -> Log:
    name, _, filter_name = metric.partition(",")
    samples: dict[str, tuple[str, float]] = {}
    filters: set[str] = set()
    for number, line in numbered_lines(read_utf8(path)):
        if not line:
            continue
        where = f"{path}:{number}"
        sample = decode_json(line, dict[str, Any], where, "a JSON line of a sample")
        known = sample.get("metrics")
        if not isinstance(known, list) or not known or "doc_id" not in sample:
            raise DamagedInputError(f"{where}: expected a sample of lm_eval --log_samples, saw {sorted(sample)}")
        name = name or str(known[0])
        if name not in sample:
            raise UsageError(f"{where}: expected a metric ({', '.join(map(str, known))}), saw {name!r}")
        if filter_name and sample.get("filter") != filter_name:
            continue
        filters.add(str(sample.get("filter", "none")))
        if len(filters) > 1:
            wanted = " or ".join(f"{name},{each}" for each in sorted(filters))
            raise UsageError(f"{path}: expected a metric with one of the filters ({wanted}), saw {name!r}")
        _add(samples, str(sample["doc_id"]), (sample.get("doc"), sample), cluster_by, sample[name], where)
    # The harness puts the time of the run after the name of the task.
    task = path.stem.removeprefix("samples_").partition("_20")[0]
    return Log(path, path.parent.name or path.stem, task, name, samples)


class _Score(msgspec.Struct):
    value: Any


class _Sample(msgspec.Struct):
    id: int | str
    epoch: int = 1
    metadata: dict[str, Any] = {}
    scores: dict[str, _Score] | None = None


class _Task(msgspec.Struct):
    task: str
    model: str


class _Header(msgspec.Struct):
    eval: _Task


class _Whole(_Header):
    samples: list[_Sample] = []


def _read_inspect(path: Path, cluster_by: str, metric: str) -> Log:
    expected = "a log of inspect-ai (.eval or .json) or lm-evaluation-harness (.jsonl)"
    if path.suffix == ".eval":
        try:
            with zipfile.ZipFile(path) as archive:
                names = archive.namelist()
                header = next((name for name in ("header.json", "_journal/start.json") if name in names), "")
                task = decode_json(_unpacked(archive, header), _Header, f"{path}:{header}", expected).eval
                listed = [
                    decode_json(_unpacked(archive, name), _Sample, f"{path}:{name}", "a sample")
                    for name in names
                    if name.startswith("samples/") and name.endswith(".json")
                ]
        except (zipfile.BadZipFile, zlib.error, KeyError, NotImplementedError, OSError) as error:
            raise DamagedInputError(f"{path}: expected {expected}, saw {error}") from error
    else:
        whole = decode_json(path.read_bytes(), _Whole, str(path), expected)
        task, listed = whole.eval, whole.samples
    scorer, _, key = metric.partition(",")
    samples: dict[str, tuple[str, float]] = {}
    for sample in listed:
        if not sample.scores:
            continue
        where = f"{path}, sample {sample.id}"
        scorer = scorer or next(iter(sample.scores))
        if scorer not in sample.scores:
            raise UsageError(f"{where}: expected a scorer ({', '.join(sample.scores)}), saw {scorer!r}")
        value = sample.scores[scorer].value
        if isinstance(value, dict):
            if key not in value:
                wanted = ", ".join(f"{scorer},{each}" for each in value)
                raise UsageError(f"{where}: expected a metric ({wanted}), saw {metric or scorer!r}")
            value = value[key]
        own = {"id": sample.id, "epoch": sample.epoch}
        _add(samples, f"{sample.id} #{sample.epoch}", (sample.metadata, own), cluster_by, value, where)
    return Log(path, task.model, task.task, metric or scorer, samples, len(listed) - len(samples))


def _unpacked(archive: zipfile.ZipFile, name: str) -> bytes:
    """A file of an archive, also in Zstandard, which Python's own module reads from 3.14 on."""
    if archive.getinfo(name).compress_type != _ZSTANDARD:
        return archive.read(name)
    stored = copy.copy(archive.getinfo(name))
    size, stored.compress_type, stored.file_size = stored.file_size, zipfile.ZIP_STORED, stored.compress_size
    checksum, stored.CRC = stored.CRC, None  # type: ignore[assignment]
    zstandard = optional_module("zstandard", "a log that is packed by Zstandard", "build")
    try:
        with archive.open(stored) as packed, closing(zstandard.ZstdDecompressor().stream_reader(packed)) as stream:
            data: bytes = stream.read(size)
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(str(error)) from error
    if len(data) != size or zlib.crc32(data) != checksum:
        raise zipfile.BadZipFile(f"{name} damaged")
    return data


def _add(
    samples: dict[str, tuple[str, float]], name: str, fields: Sequence[Any], cluster_by: str, value: Any, where: str
) -> None:
    """Add a sample with its cluster, from the first of the fields that has one, and its score."""
    known = [each for each in fields if isinstance(each, Mapping)]
    cluster = next((each[cluster_by] for each in known if each.get(cluster_by) is not None), None)
    if cluster is None:
        seen = ", ".join(str(column) for each in known for column in each)
        raise UsageError(f"{where}: expected a column to cluster by ({seen}), saw {cluster_by!r}")
    try:
        score = _VALUES.get(value.lower(), math.nan) if isinstance(value, str) else float(value)
        score = float(value) if isinstance(value, str) and math.isnan(score) else score
    except (TypeError, ValueError):
        score = math.nan
    if not 0 <= score <= 1:
        raise DamagedInputError(f"{where}: expected a score from 0 to 1, saw {value!r}; choose another with --metric")
    if name in samples:
        raise DamagedInputError(f"{where}: expected each sample once, saw {name!r} again")
    samples[name] = (str(cluster), score)


# What models scored.


def scored(logs: Iterable[Log]) -> list[Scored]:
    """The tally of each log by cluster; if models have other samples of a task, those that all have as well.

    UsageError for two logs of a model and a task.
    """
    by_task: dict[str, dict[str, Log]] = {}
    for log in logs:
        task = by_task.setdefault(log.task, {})
        if log.model in task:
            seen = f"{task[log.model].path} and {log.path}"
            raise UsageError(f"expected one log of {log.model} on {log.task}, saw {seen}")
        task[log.model] = log
    shared = {task: set.intersection(*(set(log.samples) for log in own.values())) for task, own in by_task.items()}
    differ = any(set(log.samples) != shared[task] for task, own in by_task.items() for log in own.values())
    found = [_scored(log, "own", log.samples) for own in by_task.values() for log in own.values()]
    several = len({log.model for own in by_task.values() for log in own.values()}) > 1
    if differ and several:
        found += [_scored(log, "common", shared[task]) for task, own in by_task.items() for log in own.values()]
    return found


def _scored(log: Log, vocabulary: Vocabulary, names: Iterable[str]) -> Scored:
    clusters: dict[str, list[tuple[str, float]]] = {}
    for name in sorted(names):
        cluster, score = log.samples[name]
        clusters.setdefault(cluster, []).append((name, score))
    sums = np.array([[sum(score for _, score in own)] for own in clusters.values()]).reshape(-1, 1)
    counts = np.array([len(own) for own in clusters.values()], dtype=np.float64)
    asked = [(cluster, *(name for name, _ in own)) for cluster, own in clusters.items()]
    about = {"test_cases": len(log.samples) + log.unscored, "unscored": log.unscored}
    plain = {Part(COVERAGE): about} if vocabulary == "own" else {}
    tally = Tally((log.metric,), sums, counts, asked, "cluster")
    return Scored(log.model, log.task, vocabulary, {WHOLE: tally}, plain)


def answers_of(logs: Iterable[Log]) -> Iterator[dict[str, Any]]:
    """The score of each model on each of its samples, which ``evaluate calibrate`` reads if it is 0 or 1."""
    for log in logs:
        for name, (cluster, score) in log.samples.items():
            about = {"model": log.model, "dataset": log.task, "case": f"{log.task}/{name}"}
            group = f"{log.task}/{cluster}"
            yield {**about, "group": group, "class": group, "score": score, "right": score == 1}
