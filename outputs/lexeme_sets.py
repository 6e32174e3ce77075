"""Test sets from pairs of forms: analogy questions, categories for Topk, and outlier groups."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from wikisem.categories.analogies import questions
from wikisem.categories.lexeme_pairs import FormPair, unambiguous
from wikisem.outputs.group_formats import format_surface
from wikisem.sampling import hash_keys

CLUSTER: Final = 8

Relations = Mapping[str, Sequence[FormPair]]


def pairs_lines(language: str, relations: Relations) -> Iterator[str]:
    """A JSON line for each relation, with every pair and the lexeme it is from."""
    for name, pairs in relations.items():
        rows = [{"lexeme": f"L{pair.lexeme}", "first": pair.first, "second": pair.second} for pair in pairs]
        yield json.dumps({"relation": name, "language": language, "pairs": rows}, ensure_ascii=False) + "\n"


def analogy_lines(relations: Relations, sample: int, seed: int) -> Iterator[str]:
    """``: relation`` and its questions, at most ``sample`` of each relation (0: all), as word2vec reads them."""
    for name, pairs in relations.items():
        written = unambiguous(_written(pairs))
        words = [(format_surface(pair.first), format_surface(pair.second)) for pair in written]
        if len(words) > 1:
            yield f": {name}\n"
            yield from (" ".join(question) + "\n" for question in questions(words, sample, seed))


def category_lines(relations: Relations) -> Iterator[str]:
    """``: relation`` and the second forms, a word a line: the words that have the feature."""
    for name, pairs in relations.items():
        words = dict.fromkeys(format_surface(pair.second) for pair in _written(pairs))
        if len(words) > 1:
            yield f": {name}\n"
            yield from (f"{word}\n" for word in words)


def outlier_groups(relations: Relations, most: int, seed: int) -> Iterator[tuple[str, str]]:
    """The name and text of groups: eight second forms, and as outliers the first forms of the same eight words.

    Words are taken in the order of their hash keys, each once in a relation; at most ``most`` groups of a relation.
    """
    for name, pairs in relations.items():
        apart = _apart(_written(pairs))
        keys = hash_keys(seed, [pair.lexeme for pair in apart]).tolist()
        order = [pair for _, pair in sorted(zip(keys, apart, strict=True))]
        for number in range(min(most, len(order) // CLUSTER)):
            chosen = order[number * CLUSTER : (number + 1) * CLUSTER]
            lines = [*(pair.second for pair in chosen), "", *(pair.first for pair in chosen)]
            yield f"{name}-{number + 1:03}", "\n".join(map(format_surface, lines)) + "\n"


def _written(pairs: Iterable[FormPair]) -> Iterator[FormPair]:
    """The pairs that text files can hold: a line that begins with ":" names a section, and one of nothing is blank."""
    for pair in pairs:
        if all(word.strip() and not word.lstrip().startswith(":") for word in (pair.first, pair.second)):
            yield pair


def _apart(pairs: Iterable[FormPair]) -> list[FormPair]:
    """One pair for each lexeme, of which no word is in another: no outlier is then a word of the cluster."""
    lexemes, words, chosen = set[int](), set[str](), []
    for pair in pairs:
        if pair.lexeme not in lexemes and not words & {pair.first, pair.second}:
            lexemes.add(pair.lexeme)
            words |= {pair.first, pair.second}
            chosen.append(pair)
    return chosen
