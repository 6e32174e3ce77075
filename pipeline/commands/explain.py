"""Why the group of a class looks as it does: what is around the class, its members with their sitelinks and
probabilities, the siblings, cousins and far classes that gave outliers, and what was left out and why.

With --figure the same as a picture: instances, classes and the arrows between them, outlier classes in three colours.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from wikisem.errors import MissingInputError
from wikisem.graph.taxonomy import Taxonomy
from wikisem.ids import check_language, check_qid
from wikisem.pipeline.build.ledger import Ledger
from wikisem.pipeline.build.stages.taxonomy import TAXONOMY
from wikisem.pipeline.command_options import argument, figure_file, refuse_beam_options
from wikisem.pipeline.console.tables import print_explanation
from wikisem.pipeline.console.terminal import drawing_module, print_line
from wikisem.pipeline.explain.explanation import Explanation, explain, languages_of
from wikisem.transforms.io.arrays import local_folder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of explain."""
    parser.add_argument("output", metavar="OUT", help="the output folder of a run whose groups are finished")
    parser.add_argument("qid", type=argument(check_qid), metavar="CLASS", help="the class, such as Q5119")
    parser.add_argument(
        "--language",
        type=argument(check_language),
        metavar="LANG",
        help="one language of the run (default: every one, or for --figure the first that has a group)",
    )
    parser.add_argument(
        "--figure",
        type=argument(figure_file),
        metavar="FILE",
        help="also draw the group into this .png, .svg or .pdf file (needs matplotlib: pip install 'wikisem[all]')",
    )


def run(arguments: argparse.Namespace, beam_options: Sequence[str]) -> int:
    """Print the explanation in each language and draw the figure of the first that has a group."""
    refuse_beam_options("explain", beam_options)
    output = arguments.output.rstrip("/")
    taxonomy = Taxonomy.load(local_folder(Ledger(output).folder(TAXONOMY)))
    languages = _languages(output, arguments.language)
    explanations = [explain(output, taxonomy, arguments.qid, language) for language in languages]
    for explanation in explanations:
        print_explanation(taxonomy, explanation)
    if arguments.figure is not None:
        _draw(taxonomy, explanations, arguments.figure)
        print_line(f"figure: {arguments.figure}")
    return 0


def _languages(output: str, asked: str | None) -> list[str]:
    known = languages_of(output)
    if asked is None:
        return known
    if asked not in known:
        raise MissingInputError(f"expected groups in one of {', '.join(known)} in {output}, saw --language {asked}")
    return [asked]


def _draw(taxonomy: Taxonomy, explanations: Sequence[Explanation], path: Path) -> None:
    with_group = next((explanation for explanation in explanations if explanation.group is not None), None)
    if with_group is None:
        languages = ", ".join(explanation.language for explanation in explanations)
        raise MissingInputError(f"expected a group of {explanations[0].qid} to draw, saw none in {languages}")
    drawing_module("wikisem.pipeline.explain.figure", "--figure").draw(path, taxonomy, with_group)
