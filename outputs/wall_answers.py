"""Walls in evaluation harnesses: the answer of a language model as groups, and their scores.

A release has this file as it is, and every harness that runs the walls of the release imports it, so it needs nothing
but Python. lm-evaluation-harness calls ``process_results``.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

SCORES = ("solved", "groups_found", "ari", "ami")

Partition = Sequence[Sequence[int]]


# Scores of a partition. Words are numbered by their place on the wall.


def score_partition(found: Partition, truth: Partition) -> dict[str, float]:
    """The four scores of the groups that were found; a word of no group counts as a group of its own.

    ``solved`` is 1 if each of the hidden groups was found exactly, else 0; ``groups_found`` is the share of them that
    were. ``ari`` and ``ami`` have 1 for the solution and an expected value of 0 for a random partition. They are those
    of the Only Connect Wall data set (Naeini et al. 2023, arXiv 2306.11167), which takes them from scikit-learn:
    Hubert and Arabie (1985), and Vinh, Epps and Bailey (2010) with the mean of both entropies. Its Fowlkes-Mallows
    index says nothing more where all groups have four words: it is then 1/5 + 4/5 of the adjusted Rand index.

    Two words change places between the first two groups: two groups are found, and 18 of the 24 pairs.

    >>> truth = [range(0, 4), range(4, 8), range(8, 12), range(12, 16)]
    >>> found = [(0, 1, 2, 4), (3, 5, 6, 7), range(8, 12), range(12, 16)]
    >>> {name: round(score, 3) for name, score in score_partition(found, truth).items()}
    {'solved': 0.0, 'groups_found': 0.5, 'ari': 0.688, 'ami': 0.717}
    """
    placed = {place for group in found for place in group}
    alone = [(place,) for group in truth for place in group if place not in placed]
    groups = [frozenset(group) for group in (*found, *alone) if group]
    wanted = [frozenset(group) for group in truth]
    share = sum(group in groups for group in wanted) / len(wanted)
    return {
        "solved": float(share == 1),
        "groups_found": share,
        "ari": adjusted_rand(groups, wanted),
        "ami": adjusted_mutual_information(groups, wanted),
    }


def adjusted_rand(found: Sequence[frozenset[int]], truth: Sequence[frozenset[int]]) -> float:
    """The Rand index of two partitions of the same words, adjusted for chance: the share of pairs, beyond chance."""
    shared = sum(math.comb(len(group & other), 2) for group in found for other in truth)
    pairs_found, pairs_wanted = (sum(math.comb(len(group), 2) for group in groups) for groups in (found, truth))
    expected = pairs_found * pairs_wanted / max(1, math.comb(sum(map(len, truth)), 2))
    highest = (pairs_found + pairs_wanted) / 2
    return 1.0 if highest == expected else (shared - expected) / (highest - expected)


def adjusted_mutual_information(found: Sequence[frozenset[int]], truth: Sequence[frozenset[int]]) -> float:
    """The mutual information of two partitions of the same words, adjusted for chance."""
    if set(found) == set(truth):
        return 1.0
    words = sum(map(len, truth))
    # Of every two groups the sizes and how many words they share; most pairs are like others.
    overlaps = Counter((len(group), len(other), len(group & other)) for group in found for other in truth)
    sizes = Counter((len(group), len(other)) for group in found for other in truth)
    information = sum(times * _information(*overlap, words) for overlap, times in overlaps.items())
    # The same for random groups of these sizes, by the hypergeometric distribution of what they share.
    expected = sum(
        math.fsum(
            math.comb(size, shared)
            * math.comb(words - size, other_size - shared)
            * _information(size, other_size, shared, words)
            for shared in range(max(1, size + other_size - words), min(size, other_size) + 1)
        )
        / math.comb(words, other_size)
        * times
        for (size, other_size), times in sizes.items()
    )
    entropies = [
        math.log(words) - math.fsum(len(group) * math.log(len(group)) for group in groups) / words
        for groups in (found, truth)
    ]
    highest = sum(entropies) / 2
    return (information - expected) / (highest - expected) if highest > expected else 0.0


def _information(size: int, other_size: int, shared: int, words: int) -> float:
    """What two groups of these sizes that share some words add to the mutual information."""
    return shared / words * math.log(words * shared / (size * other_size)) if shared else 0.0


# The answer of a model.

_GROUPS = 4
_SEPARATORS = re.compile(r"\s*[,;|/\t、，；､،؛·•・]\s*|\s[-–—]\s")
# Where a line of JSON or Python has one list after another.
_LISTS = re.compile(r"\]\s*,?\s*(?=\[)")
_NUMBERING = re.compile(r"^\s*[(\[（]?\w{1,3}[.):\]）]\s*|^\s*[-–—*+>#]+\s+")
_LABEL_END = re.compile(r"[:：=→]")
_REMARK = re.compile(r"\s*[(（\[:：].*$")
_EDGES = "\"'`´*_“”„‟«»‹›‘’‚「」『』《》〈〉()[]{}<>（）.。!！ "

_VARIANTS = str.maketrans("’‘ʼ`´‐‑–—−_", "'''''----- ")


def parse_answer(text: str, words: Sequence[str]) -> list[list[int]]:
    """The groups in a model's answer, each with the places of its words on the wall; at most four.

    A group is a line with two words of the wall or more, or lines with one each that follow one another. The last four
    count: what a model thinks first is no answer. Lines may be numbered, in bullets, in quotes, as Markdown or as
    lists of JSON; a label may come before the words, and a remark after them or after each. Case does not count. What
    is no word of the wall is passed over, and a word that comes twice counts where it comes first.

    >>> parse_answer("1. City: Rome, Washington, D.C.\\n2) **red**, Blue", ["Washington, D.C.", "blue", "Rome", "Red"])
    [[2, 0], [3, 1]]
    """
    wall = _Wall(words)
    lines: list[list[int]] = []
    single: list[int] = []  # the words of lines with one each that follow one another
    for line in [*_LISTS.sub("]\n", text).splitlines(), ""]:
        places = wall.places_in(line)
        if len(places) == 1:
            single += places
        else:
            lines += [group for group in (single, places) if len(group) > 1]
            single = []
    taken: set[int] = set()
    groups = []
    for places in lines[-_GROUPS:]:
        groups.append([place for place in dict.fromkeys(places) if place not in taken])
        taken.update(places)
    return [group for group in groups if group]


class _Wall:
    """The words of a wall, to be found in lines of text."""

    def __init__(self, words: Sequence[str]) -> None:
        self._exact = {unicodedata.normalize("NFC", word).strip(): place for place, word in enumerate(words)}
        self._alike: dict[str, int] = {}
        for place, word in enumerate(words):
            self._alike.setdefault(_plain(word), place)

    def places_in(self, line: str) -> list[int]:
        """The places on the wall of the words in a line, which separators such as commas divide into pieces."""
        # "Rome; Oslo" has the borders (0, 0), (4, 6) and (10, 10), and between them the pieces (0, 4) and (6, 10).
        borders = [(0, 0), *(found.span() for found in _SEPARATORS.finditer(line)), (len(line), len(line))]
        pieces = [(start, end) for (_, start), (end, _) in pairwise(borders)]
        places, first = [], 0
        while first < len(pieces):
            start, end = pieces[first]
            # The longest run of pieces that is a word, as "Washington, D.C." is; else the first piece is passed over.
            for last in range(len(pieces) - 1, first - 1, -1):
                if found_places := self._read(line[start : pieces[last][1]], line[start:end]):
                    places += found_places
                    break
            first = last + 1
        return places

    def _read(self, text: str, piece: str) -> list[int]:
        """The place of the word that ``text`` is, or of each word in it if it is one piece; empty if it has none.

        ``text`` is one or several pieces of a line, and ``piece`` the first of them, in which a label may end. It is
        read whole, then without a number, a label, a remark: "1. City: Rome (the capital)" is read as it is, then as
        "City: Rome (the capital)", "Rome (the capital)" and "Rome". Only one piece is read without a remark.
        """
        # The readings, best first: with and without a label, such as "City:", and each with and without a number.
        after_labels = [text[label.end() :] for label in _LABEL_END.finditer(piece)]
        readings = [form for whole in (text, *after_labels) for form in (whole, _NUMBERING.sub("", whole))]
        if text == piece:
            for whole in (*after_labels, text):
                readings += [_REMARK.sub("", whole), _REMARK.sub("", _NUMBERING.sub("", whole))]
        for reading in readings:
            if (place := self._place(reading)) is not None:
                return [place]
        # No reading is a word: the first that is several words with blanks between them counts.
        return next(filter(None, map(self._between_blanks, readings)), []) if text == piece else []

    def _place(self, text: str) -> int | None:
        exact = self._exact.get(unicodedata.normalize("NFC", text).strip())
        return self._alike.get(_plain(text)) if exact is None else exact

    def _between_blanks(self, text: str) -> list[int]:
        """The places of the words in "Rome Oslo and Bern"; empty if two tokens in a row are no word of the wall."""
        tokens, places, first, skipped_one = text.split(), list[int](), 0, False
        while first < len(tokens):
            for end in range(len(tokens), first, -1):  # the longest run of tokens that is a word
                if (place := self._place(" ".join(tokens[first:end]))) is not None:
                    break
            if place is not None:
                places.append(place)
                skipped_one, first = False, end
            elif skipped_one or not places:
                return []
            else:  # skip one, perhaps an "and", between two words: neither the first token nor the last
                skipped_one, first = True, first + 1
        return [] if skipped_one else places


def _plain(text: str) -> str:
    """A word without case, marks of format, quotes and brackets around it, and variants of width and punctuation."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).translate(_VARIANTS)
    shown = "".join(character for character in folded if unicodedata.category(character) != "Cf")
    return " ".join(shown.split()).strip(_EDGES) or shown


def process_results(doc: Mapping[str, object], results: Sequence[str]) -> dict[str, float]:
    """The scores of a row of walls and a model's answer to it, under the names of the metrics of the task."""
    return score_answer(results[0], doc["choices"], doc["answer"])  # type: ignore[arg-type]


def score_answer(text: str, words: Sequence[str], answer: Iterable[int]) -> dict[str, float]:
    """The scores of an answer; ``answer`` has the number of the hidden group of each word."""
    truth: dict[int, list[int]] = {}
    for place, group in enumerate(answer):
        truth.setdefault(group, []).append(place)
    return score_partition(parse_answer(text, words), list(truth.values()))
