"""Why the group of a class looks as it does: the classes around it, its members with their sitelinks and
probabilities, the siblings, cousins and far classes that gave outliers, and what was left out and why.

With --figure the same as a picture: instances, classes and the arrows between them, outlier classes in three colours.
Of a release, which has no class graph, this prints what `wikisem show` does.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from os import PathLike, fspath
from typing import Final

import msgspec
from rich.table import Table
from rich.text import Text

from wikisem.class_names import classes_named, classes_of, find_class, proofs_in_words
from wikisem.datasets.files import data_set_path
from wikisem.errors import MissingInputError
from wikisem.evaluation.audit.measures import audit_groups
from wikisem.graph.taxonomy import Taxonomy
from wikisem.heuristics.selection.groups import NO_KIND
from wikisem.ids import check_language, check_qid, is_qid, qid_number
from wikisem.layout import ENTITIES, TAXONOMY
from wikisem.outputs.groupfile import read_groups
from wikisem.outputs.wallfile import is_release
from wikisem.pipeline.command_options import add, add_figure, folder, list_of
from wikisem.pipeline.commands import show
from wikisem.pipeline.console.terminal import (
    drawing_module,
    log,
    make_console,
    number_columns,
    print_json,
    print_line,
    print_notes,
)
from wikisem.pipeline.explain.explanation import (
    ClassStatements,
    Explanation,
    explain_class,
    explain_released,
    explain_statements,
    languages_of,
    read_property_labels,
)
from wikisem.pipeline.runs.ledger import Ledger
from wikisem.pipeline.runs.read import read_run
from wikisem.recipes.options import ClassOptions
from wikisem.records import Group
from wikisem.surfaces.cleaning import labelled_classes
from wikisem.wikidata.line_types import property_number

_NOT_RELEASED: Final = (
    "a release has no class graph and no items beside its groups: parents, siblings and cousins of the class, its "
    "other instances, labels of classes without a group, and what statements say are in the OUT of its run"
)
# How many of the properties that tell the class are named.
_NAMED: Final = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of explain."""
    add(parser, "output=OUT", "the output folder of a run whose groups are finished, or a release")
    add(parser, "name=CLASS", "the class, by its QID or label, such as Q5119 or capital")
    text = "one language of the run (default: all, or for --figure the first that has a group)"
    add(parser, "--language LANG", text, check_language)
    text = "also say whether these items, such as Q84,Q90, may be outliers of the class"
    add(parser, "--item ITEM,...", text, list_of(check_qid))
    add(parser, "--json", "print a JSON object for each language, one a line")
    add_figure(parser, "--figure", "the group, too,")


def run(arguments: argparse.Namespace) -> int:
    """Print the explanation in each language and draw the figure of the first that has a group."""
    if is_release(data_set_path(arguments.output)):
        if arguments.figure is not None or arguments.item:
            option = "--figure" if arguments.figure is not None else "--item"
            raise MissingInputError(f"{option} needs the OUT of a run, saw a release: {_NOT_RELEASED}")
        if arguments.json:
            for released in explain(arguments.output, arguments.name, arguments.language):
                _print_json(released)
        else:
            show.run(arguments)
        print_notes([_NOT_RELEASED])
        return 0
    output = folder(arguments.output)
    taxonomy, explanations = _explain(output, arguments.name, arguments.language, arguments.item)
    statements = explain_statements(output, taxonomy, explanations, arguments.item)
    for explanation, found in zip(explanations, statements, strict=True):
        if arguments.json:
            _print_json(explanation, found)
        else:
            _print_explanation(output, taxonomy, explanation, found)
    if arguments.figure is not None:
        drawn = next((explanation for explanation in explanations if explanation.group is not None), None)
        if drawn is None:
            languages = ", ".join(explanation.language for explanation in explanations)
            raise MissingInputError(f"expected a group of {explanations[0].qid} to draw, saw none in {languages}")
        figure = drawing_module("wikisem.pipeline.explain.figure", "--figure")
        figure.draw(arguments.figure, taxonomy, drawn)
        (log if arguments.json else print_line)(f"figure: {arguments.figure}")
    return 0


def _print_json(explanation: Explanation, statements: ClassStatements | None = None) -> None:
    """Print all that is known, without the recipe of the groups, which the manifest has."""
    found = {key: value for key, value in vars(explanation).items() if key != "recipe"} | {"statements": statements}
    print_json(msgspec.to_builtins(found, str_keys=True, order="deterministic"))


def explain(output: str | PathLike[str], name: str, language: str | None = None) -> list[Explanation]:
    """Say why a class has the group that it has, or none, in each language of a run or in one; part of the public API.

    ``name`` is the QID of the class, or a label: in any language for classes with groups, for others in ``language`` or
    in English. An explanation has the ``group``, or the ``rejection`` with its reason, and in ``ranked`` the most
    prominent instances, which a release does not have. Raises MissingInputError if there are no groups, or none in the
    language, and UnknownItemError for a class that is not in the graph.
    """
    where, code = fspath(output), None if language is None else check_language(language)
    if not is_release(data_set_path(where)):
        return _explain(folder(where), name, code, ())[1]
    run = read_run(data_set_path(where))
    known = classes_of(chain.from_iterable(run.groups.values()))
    known += classes_of(chain.from_iterable(run.rejections.values()))
    qid = find_class(name, known, where)
    explanations = [explain_released(run, qid, each) for each in _chosen(list(run.groups), code, where)]
    if all(explanation.group is None and explanation.rejection is None for explanation in explanations):
        raise MissingInputError(
            f"{where}: expected a group or a rejected class, saw none of {qid}{f' in {code}' if code else ''}"
        )
    return explanations


def _explain(output: str, name: str, language: str | None, items: Sequence[str]) -> tuple[Taxonomy, list[Explanation]]:
    """Explain a class of a run: of the classes with groups, or else of all in the graph, whose labels are read."""
    taxonomy, known = Taxonomy.load(Ledger(output).folder(TAXONOMY)), languages_of(output)
    languages = _chosen(known, language, output)
    if is_qid(name):
        qid = check_qid(name)
    else:
        classes = classes_of(group for code in known for group in read_groups(output, code))
        if not classes_named(name, classes):
            codes = list(dict.fromkeys([*languages, "en"]))
            classes = labelled_classes(Ledger(output).folder(ENTITIES), taxonomy.graph, codes)
        qid = find_class(name, classes, output)
    for item in items:
        taxonomy.classes(item)  # raises UnknownItemError, which names an item that the graph lacks
    return taxonomy, [explain_class(output, taxonomy, qid, code, items) for code in languages]


def _chosen(known: list[str], asked: str | None, output: str) -> list[str]:
    if asked not in {None, *known}:
        raise MissingInputError(f"expected groups in one of {', '.join(known)} in {output}, saw {asked}")
    return known if asked is None else [asked]


# The explanation as lines and tables.


def _print_explanation(
    output: str, taxonomy: Taxonomy, explanation: Explanation, statements: ClassStatements | None
) -> None:
    """Print all facts about a class in one language."""
    console = make_console()
    console.print(Text(_label(explanation, explanation.qid), "bold"), f"in {explanation.language}")
    qid = explanation.qid
    parents = taxonomy.superclasses(qid)
    grandparents = sorted({above for parent in parents for above in taxonomy.superclasses(parent)}, key=qid_number)
    siblings = {child for parent in parents for child in taxonomy.subclasses(parent)} - {qid}
    cousins = {child for grandparent in grandparents for child in taxonomy.subclasses(grandparent)} - {qid}
    depth = taxonomy.depth(qid)
    parents_named, grandparents_named = (
        ", ".join(_label(explanation, one) for one in classes) for classes in (parents, grandparents)
    )
    for line in [
        f"parents: {parents_named or 'none left in the graph, so no outliers'}",
        f"grandparents: {grandparents_named or 'none left in the graph'}",
        f"{len(taxonomy.instances(qid)):,} instances, {len(siblings):,} siblings, {len(cousins):,} cousins; "
        + ("the root is not above it" if depth is None else f"{depth} steps below the root"),
    ]:
        console.print(line)
    if explanation.group is not None:
        _print_group(output, taxonomy, explanation, explanation.group)
    elif rejection := explanation.rejection:
        console.print(f"no group: {rejection.reason} ({rejection.detail})")
    else:
        left_out = explanation.recipe is not None and explanation.recipe.classes != ClassOptions()
        console.print(
            "not judged: too few of its instances have a surface form in this language"
            + (", or [classes] of the recipe leave it out" if left_out else "")
        )
    for line in _kin_lines(explanation):
        console.print(line)
    if statements is not None:
        numbers = {*statements.telling, *(number for item in statements.items for number in item.against)}
        labels = read_property_labels(output, numbers, explanation.language)
        for line in _statement_lines(explanation, statements, labels):
            console.print(line)
    title, sitelinks = "its most prominent instances", number_columns("sitelinks")
    table = Table("item", "label", "surface form", *sitelinks, "outcome", title=title, title_justify="left")
    for instance in explanation.ranked:
        label, outcome = explanation.label(instance.qid), explanation.outcome(instance)
        table.add_row(instance.qid, label, instance.surface or "", str(instance.sitelinks), outcome)
    console.print(table)


def _print_group(output: str, taxonomy: Taxonomy, explanation: Explanation, group: Group) -> None:
    """Print the words of a group, what an audit measures of it, and its ties."""
    console = make_console()
    console.print(f"a group of {len(group.cluster)} with {len(group.outliers)} outliers")
    console.print(show.group_table(group, explanation.labels))
    measures = audit_groups("", [group], taxonomy).groups[0].measures
    if measures.further_class is not None:
        console.print(f"{measures.further_class:.0%} of its members are in one further class")
    for outlier in measures.outliers:
        steps = "no path to the class" if outlier.distance is None else f"{outlier.distance} steps from the class"
        shared = f"direct classes that a member has too: {outlier.shared_classes}"
        console.print(f"{outlier.item.surface}: {steps}; {shared}")
    if age := measures.age:
        console.print(f"item numbers of its members: Q{age.lowest} to Q{age.highest}, median {age.median:.0f}")
    tied = {property_number(tie.property) for one in group.outliers for tie in one.ties or ()}
    ties = show.tie_lines(group, read_property_labels(output, tied, explanation.language))
    for line in chain(proofs_in_words(group, explanation.labels), ties):
        console.print(line)


def _label(explanation: Explanation, qid: str) -> str:
    label = explanation.label(qid)
    if label == qid:
        return qid
    return f"{label} ({qid}, label in English)" if qid in explanation.english else f"{label} ({qid})"


def _kin_lines(explanation: Explanation) -> Iterator[str]:
    """Say why items that were asked for are never outliers, with the way in the whole graph that shows it."""
    for item, kin in explanation.kin.items():
        what = f"{kin.kind} the class"
        if item == explanation.qid:
            what = "the class itself"
        elif kin.kind == "instance":
            what = "an instance of the class" if len(kin.way) == 1 else "an instance of what is below the class"
        way = " → ".join(f"{_label(explanation, step)}{', pruned' * (step in kin.pruned)}" for step in kin.way)
        yield f"{_label(explanation, item)}: never an outlier, since it is {what}" + (f": {way}" if kin.way[1:] else "")


def _statement_lines(explanation: Explanation, statements: ClassStatements, labels: Mapping[int, str]) -> Iterator[str]:
    """Say the coherence of the cluster and the margins of items, with the properties that speak for them."""

    def name(number: int, note: str = "") -> str:
        about = [*([f"P{number}"] if number in labels else []), *([note] if note else [])]
        return labels.get(number, f"P{number}") + (f" ({', '.join(about)})" if about else "")

    count, telling, rejection = statements.members, statements.telling, explanation.rejection
    if statements.coherence is None:
        yield "coherence unknown: nothing is stated of its members"
    elif rejection is not None and rejection.reason == NO_KIND:
        most = max(telling.values(), default=1)
        shared = f"no property that tells the class is had by more than {most} of {count} members"
        yield f"coherence {statements.coherence}: {shared}"
    else:
        having = ", ".join(f"{telling[number]} have {name(number)}" for number in [*telling][:_NAMED])
        yield f"coherence {statements.coherence}: of {count} members {having or 'no two share what tells the class'}"
    bound = explanation.recipe.outliers.margin if explanation.recipe else None
    chosen = {outlier.id for outlier in explanation.group.outliers} if explanation.group else set()
    for item in statements.items:
        if item.qid in explanation.kin:
            continue
        if item.margin is not None:
            verdict = ""
            if item.qid not in chosen and bound is not None:
                verdict = f", gives way from {bound} on" if item.margin >= bound else f", below {bound}"
            having = ", ".join(name(one, f"{telling[one]} of {count} members") for one in item.telling[:_NAMED])
            line = f"margin {item.margin}{verdict}; it has {having or 'no property that tells the class'}"
            if item.against:
                line += f"; against it: {', '.join(name(number) for number in item.against[:_NAMED])}"
            yield f"{_label(explanation, item.qid)}: {line}"
        elif not item.stated and statements.coherence is not None:
            yield f"{_label(explanation, item.qid)}: no margin, since nothing is stated of it"
