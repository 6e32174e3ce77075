"""Answers as they come back from annotators, in any of the three forms, checked against their annotation set."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import msgspec

from wikisem.errors import DamagedInputError
from wikisem.outputs.annotation.annotation_set import CANNOT_TELL, AnnotationSet


@dataclass(frozen=True, slots=True)
class Answer:
    """One annotator's answer to one case: the number of a word, counted from 1, or CANNOT_TELL.

    ``where`` is the file and, where it has any, the line or task; ``set`` the fingerprint that the file states.
    """

    set: str
    annotator: str
    case: str
    choice: int
    remark: str
    where: str


class _PageAnswer(msgspec.Struct):
    case: str
    answer: int
    remark: str = ""


class _PageAnswers(msgspec.Struct):
    """The file that the page offers for download."""

    set: str
    annotator: str
    answers: list[_PageAnswer]


def parse_page_answers(data: bytes, where: str) -> list[Answer]:
    """The answers of a file that the page wrote; DamagedInputError if it is none."""
    try:
        file = msgspec.json.decode(data, type=_PageAnswers)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DamagedInputError(f"{where}: expected answers as the page downloads them, saw {error}") from error
    return [
        Answer(file.set, file.annotator, answer.case, answer.answer, answer.remark, where) for answer in file.answers
    ]


def check_answers(answers: Iterable[Answer], annotation: AnnotationSet) -> list[Answer]:
    """The answers in order of annotator and case, each once; DamagedInputError for one that the set cannot have.

    An answer that comes twice, as in a file that was sent twice, counts once; two different ones are an error.
    """
    kept: dict[tuple[str, str], Answer] = {}
    for answer in answers:
        for check in _CHECKS:
            check(answer, annotation)
        earlier = kept.setdefault((answer.annotator, answer.case), answer)
        if earlier.choice != answer.choice:
            raise DamagedInputError(
                f"{answer.where}: expected one answer of {answer.annotator} to {answer.case}, saw {answer.choice} here "
                f"and {earlier.choice} in {earlier.where}"
            )
    return [kept[key] for key in sorted(kept)]


def _check_set(answer: Answer, annotation: AnnotationSet) -> None:
    if answer.set != annotation.fingerprint:
        raise DamagedInputError(
            f"{answer.where}: expected answers to set {annotation.fingerprint}, saw answers to {answer.set or 'none'}"
        )


def _check_annotator(answer: Answer, annotation: AnnotationSet) -> None:
    if answer.annotator not in annotation.annotators:
        known = _listed(list(annotation.annotators))
        raise DamagedInputError(
            f"{answer.where}: expected an annotator of this set ({known}), saw {answer.annotator!r}"
        )


def _check_case(answer: Answer, annotation: AnnotationSet) -> None:
    if answer.case not in annotation.annotators[answer.annotator]:
        raise DamagedInputError(
            f"{answer.where}: expected a case of the sheet of {answer.annotator}, saw {answer.case!r}"
        )


def _check_choice(answer: Answer, annotation: AnnotationSet) -> None:
    words = len(annotation.by_id[answer.case].words)
    if not CANNOT_TELL <= answer.choice <= words:
        raise DamagedInputError(
            f"{answer.where}: expected a word from 1 to {words} or {CANNOT_TELL} for cannot tell as the answer to "
            f"{answer.case}, saw {answer.choice}"
        )


_CHECKS: Sequence[Callable[[Answer, AnnotationSet], None]] = (
    _check_set,
    _check_annotator,
    _check_case,
    _check_choice,
)


def missing_answers(answers: Iterable[Answer], annotation: AnnotationSet) -> dict[str, list[str]]:
    """The cases of each annotator that have no answer; annotators without any such case are left out."""
    given = {(answer.annotator, answer.case) for answer in answers}
    missing = {
        name: sorted(case for case in cases if (name, case) not in given)
        for name, cases in annotation.annotators.items()
    }
    return {name: cases for name, cases in missing.items() if cases}


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{names[0]} to {names[-1]}"
