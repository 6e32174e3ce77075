"""Analogies: against the definitions word by word, and against gensim section by section."""

import tracemalloc
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.evaluation.sections import section_of
from tests.evaluation.strategies import any_vector
from tests.rows import one, printed_rows
from tests.word_groups import words_asked
from wikisem.categories.lexeme_pairs import questions
from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.evaluation import analogies
from wikisem.evaluation.analogies import (
    AnalogySearch,
    read_questions,
    score_analogies,
    scored,
)
from wikisem.evaluation.options import METHODS, Method
from wikisem.evaluation.rows import rows_of
from wikisem.evaluation.vectors.embeddings import TextModel, Vector, WordModel, WordVectors, from_words, unit
from wikisem.pipeline.cli import main

FILE = ": capitals\nathens greece oslo norway\noslo norway athens greece\n\n: other\noslo norway rome italy\n"


def is_right(rows: Vector, question: tuple[int, int, int, int], method: Method) -> bool:
    """Whether d has a larger score than every other word but a, b and c, one word at a time."""
    a, b, c, d = question
    if d in (a, b, c):
        return False

    def score(x: int) -> float:
        first, second, third = (float(rows[x] @ rows[word]) for word in (a, b, c))
        if method == "3cosadd":
            return second - first + third
        return (second + 1) / 2 * (third + 1) / 2 / ((first + 1) / 2 + 0.001)

    others = set(range(len(rows))) - set(question)
    return all(score(d) > score(x) + 1e-12 for x in others)


@st.composite
def questions_about(draw: st.DrawFn) -> tuple[list[list[float]], list[tuple[int, int, int, int]]]:
    """Vectors of a few words, and questions about them."""
    vectors = draw(st.lists(any_vector(3).filter(any), min_size=4, max_size=9))
    word = st.integers(0, len(vectors) - 1)
    return vectors, draw(st.lists(st.tuples(word, word, word, word), min_size=1, max_size=12))


OPPOSITE = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [-1.0, -1.0, -1.0], [-1.0, -1.0, -1.0]]


@pytest.mark.parametrize("method", METHODS)
@given(drawn=questions_about())
@example(drawn=(OPPOSITE, [(2, 3, 0, 1)]))  # c and d are opposite, and no other word is left to tie with d
@example(drawn=(OPPOSITE, [(2, 2, 0, 1)]))  # one is
@example(drawn=([*OPPOSITE, [1.0, 0.0, 0.0]], [(2, 3, 0, 1)]))
@example(drawn=([[-1.0, -1.0], [-1.0, 0.0], [1.0, 0.0], [1.0, 1.0]], [(0, 0, 1, 3)]))  # 0 but for rounding
def test_answers_are_those_of_the_definition(
    drawn: tuple[list[list[float]], list[tuple[int, int, int, int]]], method: Method
) -> None:
    """Ties, opposite and repeated vectors, and questions that repeat a word, for both methods."""
    vectors, asked = drawn
    rows = unit(np.array(vectors, np.float64))
    found = AnalogySearch(rows, method).right(np.array(asked))
    assert found.tolist() == [is_right(rows, question, method) for question in asked]


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_every_way_to_settle_a_question_agrees(monkeypatch: pytest.MonkeyPatch, method: Method) -> None:
    """By few near words, by many, and by the whole vocabulary; in one block of pairs and in many."""
    generator = np.random.default_rng(7)
    heads = generator.normal(size=(40, 12))
    rows = unit(
        np.vstack([heads, heads + 0.35 * generator.normal(size=(40, 12)) + 0.6, generator.normal(size=(220, 12))])
    )
    asked = np.array([(i, 40 + i, j, 40 + j) for i in range(40) for j in range(40) if i != j])
    expected = [is_right(rows, tuple(question), method) for question in asked.tolist()]
    assert 0.05 < np.mean(expected) < 0.95
    monkeypatch.setattr(analogies, "_NUMBERS_AT_ONCE", 300 * 7)
    for nearest in (3, 40, 5000):
        monkeypatch.setattr(analogies, "_NEAREST", nearest)
        assert AnalogySearch(rows, method).right(asked).tolist() == expected, nearest


def test_memory_does_not_grow_with_the_distinct_third_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """The words near every third word are 14 MB here, a block of 256 of them is 2 MB; the answers are equal."""
    rows = unit(np.random.default_rng(5).normal(size=(2400, 4)))
    monkeypatch.setattr(analogies, "_NUMBERS_AT_ONCE", 1 << 16)
    monkeypatch.setattr(analogies, "_NEAREST", 500)
    asked = np.array([(7, 2300, third, 9) for third in range(2000)] + [(third, 5, 11, 3) for third in range(20, 90)])

    def answers() -> tuple[list[bool], int]:
        tracemalloc.start()
        found = AnalogySearch(rows).right(asked)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found.tolist(), most

    monkeypatch.setattr(analogies, "_THIRD_WORDS_AT_ONCE", 1 << 30, raising=False)
    whole, most = answers()
    monkeypatch.setattr(analogies, "_THIRD_WORDS_AT_ONCE", 256, raising=False)
    by_blocks, bounded = answers()
    assert by_blocks == whole
    assert most > 8_000_000 > bounded + 3_000_000


def lookup_of(table: Mapping[str, tuple[float, float]]) -> WordModel:
    """A model of these vectors."""
    return WordModel("v", from_words(list(table), np.array(list(table.values()), np.float32)))


def test_unseen_questions_are_wrong_or_left_out() -> None:
    """Words that are missing, beyond the restricted vocabulary, or without a direction."""
    table = {"athens": (1, 0), "greece": (1, 1), "oslo": (1, 0.1), "norway": (1, 1.2), "zero": (0, 0), "late": (0, 1)}
    sections = [
        section_of("seen", [("athens", "greece", "oslo", "norway")]),
        section_of(
            "mixed",
            [
                ("Athens", "Greece", "Oslo", "Norway"),
                ("athens", "greece", "rome", "italy"),
                ("athens", "greece", "oslo", "zero"),
                ("athens", "late", "oslo", "norway"),
            ],
        ),
    ]
    counted = list(score_analogies(sections, lookup_of(table), restrict=5))
    assert [(row.correct, row.comparisons, row.missing) for row in counted] == [(1, 1, 0), (1, 4, 3)]
    skipped = list(score_analogies(sections, lookup_of(table), restrict=5, skip_oov=True))
    assert [(row.correct, row.comparisons, row.missing) for row in skipped] == [(1, 1, 0), (1, 1, 3)]
    assert one(rows_of("analogies", [scored("m", "", None, counted)])).value == 40
    unrestricted = list(score_analogies(sections, lookup_of(table)))
    assert unrestricted[1].missing == 2


def test_a_model_without_a_vocabulary_is_refused() -> None:
    """There is nothing to choose an answer from."""
    with pytest.raises(UsageError, match="analogies need a model with a vocabulary"):
        list(score_analogies([section_of("s", [("a", "b", "c", "d")])], TextModel("m", list)))


def test_files_are_read_by_section(tmp_path: Path) -> None:
    """Sections in order, blank lines passed over, two of one name put together."""
    path = tmp_path / "q.txt"
    path.write_text("\ufeff" + FILE + ": capitals\r\nrome\titaly  oslo norway\r\n: empty\n", encoding="utf-8")
    assert words_asked(read_questions(path)[0])[2] == ("rome", "italy", "oslo", "norway")
    assert [(section.name, len(section.rows)) for section in read_questions(path)] == [
        ("capitals", 3),
        ("other", 1),
    ]


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (": s\na b c d\na b c\na b c d\n", DamagedInputError, r"q\.txt:3: expected four words, saw 'a b c'"),
        ("a b c d\n", DamagedInputError, r"q\.txt:1: expected ': section' in front of questions"),
        (": s\n", MissingInputError, "expected analogy questions, saw none"),
        (": s\na b c d\na b c \udcff\n", DamagedInputError, r"q\.txt:3.*expected UTF-8"),
        (": \udcff\n", DamagedInputError, r"q\.txt:1.*expected UTF-8"),
    ],
)
def test_what_is_no_question_is_named(tmp_path: Path, text: str, error: type[Exception], message: str) -> None:
    """With the file and the line."""
    (tmp_path / "q.txt").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(error, match=message):
        read_questions(tmp_path / "q.txt")
    with pytest.raises(MissingInputError, match="saw none at"):
        read_questions(tmp_path / "none.txt")


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Sections with their questions and right answers, as JSON, CSV and a table."""
    monkeypatch.chdir(tmp_path)
    Path("q.txt").write_text(FILE)
    Path("v.txt").write_text("athens 1 0 0\ngreece 1 1 0\noslo 1 0 0.5\nnorway 1 1 0.5\nx 0 -1 1\n")
    words = ["evaluate", "analogies", "q.txt", "--vectors", "v.txt"]
    for method in METHODS:
        assert main([*words, "--json", "--method", method]) == 0
        rows = printed_rows(capsys.readouterr().out)
        assert {(row.model, row.dataset) for row in rows} == {("v.txt", "q")}
        for section, questions_of, numbers in (("capitals", 2, (100, 2, 0)), ("other", 1, (0, 0, 1))):
            found = [one(rows, metric, part="section", name=section) for metric in ("accuracy", "correct", "unseen")]
            assert tuple(row.value for row in found) == numbers
            assert {row.cases for row in found} == {questions_of}
        assert (one(rows, "correct").value, one(rows).cases) == (2, 3)
    assert main([*words, "--json", "--skip-oov"]) == 0
    other = one(printed_rows(capsys.readouterr().out), part="section", name="other")
    assert (other.value, other.cases) == (None, 0)
    assert main(words) == 0
    assert "counted as wrong" in capsys.readouterr().out


@pytest.mark.realdata
@pytest.mark.parametrize("restrict", [0, 3000])
def test_equal_to_gensim(glove: WordVectors, tmp_path: Path, restrict: int) -> None:
    """Section by section with real vectors: relations among the words of real categories, unseen questions left out."""
    keyed = pytest.importorskip("gensim.models").KeyedVectors(100)
    keyed.add_vectors(list(glove.index), glove.rows)
    relations = {
        "capital": "athens greece oslo norway madrid spain rome italy tokyo japan paris france cairo egypt lima peru "
        "havana cuba berlin germany london england moscow russia beijing china ottawa canada lisbon portugal",
        "plural": "car cars dog dogs hand hands child children man men year years word words city cities",
        "past": "go went take took say said make made see saw give gave find found",
        "unseen": "oslo norway vaduz liechtenstein paris france",
    }
    lines = []
    for name, text in relations.items():
        words = text.split()
        lines.append(f": {name}")
        lines += [" ".join(each) for each in questions(list(zip(words[::2], words[1::2], strict=True)))]
    (tmp_path / "q.txt").write_text("\n".join(lines))
    _, theirs = keyed.evaluate_word_analogies(str(tmp_path / "q.txt"), restrict_vocab=restrict or 300_000)
    model = WordModel("glove", glove)
    ours = list(score_analogies(read_questions(tmp_path / "q.txt"), model, skip_oov=True, restrict=restrict))
    assert [(row.name, row.correct, row.comparisons - row.correct) for row in ours] == [
        (row["section"], len(row["correct"]), len(row["incorrect"])) for row in theirs[:-1]
    ]
    assert sum(row.correct for row in ours) > 30


def test_words_are_looked_up_as_the_vocabulary_has_them() -> None:
    """Lowercased where it has no capitals; else as they are."""
    section = section_of("s", [("Rome", "Rome", "x", "x"), ("Rome", "rome", "x", "x"), ("Rome", "Rome", "x", "y")])
    for rome, unseen in (("rome", 1), ("Rome", 2)):
        (score,) = score_analogies([section], lookup_of({rome: (1, 0), "x": (0, 1)}))
        assert score.missing == unseen
