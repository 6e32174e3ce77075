"""Consistency across languages: against the definitions read word by word, and on answers of known consistency."""

import json
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluation.strategies import any_vector
from tests.evaluation.test_outlier_detection import compactness
from tests.rows import printed_rows
from tests.word_groups import outlier_word, word_group
from wikisem import evaluate
from wikisem.evaluation.outlier_detection import Answer, answers_to, compare_languages, rankc
from wikisem.evaluation.plot import draw_rows
from wikisem.evaluation.rows import Row
from wikisem.evaluation.vectors.embeddings import Vector, WordModel, from_words
from wikisem.pipeline.cli import main
from wikisem.records import Group, Outlier

Table = dict[tuple[str, str], Answer]


def group_of(name: str, language: str, cluster: str, outliers: str) -> Group:
    """A group whose items a, b, ... are the words de:a, de:b, ... of the language."""
    words = tuple(outlier_word(f"{language}:{item}", 1, f"Q{item}") for item in outliers)
    keys = tuple(f"Q{item}" for item in cluster)
    return word_group(name, tuple(f"{language}:{item}" for item in cluster), words, "here", language, "", keys)


def literal_order(group: Group, outlier: Outlier, known: Mapping[str, Vector]) -> list[str] | None:
    """The QIDs of a case from the one that stands out most, each compactness by itself; None without a case."""
    items = [(member.surface, member.id) for member in group.cluster if member.surface in known]
    if len(items) < 2 or outlier.surface not in known:
        return None
    words = [*(known[word] for word, _ in items), known[outlier.surface]]
    close = [compactness(words, at) for at in range(len(words))]
    # Items within the tolerance of each other are in the order of the cluster, with the outlier last.
    order = sorted(range(len(words)), key=lambda at: sum(other - close[at] > 1e-12 for other in close))
    return [[*(qid for _, qid in items), outlier.id][at] for at in order]


def literal_rankc(one: list[str], other: list[str]) -> float:
    """Equations 1 to 3 of Qi et al., set by set."""
    both = set(one) & set(other)
    first, second = [item for item in one if item in both], [item for item in other if item in both]
    weights = [math.exp(len(both) - j) for j in range(1, len(both) + 1)]
    shares = [len(set(first[:j]) & set(second[:j])) / j for j in range(1, len(both) + 1)]
    return sum(weight * share for weight, share in zip(weights, shares, strict=True)) / sum(weights)


@given(st.dictionaries(st.sampled_from([f"{code}:{x}" for code in ("de", "en") for x in "abcdefg"]), any_vector(3)))
def test_numbers_equal_the_definitions(table: dict[str, list[float]]) -> None:
    """Every number of a pair of languages, with words out of vocabulary, zero vectors and other members."""
    groups = [group_of("Q1", "de", "abcd", "ef"), group_of("Q1", "en", "bcda", "ef")]
    groups += [group_of("Q2", "de", "abe", "gd"), group_of("Q2", "en", "acf", "gd")]
    rows = np.asarray(list(table.values()), dtype=np.float32).reshape(len(table), 3)
    known = {word: row.astype(np.float64) for word, row in zip(table, rows, strict=True) if row.any()}
    found = {
        row.metric: row for row in evaluate.consistency(groups, WordModel("v", from_words(list(table), rows))).rows
    }

    both = []
    for one, other in (groups[:2], groups[2:]):
        for outlier, its_twin in zip(one.outliers, other.outliers, strict=True):
            orders = literal_order(one, outlier, known), literal_order(other, its_twin, known)
            if orders[0] and orders[1]:
                both.append((outlier.id, orders[0], orders[1]))
    assert bool(found) == bool(both)
    if not both:
        return
    count = len(both)
    right = [(one[0] == qid, other[0] == qid) for qid, one, other in both]
    p, q = sum(one for one, _ in right) / count, sum(other for _, other in right) / count
    observed, expected = sum(one == other for one, other in right) / count, p * q + (1 - p) * (1 - q)
    wrong = [(qid, one, other) for (qid, one, other), answer in zip(both, right, strict=True) if not any(answer)]
    assert {(row.name, row.cases) for metric, row in found.items() if metric != "same_word"} == {("de, en", count)}
    assert (found["accuracy"].value, found["accuracy_other"].value) == pytest.approx((100 * p, 100 * q))
    assert found["both_right"].value == pytest.approx(100 * sum(all(answer) for answer in right) / count)
    assert found["both_right"].chance == pytest.approx(100 * p * q)
    if expected == 1:
        assert found["kappa"].value is None
    else:
        assert found["kappa"].value == pytest.approx((observed - expected) / (1 - expected), abs=1e-9)
    assert found["rankc"].value == pytest.approx(sum(literal_rankc(one, other) for _, one, other in both) / count)
    assert found["same_word"].cases == len(wrong)
    if wrong:
        same = sum(one[0] == other[0] for _, one, other in wrong) / len(wrong)
        guesses = [
            sum(a == b for a in one if a != qid for b in other if b != qid) / ((len(one) - 1) * (len(other) - 1))
            for qid, one, other in wrong
        ]
        seen = found["same_word"].value, found["same_word"].chance
        assert seen == pytest.approx((100 * same, 100 * sum(guesses) / len(wrong)))


def simulated(generator: np.random.Generator, groups: int, copied: float, right: float = 0.6) -> tuple[Table, Table]:
    """Answers in two languages to four cases a class: a share is copied from the first, the rest is independent.

    Kappa is then the share that is copied, and where both are wrong, chance is one in eight.
    """

    def answer() -> Answer:
        members = [str(one) for one in generator.permutation(8)]
        place = 0 if generator.random() < right else 1
        return Answer("o", (*members[:place], "o", *members[place:]))

    ones = {(f"Q{group}", str(case)): answer() for group in range(groups) for case in range(4)}
    return ones, {key: one if generator.random() < copied else answer() for key, one in ones.items()}


def compared(ones: Table, others: Table) -> dict[str, Row]:
    """The rows of two languages by their metrics."""
    return {row.metric: row for row in compare_languages({"de": ones, "en": others}, "m", "", seed=1)}


@pytest.mark.parametrize("copied", [0.0, 0.5, 1.0])
def test_a_known_consistency_is_found(copied: float) -> None:
    """Kappa is the share of copied answers, and the same word is wrong as often as was copied or fell so by chance."""
    pair = compared(*simulated(np.random.default_rng(1), 1500, copied))
    kappa, same = pair["kappa"], pair["same_word"]
    assert kappa.low is not None
    assert kappa.high is not None
    assert kappa.value == pytest.approx(copied, abs=0.04)
    assert kappa.low <= copied <= kappa.high
    assert same.chance == pytest.approx(100 / 8)
    # Where both are wrong, an answer was copied (c of the .4 wrong ones) or fell wrong again (.4 of the others).
    share = copied / (copied + (1 - copied) * 0.4)
    assert same.value == pytest.approx(100 * (share + (1 - share) / 8), abs=4)
    assert pair["rankc"].chance == pytest.approx(rankc("abcdefghi", "abcdefghi")[1])
    if not copied:
        assert pair["both_right"].value == pytest.approx(pair["both_right"].chance, abs=2)


def test_intervals_of_kappa_cover_the_truth() -> None:
    """Of 60 samples of 40 classes, about 57 intervals of 95 % have the true kappa."""
    generator = np.random.default_rng(5)
    kappas = [compared(*simulated(generator, 40, 0.4))["kappa"] for _ in range(60)]
    covered = [row.low <= 0.4 <= row.high for row in kappas if row.low is not None and row.high is not None]
    assert len(covered) == 60
    assert sum(covered) >= 52


def test_full_agreement_claims_no_certainty() -> None:
    """Every case agrees: kappa is 1 with an interval that begins below; where all are right, there is no kappa."""
    ones, others = simulated(np.random.default_rng(2), 10, 1.0)
    kappa = compared(ones, others)["kappa"]
    assert kappa.value == kappa.high == 1
    assert kappa.low is not None
    assert 0 < kappa.low < 1
    right = {key: Answer("o", ("o", "a")) for key in ones}
    pair = compared(right, right)
    assert (pair["kappa"].value, pair["same_word"].value, pair["both_right"].value) == (None, None, 100)
    assert pair["same_word"].cases == 0


def test_a_tie_with_the_outlier_counts_against_the_model() -> None:
    """Two members at the outlier's own vector stand out as much as it: the first of them is the answer."""
    group = group_of("Q1", "de", "abcd", "e")
    known = {
        f"de:{item}": np.array(vector) for item, vector in zip("abcde", [(1.0, 0), (1, 0), *[(0, 1)] * 3], strict=True)
    }
    (answer,) = answers_to(group, known).values()
    assert answer.order[:2] == ("Qa", "Qb")
    assert not answer.right


@pytest.mark.parametrize("odd", "abcdef")
def test_rounding_does_not_order_tied_items(odd: str) -> None:
    """Items with one vector stand out alike: they are in the order of the cluster."""
    known = {f"de:{item}": np.ones(3) for item in "abcdef"}
    known |= {f"de:{odd}": np.array((-1.0, 0, 0)), "de:x": np.array((1.0, 0, 0))}
    (answer,) = answers_to(group_of("Q1", "de", "abcdef", "x"), known).values()
    assert "".join(answer.order) == "".join(f"Q{item}" for item in (odd, "x", *sorted(set("abcdef") - {odd})))


VECTORS = "a 1 0.1\nb 1 0\nc 1 0.2\nx -0.1 1\nA 1 0.1\nB 0 1\nC 1 0.2\nX 0 1\n"


def line(language: str, words: str, outlier: str = "Q9") -> str:
    """A group of a build, as JSON."""
    items = [{"id": f"Q{at}", "surface": word} for at, word in enumerate(words[:-1], start=1)]
    last = {"id": outlier, "surface": words[-1], "outlier_class": 1}
    return json.dumps({"class": "Q7", "language": language, "cluster": items, "outliers": [last]}) + "\n"


def test_the_command_prints_every_pair_and_draws_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON has each pair of languages, CSV a row for it; the picture holds every language and loads nothing."""
    (tmp_path / "groups.jsonl").write_text(line("de", "abcx") + line("en", "ABCX"))
    (tmp_path / "vectors.txt").write_text(VECTORS)
    words = ["evaluate", "consistency", str(tmp_path / "groups.jsonl"), "--vectors", str(tmp_path / "vectors.txt")]
    assert main([*words, "--json"]) == 0
    pair = {row.metric: row for row in printed_rows(capsys.readouterr().out)}
    assert {(row.model, row.dataset, row.name) for row in pair.values()} == {("vectors.txt", "groups", "de, en")}
    assert (pair["kappa"].cases, pair["same_word"].cases) == (1, 0)
    # In English a member ties with the outlier, so that the model is wrong there.
    values = [pair[name].value for name in ("accuracy", "accuracy_other", "both_right", "kappa")]
    assert values == [100, 0, 0, 0]
    assert main([*words, "--csv"]) == 0
    header, *rows = capsys.readouterr().out.splitlines()
    assert header.startswith("task,model,dataset,vocabulary,language,part,name")
    assert len(rows) == len(pair) == 6
    assert main([*words, "--output", str(tmp_path / "report.html")]) == 0
    assert "de, en" in capsys.readouterr().out
    assert "<title>de, en: 0.00 (" in (tmp_path / "report.html").read_text()
    (tmp_path / "groups.jsonl").write_text(line("de", "abcx") + line("en", "klmn"))  # words of a language not known
    assert main(words) == 1
    printed = capsys.readouterr()
    assert "no test case is known to vectors.txt in two languages" in printed.out
    assert "expected test cases in two languages whose words vectors.txt knows, saw none" in printed.err


def test_a_set_without_shared_cases_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Other outliers in each language, or items without QIDs, are no cases to compare."""
    (tmp_path / "groups.jsonl").write_text(line("de", "abcx") + line("en", "ABCX", "Q8"))
    (tmp_path / "vectors.txt").write_text(VECTORS)
    words = ["evaluate", "consistency", str(tmp_path / "groups.jsonl"), "--vectors", str(tmp_path / "vectors.txt")]
    assert main(words) == 1
    assert "expected cases of the same class and outlier, by QID, in two languages" in capsys.readouterr().err


def test_the_picture_has_every_language(tmp_path: Path) -> None:
    """A self-contained SVG: a panel for each measure, the languages at its sides, nothing loaded from elsewhere."""
    groups = [group_of("Q1", code, "abcd", "ef") for code in ("de", "en", "ja")]
    rows = np.random.default_rng(1).normal(size=(18, 4)).astype(np.float32)
    model = WordModel("m$1", from_words([f"{code}:{x}" for code in ("de", "en", "ja") for x in "abcdef"], rows))
    draw_rows(tmp_path / "matrix.svg", evaluate.consistency(groups, model).rows, "languages")
    drawn = (tmp_path / "matrix.svg").read_text()
    assert all(drawn.count(f"<!-- {code} -->") == 4 for code in ("de", "en", "ja"))
    assert all(f"<!-- {words} -->" in drawn for words in ("m$1", "kappa", "same word wrong, less chance"))
    assert 'href="http' not in drawn
