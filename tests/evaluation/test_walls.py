"""Walls: the exact best partition against all partitions, one after the other, and the scores of answers."""

import csv
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.outputs.test_wallfile import HERRING_WALL, make_wall
from tests.rows import one, printed_rows
from wikisem import evaluate
from wikisem.errors import MissingInputError
from wikisem.evaluation.outlier_detection import Evaluation, evaluate_models
from wikisem.evaluation.rows import rows_of
from wikisem.evaluation.statistics import clustered_means, wilson
from wikisem.evaluation.vectors.embeddings import TextModel, Vector
from wikisem.evaluation.walls import (
    WallScore,
    answers_of,
    best_partition,
    count_partitions,
    score_wall,
    scored,
)
from wikisem.outputs.groupfile import encode_wall
from wikisem.outputs.wall_answers import SCORES, adjusted_mutual_information, adjusted_rand, score_partition
from wikisem.pipeline.cli import main
from wikisem.records import Wall

Partition = list[tuple[int, ...]]
FOURS = [tuple(range(at, at + 4)) for at in range(0, 16, 4)]


def all_partitions(words: Sequence[int], sizes: Sequence[int]) -> Iterator[Partition]:
    """Every partition once: the first word with every choice of others, in a group of each size that is left."""
    if not sizes:
        yield []
        return
    first, *rest = words
    for size in sorted(set(sizes)):
        others = list(sizes)
        others.remove(size)
        for chosen in combinations(rest, size - 1):
            left = [word for word in rest if word not in chosen]
            for groups in all_partitions(left, others):
                yield [(first, *chosen), *groups]


def weight(groups: Partition, weights: np.ndarray) -> int:
    """The sum of weights within groups, one pair after the other."""
    return sum(int(weights[one, other]) for group in groups for one, other in combinations(group, 2))


SIZES = st.sampled_from([(2, 2), (3, 2), (2, 2, 2), (3, 3), (4, 2, 2), (3, 3, 3), (4, 3, 2), (2, 2, 2, 2), (4, 4, 2)])


@given(SIZES, st.data())
def test_the_partition_is_the_best_of_all(sizes: tuple[int, ...], data: st.DataObject) -> None:
    """For walls of two to four groups of two to four words, with many equal sums and with few."""
    count = sum(sizes)
    numbers = data.draw(st.sampled_from([st.integers(-1, 1), st.integers(-1000, 1000)]))
    drawn = data.draw(st.lists(numbers, min_size=count * count, max_size=count * count))
    weights = np.array(drawn).reshape(count, count)
    weights += weights.T
    found = best_partition(weights, data.draw(st.permutations(sizes)))
    assert sorted(map(len, found)) == sorted(sizes)
    assert sorted(word for group in found for word in group) == list(range(count))
    assert weight(found, weights) == max(weight(each, weights) for each in all_partitions(range(count), sizes))


def test_the_best_of_all_partitions_into_four_fours() -> None:
    """All 2,627,625: each four with the first word, and all partitions of the other twelve words into three fours."""
    weights = np.random.default_rng(500).integers(-20, 20, (16, 16))
    weights += weights.T
    of_twelve = np.array(list(all_partitions(range(12), (4, 4, 4))))
    best, seen = -math.inf, 0
    for chosen in combinations(range(1, 16), 3):
        rest = np.setdiff1d(np.arange(16), (0, *chosen))[of_twelve]
        sums = sum(weights[rest[:, :, one], rest[:, :, other]].sum(axis=1) for one, other in combinations(range(4), 2))
        best, seen = max(best, weight([(0, *chosen)], weights) + sums.max()), seen + len(sums)
    assert seen == count_partitions((4, 4, 4, 4)) == 2_627_625
    assert weight(best_partition(weights, (4, 4, 4, 4)), weights) == best


@pytest.mark.parametrize("sizes", [(2, 2), (3, 2), (2, 2, 2), (4, 3, 2), (3, 3, 3), (4, 4, 4)])
def test_partitions_are_counted(sizes: tuple[int, ...]) -> None:
    """The formula, and one after the other."""
    assert count_partitions(sizes) == sum(1 for _ in all_partitions(range(sum(sizes)), sizes))


def test_sizes_that_do_not_fit_are_refused() -> None:
    """Another number of words than the weights have."""
    with pytest.raises(ValueError, match=r"expected sizes of groups of 4 words, saw \[2, 3\]"):
        best_partition(np.zeros((4, 4)), (2, 3))


# Scores of partitions.


@pytest.mark.parametrize(
    ("labels", "rand", "information"),
    [
        ("0001111022223333", 0.6875, 0.7173317736397142),
        ("0123012301230123", -0.25, -0.3936933233531306),
        ("0000111122334567", 0.691358024691358, 0.7098686365891653),
        ("0001012312231233", 0.010416666666666666, -0.01239244027584954),
        ("0000111122223333", 1.0, 1.0),
        ("0123456789abcdef", 0.0, 0.0),
    ],
)
def test_adjusted_scores_are_those_of_scikit_learn(labels: str, rand: float, information: float) -> None:
    """adjusted_rand_score and adjusted_mutual_info_score of scikit-learn 1.9.1, for the hidden groups in order."""
    groups = [frozenset(at for at, label in enumerate(labels) if label == each) for each in sorted(set(labels))]
    truth = [frozenset(group) for group in FOURS]
    assert adjusted_rand(groups, truth) == pytest.approx(rand, abs=1e-12)
    assert adjusted_mutual_information(groups, truth) == pytest.approx(information, abs=1e-12)
    assert adjusted_mutual_information(truth, groups) == pytest.approx(information, abs=1e-12)


@pytest.mark.parametrize("sizes", [(2, 2), (3, 2), (2, 2, 2), (4, 3, 2), (3, 3, 3)])
def test_chance_is_the_mean_over_all_partitions(sizes: tuple[int, ...]) -> None:
    """As many partitions as are solved and groups as are found at random; adjusted scores have a mean of 0."""
    truth, *_ = all_partitions(range(sum(sizes)), sizes)
    scores = [score_partition(found, truth) for found in all_partitions(range(sum(sizes)), sizes)]
    expected = {name: fmean(one[name] for one in scores) for name in SCORES}
    assert WallScore(make_wall(), sum(sizes), sizes).chance() == pytest.approx(expected, abs=1e-12)


def test_a_random_partition_of_a_wall_is_hardly_ever_right() -> None:
    """One in 2,627,625 solves the wall, and one group in 455 is found."""
    chance = WallScore(make_wall(), 16, (4, 4, 4, 4)).chance()
    assert chance == {"solved": 1 / 2_627_625, "groups_found": pytest.approx(1 / 455), "ari": 0, "ami": 0}


def test_words_of_no_group_are_groups_of_their_own() -> None:
    """One group found and the rest left out: a quarter of the groups, and the pairs of one group."""
    scores = score_partition([FOURS[2]], FOURS)
    assert (scores["solved"], scores["groups_found"]) == (0, 0.25)
    assert scores["ari"] == pytest.approx((6 - 6 * 24 / 120) / (15 - 6 * 24 / 120))


# Models on walls.


def axes(wall: Wall, leave_out: Sequence[str] = (), twins: Mapping[str, str] | None = None) -> dict[str, Vector]:
    """A vector for each word: that of its group, or of the group of its twin; none for words that are left out."""
    group = {member: at for at, group in enumerate(wall.groups) for member in group.members}
    ids = {word.id: (twins or {}).get(word.id, word.id) for word in wall.words if word.id not in leave_out}
    return {f"word {qid}": np.eye(4)[group[ids[qid]]] + 0.001 for qid in ids}


def test_words_by_their_groups_solve_a_wall() -> None:
    """All four scores are 1."""
    score = score_wall(make_wall(), axes(make_wall()))
    assert score.scores == dict.fromkeys(SCORES, 1.0)
    assert score.found[1] == ("word Q20", "word Q21", "word Q22", "word Q23")


def test_words_in_each_others_place_lose_two_groups() -> None:
    """Two words with the vectors of each other's groups."""
    score = score_wall(make_wall(), axes(make_wall(), twins={"Q10": "Q20", "Q20": "Q10"}))
    assert score.scores is not None
    assert (score.scores["solved"], score.scores["groups_found"], score.scores["ari"]) == (0, 0.5, 0.6875)


@pytest.mark.parametrize("shift", [1, 5, 11])
def test_a_tie_counts_against_the_model(shift: int) -> None:
    """All words alike, in whatever order they are shown: of all partitions, those without a right pair are taken."""
    words = make_wall().words
    wall = make_wall(words=(*words[shift:], *words[:shift]))
    score = score_wall(wall, {word.surface: np.array([1.0, 2.0]) for word in wall.words})
    assert score.scores is not None
    assert score.scores["ari"] == pytest.approx(-0.25)
    twice = axes(wall, twins={"Q10": "Q20"})  # any of five words may be the one in the first group
    score = score_wall(wall, twice)
    assert score.scores is not None
    assert score.scores["solved"] == 0


def test_a_similarity_that_is_not_symmetric_counts_in_both_directions() -> None:
    """The same where each pair is near in one direction alone, whichever."""
    wall, near = make_wall(), axes(make_wall())
    order = {word.surface: at for at, word in enumerate(wall.words)}
    known = {surface: np.append(vector, order[surface]) for surface, vector in near.items()}
    for later in (True, False):

        def similarity(ones: Any, others: Any, later: bool = later) -> Any:
            return np.array(
                [[one[:4] @ other[:4] * ((one[4] > other[4]) == later) for other in others] for one in ones]
            )

        score = score_wall(wall, known, similarity)
        assert score.scores == dict.fromkeys(SCORES, 1.0)


def test_words_out_of_vocabulary_leave_their_groups() -> None:
    """Groups of 4, 3, 2 are found among nine words; the group with one word left is no group, and a wall none."""
    wall = make_wall()
    known = axes(wall, leave_out=["Q20", "Q30", "Q31", "Q40", "Q41", "Q42"])
    score = score_wall(wall, known)
    assert (score.known, score.sizes, score.scores) == (10, (4, 3, 2), dict.fromkeys(SCORES, 1.0))
    assert score.found[2] == ("word Q32", "word Q33")
    few = axes(wall, leave_out=[word.id for word in wall.words if word.id not in {"Q10", "Q11", "Q20", "Q30"}])
    score = score_wall(wall, few)
    assert (score.known, score.sizes, score.scores, score.found) == (4, (2,), None, ())


def model(name: str, known: Mapping[str, Vector]) -> TextModel:
    """A model that knows these words."""
    return TextModel(name, lambda words: [known.get(word) for word in words])


def words_of(walls: Sequence[Wall]) -> set[str]:
    """The surface forms of all words."""
    return {word.surface for wall in walls for word in wall.words}


WALLS = [make_wall(), HERRING_WALL, make_wall("de-far-1", language="de"), make_wall("de-far-2", language="de")]


def test_scores_are_by_tier_and_language_in_percent() -> None:
    """Words of one wall are those of the others here, so that all walls score alike and Wilson's interval is taken."""
    knows = model("m", axes(make_wall(), leave_out=["Q10"]))
    (evaluation,), common = evaluate_models(words_of(WALLS), [knows], {"": WALLS}, score_wall)
    assert common == []
    rows = rows_of("walls", [scored(evaluation)])
    coverage = [one(rows, name, part="coverage").value for name in ("walls", "skipped_walls", "whole_walls")]
    assert (one(rows, "solved").model, coverage) == ("m", [4, 0, 0])
    assert one(rows, "oov_words", part="coverage").value == pytest.approx(100 / 16)
    low, high = (100 * end for end in wilson(1.0, 4))
    solved, ari = one(rows, "solved"), one(rows, "ari")
    assert (solved.value, solved.low, solved.high, solved.n, solved.unit) == (100, low, high, 4, "wall")
    assert (ari.value, ari.low, ari.high) == pytest.approx((100, 2 * low - 100, high))
    assert solved.chance == pytest.approx(100 / count_partitions((4, 4, 4, 3)))
    parts = {(row.part, row.name, row.language): row.n for row in rows if row.metric == "solved"}
    assert parts == {
        ("all", "", ""): 4,
        ("tier", "far", ""): 3,
        ("tier", "herring", ""): 1,
        ("language", "de", "de"): 2,
        ("tier", "far", "de"): 2,
        ("language", "en", "en"): 2,
        ("tier", "far", "en"): 1,
        ("tier", "herring", "en"): 1,
    }
    answers = list(answers_of([evaluation]))
    assert [answer["case"] for answer in answers] == [wall.id for wall in WALLS]
    assert {(answer["right"], answer["words"], answer["ari"]) for answer in answers} == {(True, 15, 100)}


def test_a_skipped_wall_has_no_part_in_the_scores() -> None:
    """It is counted, and words out of vocabulary are a mean over all walls."""
    other = make_wall("en-far-9", words=tuple(make_wall().words))
    walls = score_wall(make_wall(), axes(make_wall())), score_wall(other, {})
    rows = rows_of("walls", [scored(Evaluation("m", (), walls))])
    assert [one(rows, name, part="coverage").value for name in ("skipped_walls", "oov_words")] == [1, 50]
    assert (one(rows, "solved").n, one(rows, "solved").value) == (1, 100)
    rows = rows_of("walls", [scored(Evaluation("m", (), (score_wall(other, {}),)))])
    for name in SCORES:
        row = one(rows, name)
        assert (row.value, row.low, row.chance, row.n, row.cases) == (None, None, None, 0, 0)
    assert one(rows, "words").value is None


def test_walls_that_share_a_class_depend() -> None:
    """Without a common class error bars are those of means; where each wall has a twin, they are √2 times as wide."""

    def wall(number: int) -> Wall:
        groups = [replace(group, qid=f"{group.qid}0{number}") for group in make_wall().groups]
        return make_wall(f"en-far-{number}", groups=tuple(groups), order=tuple(group.qid for group in groups))

    shares = np.linspace(0.2, 0.8, 30)
    alone, twins = (
        Evaluation(
            "m",
            (),
            tuple(WallScore(wall(at % 15), 16, (4,) * 4, (), dict.fromkeys(SCORES, shares[at % 15])) for at in each),
        )
        for each in (range(15), range(30))
    )
    (plain,) = clustered_means(shares[:15, None], np.ones(15))
    row = one(rows_of("walls", [scored(alone)]), "groups_found")
    assert (row.low, row.high, row.se) == pytest.approx(
        (100 * plain.low, 100 * plain.high, 100 * (plain.standard_error or 0))
    )
    (plain,) = clustered_means(np.tile(shares[:15], 2)[:, None], np.ones(30))
    rows = rows_of("walls", [scored(twins)])
    for name, span in (("groups_found", 1), ("ari", 2)):
        row = one(rows, name)
        assert row.se == pytest.approx(100 * math.sqrt(2) * (plain.standard_error or 0))
        width = 100 * math.sqrt(2) * (plain.high - plain.value)
        assert (row.high or 0) - (row.value or 0) == pytest.approx(width, rel=0.05 * span)


def test_several_models_are_scored_on_what_all_know() -> None:
    """One misses a word, the other two: the common evaluation of both has neither."""
    first, other = axes(make_wall(), leave_out=["Q10"]), axes(make_wall(), leave_out=["Q20", "Q30"])
    models = [model("one", first), model("other", other)]
    whole, common = evaluate_models(words_of(WALLS), models, {"": WALLS[:1]}, score_wall)
    assert [evaluation.scores[0].sizes for evaluation in whole] == [(4, 4, 4, 3), (4, 4, 3, 3)]
    assert [evaluation.scores[0].sizes for evaluation in common] == [(4, 3, 3, 3)] * 2


def test_words_are_looked_up_by_their_items() -> None:
    """For vectors keyed by QID."""
    wall = make_wall()
    known = {qid.removeprefix("word "): vector for qid, vector in axes(wall).items()}
    assert evaluate.walls([wall], model("m", known), keys="qid").row("solved").value == 100


# The command, and the function in Python.


def vocabulary(known: Mapping[str, Vector]) -> dict[str, Vector]:
    """The vectors as a file has them: words with "_", and one with a capital, so that text is not lowercased."""
    return {word.replace(" ", "_"): vector for word, vector in known.items()} | {"A": np.ones(4)}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run with walls in two languages, and two models: the second lacks a word and has two in each other's place."""
    (tmp_path / "walls").mkdir()
    for code in ("de", "en"):
        lines = b"".join(encode_wall(wall) for wall in WALLS if wall.language == code)
        (tmp_path / "walls" / f"{code}.jsonl").write_bytes(lines)
    good, bad = axes(make_wall()), axes(make_wall(), ["Q30"], {"Q10": "Q20", "Q20": "Q10"})
    for name, known in (("good", good), ("bad", bad)):
        rows = (f"{word} {' '.join(map(str, vector))}\n" for word, vector in vocabulary(known).items())
        (tmp_path / f"{name}.txt").write_text("".join(rows))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_json_has_a_row_for_each_score(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of each model, on what both know, and how they differ; the answers are in a file of their own."""
    words = ["evaluate", "walls", str(run), "--vectors", "good.txt", "--vectors", "bad.txt", "--cases", "cases.jsonl"]
    assert main([*words, "--json"]) == 0
    printed = capsys.readouterr()
    rows = printed_rows(printed.out)
    good, bad = (one(rows, "solved", model=f"{name}.txt") for name in ("good", "bad"))
    assert (good.dataset, good.value, bad.value) == (run.name, 100, 0)
    assert one(rows, "groups_found", model="bad.txt").value == 50
    missing = [one(rows, "oov_words", model="good.txt", part="coverage", vocabulary=each) for each in ("own", "common")]
    assert [row.value for row in missing] == [0, 100 / 16]
    assert {(row.metric, row.n, row.unit, row.model, row.less) for row in rows if row.less} == {
        (name, 4, "wall", "good.txt", "bad.txt") for name in SCORES
    }
    assert "walls with a score: 4; error bars from fewer than 20 are rough" in printed.err
    answers = [json.loads(line) for line in Path("cases.jsonl").read_text().splitlines()]
    right = [(answer["model"], answer["right"]) for answer in answers]
    assert right == [("good.txt", True)] * 4 + [("bad.txt", False)] * 4
    assert sorted(map(len, answers[0]["found"])) == [3, 4, 4, 4]


@pytest.mark.usefixtures("run")
def test_tables_have_tiers_and_languages(capsys: pytest.CaptureFixture[str]) -> None:
    """Each tier of each language and of all; chance, and what is out of vocabulary."""
    assert main(["evaluate", "walls", ".", "--vectors", "bad.txt", "--full"]) == 0
    text = capsys.readouterr().out
    for start in (r"de +│ far +│ +2", r"en +│ herring +│ +1", r" +│ far +│ +3", r" +│ all +│ +4"):
        assert re.search(rf"│ {start} │ +\d │ +0\.00 │ +[\d. to]+ │ +[\d.–]+ │ 3\.806e-05 │ +50\.00 │", text), start
    assert re.search(r"bad.txt +│ ([^│]+│ )? *4 │ +0 │ +0 │ +6\.25 │", text)
    assert main(["evaluate", "walls", ".", "--vectors", "bad.txt", "--language", "de", "--csv"]) == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [(row["part"], row["name"], row["n"], row["value"]) for row in rows if row["metric"] == "groups_found"] == [
        ("all", "", "2", "50.0"),
        ("tier", "far", "2", "50.0"),
    ]


@pytest.mark.usefixtures("run")
def test_walls_that_are_not_there_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    """A language without walls, and a folder without any."""
    assert main(["evaluate", "walls", ".", "--vectors", "good.txt", "--language", "fr"]) == 1
    assert "expected walls in fr, saw none" in capsys.readouterr().err
    assert main(["evaluate", "walls", "walls", "--vectors", "good.txt"]) == 1
    assert "expected walls (a run's OUT, a .jsonl or a .parquet file), saw none" in capsys.readouterr().err
    with pytest.raises(MissingInputError, match="expected walls, saw none"):
        evaluate.walls([], "good.txt")


def test_python_scores_walls_with_any_model(run: Path) -> None:
    """A path and a list of walls; a file, and a mapping from words to vectors."""
    assert evaluate.walls(run, "good.txt").row("solved").value == 100
    found = evaluate.walls(WALLS, {"mine": vocabulary(axes(make_wall())), "bad": "bad.txt"})
    assert found.row("solved", model="mine").value == 100
    assert found.row("oov_words", model="mine", part="coverage").value == 100 / 16
    by_qid = {word.removeprefix("word "): vector for word, vector in axes(make_wall()).items()}
    assert evaluate.walls(run / "walls" / "de.jsonl", by_qid, keys="qid").row("solved").n == 2


def test_several_models_begin_with_one_table(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each score of each model by tier, paired by wall; the page has a plot of each."""
    words = ["evaluate", "walls", str(run), "--vectors", "good.txt", "--vectors", "bad.txt", "--output", "report.html"]
    assert main([*words, "--plot", "tiers.svg"]) == 0
    figure = Path("tiers.svg").read_text()
    assert all(text in figure for text in ("solved (%)", "groups found (%)", "herring", "good.txt"))
    printed = capsys.readouterr().out
    assert printed.startswith("all models, % with intervals of 95 %")
    assert "permutation test paired by wall" in " ".join(printed.split())
    assert re.search(r"good.txt +│ +100.00 best", printed.partition("└")[0])
    assert "solved: good.txt − bad.txt: +100.0 points" in printed
    assert "solved, %: all" in Path("report.html").read_text()
