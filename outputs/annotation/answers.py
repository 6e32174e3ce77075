"""The answers of annotators, in any of the three formats, checked against their annotation set."""

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from wikisem.errors import DamagedInputError
from wikisem.outputs.annotation.sample import CANNOT_TELL, AnnotationSet
from wikisem.typed_json import decode_json


@dataclass(frozen=True, slots=True)
class Answer:
    """One annotator's answer to one case: the number of a word, counted from 1, or CANNOT_TELL.

    ``where`` is the file and, if it has them, the line or task; ``set`` the fingerprint in the file. ``with_help`` is
    False for the first of two answers, which is given before anything is looked up.
    """

    set: str
    annotator: str
    case: str
    choice: int
    remark: str
    where: str
    with_help: bool = True


class _PageAnswer(msgspec.Struct):
    case: str
    answer: int | None = None
    without_help: int | None = None
    remark: str = ""


class _PageAnswers(msgspec.Struct):
    """The file that the page offers for download."""

    set: str
    annotator: str
    answers: list[_PageAnswer]


def parse_page_answers(data: bytes, where: str) -> list[Answer]:
    """Read the answers of a file that the page wrote; DamagedInputError for another file."""
    file = decode_json(data, _PageAnswers, where, "answers as the page downloads them")
    return [
        Answer(file.set, file.annotator, answer.case, choice, answer.remark, where, with_help)
        for answer in file.answers
        for choice, with_help in ((answer.without_help, False), (answer.answer, True))
        if choice is not None
    ]


def check_answers(answers: Iterable[Answer], annotation: AnnotationSet) -> list[Answer]:
    """Sort the answers by annotator and case, without help first; DamagedInputError for one that does not fit the set.

    A repeated answer, as in a file that was sent twice, counts once; two different ones are an error.
    """
    kept: dict[tuple[str, str, bool], Answer] = {}
    for answer in answers:
        if misfit := _misfit(answer, annotation):
            raise DamagedInputError(f"{answer.where}: expected {misfit}")
        earlier = kept.setdefault((answer.annotator, answer.case, answer.with_help), answer)
        if earlier.choice != answer.choice:
            raise DamagedInputError(
                f"{answer.where}: expected one answer of {answer.annotator} to {answer.case}"
                f"{'' if answer.with_help else ' without help'}, saw {answer.choice} here and {earlier.choice} in "
                f"{earlier.where}"
            )
    return [kept[key] for key in sorted(kept)]


def _misfit(answer: Answer, annotation: AnnotationSet) -> str:
    """Say what was expected and seen of an answer that does not fit the set; empty if it fits."""
    if answer.set != annotation.fingerprint:
        return f"answers to set {annotation.fingerprint}, saw answers to {answer.set or 'none'}"
    if answer.annotator not in annotation.annotators:
        names = list(annotation.annotators)
        listed = ", ".join(names) if len(names) <= 3 else f"{names[0]} to {names[-1]}"
        return f"an annotator of this set ({listed}), saw {answer.annotator!r}"
    if answer.case not in annotation.annotators[answer.annotator]:
        return f"a case of the sheet of {answer.annotator}, saw {answer.case!r}"
    words = len(annotation.by_id[answer.case].words)
    if not CANNOT_TELL <= answer.choice <= words:
        choices = f"a word from 1 to {words} or {CANNOT_TELL} for cannot tell"
        return f"{choices} as the answer to {answer.case}, saw {answer.choice}"
    if not (answer.with_help or annotation.two_answers):
        return f"one answer a case, saw one without help to {answer.case}"
    return ""


def missing_answers(answers: Iterable[Answer], annotation: AnnotationSet) -> dict[str, list[str]]:
    """Find the cases that lack an answer, or one of two, by annotator; annotators without any are left out."""
    given = {(answer.annotator, answer.case, answer.with_help) for answer in answers}
    asked = (False, True) if annotation.two_answers else (True,)
    missing = {
        name: sorted(case for case in cases if any((name, case, with_help) not in given for with_help in asked))
        for name, cases in annotation.annotators.items()
    }
    return {name: cases for name, cases in missing.items() if cases}
