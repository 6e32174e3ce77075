"""Outlier detection: how often the outlier is the word without which its set is most compact.

The task is that of Camacho-Collados and Navigli (2016), in test groups as Blair et al. (2016), section 4, have it. W is
a cluster with one outlier, sim the cosine or any other similarity, which need not be symmetric. The outlier position OP
is the number of cluster items that stand out less than the outlier, by one of two compactnesses:

    pairs  c(w) is the mean of sim over all ordered pairs of W without w; the word with the highest stands out most
           (Camacho-Collados and Navigli 2016, equation 1)
    word   c(w) is the mean of sim(w, ·) to the other words; the word with the lowest stands out most (Gamallo 2019,
           3.1, who assumes that sim is symmetric: the order is then the same)

Equations 2 to 4 of Blair et al., read literally, sort the other way. OPP is the mean of OP / |C| over test cases,
accuracy the share with OP = |C|, both in percent.

Consistency across languages asks whether a model is right and wrong on the same cases in one language as in another. A
case is the same in two languages if its class and its outlier are: cases are joined by QID. A model can be right in
both languages by chance, and where it is wrong in both it can choose the same word by chance, so each share comes with
the one to expect if the answers had nothing to do with each other:

    both right   p q, where p and q are the accuracies in the two languages
    kappa        (o - e) / (1 - e), where o is the share of cases that are right in both or wrong in both, and
                 e = p q + (1 - p)(1 - q): the error consistency of Geirhos, Meding and Wichmann (2020), "Beyond
                 accuracy", arXiv 2006.16736, which is Cohen's kappa (1960)
    same word    of the cases that are wrong in both, the share where the item that is taken for the outlier is the
                 same; by chance, the shared items over the items of one cluster times those of the other
    RankC        the weighted overlap of both orders of the words, the first places counting most (Qi, Fernández and
                 Bisazza 2023, "Cross-lingual consistency of factual knowledge", arXiv 2310.10378)
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from pathlib import PurePath
from statistics import fmean
from typing import Any, Final, Generic, NamedTuple, TypeVar

import numpy as np
from msgspec.structs import replace

from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.evaluation import statistics
from wikisem.evaluation.options import SEED, Compactness
from wikisem.evaluation.rows import COVERAGE, WHOLE, Part, Row, Scored, Tally, Vocabulary, with_bars
from wikisem.evaluation.vectors.embeddings import TIE_TOLERANCE, EmbeddingModel, Similarity, Vector, cosine
from wikisem.records import OUTLIER_CLASSES, UNKNOWN_CLASS, Group, Outlier

METRICS: Final = ("accuracy", "opp")
UNKNOWN = "unknown"
Known = Mapping[str, Any]
# From this share of words out of vocabulary up, a model does not know a language: most of a case is left out.
_MOST_UNKNOWN: Final = 0.5
_FEWEST_CLUSTER_ITEMS: Final = 2
# Above this, kappa divides by zero.
_CERTAIN: Final = 1 - 1e-12
# What is added up over the cases of a class.
_RIGHT, _OTHER, _BOTH_RIGHT, _BOTH_WRONG, _SAME, _SAME_CHANCE, _RANKC, _RANKC_CHANCE = range(8)
T = TypeVar("T")
S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class CaseScore:
    """One test case: OP as a share of the cluster, whether the outlier was detected (OP = |C|), and its id in a log."""

    outlier: Outlier
    position: float
    detected: bool
    id: str = ""


@dataclass(frozen=True, slots=True)
class GroupScore:
    """The remaining test cases of a group (empty if it was skipped), and its shares of words out of vocabulary."""

    group: Group
    cases: tuple[CaseScore, ...]
    oov_cluster: float
    oov_outliers: float

    @property
    def chance(self) -> float:
        """The share of its cases that a guess among the words in vocabulary detects."""
        return 1 / (1 + round(len(self.group.cluster) * (1 - self.oov_cluster)))


class Evaluation(NamedTuple, Generic[S]):
    """What a model answered on a data set, with the ``scores`` of its groups or of its walls.

    ``notes`` are what a reader of the scores should know, such as that words were lowercased. ``vocabulary_size`` is
    how many words the model lists, None if it reads any text.
    """

    name: str
    notes: tuple[str, ...]
    scores: tuple[S, ...]
    dataset: str = ""
    vocabulary_size: int | None = None
    vocabulary: Vocabulary = "own"


Answered = tuple[GroupScore, CaseScore]  # a case, after the score of its group
# The parts that each data set is divided into: what the part of a case is called, in the order of names.
_PARTS: Final[Mapping[str, Callable[[Group, Outlier], str]]] = {
    "language": lambda group, _: group.language or UNKNOWN,
    "level": lambda group, _: group.level or UNKNOWN,
    "outlier class": lambda _, outlier: outlier.of_class.name,
}
_ORDER: Final = {one.name: place for place, one in enumerate((*OUTLIER_CLASSES.values(), UNKNOWN_CLASS))}


def tally(cases: Sequence[Answered]) -> Tally:
    """Sums of detected outliers and of OP / |C| over the cases of each class, the unit of error bars, in all languages.

    A class of many languages weighs more than others: classes are worth ``effective_units`` of their numbers of groups.
    """
    # A row for each case: whether its outlier was detected, OP / |C|, and the chance that a guess detects it.
    rows = np.reshape([(case.detected, case.position, score.chance) for score, case in cases], (-1, 3))
    classes, sums, counts = statistics.sum_by_unit([score.group.id for score, _ in cases], rows.astype(np.float64))
    # The cases of each class, by language and outlier: models are compared on classes with the same ones.
    asked: dict[str, list[tuple[str, str]]] = {name: [] for name in classes}
    for score, case in cases:
        asked[score.group.id].append((score.group.language, case.id or case.outlier.surface))
    group_counts = Counter({id(score): score.group.id for score, _ in cases}.values())  # each group once
    chance = float(100 * sums[:, 2].sum() / counts.sum()) if cases else None
    return Tally(
        METRICS,
        sums=sums[:, :2],
        counts=counts,
        asked=[(name, *sorted(of_class)) for name, of_class in asked.items()],
        unit="class",
        chances=(chance, 50.0 if cases else None),  # a random order has a mean OP of half the cluster
        worth=statistics.effective_units([group_counts[name] for name in classes]) if cases else None,
    )


def scored(evaluation: Evaluation[GroupScore], groups: bool = False) -> Scored:
    """The tally of all cases, and of each language, level and outlier class; with ``groups`` each group's scores."""
    cases = [(score, case) for score in evaluation.scores for case in score.cases]
    parts = {WHOLE: tally(cases)}
    for part, name_of in _PARTS.items():
        names = {name_of(one.group, outlier) for one in evaluation.scores for outlier in one.group.outliers}
        if part != "outlier class" and names == {UNKNOWN}:
            continue
        for name in sorted(names, key=lambda name: (_ORDER.get(name, 0), name)):  # outlier classes by number
            of_part = [(score, case) for score, case in cases if name_of(score.group, case.outlier) == name]
            parts[Part(part, name, name if part == "language" else "")] = tally(of_part)
    # Numbers without error bars: how many words are out of vocabulary (oov), in percent, and what that leaves out.
    plain: dict[Part, Mapping[str, float | None]] = {
        Part(COVERAGE): {
            "groups": len(evaluation.scores),
            "test_cases": sum(len(one.group.outliers) for one in evaluation.scores),
            "skipped_groups": sum(not one.cases for one in evaluation.scores),
            "oov_cluster": 100 * fmean(one.oov_cluster for one in evaluation.scores),
            "oov_outliers": 100 * fmean(one.oov_outliers for one in evaluation.scores),
            "vocabulary_size": evaluation.vocabulary_size,
        }
    }
    if groups:
        for name, one in zip(group_ids([one.group for one in evaluation.scores]), evaluation.scores, strict=True):
            plain[Part("group", name, one.group.language, one.group.label)] = {
                "cases": len(one.cases),
                "accuracy": 100 * fmean(case.detected for case in one.cases) if one.cases else None,
                "opp": 100 * fmean(case.position for case in one.cases) if one.cases else None,
            }
    return Scored(evaluation.name, evaluation.dataset, evaluation.vocabulary, parts, plain)


def unknown_languages(groups: Iterable[GroupScore]) -> list[str]:
    """A warning if a set has several languages, and a model lacks most words of some of them."""
    missing, words = defaultdict[str, float](float), Counter[str]()  # by language
    for one in groups:
        language, cluster, outliers = one.group.language or UNKNOWN, len(one.group.cluster), len(one.group.outliers)
        missing[language] += one.oov_cluster * cluster + one.oov_outliers * outliers
        words[language] += cluster + outliers
    shares = {name: missing[name] / words[name] if words[name] else 0.0 for name in sorted(words)}
    unknown = [f"{name} ({100 * share:.0f} %)" for name, share in shares.items() if share >= _MOST_UNKNOWN]
    if len(shares) < 2 or not unknown:
        return []
    lacking = f"warning: most words of {', '.join(unknown)} are out of vocabulary"
    return [f"{lacking}; scores over all languages leave these words out: choose some with --languages"]


def answers_of(evaluations: Sequence[Evaluation[GroupScore]]) -> Iterator[dict[str, Any]]:
    """The answer of each model to each of its cases, in the fields that ``--cases`` writes.

    A case is called language/group/outlier, as "de/Q5/Berlin", with the data set in front if a model was scored on
    several that have groups of one name. An outlier line that comes twice in a group has a number.
    """
    sets = {(one.name, one.dataset) for one in evaluations}
    uses = Counter((one.name, score.group.language, score.group.id) for one in evaluations for score in one.scores)
    names_repeat = len(sets) > len({model for model, _ in sets}) and max(uses.values(), default=0) > 1
    for evaluation in evaluations:
        prefix = f"{evaluation.dataset}/" if names_repeat else ""
        for name, one in zip(group_ids([one.group for one in evaluation.scores]), evaluation.scores, strict=True):
            group_name = f"{prefix}{one.group.language}/{name}".lstrip("/")
            case_names = numbered(f"{group_name}/{case.outlier.surface}" for case in one.cases)
            for case_name, case in zip(case_names, one.cases, strict=True):
                yield {
                    "model": evaluation.name,
                    "dataset": evaluation.dataset,
                    "language": one.group.language,
                    "group": group_name,
                    "class": one.group.id,
                    "label": one.group.label,
                    "case": case_name,
                    "outlier": case.outlier.id or case.outlier.surface,
                    "outlier_class": case.outlier.outlier_class,
                    "position": case.position,
                    "right": bool(case.detected),
                }


def score_models(
    groups: Sequence[Group] | Mapping[str, Sequence[Group]],
    models: Iterable[EmbeddingModel],
    compactness: Compactness = "pairs",
) -> tuple[list[Evaluation[GroupScore]], list[Evaluation[GroupScore]]]:
    """Score every model on the groups of each data set; ``groups`` are those of one, or of several by name.

    Return two lists of evaluations, one of each model and data set: on the words that the model knows, and, of several
    models, on those that all of them know, so that their test cases are the same (Blair et al. 2016, section 4.1).
    """
    sets = groups if isinstance(groups, Mapping) else {"": groups}
    surfaces = {surface for listed in sets.values() for group in listed for surface in words_of(group)}
    return evaluate_models(surfaces, models, sets, lambda one, known, near: score_group(one, known, near, compactness))


def evaluate_models(
    surfaces: set[str],
    models: Iterable[EmbeddingModel],
    sets: Mapping[str, Sequence[T]],
    score: Callable[[T, Known, Similarity], S],
) -> tuple[list[Evaluation[S]], list[Evaluation[S]]]:
    """Evaluate every model by all surfaces (words) that it knows, and, of several, each by those that all of them know.

    ``sets`` has the groups or walls of each data set by its name, and ``score`` scores one of them. The first list has
    the evaluations of each model in turn, one for each data set, the second as many, or none for a single model. Models
    are taken one after the other and not kept.
    """
    looked_up = list[tuple[Evaluation[S], Known, Similarity]]()
    shared = set(surfaces)
    for model in models:
        head = Evaluation[S](model.name, model.notes, (), vocabulary_size=model.vocabulary_size)
        looked_up.append((head, model.find(surfaces), model.similarity))
        shared.intersection_update(looked_up[-1][1])
        del model  # or it would be in memory while the next one is opened
    whole, common = list[Evaluation[S]](), list[Evaluation[S]]()
    for head, known, similarity in looked_up:
        known_to_all = {word: known[word] for word in shared}
        for name, listed in sets.items():
            scores = tuple(score(one, known, similarity) for one in listed)
            whole.append(head._replace(dataset=name, scores=scores))
            if len(looked_up) > 1:
                scores = tuple(score(one, known_to_all, similarity) for one in listed)
                common.append(head._replace(dataset=name, scores=scores, vocabulary="common"))
    return whole, common


def keep_shared(groups: Sequence[Group], models: Iterable[EmbeddingModel]) -> list[Group]:
    """The groups with only the words that every model knows, from which Blair et al. (2016, 4.2) sampled cases."""
    surfaces = {surface for group in groups for surface in words_of(group)}
    shared = set(surfaces)
    for model in models:
        shared.intersection_update(model.find(surfaces))
        del model  # or it would be in memory while the next one is opened
    return [
        replace(
            group,
            cluster=tuple(member for member in group.cluster if member.surface in shared),
            outliers=tuple(outlier for outlier in group.outliers if outlier.surface in shared),
        )
        for group in groups
    ]


def words_of(group: Group) -> list[str]:
    """All surfaces of a group, cluster first."""
    return [member.surface for member in group.members]


def score_group(
    group: Group, known: Known, similarity: Similarity = cosine, compactness: Compactness = "pairs"
) -> GroupScore:
    """Score one group with the vectors of the surfaces that are in vocabulary; the others are not in ``known``.

    Every outlier line is a test case, repeated ones too. A cluster item out of vocabulary leaves the cluster, such an
    outlier takes its test case away. A group with fewer than two cluster items or no outlier left has no cases.
    DamagedInputError for a similarity that is not a number.
    """
    cluster, outliers, gaps = group_gaps(group, known, similarity, compactness)
    # OP: how many of the cluster items, the columns of gaps, stand out less than the outlier. A skipped group has none.
    positions = np.count_nonzero(gaps > TIE_TOLERANCE, axis=1).tolist()
    cases = tuple(
        CaseScore(group.outliers[outlier], position / len(cluster), position == len(cluster))
        for outlier, position in zip(outliers, positions, strict=False)
    )
    oov_cluster, oov_outliers = (
        1 - len(kept) / len(words) if words else 0.0
        for kept, words in ((cluster, group.cluster), (outliers, group.outliers))
    )
    return GroupScore(group, cases, oov_cluster, oov_outliers)


def group_gaps(
    group: Group, known: Known, similarity: Similarity = cosine, compactness: Compactness = "pairs"
) -> tuple[list[int], list[int], Vector]:
    """By how much each cluster item stands out less than each outlier, for the words of a group in vocabulary.

    Return the indices in the group of its n cluster items and m outliers in vocabulary, and these gaps in the shape
    ``(m, n)``, or ``(0, n)`` where too few words are left for a test case. The OP of an outlier is its number of gaps
    above ``TIE_TOLERANCE``.

    The word that stands out most is the w with the largest c(w), the mean similarity of all pairs of the other words.
    Let p(w) be the sum of sim(w, x) + sim(x, w) over the other words x. The sum of all pairs is the same for every w,
    and without w it is less by p(w), so that the gap of item w and outlier o is c(o) - c(w) = (p(w) - p(o)) / n(n - 1)
    (Camacho-Collados and Navigli 2016, appendix A). With the compactness "word" it is (p(w) - p(o)) / n, where p(w) is
    the sum of sim(w, x) alone.

    In the cluster {(1, 0), (1, 0), (0, 1)} with the outlier (0, 1), c is 1/3 without any one of the four: all are ties,
    so that OP = 0. With the outlier (-1, 0) instead, c is 1/3 without it, and less without any other item: OP = 3.

    >>> from wikisem.records import Member
    >>> vectors = {"a": [1, 0], "b": [1, 0], "c": [0, 1], "x": [0, 1], "y": [-1, 0]}
    >>> cluster, outliers = tuple(Member(surface=word) for word in "abc"), tuple(Outlier(surface=word) for word in "xy")
    >>> _, _, gaps = group_gaps(Group(id="", cluster=cluster, outliers=outliers), vectors)
    >>> (gaps > TIE_TOLERANCE).tolist()
    [[False, False, False], [True, True, True]]
    """
    cluster = [index for index, member in enumerate(group.cluster) if member.surface in known]
    outliers = [index for index, outlier in enumerate(group.outliers) if outlier.surface in known]
    if len(cluster) < _FEWEST_CLUSTER_ITEMS or not outliers:
        return cluster, outliers, np.zeros((0, len(cluster)))
    words = [group.cluster[index].surface for index in cluster] + [group.outliers[index].surface for index in outliers]
    n = len(cluster)
    similarities = similarities_of(known, similarity, group.where, words, n)
    # The similarities of cluster items to each other, (n, n), and to and from each outlier, (m, n).
    within, to_outlier, from_outlier = similarities[:n, :n], similarities[:n, n:].T, similarities[n:, :n]
    divisor = n
    if compactness == "pairs":
        within = within + within.T
        to_outlier = from_outlier = from_outlier + to_outlier
        divisor = n * (n - 1)
    p_of_items = within.sum(axis=1) + to_outlier  # for each outlier, since it is one of the other words
    p_of_outliers = from_outlier.sum(axis=1, keepdims=True)
    return cluster, outliers, (p_of_items - p_of_outliers) / divisor


def similarities_of(known: Known, similarity: Similarity, where: str, words: Sequence[str], cluster: int) -> Vector:
    """The similarity of each word to each; 0 to itself and between outliers, the words after the first ``cluster``."""
    vectors = [known[word] for word in words]
    similarities = similarity(vectors, vectors)
    np.fill_diagonal(similarities, 0)
    similarities[cluster:, cluster:] = 0  # no score needs these, so that a table of similarities may lack them
    if not np.isfinite(similarities).all():
        one, other = np.argwhere(~np.isfinite(similarities))[0].tolist()
        pair = f"{words[one]!r} to {words[other]!r}"
        raise DamagedInputError(f"{where}: expected a similarity of {pair}, saw {similarities[one, other]}")
    return similarities


def group_ids(groups: Sequence[Group]) -> list[str]:
    """A name for each group: its id where ids differ within each language, else the shortest names that all differ.

    Tried in turn are the id after the language, after one folder or more, and with its file and line: "de/Q5",
    "sets/de/Q5", "Q5 (sets/de/a.jsonl:7)". If a group comes twice, the later one has a number.
    """
    if len({(group.language, group.id) for group in groups}) == len(groups):
        return [group.id for group in groups]
    # What each group has in front of its id: the language, then the last folder of its path, the last two, and so on.
    folders = [PurePath(group.where).parts[:-1] for group in groups]
    tries: list[list[tuple[str, ...]]] = [[(group.language or PurePath(group.where).parent.name,) for group in groups]]
    tries += [[path[-depth:] for path in folders] for depth in range(1, max(map(len, folders)) + 1)]
    for prefixes in tries:
        names = ["/".join([*prefix, group.id]) for prefix, group in zip(prefixes, groups, strict=True)]
        if len(set(names)) == len(names):
            return names
    return numbered(f"{group.id} ({group.where})" for group in groups)


def numbered(names: Iterable[str]) -> list[str]:
    """The names, with a number from 2 up after each that came before.

    >>> numbered(["a", "b", "a"])
    ['a', 'b', 'a #2']
    """
    seen, found = Counter[str](), []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return found


@dataclass(frozen=True, slots=True)
class Answer:
    """How a model orders the items of a case, given by QID: the one that it takes for the outlier comes first."""

    outlier: str
    order: tuple[str, ...]

    @property
    def right(self) -> bool:
        """Whether the outlier was detected."""
        return self.order[0] == self.outlier


Case = tuple[str, str]  # by the QIDs of its class and its outlier
Answers = Mapping[Case, Answer]


def check_parallel(cases: Mapping[str, Collection[Case]], name: str) -> None:
    """Raise MissingInputError for the data ``name`` unless two languages have a case (class and outlier) in common."""
    if max(Counter(chain.from_iterable(cases.values())).values(), default=0) < 2:
        languages = ", ".join(sorted(cases)) or "any"
        wanted = "cases of the same class and outlier, by QID, in two languages, as `shared` in a recipe makes"
        advice = "what a harness logged gets QIDs with --set RELEASE"
        raise MissingInputError(f"{name}: expected {wanted}, saw none in {languages}; {advice}")


def compare_languages(answers: Mapping[str, Answers], model: str, dataset: str, seed: int = SEED) -> list[Row]:
    """Rows that compare a model's answers in every two languages that have cases in common.

    Accuracy is that of the first language, "accuracy_other" that of the second. The cases of "same_word" are those that
    are wrong in both, and it has no value without any; "kappa" has none where its definition divides by zero: every
    case is right in both languages, or wrong in both.
    """
    rows = list[Row]()
    for (language, first), (other_language, second) in combinations(sorted(answers.items()), 2):
        shared = sorted(first.keys() & second.keys())
        if not shared:
            continue
        cases = []  # for each case the eight numbers that _RIGHT to _RANKC_CHANCE are the columns of
        for one, other in ((first[key], second[key]) for key in shared):
            both_right, both_wrong = one.right and other.right, not one.right and not other.right
            same_word = both_wrong and one.order[0] == other.order[0]
            # How often two wrong words that are picked at random are the same.
            common = set(one.order) & set(other.order) - {one.outlier}
            same_by_chance = both_wrong * len(common) / ((len(one.order) - 1) * (len(other.order) - 1))
            overlap = rankc(one.order, other.order)
            cases.append((one.right, other.right, both_right, both_wrong, same_word, same_by_chance, *overlap))
        _, sums, sizes = statistics.sum_by_unit([class_id for class_id, _ in shared], np.array(cases, dtype=np.float64))
        means = (sums.sum(axis=0) / len(shared)).tolist()
        right, of_rankc = statistics.clustered_means(sums[:, [_BOTH_RIGHT, _RANKC]], sizes, seed)
        wrong = sums[:, _BOTH_WRONG]
        of_same, same_chance = None, None
        if wrong.any():
            (of_same,) = statistics.clustered_means(sums[:, [_SAME]], wrong, seed)
            same_chance = 100 * float(sums[:, _SAME_CHANCE].sum() / wrong.sum())
        # A row for each measure of these two languages, with what the answers would have in common by chance.
        head = Row(task="consistency", model=model, dataset=dataset, metric="", n=len(sizes), cases=len(shared))
        head = replace(head, part="languages", name=f"{language}, {other_language}")
        rows += [
            with_bars(replace(head, metric="both_right", chance=100 * means[_RIGHT] * means[_OTHER]), right, 100),
            with_bars(replace(head, metric="kappa", chance=0.0), _kappa(sums, sizes, seed)),
            with_bars(replace(head, metric="same_word", chance=same_chance, cases=int(wrong.sum())), of_same, 100),
            with_bars(replace(head, metric="rankc", chance=means[_RANKC_CHANCE]), of_rankc),
            replace(head, metric="accuracy", value=100 * means[_RIGHT]),
            replace(head, metric="accuracy_other", value=100 * means[_OTHER]),
        ]
    return rows


def answers_to(
    group: Group, known: Known, similarity: Similarity = cosine, compactness: Compactness = "pairs"
) -> dict[Case, Answer]:
    """The items of each case of a group, those that stand out most first; a case with an item without QID is left out.

    Items that stand out alike, within ``TIE_TOLERANCE``, are in the order of the cluster, and the outlier comes last of
    them: a tie counts against the model. Words out of vocabulary are left out.
    """
    cluster, outliers, gaps = group_gaps(group, known, similarity, compactness)
    qids = [group.cluster[index].id for index in cluster]
    by_case: dict[Case, Answer] = {}
    for index, gaps_of_items in zip(outliers, gaps, strict=False):
        outlier = group.outliers[index].id
        if outlier and all(qids):
            items = np.array([*qids, outlier])
            gaps_of_all = np.array([*gaps_of_items, 0.0])  # by how much each stands out less than the outlier
            # Sorted by how many items stand out more than each, since rounding must not decide between tied items.
            standing_out_more = np.searchsorted(np.sort(gaps_of_all), gaps_of_all - TIE_TOLERANCE)
            order = np.argsort(standing_out_more, kind="stable")
            by_case.setdefault((group.id, outlier), Answer(outlier, tuple(items[order].tolist())))
    return by_case


def _kappa(sums: statistics.FloatArray, sizes: statistics.FloatArray, seed: int) -> statistics.ErrorBars | None:
    """Cohen's kappa of right and wrong in two languages, with its interval; None where it divides by zero.

    ``sums`` has a row for each class: how many of its cases are right in one language, in the other, in both, and wrong
    in both (the other columns do not count); ``sizes`` are its cases. The interval is from draws of whole classes.
    """
    counted = sums[:, : _BOTH_WRONG + 1]
    # A row for each of these columns: the mean of all cases first, then that of each draw.
    means = np.vstack([counted.sum(axis=0) / sizes.sum(), statistics.draw_means(counted, sizes, seed)]).T
    p, q = means[_RIGHT], means[_OTHER]  # the accuracies in the two languages
    # How often both are right or both wrong, and how often by chance.
    observed, by_chance = means[_BOTH_RIGHT] + means[_BOTH_WRONG], p * q + (1 - p) * (1 - q)
    if by_chance[0] > _CERTAIN:
        return None
    defined = by_chance <= _CERTAIN
    kappas = 1 - (1 - observed[defined]) / (1 - by_chance[defined])
    value, drawn = float(kappas[0]), kappas[1:]
    if np.ptp(drawn) > statistics.ROUNDING:
        low, high = statistics.percentile_interval(drawn, len(sizes))
    else:
        # All draws are alike, as where both languages agree on every case: the ends are kappa of Wilson's ends.
        wilson_ends = statistics.wilson(float(observed[0]), len(sizes))
        low, high = (float(1 - (1 - end) / (1 - by_chance[0])) for end in wilson_ends)
    return statistics.ErrorBars(value, low, high, standard_error=None, n=len(sizes))


def rankc(one: Sequence[str], other: Sequence[str]) -> tuple[float, float]:
    """RankC, the weighted overlap of two orders of items, over those that both have; and its mean for random orders.

    With N items, P@j is the share of the first j of one order that are among the first j of the other, and its weight
    is exp(N - j) over the sum of these (Qi et al. 2023, equations 1 to 3). Of random orders, P@j is j / N on average.

    Of three items, the weights are .665, .245 and .090. The orders abc and acb share the first item, one of the first
    two, and all three: .665 + .245 / 2 + .090 = .878.

    >>> [round(value, 3) for value in rankc("abc", "acb")]
    [0.878, 0.475]
    """
    both = set(one) & set(other)
    first, second = ([item for item in order if item in both] for order in (one, other))
    places = {item: place for place, item in enumerate(second)}
    # The pair of an item is among the first j of both orders once both of its places are.
    later = np.array([max(place, places[item]) for place, item in enumerate(first)])
    numbers = np.arange(1, len(both) + 1)
    shares = np.searchsorted(np.sort(later), numbers, side="left") / numbers
    weights = np.exp(1.0 - numbers)
    weights /= weights.sum()
    return float(weights @ shares), float(weights @ numbers / len(both))
