"""The cutoff curve: accuracy by item number, and the number from which a model knows less, if there is one.

Wikidata numbers its items in the order in which they are made. A model cannot know what was made after its training
data, so on cases with newer items it is right less often. A case is as new as the newest member of its cluster, the one
with the highest number: an unknown member seems to be the outlier, but an outlier stands out even if it is unknown.

Newer items are also less known, and accuracy may fall slowly for that reason alone. So a change is a step beyond a
straight line: accuracy = a + b r + d [number > cutoff], where r is the rank of the case's number among all cases.

    test      the largest score statistic for d < 0 over all cutoffs in the middle 70 % of the cases (Andrews 1993,
              "Tests for parameter instability and structural change with unknown change point", Econometrica 61), each
              over a standard error by class. Its p-value is by draws that flip the sign of what each class contributes
              to all of them (Hansen 1996, "Inference when a nuisance parameter is not identified under the null
              hypothesis", Econometrica 64)
    cutoff    the one with the least sum of squares
    interval  all cutoffs whose sum of squares is larger by at most 7.35 times the variance of a case (Hansen 2000,
              "Sample splitting and threshold estimation", Econometrica 68, section 3.2); the variance is that of the
              sums by class, over the cases before or after the cutoff, whichever is larger
"""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Final

import msgspec
import numpy as np
from msgspec.structs import replace

from wikisem.datasets.files import numbered_lines, read_utf8
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.evaluation.options import SEED
from wikisem.evaluation.outlier_detection import Answered, Evaluation, GroupScore, tally
from wikisem.evaluation.rows import LEVEL, Part, Row, Scored, p_value, rows_of
from wikisem.evaluation.statistics import DRAWS, ROUNDING, FloatArray, IntArray, ranks
from wikisem.files import path_of
from wikisem.ids import qid_number
from wikisem.layout import MANIFEST
from wikisem.typed_json import decode_json

# Cutoffs with fewer cases than this share on one side are not looked at (Andrews 1993).
_TRIMMED: Final = 0.15
# The test looks at this many cutoffs, evenly spread; the sums of squares are of all.
_MOST_TESTED: Final = 200
# Where the distribution function (1 - exp(-x / 2))² of Hansen's statistic is .95.
_CRITICAL: Final = -2 * math.log(1 - math.sqrt(0.95))
_LEAST_CASES: Final = 20
_EXPECTED_DATES: Final = "a manifest with the date and highest item of its Wikidata dump, or lines of YYYY-MM-DD,item"


@dataclass(frozen=True, slots=True)
class KnownDate:
    """The highest item number in a dump of a date (YYYY-MM-DD): a higher one was made later."""

    date: str
    item: int


def items_between(dates: Sequence[KnownDate], low: int, high: int) -> str:
    """Say which items have these numbers, and if a dump tells, between which known dumps they were made.

    >>> dates = [KnownDate("2019-01-07", 60_000_000), KnownDate("2026-11-02", 138_000_000)]
    >>> items_between(dates, 60_000_001, 70_000_000)
    'Q60000001 to Q70000000, made after 2019-01-07 by 2026-11-02'
    """
    items = [known.item for known in dates]
    before, after = bisect_left(items, low) - 1, bisect_left(items, high)
    since = [f"after {dates[before].date}"] if before >= 0 else []
    until = [f"by {dates[after].date}"] if after < len(dates) else []
    made = " ".join(since + until)
    return f"Q{low} to Q{high}" + (f", made {made}" if made else "")


class _Input(msgspec.Struct):
    date: str = ""


class _Stage(msgspec.Struct):
    inputs: list[_Input] = []
    highest_item: int = 0


class _Manifest(msgspec.Struct):
    stages: dict[str, _Stage] = {}


def read_dates(paths: Iterable[str]) -> list[KnownDate]:
    """The highest item numbers at some dates: of the manifest of a run (or its folder), or of a file of lines.

    A line of such a file is ``2026-11-02,138000000`` or ``2026-11-02,Q138000000``; a first line without a digit (names
    of columns) is skipped. Raises MissingInputError, and DamagedInputError also if a later date has a lower number.
    """
    known_dates: list[KnownDate] = []
    for path in map(path_of, paths):
        file = path / MANIFEST if path.is_dir() else path
        if not file.is_file():
            raise MissingInputError(f"expected {_EXPECTED_DATES}, saw nothing at {file}")
        if file.suffix == ".json":
            stages = decode_json(file.read_bytes(), _Manifest, str(file), "the manifest of a run").stages
            run = stages.get("entities", _Stage())
            day = max((one.date for one in run.inputs), default="")
            if not _is_date(day) or not run.highest_item:
                raise MissingInputError(f"{file}: expected {_EXPECTED_DATES}, saw none; name a file of lines instead")
            known_dates.append(KnownDate(day, run.highest_item))
            continue
        listed = []
        for number, line in numbered_lines(read_utf8(file)):
            fields = re.fullmatch(r"(?P<day>\d{4}-\d\d-\d\d)\s*[,\t]\s*Q?(?P<item>[1-9]\d{0,17})", line, re.ASCII)
            is_heading = number == 1 and not re.search(r"\d", line)
            if fields and _is_date(fields["day"]):
                listed.append(KnownDate(fields["day"], int(fields["item"])))
            elif line and not is_heading:
                raise DamagedInputError(f"{file}:{number}: expected {_EXPECTED_DATES}, saw {line[:60]!r}")
        if not listed:
            raise DamagedInputError(f"{file}: expected {_EXPECTED_DATES}, saw no date")
        known_dates += listed
    for earlier, later in pairwise(sorted(known_dates, key=lambda known: known.date)):
        if later.item < earlier.item:
            seen = f"{earlier.item} at {earlier.date} and {later.item} at {later.date}"
            raise DamagedInputError(f"expected higher item numbers at later dates, saw {seen}")
    return known_dates


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def measure_cutoff(
    evaluation: Evaluation[GroupScore], dates: Sequence[KnownDate] = (), bands: int = 10, seed: int = SEED
) -> tuple[list[Row], str]:
    """Rows of a model's accuracy by item number, and a sentence that says from where it falls, if it does.

    A case has the number of its newest item: items are numbered as they are made. Bands of numbers end with the dumps
    of ``dates``, in any order; without them there are ``bands`` of about as many cases each. The row "cutoff" has the
    lowest number after the change, its interval and p-value: how often chance alone makes such a step. It has no number
    if no change is seen, and is not there with too few cases. MissingInputError for a data set without QIDs.
    """
    # The accuracy in each band of cases. ``ends`` are the indices in front of which bands end.
    numbers, cases = _by_newest_item(evaluation)
    known = sorted(dates, key=lambda date: date.item)
    if known:
        ends = [bisect_right(numbers, date.item) for date in known]
    else:
        ends = [bisect_right(numbers, numbers[len(numbers) * index // bands - 1]) for index in range(1, bands)]
    parts = {
        Part("band", items_between(known, numbers[begin], numbers[end - 1])): tally(cases[begin:end])
        for begin, end in pairwise(sorted({0, *ends, len(numbers)}))
    }
    # The step down, unless there are too few cases.
    classes = np.unique([group.group.id for group, _ in cases], return_inverse=True)[1]
    right = np.array([float(case.detected) for _, case in cases])
    step = find_step(np.array(numbers, dtype=np.int64), right, classes, seed)
    if step is None:
        curve = Scored(evaluation.name, evaluation.dataset, "own", parts)
        return rows_of("cutoff", [curve], seed), "too few cases to look for a cutoff"
    # The row "cutoff", the sentence, and the accuracy before and after a change.
    change = Row(task="cutoff", model=evaluation.name, dataset=evaluation.dataset, metric="cutoff")
    change = replace(change, cases=len(cases), p=step.p, n=int(classes.max()) + 1)
    sentence = f"no change seen (p {p_value(step.p)})"
    if step.p <= LEVEL:
        last, first, low, high = (numbers[index] for index in (step.at - 1, step.at, step.low - 1, step.high))
        before, after = tally(cases[: step.at]), tally(cases[step.at :])
        parts |= {Part("change", f"up to Q{last}"): before, Part("change", f"from Q{first}"): after}
        change = replace(change, value=first, low=low, high=high)
        scores = " to ".join(f"{100 * one.sums[:, 0].sum() / one.counts.sum():.2f}" for one in (before, after))
        interval = f"95 %: {items_between(known, low, high)}; p {p_value(step.p)}"
        sentence = f"accuracy falls from {scores} % between Q{last} and Q{first} ({interval})"
    curve = Scored(evaluation.name, evaluation.dataset, "own", parts)
    return [*rows_of("cutoff", [curve], seed), change], sentence


def _by_newest_item(evaluation: Evaluation[GroupScore]) -> tuple[list[int], list[Answered]]:
    """The highest item number in the cluster of each case, from the lowest up, and the cases in this order.

    A group with a member without a QID is left out; MissingInputError where no group is left.
    """
    dated = []
    for group in evaluation.scores:
        qids = [member.id for member in group.group.cluster]
        if qids and all(qids):
            dated += [(max(map(qid_number, qids)), group, case) for case in group.cases]
    if not dated:
        raise MissingInputError(
            f"{evaluation.dataset or evaluation.name}: expected test cases with the QIDs of their items, as the JSON "
            "lines and Parquet of a build have them, saw none; what a harness logged gets them with --set RELEASE"
        )
    # Cases with one number are ordered by how they were answered, so that the order of the groups hardly matters.
    dated.sort(key=lambda one: (one[0], one[2].position, one[2].detected, one[1].chance, one[1].group.id))
    return [number for number, _, _ in dated], [(group, case) for _, group, case in dated]


@dataclass(frozen=True, slots=True)
class Step:
    """Where a step down begins among cases in order: the index of the first after it; with its interval and p."""

    at: int
    low: int
    high: int
    p: float


def find_step(numbers: IntArray, right: FloatArray, classes: IntArray, seed: int = SEED) -> Step | None:
    """Find where ``right``, 0 or 1 for each case in the order of their ``numbers``, steps down from a straight line.

    ``classes`` has the class of each case, a number from 0 on. All three have shape ``(cases,)``. The step is the one
    that explains most of the variance, with its interval and p-value; None where there are too few cases.
    """
    count = len(numbers)
    # The cases in front of which a step may be: those whose number differs from the one before.
    starts = np.flatnonzero(np.diff(numbers)) + 1
    starts = starts[(starts >= _TRIMMED * count) & (starts <= (1 - _TRIMMED) * count)]
    if count < _LEAST_CASES or not len(starts):
        return None
    # Take a straight line over ranks out of ``right``: its two columns are an orthonormal basis of lines.
    line = np.linalg.qr(np.column_stack([np.ones(count), ranks(numbers.tolist())]))[0]
    residuals = right - line @ (line.T @ right)
    # A step is 0 before its start and 1 from there on, so its inner products with the line and the residuals are sums
    # from the start on. Its own residuals from the line have the squared lengths ``lengths``.
    in_line, products = (np.cumsum(values[::-1], axis=0)[::-1][starts] for values in (line, residuals))
    lengths = count - starts - (in_line**2).sum(axis=1)
    usable = lengths > ROUNDING * count
    starts, in_line, lengths, products = starts[usable], in_line[usable], lengths[usable], products[usable]
    if not (products < -ROUNDING).any():  # nothing falls anywhere
        return Step(count // 2, count // 2, count // 2, 1.0)

    # The step down that explains most, and what it and the line leave of ``right``.
    explained = np.where(products < 0, products**2 / lengths, 0.0)
    best = int(np.argmax(explained))
    places = np.arange(count)[:, None]
    step = (places >= starts[[best]]) - line @ in_line[[best]].T  # without what the line explains of it
    rest = residuals - step[:, 0] * products[best] / lengths[best]
    variance = float(rest @ rest) / max(count - 3, 1)
    # Cases of a class depend on each other, before the step often more than after it, or less: the larger one counts.
    sides = (slice(0, starts[best]), slice(starts[best], count))
    sums_by_class = [np.bincount(classes[side], weights=rest[side]) for side in sides]
    spread = max(float((sums**2).sum()) / len(rest[side]) for sums, side in zip(sums_by_class, sides, strict=True))
    # The interval has the starts that explain hardly less than the best (Hansen 2000).
    in_interval = np.flatnonzero(explained[best] - explained <= _CRITICAL * max(spread, variance) + ROUNDING)

    # The p-value, from what each class contributes to the products of some of the steps, evenly spread.
    tested = np.unique(np.linspace(0, len(starts) - 1, _MOST_TESTED).round().astype(int))
    contributions = np.zeros((int(classes.max()) + 1, len(tested)))
    np.add.at(contributions, classes, ((places >= starts[tested]) - line @ in_line[tested].T) * residuals[:, None])
    at, low, high = (int(starts[index]) for index in (best, in_interval[0], in_interval[-1]))
    return Step(at, low, high, _p_value(contributions, seed))


def _p_value(contributions: FloatArray, seed: int) -> float:
    """How often chance makes a step down as large at any cutoff: draws flip the signs of whole classes.

    ``contributions`` has what each class adds to the size of the step, shape ``(classes, cutoffs)``; down is negative.
    """
    # The statistic of a cutoff is the sum of what classes contribute, over its standard error.
    errors = np.sqrt((contributions**2).sum(axis=0))
    scaled = contributions[:, errors > ROUNDING] / errors[errors > ROUNDING]
    if not scaled.size:
        return 1.0
    lowest, generator = scaled.sum(axis=0).min(), np.random.default_rng(seed)
    lower, at_once = 0, max(1, (1 << 22) // len(scaled))
    for begin in range(0, DRAWS, at_once):
        draws = min(at_once, DRAWS - begin)
        signs = generator.integers(2, size=(draws, len(scaled)), dtype=np.int8) * 2.0 - 1.0  # 1 or -1 for each class
        lower += int(np.count_nonzero((signs @ scaled).min(axis=1) <= lowest + ROUNDING))
    return (1 + lower) / (1 + DRAWS)
