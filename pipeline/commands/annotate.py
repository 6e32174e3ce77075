"""Ask people: write sheets on which annotators find the outliers of test cases, then score their answers.

wikisem annotate OUT --language de --output SHEETS samples test cases and writes, for each annotator, a page that works
from disk, a CSV file and Label Studio tasks; the key stays apart in SHEETS/key.json. What annotators send back goes
into SHEETS/answers. wikisem annotate --score SHEETS then gives accuracy by outlier class and agreement, and the scores
of --vectors on the same test cases.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from wikisem.datasets.word_groups import WordGroup
from wikisem.errors import UsageError
from wikisem.evaluation.annotators import agreement, case_groups, score_annotators, score_model
from wikisem.evaluation.intervals import Estimate
from wikisem.evaluation.outlier_detection import keep_shared, score_models, words_of
from wikisem.evaluation.outlier_scores import Evaluation
from wikisem.evaluation.vectors.models import open_model
from wikisem.ids import check_language
from wikisem.outputs.annotation.annotation_set import AnnotationSet, read_key
from wikisem.outputs.annotation.answers import Answer, missing_answers
from wikisem.outputs.annotation.sample import SampleOptions, sample_cases
from wikisem.pipeline.annotation_files import ANSWERS, SHEETS, read_answers, read_groups_in, write_sheets
from wikisem.pipeline.command_options import DATA_SET, add_local_output, refuse_beam_options
from wikisem.pipeline.console.annotation_report import AnnotationReport, AnswersReport, print_report, report_as_json
from wikisem.pipeline.console.terminal import print_json, print_line
from wikisem.pipeline.option_values import argument, at_least
from wikisem.pipeline.scored_models import import_from_here

_GROUPS: Final = 60
_ANNOTATORS: Final = 5
_SEED: Final = 500
# The options of the step that writes sheets, which mean nothing when answers are scored.
_SAMPLING: Final = ("output", "language", "groups", "annotators", "overlap", "two_answers", "vocabulary", "seed")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of both steps."""
    parser.add_argument(
        "dataset",
        metavar="OUT",
        nargs="?",
        type=Path,
        help=DATA_SET,
    )
    add_local_output(parser, "SHEETS", "the folder to write the sheets to", required=False)
    parser.add_argument("--language", type=argument(check_language), metavar="LANG", help="the language of the groups")
    parser.add_argument(
        "--groups",
        type=at_least(1),
        metavar="N",
        help=f"groups to sample, one test case of each (default: {_GROUPS})",
    )
    parser.add_argument(
        "--annotators",
        type=at_least(1),
        metavar="N",
        help=f"sheets, one for each annotator (default: {_ANNOTATORS})",
    )
    parser.add_argument(
        "--overlap",
        type=at_least(0),
        metavar="N",
        help="test cases that every annotator gets, which agreement needs (default: a quarter of the groups)",
    )
    parser.add_argument(
        "--two-answers",
        action="store_true",
        default=None,
        help="ask for two answers a case: without any help, then after up to three minutes of looking things up",
    )
    parser.add_argument(
        "--vocabulary",
        action="append",
        metavar="MODEL",
        help="ask only for words that this model knows, named as for --vectors; repeat for words that all of several "
        "models know, so that people and models answer the same cases",
    )
    parser.add_argument("--seed", type=at_least(0), metavar="N", help=f"the seed of what is drawn (default: {_SEED})")
    parser.add_argument("--score", type=Path, metavar="SHEETS", help="score the answers in SHEETS/answers")
    parser.add_argument(
        "--vectors",
        action="append",
        default=[],
        metavar="FILE",
        help="with --score: a model to set beside the annotators, as in wikisem evaluate; repeat to compare models",
    )
    parser.add_argument("--json", action="store_true", help="with --score: print one JSON object and no tables")


def run(arguments: argparse.Namespace, beam_options: Sequence[str]) -> int:
    """Write sheets, or score answers."""
    refuse_beam_options("annotate", beam_options)
    if arguments.score is not None:
        _score(arguments)
    else:
        _write(arguments)
    return 0


def _write(arguments: argparse.Namespace) -> None:
    needed = {"OUT": arguments.dataset, "--language": arguments.language, "--output": arguments.output}
    if missing := [name for name, value in needed.items() if value is None]:
        raise UsageError(f"expected OUT, --language and --output, or --score SHEETS, saw no {', '.join(missing)}")
    if arguments.vectors or arguments.json:
        raise UsageError("--vectors and --json need --score SHEETS")
    seed = _SEED if arguments.seed is None else arguments.seed
    groups, output = arguments.groups or _GROUPS, Path(arguments.output)
    overlap = groups // 4 if arguments.overlap is None else arguments.overlap
    annotators, two_answers = arguments.annotators or _ANNOTATORS, bool(arguments.two_answers)
    options = SampleOptions(arguments.language, seed, groups, annotators, overlap, two_answers)
    groups_read = read_groups_in(arguments.dataset, arguments.language)
    annotation = sample_cases(_shared_vocabulary(groups_read, arguments.vocabulary or []), options)
    write_sheets(annotation, output)
    each = sorted({len(cases) for cases in annotation.annotators.values()})
    print_line(
        f"set {annotation.fingerprint}: {len(annotation.cases)} test cases in {annotation.language}, "
        f"{' or '.join(map(str, each))} for each of {len(annotation.annotators)} annotators, "
        f"{len(annotation.overlap)} of them for all\n"
        f"sheets for annotators: {output / SHEETS}\n"
        f"put their answers into {output / ANSWERS}, then: wikisem annotate --score {output}\n"
        f"the key, not for annotators: {output / 'key.json'}"
    )


def _shared_vocabulary(groups: Sequence[WordGroup], sources: Sequence[str]) -> Sequence[WordGroup]:
    """The groups with the words that all of these models know; without models, as they are."""
    import_from_here(*sources)
    items = {word for group in groups for word in words_of(group)}
    return keep_shared(groups, (open_model(source, items=items) for source in sources)) if sources else groups


def _agreement(answers: Sequence[Answer], annotation: AnnotationSet) -> tuple[Estimate | None, str]:
    """Alpha, or why there is none: accuracy needs no library, and is printed all the same."""
    try:
        alpha = agreement(answers, annotation)
    except UsageError as error:
        return None, str(error)
    return alpha, "" if alpha else "it needs two answers to the same case, and answers that are not all the same"


def _score(arguments: argparse.Namespace) -> None:
    if given := [name for name in ("dataset", *_SAMPLING) if getattr(arguments, name) is not None]:
        seen = "OUT" if given[0] == "dataset" else f"--{given[0].replace('_', '-')}"
        raise UsageError(f"expected --score SHEETS without what sheets are made from, saw {seen}")
    annotation = read_key(arguments.score)
    answers = read_answers(arguments.score, annotation)
    import_from_here(*arguments.vectors)
    groups = case_groups(annotation.cases, annotation.language)
    models, _ = score_models(groups, (open_model(source) for source in arguments.vectors))
    kinds = {"without help": False, "with help": True} if annotation.two_answers else {"": True}
    report = AnnotationReport(
        annotation,
        [
            _score_answers(name, [answer for answer in answers if answer.with_help == with_help], annotation, models)
            for name, with_help in kinds.items()
        ],
        missing_answers(answers, annotation),
    )
    if arguments.json:
        print_json(report_as_json(report), indented=True)
    else:
        print_report(report)


def _score_answers(
    name: str, answers: Sequence[Answer], annotation: AnnotationSet, models: Sequence[Evaluation]
) -> AnswersReport:
    human = score_annotators(answers, annotation)
    scored = [score_model(model, human, annotation.seed) for model in models]
    return AnswersReport(name, human, *_agreement(answers, annotation), scored)
