"""Scores for models on data sets: outlier detection, walls, categories. Part of the public API (docs/python.md)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

from wikisem.datasets.files import data_set_name, data_set_path
from wikisem.datasets.word_categories import WordCategory, read_categories
from wikisem.datasets.word_groups import ItemKeys, OutlierWord, WordGroup, keyed_groups, name_languages, read_dataset
from wikisem.errors import MissingInputError
from wikisem.evaluation.analogies.questions import SectionScore, read_questions, score_analogies, split_relations, total
from wikisem.evaluation.oddoneout import ODDONEOUT_DISTANCES, score_oddoneout
from wikisem.evaluation.options import AnalogyOptions, Compactness, Distance, Intruders, Keys, Method, OddOneOutOptions
from wikisem.evaluation.outlier_detection import Evaluation, score_models
from wikisem.evaluation.topk import CategoryScore, combined_as_json, look_up_category, mean_percent, score_topk
from wikisem.evaluation.vectors.lookup import Lookup, require_cosine, require_vocabulary
from wikisem.evaluation.vectors.models import ModelObject, open_model, open_object
from wikisem.evaluation.vectors.similarities import compared_by, given_similarity
from wikisem.evaluation.vectors.words import open_tokenizer, tokens_of
from wikisem.evaluation.walls import WallEvaluation, score_models_on_walls
from wikisem.outputs.wallfile import read_walls
from wikisem.records import Group, Member, Wall

__all__ = [
    "AnalogyEvaluation",
    "CategoryEvaluation",
    "CombinedEvaluation",
    "Evaluation",
    "WallEvaluation",
    "analogies",
    "combined",
    "oddoneout",
    "open_vectors",
    "outliers",
    "split_analogies",
    "topk",
    "walls",
]

Vectors = Lookup | str | PathLike[str] | ModelObject
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


@dataclass(frozen=True, slots=True)
class CombinedEvaluation:
    """What a model scored by numbers of right answers: ``score`` is the harmonic mean of ``oddoneout`` and ``topk``."""

    name: str
    notes: tuple[str, ...]
    score: float
    oddoneout: int
    topk: int


@dataclass(frozen=True, slots=True)
class AnalogyEvaluation:
    """What a model scored on analogy questions: ``name`` and ``notes`` are the model's, ``sections`` one score each."""

    name: str
    notes: tuple[str, ...]
    sections: tuple[SectionScore, ...]

    @property
    def total(self) -> SectionScore:
        """The numbers of all sections together."""
        return total(self.sections)


def open_vectors(
    source: Vectors,
    *,
    name: str = "",
    phrases: bool = True,
    tokenizer: str = "",
    similarity: Callable[[Any, Any], Any] | None = None,
    keys: Keys | None = None,
) -> Lookup:
    """Open a model: a file of vectors, a source such as ``sentence-transformers:NAME``, or a Python object.

    An object is gensim's KeyedVectors, a mapping from words to vectors, a pair of words and an array with a row for
    each, an object with ``encode``, or a callable. The last two take a list of strings and return as many vectors, None
    for a string they have none for. ``name`` is what reports call the model. ``phrases=False`` reads items token by
    token even where the vocabulary has phrases. ``tokenizer`` ("fugashi" or "jieba") divides items of a language
    without spaces. ``similarity`` compares vectors in place of the cosine: it takes two arrays of rows and returns the
    similarity of each row to each, which need not be symmetric. ``keys`` says that vectors are keyed by "qid" or by the
    "title" of a page; pass it to ``outliers``, too. What is opened already is returned as it is.
    Raises MissingInputError, DamagedInputError and UsageError.
    """
    tokenize = open_tokenizer(tokenizer) if tokenizer else tokens_of
    if isinstance(source, str | PathLike):
        lookup = open_model(fspath(source), phrases, name, None, tokenize, keys)
    else:
        lookup = source if isinstance(source, Lookup) else open_object(source, name, phrases, tokenize, keys)
    if similarity is None:
        return lookup
    given = getattr(similarity, "__name__", "a callable")
    return compared_by(lookup, given_similarity(similarity, given), f"vectors compared by {given}")


def outliers(
    groups: Groups,
    vectors: Vectors,
    *,
    common_with: Sequence[Vectors] = (),
    compactness: Compactness = "pairs",
    keys: Keys | None = None,
) -> Evaluation:
    """Score outlier detection: OPP and accuracy with error bars, overall, by language, by outlier class and by group.

    ``groups`` is a data set's file, folder or archive, or what ``read_groups`` or ``read_dataset`` returned.
    ``common_with`` names other models: only surface forms that are in the vocabulary of all of them count (Blair et al.
    2016, 4.1). ``compactness`` is the measure that finds the outlier: "pairs" of Camacho-Collados and Navigli (2016),
    or "word" of Gamallo (2019); they differ if the similarity is not symmetric. With ``keys``, items are
    looked up by their "qid" or the "title" of their page. MissingInputError where there are no groups, or no such keys.
    """
    if isinstance(groups, str | PathLike):
        listed, name = name_languages(read_dataset(groups), data_set_path(groups)), data_set_name(data_set_path(groups))
    else:
        listed, name = list(map(_words, groups)), ""
    if not listed:
        raise MissingInputError("expected test groups, saw none")
    if keys:
        listed = keyed_groups(listed, keys)
    whole, common = score_models(
        listed, (_opened(each, keys) for each in (vectors, *common_with)), compactness=compactness
    )
    return replace(common[0] if common else whole[0], dataset=name)


def walls(
    walls: str | PathLike[str] | Sequence[Wall],
    vectors: Vectors,
    *,
    common_with: Sequence[Vectors] = (),
    keys: Literal["qid"] | None = None,
) -> WallEvaluation:
    """Score walls: how many are solved by the best partition into four groups, by tier and language, with error bars.

    ``walls`` is the OUT of a run, a release, a file of walls, or a list of ``Wall``. ``common_with`` and ``keys`` are
    as for ``outliers``. MissingInputError if there are no walls.
    """
    if isinstance(walls, str | PathLike):
        listed, name = read_walls(walls), data_set_name(data_set_path(walls))
    else:
        listed, name = list(walls), ""
    if not listed:
        raise MissingInputError("expected walls, saw none")
    lookups = (_opened(each, keys) for each in (vectors, *common_with))
    whole, common = score_models_on_walls(listed, lookups, by_qid=bool(keys))
    return replace(common[0] if common else whole[0], dataset=name)


def topk(
    categories: Categories, vectors: Vectors, k: int = 3, *, skip_oov: bool = False, language: str = ""
) -> CategoryEvaluation:
    """Score Topk: the share of a word's ``k`` nearest neighbours that are in its category.

    ``categories`` is a file, from which ``language`` chooses one language, or what ``read_categories`` returned.
    ``skip_oov`` leaves out words out of vocabulary, which otherwise count as wrong. UsageError for a model without a
    vocabulary.
    """
    lookup = _opened(vectors)
    vocabulary = require_vocabulary(lookup, "topk")
    members = [look_up_category(category, lookup) for category in _categories(categories, language)]
    scores = tuple(score_topk(each, vocabulary, k, skip_oov, lookup.similarity) for each in members)
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
    require_cosine(lookup, ODDONEOUT_DISTANCES)
    settings = OddOneOutOptions(k, distance, intruders, skip_oov, sample, seed)
    members = [look_up_category(category, lookup) for category in _categories(categories, language)]
    return CategoryEvaluation(lookup.name, lookup.notes, tuple(score_oddoneout(members, lookup.words, settings)))


def combined(
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
) -> CombinedEvaluation:
    """Score the combination of ``topk`` and ``oddoneout`` by which Stringham and Izbicki (2020) choose models.

    The options are those of ``oddoneout``. UsageError for a model without a vocabulary.
    """
    lookup = _opened(vectors)
    vocabulary = require_vocabulary(lookup, "combined")
    require_cosine(lookup, ODDONEOUT_DISTANCES)
    settings = OddOneOutOptions(k, distance, intruders, skip_oov, sample, seed)
    members = [look_up_category(category, lookup) for category in _categories(categories, language)]
    scores = combined_as_json(
        score_oddoneout(members, vocabulary, settings), [score_topk(each, vocabulary, k, skip_oov) for each in members]
    )
    return CombinedEvaluation(lookup.name, lookup.notes, scores["combined"], scores["oddoneout"], scores["topk"])


def analogies(
    questions: str | PathLike[str],
    vectors: Vectors,
    *,
    method: Method = "3cosadd",
    skip_oov: bool = False,
    restrict: int = 0,
) -> AnalogyEvaluation:
    """Score a file of analogy questions, section by section, as ``wikisem evaluate analogies`` does.

    ``restrict`` uses only the first words of the vocabulary, 0 all. A question with a word out of vocabulary is wrong
    unless ``skip_oov`` leaves it out. UsageError for a model without a vocabulary.
    """
    lookup = _opened(vectors)
    sections = read_questions(Path(questions))
    scores = score_analogies(sections, lookup, AnalogyOptions(method, skip_oov, restrict))
    return AnalogyEvaluation(lookup.name, lookup.notes, tuple(scores))


def split_analogies(path: str | PathLike[str]) -> list[WordCategory]:
    """Two categories from each relation of a file of analogy questions: its first words, and their partners.

    Stringham and Izbicki (2020) use the Google set in this way for Topk and OddOneOut. MissingInputError without
    questions, DamagedInputError with file and line.
    """
    return split_relations(read_questions(Path(path)))


def _opened(vectors: Vectors, keys: Keys | None = None) -> Lookup:
    return open_vectors(vectors, keys=keys)


def _categories(categories: Categories, language: str) -> Sequence[WordCategory]:
    return read_categories(categories, language) if isinstance(categories, str | PathLike) else categories


def _words(group: WordGroup | Group) -> WordGroup:
    if isinstance(group, WordGroup):
        return group
    cluster, keys = tuple(one.surface for one in group.cluster), tuple(map(_keys, group.cluster))
    outliers = tuple(OutlierWord(one.surface, one.outlier_class, _keys(one)) for one in group.outliers)
    return WordGroup(group.qid, cluster, outliers, "", group.language, group.label, keys)


def _keys(member: Member) -> ItemKeys:
    return ItemKeys(member.id, member.title or "", member.sitelinks, member.total, member.links)
