"""The cutoff curve: accuracy by item number, and the number from which a model knows less, if there is one.

Wikidata numbers its items in the order in which they are made. A model cannot know what was made after its training
data, so on cases with newer items it is right less often. A case is as new as the newest member of its cluster, the one
with the highest number: a member that the model does not know stands out in the outlier's place, but an outlier that it
does not know stands out all the same.

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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt

from wikisem import __version__
from wikisem.datasets.files import numbered_lines, read_utf8
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.evaluation.correlation import ranks
from wikisem.evaluation.options import SEED
from wikisem.evaluation.outlier_detection import Evaluation, Score, tally
from wikisem.evaluation.statistics import DRAWS, FloatArray
from wikisem.files import path_of
from wikisem.ids import qid_number
from wikisem.layout import MANIFEST
from wikisem.records import Group
from wikisem.typed_json import decode_json

Numbers = npt.NDArray[np.int64]
# Cutoffs with fewer cases than this share on one side are not looked at (Andrews 1993).
_TRIMMED: Final = 0.15
# The test looks at this many cutoffs, evenly spread; the sums of squares are of all.
_MOST_TESTED: Final = 200
_ROUNDING: Final = 1e-9
# Where the distribution function (1 - exp(-x / 2))² of Hansen's statistic is .95.
_CRITICAL: Final = -2 * math.log(1 - math.sqrt(0.95))
# A step that chance makes less often than this is reported as a change.
LEVEL: Final = 0.05
_LEAST_CASES: Final = 20


@dataclass(frozen=True, slots=True)
class KnownDate:
    """The highest item number in a dump of a date (YYYY-MM-DD): a higher one was made later."""

    date: str
    item: int


@dataclass(frozen=True, slots=True)
class Band:
    """The cases whose newest member has a number from ``low`` to ``high``, and between which dates it was made.

    A date is empty where no known dump gives one.
    """

    low: int
    high: int
    after: str
    by: str
    score: Score

    def as_json(self) -> dict[str, Any]:
        """Under the names that programs read."""
        row = {"from_item": self.low, "to_item": self.high, "made_after": self.after, "made_by": self.by}
        return row | self.score.as_json()


@dataclass(frozen=True, slots=True)
class Change:
    """The step with the least sum of squares: the highest number before it and the lowest after it.

    ``p`` is how often chance alone makes such a step. ``low`` and ``high`` are the ends of its interval of 95 %, which
    means something only where the step is ``seen``.
    """

    last_before: int
    first_after: int
    low: int
    high: int
    p: float
    before: Score
    after: Score

    @property
    def seen(self) -> bool:
        """Whether it is more of a step than chance makes in 19 of 20 models without one."""
        return self.p <= LEVEL


@dataclass(frozen=True, slots=True)
class Cutoff:
    """The curve of a model on a data set; ``change`` is None where there are too few cases to look for one."""

    model: str
    dataset: str
    bands: tuple[Band, ...]
    change: Change | None
    dates: tuple[KnownDate, ...] = ()
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Under the names that programs read; ``cutoff`` is null where no change is seen."""
        change = self.change
        row = {
            "model": self.model,
            "dataset": self.dataset,
            "version": __version__,
            "p": change and change.p,
            "cutoff": None,
            "bands": [band.as_json() for band in self.bands],
        }
        if change is None or not change.seen:
            return row
        after, by = made_between(self.dates, change.low, change.high)
        found = {
            "last_before": change.last_before,
            "first_after": change.first_after,
            "low": change.low,
            "high": change.high,
            "made_after": after,
            "made_by": by,
            "before": change.before.as_json(),
            "after": change.after.as_json(),
        }
        return row | {"cutoff": found}


def made_between(dates: Sequence[KnownDate], low: int, high: int) -> tuple[str, str]:
    """The dates of known dumps after and by which items with these numbers were made; empty where none says it.

    >>> dates = [KnownDate("2019-01-07", 60_000_000), KnownDate("2026-11-02", 138_000_000)]
    >>> made_between(dates, 60_000_001, 70_000_000)
    ('2019-01-07', '2026-11-02')
    """
    items = [known.item for known in dates]
    before, after = bisect_left(items, low) - 1, bisect_left(items, high)
    return dates[before].date if before >= 0 else "", dates[after].date if after < len(dates) else ""


class _Input(msgspec.Struct):
    date: str = ""


class _Stage(msgspec.Struct):
    inputs: list[_Input] = []
    highest_item: int = 0


class _Manifest(msgspec.Struct):
    stages: dict[str, _Stage] = {}


_EXPECTED_DATES: Final = "a manifest with the date and highest item of its Wikidata dump, or lines of YYYY-MM-DD,item"


def read_dates(paths: Iterable[str]) -> list[KnownDate]:
    """The highest item numbers at some dates: of the manifest of a run (or its folder), or of a file of lines.

    A line of such a file is ``2026-11-02,138000000`` or ``2026-11-02,Q138000000``; a first line without a digit, as
    of the names of columns, is skipped. Raises MissingInputError, and DamagedInputError also where a later date has
    a lower number.
    """
    found = [known for path in paths for known in _read_dates(path_of(path))]
    for before, after in pairwise(sorted(found, key=lambda known: known.date)):
        if after.item < before.item:
            raise DamagedInputError(
                f"expected higher item numbers at later dates, saw {before.item} at {before.date} and {after.item} at "
                f"{after.date}"
            )
    return found


def _read_dates(path: Path) -> Iterator[KnownDate]:
    path = path / MANIFEST if path.is_dir() else path
    if not path.is_file():
        raise MissingInputError(f"expected {_EXPECTED_DATES}, saw nothing at {path}")
    if path.suffix == ".json":
        entities = decode_json(path.read_bytes(), _Manifest, str(path), "the manifest of a run").stages.get("entities")
        day = max((one.date for one in entities.inputs), default="") if entities else ""
        if not entities or not _is_date(day) or not entities.highest_item:
            raise MissingInputError(f"{path}: expected {_EXPECTED_DATES}, saw none; name a file of lines instead")
        yield KnownDate(day, entities.highest_item)
        return
    empty = True
    for number, line in numbered_lines(read_utf8(path)):
        found = re.fullmatch(r"(\d{4}-\d\d-\d\d)\s*[,\t]\s*Q?([1-9]\d{0,17})", line, re.ASCII)
        if found and _is_date(found[1]):
            empty = False
            yield KnownDate(found[1], int(found[2]))
        elif line and (number > 1 or re.search(r"\d", line)):
            raise DamagedInputError(f"{path}:{number}: expected {_EXPECTED_DATES}, saw {line[:60]!r}")
    if empty:
        raise DamagedInputError(f"{path}: expected {_EXPECTED_DATES}, saw no date")


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


# The cases of a model on a data set, by the number of their newest member.


@dataclass(frozen=True, eq=False)
class _Cases:
    """Test cases in the order of the numbers of their newest members, with their classes and the numbers of groups.

    ``shares`` has shape ``(cases, 3)``: OP / |C|, whether the outlier was detected, and how often a guess detects it.
    """

    numbers: Numbers
    shares: FloatArray
    classes: tuple[str, ...]
    groups: tuple[int, ...]
    seed: int

    def score(self, begin: int, end: int) -> Score:
        """The score of some of them."""
        return tally(self.shares[begin:end], self.classes[begin:end], self.groups[begin:end], self.seed)


def _cases_of(evaluation: Evaluation) -> _Cases:
    found = [
        (number, case.position, case.detected, group.chance, group.group.id, at)
        for at, group in enumerate(evaluation.groups)
        if (number := newest_item(group.group))
        for case in group.cases
    ]
    if not found:
        raise MissingInputError(
            f"{evaluation.dataset or evaluation.name}: expected test cases with the QIDs of their items, as the JSON "
            "lines and Parquet of a build have them, saw none"
        )
    numbers, positions, detected, guesses, classes, groups = zip(*sorted(found), strict=True)
    shares = np.array([positions, detected, guesses], dtype=np.float64).T
    return _Cases(np.array(numbers, dtype=np.int64), shares, classes, groups, evaluation.seed)


def newest_item(group: Group) -> int:
    """The highest item number in the cluster of a group; 0 where a member has no QID."""
    qids = [member.id for member in group.cluster]
    return max(map(qid_number, qids)) if qids and all(qids) else 0


def measure_cutoff(evaluation: Evaluation, dates: Sequence[KnownDate] = (), bands: int = 10) -> Cutoff:
    """The curve and the cutoff of a model's scores on a data set.

    With ``dates``, in any order, bands end with the items of these dumps, without them there are ``bands`` of about as
    many cases each. MissingInputError for a data set without QIDs.
    """
    cases, known = _cases_of(evaluation), tuple(sorted(dates, key=lambda one: one.item))
    numbers = cases.numbers.tolist()
    if known:
        edges = [bisect_right(numbers, one.item) for one in known]
    else:
        edges = [bisect_right(numbers, numbers[len(numbers) * at // bands - 1]) for at in range(1, bands)]
    ends = sorted({0, *edges, len(numbers)})
    found = tuple(
        Band(low, high, *made_between(known, low, high), cases.score(begin, end))
        for begin, end in pairwise(ends)
        for low, high in [(numbers[begin], numbers[end - 1])]
    )
    return Cutoff(evaluation.name, evaluation.dataset, found, _find_change(cases), known, evaluation.notes)


# The change.


def _find_change(cases: _Cases) -> Change | None:
    classes = np.unique(cases.classes, return_inverse=True)[1]
    step = find_step(cases.numbers, cases.shares[:, 1], classes, cases.seed)
    if step is None:
        return None
    last, first, low, high = cases.numbers[[step.at - 1, step.at, step.low - 1, step.high]].tolist()
    return Change(last, first, low, high, step.p, cases.score(0, step.at), cases.score(step.at, len(cases.numbers)))


@dataclass(frozen=True, slots=True)
class Step:
    """Where a step down begins among cases in order: the index of the first after it; with its interval and p."""

    at: int
    low: int
    high: int
    p: float


def find_step(numbers: Numbers, right: FloatArray, classes: npt.NDArray[np.int64], seed: int = SEED) -> Step | None:
    """The step down in ``right``, shares of cases in the order of their ``numbers``; None where there are too few.

    ``classes`` has the number of the class of each case, from 0 on. All three have shape ``(cases,)``.
    """
    count = len(numbers)
    # Where a cutoff may be: in front of a case whose number differs from the one before.
    starts = np.flatnonzero(np.diff(numbers)) + 1
    starts = starts[(starts >= _TRIMMED * count) & (starts <= (1 - _TRIMMED) * count)]
    if count < _LEAST_CASES or not len(starts):
        return None
    # An orthonormal basis of straight lines over ranks, and of each step, 0 before it and 1 after, its part in that.
    line = np.linalg.qr(np.column_stack([np.ones(count), ranks(numbers.tolist())]))[0]
    residuals = right - line @ (line.T @ right)
    parts = _sums_from(line, starts)
    lengths, products = count - starts - (parts**2).sum(axis=1), _sums_from(residuals, starts)
    usable = lengths > _ROUNDING * count
    starts, parts, lengths, products = starts[usable], parts[usable], lengths[usable], products[usable]
    if not (products < -_ROUNDING).any():  # nothing falls anywhere
        middle = len(numbers) // 2
        return Step(middle, middle, middle, 1.0)

    explained = np.where(products < 0, products**2 / lengths, 0.0)
    best = int(np.argmax(explained))
    step = _steps(count, line, starts[[best]], parts[[best]])
    rest = residuals - step[:, 0] * products[best] / lengths[best]
    variance = float(rest @ rest) / max(count - 3, 1)
    # Cases of a class depend on each other, before the step often more than after it, or less: the larger one counts.
    sides = (slice(0, starts[best]), slice(starts[best], count))
    spread = max(float((_by_class(rest[side, None], classes[side]) ** 2).sum()) / len(rest[side]) for side in sides)
    near = np.flatnonzero(explained[best] - explained <= _CRITICAL * max(spread, variance) + _ROUNDING)

    some = np.unique(np.linspace(0, len(starts) - 1, _MOST_TESTED).round().astype(int))
    contributions = _by_class(_steps(count, line, starts[some], parts[some]) * residuals[:, None], classes)
    return Step(int(starts[best]), int(starts[near[0]]), int(starts[near[-1]]), _p_of(contributions, seed))


def _sums_from(values: FloatArray, starts: npt.NDArray[np.int64]) -> FloatArray:
    """The sum of the rows from each start to the end."""
    sums: FloatArray = np.cumsum(values[::-1], axis=0)[::-1][starts]
    return sums


def _steps(count: int, line: FloatArray, starts: npt.NDArray[np.int64], parts: FloatArray) -> FloatArray:
    """The steps at some starts less what a line explains of them, shape ``(count, starts)``."""
    return (np.arange(count)[:, None] >= starts) - line @ parts.T


def _by_class(values: FloatArray, classes: npt.NDArray[np.int64]) -> FloatArray:
    """The sums of rows by class."""
    sums = np.zeros((int(classes.max()) + 1, values.shape[1]))
    np.add.at(sums, classes, values)
    return sums


def _p_of(contributions: FloatArray, seed: int) -> float:
    """How often flipped signs of the classes make a statistic as low as the one that was seen, at any cutoff."""
    errors = np.sqrt((contributions**2).sum(axis=0))
    scaled = contributions[:, errors > _ROUNDING] / errors[errors > _ROUNDING]
    if not scaled.size:
        return 1.0
    seen = scaled.sum(axis=0).min()
    generator = np.random.default_rng(seed)
    lower, at_once = 0, max(1, (1 << 22) // len(scaled))
    for begin in range(0, DRAWS, at_once):
        signs = generator.integers(2, size=(min(at_once, DRAWS - begin), len(scaled)), dtype=np.int8) * 2.0 - 1.0
        lower += int(np.count_nonzero((signs @ scaled).min(axis=1) <= seen + _ROUNDING))
    return (1 + lower) / (1 + DRAWS)
