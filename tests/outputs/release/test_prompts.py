"""Prompts in the language of a set: reviewed by rule, and what the tasks of harnesses ask."""

import tomllib
from pathlib import Path

import jinja2
import pyarrow.parquet as pq
import pytest
import regex
import yaml

from tests.outputs.release.world import run_euroeval_file, write_run
from wikisem.outputs.release.cases import ENGLISH, PROMPTS, prompt_in
from wikisem.pipeline.cli import main
from wikisem.wikipedia.languages import script_sets

# Words of the English prompts with four letters or more.
ENGLISH_WORDS = {
    word
    for text in (*ENGLISH, *PROMPTS["en"])
    for word in regex.findall(r"\p{L}{4,}", text.replace("{answers}", "").casefold())
}
CODES = ("de", "en", "he", "ja", "zh-classical")


def test_there_are_prompts_in_forty_languages_and_three_phrasings_in_english() -> None:
    """The first phrasing is that of the table; the file says where its texts are from, and when."""
    assert len(PROMPTS) >= 40
    assert len(set(ENGLISH)) == 3
    assert PROMPTS["en"].question == ENGLISH[0]
    about = tomllib.loads((Path("outputs") / "release" / "prompts.toml").read_text(encoding="utf-8"))
    assert "not reviewed by native speakers" in about["source"]
    assert about["date"].startswith("2026-11-")


@pytest.mark.parametrize("code", PROMPTS)
def test_each_prompt_is_one_sentence_in_the_script_of_its_language(code: str) -> None:
    """With the placeholder of the answers once, in the request, and without a word of the English prompts."""
    prompt = prompt_in(code)
    scripts = {script for scripts in script_sets(code) for script in scripts}
    for text in prompt:
        assert text == text.strip()
        assert "\n" not in text
        assert len(text) <= 80
        letters = regex.findall(r"\p{L}", text.replace("{answers}", ""))
        pattern = "|".join(rf"\p{{Script={script}}}" for script in (*scripts, "Common"))
        assert letters
        assert [letter for letter in letters if not regex.fullmatch(pattern, letter)] == []
        words = set(regex.findall(r"\p{L}+", text.replace("{answers}", "").casefold()))
        assert code == "en" or not words & ENGLISH_WORDS
    assert [text.count("{") for text in prompt] == [0, 0, 1]
    assert prompt.request.count("{answers}") == 1
    assert regex.search(r"[?.;؟？。։]$", prompt.question) or code == "th"  # Thai has no mark for a question
    assert len(regex.findall(r"[.?？。؟](?=\s|$)", prompt.question)) <= 1
    assert regex.search(r"[:：՝]$", prompt.answer)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release in four languages with a prompt and one without, in two of which there are shots."""
    folder = tmp_path_factory.mktemp("prompts")
    run = write_run(folder / "out", 12, CODES, ())
    assert main(["release", str(run), "--output", str(folder / "set")]) == 0
    return folder / "set"


def asked(release: Path, task: str, row: dict[str, object]) -> list[str]:
    """The lines that lm-evaluation-harness asks of a row."""
    own = yaml.safe_load((release / "lm_eval" / f"{task}.yaml").read_text(encoding="utf-8"))
    shared = yaml.safe_load((release / "lm_eval" / own["include"]).read_text(encoding="utf-8"))
    text = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string((shared | own)["doc_to_text"])
    return text.render(**row).split("\n")


def test_lm_evaluation_harness_asks_in_the_language(release: Path) -> None:
    """Question, choices one a line, and the word before the answer; English where there is no prompt."""
    rows = {code: pq.read_table(release / "cases" / f"{code}.parquet").to_pylist()[0] for code in CODES}
    first, blank, *choices, last = asked(release, "de", rows["de"])
    assert (first, blank, last) == ("Welches Wort passt nicht zu den anderen?", "", "Antwort:")
    assert choices == [f"- {word}" for word in rows["de"]["choices"]]
    first, _, *lettered, last = asked(release, "ja_letters", rows["ja"])
    assert (first, last) == ("仲間外れの言葉はどれですか。", "答え：")
    assert lettered[1] == f"B. {rows['ja']['choices'][1]}"
    assert asked(release, "zh-classical", rows["zh-classical"])[0] == ENGLISH[0]


def test_english_has_tasks_for_each_phrasing_and_one_for_all(release: Path) -> None:
    """They differ in the question alone, and have the same cases."""
    row = pq.read_table(release / "cases" / "en.parquet").to_pylist()[0]
    found = [asked(release, task, row) for task in ("en", "en_2", "en_3")]
    assert [lines[0] for lines in found] == list(ENGLISH)
    assert found[0][1:] == found[1][1:] == found[2][1:]
    group = yaml.safe_load((release / "lm_eval" / "wikisem_en_phrasings.yaml").read_text(encoding="utf-8"))
    assert group["task"] == ["wikisem_en", "wikisem_en_2", "wikisem_en_3"]


def test_the_card_says_in_which_languages_models_are_asked(release: Path) -> None:
    """And that nobody who speaks them has read the prompts."""
    text = (release / "README.md").read_text(encoding="utf-8")
    said = (
        "asked in the language of the words, in `zh-classical` in English; the prompts were written for wikisem, not "
    )
    assert f"{said}reviewed by native speakers (2026-11-26)." in text


def test_euroeval_asks_in_the_language(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Question as a column, the word before the answer, and the letters to answer with."""
    found = run_euroeval_file(release / "euroeval_wikisem.py", monkeypatch)["CASES_de"]
    assert found.prompt_template == "{text}\nAntwort: {label}"
    assert found.instruction_prompt == "{text}\n\nAntworte nur mit einem davon: a, b, c, d, e, f, g, h, i"
    assert found.input_column == "question"


def test_inspect_asks_in_the_language(release: Path) -> None:
    """In the form whose letter it reads; phrasings in English are listed."""
    text = (release / "inspect_wikisem.py").read_text(encoding="utf-8")
    names: dict[str, dict[str, list[object]]] = {}
    line = next(line for line in text.splitlines() if line.startswith("PROMPTS = "))
    exec(line, names)
    questions, request = names["PROMPTS"]["he"]
    assert questions == [PROMPTS["he"].question]
    assert request == "יש להשיב רק באחת מאלה: ANSWER: $LETTER ($LETTER: {letters})"
    assert names["PROMPTS"]["en"][0] == list(ENGLISH)
