"""Answers in each of the three forms, as annotators send them back."""

import csv
import io
import json
from collections.abc import Callable, Mapping

from wikisem.outputs.annotation.sheets import (
    Answer,
    Sheet,
    format_csv,
    format_tasks,
    parse_csv,
    parse_export,
    parse_page_answers,
)

Choices = Mapping[str, int]


def page_answers(sheet: Sheet, choices: Choices, first: Choices | None = None) -> bytes:
    """The file that the page downloads; ``first`` are answers without help."""
    answers: list[dict[str, object]] = [
        {"case": case, "answer": choices.get(case), "remark": f"on {case}, “ok”"}
        for case in dict.fromkeys([*choices, *(first or {})])
    ]
    if first is not None:
        for answer in answers:
            answer["without_help"] = first.get(str(answer["case"]))
    return json.dumps({"set": sheet.set, "annotator": sheet.annotator, "answers": answers}).encode()


def filled_csv(
    sheet: Sheet, choices: Choices, first: Choices | None = None, delimiter: str = ",", unsure: str = "?"
) -> bytes:
    """The CSV as a spreadsheet program saves it after somebody filled it in."""
    rows = list(csv.DictReader(io.StringIO(format_csv(sheet).removeprefix("\ufeff"), newline="")))
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]), delimiter=delimiter, lineterminator="\r\n")
    writer.writeheader()
    for row in rows:
        for column, given in (("answer", choices), ("answer without help", first)):
            if given is not None and (choice := given.get(row["case"])) is not None:
                row[column] = str(choice or unsure)
                row["remark"] = f"on {row['case']}, “ok”"
        writer.writerow(row)
    return ("\ufeff" + text.getvalue()).encode()


def label_studio_export(sheet: Sheet, choices: Choices, first: Choices | None = None) -> bytes:
    """A JSON export of Label Studio: our tasks with annotations, tasks without an answer skipped."""
    tasks = json.loads(format_tasks(sheet))
    for number, task in enumerate(tasks, start=1):
        case = task["data"]["case"]
        named = {option["value"].partition(".")[0]: option["value"] for option in task["data"]["choices"]}
        result = [
            {
                "id": name,
                "from_name": name,
                "to_name": "question",
                "type": "choices",
                "value": {"choices": [named.get(str(given[case]))]},
            }
            for name, given in (("answer", choices), ("without_help", first or {}))
            if case in given
        ]
        remark = {
            "id": "y",
            "from_name": "remark",
            "to_name": "question",
            "type": "textarea",
            "value": {"text": [f"on {case}, “ok”"]},
        }
        skipped = {"id": 1, "was_cancelled": True, "result": []}
        task["id"] = number
        task["annotations"] = [{"id": 2, "was_cancelled": False, "result": [*result, remark]} if result else skipped]
    return json.dumps(tasks).encode()


FORMS: Mapping[str, tuple[Callable[..., bytes], Callable[[bytes, str], list[Answer]]]] = {
    "page": (page_answers, parse_page_answers),
    "csv": (filled_csv, parse_csv),
    "label studio": (label_studio_export, parse_export),
}
