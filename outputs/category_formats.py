"""Category sets as files: `: category` text, the form of Stringham and Izbicki, JSON lines, and analogy questions.

Texts that are read token by token write "_" for every blank of a word, as word2vec's own phrases do (New_York).
"""

from collections.abc import Iterable, Iterator
from dataclasses import asdict

import orjson

from wikisem.categories.analogies import questions
from wikisem.categories.recipe import Relation
from wikisem.categories.wording import CategoryWords, LanguageWords, RelationWords


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
    for one in words.left_out:
        yield _json({"of": name, "language": words.language, "id": one.id, "reason": one.reason})


def _json(row: dict[str, object]) -> str:
    return orjson.dumps(row).decode("utf-8")
