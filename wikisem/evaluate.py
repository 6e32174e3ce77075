"""Scores of models on data sets: outlier detection, walls, categories, analogies. Part of the public API."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal

from wikisem.datasets.files import data_set_name, data_set_path
from wikisem.datasets.word_categories import WordCategory, read_categories
from wikisem.datasets.word_groups import keyed_groups, name_languages, read_dataset
from wikisem.errors import MissingInputError
from wikisem.evaluation.analogies.questions import SectionScore, read_questions, score_analogies, split_relations, total
from wikisem.evaluation.oddoneout import ODDONEOUT_DISTANCES, score_combined, score_oddoneout
from wikisem.evaluation.options import AnalogyOptions, Compactness, Distance, Intruders, Keys, Method, OddOneOutOptions
from wikisem.evaluation.outlier_detection import Evaluation, score_models
from wikisem.evaluation.topk import CategoryScore, look_up_category, mean_percent, score_topk
from wikisem.evaluation.vectors.lookup import Lookup, require_cosine, require_vocabulary
from wikisem.evaluation.vectors.models import ModelObject, open_model, open_object
from wikisem.evaluation.vectors.similarities import compared_by, given_similarity
from wikisem.evaluation.vectors.words import open_tokenizer, tokens_of
from wikisem.evaluation.walls import WallEvaluation, score_models_on_walls
from wikisem.outputs.wallfile import read_walls
from wikisem.records import Group, Wall

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
Groups = str | PathLike[str] | Sequence[Group]
Categories = str | PathLike[str] | Sequence[WordCategory]


@dataclass(frozen=True, slots=True)
class CategoryEvaluation:
    """The scores of one model on categories: ``name`` and ``notes`` are the model's.

    ``categories`` has for each its ``name``, ``count`` of words, how many are ``missing`` in the vocabulary, how many
    ``comparisons`` were ``correct``, and ``percent``.
    """

    name: str
    notes: tuple[str, ...]
    categories: tuple[CategoryScore, ...]

    @property
    def score(self) -> float | None:
        """The mean over the categories in percent, without those that have too few words; None if all have too few."""
        return mean_percent(self.categories)


@dataclass(frozen=True, slots=True)
class CombinedEvaluation:
    """The combined score of one model: ``name`` and ``notes`` are the model's.

    ``oddoneout`` and ``topk`` are numbers of right answers over all categories, ``score`` is the harmonic mean of both
    after 1 is added to each.
    """

    name: str
    notes: tuple[str, ...]
    score: float
    oddoneout: int
    topk: int


@dataclass(frozen=True, slots=True)
class AnalogyEvaluation:
    """The scores of one model on analogy questions: ``name`` and ``notes`` are the model's.

    ``sections`` has for each its ``section``, the number of ``questions``, how many are ``correct``, how many
    ``unseen`` (with a word out of vocabulary), and ``percent``.
    """

    name: str
    notes: tuple[str, ...]
    sections: tuple[SectionScore, ...]

    @property
    def total(self) -> SectionScore:
        """All sections together."""
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
    each, an object with ``encode``, or a function. The last two take a list of strings and return as many vectors, with
    None for a string without one. A model that is open already is returned as it is.

    ``name`` is what reports call the model. ``phrases=False`` looks items up token by token even if the vocabulary has
    phrases. ``tokenizer`` ("fugashi" or "jieba") splits items of a language without spaces into words. ``similarity``
    is a function that replaces the cosine: it takes two arrays of rows and returns the similarity of each row to each,
    which need not be symmetric. ``keys`` is "qid" or "title" if the vectors are those of items or pages; pass it to
    ``outliers``, too.

    Raises MissingInputError if there is no such file, DamagedInputError if it holds no vectors, and UsageError for an
    unknown source or option.
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

    ``groups`` is the path of a data set (a file, folder or archive), or what ``read_groups`` or ``read_dataset``
    returned. ``vectors`` is a model as for ``open_vectors``. ``common_with`` are other models: only words in the
    vocabulary of all of them count (Blair et al. 2016, 4.1). ``compactness`` is the measure that finds the outlier:
    "pairs" (Camacho-Collados and Navigli 2016) or "word" (Gamallo 2019); they differ only if the similarity is not
    symmetric. ``keys`` looks items up by their "qid" or by the "title" of their page.

    Raises MissingInputError if there are no groups, or they have no such keys.
    """
    if isinstance(groups, str | PathLike):
        listed, name = name_languages(read_dataset(groups), data_set_path(groups)), data_set_name(data_set_path(groups))
    else:
        listed, name = list(groups), ""
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
    """Score walls: the share solved by the best partition into four groups, by tier and language, with error bars.

    ``walls`` is the OUT of a run, a release, a file of walls, or a list of ``Wall``. The other arguments are those of
    ``outliers``. Raises MissingInputError if there are no walls.
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

    ``categories`` is a file, from which ``language`` chooses one language, or the result of ``split_analogies``.
    ``skip_oov`` leaves out words out of vocabulary, which otherwise count as wrong. Raises UsageError for a model
    without a vocabulary.
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

    ``distance`` and ``intruders`` are as for ``wikisem evaluate oddoneout`` (docs/evaluation.md). ``sample`` is how
    many pairs of a set of ``k`` words and an intruder are drawn, by ``seed``; 0 counts every pair. The other arguments
    are those of ``topk``. Raises UsageError for intruders that the model cannot give, and for a category so large that
    it has to be sampled.
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

    The arguments are those of ``oddoneout``. Raises UsageError for a model without a vocabulary.
    """
    lookup = _opened(vectors)
    settings = OddOneOutOptions(k, distance, intruders, skip_oov, sample, seed)
    scores = score_combined(_categories(categories, language), lookup, settings)
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

    ``method`` is "3cosadd" (Mikolov et al. 2013) or "3cosmul" (Levy and Goldberg 2014). ``restrict`` uses only so many
    words from the beginning of the vocabulary, 0 all. A question with a word out of vocabulary is wrong unless
    ``skip_oov`` leaves it out. Raises UsageError for a model without a vocabulary.
    """
    lookup = _opened(vectors)
    sections = read_questions(Path(questions))
    scores = score_analogies(sections, lookup, AnalogyOptions(method, skip_oov, restrict))
    return AnalogyEvaluation(lookup.name, lookup.notes, tuple(scores))


def split_analogies(path: str | PathLike[str]) -> list[WordCategory]:
    """Two categories from each relation of a file of analogy questions: its first words, and their partners.

    Stringham and Izbicki (2020) use the Google set in this way for Topk and OddOneOut. Raises MissingInputError if
    there are no questions, and DamagedInputError, with file and line, for a line that is not one.
    """
    return split_relations(read_questions(Path(path)))


def _opened(vectors: Vectors, keys: Keys | None = None) -> Lookup:
    return open_vectors(vectors, keys=keys)


def _categories(categories: Categories, language: str) -> Sequence[WordCategory]:
    return read_categories(categories, language) if isinstance(categories, str | PathLike) else categories
