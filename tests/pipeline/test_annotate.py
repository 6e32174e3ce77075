"""The command ``wikisem annotate``: from groups to sheets, and from answers to scores."""

import csv
import io
import json
import re
import sys
from pathlib import Path

import pytest

from tests.outputs.annotation.forms import filled_csv, label_studio_export, page_answers
from tests.outputs.annotation.sets import make_group
from tests.word_groups import surfaces
from wikisem.outputs.annotation.sheets import AnnotationSet, read_key
from wikisem.pipeline.cli import main
from wikisem.records import Group

FORMS = {
    "annotator-1": ("a.json", page_answers),
    "annotator-2": ("two/b.CSV", filled_csv),
    "annotator-3": ("c.json", label_studio_export),
}


def write_text(folder: Path, groups: list[Group]) -> None:
    """Groups as a released folder has them."""
    folder.mkdir(parents=True)
    for group in groups:
        lines = [*surfaces(group.cluster), "", *surfaces(group.outliers), ""]
        (folder / f"{group.id}.txt").write_text("\n".join(lines), encoding="utf-8")


@pytest.fixture
def release(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A released folder with twelve groups in two languages, and the work done beside it."""
    write_text(tmp_path / "release" / "de", [make_group(number) for number in range(12)])
    write_text(tmp_path / "release" / "en", [make_group(number) for number in range(20, 32)])
    monkeypatch.chdir(tmp_path)
    return tmp_path / "release"


WRITE = ["annotate", "release", "--language", "de", "--groups", "9", "--annotators", "3", "--output", "sheets"]


def choices_of(annotation: AnnotationSet, annotator: str, wrong: int) -> dict[str, int]:
    """Right answers, but wrong ones to the first cases of the sheet, and none to the last."""
    *cases, _ = annotation.annotators[annotator]
    return {
        case: annotation.by_id[case].outlier % 9 + 1 if at < wrong else annotation.by_id[case].outlier
        for at, case in enumerate(cases)
    }


def answer_all(folder: Path) -> AnnotationSet:
    """Answers of three annotators in three forms; the n-th has n - 1 wrong and leaves out one."""
    annotation = read_key(folder)
    for wrong, (annotator, (name, write)) in enumerate(FORMS.items()):
        path = folder / "answers" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(write(annotation.sheet(annotator), choices_of(annotation, annotator, wrong)))
    return annotation


def answered_twice(annotation: AnnotationSet) -> list[str]:
    """The cases that at least two annotators answered."""
    choices = [choices_of(annotation, name, 0) for name in annotation.annotators]
    return [case for case in annotation.by_id if sum(case in own for own in choices) >= 2]


@pytest.mark.usefixtures("release")
def test_sheets_are_written_and_answers_in_every_form_scored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A whole run: sample, answer, score; the numbers are those that can be counted in the answers."""
    assert main([*WRITE, "--overlap", "3"]) == 0
    printed = capsys.readouterr().out
    assert re.search(r"set [0-9a-f]{12}: 9 test cases in de, 5 for each of 3 annotators, 3 of them for all", printed)
    files = {path.relative_to(tmp_path / "sheets").as_posix() for path in (tmp_path / "sheets").rglob("*.*")}
    forms = {f"sheets/annotator-{n}.{form}" for n in (1, 2, 3) for form in ("html", "csv", "label-studio.json")}
    assert files == {"key.json", "sheets/instructions.txt", "sheets/label-studio.xml", *forms}

    annotation = answer_all(tmp_path / "sheets")
    assert main(["annotate", "--score", "sheets", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert (row["set"], row["language"], row["cases"], row["overlap"]) == (annotation.fingerprint, "de", 9, 3)
    assert [(one["asked"], one["answered"], one["right"]) for one in row["annotators"]] == [
        (5, 4, 4),
        (5, 4, 3),
        (5, 4, 2),
    ]
    assert (row["answers"], row["right_answers"]) == (12, 9)
    assert row["missing"] == {name: [cases[-1]] for name, cases in annotation.annotators.items()}
    assert set(row["by_outlier_class"]) == {"1", "2", "3"}
    assert row["accuracy"]["low"] < row["accuracy"]["value"] < row["accuracy"]["high"] <= 1
    assert row["alpha"]["count"] == len(answered_twice(annotation))
    assert row["models"] == []


@pytest.mark.usefixtures("release")
def test_tables_show_annotators_classes_agreement_and_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A model that knows some of the cases is set beside the annotators on exactly those."""
    main([*WRITE, "--overlap", "3"])
    annotation = answer_all(tmp_path / "sheets")
    known = annotation.cases[:4]
    # Clusters point one way, outliers another, so that the model finds all four.
    lines = []
    for case in known:
        for number, word in enumerate(case.words, start=1):
            lines.append(f"{word.replace(' ', '_')} {'0 1' if number == case.outlier else f'1 0.{number}'}")
    (tmp_path / "phrases.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["annotate", "--score", "sheets", "--vectors", "phrases.txt"]) == 0
    text = capsys.readouterr().out
    for pattern in [
        r"annotator-2 +│ +5 │ +4 │ +3 │ +0 │ +75\.00",
        r"annotators +│ 1 +│ +\d │",
        r"phrases\.txt +│ 1 ",
        r"all +│ +[34] │ +100\.00 │ +\d\d\.\d\d to 100\.00 │ 100\.00",
        r"annotators, same cases +│ all +│ +[34] │",
        r"Krippendorff's alpha -?\d\.\d{3} \(.* to .*\), from \d test cases",
        r"right answers: 9 of 12 \(75\.00 %\)",
        r"annotator-1: 1 of 5 without an answer: case-\d",
        r"phrases\.txt: text lowercased",
    ]:
        assert re.search(pattern, text), pattern


@pytest.mark.usefixtures("release")
def test_a_model_of_this_folder_and_missing_agreement_do_not_stop_scores(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """python:MODULE:FUNCTION finds a file beside the user; without the library of alpha the rest is told."""
    main([*WRITE, "--overlap", "3"])
    answer_all(tmp_path / "sheets")
    (tmp_path / "annotate_model.py").write_text("def encode(texts):\n    return [[1, len(text)] for text in texts]\n")
    monkeypatch.setitem(sys.modules, "krippendorff", None)
    assert main(["annotate", "--score", "sheets", "--vectors", "python:annotate_model:encode"]) == 0
    text = capsys.readouterr().out
    assert "agreement: no Krippendorff's alpha: agreement needs krippendorff: pip install 'wikisem[agreement]'" in text
    assert "python:annotate_model:encode" in text


@pytest.mark.usefixtures("release")
def test_without_shared_cases_there_is_no_alpha_and_the_report_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No overlap, no agreement; accuracy is told all the same, and JSON has null."""
    main([*WRITE, "--overlap", "0"])
    answer_all(tmp_path / "sheets")
    capsys.readouterr()
    assert main(["annotate", "--score", "sheets"]) == 0
    assert "no Krippendorff's alpha: it needs two answers to the same case" in capsys.readouterr().out
    assert main(["annotate", "--score", "sheets", "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert (row["alpha"], row["answers"]) == (None, 6)


def known_to(path: Path, groups: list[Group], without: str) -> None:
    """Vectors as text for the words of groups, but those that end so."""
    words = [word for group in groups for word in surfaces(group.members)]
    path.write_text("".join(f"{word} {len(word)} 1\n" for word in words if not word.endswith(without)))


@pytest.mark.usefixtures("release")
def test_cases_are_drawn_from_what_all_models_know(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As in section 4.2 of Blair et al.: no word is asked for that a model lacks, so each is scored on every case."""
    groups = [make_group(number) for number in range(12)]
    known_to(tmp_path / "one.txt", groups, without="_3")  # one member and one outlier of each group
    known_to(tmp_path / "two.txt", groups[:10], without="_5")
    models = ["--vocabulary", "one.txt", "--vocabulary", "two.txt"]
    assert main([*WRITE, *models]) == 0
    annotation = answer_all(tmp_path / "sheets")
    seen = {word for case in annotation.cases for word in case.words}
    assert not [word for word in seen if word.endswith((" 3", " 5")) or word.split()[1] in {"10", "11"}]
    assert {len(case.words) for case in annotation.cases} == {7}
    capsys.readouterr()
    assert main(["annotate", "--score", "sheets", "--json", "--vectors", "one.txt", "--vectors", "two.txt"]) == 0
    row = json.loads(capsys.readouterr().out)
    assert [model["accuracy"]["count"] for model in row["models"]] == [row["accuracy"]["count"]] * 2
    assert main([*WRITE, *models, "--groups", "11"]) == 1
    assert "expected at least 11 test groups in de to sample from, saw 10" in capsys.readouterr().err
    assert main(["annotate", "--score", "sheets", "--vocabulary", "one.txt"]) == 2
    assert "without what sheets are made from, saw --vocabulary" in capsys.readouterr().err


@pytest.mark.usefixtures("release")
def test_sheets_are_the_same_each_time_and_never_overwritten_by_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same command writes the same bytes; another set into the same folder is refused."""
    assert main(WRITE) == 0
    before = {path: path.read_bytes() for path in (tmp_path / "sheets").rglob("*.*")}
    assert main(WRITE) == 0
    assert {path: path.read_bytes() for path in (tmp_path / "sheets").rglob("*.*")} == before
    assert main([*WRITE, "--seed", "1"]) == 2
    assert "expected a folder without sheets, saw those of another set" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in (tmp_path / "sheets").rglob("*.*")} == before


def test_groups_come_from_a_run_a_file_or_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run has groups/LANGUAGE.jsonl; the same lines as a file give the same set, in the file's own language only."""
    lines = [
        json.dumps(
            {
                "class": group.id,
                "language": "de",
                "cluster": [{"surface": word} for word in surfaces(group.cluster)],
                "outliers": [{"surface": one.surface, "outlier_class": one.outlier_class} for one in group.outliers],
            }
        )
        for group in map(make_group, range(1, 5))
    ]
    (tmp_path / "run" / "groups").mkdir(parents=True)
    file = tmp_path / "run" / "groups" / "de.jsonl"
    file.write_text("\n".join(lines), encoding="utf-8")
    options = ["--groups", "4", "--annotators", "1", "--language"]
    assert main(["annotate", str(tmp_path / "run"), *options, "de", "--output", str(tmp_path / "a")]) == 0
    assert main(["annotate", str(file), *options, "de", "--output", str(tmp_path / "b")]) == 0
    assert read_key(tmp_path / "a") == read_key(tmp_path / "b")
    assert len(read_key(tmp_path / "a").overlap) == 1
    capsys.readouterr()
    for path, message in [
        (tmp_path / "run", "saw no groups/fr.jsonl"),
        (file, "expected groups in fr, saw groups in de"),
    ]:
        assert main(["annotate", str(path), *options, "fr", "--output", str(tmp_path / "c")]) == 1
        assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["annotate"], 2, "expected OUT, --language and --output, or --score SHEETS, saw no OUT, --language, --output"),
        ([*WRITE, "--json"], 2, "--vectors and --json need --score SHEETS"),
        ([*WRITE, "--overlap", "10"], 2, "expected an overlap of at most 9 groups, all there are, saw 10"),
        ([*WRITE, "--groups", "13"], 1, "expected at least 13 test groups in de to sample from, saw 12"),
        ([*WRITE, "--groups", "x"], 2, "expected a whole number from 1 up, saw 'x'"),
        ([*WRITE, "--language", "fr"], 1, "expected a folder fr with groups in that language, saw folders de, en"),
        ([*WRITE, "--", "--runner=x"], 2, "takes no Beam options"),
        ([*WRITE, "--output", "nope://sheets"], 2, "another protocol of fsspec, saw 'nope://sheets'"),
        (["annotate", "release", "--score", "sheets"], 2, "without what sheets are made from, saw OUT"),
        (["annotate", "--score", "sheets", "--seed", "0"], 2, "without what sheets are made from, saw --seed"),
        (
            ["annotate", "--score", "release"],
            1,
            "release: expected a folder that wikisem annotate wrote, saw no key.json",
        ),
    ],
)
@pytest.mark.usefixtures("release")
def test_mistakes_are_named(words: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Wrong usage ends with 2, data that does not serve with 1, each with one message."""
    assert main(words) == code
    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.out == ""


@pytest.mark.usefixtures("release")
def test_answers_that_do_not_fit_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No answers yet, an unfilled sheet, answers to another set: each is said with the file."""
    main(WRITE)
    assert main(["annotate", "--score", "sheets"]) == 1
    assert "sheets/answers: expected answers (JSON from the page" in capsys.readouterr().err
    answers = tmp_path / "sheets" / "answers"
    sheet = (tmp_path / "sheets" / "sheets" / "annotator-1.csv").read_bytes()
    (answers / "unfilled.csv").write_bytes(sheet)
    assert main(["annotate", "--score", "sheets"]) == 1
    assert "saw none in 1 files" in capsys.readouterr().err
    rows = list(csv.reader(io.StringIO(sheet.decode("utf-8-sig"), newline="")))
    text = io.StringIO(newline="")
    csv.writer(text).writerows([rows[0], ["0123456789ab", *rows[1][1:-2], "1", ""]])
    (answers / "old.csv").write_text(text.getvalue(), encoding="utf-8", newline="")
    assert main(["annotate", "--score", "sheets"]) == 1
    assert "sheets/answers/old.csv:2: expected answers to set" in capsys.readouterr().err


@pytest.mark.usefixtures("release")
def test_two_answers_a_case_are_scored_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without help some are wrong, with it none: accuracy, agreement and models for each (Camacho-Collados, 3.1)."""
    assert main([*WRITE, "--overlap", "3", "--two-answers"]) == 0
    annotation = read_key(tmp_path / "sheets")
    for annotator, (name, write) in FORMS.items():
        path = tmp_path / "sheets" / "answers" / name
        path.parent.mkdir(exist_ok=True)
        right = {case: annotation.by_id[case].outlier for case in annotation.annotators[annotator]}
        path.write_bytes(write(annotation.sheet(annotator), right, choices_of(annotation, annotator, 2)))
    (tmp_path / "annotate_model_2.py").write_text("def encode(texts):\n    return [[1, len(text)] for text in texts]\n")
    capsys.readouterr()
    score = ["annotate", "--score", "sheets", "--vectors", "python:annotate_model_2:encode"]
    assert main([*score, "--json"]) == 0
    row = json.loads(capsys.readouterr().out)
    first = row["without_help"]
    assert (row["answers"], row["right_answers"], row["accuracy"]["value"], row["alpha"]["value"]) == (15, 15, 1, 1)
    assert (first["answers"], first["right_answers"]) == (12, 6)
    assert first["accuracy"]["value"] < 1
    assert first["models"][0]["annotators_on_the_same_cases"]["value"] < 1
    assert row["models"][0]["annotators_on_the_same_cases"]["value"] == 1
    assert row["missing"] == {name: [cases[-1]] for name, cases in annotation.annotators.items()}
    assert main(score) == 0
    text = capsys.readouterr().out
    assert (
        text.index("without help\n") < text.index("6 of 12 (50.00 %)") < text.index("with help\n", text.index("6 of"))
    )
    assert "right answers: 15 of 15 (100.00 %)" in text
    assert main([*score, "--two-answers"]) == 2
    assert "expected --score SHEETS without what sheets are made from, saw --two-answers" in capsys.readouterr().err
