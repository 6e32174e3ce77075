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
import re
import zipfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from itertools import chain, zip_longest
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
_GRADES: Final[Mapping[str, float]] = {"c": 1, "p": 0.5, "i": 0, "n": 0, "yes": 1, "true": 1, "no": 0, "false": 0}
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
    """Score a model on the outlier cases that ``lm_eval --log_samples`` logged, put together again as groups.

    ``measure`` chooses what choices are compared by: their log-likelihood, or that by character or by byte, as in the
    harness's metrics of these names. ``asked`` are the cases of the release, from which those of the log get QIDs.
    MissingInputError without samples, DamagedInputError with the line of a damaged one, or of a case not asked.
    """
    # The cases of one language and class are one group; all show its cluster, so the first is kept for that.
    by_class: defaultdict[tuple[str, str], list[CaseScore]] = defaultdict(list)
    docs: dict[tuple[str, str], SampleDoc] = {}
    for doc, scores in read_cases(path, measure, asked):
        docs.setdefault((doc.language, doc.class_), doc)
        by_class[doc.language, doc.class_].append(score_case(doc, scores))
    answered = []
    for key, cases in sorted(by_class.items()):
        doc = docs[key]
        members = [Member(id=qid, surface=word) for word, qid in zip_longest(doc.choices, doc.items, fillvalue="")]
        group = Group(
            id=doc.class_,
            label=doc.label,
            language=doc.language,
            level=doc.level,
            cluster=tuple(member for index, member in enumerate(members) if index != doc.answer),
            outliers=tuple(case.outlier for case in cases),
            where=str(path),
        )
        answered.append(GroupScore(group, tuple(cases), oov_cluster=0.0, oov_outliers=0.0))
    # The folder has the name of the model.
    return Evaluation(path.parent.name or path.stem, notes=(), scores=tuple(answered), dataset=path.stem)


def score_case(doc: SampleDoc, scores: Sequence[float]) -> CaseScore:
    """Score a case by the ``scores`` of its choices: how many cluster words are below its outlier, as a share."""
    choices, answer = doc.choices, doc.answer
    # Of equal scores the first counts as higher, as in the harness.
    below = sum((score, -index) < (scores[answer], -answer) for index, score in enumerate(scores))
    qid = doc.items[answer] if doc.items else ""
    outlier = Outlier(id=qid, surface=choices[answer], outlier_class=doc.outlier_class)
    name = doc.id or f"{doc.language}-{doc.class_}-{choices[answer]}"
    return CaseScore(outlier, below / (len(choices) - 1), below == len(choices) - 1, name)


def read_cases(path: Path, measure: Measure, asked: Asked) -> Iterator[tuple[SampleDoc, list[float]]]:
    """Yield the outlier cases of a log, with QIDs if they are ``asked`` ones, each with a score for each choice.

    MissingInputError without any.
    """
    if not path.is_file():
        raise MissingInputError(f"expected a file of samples, saw nothing at {path}")
    lines = list(filled_lines(read_utf8(path), path))
    if not lines:
        raise MissingInputError(f"{path}: expected samples, saw none")
    for where, line in lines:
        sample = decode_json(line, _Sample, where, _EXPECTED)
        doc = sample.doc
        try:
            # Beside each choice's log-likelihood is whether it would be the greedy answer.
            likelihoods = [float(pair[0]) for pair in sample.filtered_resps]
            scores = choice_scores(doc, likelihoods, measure)
            # Find the QID of each choice by its surface form in the group.
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
            expected = "a sample of a task of a release with the score of each choice"
            raise DamagedInputError(f"{where}: expected {expected}, saw {type(error).__name__}: {error}") from error
        yield doc, scores


def choice_scores(doc: SampleDoc, likelihoods: Sequence[float], measure: Measure) -> list[float]:
    """Score each choice by its log-likelihood, whole or by length; ValueError where these do not make a test case."""
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
    if measure == "acc":
        return list(likelihoods)
    lengths = [len(choice if measure == "acc_norm" else choice.encode()) for choice in choices]
    return [likelihood / length for likelihood, length in zip(likelihoods, lengths, strict=True)]


class _WallSample(msgspec.Struct):
    doc: dict[str, Any]
    filtered_resps: list[str]


def read_wall_samples(path: Path) -> Evaluation[WallScore]:
    """Score a model's answers to walls (words to divide into groups) that ``lm_eval --log_samples`` logged.

    DamagedInputError with the line of what is no answer.
    """
    scored = []
    for where, line in filled_lines(read_utf8(path), path):
        sample = decode_json(line, _WallSample, where, _EXPECTED)
        wall = wall_of_row(sample.doc, where)
        if len(sample.filtered_resps) != 1:
            raise DamagedInputError(f"{where}: expected one answer, saw {len(sample.filtered_resps)}")
        # Both the true groups and the answer as lists of the indices of words.
        surfaces, index_of = [word.surface for word in wall.words], {word.id: i for i, word in enumerate(wall.words)}
        truth = [[index_of[member] for member in group.members] for group in wall.groups]
        answer = parse_answer(sample.filtered_resps[0], surfaces)
        found = tuple(tuple(surfaces[index] for index in group) for group in answer)
        scores, sizes = score_partition(answer, truth), tuple(map(len, truth))
        scored.append(WallScore(wall, known=len(surfaces), sizes=sizes, found=found, scores=scores))
    return Evaluation(path.parent.name or path.stem, notes=(), scores=tuple(scored), dataset=path.stem)


def read_data_sets(models: Mapping[Path, str], measure: Measure, asked: Asked) -> list[Evaluation[Any]]:
    """Read logs, given with the names of their models, and join the languages of a release: a task each in a harness.

    samples_wikisem_de_TIME and samples_wikisem_en_TIME are the data set samples_wikisem, with the time of the run only
    where a model was asked a task twice. A language without others keeps the name of its task.
    """
    logs, tasks_of, runs = [], defaultdict[str, set[str]](set), Counter[tuple[str, str]]()
    for path, model in models.items():
        doc, line = None, ""  # of the first sample; that of a wall has a tier
        if path.is_file():
            with path.open(encoding="utf-8-sig", errors="replace") as source:
                line = next(filter(str.strip, source), "")
        with suppress(msgspec.MsgspecError):
            doc = msgspec.json.decode(line, type=dict[str, Any]).get("doc")
        is_wall = isinstance(doc, dict) and "tier" in doc
        one: Evaluation[Any] = read_wall_samples(path) if is_wall else read_samples(path, measure, asked)
        first = one.scores[0]
        code = re.escape((first.wall if isinstance(first, WallScore) else first.group).language)
        task, _, time = path.stem.partition("_20")
        release = re.sub(f"_{code}(?=_|$)", "", task, count=1)  # without the language
        tasks_of[release].add(task)
        runs[model, task] += 1
        logs.append((one._replace(name=model), release, task, time))
    joined: dict[tuple[str, str], Evaluation[Any]] = {}
    for one, release, task, time in logs:
        again = any(runs[one.name, each] > 1 for each in tasks_of[release])
        dataset = (release if len(tasks_of[release]) > 1 else task) + (f"_20{time}" if again else "")
        whole = joined.get((one.name, dataset), one._replace(dataset=dataset, scores=()))
        joined[one.name, dataset] = whole._replace(scores=whole.scores + one.scores)
    return list(joined.values())


def cut_to_shared(answered: Sequence[Evaluation[Any]]) -> list[Evaluation[Any]]:
    """Keep the answers to the cases, or walls, of each data set that all of its models were asked, known by their ids.

    A data set without any is left out. The list is empty if the models of each data set were asked the same.
    """
    shared, differ = dict[str, set[str]](), False  # the ids that all models of a data set have, by its name
    for each in answered:
        cases_of = (one.cases if isinstance(one, GroupScore) else [one.wall] for one in each.scores)
        asked = {case.id for case in chain.from_iterable(cases_of)}
        differ |= asked != shared.setdefault(each.dataset, asked)
        shared[each.dataset] &= asked
    kept = list[Evaluation[Any]]()
    for each in answered if differ else ():
        scores = list[GroupScore | WallScore]()
        for one in each.scores:
            if isinstance(one, WallScore):
                scores += [one] if one.wall.id in shared[each.dataset] else []
            elif cases := tuple(case for case in one.cases if case.id in shared[each.dataset]):
                group = replace(one.group, outliers=tuple(case.outlier for case in cases))
                scores.append(GroupScore(group, cases, one.oov_cluster, one.oov_outliers))
        if scores:
            kept.append(each._replace(scores=tuple(scores), vocabulary="common"))
    return kept


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
    """Read a log of lm-evaluation-harness: JSON lines, one for each sample and filter, in a folder named by the model.

    ``metric`` is "name", or "name,filter" if answers were extracted in several ways; without it, the first is taken.
    """
    name, _, filter_name = metric.partition(",")
    samples, filters = dict[str, Sample](), set[str]()
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
        fields = (sample.get("doc"), sample)
        _add(samples, str(sample["doc_id"]), fields, cluster_by, value=sample[name], where=where)
    # The harness puts the time of the run after the name of the task.
    task = path.stem.removeprefix("samples_").partition("_20")[0]
    return Log(path, path.parent.name or path.stem, task, name, samples)


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
    """Read a log of inspect-ai: the score of each sample by one scorer, and how many samples have none.

    ``metric`` is "scorer", or "scorer,key" for one that gives several scores; without it, the first one seen is taken.
    ``cluster_by`` is the field that says which samples depend on each other.
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
        # A sample may be asked several times, in epochs.
        fields = (sample.metadata, {"id": sample.id, "epoch": sample.epoch})
        _add(samples, f"{sample.id} #{sample.epoch}", fields, cluster_by, value=value, where=where)
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
        score = float(_GRADES.get(str(value).lower(), value))
    except (TypeError, ValueError):
        score = math.nan
    if not 0 <= score <= 1:
        raise DamagedInputError(f"{where}: expected a score from 0 to 1, saw {value!r}; choose another with --metric")
    if name in samples:
        raise DamagedInputError(f"{where}: expected each sample once, saw {name!r} again")
    samples[name] = Sample(str(cluster), score)


def scored(logs: Iterable[Log]) -> list[Scored]:
    """Sum the scores of each log by cluster; where models were asked different samples, also of those that all have.

    UsageError for two logs of a model and a task.
    """
    by_task: dict[str, dict[str, Log]] = {}
    for log in logs:
        first = by_task.setdefault(log.task, {}).setdefault(log.model, log)
        if first is not log:
            raise UsageError(f"expected one log of {log.model} on {log.task}, saw {first.path} and {log.path}")
    # What is summed: all samples of each log, then those in common.
    shared = {task: set.intersection(*(set(log.samples) for log in own.values())) for task, own in by_task.items()}
    ordered = [log for of_task in by_task.values() for log in of_task.values()]
    to_tally: list[tuple[Log, Vocabulary, Iterable[str]]] = [(log, "own", log.samples) for log in ordered]
    if any(set(log.samples) != shared[log.task] for log in ordered):
        to_tally += [(log, "common", shared[log.task]) for log in ordered]
    # Samples of a cluster, such as questions about one passage, depend on each other.
    tallied = []
    for log, vocabulary, names in to_tally:
        samples = {name: log.samples[name] for name in sorted(names)}
        scores = np.array([sample.score for sample in samples.values()]).reshape(-1, 1)
        clusters, sums, counts = sum_by_unit([sample.cluster for sample in samples.values()], scores)
        asked = {cluster: [cluster] for cluster in clusters}
        for name, sample in samples.items():
            asked[sample.cluster].append(name)
        about = {"test_cases": len(log.samples) + log.unscored, "unscored": log.unscored}
        plain = {Part(COVERAGE): about} if vocabulary == "own" else {}
        tally = Tally((log.metric,), sums, counts, asked=list(map(tuple, asked.values())), unit="cluster")
        tallied.append(Scored(log.model, log.task, vocabulary, {WHOLE: tally}, plain))
    return tallied


def answers_of(logs: Iterable[Log]) -> Iterator[dict[str, Any]]:
    """The score of each model on each of its samples, which ``evaluate calibrate`` reads if it is 0 or 1."""
    for log in logs:
        for name, sample in log.samples.items():
            about = {"model": log.model, "dataset": log.task, "case": f"{log.task}/{name}"}
            group = f"{log.task}/{sample.cluster}"
            yield {**about, "group": group, "class": group, "score": sample.score, "right": sample.score == 1}
