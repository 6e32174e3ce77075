"""Category sets as files: `: category` text, the form of Stringham and Izbicki, JSON lines, and analogy questions.

Texts that are read token by token write "_" for every blank of a word, as word2vec's own phrases do (New_York).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import orjson

from wikisem.atomic_files import write_text
from wikisem.categories.analogies import count_questions, questions
from wikisem.categories.language_sets import LanguageSet
from wikisem.categories.recipe import CategoryRecipe, Relation
from wikisem.categories.wording import CategoryWords, LanguageWords, RelationWords
from wikisem.outputs.category_report import ReportRow, report_tsv


def write_sets(folder: Path, recipe: CategoryRecipe, sets: Sequence[LanguageSet], rows: Sequence[ReportRow]) -> None:
    """Write every format in every language, and what was left out; OutputError when the folder cannot be written."""
    for language_set in sets:
        language = language_set.language
        if recipe.word_sets():
            _write_lines(folder / "categories" / f"{language}.txt", category_lines(language_set.categories))
            _write_lines(folder / "categories" / f"{language}.jsonl", map(category_json, language_set.categories))
            _write_lines(folder / "stringham2020" / f"{language}.txt", stringham_lines(language_set.categories))
        if recipe.relations:
            related = list(zip(recipe.relations, language_set.relations, strict=True))
            lines = (f"{line}\n" for line in analogy_lines(related, recipe.seed))
            write_questions(folder / "analogies" / f"{language}.txt", (len(words.pairs) for _, words in related), lines)
            _write_lines(folder / "analogies" / f"{language}.jsonl", map(pairs_json, language_set.relations))
    left_out = (line for language_set in sets for words in language_set.words() for line in left_out_json(words))
    _write_lines(folder / "categories-left-out.jsonl", left_out)
    write_text(folder / "categories-report.tsv", [report_tsv(rows)])


def token(word: str) -> str:
    """A word of one or several tokens as one token: "New York" becomes "New_York"."""
    return word.replace(" ", "_")


def category_lines(categories: Iterable[CategoryWords]) -> Iterator[str]:
    """A line ``: name`` for each category, and a line for each of its words."""
    for category in categories:
        yield f": {category.category}"
        yield from (token(item.label) for item in category.items)


def stringham_lines(categories: Iterable[CategoryWords]) -> Iterator[str]:
    """The authors' own form: a line ``:name (language)``, and one line with all words of the category.

    Their tool lowers all words and drops those of several tokens; here words are as Wikidata has them.
    """
    for category in categories:
        yield f":{category.category} ({category.language})"
        yield " ".join(token(item.label) for item in category.items)


def category_json(category: CategoryWords) -> str:
    """A category as one JSON line: name, language, and items with QID, label, the label's code, and sitelinks."""
    return _json(
        {
            "category": category.category,
            "language": category.language,
            "items": [asdict(item) for item in category.items],
        }
    )


def analogy_lines(relations: Iterable[tuple[Relation, RelationWords]], seed: int) -> Iterator[str]:
    """The form of the Google set: a line ``: name`` for each relation, and a line ``a b c d`` for each question."""
    for relation, words in relations:
        yield f": {relation.name}"
        pairs = [(token(pair.words[0]), token(pair.words[1])) for pair in words.pairs]
        yield from (" ".join(question) for question in questions(pairs, relation.questions, seed))


def pairs_json(relation: RelationWords) -> str:
    """The pairs of a relation as one JSON line: subject and value as QIDs (null for other values), and words."""
    return _json(
        {
            "relation": relation.relation,
            "language": relation.language,
            "pairs": [
                {"subject": pair.subject, "value": pair.value or None, "words": list(pair.words)}
                for pair in relation.pairs
            ],
        }
    )


def left_out_json(words: LanguageWords) -> Iterator[str]:
    """A JSON line for each item that a category or relation leaves out in a language, with the reason."""
    name = words.category if isinstance(words, CategoryWords) else words.relation
    for item in words.left_out:
        yield _json({"of": name, "language": words.language, "id": item.id, "reason": item.reason})


def without_questions(sets: Iterable[LanguageSet]) -> list[str]:
    """The languages in which no relation has two pairs, and so no question."""
    return [one.language for one in sets if one.relations and all(len(words.pairs) < 2 for words in one.relations)]


def write_questions(path: Path, pairs: Iterable[int], parts: Iterable[str]) -> bool:
    """Write a file of analogy questions, of relations with so many pairs each, and say whether there are any.

    Without a question there is no file: programs that score such files divide by the number of questions.
    """
    if not any(map(count_questions, pairs)):
        path.unlink(missing_ok=True)  # of an earlier run
        return False
    write_text(path, parts)
    return True


def _json(row: dict[str, object]) -> str:
    return orjson.dumps(row).decode("utf-8")


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    write_text(path, (f"{line}\n" for line in lines))
