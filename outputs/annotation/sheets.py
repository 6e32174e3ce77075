"""Test cases for annotators: how they are sampled, their sheets, and the answers of filled sheets, which are checked.

The sample is balanced over outlier classes and positions, and depends only on the seed and the groups, not on their
order. Each group gives one test case, so that no annotator learns a cluster from another case. A sheet is a page, a
spreadsheet or Label Studio tasks.
"""

import csv
import hashlib
import io
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple
from xml.sax.saxutils import quoteattr

import msgspec

from wikisem.datasets.files import csv_cell, csv_rows
from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.outputs.html_page import direction, html_page, script_json, texts_in
from wikisem.records import Group
from wikisem.typed_json import decode_json, packaged_tables
from wikisem.wikipedia.languages import iso_639

# The answer in place of the number of a word, which counts from 1.
CANNOT_TELL: Final = 0


@dataclass(frozen=True, slots=True)
class AnnotationCase:
    """A test case as it is shown: its words in order, and the number of the outlier among them, counted from 1.

    ``id`` does not show the id of the group, which could be looked up; ``outlier_class`` is None if the data set does
    not have it.
    """

    id: str
    group: str
    words: tuple[str, ...]
    outlier: int
    outlier_class: int | None


class Sheet(NamedTuple):
    """The ids and words of one annotator's cases in the order in which they are shown, without the key.

    ``two_answers`` asks for one without help, then for one with it.
    """

    set: str
    annotator: str
    language: str
    cases: tuple[tuple[str, tuple[str, ...]], ...]
    two_answers: bool = False


@dataclass(frozen=True)
class AnnotationSet:
    """The cases of a language, the ids of those that every annotator gets, and each annotator's cases in order.

    With ``two_answers`` each case is answered twice, without help and then with it, as in the study of Camacho-Collados
    and Navigli (2016, 3.1).
    """

    language: str
    seed: int
    cases: tuple[AnnotationCase, ...]
    overlap: tuple[str, ...]
    annotators: dict[str, tuple[str, ...]]
    two_answers: bool = False

    @cached_property
    def by_id(self) -> dict[str, AnnotationCase]:
        """The cases by their ids."""
        return {case.id: case for case in self.cases}

    @cached_property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits: a digest of everything that annotators see."""
        seen: list[object] = [
            self.language,
            [[case.id, case.words] for case in self.cases],
            sorted((name, cases) for name, cases in self.annotators.items()),
        ]
        if self.two_answers:
            seen.append("two answers")
        return hashlib.blake2b(msgspec.json.encode(seen), digest_size=6).hexdigest()

    def sheet(self, annotator: str) -> Sheet:
        """The sheet of one annotator."""
        cases = tuple((case, self.by_id[case].words) for case in self.annotators[annotator])
        return Sheet(self.fingerprint, annotator, self.language, cases, self.two_answers)


# The key, the only file with the outliers.
KEY_FILE: Final = "key.json"


@dataclass(frozen=True, slots=True)
class _KeyFile:
    format: Literal["wikisem annotation key 1"]
    fingerprint: str
    set: AnnotationSet


def encode_key(annotation: AnnotationSet) -> bytes:
    """Encode ``key.json``."""
    key = _KeyFile("wikisem annotation key 1", annotation.fingerprint, annotation)
    return msgspec.json.format(msgspec.json.encode(key), indent=1) + b"\n"


def read_key(folder: Path) -> AnnotationSet:
    """Read the annotation set of a folder of sheets; MissingInputError without a key, DamagedInputError if changed."""
    path = folder / KEY_FILE
    if not path.is_file():
        raise MissingInputError(f"{folder}: expected a folder that wikisem annotate wrote, saw no {KEY_FILE} in it")
    key = decode_json(path.read_bytes(), _KeyFile, str(path), "the key of an annotation set")
    annotation = key.set
    ids = {case.id for case in annotation.cases}
    unknown = {case for cases in annotation.annotators.values() for case in cases} - ids
    unplaced = [case.id for case in annotation.cases if not 1 <= case.outlier <= len(case.words)]
    if unknown or unplaced:
        raise DamagedInputError(f"{path}: expected outliers among the words of known cases, saw {unknown or unplaced}")
    wanted, seen = key.fingerprint, annotation.fingerprint
    if seen != wanted:
        raise DamagedInputError(f"{path}: expected the cases of set {wanted}, saw those of {seen}: it was changed")
    return annotation


_Class = int | None


class _Candidate(NamedTuple):
    """A group as its words are shown, with its outliers by class; ``key`` identifies it and sorts it."""

    key: str
    id: str
    cluster: tuple[str, ...]
    outliers: Mapping[_Class, Sequence[str]]


class _Chosen(NamedTuple):
    group: _Candidate
    outlier_class: _Class
    outlier: str


def sample_cases(
    groups: Iterable[Group],
    language: str,
    seed: int,
    wanted: int,
    annotators: int,
    overlap: int,
    two_answers: bool = False,
) -> AnnotationSet:
    """Sample one test case from each of as many groups as ``wanted`` and deal them to the annotators.

    ``overlap`` of the groups go to every annotator, the others to one each. With ``two_answers``, each case is answered
    without help and then with it.

    Outlier classes are balanced over all cases, the overlap and each annotator's share: if every group has all
    classes, their counts differ by at most one. Positions of outliers are balanced over all cases and over each of
    these parts. UsageError if the numbers leave an annotator without a case, MissingInputError with too few groups.

    An example with six groups, two annotators and an overlap of two; O1 to O3 are outlier classes:

        chosen       a:O1  b:O2  c:O3  d:O1  e:O2  f:O3      balanced, each class in turn
        everyone     a:O1  b:O2
        annotator-1              c:O3  d:O1
        annotator-2                          e:O2  f:O3
    """
    if overlap > wanted:
        raise UsageError(f"expected an overlap of at most {wanted} groups, all there are, saw {overlap}")
    alone = wanted - overlap
    if not overlap and alone < annotators:
        raise UsageError(f"expected a group for each of {annotators} annotators, saw {alone}")
    candidates = _candidates(groups, seed)
    if len(candidates) < wanted:
        seen = f"saw {len(candidates)}; --groups asks for fewer"
        raise MissingInputError(f"expected at least {wanted} test groups in {language} to sample from, {seen}")
    chosen = _choose_outliers(candidates[:wanted], seed)
    # Runs of the chosen cases: the overlap, then each annotator's own share, equal in size or one apart.
    ends = [overlap + alone * number // annotators for number in range(annotators + 1)]
    parts = [chosen[:overlap], *(chosen[start:end] for start, end in pairwise(ends))]
    cases = _make_cases(parts, seed)
    for_all, *shares = [[cases[case.group.key].id for case in part] for part in parts]
    sheets = {}
    for number, share in enumerate(shares, start=1):
        name = f"annotator-{number}"
        sheets[name] = tuple(_shuffle([*for_all, *share], seed, "sheet", name))
    by_id = sorted(cases.values(), key=lambda case: case.id)
    return AnnotationSet(
        language, seed, tuple(by_id), tuple(sorted(for_all)), annotators=sheets, two_answers=two_answers
    )


def _candidates(groups: Iterable[Group], seed: int) -> list[_Candidate]:
    """The groups that have two words of the cluster and an outlier left once repeated words are taken out, shuffled."""
    by_key = {}
    for group in groups:
        words = [" ".join(member.surface.replace("_", " ").split()) for member in group.members]
        cluster = tuple(dict.fromkeys(words[: len(group.cluster)]))
        outliers: defaultdict[_Class, list[str]] = defaultdict(list)
        for outlier, word in zip(group.outliers, words[len(group.cluster) :], strict=True):
            of_class = outliers[outlier.outlier_class]
            if word not in cluster and word not in of_class:
                of_class.append(word)
        by_class = {outlier_class: of_class for outlier_class, of_class in outliers.items() if of_class}
        if len(cluster) >= 2 and by_class:
            key = _key(seed, "group", group.id, *cluster)
            by_key[key] = _Candidate(key, group.id, cluster, outliers=by_class)
    return [by_key[key] for key in sorted(by_key)]  # in the order of hashes, whatever the order of ``groups``


def _choose_outliers(groups: Sequence[_Candidate], seed: int) -> list[_Chosen]:
    """Choose one outlier per group so that outlier classes are balanced, and order the groups by class: O3 O1 O2 O3 O1.

    Groups with the fewest classes choose first, as the others can balance them. In the result classes take turns, the
    most frequent first, so that any slice of it is balanced, too; with another class first, it might end in O3 O3.
    """
    counts: Counter[_Class] = Counter()
    chosen = list[_Chosen]()
    for group in sorted(groups, key=lambda group: (len(group.outliers), group.key)):
        rarest = min(group.outliers, key=lambda name: (counts[name], _key(seed, "class", group.key, str(name))))
        counts[rarest] += 1
        chosen.append(_Chosen(group, rarest, _shuffle(group.outliers[rarest], seed, "outlier", group.key)[0]))
    # Number the cases of each class: those with number 0 come first, one of each class, then those with 1.
    turns, turn_of = Counter[_Class](), dict[str, int]()
    for case in sorted(chosen, key=lambda case: case.group.key):
        turn_of[case.group.key] = turns[case.outlier_class]
        turns[case.outlier_class] += 1
    return sorted(
        chosen, key=lambda case: (turn_of[case.group.key], -counts[case.outlier_class], case.outlier_class or 0)
    )


def _make_cases(parts: Iterable[Sequence[_Chosen]], seed: int) -> dict[str, AnnotationCase]:
    """Make the cases, by the key of their group: shuffled words of the cluster with the outlier put among them.

    Cases are taken by part and class, and the outlier's position goes up by one from case to case: each is about as
    frequent, and tells nothing of either. Ids are numbers in an independent order, which tells nothing either.
    """
    in_turn = [case for part in parts for case in sorted(part, key=lambda case: case.outlier_class or 0)]
    shuffled = _shuffle([case.group.key for case in in_turn], seed, "id")
    numbers = {key: number for number, key in enumerate(shuffled, start=1)}
    digits = len(str(len(numbers)))
    used: Counter[int] = Counter()
    cases = {}
    for case in in_turn:
        group = case.group
        words = _shuffle(group.cluster, seed, "word", group.key)
        size = len(words) + 1
        # The first position of each size is drawn; every further case has the next one.
        position = (int(_key(seed, "position", str(size)), 16) + used[size]) % size
        used[size] += 1
        words.insert(position, case.outlier)
        cases[group.key] = AnnotationCase(
            id=f"case-{numbers[group.key]:0{digits}}",
            group=group.id,
            words=tuple(words),
            outlier=position + 1,
            outlier_class=case.outlier_class,
        )
    return cases


def _shuffle(items: Iterable[str], seed: int, *purpose: str) -> list[str]:
    return sorted(items, key=lambda item: _key(seed, *purpose, item))


def _key(seed: int, *parts: str) -> str:
    text = "\x1f".join([str(seed), *parts])
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class Answer(NamedTuple):
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


# What annotators are told, the same in every form of a sheet.
_TEXTS: Final = packaged_tables(__package__, "instructions.toml")
TITLE: Final[str] = _TEXTS["title"]
QUESTION: Final[str] = _TEXTS["question"]


def instructions(two_answers: bool) -> list[str]:
    """The paragraphs of instructions."""
    return list(_TEXTS["two_answers" if two_answers else "one_answer"])


def instructions_text(two_answers: bool) -> str:
    """Write the instructions as plain text, for annotators with a spreadsheet."""
    columns = _TEXTS["spreadsheet_columns"][1 if two_answers else 0]
    return "\n\n".join([TITLE, *instructions(two_answers), _TEXTS["spreadsheet"].format(columns), ""])


def format_page(sheet: Sheet) -> str:
    """Write a sheet as a self-contained page, without server or requests; answers are offered as a download.

    The page is in the language of the words, if interface.toml has it, else in English.
    """
    texts = texts_in("annotation", [iso_639(sheet.language)])
    told = (f"        <li data-t>{escape(text)}</li>" for text in instructions(sheet.two_answers))
    shown = {
        "set": sheet.set,
        "annotator": sheet.annotator,
        "language": sheet.language,
        "direction": direction(word for _, words in sheet.cases for word in words),
        "interface": next(iter(texts), "en"),
        "texts": next(iter(texts.values()), {}),
        "two_answers": sheet.two_answers,
        "cases": [{"id": case, "words": words} for case, words in sheet.cases],
    }
    parts = {"TITLE": escape(TITLE), "QUESTION": escape(QUESTION), "ANNOTATOR": escape(sheet.annotator)}
    parts |= {"INSTRUCTIONS": "\n".join(told), "SHEET": script_json(shown)}
    return html_page("wikisem.outputs.annotation", parts)


class _PageAnswer(msgspec.Struct):
    case: str
    answer: int | None = None
    without_help: int | None = None
    remark: str = ""


class _PageAnswers(msgspec.Struct):
    set: str
    annotator: str
    answers: list[_PageAnswer]


def parse_page_answers(data: bytes, where: str) -> list[Answer]:
    """Read the answers of a JSON file that the page of a sheet saves; DamagedInputError for another file."""
    file = decode_json(data, _PageAnswers, where, "answers as the page downloads them")
    # The number of a word chosen without help, if the set asks for two answers, and of the one chosen with help.
    return [
        Answer(file.set, file.annotator, answer.case, choice, answer.remark, where, with_help)
        for answer in file.answers
        for choice, with_help in ((answer.without_help, False), (answer.answer, True))
        if choice is not None
    ]


# CSV that spreadsheet programs open.

_FIRST: Final = ("set", "annotator", "case")
_COLUMN_WITHOUT_HELP: Final = "answer without help"
_LAST: Final = ("answer", "remark")


def format_csv(sheet: Sheet) -> str:
    """Write a sheet as CSV, one line per case with empty cells for the answer and a remark.

    It is UTF-8 with a byte order mark, by which spreadsheet programs recognise it. A word that they would take for a
    formula begins with an apostrophe. Words are never read back: the number of the word is the answer.
    """
    most = max(len(words) for _, words in sheet.cases)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    last = (_COLUMN_WITHOUT_HELP, *_LAST) if sheet.two_answers else _LAST
    writer.writerow([*_FIRST, *(f"word {number}" for number in range(1, most + 1)), *last])
    for case, words in sheet.cases:
        empty = [""] * (most - len(words) + len(last))
        writer.writerow([sheet.set, sheet.annotator, case, *map(csv_cell, words), *empty])
    return "\ufeff" + text.getvalue()


# Programs choose the delimiter by the language of the user.
_DELIMITERS: Final = ",;\t"
_CANNOT_TELL: Final = frozenset({"?", "？", "cannot tell"})
_LONGEST_NUMBER: Final = 9


def parse_csv(data: bytes, where: str) -> list[Answer]:
    """Read the answers of a filled sheet, with the line of each; DamagedInputError for another file.

    A line has an answer, one without help and one with it, or none. The delimiter is that of the header. An answer is
    the number of a word, which some programs write as 3.0, or ?.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DamagedInputError(f"{where}: expected CSV in UTF-8, saw {error}; save it as CSV UTF-8") from error
    columns, rows = csv_rows(text, where, max(_DELIMITERS, key=text.partition("\n")[0].count))
    if lost := [name for name in (*_FIRST, *_LAST) if name not in columns]:
        raise DamagedInputError(f"{where}:1: expected the columns of a sheet, saw no column {', '.join(lost)}")
    answers = []
    for line, row in rows:
        cells = {name: row.get(name, "").strip() for name in (*_FIRST, _COLUMN_WITHOUT_HELP, *_LAST)}
        about, place = (cells["set"], cells["annotator"], cells["case"]), f"{where}:{line}"
        for column, with_help in ((_COLUMN_WITHOUT_HELP, False), ("answer", True)):
            if not cells[column]:
                continue
            number = str(CANNOT_TELL) if cells[column].lower() in _CANNOT_TELL else cells[column].removesuffix(".0")
            if not number.isdecimal() or len(number) > _LONGEST_NUMBER:
                seen = f"saw {cells[column]!r}"
                raise DamagedInputError(f"{place}: expected the number of a word or ? as the answer, {seen}")
            answers.append(Answer(*about, int(number), cells["remark"], place, with_help))
    return answers


# Label Studio.

_NAME_WITHOUT_HELP: Final = "without_help"
_CHOICE: Final = re.compile(r"(\d{1,9})\. .*", re.DOTALL)
_HEADER: Final = '  <Header size="5" value={}/>'
_CHOICES: Final = (
    '  <Choices name="{}" toName="question" value="$choices" choice="single" layout="vertical"{} required="true"/>'
)


def labelling_config(two_answers: bool) -> str:
    """Write the XML that says what Label Studio shows for each task, to be pasted into the settings of its project.

    Choices come from the task, so that one configuration serves all sheets of a set. The second of two answers is shown
    once the first is given, by ``visibleWhen`` (https://labelstud.io/tags/choices, read 2026-11).
    """
    lines = [_HEADER.format(quoteattr(text)) for text in instructions(two_answers)]
    lines.append('  <Text name="question" value="$question"/>')
    when = ""
    if two_answers:
        lines += [_HEADER.format('"Without help"'), _CHOICES.format(_NAME_WITHOUT_HELP, "")]
        lines.append(_HEADER.format('"After up to three minutes of looking things up"'))
        when = f' visibleWhen="choice-selected" whenTagName="{_NAME_WITHOUT_HELP}"'
    lines.append(_CHOICES.format("answer", when))
    lines.append('  <TextArea name="remark" toName="question" placeholder="Remark (optional)" maxSubmissions="1"/>')
    return "\n".join(["<View>", *lines, "</View>", ""])


def format_tasks(sheet: Sheet) -> bytes:
    """Write the cases of a sheet as a JSON list of tasks; a choice begins with its number, by which it is read back."""
    tasks = []
    for case, words in sheet.cases:
        listed = [f"{number}. {word}" for number, word in enumerate(words, start=1)]
        choices = [{"value": choice} for choice in (*listed, f"{CANNOT_TELL}. cannot tell")]
        about = {"set": sheet.set, "annotator": sheet.annotator, "case": case}
        tasks.append({"data": {**about, "question": QUESTION, "choices": choices}})
    return msgspec.json.format(msgspec.json.encode(tasks), indent=1) + b"\n"


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


def parse_export(data: bytes, where: str) -> list[Answer]:
    """Read the answers of a JSON export of Label Studio without skipped tasks; DamagedInputError for another file.

    An annotation of a case has an answer with help, one without, or both; DamagedInputError also if it has neither.
    """
    answers = list[Answer]()
    tasks = decode_json(data, list[_Task], where, "a JSON export of Label Studio")
    for about, annotation in ((task.data, annotation) for task in tasks for annotation in task.annotations):
        if not annotation.result or annotation.was_cancelled:
            continue
        place = f"{where}: task of {about.case}"
        values = {result.from_name: result.value for result in annotation.result}
        remark = values.get("remark", {}).get("text", "")
        # A text area gives a list of texts; in its first versions it gave a string.
        text = " ".join(map(str, remark)) if isinstance(remark, list) else str(remark)
        for name, with_help in ((_NAME_WITHOUT_HELP, False), ("answer", True)):
            if name not in values and (not with_help or _NAME_WITHOUT_HELP in values):
                continue  # one of the two may be lacking, but not both
            choices = values.get(name, {}).get("choices", [])
            match = _CHOICE.fullmatch(str(choices[0])) if isinstance(choices, list) and len(choices) == 1 else None
            if match is None:
                raise DamagedInputError(f"{place}: expected one choice that begins with its number, saw {choices!r}")
            answers.append(Answer(about.set, about.annotator, about.case, int(match[1]), text, place, with_help))
    return answers


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
            helped = "" if answer.with_help else " without help"
            raise DamagedInputError(
                f"{answer.where}: expected one answer of {answer.annotator} to {answer.case}{helped}, saw "
                f"{answer.choice} here and {earlier.choice} in {earlier.where}"
            )
    return [kept[key] for key in sorted(kept)]


def _misfit(answer: Answer, annotation: AnnotationSet) -> str:
    """What was expected of an answer that does not fit its set, and what was seen; empty if it fits."""
    names, fingerprint = list(annotation.annotators), annotation.fingerprint
    if answer.set != fingerprint:
        return f"answers to set {fingerprint}, saw answers to {answer.set or 'none'}"
    if answer.annotator not in names:
        listed = ", ".join(names) if len(names) <= 3 else f"{names[0]} to {names[-1]}"
        return f"an annotator of this set ({listed}), saw {answer.annotator!r}"
    if answer.case not in annotation.annotators[answer.annotator]:
        return f"a case of the sheet of {answer.annotator}, saw {answer.case!r}"
    words = len(annotation.by_id[answer.case].words)
    if not CANNOT_TELL <= answer.choice <= words:
        choices = f"a word from 1 to {words} or {CANNOT_TELL} for cannot tell"
        return f"{choices} as the answer to {answer.case}, saw {answer.choice}"
    if not answer.with_help and not annotation.two_answers:
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
