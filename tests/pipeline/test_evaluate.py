"""The command ``wikisem evaluate``: what it prints, and how it names mistakes."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from wikisem import __version__
from wikisem.evaluation.outlier_detection import Evaluation
from wikisem.pipeline.cli import main

VECTORS = "lion 1 0.1\ntiger 1 0\nlynx 1 0.2\ncar -0.1 1\nvan 0 1\nbus 0.1 1\n"
GROUP = "Lion\nTiger\nLynx\n\nlynx\ncar\ncar\nvan\nbus\nnone\n"
BARS = ["classes", "cases", "opp", "accuracy"]
BARS += [f"{score}_{end}" for score in ("opp", "accuracy") for end in ("low", "high", "se")]
KEYS = ["model", "dataset", "version", "vocabulary_size", "groups", "skipped_groups", *BARS]
KEYS += ["oov_cluster_percent", "oov_outlier_percent", "by_outlier_class", "by_language", "by_group", "baselines"]


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


def json_lines(text: str) -> list[dict[str, Any]]:
    """The objects of the lines that were printed."""
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.usefixtures("folder")
def test_json_has_the_keys_that_programs_read(capsys: pytest.CaptureFixture[str]) -> None:
    """One object for a vectors file, scores in percent; notes go to stderr, where they do not disturb it."""
    assert main(["evaluate", "outliers", "set", "--vectors", "vectors.txt", "--json"]) == 0
    printed = capsys.readouterr()
    (row,) = json_lines(printed.out)
    assert list(row) == KEYS
    assert [row[name] for name in KEYS[:3]] == ["vectors.txt", "set", __version__]
    assert (row["groups"], row["cases"], row["skipped_groups"]) == (2, 5, 1)
    found = {"lynx": False, "car": True, "van": True, "bus": True}
    assert row["by_group"] == [
        {"group": "Q1", "label": "", "language": "", "cases": 5, "opp": row["opp"], "accuracy": 80, "found": found},
        {"group": "[bold]Q2", "label": "", "language": "", "cases": 0, "opp": None, "accuracy": None, "found": {}},
    ]
    assert row["oov_cluster_percent"] == 50
    assert row["oov_outlier_percent"] == pytest.approx(100 / 12)
    assert (row["opp"], row["accuracy"]) == (pytest.approx(100 * (1 / 3 + 4) / 5), 80)
    classes = row["by_outlier_class"]
    assert isinstance(classes, dict)
    assert [(name, part["cases"], part["opp"], part["accuracy"]) for name, part in classes.items()] == [
        ("1", 2, pytest.approx(100 * (1 / 3 + 1) / 2), 50),
        ("2", 2, 100, 100),
        ("3", 1, 100, 100),
        ("unknown", 0, None, None),
    ]
    assert [list(part) for part in classes.values()] == [BARS] * 4
    (baselines,) = row["baselines"].values()
    # Who needs no vocabulary has the cases of both groups: one of the second has two words.
    assert baselines["all"]["chance"]["accuracy"] == pytest.approx(100 * (6 / 4 + 1 / 2) / 7)
    # One group with cases: Wilson's interval, and no standard error.
    assert row["opp_low"] < row["opp"] < row["opp_high"]
    assert (row["opp_se"], row["accuracy_se"]) == (None, None)
    assert "classes with a score: 1; error bars from fewer than 20 are rough" in printed.err
    assert "text lowercased" in printed.err


@pytest.mark.usefixtures("folder")
def test_several_models_are_also_compared_on_what_all_know(capsys: pytest.CaptureFixture[str]) -> None:
    """Each model has its own object, in order, with the scores on the common subset in it."""
    assert main(["evaluate", "outliers", "set", "--vectors", "vectors.txt", "--vectors", "more.txt", "--json"]) == 0
    one, two = json_lines(capsys.readouterr().out)
    assert list(one) == list(two) == [*KEYS, "common", "comparisons", "standings"]
    # The second vocabulary has a capital: "Tiger" and "Lynx" are unknown to it, and its only cluster item is "Lion".
    assert (one["cases"], two["cases"]) == (5, 0)
    assert [row["common"]["cases"] for row in (one, two)] == [0, 0]


@pytest.mark.usefixtures("folder")
def test_tables_show_groups_classes_and_the_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """Names are printed as they are, even where they look like markup, and what was done to the text is said."""
    words = ["evaluate", "outliers", "set", "--vectors", "vectors.txt"]
    assert main([*words, "--groups"]) == 0
    text = capsys.readouterr().out
    for pattern in [
        r"Q1 +│ +5 │ +86\.67 │ +80\.00",
        r"\[bold\]Q2 +│ +0 │ +– │ +–",
        r"O3, far away +│ +1 │ +1 │ 100\.00",
    ]:
        assert re.search(pattern, text), pattern
    assert re.search(r"overall +│ +1 │ +5 │ +86\.67 │ +[\d.]+ to [\d.]+ │ +– │ +80\.00", text)
    assert "2 groups, 1 of them skipped; out of vocabulary: 50.00 % of cluster items, 8.33 % of outliers" in text
    assert "text lowercased: no word of the vocabulary starts with a capital" in text
    assert main(words) == 0
    assert "[bold]Q2" not in capsys.readouterr().out


def test_the_plot_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Beside the scores, a figure; without a known outlier class there is nothing to draw."""
    assert main(["evaluate", "outliers", "set", "--vectors", "vectors.txt", "--plot", "figure.svg"]) == 0
    assert "outlier class" in (folder / "figure.svg").read_text()
    assert "the figure is figure.svg" in capsys.readouterr().err
    assert main(["evaluate", "outliers", "set/[bold]Q2.txt", "--vectors", "vectors.txt", "--plot", "no.svg"]) == 2
    assert "saw test cases of unknown class only" in capsys.readouterr().err
    assert main(["evaluate", "outliers", "set", "--vectors", "vectors.txt", "--plot", "figure.doc"]) == 2
    told = capsys.readouterr().err
    assert "--plot: expected a file that ends in .png, .svg, .pdf, saw 'figure.doc'" in told
    assert "reading" not in told


@pytest.mark.usefixtures("folder")
def test_categories_are_scored(capsys: pytest.CaptureFixture[str]) -> None:
    """Topk and OddOneOut report n, what is missing and the mean; --skip-oov leaves missing words out."""
    assert main(["evaluate", "topk", "categories.txt", "--vectors", "vectors.txt", "-k", "2", "--json"]) == 0
    (row,) = json_lines(capsys.readouterr().out)
    cats = {"category": "cats", "n": 4, "oov": 1, "correct": 6, "comparisons": 8, "score": 75}
    cars = {"category": "cars", "n": 3, "oov": 0, "correct": 6, "comparisons": 6, "score": 100}
    bars = [row.pop(f"score_{end}") for end in ("low", "high", "se")]
    assert bars == pytest.approx([75, 100, 12.5])
    assert [row.pop(name) for name in ("model", "dataset", "version")] == ["vectors.txt", "categories", __version__]
    assert row.pop("vocabulary_size") > 0
    assert row == {"score": 87.5, "skipped_categories": 0, "categories": [cats, cars]}
    words = ["evaluate", "oddoneout", "categories.txt", "--vectors", "vectors.txt", "--intruders", "outside-category"]
    assert main([*words, "--json"]) == 0
    assert json_lines(capsys.readouterr().out)[0]["score"] == pytest.approx((25 + 100) / 2)
    assert main([*words, "--skip-oov", "--distance", "cosine-raw"]) == 0
    text = capsys.readouterr().out
    assert "OddOneOut, k = 3, cosine-raw, outside-category: vectors.txt" in text
    assert re.search(r"cats +│ 4 │ +1 │ +3 │ +3 │ 100\.00", text)
    assert main([*words, "--sample", "40", "--seed", "7", "--json"]) == 0
    assert [c["comparisons"] for c in json_lines(capsys.readouterr().out)[0]["categories"]] == [40, 40]


def test_an_analogy_file_makes_two_categories_a_relation(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As Stringham and Izbicki split the Google set; without the option the file is refused, not merged."""
    pairs = [("lion", "car"), ("tiger", "van"), ("lynx", "bus")]
    lines = [" ".join((*one, *other)) for one in pairs for other in pairs if one != other]
    (folder / "questions.txt").write_text("\n".join([": gear", *lines, ": none", "puma car yak van", ""]))
    for task in ("topk", "oddoneout", "combined"):
        words = ["evaluate", task, "questions.txt", "--vectors", "vectors.txt", "-k", "2", "--json"]
        assert main(words) == 1
        assert "questions.txt:3: expected words of categories, saw analogy questions" in capsys.readouterr().err
        assert main([*words, "--split-analogies"]) == 0
        (row,) = json_lines(capsys.readouterr().out)
        if task != "combined":
            names = ["gear-first", "gear-second", "none-first", "none-second"]
            assert [(one["category"], one["n"], one["oov"]) for one in row["categories"]] == [
                (name, n, oov) for name, n, oov in zip(names, (3, 3, 2, 2), (0, 0, 2, 0), strict=True)
            ]
            assert [one["score"] for one in row["categories"][:2]] == [100, 100] or task == "oddoneout"


def test_a_callable_in_this_folder_is_a_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """python:MODULE:FUNCTION finds a file beside the user; Topk, which needs a vocabulary, says so."""
    (folder / "length_model.py").write_text("def encode(texts):\n    return [[1, len(text)] for text in texts]\n")
    model = ["--vectors", "python:length_model:encode"]
    assert main(["evaluate", "outliers", "set", *model, "--json"]) == 0
    assert json_lines(capsys.readouterr().out)[0]["cases"] == 6
    words = ["evaluate", "oddoneout", "categories.txt", *model, "-k", "2", "--intruders", "other-categories"]
    assert main(words) == 0
    assert main(["evaluate", "topk", "categories.txt", *model]) == 2
    assert "topk needs a model with a vocabulary" in capsys.readouterr().err


def test_a_set_without_a_language_has_one_name_for_that(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Scores and baselines of hand-written groups are of an unknown language, whatever their folder is called."""
    assert main(["evaluate", "outliers", "set", "--vectors", "vectors.txt", "--json"]) == 0
    (row,) = json_lines(capsys.readouterr().out)
    assert list(row["by_language"]) == list(row["baselines"]) == ["unknown"]
    assert main(["evaluate", "outliers", "set", "--vectors", "vectors.txt"]) == 0
    assert "\nwho picks … is right, %: set" in capsys.readouterr().out
    (folder / "set").rename(folder / "de")
    assert main(["evaluate", "outliers", "de", "--vectors", "vectors.txt", "--json"]) == 0
    (row,) = json_lines(capsys.readouterr().out)
    assert list(row["by_language"]) == list(row["baselines"]) == ["de"]


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


def test_the_plot_of_several_models_is_of_the_cases_of_all(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each model has other words; the figure has the scores of the table above it."""
    (folder / "fewer.txt").write_text(VECTORS.replace("van 0 1\n", ""))
    drawn: list[Evaluation] = []
    monkeypatch.setattr("wikisem.evaluation.plot.draw_scores", lambda _, found: drawn.extend(found))
    models = ["--vectors", "vectors.txt", "fewer.txt"]
    assert main(["evaluate", "outliers", "set", *models, "--plot", "figure.svg"]) == 0
    assert [one.overall().cases for one in drawn] == [4, 4]


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
    assert main(["evaluate", "outliers", "set", *models, "--json"]) == 0
    one, two = json_lines(capsys.readouterr().out)
    assert one["comparisons"] == two["comparisons"]
    opp, accuracy = one["comparisons"]
    assert (opp["metric"], opp["model"], opp["other"]) == ("opp", "vectors.txt", "worse.txt")
    assert (opp["n"], opp["unit"]) == (3, "class")
    assert opp["difference"] == pytest.approx(one["common"]["opp"] - two["common"]["opp"])
    assert (accuracy["p"], accuracy["p_holm"]) == (0.125, 0.125)
    assert opp["low"] <= opp["difference"] <= opp["high"]
    assert main(["evaluate", "outliers", "set", *models]) == 0
    assert re.search(r"set +│ accuracy │ vectors.txt │ worse.txt │ +3 │ +\+\d", capsys.readouterr().out)
    assert main(["evaluate", "topk", "categories.txt", *models, "--json"]) == 0
    *_, last = json_lines(capsys.readouterr().out)
    assert [row["metric"] for row in last["comparisons"]] == ["score"]


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
    assert main([*command, "--json"]) == 0
    rows = json_lines(capsys.readouterr().out)
    assert [row["contexts"] for row in rows] == [1, 9]
    for row in rows:
        model = f"{source}&contexts={row['contexts']}"
        assert main(["evaluate", "outliers", "set", "--vectors", model, "--json"]) == 0
        (alone,) = json_lines(capsys.readouterr().out)
        assert (row["opp"], row["accuracy"], row["cases"]) == (alone["opp"], alone["accuracy"], alone["cases"])
    assert main([*command, "--csv"]) == 0
    assert (
        capsys.readouterr()
        .out.splitlines()[0]
        .startswith("contexts,model,dataset,version,vocabulary,vocabulary_size,part")
    )
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
    model = ["--vectors", "counts:counts.tsv?weight=raw", "--json"]
    for task, score in [("topk", "score"), ("oddoneout", "score"), ("combined", "combined")]:
        assert main(["evaluate", task, "categories.txt", *model]) == 0
        assert json_lines(capsys.readouterr().out)[0][score] > 5
    assert main(["evaluate", "analogies", "questions.txt", *model]) == 0
    assert json_lines(capsys.readouterr().out)[0]["unseen"] == 0
    model[1] += "&similarity=jaccard"
    assert main(["evaluate", "topk", "categories.txt", *model]) == 0
    assert json_lines(capsys.readouterr().out)[0]["score"] > 10
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
        found.append(json_lines(printed.out)[0]["opp"])
    assert "similarities are given, word by word" in printed.err
    assert len(set(found)) == 3
    assert main(["evaluate", "topk", "categories.txt", "--vectors", "similarity:python:near:by_letters"]) == 2
    assert "topk needs a model with a vocabulary" in capsys.readouterr().err
    assert main(["evaluate", "outliers", "set", "--vectors", "vectors.txt", "--similarity", "dice"]) == 2
    assert "expected python:MODULE:FUNCTION, saw 'dice'" in capsys.readouterr().err
