"""OPP from what an evaluation harness logged: lm-evaluation-harness keeps the score of every choice of every sample.

Where a model gives each choice a log-likelihood, the outlier position is the number of cluster words that score below
the outlier; as in the harness, of equal scores the first counts as higher. Accuracy, OP = |C|, is then its own.

A worked example: choices a, b, X, c score -3, -5, -1, -4. All three score below X: OP / |C| is 1, and X is detected.
With -3, -5, -3.5, -4 two do: OP / |C| is 2/3.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

import msgspec

from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.evaluation.consistency import Answer, Case
from wikisem.evaluation.options import Measure
from wikisem.evaluation.outlier_detection import CaseScore, Evaluation, GroupScore
from wikisem.evaluation.walls import WallEvaluation, score_answered
from wikisem.outputs.wallfile import wall_of_row
from wikisem.records import Group, Member, Outlier
from wikisem.typed_json import decode_json


class SampleDoc(msgspec.Struct):
    """A test case, as a release has it; ``items`` are the QIDs of its choices, none where a release is older."""

    class_: str = msgspec.field(name="class")
    label: str
    language: str
    choices: list[str]
    answer: int
    outlier_class: int | None = None
    items: list[str] = []


class _Sample(msgspec.Struct):
    doc: SampleDoc
    filtered_resps: list[list[Any]]


def read_samples(path: Path, measure: Measure = "acc") -> Evaluation:
    """The scores in a file that ``lm_eval --log_samples`` wrote for a task of a release.

    ``measure`` chooses what choices are compared by: their log-likelihood, or that by character or by byte, as in the
    harness's metrics of these names. MissingInputError without samples, DamagedInputError with the line of another.
    """
    cases: defaultdict[tuple[str, str], list[tuple[SampleDoc, CaseScore]]] = defaultdict(list)
    for doc, scores in _scored(path, measure):
        cases[doc.language, doc.class_].append((doc, score_case(doc, scores)))
    groups = []
    for _, scored in sorted(cases.items()):
        doc = scored[0][0]
        members = [Member(id=qid, surface=word) for word, qid in zip_longest(doc.choices, doc.items, fillvalue="")]
        words = Group(
            id=doc.class_,
            label=doc.label,
            language=doc.language,
            cluster=tuple(member for index, member in enumerate(members) if index != doc.answer),
            outliers=tuple(case.outlier for _, case in scored),
            where=str(path),
        )
        groups.append(GroupScore(words, tuple(case for _, case in scored), 0.0, 0.0))
    return Evaluation(model_of(path), (), tuple(groups), path.stem)


def read_sampled_answers(path: Path, measure: Measure = "acc") -> dict[str, dict[Case, Answer]]:
    """How a model orders the items of each case, by language, in a file as ``read_samples`` reads it.

    Cases without QIDs, as older releases have them, are left out.
    """
    found: defaultdict[str, dict[Case, Answer]] = defaultdict(dict)
    for doc, scores in _scored(path, measure):
        if doc.items:
            # Of equal scores the first counts as higher, as in the harness; the sort keeps their order.
            order = sorted(range(len(scores)), key=lambda index: -scores[index])
            outlier = doc.items[doc.answer]
            found[doc.language][doc.class_, outlier] = Answer(outlier, tuple(doc.items[index] for index in order))
    return found


def model_of(path: Path) -> str:
    """The name of the model whose samples are in a file: that of its folder."""
    return path.parent.name or path.stem


def score_case(doc: SampleDoc, scores: Sequence[float]) -> CaseScore:
    """A test case, from what its choices are compared by."""
    choices, answer = doc.choices, doc.answer
    below = sum(
        one < scores[answer] or (one == scores[answer] and index > answer)
        for index, one in enumerate(scores)
        if index != answer
    )
    qid = doc.items[answer] if doc.items else ""
    outlier = Outlier(id=qid, surface=choices[answer], outlier_class=doc.outlier_class)
    return CaseScore(outlier, below / (len(choices) - 1), below == len(choices) - 1)


def _scored(path: Path, measure: Measure) -> Iterator[tuple[SampleDoc, list[float]]]:
    """The cases of a file, each with the scores of its choices; MissingInputError without any."""
    number = 0
    for number, line in _written(path):
        sample = decode_json(line, _Sample, f"{path}:{number}", _EXPECTED)
        try:
            # Beside each choice's log-likelihood is whether it would be the greedy answer.
            likelihoods = [float(pair[0]) for pair in sample.filtered_resps]
            yield sample.doc, choice_scores(sample.doc, likelihoods, measure)
        except (IndexError, TypeError, ValueError) as error:
            raise DamagedInputError(
                f"{path}:{number}: expected a sample of a task of a release with the score of each choice, saw "
                f"{type(error).__name__}: {error}"
            ) from error
    if not number:
        raise MissingInputError(f"{path}: expected samples, saw none")


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


_EXPECTED: Final = "a JSON line of a sample"


def _written(path: Path) -> Iterator[tuple[int, bytes]]:
    if not path.is_file():
        raise MissingInputError(f"expected a file of samples, saw nothing at {path}")
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if line.strip():
            yield number, line


# Answers to walls.


class _WallDoc(msgspec.Struct):
    tier: str


class _AnyDoc(msgspec.Struct):
    doc: _WallDoc | None = None


class _WallSample(msgspec.Struct):
    doc: dict[str, Any]
    filtered_resps: list[str]


def has_walls(path: Path) -> bool:
    """Whether the samples in a file are answers to walls."""
    for _, line in _written(path):
        with suppress(msgspec.MsgspecError):
            return msgspec.json.decode(line, type=_AnyDoc).doc is not None
        break
    return False


def read_wall_samples(path: Path) -> WallEvaluation:
    """The scores of the answers in a file that ``lm_eval --log_samples`` wrote for the walls of a release.

    They are those of the harness, with error bars and by tier. DamagedInputError with the line of what is no answer.
    """
    scored = []
    for number, line in _written(path):
        where = f"{path}:{number}"
        sample = decode_json(line, _WallSample, where, _EXPECTED)
        wall = wall_of_row(sample.doc, where)
        if len(sample.filtered_resps) != 1:
            raise DamagedInputError(f"{where}: expected one answer, saw {len(sample.filtered_resps)}")
        scored.append(score_answered(wall, sample.filtered_resps[0]))
    return WallEvaluation(model_of(path), (), tuple(scored), path.stem)
