"""Scores of models on data sets, a function for each task. Part of the public API.

Each function takes data and models, and returns rows. The command ``wikisem evaluate`` calls the same functions.
"""

from __future__ import annotations  # so that help() shows the names of types and not all that they are unions of

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from functools import partial
from itertools import chain
from numbers import Real
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Final, Literal

from msgspec.structs import replace

from wikisem.datasets import word_groups
from wikisem.datasets.files import data_set_name, data_set_path
from wikisem.datasets.word_groups import WordCategory
from wikisem.errors import MissingInputError, UsageError, optional_module
from wikisem.evaluation import analogies as analogies_
from wikisem.evaluation import category_scores as categories_
from wikisem.evaluation import cutoff as cutoff_
from wikisem.evaluation import harness, options, outlier_detection
from wikisem.evaluation import walls as walls_
from wikisem.evaluation.analogies import split_analogies
from wikisem.evaluation.baselines import Frequencies, baseline_rows, baselines_by_language
from wikisem.evaluation.outlier_detection import Evaluation, GroupScore, score_models
from wikisem.evaluation.rows import COVERAGE, DETECTABLE, Part, Row, Scored, Scores, few_units_note, rows_of, scores_of
from wikisem.evaluation.statistics import FEW_UNITS, detectable_effect
from wikisem.evaluation.vectors import embeddings
from wikisem.evaluation.vectors.embeddings import EmbeddingModel, require_cosine, require_vocabulary
from wikisem.evaluation.vectors.models import Lookup, ModelObject, open_by_contexts, open_model, open_object
from wikisem.files import path_of
from wikisem.outputs.groupfile import read_walls
from wikisem.outputs.release.cases import case_id, cases_of
from wikisem.records import Group, Wall

__all__ = [
    "Row", "Scores", "analogies", "baselines", "calibrate", "combined", "consistency", "contexts", "cutoff",
    "oddoneout", "open_vectors", "outliers", "samples", "split_analogies", "topk", "walls",
]  # fmt: skip
_DISTANCES: Final = "OddOneOut goes by distances of its own"


def __dir__() -> list[str]:
    """Show what is public, as completion asks for it."""
    return __all__


Vectors = EmbeddingModel | str | PathLike[str] | ModelObject
# One model, several in a list or opened one after the other, or several by name.
Models = Vectors | list[Vectors] | Iterator[EmbeddingModel] | Mapping[str, Vectors]
# A path, groups, or the groups of several data sets by name.
Groups = str | PathLike[str] | Sequence[Group] | Mapping[str, Sequence[Group]]
Categories = str | PathLike[str] | Sequence[WordCategory]
# Takes the name of a model, its scores as they come, and how many there will be, and gives all of them.
Watch = Callable[[str, Iterator[Any], int], list[Any]]


def _all(_name: str, scores: Iterator[Any], _total: int) -> list[Any]:
    return list(scores)


def open_vectors(
    source: Vectors,
    *,
    name: str = "",
    phrases: bool = True,
    tokenizer: str = "",
    similarity: Callable[[Any, Any], Any] | None = None,
    keys: options.Keys | None = None,
) -> EmbeddingModel:
    """Open a model: a file of vectors, a source such as ``sentence-transformers:NAME``, or a Python object.

    An object is gensim's KeyedVectors, a mapping from words to vectors, a pair of words and an array with a row for
    each, an object with ``encode``, or a function. The last two take a list of strings and return as many vectors, with
    None for a string without one. A model that is open already is returned as it is, or under another name.

    ``name`` is what reports call the model. ``phrases=False`` looks items up token by token even if the vocabulary has
    phrases. ``tokenizer`` ("fugashi" or "jieba") splits items of a language without spaces into words. ``similarity``
    is a function that replaces the cosine: it takes two arrays of rows and returns the similarity of each row to each,
    which need not be symmetric. ``keys`` is "qid" or "title" for vectors of items or pages; ``outliers`` takes it, too.

    Raises MissingInputError without such a file, DamagedInputError if it has no vectors, UsageError for a wrong option.
    """
    tokenize = embeddings.open_tokenizer(tokenizer)
    model: EmbeddingModel
    if isinstance(source, str | PathLike):
        model = open_model(fspath(source), phrases, name, None, tokenize, keys)
    elif isinstance(source, EmbeddingModel):
        model = copy(source) if name else source
        if name:
            model.name = name
    else:
        model = open_object(source, name, Lookup(phrases, tokenize, keys))
    if similarity is None:
        return model
    given = getattr(similarity, "__name__", "a callable")
    compare = embeddings.given_similarity(similarity, given)
    return embeddings.compared_by(model, compare, f"vectors compared by {given}")


def outliers(
    groups: Groups,
    models: Models,
    *,
    compactness: options.Compactness = "pairs",
    keys: options.Keys | None = None,
    by_group: bool = False,
    seed: int = options.SEED,
) -> Scores:
    """Score outlier detection: accuracy and OPP with error bars, of all cases, by language and by outlier class.

    ``groups`` is the path of a data set (a file, folder or archive), what ``read_groups`` or ``read_dataset`` returned,
    or a mapping of names to such lists. ``models`` is a model as for ``open_vectors``, a list of models, or a mapping
    of names to models; several are also scored on the words that all of them know (Blair et al. 2016, 4.1), and
    compared there. ``compactness`` is the measure that finds the outlier: "pairs" (Camacho-Collados and Navigli 2016)
    or "word" (Gamallo 2019); they differ only if the similarity is not symmetric. ``keys`` looks items up by their
    "qid" or by the "title" of their page. ``by_group`` adds rows of each group. Raises MissingInputError if there are
    no groups, or they have no such keys.
    """
    whole, common = score_models(_data_sets(groups, keys), _opened(models, keys), compactness)
    scored = [outlier_detection.scored(one, by_group) for one in (*whole, *common)]
    notes = dict[str, list[str]]()
    for model in {one.name: one for one in whole}.values():
        groups_of_all = chain.from_iterable(one.scores for one in whole if one.name == model.name)
        notes[model.name] = [*outlier_detection.unknown_languages(groups_of_all), *model.notes]
    return scores_of("outliers", scored, notes, seed, lambda: outlier_detection.answers_of(common or whole))


def contexts(
    groups: Groups,
    sources: str | Sequence[str] | Mapping[str, str],
    numbers: Sequence[int],
    *,
    keys: options.Keys | None = None,
    phrases: bool = True,
    tokenizer: str = "",
    seed: int = options.SEED,
    watch: Watch = _all,
) -> Scores:
    """Score outlier detection by models of co-occurrence counts, "counts:FILE", as words keep ever more contexts.

    ``numbers`` are how many contexts, such as words beside it, each word keeps: the most relevant ones. ``sources`` are
    one or several models, also by name. Other arguments are those of ``outliers``, ``open_vectors`` and ``topk``.
    """
    sets, listed = _data_sets(groups, keys), sorted(numbers)
    if not isinstance(sources, Mapping):
        sources = {source: source for source in ([sources] if isinstance(sources, str) else sources)}
    lookup = Lookup(phrases, embeddings.open_tokenizer(tokenizer), keys)
    rows, notes = list[Row](), dict[str, list[str]]()
    for name, source in sources.items():
        answered = (score_models(sets, [model])[0] for model in open_by_contexts(source, listed, lookup))
        curves: defaultdict[str, dict[Part, Any]] = defaultdict(dict)
        for number, evaluations in zip(listed, watch(name, answered, len(listed)), strict=True):
            for one in evaluations:
                cases = [(group, case) for group in one.scores for case in group.cases]
                curves[one.dataset][Part("contexts", f"{number:,}")] = outlier_detection.tally(cases)
            size = {Part(COVERAGE): {"vocabulary_size": one.vocabulary_size}}
            notes[name] = list(one.notes[1:])  # without the first, which says how many contexts there are
        rows += rows_of("contexts", [Scored(name, each, "own", curve, size) for each, curve in curves.items()], seed)
    return Scores(rows, [note for own in notes.values() for note in own])


def consistency(
    groups: Groups, models: Models, *, compactness: options.Compactness = "pairs", seed: int = options.SEED
) -> Scores:
    """Compare a model's answers in every two languages, in rows of ``part="languages", name="de, en"`` and the like.

    "both_right" is the share of common cases that it solves in both, "kappa" their agreement beyond chance, "same_word"
    how often it picks the same item where both are wrong, and "rankc" how alike it ranks the items of a case. The other
    arguments are those of ``outliers``. Raises MissingInputError unless two languages have a case in common.
    """
    sets = _data_sets(groups)
    for name, listed in sets.items():
        cases = defaultdict[str, set[outlier_detection.Case]](set)
        for group in listed:
            ids = {(group.id, outlier.id) for outlier in group.outliers if outlier.id}
            cases[group.language or outlier_detection.UNKNOWN] |= ids
        outlier_detection.check_parallel(cases, name)
    rows, notes = list[Row](), list[str]()
    for model in _opened(models):
        for name, listed in sets.items():
            # The model's answers to the cases of each language, on the words that it knows.
            known = model.find({word for group in listed for word in outlier_detection.words_of(group)})
            answers = defaultdict[str, dict[outlier_detection.Case, outlier_detection.Answer]](dict)
            for group in listed:
                language = group.language or outlier_detection.UNKNOWN
                answers[language] |= outlier_detection.answers_to(group, known, model.similarity, compactness)
            of_set = outlier_detection.compare_languages(answers, model.name, name, seed)
            if not of_set:
                notes.append(f"no test case is known to {model.name} in two languages")
            rows += of_set
        notes += model.notes
    classes = min((row.n for row in rows if row.metric == "both_right"), default=FEW_UNITS)
    return Scores(rows, [*few_units_note("classes of two languages", classes), *dict.fromkeys(notes)])


def cutoff(
    groups: Groups,
    models: Models,
    *,
    dates: Sequence[cutoff_.KnownDate] = (),
    bands: int = 10,
    compactness: options.Compactness = "pairs",
    seed: int = options.SEED,
) -> Scores:
    """Score cases by age, to see a model's knowledge cutoff: the row "cutoff" has the item number where accuracy falls.

    Items are numbered as they are made, and a case is as new as its newest member; parts "band" are ranges of numbers.
    ``dates`` are the highest item numbers at some dates, at which bands then end; without them there are ``bands`` of
    as many cases each. The other arguments are those of ``outliers``. Raises MissingInputError for groups without QIDs.
    """
    whole, _ = score_models(_data_sets(groups), _opened(models), compactness)
    return _cutoffs(whole, dates, bands, seed)


def _cutoffs(
    answered: Iterable[Evaluation[GroupScore]], dates: Sequence[cutoff_.KnownDate], bands: int, seed: int
) -> Scores:
    """Rows of accuracy by item number of each model on each data set, and a note on where it falls."""
    rows, notes = list[Row](), list[str]()
    for evaluation in answered:
        curve, sentence = cutoff_.measure_cutoff(evaluation, dates, bands, seed)
        rows += curve
        notes += [f"{evaluation.dataset}, {evaluation.name}: {sentence}".removeprefix(", "), *evaluation.notes]
    return Scores(rows, list(dict.fromkeys(notes)))


def baselines(groups: Groups, frequencies: Mapping[str, Frequencies] | None = None) -> Scores:
    """How often guessers that ignore meaning find the outlier; the model of a row is one, as "longest" or "chance".

    ``frequencies`` are those of tokens, by language, and add the picker of the least frequent token.
    """
    rows = list[Row]()
    for name, listed in _data_sets(groups).items():
        rows += baseline_rows(baselines_by_language(map(word_groups.with_spaces, listed), frequencies), name)
    return Scores(rows)


def samples(
    files: Sequence[str | PathLike[str]],
    task: Literal["outliers", "consistency", "cutoff"] = "outliers",
    *,
    measure: options.Measure = "acc",
    languages: Sequence[str] = (),
    dates: Sequence[cutoff_.KnownDate] = (),
    bands: int = 10,
    cluster_by: str = "",
    metric: str = "",
    groups: Groups = (),
    seed: int = options.SEED,
) -> Scores:
    """Score what ``lm_eval --log_samples`` logged of language models; the files of a folder are of one model.

    ``groups`` are those of the release that models were asked: they have the QIDs that its test cases do not show.
    Tasks "consistency" and "cutoff" need them, and so do answers that are compared with those of word vectors.
    ``measure`` chooses what choices are compared by: "acc", "acc_norm" or "acc_bytes", as in the harness's metrics.

    ``task`` "outliers" scores how often a model finds the outlier, and answers to walls; "consistency", how alike it
    orders the items of a case in two languages; "cutoff", from which item number on it is right less often. Other
    arguments are those of the tasks. Raises MissingInputError without samples, and DamagedInputError with the file and
    line of anything else.

    With ``cluster_by``, files are logs of any task of lm-evaluation-harness (.jsonl) or inspect-ai (.eval, .json).
    Scored is the mean of their ``metric`` over samples, with error bars and tests by the clusters that this column of
    the samples makes; "detectable_difference" is what would be seen of two models with a power of 80 %.
    """
    paths = [path_of(file) for file in files]
    # Any task of a harness: the mean of a metric for each model, and the difference of every two models, in rows with
    # ``less`` (the second model), each with a further row that says how large it must be to be seen.
    if cluster_by:
        logs = [harness.read_log(path, cluster_by, metric) for path in paths]
        scores = scores_of("samples", harness.scored(logs), {}, seed, lambda: harness.answers_of(logs))
        for row in [row for row in scores.rows if row.less and row.se]:
            effect = detectable_effect(row.se or 0.0, row.n)
            scores.rows.append(replace(row, metric=DETECTABLE, value=effect, low=None, high=None, p=None))
        return scores
    # Tasks of a release. First the cases that models were asked, by the id that the logs have of them.
    known = chain.from_iterable(_data_sets(groups).values()) if groups else ()
    asked = {case_id(*case): case for case in cases_of(known)}
    if task == "consistency":
        return _sampled_consistency(paths, measure, languages, asked, seed)
    if task == "cutoff":
        return _cutoffs((harness.read_samples(path, measure, asked) for path in paths), dates, bands, seed)
    # Outliers and walls: each folder is named after its model, each file after its task.
    folders = list(dict.fromkeys(path.parent for path in paths))
    folder_names = distinct([folder.name for folder in folders], longer=list(map(str, folders)))
    names = dict(zip(folders, folder_names, strict=True))
    answered = harness.read_data_sets({path: names[path.parent] or path.stem for path in paths}, measure, asked)
    # Where models were asked different cases, also score those that all of them were asked.
    modules = {GroupScore: outlier_detection, walls_.WallScore: walls_}
    scored = [modules[type(one.scores[0])].scored(one) for one in (*answered, *harness.cut_to_shared(answered))]
    by_kind = [(modules[kind], [one for one in answered if isinstance(one.scores[0], kind)]) for kind in modules]
    return scores_of("samples", scored, {}, seed, lambda: chain(*(module.answers_of(own) for module, own in by_kind)))


def _sampled_consistency(
    paths: Iterable[Path], measure: options.Measure, languages: Sequence[str], asked: harness.Asked, seed: int
) -> Scores:
    """Compare, for each folder of logs, how its model orders the items of the same cases in every two languages."""
    models: dict[Path, dict[str, dict[outlier_detection.Case, outlier_detection.Answer]]] = {}
    for path in paths:
        by_language = models.setdefault(path.parent, {})
        for doc, scores in harness.read_cases(path, measure, asked):
            if doc.items and (not languages or doc.language in languages):
                # Of equal scores the first counts as higher, as in the harness; the sort keeps their order.
                items = [item for _, item in sorted(zip(scores, doc.items, strict=True), key=lambda pair: -pair[0])]
                outlier = doc.items[doc.answer]
                answer = outlier_detection.Answer(outlier, tuple(items))
                by_language.setdefault(doc.language, {})[doc.class_, outlier] = answer
    rows: list[Row] = []
    for folder, by_language in models.items():
        outlier_detection.check_parallel(by_language, str(folder))
        rows += outlier_detection.compare_languages(by_language, folder.name, "samples", seed)
    classes = min((row.n for row in rows if row.metric == "both_right"), default=FEW_UNITS)
    return Scores(rows, few_units_note("classes of two languages", classes))


def calibrate(
    files: Sequence[str | PathLike[str]],
    *,
    discriminations: bool | None = None,
    by_case: bool = False,
    so_far: str | PathLike[str] | None = None,
    seed: int = options.SEED,
) -> Scores:
    """Fit an item response model to answers in files of ``--cases``: the "ability" of models, "difficulty" of groups.

    ``discriminations`` also tells how sharply each group divides able models from others, None if there are eight
    models or more; ``by_case`` takes each case by itself. With ``so_far``, a file of the answers of further models to
    some of the groups, perhaps none, there are their abilities so far and the groups to ask "next" instead. Raises
    MissingExtraError without SciPy, and MissingInputError for fewer than two models or ten classes.
    """
    calibration = optional_module("wikisem.evaluation.calibration", "evaluate calibrate", "counts", package="scipy")
    answers = calibration.read_answers(list(map(Path, files)), by_case=by_case)
    if so_far is not None:
        file = Path(so_far)
        is_empty = file.is_file() and not file.stat().st_size  # of a new model, which has no answers yet
        given = None if is_empty else calibration.read_answers([file], by_case=by_case)
        bank = calibration.calibrate(answers, discriminations=discriminations)
        return Scores(*calibration.rows_of_next(bank, given))
    found: Scores = calibration.scores_of_answers(answers, discriminations, seed)
    return found


def walls(
    walls: str | PathLike[str] | Sequence[Wall],
    models: Models,
    *,
    keys: Literal["qid"] | None = None,
    dataset: str = "",
    seed: int = options.SEED,
) -> Scores:
    """Score walls, such as sixteen words to divide into four hidden groups of four, by the partition of each model.

    Scores are "solved", "groups_found", "ari" and "ami" (adjusted Rand index and mutual information), by tier and
    language. ``walls`` is the OUT of a run, a release, a file of walls, or a list of ``Wall``, then perhaps with the
    name of its ``dataset``. ``keys="qid"`` looks words up by the QIDs of their items. The other arguments are those of
    ``outliers``. Raises MissingInputError if there are no walls.
    """
    if isinstance(walls, str | PathLike):
        listed, dataset = read_walls(walls), dataset or data_set_name(data_set_path(walls))
    else:
        listed = list(walls)
    if not listed:
        raise MissingInputError("expected walls, saw none")
    if keys:
        listed = [replace(wall, words=tuple(replace(word, surface=word.id) for word in wall.words)) for wall in listed]
    # Several models are also scored on the words that all of them know, in common.
    words, opened = {word.surface for wall in listed for word in wall.words}, _opened(models, keys)
    whole, common = outlier_detection.evaluate_models(words, opened, {dataset: listed}, walls_.score_wall)
    scored = list(map(walls_.scored, (*whole, *common)))
    notes = {one.name: one.notes for one in whole}
    return scores_of("walls", scored, notes, seed, lambda: walls_.answers_of(common or whole))


def topk(
    categories: Categories,
    models: Models,
    k: int = 3,
    *,
    skip_oov: bool = False,
    language: str = "",
    dataset: str = "",
    watch: Watch = _all,
) -> Scores:
    """Score Topk: the share of a word's ``k`` nearest neighbours that are in its category.

    ``categories`` is a file, from which ``language`` chooses one language, or the result of ``split_analogies``, then
    perhaps with the name of its ``dataset``. ``skip_oov`` leaves out words out of vocabulary, which otherwise count as
    wrong. ``watch`` is called with the name of a model, its scores as they come, and how many there will be, and
    returns all of them. Raises UsageError for a model without a vocabulary.
    """
    listed, dataset = _categories(categories, language, dataset)

    def score(model: EmbeddingModel) -> Iterator[Any]:
        vocabulary = require_vocabulary(model, "topk")
        for category in listed:
            members = categories_.look_up_category(category, model)
            yield categories_.score_topk(members, vocabulary, k, skip_oov, model.similarity)

    return _score_words("topk", models, score, len(listed), categories_.scored, dataset, watch)


def oddoneout(
    categories: Categories,
    models: Models,
    k: int = 3,
    *,
    distance: options.Distance = "euclidean",
    intruders: options.Intruders = "vocabulary",
    sample: int = 0,
    seed: int = 500,
    skip_oov: bool = False,
    language: str = "",
    dataset: str = "",
    watch: Watch = _all,
) -> Scores:
    """Score OddOneOut: how often an intruder is farther from the mean than each of ``k`` words of a category.

    ``distance`` and ``intruders`` are as for ``wikisem evaluate oddoneout`` (docs/evaluation.md). ``sample`` is how
    many pairs of a set of ``k`` words and an intruder are drawn, by ``seed``; 0 counts every pair. The other arguments
    are those of ``topk``. Raises UsageError for intruders that the model cannot give, and for a category so large that
    it has to be sampled.
    """
    settings = options.OddOneOutOptions(k, distance, intruders, skip_oov, sample, seed)
    listed, dataset = _categories(categories, language, dataset)

    def score(model: EmbeddingModel) -> Iterator[Any]:
        require_cosine(model, _DISTANCES)
        members = [categories_.look_up_category(category, model) for category in listed]
        return categories_.score_oddoneout(members, model.words, settings)

    return _score_words("oddoneout", models, score, len(listed), categories_.scored, dataset, watch)


def combined(
    categories: Categories,
    models: Models,
    k: int = 3,
    *,
    distance: options.Distance = "euclidean",
    intruders: options.Intruders = "vocabulary",
    sample: int = 0,
    seed: int = 500,
    skip_oov: bool = False,
    language: str = "",
    dataset: str = "",
    watch: Watch = _all,
) -> Scores:
    """Score the combination of ``topk`` and ``oddoneout`` by which Stringham and Izbicki (2020) choose models.

    "combined" is the harmonic mean of "oddoneout" and "topk", numbers of right answers, after 1 is added to each. The
    arguments are those of ``oddoneout``. Raises UsageError for a model without a vocabulary.
    """
    settings = options.OddOneOutOptions(k, distance, intruders, skip_oov, sample, seed)
    listed, dataset = _categories(categories, language, dataset)

    def score(model: EmbeddingModel) -> Iterator[tuple[int, int]]:
        vocabulary = require_vocabulary(model, "combined")
        require_cosine(model, _DISTANCES)
        members = [categories_.look_up_category(category, model) for category in listed]
        for each, odd in zip(members, categories_.score_oddoneout(members, vocabulary, settings), strict=True):
            yield odd.correct, categories_.score_topk(each, vocabulary, k, skip_oov).correct

    return _score_words("combined", models, score, len(listed), categories_.scored_together, dataset, watch)


def analogies(
    questions: str | PathLike[str],
    models: Models,
    *,
    method: options.Method = "3cosadd",
    skip_oov: bool = False,
    restrict: int = 0,
    watch: Watch = _all,
) -> Scores:
    """Score a file of analogy questions, of all of them and by section.

    ``method`` is "3cosadd" (Mikolov et al. 2013) or "3cosmul" (Levy and Goldberg 2014). ``restrict`` uses only that
    many words from the beginning of the vocabulary, 0 all. A question with a word out of vocabulary is wrong unless
    ``skip_oov`` leaves it out. ``watch`` is that of ``topk``. Raises UsageError for a model without a vocabulary.
    """
    file = path_of(questions)
    sections = analogies_.read_questions(file)
    score = partial(analogies_.score_analogies, sections, method=method, skip_oov=skip_oov, restrict=restrict)
    return _score_words("analogies", models, score, len(sections), analogies_.scored, file.stem, watch)


def _score_words(
    task: str,
    models: Models,
    score: Callable[[EmbeddingModel], Iterator[Any]],
    expected_scores: int,
    tally: Callable[[str, str, int | None, list[Any]], Scored],
    dataset: str,
    watch: Watch,
) -> Scores:
    """Score each model on the parts of a data set of words, such as its categories, and sum up.

    ``score`` yields the scores of a model on the parts, ``expected_scores`` of them; ``watch`` lists them, and may show
    progress. ``tally`` sums them, given the name of the model, of the data set, and the size of the vocabulary.
    """
    scored, notes = list[Scored](), dict[str, Sequence[str]]()
    for model in _opened(models):
        scores = watch(model.name, score(model), expected_scores)
        scored.append(tally(model.name, dataset, model.vocabulary_size, scores))
        notes[model.name] = model.notes
    return scores_of(task, scored, notes)


def _opened(models: Models, keys: options.Keys | None = None) -> Iterator[EmbeddingModel]:
    """Yield each model, opened only now; UsageError for a second one of the same name."""
    # A mapping has several models by their names, unless its first value is a vector (an array or a list of numbers) or
    # it is empty: then it is one model, with a vector for each word.
    first = next(iter(models.values()), ()) if isinstance(models, Mapping) else ()
    is_source = isinstance(first, str | PathLike | EmbeddingModel | Mapping) or callable(first)
    is_vector = hasattr(first, "shape") or (isinstance(first, Sequence) and all(isinstance(n, Real) for n in first[:1]))
    opened: Iterator[EmbeddingModel]
    if isinstance(models, Iterator):
        opened = models
    elif isinstance(models, list):
        opened = (open_vectors(one, keys=keys) for one in models)
    elif isinstance(models, Mapping) and (is_source or not is_vector):
        opened = (open_vectors(one, name=name, keys=keys) for name, one in models.items())
    else:
        opened = iter([open_vectors(models, keys=keys)])
    names: set[str] = set()
    # Vectors can be as large as the memory: nothing here holds on to a model while the next one is opened.
    for model in opened:
        if model.name in names:
            raise UsageError(f"expected models of different names, saw two called {model.name}: pass {{name: model}}")
        names.add(model.name)
        yield model
        del model


def _data_sets(groups: Groups, keys: options.Keys | None = None) -> dict[str, Sequence[Group]]:
    """The groups of each data set by its name, their words replaced by keys if any are asked for."""
    sets: Mapping[str, Sequence[Group]]
    if isinstance(groups, str | PathLike):
        path = data_set_path(groups)
        sets = {data_set_name(path): word_groups.name_languages(word_groups.read_dataset(groups), path)}
    else:
        sets = groups if isinstance(groups, Mapping) else {"": groups}
    if not sets or not all(sets.values()):
        raise MissingInputError("expected test groups, saw none")
    return {name: word_groups.keyed_groups(list(own), keys) if keys else own for name, own in sets.items()}


def _categories(categories: Categories, language: str, dataset: str) -> tuple[Sequence[WordCategory], str]:
    if isinstance(categories, str | PathLike):
        return word_groups.read_categories(categories, language), dataset or Path(categories).stem
    return categories, dataset


def distinct(names: Sequence[str], longer: Sequence[str]) -> list[str]:
    """The names, or the longer ones if two are the same; names that are still the same are numbered."""
    return outlier_detection.numbered(names if len(set(names)) == len(names) else longer)
