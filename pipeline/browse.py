"""The files of the page that shows a run: what is read, and which file each part becomes."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from wikisem.errors import MissingInputError
from wikisem.ids import qid_number
from wikisem.outputs.browse.data import BrowseLanguage, index_script, language_script
from wikisem.outputs.browse.page import browse_page
from wikisem.outputs.release.facts import ReleaseFacts
from wikisem.records import Group, Rejection
from wikisem.typed_json import decode_json
from wikisem.wikis import WIKIPEDIAS, wiki_of

# model -> class number -> (OPP, accuracy), in percent
_ByModel: TypeAlias = dict[str, dict[int, tuple[float | None, float | None]]]


class _ScoredGroup(msgspec.Struct):
    group: str
    language: str
    opp: float | None = None
    accuracy: float | None = None


class _Scores(msgspec.Struct):
    model: str
    by_group: list[_ScoredGroup]


def browse_files(
    facts: ReleaseFacts,
    groups: Mapping[str, Sequence[Group]],
    rejections: Mapping[str, Sequence[Rejection]],
    scores: Sequence[Path] = (),
    english: Mapping[str, Collection[str]] | None = None,
) -> Iterator[tuple[str, bytes]]:
    """Every file of the page: its path and its bytes. index.html is last: a page without its data is never there.

    ``english`` are the classes of each language whose label is English for want of another.
    """
    scored = _scores_of(groups, scores)
    english = english or {}
    languages = [
        BrowseLanguage(code, own, rejections.get(code, ()), scored[code], frozenset(english.get(code, ())))
        for code, own in groups.items()
    ]
    about: dict[str, Any] = {"name": facts.name, "facts": dict(_facts(facts))}
    for language in languages:
        yield f"data/{language.code}.js", language_script(language)
    yield "data/index.js", index_script(about, languages, {code: _name(code) for code in groups})
    yield "index.html", browse_page(facts.name)


def read_scores(path: Path) -> list[_Scores]:
    """The lines that ``wikisem evaluate outliers --json`` printed, one for each model and data set."""
    if not path.is_file():
        raise MissingInputError(f"expected a file of scores, saw nothing at {path}")
    found = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        found.append(decode_json(line, _Scores, f"{path}:{number}", "what wikisem evaluate outliers --json prints"))
    return found


def _scores_of(groups: Mapping[str, Sequence[Group]], paths: Sequence[Path]) -> dict[str, _ByModel]:
    """By language and model the scores of the run's groups; a file may have those of other data sets beside them."""
    known = {(code, group.qid) for code, own in groups.items() for group in own}
    found: dict[str, _ByModel] = {code: {} for code in groups}
    for path in paths:
        fitting = [
            (scores.model, one)
            for scores in read_scores(path)
            for one in scores.by_group
            if (one.language, one.group) in known
        ]
        if not fitting:
            raise MissingInputError(f"{path}: expected scores of groups of this run, saw none")
        for model, one in fitting:
            found[one.language].setdefault(model, {})[qid_number(one.group)] = (one.opp, one.accuracy)
    return found


def _facts(facts: ReleaseFacts) -> Iterator[tuple[str, str]]:
    yield "recipe", str(facts.recipe.get("name", ""))
    yield "seed", str(facts.seed)
    yield from sorted(facts.versions.items())
    for source in facts.sources:
        yield f"Wikipedia, {source.language}" if source.language else "Wikidata", source.name


def _name(code: str) -> str:
    wiki = wiki_of(code)
    return WIKIPEDIAS[wiki].name if wiki is not None and wiki in WIKIPEDIAS else code
