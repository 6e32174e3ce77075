"""Walls in evaluation harnesses: the answer of a language model as groups, and their scores.

A release has this file as it is, and every harness that runs the walls of the release imports it, so it needs nothing
but Python. lm-evaluation-harness calls ``process_results``.
"""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise

# Written for wikisem, not reviewed by native speakers (2026-11-27).
QUESTIONS = {
    "en": "Divide these sixteen words into four groups of four, so that the words of a group have something "
    "in common that the others do not. Answer with four lines, the four words of a group in each, with "
    "commas between them.",
    "de": "Teile diese sechzehn Wörter in vier Gruppen zu je vier Wörtern ein, sodass die Wörter einer "
    "Gruppe etwas gemeinsam haben, was die anderen nicht haben. Antworte mit vier Zeilen: in jeder die "
    "vier Wörter einer Gruppe, durch Kommas getrennt.",
    "es": "Reparte estas dieciséis palabras en cuatro grupos de cuatro, de modo que las palabras de un grupo "
    "tengan algo en común que las demás no tienen. Responde con cuatro líneas: en cada una, las cuatro "
    "palabras de un grupo separadas por comas.",
    "fr": "Répartis ces seize mots en quatre groupes de quatre, de sorte que les mots d'un groupe aient un "
    "point commun que les autres n'ont pas. Réponds en quatre lignes : sur chacune, les quatre mots "
    "d'un groupe, séparés par des virgules.",
    "it": "Dividi queste sedici parole in quattro gruppi di quattro, in modo che le parole di un gruppo "
    "abbiano qualcosa in comune che le altre non hanno. Rispondi con quattro righe: in ognuna le "
    "quattro parole di un gruppo, separate da virgole.",
    "ja": "次の十六の言葉を、四つずつ四つのグループに分けてください。同じグループの言葉には、ほかの言葉にはな"
    "い共通点があります。四行で答え、各行に一つのグループの四つの言葉を読点で区切って書いてください。",
    "nl": "Verdeel deze zestien woorden in vier groepen van vier, zodat de woorden van een groep iets gemeen "
    "hebben dat de andere niet hebben. Antwoord met vier regels: op elke regel de vier woorden van een "
    "groep, gescheiden door komma's.",
    "pt": "Divida estas dezesseis palavras em quatro grupos de quatro, de modo que as palavras de um grupo "
    "tenham algo em comum que as outras não têm. Responda com quatro linhas: em cada uma, as quatro "
    "palavras de um grupo, separadas por vírgulas.",
    "ru": "Раздели эти шестнадцать слов на четыре группы по четыре слова так, чтобы у слов одной группы было "
    "что-то общее, чего нет у остальных. Ответь четырьмя строками: в каждой четыре слова одной группы "
    "через запятую.",
    "sv": "Dela in dessa sexton ord i fyra grupper med fyra ord i varje, så att orden i en grupp har något "
    "gemensamt som de andra inte har. Svara med fyra rader: på varje rad de fyra orden i en grupp, med "
    "kommatecken mellan.",
    "zh": "请把下面十六个词分成四组，每组四个，使同一组的词有其他词没有的共同点。请用四行回答，每行写一组的四"
    "个词，用逗号隔开。",
}
SCORES = ("solved", "groups_found", "ari", "ami")

Partition = Sequence[Sequence[int]]


def prompt(words: Sequence[str], language: str) -> str:
    """What a model is asked, in the language or else in English: the question, then the words, one a line."""
    return f"{QUESTIONS.get(language, QUESTIONS['en'])}\n\n" + "\n".join(words)


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


def adjusted_rand(ones: Sequence[frozenset[int]], others: Sequence[frozenset[int]]) -> float:
    """The Rand index of two partitions of the same words, adjusted for chance: the share of pairs, beyond chance."""
    pairs = sum(math.comb(len(one & other), 2) for one in ones for other in others)
    own, theirs = (sum(math.comb(len(group), 2) for group in groups) for groups in (ones, others))
    expected = own * theirs / max(1, math.comb(_words(others), 2))
    most = (own + theirs) / 2
    return 1.0 if most == expected else (pairs - expected) / (most - expected)


def adjusted_mutual_information(ones: Sequence[frozenset[int]], others: Sequence[frozenset[int]]) -> float:
    """The mutual information of two partitions of the same words, adjusted for chance."""
    if set(ones) == set(others):
        return 1.0
    words = _words(others)
    shared = Counter((len(one), len(other), len(one & other)) for one in ones for other in others)
    information = sum(times * _information(*sizes, words) for sizes, times in shared.items())
    sizes = Counter((len(one), len(other)) for one in ones for other in others)
    expected = sum(times * _expected_information(*each, words) for each, times in sizes.items())
    most = (_entropy(ones, words) + _entropy(others, words)) / 2
    return (information - expected) / (most - expected) if most > expected else 0.0


def _words(groups: Sequence[frozenset[int]]) -> int:
    return sum(map(len, groups))


def _entropy(groups: Sequence[frozenset[int]], words: int) -> float:
    return math.log(words) - math.fsum(len(group) * math.log(len(group)) for group in groups) / words


def _information(one: int, other: int, both: int, words: int) -> float:
    """What two groups of these sizes that share ``both`` words add to the mutual information."""
    return both / words * math.log(words * both / (one * other)) if both else 0.0


def _expected_information(one: int, other: int, words: int) -> float:
    """The same for random groups of these sizes, by the hypergeometric distribution of what they share."""
    return math.fsum(
        math.comb(one, both) * math.comb(words - one, other - both) * _information(one, other, both, words)
        for both in range(max(1, one + other - words), min(one, other) + 1)
    ) / math.comb(words, other)


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
    taken: set[int] = set()
    groups = []
    for places in _drafts(text, wall)[-_GROUPS:]:
        groups.append([place for place in dict.fromkeys(places) if place not in taken])
        taken.update(places)
    return [group for group in groups if group]


def _drafts(text: str, wall: "_Wall") -> list[list[int]]:
    """The groups of an answer, whether they overlap or not."""
    groups: list[list[int]] = []
    run: list[int] = []
    for line in [*_LISTS.sub("]\n", text).splitlines(), ""]:
        found = wall.places_in(line)
        if len(found) == 1:
            run += found
            continue
        groups += [each for each in (run, found) if len(each) > 1]
        run = []
    return groups


class _Wall:
    """The words of a wall, to be found in lines of text."""

    def __init__(self, words: Sequence[str]) -> None:
        self._exact = {unicodedata.normalize("NFC", word).strip(): place for place, word in enumerate(words)}
        self._alike: dict[str, int] = {}
        for place, word in enumerate(words):
            self._alike.setdefault(_plain(word), place)

    def places_in(self, line: str) -> list[int]:
        """The places of the words that a line has between its separators; a word may have separators itself."""
        borders = [(0, 0), *(found.span() for found in _SEPARATORS.finditer(line)), (len(line), len(line))]
        pieces = [(start, end) for (_, start), (end, _) in pairwise(borders)]
        places, at = [], 0
        while at < len(pieces):
            start = pieces[at][0]
            for last in range(len(pieces) - 1, at - 1, -1):
                found = self._read(line[start : pieces[last][1]], line[start : pieces[at][1]])
                if found:
                    break
            places += found
            at = last + 1
        return places

    def _read(self, text: str, piece: str) -> list[int]:
        """The word that several pieces are, or the words of one piece: one, or several with blanks between."""
        forms = list(_forms(text, piece))
        known = (place for form in forms if (place := self._place(form)) is not None)
        if (place := next(known, None)) is not None:
            return [place]
        return next(filter(None, map(self._in_row, forms)), []) if text == piece else []

    def _place(self, text: str) -> int | None:
        exact = self._exact.get(unicodedata.normalize("NFC", text).strip())
        return self._alike.get(_plain(text)) if exact is None else exact

    def _in_row(self, text: str) -> list[int]:
        """The words of a piece that has nothing else, but for one token between two of them, as an "and"."""
        tokens, places, at, strange = text.split(), list[int](), 0, 0
        while at < len(tokens):
            ends = range(len(tokens), at, -1)
            end, place = next(
                ((end, place) for end in ends if (place := self._place(" ".join(tokens[at:end]))) is not None),
                (at + 1, None),
            )
            strange = strange + 1 if place is None else 0
            if strange > 1 or (place is None and not places):
                return []
            places += [] if place is None else [place]
            at = end
        return [] if strange else places


def _forms(text: str, piece: str) -> Iterator[str]:
    """Yield the ways to read ``text``, the most literal first: whole, then without a label, a number, a remark.

    ``piece`` is the first of the pieces that ``text`` spans, where a label may end. If it is the only one, there may be
    a remark: "1. City: Rome (the capital)" is read as it is, as "City: Rome (the capital)", "Rome (the capital)",
    "Rome".
    """
    unlabelled = [text[label.end() :] for label in _LABEL_END.finditer(piece)]
    for reading in (text, *unlabelled):
        yield reading
        yield _NUMBERING.sub("", reading)
    if text == piece:
        for reading in (*unlabelled, text):
            yield _REMARK.sub("", reading)
            yield _REMARK.sub("", _NUMBERING.sub("", reading))


def _plain(text: str) -> str:
    """A word without case, marks of format, quotes and brackets around it, and variants of width and punctuation."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).translate(_VARIANTS)
    shown = "".join(character for character in folded if unicodedata.category(character) != "Cf")
    return " ".join(shown.split()).strip(_EDGES) or shown


# lm-evaluation-harness.


def process_results(doc: Mapping[str, object], results: Sequence[str]) -> dict[str, float]:
    """The scores of a row of walls and a model's answer to it, under the names of the metrics of the task."""
    return score_answer(results[0], doc["choices"], doc["answer"])  # type: ignore[arg-type]


def score_answer(text: str, words: Sequence[str], answer: Iterable[int]) -> dict[str, float]:
    """The scores of an answer; ``answer`` has the number of the hidden group of each word."""
    truth: dict[int, list[int]] = {}
    for place, group in enumerate(answer):
        truth.setdefault(group, []).append(place)
    return score_partition(parse_answer(text, words), list(truth.values()))
