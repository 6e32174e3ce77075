"""What evaluation harnesses logged: scores of every choice of test cases, answers to walls, and scores of any task.

    lm-evaluation-harness  samples_TASK_TIME.jsonl of --log_samples, in a folder of the model (0.4.13, seen 2026-11)
    inspect-ai             .eval, an archive of JSON files, or .json (version 2 of its logs, 0.3.285, seen 2026-11)

Where a model gives each choice a log-likelihood, the outlier position is the number of cluster words that score below
the outlier; as in the harness, of equal scores the first counts as higher. Accuracy, OP = |C|, is then its own.

A worked example: choices a, b, X, c score -3, -5, -1, -4. All three score below X: OP / |C| is 1, and X is detected.
With -3, -5, -3.5, -4 two do: OP / |C| is 2/3.
"""

import copy
import math
import zipfile
import zlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

import msgspec
import numpy as np
from msgspec.structs import replace

from wikisem.datasets.files import filled_lines, read_utf8
from wikisem.errors import DamagedInputError, MissingInputError, UsageError, optional_module
from wikisem.evaluation.options import Measure
from wikisem.evaluation.outlier_detection import CaseScore, Evaluation, GroupScore
from wikisem.evaluation.rows import COVERAGE, WHOLE, Part, Scored, Tally, Vocabulary
from wikisem.evaluation.statistics import sum_by_unit
from wikisem.evaluation.walls import WallScore
from wikisem.outputs.groupfile import wall_of_row
from wikisem.outputs.wall_answers import parse_answer, score_partition
from wikisem.records import Group, Level, Member, Outlier
from wikisem.typed_json import decode_json

_EXPECTED: Final = "a JSON line of a sample"
# How inspect-ai's metrics read the words of its scorers; all other scores are numbers.
_VALUES: Final[Mapping[str, float]] = {
    "c": 1, "p": 0.5, "i": 0, "n": 0, "yes": 1, "true": 1, "no": 0, "false": 0
}  # fmt: skip
_ZSTANDARD: Final = 93  # of the ZIP file format specification 6.3.8, appendix on compression methods
# The cases of a release by ``case_id``, which models were asked.
Asked: TypeAlias = Mapping[str, tuple[Group, Outlier]]
NONE_KNOWN: Final[Asked] = {}


class SampleDoc(msgspec.Struct):
    """A test case, as a release has it.

    ``class_`` is a hash. Cases of releases before 2026-11-27 have the QID of their class instead, its label, and in
    ``items`` the QIDs of their choices; those of later ones get these from the groups of the release.
    """

    class_: str = msgspec.field(name="class")
    language: str
    choices: list[str]
    answer: int
    id: str = ""
    label: str = ""
    outlier_class: int | None = None
    items: list[str] = []
    level: Level | None = None


class _Sample(msgspec.Struct):
    doc: SampleDoc
    filtered_resps: list[list[Any]]


def read_samples(path: Path, measure: Measure = "acc", asked: Asked = NONE_KNOWN) -> Evaluation[GroupScore]:
    """The scores in a file that ``lm_eval --log_samples`` wrote for a task of a release.

    ``measure`` chooses what choices are compared by: their log-likelihood, or that by character or by byte, as in the
    harness's metrics of these names. With the cases ``asked``, those of the log have QIDs. MissingInputError without
    samples, DamagedInputError with the line of another, or of a case that is not among them.
    """
    by_class: defaultdict[tuple[str, str], list[CaseScore]] = defaultdict(list)
    docs: dict[tuple[str, str], SampleDoc] = {}  # the first case of each class, whose cluster is that of all
    for doc, scores in read_cases(path, measure, asked):
        docs.setdefault((doc.language, doc.class_), doc)
        by_class[doc.language, doc.class_].append(score_case(doc, scores))
    answered = []
    for key, cases in sorted(by_class.items()):
        doc = docs[key]
        members = [Member(id=qid, surface=word) for word, qid in zip_longest(doc.choices, doc.items, fillvalue="")]
        words = Group(
            id=doc.class_,
            label=doc.label,
            language=doc.language,
            level=doc.level,
            cluster=tuple(member for index, member in enumerate(members) if index != doc.answer),
            outliers=tuple(case.outlier for case in cases),
            where=str(path),
        )
        answered.append(GroupScore(words, tuple(cases), oov_cluster=0.0, oov_outliers=0.0))
    return Evaluation(_model_of(path), notes=(), scores=tuple(answered), dataset=path.stem)


def _model_of(path: Path) -> str:
    """The name of the model whose samples are in a file: that of its folder."""
    return path.parent.name or path.stem


def score_case(doc: SampleDoc, scores: Sequence[float]) -> CaseScore:
    """A test case, from what its choices are compared by: the position of its outlier, and whether that is the last."""
    choices, answer = doc.choices, doc.answer
    # Of equal scores the first counts as higher, as in the harness.
    below = sum(
        one < scores[answer] or (one == scores[answer] and index > answer)
        for index, one in enumerate(scores)
        if index != answer
    )
    qid = doc.items[answer] if doc.items else ""
    outlier = Outlier(id=qid, surface=choices[answer], outlier_class=doc.outlier_class)
    return CaseScore(outlier, below / (len(choices) - 1), below == len(choices) - 1)


def read_cases(path: Path, measure: Measure, asked: Asked) -> Iterator[tuple[SampleDoc, list[float]]]:
    """The cases of a file, each with the scores of its choices; MissingInputError without any.

    The groups that were ``asked`` have what a release keeps apart from its cases: the QIDs of classes and words.
    """
    lines = list(_lines(path))
    if not lines:
        raise MissingInputError(f"{path}: expected samples, saw none")
    for where, line in lines:
        sample = decode_json(line, _Sample, where, _EXPECTED)
        doc = sample.doc
        try:
            # Beside each choice's log-likelihood is whether it would be the greedy answer.
            likelihoods = [float(pair[0]) for pair in sample.filtered_resps]
            scores = choice_scores(doc, likelihoods, measure)
            if asked and not doc.items:
                if doc.id not in asked:
                    raise ValueError(f"case {doc.id!r}, which the groups do not have")
                group, outlier = asked[doc.id]
                qids = {member.surface: member.id for member in (*group.cluster, outlier)}
                if qids.keys() != set(doc.choices):
                    raise ValueError(f"choices {doc.choices}, where the groups have {sorted(qids)}")
                items = [qids[word] for word in doc.choices]
                doc = replace(doc, class_=group.qid, label=group.label, items=items)
        except (IndexError, TypeError, ValueError) as error:
            raise DamagedInputError(
                f"{where}: expected a sample of a task of a release with the score of each choice, saw "
                f"{type(error).__name__}: {error}"
            ) from error
        yield doc, scores


def _lines(path: Path) -> Iterator[tuple[str, str]]:
    if not path.is_file():
        raise MissingInputError(f"expected a file of samples, saw nothing at {path}")
    return filled_lines(read_utf8(path), path)


def choice_scores(doc: SampleDoc, likelihoods: Sequence[float], measure: Measure) -> list[float]:
    """What choices are compared by, from their log-likelihoods; ValueError where these do not make a test case."""
    choices, answer = doc.choices, doc.answer
    if len(likelihoods) != len(choices):
        raise ValueError(f"{len(likelihoods)} scores for {len(choices)} choices")
    if len(choices) < 2 or not all(choices):
        raise ValueError(f"choices {choices}, of which there must be two, none of them empty")
    if not 0 <= answer < len(choices):
        raise ValueError(f"answer {answer} of {len(choices)} choices")
    if any(map(math.isnan, likelihoods)):
        raise ValueError("a score that is not a number")
    if doc.items and len(doc.items) != len(choices):
        raise ValueError(f"{len(doc.items)} items for {len(choices)} choices")
    divisors = {
        "acc": [1] * len(choices),
        "acc_norm": [len(choice) for choice in choices],
        "acc_bytes": [len(choice.encode()) for choice in choices],
    }
    return [likelihood / divisor for likelihood, divisor in zip(likelihoods, divisors[measure], strict=True)]


class _WallSample(msgspec.Struct):
    doc: dict[str, Any]
    filtered_resps: list[str]


def has_walls(path: Path) -> bool:
    """Whether the samples in a file are answers to walls."""
    _, first = next(_lines(path), ("", ""))
    try:
        doc = msgspec.json.decode(first, type=dict[str, Any]).get("doc")
    except msgspec.MsgspecError:
        return False
    return isinstance(doc, dict) and "tier" in doc


def read_wall_samples(path: Path) -> Evaluation[WallScore]:
    """The scores of the answers in a file that ``lm_eval --log_samples`` wrote for the walls of a release.

    They are those of the harness, with error bars and by tier. DamagedInputError with the line of what is no answer.
    """
    scored = []
    for where, line in _lines(path):
        sample = decode_json(line, _WallSample, where, _EXPECTED)
        wall = wall_of_row(sample.doc, where)
        if len(sample.filtered_resps) != 1:
            raise DamagedInputError(f"{where}: expected one answer, saw {len(sample.filtered_resps)}")
        surfaces, places = [word.surface for word in wall.words], {word.id: at for at, word in enumerate(wall.words)}
        truth = [[places[member] for member in group.members] for group in wall.groups]
        partition = parse_answer(sample.filtered_resps[0], surfaces)
        groups = tuple(tuple(surfaces[at] for at in group) for group in partition)
        scores = score_partition(partition, truth)
        scored.append(WallScore(wall, len(surfaces), tuple(map(len, truth)), groups, scores))
    return Evaluation(_model_of(path), notes=(), scores=tuple(scored), dataset=path.stem)


class Sample(NamedTuple):
    """The score of a sample, from 0 to 1, and the cluster that it is in."""

    cluster: str
    score: float


@dataclass(frozen=True, slots=True)
class Log:
    """What a model scored on the samples of a task, by their names.

    ``metric`` is the score that was read; ``unscored`` samples, such as those that ended in an error, have none.
    """

    path: Path
    model: str
    task: str
    metric: str
    samples: Mapping[str, Sample]
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
    """The log of lm-evaluation-harness: a line for each sample and filter, in a folder that is named by the model."""
    name, _, filter_name = metric.partition(",")
    samples: dict[str, Sample] = {}
    filters: set[str] = set()
    for where, line in filled_lines(read_utf8(path), path):
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
    return Log(path, _model_of(path), task, name, samples)


class _InspectSample(msgspec.Struct):
    id: int | str
    epoch: int = 1
    metadata: dict[str, Any] = {}
    scores: dict[str, dict[str, Any]] | None = None


class _Task(msgspec.Struct):
    task: str
    model: str


class _InspectLog(msgspec.Struct):
    eval: _Task
    samples: list[_InspectSample] = []


def _read_inspect(path: Path, cluster_by: str, metric: str) -> Log:
    """The log of inspect-ai, whose samples without a score are counted; the arguments are those of ``read_log``.

    ``metric`` is "scorer" or "scorer,key"; without it, the first scorer of the first sample that has any is that of
    all samples.
    """
    task, listed = _inspect_samples(path)
    with_scores = [(sample, sample.scores) for sample in listed if sample.scores]
    scorer, _, key = metric.partition(",")
    scorer = scorer or next((name for _, scores in with_scores for name in scores), "")
    samples: dict[str, Sample] = {}
    for sample, scores in with_scores:
        where = f"{path}, sample {sample.id}"
        if scorer not in scores:
            raise UsageError(f"{where}: expected a scorer ({', '.join(scores)}), saw {scorer!r}")
        value = scores[scorer].get("value")
        if isinstance(value, dict):
            if key not in value:
                wanted = ", ".join(f"{scorer},{each}" for each in value)
                raise UsageError(f"{where}: expected a metric ({wanted}), saw {metric or scorer!r}")
            value = value[key]
        fields = {"id": sample.id, "epoch": sample.epoch}
        _add(samples, f"{sample.id} #{sample.epoch}", (sample.metadata, fields), cluster_by, value, where)
    return Log(path, task.model, task.task, metric or scorer, samples, unscored=len(listed) - len(samples))


def _inspect_samples(path: Path) -> tuple[_Task, list[_InspectSample]]:
    """The task and the samples of an archive with a file for each sample, or of one JSON file."""
    expected = "a log of inspect-ai (.eval or .json) or lm-evaluation-harness (.jsonl)"
    if path.suffix != ".eval":
        whole = decode_json(path.read_bytes(), _InspectLog, str(path), expected)
        return whole.eval, whole.samples
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            header = next((name for name in ("header.json", "_journal/start.json") if name in names), "")
            task = decode_json(_unpacked(archive, header), _InspectLog, f"{path}:{header}", expected).eval
            return task, [
                decode_json(_unpacked(archive, name), _InspectSample, f"{path}:{name}", "a sample")
                for name in names
                if name.startswith("samples/") and name.endswith(".json")
            ]
    except (zipfile.BadZipFile, zlib.error, KeyError, NotImplementedError, OSError) as error:
        raise DamagedInputError(f"{path}: expected {expected}, saw {error}") from error


def _unpacked(archive: zipfile.ZipFile, name: str) -> bytes:
    """A file of an archive, also in Zstandard, which Python's own module reads from 3.14 on."""
    if archive.getinfo(name).compress_type != _ZSTANDARD:
        return archive.read(name)
    # The packed bytes are read as those of a file that is not packed and has no checksum.
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


def _add(samples: dict[str, Sample], name: str, fields: Sequence[Any], cluster_by: str, value: Any, where: str) -> None:
    """Add the sample ``name`` with its score, ``value`` as a harness writes it, and the cluster that it is in.

    ``fields`` are the sample's document and the sample itself; the first that has the column ``cluster_by`` counts.
    """
    known = [each for each in fields if isinstance(each, Mapping)]
    cluster = next((each[cluster_by] for each in known if each.get(cluster_by) is not None), None)
    if cluster is None:
        seen = ", ".join(str(column) for each in known for column in each)
        raise UsageError(f"{where}: expected a column to cluster by ({seen}), saw {cluster_by!r}")
    try:
        score = _VALUES[value.lower()] if isinstance(value, str) and value.lower() in _VALUES else float(value)
    except (TypeError, ValueError):
        score = math.nan
    if not 0 <= score <= 1:
        raise DamagedInputError(f"{where}: expected a score from 0 to 1, saw {value!r}; choose another with --metric")
    if name in samples:
        raise DamagedInputError(f"{where}: expected each sample once, saw {name!r} again")
    samples[name] = Sample(str(cluster), score)


def scored(logs: Iterable[Log]) -> list[Scored]:
    """The tally of each log by cluster; if models have other samples of a task, those that all have as well.

    UsageError for two logs of a model and a task.
    """
    by_task: dict[str, dict[str, Log]] = {}
    for log in logs:
        of_task = by_task.setdefault(log.task, {})
        if log.model in of_task:
            seen = f"{of_task[log.model].path} and {log.path}"
            raise UsageError(f"expected one log of {log.model} on {log.task}, saw {seen}")
        of_task[log.model] = log
    shared = {task: set.intersection(*(set(log.samples) for log in own.values())) for task, own in by_task.items()}
    ordered = [log for of_task in by_task.values() for log in of_task.values()]
    to_tally: list[tuple[Log, Vocabulary, Iterable[str]]] = [(log, "own", log.samples) for log in ordered]
    differ = any(set(log.samples) != shared[log.task] for log in ordered)
    if differ and len({log.model for log in ordered}) > 1:
        to_tally += [(log, "common", shared[log.task]) for log in ordered]
    tallied = []
    for log, vocabulary, names in to_tally:
        samples = {name: log.samples[name] for name in sorted(names)}
        scores = np.array([[sample.score] for sample in samples.values()])
        clusters, sums, counts = sum_by_unit([sample.cluster for sample in samples.values()], scores)
        asked = {cluster: [cluster] for cluster in clusters}
        for name, sample in samples.items():
            asked[sample.cluster].append(name)
        about = {"test_cases": len(log.samples) + log.unscored, "unscored": log.unscored}
        plain = {Part(COVERAGE): about} if vocabulary == "own" else {}
        tally = Tally((log.metric,), sums, counts, list(map(tuple, asked.values())), "cluster")
        tallied.append(Scored(log.model, log.task, vocabulary, {WHOLE: tally}, plain))
    return tallied


def answers_of(logs: Iterable[Log]) -> Iterator[dict[str, Any]]:
    """The score of each model on each of its samples, which ``evaluate calibrate`` reads if it is 0 or 1."""
    for log in logs:
        for name, sample in log.samples.items():
            about = {"model": log.model, "dataset": log.task, "case": f"{log.task}/{name}"}
            group = f"{log.task}/{sample.cluster}"
            yield {**about, "group": group, "class": group, "score": sample.score, "right": sample.score == 1}
