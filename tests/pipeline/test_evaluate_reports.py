"""Reports of ``wikisem evaluate outliers``: every form of a data set, a row per language and data set, CSV, names."""

import csv
import io
import json
import re
import tarfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lxml import html
from msgspec.structs import replace

from tests.outputs.release.world import make_group
from tests.rows import one, printed_rows
from wikisem import evaluate
from wikisem.evaluation.rows import Row
from wikisem.outputs.groupfile import encode_group
from wikisem.pipeline.cli import main

VECTORS = "lion 1 0.1\ntiger 1 0\nlynx 1 0.2\ncar -0.1 1\nvan 0 1\nbus 0.1 1\n"
TEXT = "lion\ntiger\nlynx\n\ncar\nvan\n"


def group_line(qid: str, language: str, outlier: str = "car") -> dict[str, Any]:
    """A group as a build writes it."""
    outliers = [{"id": "Q9", "surface": outlier, "outlier_class": 1, "via": "Q1"}]
    cluster = [{"id": "Q7", "surface": word} for word in ("lion", "tiger", "lynx")]
    return {"class": qid, "label": "cat", "language": language, "cluster": cluster, "outliers": outliers}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with vectors and the OUT of a run in two languages, which share a class."""
    (tmp_path / "vectors.txt").write_text(VECTORS)
    groups = tmp_path / "run" / "groups"
    groups.mkdir(parents=True)
    for language in ("de", "en"):
        lines = [group_line("Q1", language), group_line("Q2", language, "bus")]
        (groups / f"{language}.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        pq.write_table(pa.Table.from_pylist(lines), groups / f"{language}.parquet")
    (tmp_path / "run" / "rejected").mkdir()
    (tmp_path / "run" / "rejected" / "de.jsonl").write_text('{"class":"Q3","language":"de","reason":"affix"}\n')
    (tmp_path / "run" / "wikisem500" / "de").mkdir(parents=True)
    (tmp_path / "run" / "wikisem500" / "de" / "Q1.txt").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def scored(capsys: pytest.CaptureFixture[str], *words: str) -> list[Row]:
    """The rows that ``--json`` prints."""
    assert main(["evaluate", "outliers", *words, "--vectors", "vectors.txt", "--json", "--groups"]) == 0
    return printed_rows(capsys.readouterr().out)


def groups_of(rows: list[Row]) -> list[tuple[str, str]]:
    """The language and name of each group."""
    return [(row.language, row.name) for row in rows if (row.part, row.metric) == ("group", "opp")]


@pytest.mark.usefixtures("folder")
def test_the_output_of_a_run_is_a_data_set(capsys: pytest.CaptureFixture[str]) -> None:
    """Its groups are read once, as JSON lines or else as Parquet, and nothing that is beside them."""
    rows = scored(capsys, "run")
    whole = one(rows)
    assert (whole.dataset, whole.cases, whole.value) == ("run", 4, 100)
    assert one(rows, "groups", part="coverage").value == 4
    assert {code: one(rows, part="language", name=code).cases for code in ("de", "en")} == {"de": 2, "en": 2}
    assert groups_of(rows) == [("de", "Q1"), ("de", "Q2"), ("en", "Q1"), ("en", "Q2")]
    for path in Path("run/groups").glob("*.jsonl"):
        path.unlink()
    assert scored(capsys, "run") == rows
    rows = scored(capsys, "run/groups/de.parquet")
    assert (one(rows).dataset, one(rows).cases, one(rows, part="language").name) == ("de", 2, "de")


def test_an_archive_is_a_data_set(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A .tar.gz of a release, with its README and a resource fork in it, gives what the folder gives."""
    release = folder / "wiki-sem-500"
    for language in ("de", "en"):
        (release / language).mkdir(parents=True)
        (release / language / "Q1.txt").write_text(TEXT)
        (release / language / "._Q1.txt").write_bytes(b"\x00\x05\x16\x07")
    (release / "README.txt").write_text("about")
    with tarfile.open("release-1.0.tar.gz", "w:gz") as archive:
        archive.add("wiki-sem-500")
    packed, plain = scored(capsys, "release-1.0.tar.gz"), scored(capsys, "wiki-sem-500")
    assert (one(packed).dataset, one(plain).dataset) == ("release-1.0", "wiki-sem-500")
    assert [replace(row, dataset="") for row in packed] == [replace(row, dataset="") for row in plain]
    assert [row.name for row in packed if row.part == "language" and row.metric == "opp"] == ["de", "en"]
    cut = (folder / "release-1.0.tar.gz").read_bytes()[:150]
    (folder / "cut.tar.gz").write_bytes(cut)
    assert main(["evaluate", "outliers", "cut.tar.gz", "--vectors", "vectors.txt"]) == 1
    assert "cut.tar.gz: expected a whole tar archive" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_a_language_can_be_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    """Only its groups are scored; one that the set does not have is an error that names those it has."""
    assert groups_of(scored(capsys, "run", "--language", "en")) == [("en", "Q1"), ("en", "Q2")]
    assert main(["evaluate", "outliers", "run", "--language", "fr", "--vectors", "vectors.txt"]) == 1
    assert "run: expected test groups in fr, saw groups in de, en\n" in capsys.readouterr().err
    Path("ja.jsonl").write_bytes(encode_group(make_group("ja", 1)))
    assert main(["evaluate", "outliers", "ja.jsonl", "--language", "jp", "--vectors", "vectors.txt"]) == 1
    assert "expected test groups in jp, saw groups in ja; did you mean ja?" in capsys.readouterr().err


def test_names_never_collide(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A group of one name in three languages, in folders as 50-8-8 has them, has three names in the report."""
    for language in ("DE", "EN", "IT"):
        inner = folder / "Dataset" / f"50-8-8-{language}" / "25-8-8-Sem"
        inner.mkdir(parents=True)
        (inner / "vegetables.txt").write_text(TEXT)
    assert main(["evaluate", "outliers", "Dataset", "--vectors", "vectors.txt", "--groups"]) == 0
    text = capsys.readouterr().out
    assert [len(re.findall(f"vegetables +│ {language} ", text)) for language in ("de", "en", "it")] == [1, 1, 1]
    assert groups_of(scored(capsys, "Dataset")) == [(language, "vegetables") for language in ("de", "en", "it")]
    assert {row.dataset for row in scored(capsys, "run", "./run")} == {"run", "./run"}
    assert {row.model for row in scored(capsys, "run", "--vectors", "vectors.txt") if row.task == "outliers"} == {
        "vectors.txt",
        "vectors.txt #2",
        "",
    } - {""}


@pytest.mark.usefixtures("folder")
def test_tables_have_a_row_for_each_language_and_data_set(capsys: pytest.CaptureFixture[str]) -> None:
    """Two data sets share a table; baselines are shown when everything is asked for."""
    words = ["evaluate", "outliers", "run", "run/wikisem500", "--vectors", "vectors.txt"]
    assert main([*words, "--full"]) == 0
    text = capsys.readouterr().out
    rows = [[cell.strip() for cell in line.split("│")[1:4]] for line in text.splitlines()]
    rows = [row for row in rows if len(row) == 3]
    scores, baselines = rows[:5], rows[7:]
    starts = [index for index, row in enumerate(baselines) if row[0] == "chance"]
    assert [end - start for start, end in pairwise([*starts, len(baselines)])] == [
        11,
        11,
        10,
    ]  # item numbers are in one data set alone
    assert {row[0] for row in baselines} >= {"chance", "longest"}
    assert "fewest sitelinks" not in {row[0] for row in baselines}  # which neither data set has
    assert scores == [
        ["run", "all", "2"],  # both languages have the same two classes
        ["run", "de", "2"],
        ["run", "en", "2"],
        ["run", "O1, siblings", "2"],
        ["wikisem500", "all", "1"],
    ]
    assert main(words) == 0
    assert "who picks" not in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_csv_has_a_row_for_each_score(capsys: pytest.CaptureFixture[str]) -> None:
    """One header, the numbers of the JSON, the common subset of several models, and groups if asked for."""
    models = ["--vectors", "vectors.txt", "--vectors", "vectors.txt"]
    assert main(["evaluate", "outliers", "run", *models, "--csv", "--groups"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    read = [row for row in read_csv(rows) if row.model == "vectors.txt" and row.vocabulary == "own"]
    alone = [row for row in scored(capsys, "run") if row.task != "baseline"]
    assert read == alone
    assert len([row for row in rows if row["part"] == "group"]) == 4 * 2 * 2 * 2
    assert {row["vocabulary"] for row in rows if row["task"] != "baseline"} == {"own", "common"}
    (chance,) = [row for row in rows if (row["model"], row["language"], row["part"]) == ("chance", "de", "all")]
    assert (float(chance["value"]), chance["cases"]) == (25, "2")


def read_csv(rows: list[dict[str, str]]) -> list[Row]:
    """Rows from the cells of CSV."""
    return [msgspec.convert({key: cell for key, cell in row.items() if cell}, Row, strict=False) for row in rows]


TASKS = {
    "outliers": ["run"],
    "topk": ["sets.txt"],
    "oddoneout": ["sets.txt"],
    "combined": ["sets.txt"],
    "analogies": ["questions.txt"],
}


@pytest.mark.parametrize("task", TASKS)
def test_every_report_has_the_size_of_the_vocabulary(
    folder: Path, task: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """As table 6 of Blair et al.: of the whole file, also where only a part is read; a function lists no words."""
    (folder / "sets.txt").write_text(": cats\nlion tiger lynx\n: cars\ncar van bus\n")
    (folder / "questions.txt").write_text(": known\nlion tiger lynx car\n")
    (folder / "vectors.txt").write_text(VECTORS + "unasked 1 2\n")
    words = ["evaluate", task, *TASKS[task], "--vectors", "vectors.txt"]
    assert main([*words, "--json"]) == 0
    assert one(printed_rows(capsys.readouterr().out), "vocabulary_size", part="coverage").value == 7
    assert main([*words, "--full"]) == 0
    assert re.search(r"vocabulary size ┃\n[^\n]+\n│ vectors.txt .*│ +7 │\n", capsys.readouterr().out)


def test_a_model_that_reads_any_text_has_no_size(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """null in JSON."""
    (folder / "sized_model.py").write_text("def encode(texts):\n    return [[1, len(text)] for text in texts]\n")
    words = ["evaluate", "outliers", "run", "--vectors", "python:sized_model:encode"]
    assert main([*words, "--json"]) == 0
    assert one(printed_rows(capsys.readouterr().out), "vocabulary_size", part="coverage").value is None


@pytest.mark.usefixtures("folder")
def test_python_reads_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    """``wikisem.evaluate.outliers`` takes the OUT of a run, and has the rows of the command."""
    rows = [row for row in scored(capsys, "run") if row.task != "baseline"]
    assert evaluate.outliers("run", "vectors.txt", by_group=True).rows == rows


def two_models(folder: Path, groups: int = 30) -> list[str]:
    """A set of many groups in two languages, and the options of two models: the second has no German word."""
    lines = [group_line(f"Q{number}", "en") for number in range(groups)]
    (folder / "run" / "groups" / "en.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    german = group_line("Q1", "de", "Wagen") | {
        "cluster": [{"id": "Q7", "surface": word} for word in ("Löwe", "Luchs")]
    }
    (folder / "run" / "groups" / "de.jsonl").write_text(f"{json.dumps(german)}\n")
    (folder / "good.txt").write_text(VECTORS + "löwe 1 0\nluchs 1 0.1\nwagen 0 1\n")
    (folder / "bad.txt").write_text(VECTORS.replace("car -0.1 1", "car 1 0"))
    return ["evaluate", "outliers", "run", "--vectors", "bad.txt", "--vectors", "good.txt"]


def test_several_models_begin_with_one_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Model by language, the best marked, and nothing that the test tells from it; small p-values are not 0.0000."""
    words = two_models(folder)
    assert main(words) == 0
    text = capsys.readouterr().out
    assert text.startswith("all models, % with intervals of 95 %, on the test cases that all models know")
    assert "permutation test paired by class, with Holm's method" in " ".join(text.split())
    table, _, rest = text.partition("└")
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in table.splitlines() if "│" in line]
    assert [row[:4] for row in rows if row[0] == "accuracy"] == [
        ["accuracy", "good.txt", "100.00 best", "–"],
        ["accuracy", "bad.txt", "0.00", "–"],
        ["accuracy", "chance", "25.00", "–"],
    ]
    assert "accuracy: good.txt − bad.txt: +100.0 points" in rest
    assert "p < .0001: told apart, 30 classes" in " ".join(rest.split())
    assert main([*words, "--json"]) == 0
    printed = [row for row in printed_rows(capsys.readouterr().out) if row.metric == "accuracy" and not row.less]
    marked = [(row.model, row.vocabulary, row.part, row.name, row.mark) for row in printed if row.mark]
    assert marked == [
        ("good.txt", "common", "all", "", "best"),
        ("good.txt", "common", "language", "en", "best"),
        ("good.txt", "common", "outlier class", "O1", "best"),
    ]


def test_a_language_that_a_model_does_not_know_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where languages are mixed, and most words of one are out of vocabulary; a set of one language says so anyway."""
    words = two_models(folder)
    warning = "bad.txt: warning: most words of de (100 %) are out of vocabulary; scores over all languages leave these"
    assert main(words) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert warning in printed
    assert "good.txt: warning" not in printed
    assert main([*words, "--json"]) == 0
    assert warning in " ".join(capsys.readouterr().err.split())
    assert main([*words, "--language", "de"]) == 0
    assert "most words of" not in capsys.readouterr().out


def test_the_report_is_written_before_the_tables(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Piped into `head`, the command ends before its last table, and the file is whole."""

    def leave(*_: object, **__: object) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("wikisem.pipeline.console.reports.make_console", leave)
    monkeypatch.setattr("wikisem.pipeline.cli._leave_output", lambda: None)
    assert main([*two_models(folder), "--output", "report.md"]) == 1
    assert "all models" in Path("report.md").read_text()


def test_the_report_is_written_in_the_form_of_its_suffix(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Markdown, CSV, JSON, and a page that loads nothing, runs nothing, and shows names as they are."""
    words = two_models(folder)
    (folder / "<b>.txt").write_text(VECTORS)
    for suffix in ("md", "csv", "json", "html", "tex"):
        assert main([*words, "--vectors", "<b>.txt", "--output", f"report.{suffix}"]) == 0
        printed = capsys.readouterr()
        assert printed.out.startswith("all models")
        assert f"the report is report.{suffix}" in printed.err
    markdown = Path("report.md").read_text()
    assert "\n| accuracy | good.txt | 100.00 best<br>" in markdown
    assert "\\<b\\>.txt" in markdown
    rows = list(csv.DictReader(io.StringIO(Path("report.csv").read_text())))
    models = ["bad.txt", "good.txt", "<b>.txt"]
    assert {row["model"] for row in rows if row["task"] == "outliers"} == set(models)
    written = json.loads(Path("report.json").read_text())["scores"]
    assert list(dict.fromkeys(row["model"] for row in written if row["task"] == "outliers")) == models
    assert r"accuracy & good.txt & \textbf{100.00} (" in Path("report.tex").read_text()
    page = html.document_fromstring(Path("report.html").read_text())
    assert page.xpath("//script | //link | //img | //*[@src or @style] | //b") == []
    assert "default-src 'none'" in page.xpath("string(//meta[@http-equiv]/@content)")
    titles = page.xpath("//figure/figcaption/text()")
    assert titles == ["accuracy, %: all", "accuracy, %: en", "OPP, %: all", "OPP, %: en"]
    assert len(page.xpath("//h2")) == markdown.count("\n## ") > 2
    assert "told apart from the best" in page.xpath("string(//p[@class='soft'])")
    (figure,) = page.xpath("//figure")[:1]
    assert figure.xpath("count(.//path[@class='bar'])") == 3
    assert figure.xpath("string(.//*[@class='soft'][last()])") == "chance 25.0"
    assert figure.xpath(".//title/text()")[1].startswith("good.txt: 100.00 (")
    assert len(figure.xpath(".//circle[contains(@class, 'best')]")) == 2
    assert main([*words, "--output", "report.doc"]) == 2
    assert "expected a file that ends in .md, .csv, .json, .html, .tex, saw 'report.doc'" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_categories_and_analogies_of_several_models_begin_with_one_table(capsys: pytest.CaptureFixture[str]) -> None:
    """The mean over categories and the accuracy over sections, each with its interval."""
    Path("sets.txt").write_text(": cats\nlion tiger lynx\n: cars\ncar van bus\n")
    Path("questions.txt").write_text(": known\nlion tiger cat lynx\nlion tiger car van\n: more\ncar van lion bus\n")
    models = ["--vectors", "vectors.txt", "--vectors", "vectors.txt"]
    for task, data in (("topk", "sets.txt"), ("analogies", "questions.txt")):
        assert main(["evaluate", task, data, *models, "--output", "report.html"]) == 0
        table = capsys.readouterr().out.partition("└")[0]
        assert table.startswith("all models")
        assert table.count(" best") == 2 + 0 + ("the best" in table)
        assert "<svg" in Path("report.html").read_text()
