"""The command ``wikisem evaluate``: what it prints, and how it names mistakes."""

import json
import re
from pathlib import Path

import pytest
from matplotlib.axes import Axes

from tests.rows import one, printed_rows
from wikisem import __version__, evaluate
from wikisem.evaluation.rows import Row
from wikisem.pipeline.cli import main

VECTORS = "lion 1 0.1\ntiger 1 0\nlynx 1 0.2\ncar -0.1 1\nvan 0 1\nbus 0.1 1\n"
GROUP = "Lion\nTiger\nLynx\n\nlynx\ncar\ncar\nvan\nbus\nnone\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with vectors, a data set of two groups and a file of categories, and the work done there."""
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "Q1.txt").write_text(GROUP)
    (tmp_path / "set" / "[bold]Q2.txt").write_text("nope\n\ncar\n")
    (tmp_path / "vectors.txt").write_text(VECTORS)
    (tmp_path / "more.txt").write_text(VECTORS + "none 0 -1\nLion 1 1\n")
    (tmp_path / "categories.txt").write_text(": cats\nlion tiger lynx puma\n: cars\ncar van bus\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows_of(capsys: pytest.CaptureFixture[str], *words: str) -> list[Row]:
    """The rows that a task prints with ``--json``."""
    assert main(["evaluate", *words, "--json"]) == 0
    return printed_rows(capsys.readouterr().out)


@pytest.mark.usefixtures("folder")
def test_json_has_a_row_for_each_score(capsys: pytest.CaptureFixture[str]) -> None:
    """Scores in percent, an object a line; notes go to stderr, where they do not disturb it."""
    words = ["evaluate", "outliers", "set", "--vectors", "vectors.txt", "--json"]
    assert main([*words, "--groups"]) == 0
    printed = capsys.readouterr()
    rows = printed_rows(printed.out)
    assert {tuple(json.loads(line)) for line in printed.out.splitlines()} == {Row.__struct_fields__}
    accuracy, opp = one(rows), one(rows, "opp")
    assert (accuracy.task, accuracy.model, accuracy.dataset) == ("outliers", "vectors.txt", "set")
    assert accuracy.version == __version__
    assert (accuracy.cases, accuracy.value) == (5, 80)
    assert opp.value == pytest.approx(100 * (1 / 3 + 4) / 5)
    coverage = {row.metric: row.value for row in rows if row.part == "coverage"}
    assert coverage == {
        "groups": 2,
        "test_cases": 7,
        "skipped_groups": 1,
        "oov_cluster": 50,
        "oov_outliers": pytest.approx(100 / 12),
        "vocabulary_size": 6,
    }
    groups = [(row.name, row.metric, row.cases, row.value) for row in rows if row.part == "group"]
    assert groups == [
        ("Q1", "accuracy", 5, 80),
        ("Q1", "opp", 5, opp.value),
        ("[bold]Q2", "accuracy", 0, None),
        ("[bold]Q2", "opp", 0, None),
    ]
    classes = [
        (row.name, row.cases, row.value, one(rows, "opp", part=row.part, name=row.name).value)
        for row in rows
        if (row.task, row.part, row.metric) == ("outliers", "outlier class", "accuracy")
    ]
    assert classes == [
        ("O1", 2, 50, pytest.approx(100 * (1 / 3 + 1) / 2)),
        ("O2", 2, 100, 100),
        ("O3", 1, 100, 100),
        ("O?", 0, None, None),
    ]
    # Who needs no vocabulary has the cases of both groups: one of the second has two words.
    chance = one(rows, task="baseline", model="chance")
    assert chance.value == pytest.approx(100 * (6 / 4 + 1 / 2) / 7)
    # One group with cases: Wilson's interval, and no standard error.
    assert opp.low is not None
    assert opp.high is not None
    assert opp.low < (opp.value or 0) < opp.high
    assert (opp.se, accuracy.se, opp.n) == (None, None, 1)
    assert "classes with a score: 1; error bars from fewer than 20 are rough" in printed.err
    assert "text lowercased" in printed.err
    assert main(words) == 0
    assert {row.part for row in printed_rows(capsys.readouterr().out)} == {"all", "outlier class", "coverage"}


@pytest.mark.usefixtures("folder")
def test_several_models_are_also_compared_on_what_all_know(capsys: pytest.CaptureFixture[str]) -> None:
    """Each model in order, with its scores on the common subset; NAME=FILE names one."""
    rows = rows_of(capsys, "outliers", "set", "--vectors", "vectors.txt", "--vectors", "second=more.txt")
    # The second vocabulary has a capital: "Tiger" and "Lynx" are unknown to it, and its only cluster item is "Lion".
    models = ("vectors.txt", "second")
    assert [one(rows, model=model).cases for model in models] == [5, 0]
    assert [one(rows, model=model, vocabulary="common").cases for model in models] == [0, 0]


@pytest.mark.usefixtures("folder")
def test_tables_show_groups_classes_and_the_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """Names are printed as they are, even where they look like markup, and what was done to the text is said."""
    words = ["evaluate", "outliers", "set", "--vectors", "vectors.txt"]
    assert main([*words, "--groups", "--full"]) == 0
    text = capsys.readouterr().out
    for pattern in [
        r"Q1 +│ +│ +5 │ +86\.67 │ +80\.00",
        r"\[bold\]Q2 +│ +│ +0 │ +– │ +–",
        r"O3, far away +│ +1 │ +1 │ +100\.00",
    ]:
        assert re.search(pattern, text), pattern
    assert re.search(r"all +│ +1 │ +5 │ +80\.00 │ +[\d.]+ to [\d.]+ │ +25 │ +86\.67 │", text)
    assert re.search(r"vectors.txt +│ +set +│ +2 │ +7 │ +1 │ +50\.00 │ +8\.33 │ +6 │", text)
    assert "text lowercased: no word of the vocabulary starts with a capital" in text
    assert main(words) == 0
    text = capsys.readouterr().out
    assert text.count("┏") == 1
    assert "[bold]Q2" not in text
    # What was left out is a note, which the table, JSON and Python all have.
    note = "left out: 2 of 7 test cases, with words that the model does not know"
    assert f"\n{note}\n" in text
    assert note in evaluate.outliers("set", "vectors.txt").notes
    assert main([*words, "--json"]) == 0
    assert f"note: {note}\n" in capsys.readouterr().err


def test_the_plot_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Beside the scores, a figure; without a known outlier class there is nothing to draw."""
    assert main(["evaluate", "outliers", "set", "--vectors", "vectors.txt", "--plot", "figure.svg"]) == 0
    assert "outlier class" in (folder / "figure.svg").read_text()
    assert "the figure is figure.svg" in capsys.readouterr().err
    assert main(["evaluate", "outliers", "set/[bold]Q2.txt", "--vectors", "vectors.txt", "--plot", "no.svg"]) == 2
    assert "saw test cases of unknown outlier class only" in capsys.readouterr().err
    assert main(["evaluate", "outliers", "set", "--vectors", "vectors.txt", "--plot", "figure.doc"]) == 2
    told = capsys.readouterr().err
    assert "--plot: expected a file that ends in .png, .svg, .pdf, saw 'figure.doc'" in told
    assert "reading" not in told


@pytest.mark.usefixtures("folder")
def test_categories_are_scored(capsys: pytest.CaptureFixture[str]) -> None:
    """Topk and OddOneOut report n, what is missing and the mean; --skip-oov leaves missing words out."""
    rows = rows_of(capsys, "topk", "categories.txt", "--vectors", "vectors.txt", "-k", "2")
    for name, cases, numbers in (("cats", 8, (4, 1, 6, 75)), ("cars", 6, (3, 0, 6, 100))):
        metrics = ("words", "missing", "correct", "score")
        found = [one(rows, metric, part="category", name=name) for metric in metrics]
        assert tuple(row.value for row in found) == numbers
        assert {row.cases for row in found} == {cases}
    mean = one(rows, "score")
    assert (mean.value, mean.low, mean.high, mean.se) == pytest.approx((87.5, 75, 100, 12.5))
    assert (mean.model, mean.dataset, mean.n, mean.unit) == ("vectors.txt", "categories", 2, "category")
    assert one(rows, "skipped_categories", part="coverage").value == 0
    words = ["oddoneout", "categories.txt", "--vectors", "vectors.txt", "--intruders", "outside-category"]
    assert one(rows_of(capsys, *words), "score").value == pytest.approx((25 + 100) / 2)
    assert main(["evaluate", *words, "--skip-oov", "--distance", "cosine-raw"]) == 0
    text = capsys.readouterr().out
    assert "OddOneOut, k = 3, cosine-raw, outside-category: vectors.txt" in text
    assert re.search(r"cats +│ +– │ +3 │ +100\.00 │ [^\n]* 4 │ +1 │ +3 │", text)
    drawn = rows_of(capsys, *words, "--sample", "40", "--seed", "7")
    assert {row.cases for row in drawn if row.part == "category"} == {40}


def test_an_analogy_file_makes_two_categories_a_relation(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As Stringham and Izbicki split the Google set; without the option the file is refused, not merged."""
    pairs = [("lion", "car"), ("tiger", "van"), ("lynx", "bus")]
    lines = [" ".join((*one, *other)) for one in pairs for other in pairs if one != other]
    (folder / "questions.txt").write_text("\n".join([": gear", *lines, ": none", "puma car yak van", ""]))
    for task in ("topk", "oddoneout", "combined"):
        words = [task, "questions.txt", "--vectors", "vectors.txt", "-k", "2"]
        assert main(["evaluate", *words]) == 1
        assert "questions.txt:3: expected words of categories, saw analogy questions" in capsys.readouterr().err
        rows = rows_of(capsys, *words, "--split-analogies")
        if task != "combined":
            found = [row for row in rows if row.part == "category"]
            names = ["gear-first", "gear-second", "none-first", "none-second"]
            assert list(dict.fromkeys(row.name for row in found)) == names
            assert [row.value for row in found if row.metric == "words"] == [3, 3, 2, 2]
            assert [row.value for row in found if row.metric == "missing"] == [0, 0, 2, 0]
            shares = [row.value for row in found if row.metric == "score"]
            assert shares[:2] == [100, 100] or task == "oddoneout"


def test_a_callable_in_this_folder_is_a_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """python:MODULE:FUNCTION finds a file beside the user; Topk, which needs a vocabulary, says so."""
    (folder / "length_model.py").write_text("def encode(texts):\n    return [[1, len(text)] for text in texts]\n")
    model = ["--vectors", "python:length_model:encode"]
    assert one(rows_of(capsys, "outliers", "set", *model)).cases == 6
    words = ["evaluate", "oddoneout", "categories.txt", *model, "-k", "2", "--intruders", "other-categories"]
    assert main(words) == 0
    assert main(["evaluate", "topk", "categories.txt", *model]) == 2
    assert "topk needs a model with a vocabulary" in capsys.readouterr().err


def test_a_set_without_a_language_has_one_name_for_that(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Baselines of hand-written groups are of an unknown language, and scores of none; a folder may say which."""
    words = ["outliers", "set", "--vectors", "vectors.txt"]
    assert {row.language for row in rows_of(capsys, *words)} == {"", "unknown"}
    assert main(["evaluate", *words, "--full"]) == 0
    assert "\nwho picks … is right, %: set" in capsys.readouterr().out
    (folder / "set").rename(folder / "de")
    rows = rows_of(capsys, "outliers", "de", "--vectors", "vectors.txt")
    assert {row.language for row in rows} == {"", "de"}
    assert one(rows, part="language").name == "de"


def test_vectors_that_are_not_finite_are_counted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A broken model is no run: the error names it, and how many of how many words have no numbers."""
    (folder / "broken.py").write_text(
        "def encode(texts):\n    return [[1, float('nan' if 'a' in text else 1)] for text in texts]\n"
    )
    (folder / "nan.txt").write_text(VECTORS.replace("van 0 1", "van nan 1"))
    for model, seen in (
        ("python:broken:encode", "2 of 9 with others, the first of 'car'"),
        ("nan.txt", "1 of 7 with others, the first of 'van'"),
    ):
        assert main(["evaluate", "outliers", "set", "--vectors", model, "--json"]) == 1
        printed = capsys.readouterr()
        assert not printed.out
        assert re.search(f"wikisem: {model}: expected vectors of finite numbers, saw {seen}", printed.err)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("form", [[], ["--json"], ["--csv"]])
def test_a_model_that_knows_no_case_is_an_error(capsys: pytest.CaptureFixture[str], form: list[str]) -> None:
    """The report is printed and shows why; the exit code is 1, unless a second model knows cases."""
    Path("other.txt").write_text("one 1 0\ntwo 0 1\n")
    words = ["evaluate", "outliers", "set", *form, "--vectors", "other.txt"]
    assert main(words) == 1
    printed = capsys.readouterr()
    assert "other.txt" in printed.out
    assert "wikisem: expected test cases whose words other.txt knows, saw none" in printed.err
    assert main([*words, "vectors.txt"]) == 0
    assert main(["evaluate", "topk", "categories.txt", "--vectors", "other.txt", "--skip-oov", *form]) == 1
    assert "expected categories with enough words that a model knows, saw none" in capsys.readouterr().err


def test_the_plot_of_several_models_is_of_the_cases_of_all(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each model has other words; the figure has the scores of the table above it."""
    (folder / "fewer.txt").write_text(VECTORS.replace("van 0 1\n", ""))
    drawn: list[list[float]] = []
    monkeypatch.setattr(Axes, "errorbar", lambda *values, **_: drawn.append(list(values[2])))
    models = ["--vectors", "vectors.txt", "fewer.txt"]
    assert main(["evaluate", "outliers", "set", *models, "--plot", "figure.svg"]) == 0
    capsys.readouterr()
    rows = rows_of(capsys, "outliers", "set", *models)
    common = [row for row in rows if row.vocabulary == "common" and row.part == "outlier class" and row.low is not None]
    assert {row.cases for row in common} == {2, 1}
    assert [list(values) for values in drawn] == [
        [row.value for row in common if (row.metric, row.model) == (metric, model)]
        for metric in ("accuracy", "opp")
        for model in ("vectors.txt", "fewer.txt")
    ]


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["outliers", "set", "--vectors", "vectors.txt", "--jsn"], 2, "unknown option '--jsn'; did you mean --json?"),
        (["topk", "categories.txt", "--vectors", "v", "--skip-ov"], 2, "did you mean --skip-oov?"),
        (["oddoneout", "categories.txt", "--vectors", "v", "-k", "1"], 2, "expected a whole number from 2 up, saw '1'"),
        (["oddoneout", "categories.txt", "--vectors", "v", "--distance", "far"], 2, "cosine-raw, saw 'far'"),
        (["outlier", "set"], 2, "saw 'outlier'; did you mean outliers?"),
        ([], 2, "required: TASK, one of outliers, contexts, "),
        (["outliers", "set", "--vector", "v"], 2, "unknown option '--vector'; did you mean --vectors?"),
        (["outliers", "set"], 2, "--vectors"),
        (["outliers", "set", "--vectors", "vectors.txt", "--", "--runner=x"], 2, "takes no Beam options"),
        (["outliers", "set", "--vectors", "none.txt"], 1, "expected a file of vectors, saw none at none.txt"),
        (["outliers", "set", "--vectors", "vectors.txt", "--csv", "--json"], 2, "not allowed with argument"),
        (["outliers", "set", "--language", "D E", "--vectors", "vectors.txt"], 2, "expected a language code"),
        (["outliers", "set", "--language", "de", "--vectors", "v"], 1, "in de, saw groups in no known language"),
        (["outliers", "none", "--vectors", "vectors.txt"], 1, "saw nothing at none"),
        (["outliers", "empty.jsonl", "--vectors", "vectors.txt"], 1, "expected test groups, saw none"),
        (["topk", "set/Q1.txt", "--vectors", "vectors.txt"], 1, "Q1.txt:1: expected ': category' in front of words"),
    ],
)
def test_mistakes_are_named(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], code: int, message: str
) -> None:
    """Wrong usage ends with 2, data that cannot be scored with 1, each with one message."""
    (folder / "empty.jsonl").write_text("")
    assert main(["evaluate", *words]) == code
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.out == ""


def test_models_are_compared_pair_by_pair(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Differences on the common subset, with p-values, as a table and in the object of each model of the pair."""
    for name in ("Q3", "Q4"):
        (folder / "set" / f"{name}.txt").write_text(GROUP.lower())
    (folder / "worse.txt").write_text(VECTORS.replace("car -0.1 1", "car 1 0"))
    models = ["--vectors", "vectors.txt", "--vectors", "worse.txt"]
    rows = rows_of(capsys, "outliers", "set", *models)
    accuracy, opp = (row for row in rows if row.less)
    assert (accuracy.metric, opp.metric, opp.model, opp.less) == ("accuracy", "opp", "vectors.txt", "worse.txt")
    assert (opp.n, opp.unit, opp.vocabulary) == (3, "class", "common")
    scores = [one(rows, "opp", model=model, vocabulary="common").value or 0 for model in (opp.model, opp.less)]
    assert opp.value == pytest.approx(scores[0] - scores[1])
    assert (accuracy.p, accuracy.p_holm) == (0.125, 0.125)
    assert (opp.low or 0) <= (opp.value or 0) <= (opp.high or 0)
    assert main(["evaluate", "outliers", "set", *models]) == 0
    assert re.search(
        r"\naccuracy: vectors.txt − worse.txt: \+\d+\.\d points \(.*\), p = \.12: not told apart, 3 classes\n",
        capsys.readouterr().out,
    )
    assert {row.metric for row in rows_of(capsys, "topk", "categories.txt", *models) if row.less} == {"score"}


COUNTS = [
    *[(word, context, count) for word in ("lion", "tiger", "lynx") for context, count in (("purr", 9), ("big", 2))],
    *[(word, context, count) for word in ("car", "van", "bus") for context, count in (("drive", 9), ("big", 6))],
    *[("lion", "zoo", 3), ("van", "zoo", 4), ("lynx", "ear", 1)],
]


@pytest.fixture
def counted(folder: Path) -> Path:
    """The folder with counts of the same words as well."""
    lines = [f"{word}\t{context}\t{count}\n" for word, context, count in COUNTS]
    (folder / "counts.tsv").write_text("".join(lines))
    return folder


def test_the_curve_over_contexts(counted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One score for each number, that of a model with so many contexts; as tables, JSON, CSV and a figure."""
    source = "counts:counts.tsv?weight=loglikelihood"
    command = ["evaluate", "contexts", "set", "--vectors", source, "--contexts", "9,1"]
    rows = [row for row in rows_of(capsys, *command[1:]) if row.part == "contexts"]
    assert [row.name for row in rows if row.metric == "opp"] == ["1", "9"]
    for row in rows:
        alone = one(rows_of(capsys, "outliers", "set", "--vectors", f"{source}&contexts={row.name}"), row.metric)
        assert (row.value, row.low, row.cases) == (alone.value, alone.low, alone.cases)
    assert main([*command, "--csv"]) == 0
    assert capsys.readouterr().out.startswith("task,model,dataset,")
    assert main([*command, "--plot", "curve.svg"]) == 0
    assert "by the contexts of the highest log-likelihood" in capsys.readouterr().out
    assert "contexts of a word" in (counted / "curve.svg").read_text()


@pytest.mark.usefixtures("counted")
@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("vectors.txt", "expected a model of counts (counts:FILE), saw 'vectors.txt'"),
        ("counts:counts.tsv?contexts=3", "counts:counts.tsv?contexts=3: expected no contexts of its own, saw '3'"),
    ],
)
def test_the_curve_is_of_counts(model: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing else has contexts, and it says itself how many are kept."""
    assert main(["evaluate", "contexts", "set", "--vectors", model]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.usefixtures("counted")
def test_counts_are_scored_by_every_task(capsys: pytest.CaptureFixture[str]) -> None:
    """Topk by any similarity, OddOneOut and analogies by cosines, which the message for another one says."""
    Path("questions.txt").write_text(": cats\nlion tiger lynx tiger\nlion car lion bus\n")
    model = ["--vectors", "counts:counts.tsv?weight=raw"]
    for task, score in [("topk", "score"), ("oddoneout", "score"), ("combined", "combined")]:
        assert (one(rows_of(capsys, task, "categories.txt", *model), score).value or 0) > 5
    assert one(rows_of(capsys, "analogies", "questions.txt", *model), "unseen").value == 0
    model[1] += "&similarity=jaccard"
    assert (one(rows_of(capsys, "topk", "categories.txt", *model), "score").value or 0) > 10
    for name in ("oddoneout", "combined", "analogies"):
        data = "questions.txt" if name == "analogies" else "categories.txt"
        assert main(["evaluate", name, data, *model]) == 2
        assert "counts:counts.tsv?weight=raw&similarity=jaccard: expected the cosine, for" in capsys.readouterr().err


def test_similarities_are_given(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A function of vectors beside the user, a function of texts, and both compactnesses."""
    (folder / "near.py").write_text(
        "def by_first(ones, others): return [[one[0] - other[1] for other in others] for one in ones]\n"
        "def by_letters(ones, others): return [[len(set(a) & set(b)) / len(a) for b in others] for a in ones]\n"
    )
    found = []
    for more in (
        ["--vectors", "vectors.txt", "--similarity", "python:near:by_first"],
        ["--vectors", "vectors.txt", "--similarity", "python:near:by_first", "--compactness", "word"],
        ["--vectors", "similarity:python:near:by_letters"],
    ):
        assert main(["evaluate", "outliers", "set", *more, "--json"]) == 0
        printed = capsys.readouterr()
        found.append(one(printed_rows(printed.out), "opp").value)
    assert "similarities are given, word by word" in printed.err
    assert len(set(found)) == 3
    assert main(["evaluate", "topk", "categories.txt", "--vectors", "similarity:python:near:by_letters"]) == 2
    assert "topk needs a model with a vocabulary" in capsys.readouterr().err
    assert main(["evaluate", "outliers", "set", "--vectors", "vectors.txt", "--similarity", "dice"]) == 2
    assert "expected python:MODULE:FUNCTION, saw 'dice'" in capsys.readouterr().err
