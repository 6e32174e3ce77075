"""The three forms of a sheet: what annotators see, and how their answers are read."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.outputs.annotation.forms import FORMS, filled_csv
from tests.outputs.annotation.sets import HOSTILE, hostile_set, make_set
from tests.word_groups import outlier_word, word_group
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.outputs.annotation.sheets import (
    AnnotationSet,
    Sheet,
    check_answers,
    encode_key,
    format_csv,
    format_page,
    format_tasks,
    instructions,
    instructions_text,
    labelling_config,
    missing_answers,
    parse_csv,
    read_key,
    sample_cases,
)
from wikisem.outputs.html_page import direction, script_json


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data(), groups=st.integers(1, 12))
def test_answers_come_back_from_every_form(form: str, data: st.DataObject, groups: int) -> None:
    """What annotators answered, cannot tell and remarks too, is what is read; cases without an answer give none."""
    annotation = make_set(groups, annotators=1, overlap=groups)
    sheet = annotation.sheet("annotator-1")
    given_choices = data.draw(
        st.dictionaries(st.sampled_from([case for case, _ in sheet.cases]), st.integers(0, 9), min_size=1)
    )
    write, read = FORMS[form]
    answers = check_answers(read(write(sheet, given_choices), "answers"), annotation)
    assert {answer.case: answer.choice for answer in answers} == given_choices
    assert all(answer.remark == f"on {answer.case}, “ok”" for answer in answers)
    missing = missing_answers(answers, annotation).get("annotator-1", [])
    assert sorted([*missing, *given_choices]) == sorted(case for case, _ in sheet.cases)


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data(), groups=st.integers(1, 12))
def test_two_answers_a_case_come_back_from_every_form(form: str, data: st.DataObject, groups: int) -> None:
    """Without help and with it, either of which may be missing; cases that lack one of them are missing."""
    annotation = make_set(groups, annotators=1, overlap=groups, two_answers=True)
    sheet = annotation.sheet("annotator-1")
    some = st.dictionaries(st.sampled_from([case for case, _ in sheet.cases]), st.integers(0, 9))
    first, second = data.draw(some), data.draw(some)
    write, read = FORMS[form]
    answers = check_answers(read(write(sheet, second, first), "answers"), annotation)
    assert {answer.case: answer.choice for answer in answers if not answer.with_help} == first
    assert {answer.case: answer.choice for answer in answers if answer.with_help} == second
    assert all(answer.remark == f"on {answer.case}, “ok”" for answer in answers)
    missing = missing_answers(answers, annotation).get("annotator-1", [])
    assert missing == sorted(case for case, _ in sheet.cases if not (case in first and case in second))


@pytest.mark.parametrize("form", FORMS)
def test_a_set_of_one_answer_a_case_has_no_other(form: str) -> None:
    """An answer without help to such a set is named; and to the other set it is another answer, not the same twice."""
    write, read = FORMS[form]
    one, two = make_set(2, 1, 2), make_set(2, 1, 2, two_answers=True)
    assert one.fingerprint != two.fingerprint
    data = write(two.sheet("annotator-1"), {"case-1": 3}, {"case-1": 4})
    assert [answer.choice for answer in check_answers(read(data, "x"), two)] == [4, 3]
    wrong = data.replace(two.fingerprint.encode(), one.fingerprint.encode())
    with pytest.raises(DamagedInputError, match="expected one answer a case, saw one without help to case-1"):
        check_answers(read(wrong, "x"), one)
    other = write(two.sheet("annotator-1"), {"case-1": 3}, {"case-1": 5})
    with pytest.raises(DamagedInputError, match="of annotator-1 to case-1 without help, saw 5 here and 4 in x"):
        check_answers([*read(data, "x"), *read(other, "y")], two)


@pytest.mark.parametrize("form", FORMS)
def test_words_of_any_kind_do_no_harm_to_a_form(form: str) -> None:
    """Quotes, commas, markup and line ends in words leave the answers readable."""
    annotation = hostile_set()
    write, read = FORMS[form]
    (answer,) = check_answers(read(write(annotation.sheet("annotator-1"), {"case-1": 7}), "answers"), annotation)
    assert answer.choice == 7


@pytest.mark.parametrize(("delimiter", "unsure"), [(";", "？"), ("\t", "0"), (",", "Cannot tell")])
def test_spreadsheets_of_other_countries_are_read(delimiter: str, unsure: str) -> None:
    """Semicolons and tabs between cells are known by the header, full-width question marks and 0 are cannot tell."""
    annotation = make_set(2, 1, 2)
    sheet = annotation.sheet("annotator-1")
    data = filled_csv(sheet, {"case-1": 0, "case-2": 4}, None, delimiter, unsure)
    assert {answer.case: answer.choice for answer in parse_csv(data, "x")} == {"case-1": 0, "case-2": 4}
    assert parse_csv(data.replace(b"\r\n", b"\n"), "x") == parse_csv(data, "x")


def test_a_whole_number_may_have_a_point_in_a_spreadsheet() -> None:
    """Some programs write 3.0 for 3."""
    sheet = make_set(1, 1, 1).sheet("annotator-1")
    data = filled_csv(sheet, {"case-1": 3}).replace(b",3,", b",3.0,")
    assert [answer.choice for answer in parse_csv(data, "x")] == [3]


def test_no_control_character_of_a_word_is_in_a_spreadsheet() -> None:
    """Words of sets that others made may have some."""
    sheet = Sheet("s", "a", "en", (("c", ("\x1b[2Jred", "\x07=1", "\u202eblue")),))
    assert format_csv(sheet).splitlines()[1] == "s,a,c,[2Jred,'=1,blue,,"


def test_a_spreadsheet_takes_no_word_for_a_formula() -> None:
    """Words that begin with a sign of a formula get an apostrophe; the file begins with a byte order mark."""
    text = format_csv(hostile_set().sheet("annotator-1"))
    assert text.startswith("\ufeffset,annotator,case,word 1,")
    (row,) = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    words = {value for name, value in row.items() if name.startswith("word")}
    assert {'\'=HYPERLINK("x")', "'+1-1", HOSTILE, "plain"} <= words
    assert not any(re.match(r"\s*[=+\-@＝＋－＠]", value) for value in words)


def test_sheets_hold_no_hint_of_the_answer() -> None:
    """No form names groups, outlier classes or outliers; a set with another key and the same words looks the same."""
    cluster = ("alpha", "beta", "gamma")
    annotation = sample_cases([word_group("Q123456789", cluster, (outlier_word("delta", 3),), "")], "en", 1, 1, 1, 1)
    sheet = annotation.sheet("annotator-1")
    forms = [format_page(sheet), format_csv(sheet), format_tasks(sheet).decode()]
    assert not any("Q123456789" in form or "outlier" in form for form in forms)
    (case,) = annotation.cases
    other_key = AnnotationSet(
        annotation.language,
        annotation.seed,
        (type(case)(case.id, "Q5", case.words, 1 + case.outlier % 4, 1),),
        annotation.overlap,
        annotation.annotators,
    )
    assert [format_page(other_key.sheet("annotator-1")), format_csv(other_key.sheet("annotator-1"))] == forms[:2]
    assert other_key.fingerprint == annotation.fingerprint


def test_the_key_comes_back(tmp_path: Path) -> None:
    """What key.json says is the set; one that was changed, is broken or is missing is refused."""
    folder = tmp_path
    annotation = make_set()
    with pytest.raises(MissingInputError, match=r"saw no key\.json in it"):
        read_key(folder)
    (folder / "key.json").write_bytes(encode_key(annotation))
    assert read_key(folder) == annotation
    text = encode_key(annotation).decode()
    for broken, message in [
        (text.replace("member 1 1", "member 1 x"), "it was changed"),
        (re.sub(r'"outlier": \d+', '"outlier": 12', text, count=1), "expected outliers among the words"),
        (text.replace("key 1", "key 9"), "expected the key of an annotation set"),
        ("[]", "expected the key of an annotation set"),
    ]:
        assert broken != text
        (folder / "key.json").write_text(broken, encoding="utf-8")
        with pytest.raises(DamagedInputError, match=message):
            read_key(folder)


def test_words_cannot_leave_their_script_element() -> None:
    """A closing tag, a comment and the line ends of JavaScript are escaped, and JSON reads the same words."""
    text = script_json(["</script>", "<!--", "a\u2028b\u2029c", "&amp;"])
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == ["</script>", "<!--", "a\u2028b\u2029c", "&amp;"]


def test_the_page_allows_nothing_but_its_own_script() -> None:
    """The policy names the one script and the one style by hash, and no address is anywhere in the page."""
    page = format_page(hostile_set().sheet("annotator-1"))
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    assert policy is not None
    assert "default-src &#x27;none&#x27;" in policy[1]
    assert "unsafe" not in policy[1]
    assert len(re.findall("sha256-", policy[1])) == 2
    assert not re.search(r"https?://|src=[\"']", page)
    assert page.count("</script>") == 2


def test_the_direction_follows_the_letters() -> None:
    """Arabic and Hebrew run from right to left, also with some Latin words among them; digits say nothing."""
    assert direction(["القاهرة", "GPS"]) == "rtl"
    assert direction(["ירושלים", "1948"]) == "rtl"
    assert direction(["東京", "London"]) == direction(["1", "2"]) == direction([]) == "ltr"


@pytest.mark.parametrize("two_answers", [False, True])
def test_the_labelling_configuration_fits_the_tasks(two_answers: bool) -> None:
    """It is XML, the fields that it takes from a task are in every task, and what comes back is by name."""
    root = ET.fromstring(labelling_config(two_answers))
    fields = {value[1:] for element in root.iter() for value in element.attrib.values() if value.startswith("$")}
    task = json.loads(format_tasks(make_set(two_answers=two_answers).sheet("annotator-1")))[0]["data"]
    assert fields == {"question", "choices"} <= set(task)
    assert {element.attrib["toName"] for element in root.iter() if "toName" in element.attrib} == {"question"}
    told = [element.attrib["value"] for element in root.iter("Header")]
    assert [text for text in told if text in instructions(two_answers)] == list(instructions(two_answers))
    assert len(task["choices"]) == 10
    names = [element.attrib["name"] for element in root.iter("Choices")]
    assert names == (["without_help", "answer"] if two_answers else ["answer"])
    assert [element.get("whenTagName") for element in root.iter("Choices")][1:] == ["without_help"] * two_answers


def test_the_instructions_name_what_may_be_looked_up() -> None:
    """Wikipedia may be read, Wikidata may not; of two answers the first is without help, the second has some time."""
    text = instructions_text(two_answers=False)
    assert "look things up in Wikipedia" in text
    assert "do not use Wikidata" in text
    both = instructions_text(two_answers=True)
    assert "The first is without any help" in both
    assert "three minutes at most" in both
    assert "do not use Wikidata" in both
    assert "“answer without help”" in both
