"""Scores for models on data sets: outlier detection, Topk and OddOneOut. Part of the public API (docs/python.md)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from wikisem.datasets.folder_languages import name_languages
from wikisem.datasets.sources import data_set_name
from wikisem.datasets.word_categories import WordCategory, read_categories
from wikisem.datasets.word_groups import OutlierWord, WordGroup, read_dataset
from wikisem.errors import MissingInputError, UsageError
from wikisem.evaluation.category_words import CategoryScore, look_up_category, mean_percent
from wikisem.evaluation.oddoneout.definitions import Distance
from wikisem.evaluation.oddoneout.intruders import Intruders
from wikisem.evaluation.oddoneout.scores import OddOneOutOptions, score_oddoneout
from wikisem.evaluation.outlier_detection import score_models
from wikisem.evaluation.outlier_scores import Evaluation
from wikisem.evaluation.topk import score_topk
from wikisem.evaluation.vectors.asked import tokens_of
from wikisem.evaluation.vectors.lookup import Lookup, TextLookup
from wikisem.evaluation.vectors.models import open_model
from wikisem.evaluation.vectors.tokenizers import open_tokenizer
from wikisem.records import Group

__all__ = ["CategoryEvaluation", "Evaluation", "oddoneout", "open_vectors", "outliers", "topk"]

Vectors = Lookup | str | PathLike[str]
Groups = str | PathLike[str] | Sequence[WordGroup | Group]
Categories = str | PathLike[str] | Sequence[WordCategory]


@dataclass(frozen=True, slots=True)
class CategoryEvaluation:
    """What a model scored on categories: ``name`` and ``notes`` are the model's, ``categories`` one score for each."""

    name: str
    notes: tuple[str, ...]
    categories: tuple[CategoryScore, ...]

    @property
    def score(self) -> float | None:
        """The mean over the categories in percent, skipped ones left out; None if all are skipped."""
        return mean_percent(self.categories)


def open_vectors(
    source: str | PathLike[str] | Callable[[Sequence[str]], Any],
    *,
    name: str = "",
    phrases: bool = True,
    tokenizer: str = "",
) -> Lookup:
    """Open a model: a file of vectors, a source such as ``sentence-transformers:NAME``, or a callable.

    A callable takes a list of strings and returns as many vectors, None for a string it has none for. ``name`` is what
    reports call the model. ``phrases=False`` reads items token by token even where the vocabulary has phrases.
    ``tokenizer`` ("fugashi" or "jieba") divides items of a language without spaces. Raises MissingInputError,
    DamagedInputError and UsageError.
    """
    if not isinstance(source, str | PathLike):
        return TextLookup(name or getattr(source, "__name__", "callable"), source)
    tokenize = open_tokenizer(tokenizer) if tokenizer else tokens_of
    return open_model(fspath(source), phrases, name, None, tokenize)


def outliers(groups: Groups, vectors: Vectors, *, common_with: Sequence[Vectors] = ()) -> Evaluation:
    """Score outlier detection: OPP and accuracy with error bars, overall, by language, by outlier class and by group.

    ``groups`` is a data set's file, folder or archive, or what ``read_groups`` or ``read_dataset`` returned.
    ``common_with`` names other models: only surface forms that are in the vocabulary of all of them count (Blair et al.
    2016, 4.1).
    MissingInputError where there are no groups.
    """
    if isinstance(groups, str | PathLike):
        listed, name = name_languages(read_dataset(fspath(groups)), Path(groups)), data_set_name(Path(groups))
    else:
        listed, name = list(map(_words, groups)), ""
    if not listed:
        raise MissingInputError("expected test groups, saw none")
    whole, common = score_models(listed, (_opened(each) for each in (vectors, *common_with)))
    return replace(common[0] if common else whole[0], dataset=name)


def topk(
    categories: Categories, vectors: Vectors, k: int = 3, *, skip_oov: bool = False, language: str = ""
) -> CategoryEvaluation:
    """Score Topk: the share of a word's ``k`` nearest neighbours that are in its category.

    ``categories`` is a file, of which ``language`` chooses one language, or what ``read_categories`` returned.
    ``skip_oov`` leaves out words out of vocabulary, which otherwise count as wrong. UsageError for a model without a
    vocabulary.
    """
    lookup = _opened(vectors)
    if lookup.words is None:
        raise UsageError(f"topk needs a model with a vocabulary, {lookup.name} has none")
    members = [look_up_category(category, lookup) for category in _categories(categories, language)]
    scores = tuple(score_topk(each, lookup.words, k, skip_oov) for each in members)
    return CategoryEvaluation(lookup.name, lookup.notes, scores)


def oddoneout(
    categories: Categories,
    vectors: Vectors,
    k: int = 3,
    *,
    distance: Distance = "euclidean",
    intruders: Intruders = "vocabulary",
    sample: int = 0,
    seed: int = 500,
    skip_oov: bool = False,
    language: str = "",
) -> CategoryEvaluation:
    """Score OddOneOut: how often an intruder is farther from the mean than each of ``k`` words of a category.

    The options are those of ``wikisem evaluate oddoneout``; ``sample=0`` counts every pair exactly. UsageError for
    intruders that the model cannot give, and for a category so large that it has to be sampled.
    """
    lookup = _opened(vectors)
    settings = OddOneOutOptions(k, distance, intruders, skip_oov, sample, seed)
    members = [look_up_category(category, lookup) for category in _categories(categories, language)]
    return CategoryEvaluation(lookup.name, lookup.notes, tuple(score_oddoneout(members, lookup.words, settings)))


def _opened(vectors: Vectors) -> Lookup:
    return open_vectors(vectors) if isinstance(vectors, str | PathLike) else vectors


def _categories(categories: Categories, language: str) -> Sequence[WordCategory]:
    return read_categories(Path(categories), language) if isinstance(categories, str | PathLike) else categories


def _words(group: WordGroup | Group) -> WordGroup:
    if isinstance(group, WordGroup):
        return group
    outliers = tuple(OutlierWord(outlier.surface, outlier.outlier_class) for outlier in group.outliers)
    return WordGroup(group.qid, tuple(member.surface for member in group.cluster), outliers, "", group.language)
