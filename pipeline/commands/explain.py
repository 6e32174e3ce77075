"""Why the group of a class looks as it does: the classes around it, its members with their sitelinks and
probabilities, the siblings, cousins and far classes that gave outliers, and what was left out and why.

With --figure the same as a picture: instances, classes and the arrows between them, outlier classes in three colours.
"""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from os import PathLike, fspath
from pathlib import Path
from typing import Final

from rich.table import Table
from rich.text import Text

from wikisem.class_names import classes_named, classes_of, find_class, labelled_classes
from wikisem.datasets.files import data_set_path
from wikisem.errors import MissingInputError
from wikisem.evaluation.audit.measures import AuditGroup, GroupMeasures
from wikisem.evaluation.audit.summary import audit_groups
from wikisem.graph.taxonomy import Taxonomy
from wikisem.heuristics.selection.groups import NO_KIND
from wikisem.ids import check_language, check_qid, is_qid, qid_number
from wikisem.layout import ENTITIES, TAXONOMY
from wikisem.outputs.groupfile import read_groups
from wikisem.pipeline.build.ledger import Ledger
from wikisem.pipeline.command_options import Listed, add_figure, argument, folder, items
from wikisem.pipeline.console.tables import group_table
from wikisem.pipeline.console.terminal import (
    drawing_module,
    make_console,
    number_columns,
    print_line,
    print_notes,
)
from wikisem.pipeline.explain.explanation import Explanation, explain_class, explain_released, languages_of
from wikisem.pipeline.explain.statements import ClassStatements, explain_statements, read_property_labels
from wikisem.pipeline.release import RunFiles, read_run
from wikisem.recipes.options import ClassOptions
from wikisem.records import Group
from wikisem.wikidata.line_types import property_number


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of explain."""
    parser.add_argument(
        "output", metavar="OUT", help="the output folder of a run whose groups are finished, or a release"
    )
    parser.add_argument("name", metavar="CLASS", help="the class, by its QID or label, such as Q5119 or capital")
    parser.add_argument(
        "--language",
        type=argument(check_language),
        metavar="LANG",
        help="one language of the run (default: every one, or for --figure the first that has a group)",
    )
    parser.add_argument(
        "--item",
        type=argument(items),
        action=Listed,
        nargs="+",
        default=[],
        metavar="ITEM",
        help="also say whether kinship and statements let these items, such as Q84,Q90, be outliers of the class",
    )
    add_figure(parser, "--figure", "the group, too,")


def run(arguments: argparse.Namespace) -> int:
    """Print the explanation in each language and draw the figure of the first that has a group."""
    output = arguments.output
    if released := _released(output):
        return _run_released(released, arguments)
    output = folder(output)
    taxonomy = _load_graph(output)
    explanations = _explain(output, taxonomy, arguments.name, arguments.language, arguments.item)
    statements = explain_statements(output, taxonomy, explanations, arguments.item)
    for explanation, found in zip(explanations, statements, strict=True):
        _print_explanation(output, taxonomy, explanation, found)
    if arguments.figure is not None:
        _draw(taxonomy, explanations, arguments.figure)
        print_line(f"figure: {arguments.figure}")
    return 0


# What a release does not have of a class.
_NOT_RELEASED: Final = (
    "a release has no class graph and no items beside its groups: parents, siblings and cousins of the class, its "
    "other instances, labels of classes without a group, and what statements say are in the OUT of its run"
)


def _released(output: str) -> RunFiles | None:
    """What is in a release; None for the OUT of a run, which has a class graph or can make it."""
    path = data_set_path(output)
    has_tables = any((path / "groups").glob("*.parquet")) and not any((path / "groups").glob("*.jsonl"))
    return read_run(path) if has_tables else None


def _run_released(run: RunFiles, arguments: argparse.Namespace) -> int:
    """Print what a release has of a class in each language, and what only its run has."""
    if arguments.figure is not None or arguments.item:
        option = "--figure" if arguments.figure is not None else "--item"
        raise MissingInputError(f"{option} needs the OUT of a run, saw a release: {_NOT_RELEASED}")
    for explanation in _explain_released(run, arguments.output, arguments.name, arguments.language):
        console = make_console()
        console.print(Text(_label(explanation, explanation.qid), "bold"), f"in {explanation.language}")
        console.print(_outcome(explanation, "not judged, or left out: a release has no more of it"))
        if explanation.group is not None:
            console.print(group_table(explanation.group, explanation.labels))
            for line in _value_lines(explanation.group):
                console.print(line)
    print_notes([_NOT_RELEASED])
    return 0


def _explain_released(run: RunFiles, output: str, name: str, language: str | None) -> list[Explanation]:
    known = classes_of(chain.from_iterable(run.groups.values()))
    known += classes_of(chain.from_iterable(run.rejections.values()))
    qid = find_class(name, known, output)
    explanations = [explain_released(run, qid, code) for code in _chosen(list(run.groups), language, output)]
    if all(one.group is None and one.rejection is None for one in explanations):
        where = f" in {language}" if language else ""
        raise MissingInputError(f"{output}: expected a group or a rejected class, saw none of {qid}{where}")
    return explanations


def _value_lines(group: Group) -> Iterable[str]:
    """Coherence and margins, as far as they are known."""
    if group.coherence is not None:
        yield f"coherence {group.coherence}"
    for outlier in group.outliers:
        if outlier.margin is not None:
            yield f"{outlier.surface} ({outlier.id}): margin {outlier.margin}"
    yield from _tie_lines(group, {})


def _tie_lines(group: Group, labels: Mapping[int, str]) -> Iterable[str]:
    """The statements that tie each related outlier to members; ``labels`` are those of properties, by number."""
    words = {one.id: one.surface for one in (*group.cluster, *group.outliers)}
    for outlier in group.outliers:
        if outlier.ties:
            said = (
                f"{words[tie.item]} {labels.get(property_number(tie.property), '')} ({tie.property}) {words[tie.value]}"
                for tie in outlier.ties
            )
            yield f"{outlier.surface} is tied to members: {', '.join(each.replace('  ', ' ') for each in said)}"


def explain(output: str | PathLike[str], name: str, language: str | None = None) -> list[Explanation]:
    """Say why a class has the group that it has, or none, in each language of a run or in one; part of the public API.

    ``name`` is the QID of the class, or a label: in any language for classes with groups, for others in ``language`` or
    in English. An explanation has the ``group``, or the ``rejection`` with its reason, and in ``ranked`` the most
    prominent instances, which a release does not have. Raises MissingInputError if there are no groups, or none in the
    language, and UnknownItemError for a class that is not in the graph.
    """
    code = None if language is None else check_language(language)
    if released := _released(fspath(output)):
        return _explain_released(released, fspath(output), name, code)
    run_folder = folder(fspath(output))
    return _explain(run_folder, _load_graph(run_folder), name, code, ())


def _load_graph(output: str) -> Taxonomy:
    return Taxonomy.load(Ledger(output).folder(TAXONOMY))


def _explain(
    output: str, taxonomy: Taxonomy, name: str, language: str | None, items: Sequence[str]
) -> list[Explanation]:
    languages = _languages(output, language)
    qid = _find_class(output, taxonomy, name, languages)
    for item in items:
        taxonomy.classes(item)  # which names an item that the graph lacks
    return [explain_class(output, taxonomy, qid, code, items) for code in languages]


def _find_class(output: str, taxonomy: Taxonomy, name: str, languages: Sequence[str]) -> str:
    """The class that a name means: of those with groups, or else of all in the graph, whose labels are read for it."""
    if is_qid(name):
        return check_qid(name)
    known = classes_of(one for code in languages_of(output) for one in read_groups(output, code))
    if not classes_named(name, known):
        codes = list(dict.fromkeys([*languages, "en"]))
        known = labelled_classes(Ledger(output).folder(ENTITIES), taxonomy.graph, codes)
    return find_class(name, known, output)


def _languages(output: str, asked: str | None) -> list[str]:
    return _chosen(languages_of(output), asked, output)


def _chosen(known: list[str], asked: str | None, output: str) -> list[str]:
    if asked is None:
        return known
    if asked not in known:
        raise MissingInputError(f"expected groups in one of {', '.join(known)} in {output}, saw {asked}")
    return [asked]


def _draw(taxonomy: Taxonomy, explanations: Sequence[Explanation], path: Path) -> None:
    with_group = next((explanation for explanation in explanations if explanation.group is not None), None)
    if with_group is None:
        languages = ", ".join(explanation.language for explanation in explanations)
        raise MissingInputError(f"expected a group of {explanations[0].qid} to draw, saw none in {languages}")
    drawing_module("wikisem.pipeline.explain.figure", "--figure").draw(path, taxonomy, with_group)


# The explanation as lines and tables.


def _print_explanation(
    output: str, taxonomy: Taxonomy, explanation: Explanation, statements: ClassStatements | None
) -> None:
    """Print all facts about a class in one language."""
    console = make_console()
    console.print(Text(_label(explanation, explanation.qid), "bold"), f"in {explanation.language}")
    for line in _describe_class(taxonomy, explanation):
        console.print(line)
    console.print(_outcome(explanation))
    if explanation.group is not None:
        console.print(group_table(explanation.group, explanation.labels))
        audit = audit_groups("", [AuditGroup.of_group(explanation.group)], taxonomy)
        for line in _measure_lines(audit.groups[0].measures):
            console.print(line)
        tied = {property_number(tie.property) for one in explanation.group.outliers for tie in one.ties or ()}
        for line in _tie_lines(explanation.group, read_property_labels(output, tied, explanation.language)):
            console.print(line)
    for line in _kin_lines(explanation):
        console.print(line)
    if statements is not None:
        numbers = {*statements.telling, *(number for item in statements.items for number in item.against)}
        labels = read_property_labels(output, numbers, explanation.language)
        for line in _statement_lines(explanation, statements, labels):
            console.print(line)
    console.print(_instances(explanation))


def _describe_class(taxonomy: Taxonomy, explanation: Explanation) -> list[str]:
    qid = explanation.qid
    parents = taxonomy.superclasses(qid)
    grandparents = sorted({above for parent in parents for above in taxonomy.superclasses(parent)}, key=qid_number)
    siblings = {child for parent in parents for child in taxonomy.subclasses(parent)} - {qid}
    cousins = {child for grandparent in grandparents for child in taxonomy.subclasses(grandparent)} - {qid}
    depth = taxonomy.depth(qid)
    return [
        f"parents: {_listed(explanation, parents) or 'none left in the graph, so no outliers'}",
        f"grandparents: {_listed(explanation, grandparents) or 'none left in the graph'}",
        f"{len(taxonomy.instances(qid)):,} instances, {len(siblings):,} siblings, {len(cousins):,} cousins; "
        + ("the root is not above it" if depth is None else f"{depth} steps below the root"),
    ]


def _outcome(
    explanation: Explanation,
    otherwise: str = "not judged: too few of its instances have a surface form in this language",
) -> str:
    group, rejection = explanation.group, explanation.rejection
    if group is not None:
        return f"a group of {len(group.cluster)} with {len(group.outliers)} outliers"
    if rejection is not None:
        return f"no group: {rejection.reason} ({rejection.detail})"
    if explanation.recipe is not None and explanation.recipe.classes != ClassOptions():
        return f"{otherwise}, or [classes] of the recipe leave it out"
    return otherwise


def _instances(explanation: Explanation) -> Table:
    sitelinks = number_columns("sitelinks")
    title = "its most prominent instances"
    table = Table("item", "label", "surface form", *sitelinks, "outcome", title=title, title_justify="left")
    for instance in explanation.ranked:
        label, outcome = explanation.label(instance.qid), explanation.outcome(instance)
        table.add_row(instance.qid, label, instance.surface or "", str(instance.sitelinks), outcome)
    return table


def _label(explanation: Explanation, qid: str) -> str:
    label = explanation.label(qid)
    if label == qid:
        return qid
    return f"{label} ({qid}, label in English)" if qid in explanation.english else f"{label} ({qid})"


def _listed(explanation: Explanation, qids: Sequence[str]) -> str:
    return ", ".join(_label(explanation, qid) for qid in qids)


def _measure_lines(one: GroupMeasures) -> Iterable[str]:
    """The measures of one group in words."""
    if one.further_class is not None:
        yield f"{one.further_class:.0%} of its members are in one further class"
    for outlier in one.outliers:
        steps = "no path to the class" if outlier.distance is None else f"{outlier.distance} steps from the class"
        shared = f"direct classes that a member has too: {outlier.shared_classes}"
        yield f"{outlier.item.surface}: {steps}; {shared}"
    if one.age is not None:
        yield f"item numbers of its members: Q{one.age.lowest} to Q{one.age.highest}, median {one.age.median:.0f}"


def _kin_lines(explanation: Explanation) -> Iterable[str]:
    """Why items that were asked for are never outliers of the class, with the way in the whole graph that shows it."""
    for item, kin in explanation.kin.items():
        what = f"{kin.kind} the class"
        if item == explanation.qid:
            what = "the class itself"
        elif kin.kind == "instance":
            what = "an instance of the class" if len(kin.way) == 1 else "an instance of what is below the class"
        way = " → ".join(f"{_label(explanation, one)}{', pruned' * (one in kin.pruned)}" for one in kin.way)
        yield f"{_label(explanation, item)}: never an outlier, since it is {what}" + (f": {way}" if kin.way[1:] else "")


# What statements say, with so many of the properties that tell the class.

_NAMED: Final = 3


def _statement_lines(explanation: Explanation, statements: ClassStatements, labels: Mapping[int, str]) -> Iterable[str]:
    """The coherence of the cluster and the margins of items in words, with the properties that speak for them."""
    count, telling = statements.members, statements.telling
    rejection = explanation.rejection
    if statements.coherence is None:
        said = "unknown: nothing is stated of its members"
    elif rejection is not None and rejection.reason == NO_KIND:
        most = max(telling.values(), default=1)
        said = f"{statements.coherence}: no property that tells the class is had by more than {most} of {count} members"
    else:
        having = (f"{telling[one]} have {_property(one, labels)}" for one in [*telling][:_NAMED])
        said = f"{statements.coherence}: of {count} members {', '.join(having) or 'no two share what tells the class'}"
    yield f"coherence {said}"
    bound = explanation.recipe.outliers.margin if explanation.recipe else None
    chosen = {outlier.id for outlier in explanation.group.outliers} if explanation.group else set()
    for item in statements.items:
        name = _label(explanation, item.qid)
        if item.qid in explanation.kin:
            continue
        if item.margin is not None:
            verdict = ""
            if item.qid not in chosen and bound is not None:
                verdict = f", gives way from {bound} on" if item.margin >= bound else f", below {bound}"
            having = (_property(one, labels, f"{telling[one]} of {count} members") for one in item.telling[:_NAMED])
            has = f"it has {', '.join(having) or 'no property that tells the class'}"
            if item.against:
                has += f"; against it: {', '.join(_property(one, labels) for one in item.against[:_NAMED])}"
            yield f"{name}: margin {item.margin}{verdict}; {has}"
        elif not item.stated and statements.coherence is not None:
            yield f"{name}: no margin, since nothing is stated of it"


def _property(number: int, labels: Mapping[int, str], note: str = "") -> str:
    """A property by its label, if it has one, with its id and a note in parentheses."""
    about = [*([f"P{number}"] if number in labels else []), *([note] if note else [])]
    return labels.get(number, f"P{number}") + (f" ({', '.join(about)})" if about else "")
