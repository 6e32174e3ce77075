"""Category sets as files, and the report on them.

Texts that are read token by token have "_" for every blank of a word, as word2vec's own phrases do (New_York).
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

import orjson

from wikisem.categories.language_sets import CategoryWords, LanguageSet, LanguageWords, RelationWords
from wikisem.categories.lexeme_pairs import FormPair, Pair, count_questions, questions, unambiguous
from wikisem.categories.recipe import CategoryRecipe
from wikisem.files import write_text
from wikisem.outputs.groupfile import format_surface
from wikisem.sampling import hash_keys
from wikisem.wikis import MULTILINGUAL

REPORT_HEADER: Final = ("language", "kind", "name", "items", "kept", "under mul", "without label", "left out otherwise")


class ReportRow(NamedTuple):
    """One category or relation in one language: ``items``, or subjects of pairs, are kept or left out, by reason."""

    language: str
    kind: str  # "category" or "relation"
    name: str
    items: int
    kept: int
    under_mul: int
    without_label: int
    otherwise: int


def report_row(words: LanguageWords) -> ReportRow:
    """Count the items of a category or relation in a language: kept, also by a ``mul`` label alone, and left out."""
    left_out = len(words.left_out)
    without_label = sum(item.reason == "no-label" for item in words.left_out)
    if isinstance(words, RelationWords):
        kind, name, kept = "relation", words.relation, len(words.pairs)
        under_mul = 0  # not counted: pairs do not have the languages of their labels
    else:
        kind, name, kept = "category", words.category, len(words.items)
        under_mul = sum(item.source == MULTILINGUAL for item in words.items)  # labels for all languages
    items, otherwise = kept + left_out, left_out - without_label
    return ReportRow(words.language, kind, name, items, kept, under_mul, without_label, otherwise)


def without_any(rows: Iterable[ReportRow]) -> list[str]:
    """List the languages, sorted, in which no item of any category has a label of the language itself."""
    listed = list(rows)
    named = {row.language for row in listed if row.kept > row.under_mul}
    return sorted({row.language for row in listed} - named)


def write_sets(folder: Path, recipe: CategoryRecipe, sets: Sequence[LanguageSet], rows: Sequence[ReportRow]) -> None:
    """Write category sets in every format and language, and the items left out; OutputError if that cannot be written.

    LA is a language. categories/LA.txt has a line ``: name`` for each category, and a line for each of its words.
    stringham2020/LA.txt is the authors' own format: a line ``:name (language)``, and one with all words, in the case of
    Wikidata. analogies/LA.txt is that of the Google set: ``: name`` for each relation, and ``a b c d`` for each
    question. The JSON lines have all that is known of each word.
    """
    left_out = list[str]()
    for language_set in sets:
        language = language_set.language
        # The categories in three formats.
        if language_set.categories:
            lines, stringham_lines, json_lines = list[str](), list[str](), list[str]()
            for category in language_set.categories:
                tokens = [item.label.replace(" ", "_") for item in category.items]
                lines += [f": {category.category}", *tokens]
                stringham_lines += [f":{category.category} ({language})", " ".join(tokens)]
                items = [item._asdict() for item in category.items]
                json_lines.append(_json_line({"category": category.category, "language": language, "items": items}))
            write_text(folder / "categories" / f"{language}.txt", map(_line, lines))
            write_text(folder / "categories" / f"{language}.jsonl", json_lines)
            write_text(folder / "stringham2020" / f"{language}.txt", map(_line, stringham_lines))
        # The relations in two: their questions, and their pairs.
        if recipe.relations:
            relations, json_lines = list[tuple[str, list[Pair], int]](), list[str]()
            for relation, related in zip(recipe.relations, language_set.relations, strict=True):
                pairs = [(one.replace(" ", "_"), other.replace(" ", "_")) for _, _, (one, other) in related.pairs]
                relations.append((relation.name, pairs, relation.questions))
                # The value of a pair is null if it is no item.
                pair_rows = [{**pair._asdict(), "value": pair.value or None} for pair in related.pairs]
                json_lines.append(_json_line({"relation": related.relation, "language": language, "pairs": pair_rows}))
            write_questions(folder / "analogies" / f"{language}.txt", relations, recipe.seed)
            write_text(folder / "analogies" / f"{language}.jsonl", json_lines)
        for words in language_set.words():  # what was left out of each category and relation, and why
            name = words.category if isinstance(words, CategoryWords) else words.relation
            unkept = ({"of": name, "language": language, **item._asdict()} for item in words.left_out)
            left_out += map(_json_line, unkept)
    write_text(folder / "categories-left-out.jsonl", left_out)
    report = ("\t".join(map(str, cells)) + "\n" for cells in (REPORT_HEADER, *rows))
    write_text(folder / "categories-report.tsv", report)


def write_questions(path: Path, relations: Sequence[tuple[str, Sequence[Pair], int]], seed: int) -> bool:
    """Write a line ``: name`` and analogy questions ``a b c d``, of two word pairs each, for each relation.

    A relation is its name, its pairs, and how many questions to draw, 0 for all. Without any question there is no file,
    and False is returned.
    """
    if not any(count_questions(len(pairs)) for _, pairs, _ in relations):
        path.unlink(missing_ok=True)  # of an earlier run
        return False
    drawn = ((name, questions(pairs, number, seed)) for name, pairs, number in relations)
    lines = (line for name, asked in drawn for line in chain([f": {name}"], map(" ".join, asked)))
    write_text(path, map(_line, lines))
    return True


def _json_line(row: Mapping[str, object]) -> str:
    return orjson.dumps(row).decode() + "\n"


_line: Final = "{}\n".format


# Test sets from pairs of forms: analogy questions, categories for Topk, and outlier groups.

CLUSTER: Final = 8

Relations = Mapping[str, Sequence[FormPair]]
WordPairs = Mapping[str, Sequence[Pair]]


def pairs_lines(language: str, relations: Relations | WordPairs) -> Iterator[str]:
    """Yield a JSON line for each relation, with every pair; pairs of forms have their lexeme."""
    for name, pairs in relations.items():
        rows = []
        for pair in pairs:
            if isinstance(pair, FormPair):
                rows.append({"lexeme": f"L{pair.lexeme}", "first": pair.first, "second": pair.second})
            else:
                rows.append({"first": pair[0], "second": pair[1]})
        yield json.dumps({"relation": name, "language": language, "pairs": rows}, ensure_ascii=False) + "\n"


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


def pair_category_lines(relations: Relations) -> Iterator[str]:
    """Yield ``: relation`` and the second forms, one per line: the words with the feature."""
    for name, pairs in relations.items():
        words = dict.fromkeys(format_surface(pair.second) for pair in _written(pairs))
        if len(words) > 1:
            yield f": {name}\n"
            yield from (f"{word}\n" for word in words)


def outlier_groups(relations: Relations, most: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield the name and WikiSem500 text of groups: of pairs such as (walk, walked), eight past tenses as the cluster.

    The first forms of the same eight words are the outliers. Words are taken in the order of their hash keys, each once
    in a relation; at most ``most`` groups of a relation.
    """
    for name, pairs in relations.items():
        # One pair for each lexeme, without common words, so that no outlier is a word of the cluster.
        lexemes, words, distinct = set[int](), set[str](), list[FormPair]()
        for pair in _written(pairs):
            if pair.lexeme not in lexemes and not words & {pair.first, pair.second}:
                lexemes.add(pair.lexeme)
                words |= {pair.first, pair.second}
                distinct.append(pair)
        keys = hash_keys(seed, [pair.lexeme for pair in distinct]).tolist()
        shuffled = [pair for _, pair in sorted(zip(keys, distinct, strict=True))]
        for number in range(min(most, len(shuffled) // CLUSTER)):
            chosen = shuffled[number * CLUSTER : (number + 1) * CLUSTER]
            lines = [*(pair.second for pair in chosen), "", *(pair.first for pair in chosen)]
            yield f"{name}-{number + 1:03}", "\n".join(map(format_surface, lines)) + "\n"


def _written(pairs: Iterable[FormPair]) -> Iterator[FormPair]:
    return (pair for pair in pairs if _can_be_written((pair.first, pair.second)))


def _can_be_written(words: Pair) -> bool:
    """Test whether text files can hold the words: a line that begins with ":" is a heading, and no line is blank."""
    return all(word.strip() and not word.lstrip().startswith(":") for word in words)
