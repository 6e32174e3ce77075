"""Answers that do not fit their annotation set, and files that hold none."""

import json
from collections.abc import Callable

import pytest

from tests.outputs.annotation.sets import make_set
from wikisem.errors import DamagedInputError
from wikisem.outputs.annotation.sheets import (
    AnnotationSet,
    Answer,
    check_answers,
    parse_csv,
    parse_export,
    parse_page_answers,
)


def answer_to(annotation: AnnotationSet, **changes: object) -> Answer:
    """A right-looking answer with changes."""
    fields: dict[str, object] = {
        "set": annotation.fingerprint,
        "annotator": "annotator-1",
        "case": annotation.annotators["annotator-1"][0],
        "choice": 1,
        "remark": "",
        "where": "answers/a.json",
    }
    return Answer(**{**fields, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"set": "0123456789ab"},
            r"answers/a\.json: expected answers to set [0-9a-f]{12}, saw answers to 0123456789ab",
        ),
        ({"annotator": "bob"}, r"expected an annotator of this set \(annotator-1, annotator-2\), saw 'bob'"),
        ({"case": "case-99"}, "expected a case of the sheet of annotator-1, saw 'case-99'"),
        ({"choice": 10}, "expected a word from 1 to 9 or 0 for cannot tell as the answer to case-., saw 10"),
        ({"choice": -1}, "saw -1"),
    ],
)
def test_answers_that_the_set_cannot_have_are_refused(changes: dict[str, object], message: str) -> None:
    """The message says where the answer is, what was expected and what was seen."""
    annotation = make_set()
    with pytest.raises(DamagedInputError, match=message):
        check_answers([answer_to(annotation), answer_to(annotation, **changes)], annotation)


def test_more_than_three_annotators_are_named_by_the_first_and_the_last() -> None:
    """A message with the names of a whole class of students would not be read."""
    for annotators, named in ((3, "annotator-1, annotator-2, annotator-3"), (4, "annotator-1 to annotator-4")):
        annotation = make_set(groups=annotators + 2, annotators=annotators)
        with pytest.raises(DamagedInputError, match=rf"expected an annotator of this set \({named}\), saw 'bob'"):
            check_answers([answer_to(annotation, annotator="bob")], annotation)


def test_another_annotators_case_is_refused() -> None:
    """A case that exists, but not on the sheet of the one who answers it, is a mix-up."""
    annotation = make_set()
    (other, *_) = set(annotation.annotators["annotator-2"]) - set(annotation.overlap)
    with pytest.raises(DamagedInputError, match="expected a case of the sheet of annotator-1"):
        check_answers([answer_to(annotation, case=other)], annotation)


def test_the_same_file_twice_counts_once_and_a_contradiction_is_refused() -> None:
    """Somebody who sends a file again does no harm; two different answers to a case are no answer."""
    annotation = make_set()
    first = answer_to(annotation)
    assert check_answers([first, answer_to(annotation, where="b.json")], annotation) == [first]
    with pytest.raises(DamagedInputError, match=r"b\.json: expected one answer .* saw 2 here and 1 in answers/a\.json"):
        check_answers([first, answer_to(annotation, choice=2, where="b.json")], annotation)


def export_of(name: str, value: dict[str, object]) -> bytes:
    """An export of one task with one result."""
    result = {"from_name": name, "value": value}
    data = {"set": "a", "annotator": "b", "case": "c"}
    return json.dumps([{"data": data, "annotations": [{"result": [result]}]}]).encode()


@pytest.mark.parametrize(
    ("read", "data", "message"),
    [
        (parse_page_answers, b"{", "x: expected answers as the page downloads them"),
        (
            parse_page_answers,
            b'{"set": "a", "annotator": "b", "answers": [{"case": "c", "answer": "1"}]}',
            "Expected `int",
        ),
        (parse_page_answers, b"\xff", "x: expected answers"),
        (
            parse_csv,
            "set,annotator,case,answer,remark\na,b,c,Zürich,\n".encode(),
            "x:2: expected the number of a word or",
        ),
        (parse_csv, b"set,annotator,case,answer,remark\na,b,c,-1,\n", "saw '-1'"),
        (parse_csv, b"set,annotator\n", "x:1: expected the columns of a sheet, saw no column case, answer, remark"),
        (parse_csv, b"", "saw no column set"),
        (parse_csv, b"set\xfc", "expected CSV in UTF-8"),
        (parse_export, b'[{"data": {}}]', "expected a JSON export of Label Studio"),
        (
            parse_export,
            export_of("answer", {"choices": ["1. a", "2. b"]}),
            "x: task of c: expected one choice that begins",
        ),
        (parse_export, export_of("remark", {"text": ["?"]}), r"saw \[\]"),
    ],
)
def test_files_that_are_no_answers_are_named(read: Callable[[bytes, str], object], data: bytes, message: str) -> None:
    """The file, and where possible the line or task, with what was expected."""
    with pytest.raises(DamagedInputError, match=message):
        read(data, "x")
