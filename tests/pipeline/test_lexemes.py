"""The command ``wikisem lexemes``: what it writes, and how it names mistakes."""

import json
from pathlib import Path

import pytest

from tests.categories.test_lexeme_pairs import lexeme_line
from tests.word_groups import surfaces, words_asked
from wikisem.categories.lexeme_pairs import FormPair
from wikisem.datasets.word_groups import read_categories, read_dataset
from wikisem.evaluation.analogies import read_questions
from wikisem.outputs.category_formats import outlier_groups, pair_category_lines, with_one_answer, write_questions
from wikisem.pipeline.cli import main


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A dump of forty regular nouns, a bad line in the middle, and the work done beside it."""
    lines = [
        json.dumps(lexeme_line(n, [(f"word {n}", ["Q110786"]), (f"word {n}s", ["Q146786"])])) for n in range(1, 41)
    ]
    lines.insert(20, "broken")
    (tmp_path / "lexemes.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_kind_of_set_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Readable by the scorers; the bad line is in unreadable/."""
    words = ["lexemes", "lexemes.json", "--languages", "en,de", "--output", "out"]
    assert main([*words, "--questions", "50", "--groups", "3"]) == 0
    printed = capsys.readouterr()
    assert "│ en       │ plural             │    40 │" in printed.out
    assert printed.out.endswith("\noutput: out\n")
    assert "41 records: 40 lexemes, 0 left out, 1 unreadable" in printed.err
    (section,) = read_questions(folder / "out" / "analogies" / "en.txt")
    assert (section.name, len(section.rows)) == ("plural", 50)
    assert all(b == f"{a}s" and d == f"{c}s" and a != c for a, b, c, d in words_asked(section))
    (category,) = read_categories(folder / "out" / "categories" / "en.txt")
    assert len(category.words) == 40
    groups = read_dataset(folder / "out" / "outliers" / "en")
    assert [group.id for group in groups] == ["plural-001", "plural-002", "plural-003"]
    for group in groups:
        assert len(group.cluster) == 8
        assert [f"{outlier.surface}s" for outlier in group.outliers] == list(surfaces(group.cluster))
    assert len({word for group in groups for word in surfaces(group.cluster)}) == 24
    assert not (folder / "out" / "analogies" / "de.txt").exists()  # gensim divides by the number of questions
    assert f"no relation has a question in 'de': there is no {Path('out/analogies/de.txt')}" in printed.err
    (record,) = (folder / "out" / "unreadable" / "lexemes.jsonl").read_text().splitlines()
    assert json.loads(record)["reason"] == "not-json"
    pairs = [json.loads(line) for line in (folder / "out" / "pairs" / "en.jsonl").read_text().splitlines()]
    assert pairs[0]["pairs"][0] == {"lexeme": "L1", "first": "word 1", "second": "word 1s"}


def test_groups_of_an_earlier_run_do_not_stay(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder of groups is scored whole, so that it must hold those of one run; other files stay, and are told."""
    words = ["lexemes", "lexemes.json", "--languages", "en", "--output", "out", "--groups"]
    assert main([*words, "3"]) == 0
    groups = folder / "out" / "outliers" / "en"
    for name in ("notes-2026.txt", "plural-007.txt"):
        (groups / name).write_text("mine")
    assert main([*words, "1"]) == 0
    assert sorted(path.name for path in groups.iterdir()) == ["notes-2026.txt", "plural-001.txt", "plural-007.txt"]
    assert "warning: out/outliers/en/notes-2026.txt is no file of wikisem's; it stays" in capsys.readouterr().err


def test_what_cannot_be_written_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file where a folder should be: the message names the set, and nothing unfinished is left."""
    (folder / "out").mkdir()
    (folder / "out" / "categories").write_text("")
    assert main(["lexemes", "lexemes.json", "--languages", "en", "--output", "out"]) == 1
    assert "expected to write out/categories/en.txt, saw" in capsys.readouterr().err
    assert not list((folder / "out").rglob("*.part"))


def test_words_are_filtered(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both words of a pair must be in the vocabulary; all of these have a blank, so that no single word is left."""
    (folder / "words.txt").write_text("Word_1\nword_1\nword_1s 0.3\nword_2\nword_3s\n")
    words = ["lexemes", "lexemes.json", "--languages", "en", "--output", "out"]
    assert main([*words, "--vocabulary", "words.txt"]) == 0
    assert "│ en       │ plural             │     1 │" in capsys.readouterr().out
    pairs = [json.loads(line) for line in (folder / "out" / "pairs" / "en.jsonl").read_text().splitlines()]
    assert pairs[0]["pairs"] == [{"lexeme": "L1", "first": "word 1", "second": "word 1s"}]
    assert main([*words, "--single-words"]) == 0
    assert "│ en       │ plural             │     0 │" in capsys.readouterr().out


def test_the_seed_decides_what_is_drawn(folder: Path) -> None:
    """The same bytes for the same seed, others for another."""
    texts = []
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        words = ["lexemes", "lexemes.json", "--languages", "en", "--output", name, "--seed", seed, "--questions", "9"]
        assert main(words) == 0
        files = sorted(path for path in (folder / name).rglob("*") if path.is_file())
        texts.append([(str(path.relative_to(folder / name)), path.read_bytes()) for path in files])
    assert texts[0] == texts[1] != texts[2]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["none.json", "--languages", "en"], 1, "expected a lexeme dump, saw no file at none.json"),
        ([".", "--languages", "en"], 1, "expected a lexeme dump, saw no file at ."),
        (["lexemes.json", "--languages", "en", "--relations", "."], 2, "saw no file at ."),
        (["lexemes.json", "--languages", "E N"], 2, "expected a language code"),
        (["lexemes.json", "--languages", "en", "--relations", "none.toml"], 2, "saw no file at none.toml"),
        (["lexemes.json", "--languages", "en", "--", "--runner=x"], 2, "takes no Beam options"),
    ],
)
def test_mistakes_are_named(capsys: pytest.CaptureFixture[str], words: list[str], code: int, message: str) -> None:
    """Wrong usage ends with 2, a missing dump with 1."""
    at = words.index("--") if "--" in words else len(words)
    assert main(["lexemes", *words[:at], "--output", "out", *words[at:]]) == code
    assert message in capsys.readouterr().err


def test_too_many_bad_lines_fail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From a hundred on, and from one in a hundred."""
    good = json.dumps(lexeme_line(1, [("a", ["Q1"])]))
    (tmp_path / "l.json").write_text("\n".join([good, *["bad"] * 100, good]))
    assert main(["lexemes", str(tmp_path / "l.json"), "--languages", "en", "--output", str(tmp_path / "o")]) == 1
    assert "expected at most 1.00% unreadable records (--max-unreadable), saw 100 of 102" in capsys.readouterr().err
    unreadable = tmp_path / "o" / "unreadable" / "lexemes.jsonl"
    assert len(unreadable.read_text().splitlines()) == 100
    words = ["lexemes", str(tmp_path / "l.json"), "--languages", "en", "--output", str(tmp_path / "o")]
    assert main([*words, "--max-unreadable", "99%"]) == 0
    (tmp_path / "l.json").write_text(good)
    assert main(words) == 0
    assert not unreadable.exists()


def test_a_dump_without_lexemes_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It may be a dump of items."""
    (tmp_path / "l.json").write_text('{"type":"item","id":"Q1"}\n')
    assert main(["lexemes", str(tmp_path / "l.json"), "--languages", "en", "--output", str(tmp_path / "o")]) == 1
    assert "l.json: expected lexemes of a Wikidata dump, saw none" in capsys.readouterr().err


def test_no_outlier_is_a_word_of_its_cluster(tmp_path: Path) -> None:
    """A form that two lexemes share, and a second pair of one lexeme, are passed over."""
    pairs = [FormPair(n, f"a{n}", f"b{n}") for n in range(8)]
    shared = [FormPair(20, "b3", "c20"), FormPair(2, "a2x", "b2x"), FormPair(21, "a21", "a4")]
    ((_, text),) = outlier_groups({"r": [*pairs, *shared]}, 5, 1)
    assert sorted(text.split()) == sorted([f"{letter}{n}" for n in range(8) for letter in "ab"])
    assert list(outlier_groups({"r": pairs[:7]}, 5, 1)) == []
    assert not write_questions(tmp_path / "r.txt", [("r", with_one_answer({"r": pairs[:1]})["r"], 0)], 1)


def test_no_set_has_a_word_that_text_files_take_for_something_else(tmp_path: Path) -> None:
    """A colon begins a section, and a word of blanks alone would be a blank line or none of the four of a question."""
    pairs = [FormPair(number, f"word{number}", f"words{number}") for number in range(1, 9)]
    others = [FormPair(9, ":)", ":))"), FormPair(10, "a", " "), FormPair(11, "", "b"), FormPair(12, "c", ": d")]
    for relations in ({"r": pairs}, {"r": [*others, *pairs]}):
        assert write_questions(tmp_path / "r.txt", [("r", with_one_answer(relations)["r"], 0)], 1)
        assert len((tmp_path / "r.txt").read_text().splitlines()) == 1 + 8 * 7
        assert list(pair_category_lines(relations)) == [": r\n", *(f"words{number}\n" for number in range(1, 9))]
        assert [name for name, _ in outlier_groups(relations, 5, 1)] == ["r-001"]


@pytest.mark.parametrize("code", ["non", "enm", "fro", "gmh", "goh", "egy", "mis-x-Q36790", "de-x-Q306626", "de-at"])
def test_languages_are_those_that_lexemes_have(folder: Path, code: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Old languages have no Wikipedia and hardly any labels; a spelling may be named by an item."""
    lines = [lexeme_line(n, [(f"word {n}", ["Q110786"]), (f"word {n}s", ["Q146786"])], code) for n in range(1, 4)]
    (folder / "lexemes.json").write_text("[\n" + ",\n".join(map(json.dumps, lines)) + "\n]\n")
    assert main(["lexemes", "lexemes.json", "--languages", code, "--output", "out"]) == 0
    (section,) = read_questions(folder / "out" / "analogies" / f"{code}.txt")
    assert len(section.rows) == 6
    assert "warning" not in capsys.readouterr().err


def test_a_language_without_lexemes_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A code may be well-formed and mean nothing, or have no lexeme in this dump."""
    assert folder.is_dir()
    assert main(["lexemes", "lexemes.json", "--languages", "en,xqz", "--output", "out"]) == 0
    assert "warning: expected lexemes that are spelled in 'xqz', saw none" in capsys.readouterr().err


@pytest.mark.parametrize("code", ["german", "xx", "EN", "../x", "en-x-P31", "mis-x-Q0", "non/x"])
def test_what_is_no_code_is_refused(folder: Path, code: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With the one that was meant, where it is near."""
    assert folder.is_dir()
    assert main(["lexemes", "lexemes.json", "--languages", code, "--output", "out"]) == 2
    assert "--languages: expected" in capsys.readouterr().err
