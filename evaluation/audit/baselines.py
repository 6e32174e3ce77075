"""Baselines that ignore meaning, such as how often the longest word of a test case is its outlier.

A set is solved by meaning only if each of these is right as often as chance. A picker gives each word of a case a
salience, and picks the word with the highest; of k words with equal salience it is right with 1/k, so that a picker
that cannot tell words apart is at chance.

In the cluster {Oslo, Bern, Lima} the outlier *Mount Fuji* has most words and most characters, and *Rome* ties with
three others, which is chance.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from statistics import fmean, median
from typing import Final, TypeAlias

import numpy as np
from msgspec.structs import replace

from wikisem.datasets.files import numbered_lines, read_utf8
from wikisem.errors import DamagedInputError
from wikisem.evaluation.outlier_detection import UNKNOWN
from wikisem.evaluation.rows import ALL, Row, with_bars
from wikisem.evaluation.statistics import ErrorBars, clustered_wilson
from wikisem.ids import qid_number
from wikisem.records import OUTLIER_CLASSES, Group, Member, class_of
from wikisem.wikipedia.graphemes import graphemes, initial_case, letter_pairs

# The salience of each word of a case; None where the data set lacks the facts for it.
Saliences: TypeAlias = list[float] | None
Picker = Callable[[Sequence[Member]], Saliences]
# How often each word (token) of texts occurs, for the baseline ``LEAST_FREQUENT``.
Frequencies = Mapping[str, float]

# Form.


def longest(words: Sequence[Member]) -> Saliences:
    """Most characters, as a reader counts them."""
    return [len(graphemes(word.surface)) for word in words]


def most_words(words: Sequence[Member]) -> Saliences:
    """Most words between blanks."""
    return [len(word.surface.split()) for word in words]


def odd_letter_pairs(words: Sequence[Member]) -> Saliences:
    """The word whose pairs of letters, its two ends included, are in the fewest others on average, case ignored.

    >>> odd = odd_letter_pairs([Member(surface=name) for name in ("Hamburg", "Salzburg", "Oslo")])
    >>> max(zip(odd, ("Hamburg", "Salzburg", "Oslo")))[1]
    'Oslo'
    """
    pairs = [letter_pairs(word.surface) for word in words]
    having = Counter(chain.from_iterable(pairs))
    return [-sum(map(having.__getitem__, own)) / len(own) for own in pairs]


def odd_capital(words: Sequence[Member]) -> Saliences:
    """The word whose first letter has another case than most."""
    cases = [initial_case(word.surface) for word in words]
    having = Counter(cases)
    return [-having[case] for case in cases]


def odd_last_letter(words: Sequence[Member]) -> Saliences:
    """The word whose last letter the fewest others end with, case ignored."""
    last = [graphemes(word.surface.casefold())[-1] for word in words]
    having = Counter(last)
    return [-having[letter] for letter in last]


def odd_ending(words: Sequence[Member]) -> Saliences:
    """The word that ends least like the others: in letters, as a reader counts them, from the end, case ignored.

    >>> odd_ending([Member(surface=name) for name in ("Hamburg", "Salzburg", "Hamburger")])
    [-4, -4, 0]
    """
    letters = [tuple(graphemes(word.surface.casefold())) for word in words]
    endings = [[own[at:] for at in range(len(own))] for own in letters]
    having = Counter(chain.from_iterable(endings))
    return [len(own) - sum(map(having.__getitem__, own)) for own in endings]


# Prominence and age.


def _least(known: Callable[[Member], int | None]) -> Picker:
    """Make a picker of the word whose item has the lowest of a number that counts how well it is known."""

    def saliences(words: Sequence[Member]) -> Saliences:
        numbers = [known(word) or 0 for word in words]
        return [-number for number in numbers] if any(numbers) else None

    return saliences


def _other_end(picker: Picker) -> Picker:
    """Make a picker of the word with the lowest salience of another, such as the shortest."""

    def saliences(words: Sequence[Member]) -> Saliences:
        found = picker(words)
        return None if found is None else [-salience for salience in found]

    return saliences


least_linked: Final = _least(lambda word: word.total)
fewest_sitelinks: Final = _least(lambda word: word.sitelinks)
rarest_in_links: Final = _least(lambda word: word.links)


def far_item_number(words: Sequence[Member]) -> Saliences:
    """The word whose item number is farthest from the median of the others': items are numbered as they are made."""
    if not all(word.id for word in words):
        return None
    numbers = [qid_number(word.id) for word in words]
    return [abs(own - median(numbers[:at] + numbers[at + 1 :])) for at, own in enumerate(numbers)]


# Types.


def odd_type(words: Sequence[Member]) -> Saliences:
    """The word whose coarse type fewest words have: who tells people from towns needs to know no more.

    >>> words = [Member(surface=name, type=own) for name, own in (("Bonn", "Q515"), ("Oslo", "Q515"), ("Bach", "Q5"))]
    >>> odd_type(words)
    [-2, -2, -1]
    """
    having = Counter(word.type for word in words)
    return [-having[word.type] for word in words] if any(word.type for word in words) else None


PICKERS: Final[Mapping[str, Picker]] = {
    "longest": longest,
    "shortest": _other_end(longest),
    "most words": most_words,
    "fewest words": _other_end(most_words),
    "odd letter pairs": odd_letter_pairs,
    "odd capital": odd_capital,
    "odd last letter": odd_last_letter,
    "odd ending": odd_ending,
    "least linked": least_linked,
    "most linked": _other_end(least_linked),
    "fewest sitelinks": fewest_sitelinks,
    "most sitelinks": _other_end(fewest_sitelinks),
    "rarest in links": rarest_in_links,
    "far item number": far_item_number,
    "odd type": odd_type,
}
CHANCE: Final = "chance"
LEAST_FREQUENT: Final = "least frequent token"
ELSEWHERE: Final = "outlier elsewhere"


def outlier_elsewhere(groups: Sequence[Group]) -> Picker:
    """The word that is an outlier of most other groups of the language, and of these that is least often a member.

    It knows all cases of the other groups by heart, and none of this one. The last word of a case is the outlier.
    """
    outliers = Counter(each.surface.casefold() for group in groups for each in group.outliers)
    members = Counter(each.surface.casefold() for group in groups for each in group.cluster)

    def saliences(words: Sequence[Member]) -> Saliences:
        names = [word.surface.casefold() for word in words]
        # The case itself is not among what it knows.
        as_outlier = [outliers[name] for name in names[:-1]] + [outliers[names[-1]] - 1]
        as_member = [members[name] - 1 for name in names[:-1]] + [members[names[-1]]]
        return [one * (len(groups) + 1) - other for one, other in zip(as_outlier, as_member, strict=True)]

    return saliences


def least_frequent_token(frequencies: Frequencies) -> Picker:
    """The word that has the rarest token; a token that is not listed has no frequency at all."""

    def saliences(words: Sequence[Member]) -> Saliences:
        return [
            -min((frequencies.get(token, 0) for token in word.surface.casefold().split()), default=0) for word in words
        ]

    return saliences


def read_frequencies(path: Path) -> Frequencies:
    """Lines of a token and a number, such as ``the 5.37e-2``; DamagedInputError, with the line, for any other."""
    found: dict[str, float] = {}
    for number, line in numbered_lines(read_utf8(path)):
        try:
            token, value = line.rsplit(maxsplit=1) if line else ("", "0")
            found[token.casefold()] = float(value)
        except ValueError as error:
            raise DamagedInputError(f"{path}:{number}: expected a token and its frequency, saw {line!r}") from error
    return found


# How often each is right.


@dataclass(frozen=True, slots=True)
class HitRate:
    """How often a picker is right, as a share of test cases with its interval of 95 %; that of chance is exact."""

    cases: int
    value: float
    low: float
    high: float


# Picker -> how often it is right, None where no case says what it takes.
Baselines = Mapping[str, HitRate | None]
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


# The class of a case, and its words, the outlier last.
Case = tuple[str, Sequence[Member]]


def baselines_of(cases: Sequence[Case], pickers: Mapping[str, Picker] = PICKERS) -> Baselines:
    """Chance, and how often each picker is right, with the interval of ``clustered_wilson`` over classes."""
    return _hit_rates(cases, [_credits(words, pickers) for _, words in cases])


# Picker -> its credit for a case, None where the case does not say what it takes.
_Credits: TypeAlias = Mapping[str, float | None]


def _credits(words: Sequence[Member], pickers: Mapping[str, Picker]) -> _Credits:
    picked = {name: picker(words) for name, picker in pickers.items()}
    return {name: None if saliences is None else credit(saliences, -1) for name, saliences in picked.items()}


def _hit_rates(cases: Sequence[Case], credits_: Sequence[_Credits]) -> Baselines:
    chance = fmean(1 / len(words) for _, words in cases)
    found: dict[str, HitRate | None] = {CHANCE: HitRate(len(cases), chance, chance, chance)}
    for name in credits_[0]:
        right: defaultdict[str, list[float]] = defaultdict(list)
        for (qid, _), own in zip(cases, credits_, strict=True):
            if (value := own[name]) is not None:
                right[qid].append(value)
        found[name] = None
        if right:
            sums, sizes = np.array([(sum(own), len(own)) for own in right.values()], dtype=np.float64).T
            share = float(sums.sum() / sizes.sum())
            found[name] = HitRate(int(sizes.sum()), share, *clustered_wilson(sums, sizes))
    return found


def baselines_by_language(
    groups: Iterable[Group],
    frequencies: Mapping[str, Frequencies] | None = None,
    columns: Sequence[str] = (*COLUMNS.values(), ALL),
) -> dict[str, Columns]:
    """The baselines of each language, in these columns: of each outlier class that its cases have, and of all of them.

    ``frequencies`` are those of tokens, by language.
    """
    by_language: defaultdict[str, list[Group]] = defaultdict(list)
    for group in groups:
        if group.outliers:
            by_language[group.language or UNKNOWN].append(group)
    found: dict[str, Columns] = {}
    for language, listed in sorted(by_language.items()):
        known = (frequencies or {}).get(language)
        pickers = {**PICKERS, ELSEWHERE: outlier_elsewhere(listed)}
        pickers |= {LEAST_FREQUENT: least_frequent_token(known)} if known else {}
        own: defaultdict[str, list[tuple[Case, _Credits]]] = defaultdict(list)
        for group in listed:
            for outlier in group.outliers:
                words = (*group.cluster, outlier)
                scored = (group.id, words), _credits(words, pickers)
                for column in (COLUMNS[outlier.outlier_class], ALL):
                    own[column].append(scored)
        found[language] = {column: _hit_rates(*zip(*own[column], strict=True)) for column in columns if column in own}
    return found


def baseline_rows(by_language: Mapping[str, Columns], dataset: str = "") -> list[Row]:
    """A row for each picker, as the model, in each language and outlier class; no value where the set lacks facts."""
    rows = []
    for language, columns in by_language.items():
        for column, found in columns.items():
            part, name = (ALL, "") if column == ALL else ("outlier class", column)
            head = Row(task="baseline", model="", dataset=dataset, language=language, metric="accuracy")
            for picker, one in found.items():
                row = replace(head, model=picker, part=part, name=name, cases=one.cases if one else 0)
                bars = ErrorBars(one.value, one.low, one.high, None, 0) if one else None
                rows.append(with_bars(row, bars, 100))
    return rows
