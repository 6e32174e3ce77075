"""Sheets as tasks of Label Studio, with the labelling configuration, and the answers of its JSON export.

Choices come from the task (https://labelstud.io/tags/choices, read 2026-11), so that one configuration serves all
sheets. A choice begins with its number, by which its answer is read.
"""

import re
from collections.abc import Iterator
from typing import Any, Final
from xml.sax.saxutils import quoteattr

import msgspec

from wikisem.errors import DamagedInputError
from wikisem.outputs.annotation.annotation_set import CANNOT_TELL, Sheet
from wikisem.outputs.annotation.answers import Answer
from wikisem.outputs.annotation.instructions import QUESTION, instructions
from wikisem.typed_json import decode_json

_CHOICE: Final = re.compile(r"(\d{1,9})\. .*", re.DOTALL)

_WITHOUT_HELP: Final = "without_help"
_AFTER: Final = ' visibleWhen="choice-selected" whenTagName="{}"'

_CONFIG: Final = """<View>
{headers}
  <Text name="question" value="$question"/>
{choices}
  <TextArea name="remark" toName="question" placeholder="Remark (optional)" maxSubmissions="1"/>
</View>
"""


class _Result(msgspec.Struct):
    from_name: str = ""
    value: dict[str, Any] = {}


class _Annotation(msgspec.Struct):
    result: list[_Result] = []
    was_cancelled: bool = False


class _Data(msgspec.Struct):
    set: str
    annotator: str
    case: str


class _Task(msgspec.Struct):
    data: _Data
    annotations: list[_Annotation] = []


def labelling_config(two_answers: bool) -> str:
    """The labelling configuration, for the project's settings; the same for all sheets of a set.

    Of two answers the second is asked for once there is a first (https://labelstud.io/tags/choices, read 2026-11).
    """
    headers = "\n".join(_header(text) for text in instructions(two_answers))
    if not two_answers:
        return _CONFIG.format(headers=headers, choices=_choices_of("answer"))
    first, second = _choices_of(_WITHOUT_HELP), _choices_of("answer", _AFTER.format(_WITHOUT_HELP))
    choices = [_header("Without help"), first, _header("After up to three minutes of looking things up"), second]
    return _CONFIG.format(headers=headers, choices="\n".join(choices))


def _header(text: str) -> str:
    return f'  <Header size="5" value={quoteattr(text)}/>'


def _choices_of(name: str, more: str = "") -> str:
    return (
        f'  <Choices name="{name}" toName="question" value="$choices" choice="single" layout="vertical"{more} '
        'required="true"/>'
    )


def format_tasks(sheet: Sheet) -> bytes:
    """The cases of a sheet as a JSON list of tasks."""
    tasks = [
        {
            "data": {
                "set": sheet.set,
                "annotator": sheet.annotator,
                "case": case,
                "question": QUESTION,
                "choices": [{"value": choice} for choice in _choices(words)],
            }
        }
        for case, words in sheet.cases
    ]
    return msgspec.json.format(msgspec.json.encode(tasks), indent=1) + b"\n"


def _choices(words: tuple[str, ...]) -> list[str]:
    numbered = [f"{number}. {word}" for number, word in enumerate(words, start=1)]
    return [*numbered, f"{CANNOT_TELL}. cannot tell"]


def parse_export(data: bytes, where: str) -> list[Answer]:
    """The answers of a JSON export of Label Studio; skipped tasks give none. DamagedInputError if it is none."""
    tasks = decode_json(data, list[_Task], where, "a JSON export of Label Studio")
    return [
        answer
        for task in tasks
        for annotation in task.annotations
        if annotation.result and not annotation.was_cancelled
        for answer in _answers(task.data, annotation, f"{where}: task of {task.data.case}")
    ]


def _answers(data: _Data, annotation: _Annotation, where: str) -> Iterator[Answer]:
    """The answer of an annotation; of two, which may lack the second, both."""
    values = {result.from_name: result.value for result in annotation.result}
    remark = values.get("remark", {}).get("text", "")
    # A text area gives a list of what was submitted; its first versions gave a string.
    text = " ".join(map(str, remark)) if isinstance(remark, list) else str(remark)
    for name, with_help in ((_WITHOUT_HELP, False), ("answer", True)):
        if name in values or (with_help and _WITHOUT_HELP not in values):
            choice = _choice(values.get(name, {}).get("choices", []), where)
            yield Answer(data.set, data.annotator, data.case, choice, text, where, with_help)


def _choice(choices: object, where: str) -> int:
    match = _CHOICE.fullmatch(str(choices[0])) if isinstance(choices, list) and len(choices) == 1 else None
    if match is None:
        raise DamagedInputError(f"{where}: expected one choice that begins with its number, saw {choices!r}")
    return int(match[1])
