"""Test sets from pairs of forms: analogy questions, categories for Topk, and outlier groups."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from wikisem.categories.analogies import Pair, questions
from wikisem.categories.lexeme_pairs import FormPair, unambiguous
from wikisem.outputs.groupfile import format_surface
from wikisem.sampling import hash_keys

CLUSTER: Final = 8

Relations = Mapping[str, Sequence[FormPair]]
WordPairs = Mapping[str, Sequence[Pair]]


def pairs_lines(language: str, relations: Relations) -> Iterator[str]:
    """Yield a JSON line for each relation, with every pair and its lexeme."""
    for name, pairs in relations.items():
        rows = [{"lexeme": f"L{pair.lexeme}", "first": pair.first, "second": pair.second} for pair in pairs]
        yield _relation_line(name, language, rows)


def word_pairs_lines(language: str, relations: WordPairs) -> Iterator[str]:
    """Yield a JSON line for each relation, with every pair of words."""
    for name, pairs in relations.items():
        yield _relation_line(name, language, [{"first": first, "second": second} for first, second in pairs])


def _relation_line(name: str, language: str, rows: Sequence[Mapping[str, str]]) -> str:
    return json.dumps({"relation": name, "language": language, "pairs": rows}, ensure_ascii=False) + "\n"


def asked_pairs(relations: WordPairs) -> dict[str, list[Pair]]:
    """Keep the pairs that text files can represent, in their spelling."""
    return {
        name: [(format_surface(first), format_surface(second)) for first, second in filter(_can_be_written, pairs)]
        for name, pairs in relations.items()
    }


def with_one_answer(relations: Relations) -> dict[str, list[Pair]]:
    """Keep such pairs of forms of lexemes; if a form has several partners, only the first."""
    chosen = {name: unambiguous(_written(pairs)) for name, pairs in relations.items()}
    return asked_pairs({name: [(pair.first, pair.second) for pair in pairs] for name, pairs in chosen.items()})


def analogy_lines(relations: WordPairs, sample: int, seed: int) -> Iterator[str]:
    """Yield ``: relation`` and its questions, at most ``sample`` of each relation (0: all), as word2vec reads them.

    The pairs are as text files write them (``asked_pairs``).
    """
    for name, pairs in relations.items():
        if len(pairs) > 1:
            yield f": {name}\n"
            yield from (" ".join(question) + "\n" for question in questions(pairs, sample, seed))


def category_lines(relations: Relations) -> Iterator[str]:
    """Yield ``: relation`` and the second forms, one per line: the words with the feature."""
    for name, pairs in relations.items():
        words = dict.fromkeys(format_surface(pair.second) for pair in _written(pairs))
        if len(words) > 1:
            yield f": {name}\n"
            yield from (f"{word}\n" for word in words)


def outlier_groups(relations: Relations, most: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield the name and text of groups: eight second forms, and as outliers the first forms of the same eight words.

    Words are taken in the order of their hash keys, each once in a relation; at most ``most`` groups of a relation.
    """
    for name, pairs in relations.items():
        # One pair for each lexeme, without common words, so that no outlier is a word of the cluster.
        lexemes, words, apart = set[int](), set[str](), list[FormPair]()
        for pair in _written(pairs):
            if pair.lexeme not in lexemes and not words & {pair.first, pair.second}:
                lexemes.add(pair.lexeme)
                words |= {pair.first, pair.second}
                apart.append(pair)
        keys = hash_keys(seed, [pair.lexeme for pair in apart]).tolist()
        order = [pair for _, pair in sorted(zip(keys, apart, strict=True))]
        for number in range(min(most, len(order) // CLUSTER)):
            chosen = order[number * CLUSTER : (number + 1) * CLUSTER]
            lines = [*(pair.second for pair in chosen), "", *(pair.first for pair in chosen)]
            yield f"{name}-{number + 1:03}", "\n".join(map(format_surface, lines)) + "\n"


def _written(pairs: Iterable[FormPair]) -> Iterator[FormPair]:
    return (pair for pair in pairs if _can_be_written((pair.first, pair.second)))


def _can_be_written(words: Pair) -> bool:
    """Test whether text files can hold the words: a line that begins with ":" is a heading, and no line is blank."""
    return all(word.strip() and not word.lstrip().startswith(":") for word in words)
