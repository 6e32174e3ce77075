"""How many characters of a script say what six letters of an alphabet say, measured on labels of the same items.

Settled ``affix_length``: three characters in Hangul, Indic and other scripts, four in Thai, where alphabets have six.

usage: python -m studies.affix_lengths DUMP.json.gz...   (Wikidata dumps or slices of them)

For each script it prints how long labels in it are, in grapheme clusters, compared with the labels of the same items
in fifteen languages that are written in alphabets (mean over the labels), and what six letters come to at that rate.
Then it prints the beginnings and ends that at least four labels of a class share, and a fifth of them: words for the
class itself, which an affix should be short enough to catch.
"""

import statistics
import sys
from collections import defaultdict

import regex

from studies.label_rules import read_items
from wikisem.wikipedia.graphemes import graphemes
from wikisem.wikipedia.languages import SPECIAL_SCRIPTS

ALPHABETS = ("en", "de", "fr", "es", "it", "ru", "pl", "pt", "nl", "sv", "tr", "uk", "cs", "fi", "hu")
ABJADS = {"Arab": r"\p{Arabic}", "Hebr": r"\p{Hebrew}", "Syrc": r"\p{Syriac}"}


def ratio(items: list[tuple[dict[str, str], set[str]]], letters: str) -> tuple[int, float]:
    """How many labels are in a script, whatever their language, and the mean of the ratios of their lengths."""
    written = regex.compile(rf"(?=.*[{letters}])[{letters}\p{{Common}}\p{{Inherited}}]+")
    ratios = []
    for labels, _ in items:
        known = [len(graphemes(labels[other])) for other in ALPHABETS if other in labels]
        found = [label for label in labels.values() if known and written.fullmatch(label)]
        ratios += [len(graphemes(label)) / statistics.mean(known) for label in found]
    return len(ratios), statistics.mean(ratios) if ratios else 0.0


def shared_ends(items: list[tuple[dict[str, str], set[str]]], code: str, length: int) -> dict[str, int]:
    """Beginnings and ends of that many characters that labels of one class share -> how many labels have them."""
    by_class = defaultdict(set)
    for labels, classes in items:
        for qid in classes:
            if code in labels and len(graphemes(labels[code])) >= length:
                by_class[qid].add(labels[code])
    found = defaultdict[str, set[str]](set)
    for members in by_class.values():
        for side in (slice(None, length), slice(-length, None)):
            with_end = defaultdict(set)
            for label in members:
                with_end["".join(graphemes(label)[side])].add(label)
            for end, having in with_end.items():
                if len(having) >= max(4, len(members) / 5):
                    found[end] |= having
    return {end: len(having) for end, having in sorted(found.items(), key=lambda entry: -len(entry[1]))}


def main(paths: list[str]) -> None:
    """Print both tables."""
    found = {item["id"]: item for path in paths for item in read_items(path)}
    items = [(item["labels"], item["classes"]) for item in found.values()]
    scripts = {**{name: script.letters for name, script in SPECIAL_SCRIPTS.items()}, **ABJADS}
    for name, letters in scripts.items():
        count, mean = ratio(items, letters)
        print(f"{name}: {count} labels, {mean:.2f} of an alphabet's length, six letters are {6 * mean:.1f}")
    for code in ("th", "lo", "km", "my", "bo", "ko"):
        for length in (2, 3, 4, 5, 6):
            print(f"{code}, {length} characters: {shared_ends(items, code, length) or 'none'}")


if __name__ == "__main__":
    main(sys.argv[1:])
