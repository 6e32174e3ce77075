"""Baselines that ignore meaning, such as how often the longest word of a test case is its outlier.

A set is solved by meaning only if each of these is right as often as chance. A picker gives each word of a case a
salience, and picks the word with the highest; of k words with equal salience it is right with 1/k, so that a picker
that cannot tell words apart is at chance.

In the cluster {Oslo, Bern, Lima} *Mount Fuji* has most words and characters; *Rome* ties with all, which is chance.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import fmean, median
from typing import Final, NamedTuple

import numpy as np
from msgspec.structs import replace

from wikisem.datasets.files import filled_lines, read_utf8
from wikisem.errors import DamagedInputError
from wikisem.evaluation.outlier_detection import UNKNOWN
from wikisem.evaluation.rows import ALL, Row, with_bars
from wikisem.evaluation.statistics import ErrorBars, clustered_wilson, sum_by_unit
from wikisem.ids import qid_number
from wikisem.records import OUTLIER_CLASSES, Group, Member, class_of
from wikisem.wikipedia.graphemes import graphemes, initial_case, letter_pairs

# The salience of each word of a case; None where the data set lacks the facts for it.
Picker = Callable[[Sequence[Member]], list[float] | None]
# How often each word (token) of texts occurs, for the baseline ``LEAST_FREQUENT``.
Frequencies = Mapping[str, float]


def _highest(number_of: Callable[[Member], int | None], words: Sequence[Member], sign: int = 1) -> list[float] | None:
    """Saliences that pick the word with the highest number, with ``sign`` -1 the lowest; None if all numbers are 0."""
    numbers = [number_of(word) or 0 for word in words]
    return [sign * number for number in numbers] if any(numbers) else None


def _rarest(trait_of: Callable[[Member], object], words: Sequence[Member]) -> list[float] | None:
    """Saliences that pick the word whose trait the fewest words have; None if no word has a trait."""
    traits = list(map(trait_of, words))
    having = Counter(traits)
    return [-having[trait] for trait in traits] if having.keys() != {None} else None


def odd_letter_pairs(words: Sequence[Member]) -> list[float]:
    """Saliences that pick the word whose letter pairs, with its two ends, the fewest others have on average."""
    pairs = [letter_pairs(word.surface) for word in words]
    having = Counter(chain.from_iterable(pairs))
    return [-sum(map(having.__getitem__, own)) / len(own) for own in pairs]


def odd_ending(words: Sequence[Member]) -> list[float]:
    """Saliences that pick the word that ends least like the others: minus how many others share each of its endings.

    *Hamburg* shares *g*, *rg*, *urg* and *burg* with *Salzburg*. Letters are as a reader counts them, case ignored.

    >>> odd_ending([Member(surface=name) for name in ("Hamburg", "Salzburg", "Hamburger")])
    [-4, -4, 0]
    """
    letters = [tuple(graphemes(word.surface.casefold())) for word in words]
    endings = [[own[start:] for start in range(len(own))] for own in letters]
    count_of = Counter(chain.from_iterable(endings))
    return [-sum(count_of[ending] - 1 for ending in own) for own in endings]


def far_item_number(words: Sequence[Member]) -> list[float] | None:
    """How far the item number of each word is from the median of the others': items are numbered as they are made."""
    if not all(word.id for word in words):
        return None
    numbers = [qid_number(word.id) for word in words]
    return [abs(own - median(numbers[:at] + numbers[at + 1 :])) for at, own in enumerate(numbers)]


PICKERS: Final[Mapping[str, Picker]] = {
    "longest": partial(_highest, lambda word: len(graphemes(word.surface))),
    "shortest": partial(_highest, lambda word: len(graphemes(word.surface)), sign=-1),
    "most words": partial(_highest, lambda word: len(word.surface.split())),
    "fewest words": partial(_highest, lambda word: len(word.surface.split()), sign=-1),
    "odd letter pairs": odd_letter_pairs,
    "odd capital": partial(_rarest, lambda word: initial_case(word.surface)),
    "odd last letter": partial(_rarest, lambda word: graphemes(word.surface.casefold())[-1]),
    "odd ending": odd_ending,
    "least linked": partial(_highest, lambda word: word.total, sign=-1),
    "most linked": partial(_highest, lambda word: word.total),
    "fewest sitelinks": partial(_highest, lambda word: word.sitelinks, sign=-1),
    "most sitelinks": partial(_highest, lambda word: word.sitelinks),
    "rarest in links": partial(_highest, lambda word: word.links, sign=-1),
    "far item number": far_item_number,
    "odd type": partial(_rarest, lambda word: word.type),  # who tells people from towns needs to know no more
}
CHANCE: Final = "chance"
LEAST_FREQUENT: Final = "least frequent token"
ELSEWHERE: Final = "outlier elsewhere"


def _outlier_elsewhere(
    outliers: Mapping[str, int], members: Mapping[str, int], groups: int, words: Sequence[Member]
) -> list[float]:
    """Saliences that pick the word that is an outlier most often in other groups; of several, least often a member.

    ``outliers`` and ``members`` count words over all ``groups`` of the language, and this case is taken off the counts:
    the picker knows all other groups by heart. The last word of a case is its outlier.
    """
    *cluster, outlier = [word.surface.casefold() for word in words]
    as_outlier = [*(outliers[name] for name in cluster), outliers[outlier] - 1]
    as_member = [*(members[name] - 1 for name in cluster), members[outlier]]
    # A word is a member at most once in each group, so being an outlier once more always counts for more.
    return [one * (groups + 1) - other for one, other in zip(as_outlier, as_member, strict=True)]


def _rarest_token(frequencies: Frequencies, words: Sequence[Member]) -> list[float]:
    """Saliences that pick the word with the rarest token; a token that is not listed has no frequency at all."""
    tokens = [word.surface.casefold().split() for word in words]
    return [-min((frequencies.get(token, 0) for token in own), default=0) for own in tokens]


def read_frequencies(path: Path) -> Frequencies:
    """Lines of a token and a number, such as ``the 5.37e-2``; DamagedInputError, with the line, for any other."""
    frequencies: dict[str, float] = {}
    for where, line in filled_lines(read_utf8(path), path):
        try:
            token, value = line.rsplit(maxsplit=1)
            frequencies[token.casefold()] = float(value)
        except ValueError as error:
            raise DamagedInputError(f"{where}: expected a token and its frequency, saw {line!r}") from error
    return frequencies


# Picker -> how often it is right, a share of ``n`` test cases, None where no case says what it takes; chance is exact.
Baselines = Mapping[str, ErrorBars | None]
# Column ("O1", "O2", "O3", "related", "O?", "all") -> baselines.
Columns = Mapping[str, Baselines]
COLUMNS: Final[Mapping[int | None, str]] = {number: class_of(number).name for number in (*OUTLIER_CLASSES, None)}


def credit(saliences: list[float], outlier: int) -> float:
    """Give 1/k if the outlier is one of the k words with the highest salience, else 0.

    >>> credit([4, 9, 4], 1), credit([4, 9, 9], 1), credit([9, 4, 4], 1)
    (1.0, 0.5, 0.0)
    """
    highest = max(saliences)
    return 1 / saliences.count(highest) if saliences[outlier] == highest else 0.0


class CaseCredits(NamedTuple):
    """A test case: its class, how many words it has, and the credit of each picker, None where it lacks facts."""

    group: str
    words: int
    credits_: dict[str, float | None]


def baselines_by_language(
    groups: Iterable[Group],
    frequencies: Mapping[str, Frequencies] | None = None,
    columns: Sequence[str] = (*COLUMNS.values(), ALL),
) -> Mapping[str, Columns]:
    """How often pickers, guessers that ignore meaning, find the outlier: by language, then by outlier class and "all".

    ``frequencies`` are those of tokens, by language.
    """
    by_language: defaultdict[str, list[Group]] = defaultdict(list)
    for group in groups:
        if group.outliers:
            by_language[group.language or UNKNOWN].append(group)
    rates: dict[str, dict[str, Baselines]] = {}
    for language, listed in sorted(by_language.items()):
        # The pickers: those of a case alone, and those that know other groups or how frequent tokens are.
        outliers = Counter(each.surface.casefold() for group in listed for each in group.outliers)
        members = Counter(each.surface.casefold() for group in listed for each in group.cluster)
        pickers: dict[str, Picker] = {**PICKERS, ELSEWHERE: partial(_outlier_elsewhere, outliers, members, len(listed))}
        if known := (frequencies or {}).get(language):
            pickers[LEAST_FREQUENT] = partial(_rarest_token, known)
        # What each picker gets for each case, in which the outlier is the last word.
        cases: defaultdict[str, list[CaseCredits]] = defaultdict(list)
        for group in listed:
            for outlier in group.outliers:
                words = (*group.cluster, outlier)
                saliences = {name: picker(words) for name, picker in pickers.items()}
                credits_ = {name: None if own is None else credit(own, -1) for name, own in saliences.items()}
                for column in (COLUMNS[outlier.outlier_class], ALL):
                    cases[column].append(CaseCredits(group.id, len(words), credits_))
        rates[language] = {column: _hit_rates(cases[column], pickers) for column in columns if cases[column]}
    return rates


def _hit_rates(cases: Sequence[CaseCredits], pickers: Iterable[str]) -> Baselines:
    """The share of cases in which chance, and each picker, finds the outlier; None for a picker that no case allows.

    The interval is over groups, whose cases depend on each other.
    """
    chance = fmean(1 / case.words for case in cases)
    exact = ErrorBars(chance, low=chance, high=chance, standard_error=None, n=len(cases))
    rates: dict[str, ErrorBars | None] = {CHANCE: exact}
    for picker in pickers:
        credits_ = [(case.group, value) for case in cases if (value := case.credits_[picker]) is not None]
        rates[picker] = None
        if credits_:
            _, sums, sizes = sum_by_unit([group for group, _ in credits_], np.array([[value] for _, value in credits_]))
            low, high = clustered_wilson(sums[:, 0], sizes)
            rates[picker] = ErrorBars(float(sums.sum() / sizes.sum()), low, high, standard_error=None, n=len(credits_))
    return rates


def baseline_rows(by_language: Mapping[str, Columns], dataset: str = "") -> list[Row]:
    """The accuracy in percent of each picker, as the model of a row, by language and outlier class; None if unknown."""
    rows = []
    for language, columns in by_language.items():
        for column, rates in columns.items():
            part, name = (ALL, "") if column == ALL else ("outlier class", column)
            head = Row(task="baseline", model="", dataset=dataset, language=language, metric="accuracy")
            for picker, rate in rates.items():
                row = with_bars(replace(head, model=picker, part=part, name=name), rate, scale=100)
                rows.append(replace(row, cases=row.n, n=0))  # the n of a rate counts cases, not independent units
    return rows
