"""The files of ``wikisem annotate``: test groups that are found, sheets that are written, answers that are read.

SHEETS/key.json                          the key; not for annotators
SHEETS/sheets/annotator-1.html           one page, spreadsheet and file of tasks for each annotator
SHEETS/sheets/annotator-1.csv
SHEETS/sheets/annotator-1.label-studio.json
SHEETS/sheets/instructions.txt           for the spreadsheets
SHEETS/sheets/label-studio.xml           the labelling configuration, for all tasks
SHEETS/answers/                          what comes back goes here, under any name
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from wikisem.atomic_files import write_files
from wikisem.datasets.word_groups import WordGroup, read_dataset
from wikisem.errors import DamagedInputError, MissingInputError, OutputError, UsageError
from wikisem.outputs.annotation.annotation_set import KEY_FILE, AnnotationSet, encode_key, read_key
from wikisem.outputs.annotation.answers import Answer, check_answers, parse_page_answers
from wikisem.outputs.annotation.instructions import instructions_text
from wikisem.outputs.annotation.label_studio import format_tasks, labelling_config, parse_export
from wikisem.outputs.annotation.page import format_page
from wikisem.outputs.annotation.spreadsheet import format_csv, parse_csv

ANSWERS: Final = "answers"
SHEETS: Final = "sheets"

_SUFFIXES: Final = (".json", ".csv")


def read_groups_in(path: Path, language: str) -> list[WordGroup]:
    """The groups of a language; MissingInputError if there are none, or if text does not say of which language it is.

    A run has them in ``groups/<language>.jsonl``, a release in a folder that is named by the language. Any other path
    is read whole, and groups that state another language are left out.
    """
    found = next((inner for inner in (path / "groups" / f"{language}.jsonl", path / language) if inner.exists()), path)
    if found == path and (path / "groups").is_dir():
        raise MissingInputError(f"{path}: expected groups in {language}, saw no groups/{language}.jsonl")
    groups = read_dataset(found)
    kept = [group for group in groups if group.language in {"", language}]
    if not kept:
        others = ", ".join(sorted({group.language for group in groups}))
        raise MissingInputError(f"{path}: expected groups in {language}, saw groups in {others or 'no language'}")
    _check_one_folder(kept, path, language)
    return kept


def _check_one_folder(groups: Sequence[WordGroup], path: Path, language: str) -> None:
    folders = sorted({Path(group.where).parent.name for group in groups if not group.language})
    if len(folders) > 1:
        raise MissingInputError(
            f"{path}: expected a folder {language} with groups in that language, saw folders {', '.join(folders)}"
        )


def write_sheets(annotation: AnnotationSet, folder: Path) -> None:
    """Write the key and all sheets; UsageError if the folder holds another set, whose answers would be lost."""
    if (folder / KEY_FILE).exists() and (other := read_key(folder).fingerprint) != annotation.fingerprint:
        raise UsageError(
            f"{folder}: expected a folder without sheets, saw those of another set, {other}; choose another --output"
        )
    write_files(folder, _files(annotation))
    try:
        (folder / ANSWERS).mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(f"expected to make {folder / ANSWERS}, saw {error}") from error


def _files(annotation: AnnotationSet) -> Iterator[tuple[str, bytes]]:
    yield KEY_FILE, encode_key(annotation)
    yield f"{SHEETS}/instructions.txt", instructions_text(annotation.two_answers).encode()
    yield f"{SHEETS}/label-studio.xml", labelling_config(annotation.two_answers).encode()
    for annotator in annotation.annotators:
        sheet = annotation.sheet(annotator)
        yield f"{SHEETS}/{annotator}.html", format_page(sheet).encode()
        yield f"{SHEETS}/{annotator}.csv", format_csv(sheet).encode()
        yield f"{SHEETS}/{annotator}.label-studio.json", format_tasks(sheet)


def read_answers(folder: Path, annotation: AnnotationSet) -> list[Answer]:
    """The checked answers of all files in ``answers/`` and the folders in it; MissingInputError if there are none."""
    answer_folder = folder / ANSWERS
    files = sorted(file for file in answer_folder.rglob("*") if file.suffix.lower() in _SUFFIXES and file.is_file())
    answers = [answer for file in files for answer in _read_file(file)]
    if not answers:
        raise MissingInputError(
            f"{answer_folder}: expected answers (JSON from the page, a filled CSV, or a JSON export of Label Studio), "
            f"saw {f'none in {len(files)} files' if files else 'no such file'}"
        )
    return check_answers(answers, annotation)


def _read_file(file: Path) -> list[Answer]:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise DamagedInputError(f"{file}: expected a file of answers, saw {error}") from error
    if file.suffix.lower() == ".csv":
        return parse_csv(data, str(file))
    # An export is a list of tasks, the page's file an object.
    parse = parse_export if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[") else parse_page_answers
    return parse(data.removeprefix(b"\xef\xbb\xbf"), str(file))
