"""Create sheets on which annotators find the outliers of test cases, and score their answers.

wikisem annotate OUT --language de --output SHEETS samples test cases and writes, for each annotator, a page that works
from disk, a CSV file and Label Studio tasks; the key stays apart in SHEETS/key.json. Put their answers into
SHEETS/answers. wikisem annotate --score SHEETS then gives accuracy by outlier class and agreement, and the scores of
--vectors on the same test cases.
"""

import argparse
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.table import Column, Table

from wikisem.datasets.files import data_set_path
from wikisem.datasets.word_groups import read_language
from wikisem.errors import DamagedInputError, MissingExtraError, MissingInputError, UsageError, optional_module
from wikisem.evaluation.outlier_detection import Evaluation, GroupScore, keep_shared, score_models, words_of
from wikisem.evaluation.statistics import ErrorBars, IntArray, bootstrap, mean_of_shares
from wikisem.evaluation.vectors.models import open_model
from wikisem.files import make_folder, path_of, write_files
from wikisem.outputs.annotation import sheets
from wikisem.pipeline.cli import Options, at_least
from wikisem.pipeline.commands.scoring import import_from_here
from wikisem.pipeline.console.terminal import make_console, number_columns, print_json, print_line
from wikisem.records import Group, Member, Outlier, class_of

Report = dict[str, Any]  # under the names that programs read
ANSWERS: Final = "answers"
SHEETS: Final = "sheets"
_GROUPS: Final = 60
_ANNOTATORS: Final = 5
_PEOPLE: Final = "annotators"
_SEED: Final = 500
# The options of the step that writes sheets, which mean nothing when answers are scored.
_SAMPLING: Final = ("output", "language", "groups", "annotators", "overlap", "two_answers", "vocabulary", "seed")

OPTIONS: Final[Options] = {
    "--groups": {"convert": at_least(1)},
    "--annotators": {"convert": at_least(1)},
    "--overlap": {"convert": at_least(0)},
    "--score": {"convert": path_of},
    "--vocabulary": {},
}


def run(arguments: argparse.Namespace) -> int:
    """Write sheets of test cases for annotators, or with --score SHEETS score their answers."""
    if arguments.score is not None:
        _score_sheets(arguments)
        return 0
    needed = {"OUT": arguments.dataset, "--language": arguments.language, "--output": arguments.output}
    if missing := [name for name, value in needed.items() if value is None]:
        raise UsageError(f"expected OUT, --language and --output, or --score SHEETS, saw no {', '.join(missing)}")
    if arguments.vectors or arguments.json:
        raise UsageError("--vectors and --json need --score SHEETS")
    groups, output = read_language(data_set_path(arguments.dataset), arguments.language), arguments.output
    if sources := arguments.vocabulary:
        import_from_here(*sources)
        items = {word for group in groups for word in words_of(group)}
        groups = keep_shared(groups, (open_model(source, items=items) for source in sources))
    number = arguments.groups or _GROUPS
    annotation = sheets.sample_cases(
        groups,
        arguments.language,
        seed=_SEED if arguments.seed is None else arguments.seed,
        wanted=number,
        annotators=arguments.annotators or _ANNOTATORS,
        overlap=number // 4 if arguments.overlap is None else arguments.overlap,  # cases of all, to measure agreement
        two_answers=arguments.two_answers,
    )
    write_sheets(annotation, output)
    numbers = sorted({len(cases) for cases in annotation.annotators.values()})
    print_line(
        f"set {annotation.fingerprint}: {len(annotation.cases)} test cases in {annotation.language}, "
        f"{' or '.join(map(str, numbers))} for each of {len(annotation.annotators)} annotators, "
        f"{len(annotation.overlap)} of them for all\n"
        f"sheets for annotators: {output / SHEETS}\n"
        f"put their answers into {output / ANSWERS}, then: wikisem annotate --score {output}\n"
        f"the key, not for annotators: {output / sheets.KEY_FILE}"
    )
    return 0


def _score_sheets(arguments: argparse.Namespace) -> None:
    """Score the answers of annotators, and models on the same cases, and print the report as tables or as JSON.

    If annotators answered each case twice, without and with help, there is a report of each.
    """
    values = {name: getattr(arguments, name) for name in ("dataset", *_SAMPLING)}
    # A number that is 0 was given; a flag that is False and an empty list were not.
    if given := [name for name, value in values.items() if not (value is None or value is False or value == [])]:
        seen = "OUT" if given[0] == "dataset" else f"--{given[0].replace('_', '-')}"
        raise UsageError(f"expected --score SHEETS without what sheets are made from, saw {seen}")
    annotation = sheets.read_key(arguments.score)
    answers = read_answers(arguments.score, annotation)
    # Models are scored on the same cases, each as a group with one outlier.
    import_from_here(*arguments.vectors)
    groups = case_groups(annotation.cases, annotation.language)
    models, _ = score_models(groups, (open_model(source) for source in arguments.vectors))
    reports, no_alpha = _reports_of(answers, annotation, models)
    missing = sheets.missing_answers(answers, annotation)
    # As JSON: of two reports, the one with help is the main one, and has the other inside.
    if arguments.json:
        whole: Report = {"set": annotation.fingerprint, "language": annotation.language}
        whole |= {"cases": len(annotation.cases), "overlap": len(annotation.overlap)}
        *without_help, with_help = reports.values()
        whole |= {**with_help, "missing": missing, **({"without_help": without_help[0]} if without_help else {})}
        print_json(whole, indented=True)
        return
    # As tables, with the cases that lack an answer, by annotator.
    print_line(f"set {annotation.fingerprint}: {len(annotation.cases)} test cases in {annotation.language}")
    for name, report in reports.items():
        if name:
            print_line(name)
        _print_report(report, no_alpha)
    for name, unanswered in missing.items():
        listed = ", ".join(unanswered[:5]) + (", …" if len(unanswered) > 5 else "")
        asked = len(annotation.annotators[name])
        print_line(f"{name}: {len(unanswered)} of {asked} without an answer: {listed}")
    for model in models:
        for note in model.notes:
            print_line(f"{model.name}: {note}")


def _reports_of(
    answers: Sequence[sheets.Answer], annotation: sheets.AnnotationSet, models: Sequence[Evaluation[GroupScore]]
) -> tuple[dict[str, Report], str]:
    """Report on annotators and models, by "without help" and "with help" if each case is answered twice, else by "".

    The second result says why Krippendorff's alpha, their agreement, is not known where a report has none.
    """
    reports: dict[str, Report] = {}
    no_alpha = "it needs two answers to the same case, and answers that are not all the same"
    for name in ("without help", "with help") if annotation.two_answers else ("",):  # a single answer is with help
        of_kind = [answer for answer in answers if answer.with_help == (name != "without help")]
        shares, alpha = case_shares(of_kind, annotation), None
        try:
            alpha = agreement(of_kind, annotation)
        except MissingExtraError as error:  # accuracy needs no library, and is printed anyway
            no_alpha = str(error)
        of_models = [score_model(model, shares, annotation.seed) for model in models]
        about_models = {"alpha": bars_as_json(alpha), "models": of_models}
        reports[name] = score_annotators(of_kind, annotation) | about_models
    return reports, no_alpha


def write_sheets(annotation: sheets.AnnotationSet, folder: Path) -> None:
    """Write key.json, which is not for annotators, and sheets/: a page, a spreadsheet and tasks for each annotator.

    Their answers are to be put into answers/. UsageError if the folder holds another set, whose answers would be lost.
    """
    if (folder / sheets.KEY_FILE).exists() and (other := sheets.read_key(folder).fingerprint) != annotation.fingerprint:
        seen = f"those of another set, {other}; choose another --output"
        raise UsageError(f"{folder}: expected a folder without sheets, saw {seen}")
    files = {
        sheets.KEY_FILE: sheets.encode_key(annotation),
        f"{SHEETS}/instructions.txt": sheets.instructions_text(annotation.two_answers).encode(),
        f"{SHEETS}/label-studio.xml": sheets.labelling_config(annotation.two_answers).encode(),
    }
    for annotator in annotation.annotators:
        sheet = annotation.sheet(annotator)
        files[f"{SHEETS}/{annotator}.html"] = sheets.format_page(sheet).encode()
        files[f"{SHEETS}/{annotator}.csv"] = sheets.format_csv(sheet).encode()
        files[f"{SHEETS}/{annotator}.label-studio.json"] = sheets.format_tasks(sheet)
    write_files(folder, files.items())
    make_folder(str(folder / ANSWERS))


def read_answers(folder: Path, annotation: sheets.AnnotationSet) -> list[sheets.Answer]:
    """Read and check the annotators' answers in all files below ``answers/``; MissingInputError if there are none."""
    paths = sorted((folder / ANSWERS).rglob("*"))
    files = [path for path in paths if path.suffix.lower() in {".json", ".csv"} and path.is_file()]
    answers: list[sheets.Answer] = []
    for file in files:
        try:
            data = file.read_bytes()
        except OSError as error:
            raise DamagedInputError(f"{file}: expected a file of answers, saw {error}") from error
        if file.suffix.lower() == ".csv":
            answers += sheets.parse_csv(data, str(file))
            continue
        text = data.removeprefix(b"\xef\xbb\xbf")  # a byte order mark, as some editors write it
        # An export of Label Studio is a list of tasks, the page's file an object.
        parse = sheets.parse_export if text.lstrip().startswith(b"[") else sheets.parse_page_answers
        answers += parse(text, str(file))
    if not answers:
        seen = f"none in {len(files)} files" if files else "no such file"
        wanted = "answers (JSON from the page, a filled CSV, or a JSON export of Label Studio)"
        raise MissingInputError(f"{folder / ANSWERS}: expected {wanted}, saw {seen}")
    return sheets.check_answers(answers, annotation)


def case_shares(answers: Iterable[sheets.Answer], annotation: sheets.AnnotationSet) -> dict[str, float]:
    """Find the share of right answers of each case that was answered."""
    right: defaultdict[str, list[bool]] = defaultdict(list)
    for answer in answers:
        right[answer.case].append(answer.choice == annotation.by_id[answer.case].outlier)
    return {case: sum(own) / len(own) for case, own in sorted(right.items())}


def score_annotators(answers: Sequence[sheets.Answer], annotation: sheets.AnnotationSet) -> Report:
    """Count the answers of each annotator, and average the accuracy of all, with error bars.

    Accuracy is a mean over test cases, each of which counts once with the share of its answers that are right: so it
    compares with a model's, and cases that all annotators get do not count more than others. "Cannot tell" is not
    right. The share of "right_answers" among "answers" is what section 4.2 of Blair et al. (2016) calls precision.
    """
    annotators: list[Report] = []
    for name, asked in annotation.annotators.items():
        own = [answer for answer in answers if answer.annotator == name]
        right = sum(answer.choice == annotation.by_id[answer.case].outlier for answer in own)
        unsure = sum(answer.choice == sheets.CANNOT_TELL for answer in own)
        counts = {"asked": len(asked), "answered": len(own), "right": right, "cannot_tell": unsure}
        annotators.append({"annotator": name, **counts})
    shares = case_shares(answers, annotation)
    classes = {case.id: class_of(case.outlier_class).key for case in annotation.cases}
    right_answers = sum(counts["right"] for counts in annotators)
    accuracy = bars_as_json(mean_of_shares(list(shares.values()), annotation.seed))
    report: Report = {"annotators": annotators, "answers": len(answers), "right_answers": right_answers}
    return report | {"accuracy": accuracy, "by_outlier_class": _by_class(shares, classes, annotation.seed)}


def _by_class(shares: Mapping[str, float], classes: Mapping[str, str], seed: int) -> Report:
    own = {name: [share for case, share in shares.items() if classes[case] == name] for name in classes.values()}
    return {name: bars_as_json(mean_of_shares(own[name], seed)) for name in sorted(own)}


def bars_as_json(bars: ErrorBars | None) -> Report | None:
    """Name a mean over cases, how many there are, and the ends of its interval."""
    return None if bars is None else {"count": bars.n, "value": bars.value, "low": bars.low, "high": bars.high}


def agreement(answers: Iterable[sheets.Answer], annotation: sheets.AnnotationSet) -> ErrorBars | None:
    """Measure Krippendorff's alpha for nominal values over the cases with two answers or more; None if undefined.

    The value of an answer is the number of the chosen word, from 1, or 0 for "cannot tell". As outliers are at every
    position equally often, somebody who chooses without reading agrees by chance only. The interval is a bootstrap
    over cases. MissingExtraError if the krippendorff library is not installed.
    """
    row_of = {case.id: row for row, case in enumerate(annotation.cases)}
    # How many annotators chose each value (column) in each case (row).
    counts = np.zeros((len(row_of), max(len(case.words) for case in annotation.cases) + 1), dtype=np.int64)
    for answer in answers:
        counts[row_of[answer.case], answer.choice] += 1
    counts = counts[counts.sum(axis=1) >= 2]
    value = krippendorff_alpha(counts)
    if math.isnan(value):
        return None
    low, high = bootstrap(len(counts), lambda drawn: krippendorff_alpha(counts[drawn]), annotation.seed)
    return ErrorBars(value, low, high, None, len(counts))


def krippendorff_alpha(counts: IntArray) -> float:
    """Nominal alpha of how many chose each value in each case, two or more in all; NaN if all chose the same value."""
    alpha = optional_module("krippendorff", "agreement", "agreement").alpha  # an extra, because its licence is the GPL
    if np.count_nonzero(counts.sum(axis=0)) < 2:
        return math.nan
    return float(alpha(value_counts=counts, level_of_measurement="nominal"))


def case_groups(cases: Iterable[sheets.AnnotationCase], language: str) -> list[Group]:
    """Turn cases into test groups with one outlier each, on which models are scored; a group has the id of its case."""
    return [
        Group(
            id=case.id,
            language=language,
            cluster=tuple(Member(surface=word) for n, word in enumerate(case.words, start=1) if n != case.outlier),
            outliers=(Outlier(surface=case.words[case.outlier - 1], outlier_class=case.outlier_class),),
            where=case.id,
        )
        for case in cases
    ]


def score_model(evaluation: Evaluation[GroupScore], shares: Mapping[str, float], seed: int) -> Report:
    """Report how a model did on the cases that annotators answered, and how they did on those that it can score.

    ``evaluation`` is of ``case_groups``, so each group is one case; ``shares`` are the shares of annotators' answers
    that are right, by case. "opp" is the outlier position percentage.
    """
    scored = {group.group.id: case for group in evaluation.scores for case in group.cases if group.group.id in shares}
    classes = {group.group.id: group.group.outliers[0].of_class.key for group in evaluation.scores}
    detected = {case: float(score.detected) for case, score in scored.items()}
    positions, of_annotators = [score.position for score in scored.values()], [shares[case] for case in scored]
    return {
        "name": evaluation.name,
        "notes": list(evaluation.notes),
        "opp": bars_as_json(mean_of_shares(positions, seed)),
        "accuracy": bars_as_json(mean_of_shares(list(detected.values()), seed)),
        "by_outlier_class": _by_class(detected, classes, seed),
        "annotators_on_the_same_cases": bars_as_json(mean_of_shares(of_annotators, seed)),
    }


def _print_report(report: Report, no_alpha: str) -> None:
    """Print the answers of each annotator, then scores by outlier class, agreement, and how many answers are right.

    ``no_alpha`` says why agreement is not measured, where it is not. OPP is the outlier position percentage.
    """
    console, folded = make_console(), {"overflow": "fold", "no_wrap": True}
    # A row for each annotator.
    names = ("asked", "answered", "right", "cannot tell")
    table = Table(Column("annotator", overflow="fold"), *number_columns(*names, "accuracy", **folded))
    for row in report["annotators"]:
        counts = [str(row[name.replace(" ", "_")]) for name in names]
        accuracy = f"{100 * row['right'] / row['answered']:.2f}" if row["answered"] else "–"
        table.add_row(row["annotator"], *counts, accuracy)
    console.print(table)
    # Rows of all annotators, by outlier class; then those of each model, with annotators on the cases it can score.
    words = (Column(name, overflow="fold") for name in ("", "outlier class"))
    table = Table(*words, *number_columns("cases", "accuracy", "95 % interval", "OPP", **folded))
    for scored in ({"name": _PEOPLE, "opp": None, **report}, *report["models"]):
        rows = [*scored["by_outlier_class"].items(), ("all", scored["accuracy"])]
        for number, (outlier_class, bars) in enumerate(rows):
            opp = f"{100 * scored['opp']['value']:.2f}" if scored["opp"] and outlier_class == "all" else ""
            table.add_row("" if number else scored["name"], outlier_class, *_cells(bars), opp)
        if "annotators_on_the_same_cases" in scored:
            table.add_row(f"{_PEOPLE}, same cases", "all", *_cells(scored["annotators_on_the_same_cases"]), "")
        table.add_section()
    console.print(table)
    agreement = f"no Krippendorff's alpha: {no_alpha}"
    if alpha := report["alpha"]:
        interval = f"{alpha['value']:.3f} ({alpha['low']:.3f} to {alpha['high']:.3f})"
        agreement = f"Krippendorff's alpha {interval}, from {alpha['count']} test cases with two answers or more"
    print_line(f"agreement: {agreement}")
    if answers := report["answers"]:
        right = report["right_answers"]
        print_line(f"right answers: {right} of {answers} ({100 * right / answers:.2f} %)")


def _cells(bars: Report | None) -> tuple[str, str, str]:
    """The number of test cases, the accuracy and its interval, both in percent."""
    if bars is None:
        return "0", "–", ""
    value, low, high = (f"{100 * bars[name]:.2f}" for name in ("value", "low", "high"))
    return str(bars["count"]), value, f"{low} to {high}"
