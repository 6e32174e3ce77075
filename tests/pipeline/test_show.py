"""show, and classes by their names: one group in full, of a run, a release or a file."""

import shutil
from pathlib import Path

import pytest

from tests.outputs.release.world import HOSTILE, make_group, write_run
from wikisem.outputs.groupfile import encode_group
from wikisem.pipeline.cli import main


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two languages, whose third class has the label of its fifth in German."""
    run = write_run(tmp_path_factory.mktemp("show") / "out", 5, ("de", "no"))
    lines = (run / "groups" / "de.jsonl").read_bytes()
    (run / "groups" / "de.jsonl").write_bytes(lines.replace(b'"label":"class 3"', b'"label":"Class 5"'))
    return run


def shown(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    """What ``show`` prints, or what it says on standard error."""
    assert main(["show", *words]) == code
    printed = capsys.readouterr()
    return printed.err if code else printed.out


def test_a_group_is_shown_by_the_name_of_its_class(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By QID or by label in any language and case, in one language; the others are named."""
    out = shown(capsys, str(run), "CLASS 4", "--language", "de")
    assert "class 4 (Q4, de) in full" in out
    assert "de 4 out 3" in out
    assert "Q903" in out
    assert shown(capsys, str(run), "Q4", "--language", "de") == out
    assert out.endswith("also in no: --language no\n")
    other = shown(capsys, str(run), "Q4", "--language", "no")
    assert "class 4 (Q4, no) in full" in other
    assert other.endswith("also in de: --language de\n")


@pytest.mark.parametrize(
    ("variables", "name", "language"),
    [
        ({"LANG": "de_DE.UTF-8"}, "Q4", "de"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "no"}, "Q4", "no"),
        ({"LC_ALL": "C", "LANG": "de_DE.UTF-8"}, "Q4", "en"),
        ({}, "Q4", "en"),
        ({"LANG": "en_GB"}, "Klasse 4", "de"),
    ],
)
def test_a_group_is_shown_in_the_language_of_its_reader(
    variables: dict[str, str],
    name: str,
    language: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """That of the label that was asked for, else of the locale, else English."""
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    groups = [encode_group(make_group(code, 4)) for code in ("ar", "de", "en", "no")]
    groups[1] = groups[1].replace(b'"label":"class 4"', b'"label":"Klasse 4"')
    (tmp_path / "groups.jsonl").write_bytes(b"".join(groups))
    assert f"4 (Q4, {language}) in full" in shown(capsys, str(tmp_path / "groups.jsonl"), name)


def test_groups_are_listed_without_a_class(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each in one language, with its first words."""
    *lines, last = shown(capsys, str(run), "--language", "no").splitlines()
    assert len(lines) == 5
    assert lines[3].startswith("class 4 (Q4): ")
    assert lines[3].endswith(", ...")
    assert last == "also in de: --language de"
    assert "expected groups in cy, saw groups in de, no\n" in shown(capsys, str(run), "--language", "cy", code=1)


@pytest.mark.parametrize(("words", "wanted"), [([], "groups"), (["--language", "cy"], "groups in cy")])
def test_a_run_without_groups_says_where_the_reasons_are(
    words: list[str], wanted: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In the folder of rejected classes, and from explain."""
    empty = Path(shutil.copytree(run, tmp_path / "out"))
    for path in (empty / "groups").iterdir():
        path.write_bytes(b"")
    said = shown(capsys, str(empty), *words, code=1)
    assert f"expected {wanted}, saw groups in no language; {empty}/rejected and `wikisem explain {empty} CLASS`" in said


def test_a_release_and_a_file_are_shown_alike(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same table, since it is of the group alone."""
    assert main(["release", str(run), "--output", str(tmp_path / "set")]) == 0
    capsys.readouterr()
    one = shown(capsys, str(run), "Q4", "--language", "no")
    assert shown(capsys, str(tmp_path / "set"), "Q4", "--language", "no") == one
    assert shown(capsys, str(run / "groups" / "no.jsonl"), "Q4") == one.removesuffix("also in de: --language de\n")


def test_certificates_are_said_in_words(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each of them; a group of a recipe that asks for none has none."""
    lines = shown(capsys, str(run), "Q4", "--language", "de").splitlines()
    other = f"of 1,200 other instances of {HOSTILE[5]} (Q802) and 79 of class 4 (Q4), none is an instance of both"
    assert f"de 4 out 1 (Q451): certificate, {other}" in lines
    assert "certificate" not in shown(capsys, str(run), "Q1", "--language", "de")


def test_labels_stand_beside_the_classes_of_outliers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As far as the set has them: those of classes with a group or a reason why not."""
    via = encode_group(make_group("de", 1)).replace(b'"via":"Q900"', b'"via":"Q4"')
    (tmp_path / "groups.jsonl").write_bytes(via + encode_group(make_group("de", 4)))
    assert "class 4 (Q4)" in shown(capsys, str(tmp_path / "groups.jsonl"), "Q1")


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["class 5"], 2, "saw 'class 5', that of Class 5 (Q3), class 5 (Q5); write the QID"),
        (["clas 4"], 1, "expected a QID, or the label of a class, saw 'clas 4'; did you mean class 4 (Q4)"),
        (["xyz"], 1, "expected a QID, or the label of a class, saw 'xyz'"),
        (["Q77"], 1, "a group of Q77, saw that <i>river (Q77) was rejected in de few-outliers: expected at least 2"),
        (["Q77", "--language", "no"], 1, "a group of Q77 in no, saw that <i>river (Q77) was rejected in no"),
        (["Q4", "--language", "la"], 1, "expected a group of Q4 in la, saw class 4 (Q4) in de, no"),
        (["<i>rivers"], 1, "did you mean <i>river (Q77)?"),
        (["Q99"], 1, "expected a group of Q99, saw neither a group nor a rejection of it"),
    ],
)
def test_what_cannot_be_shown_is_said(
    words: list[str], code: int, told: str, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Names of several classes and of none, with those that may be meant; a class without a group, with the reason."""
    assert told in shown(capsys, str(run), *words, code=code)


def test_explain_of_a_release_takes_a_name(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A label in any language of the set."""
    assert main(["release", str(run), "--output", str(tmp_path / "set")]) == 0
    capsys.readouterr()
    assert main(["explain", str(tmp_path / "set"), "class 4", "--language", "no"]) == 0
    assert capsys.readouterr().out.startswith("class 4 (Q4, no) in full")
    assert main(["explain", str(tmp_path / "set"), "class 5"]) == 2
    assert "write the QID" in capsys.readouterr().err
