"""Sheets as tasks of Label Studio, with the labelling configuration, and the answers of its JSON export.

Choices come from the task (https://labelstud.io/tags/choices, read 2026-11), so that one configuration serves all
sheets. A choice begins with its number, by which its answer is read.
"""

import re
from typing import Any, Final
from xml.sax.saxutils import quoteattr

import msgspec

from wikisem.errors import DamagedInputError
from wikisem.outputs.annotation.annotation_set import CANNOT_TELL, Sheet
from wikisem.outputs.annotation.answers import Answer
from wikisem.outputs.annotation.instructions import INSTRUCTIONS, QUESTION

_CHOICE: Final = re.compile(r"(\d+)\. .*", re.DOTALL)

_CONFIG: Final = """<View>
{headers}
  <Text name="question" value="$question"/>
  <Choices name="answer" toName="question" value="$choices" choice="single" layout="vertical" required="true"/>
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


def labelling_config() -> str:
    """The labelling configuration, for the project's settings; the same for all sheets."""
    headers = "\n".join(f'  <Header size="5" value={quoteattr(text)}/>' for text in INSTRUCTIONS)
    return _CONFIG.format(headers=headers)


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
    try:
        tasks = msgspec.json.decode(data, type=list[_Task])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DamagedInputError(f"{where}: expected a JSON export of Label Studio, saw {error}") from error
    return [
        _answer(task.data, annotation, f"{where}: task of {task.data.case}")
        for task in tasks
        for annotation in task.annotations
        if annotation.result and not annotation.was_cancelled
    ]


def _answer(data: _Data, annotation: _Annotation, where: str) -> Answer:
    values = {result.from_name: result.value for result in annotation.result}
    choices = values.get("answer", {}).get("choices", [])
    match = _CHOICE.fullmatch(str(choices[0])) if isinstance(choices, list) and len(choices) == 1 else None
    if match is None:
        raise DamagedInputError(f"{where}: expected one choice that begins with its number, saw {choices!r}")
    remark = values.get("remark", {}).get("text", "")
    # A text area gives a list of what was submitted; its first versions gave a string.
    text = " ".join(map(str, remark)) if isinstance(remark, list) else str(remark)
    return Answer(data.set, data.annotator, data.case, int(match[1]), text, where)
