"""Show one group in full: its members and outliers, where each word is from, and the classes of the outliers.

OUT is the output folder of a run or a release, by path or URL, or a file of groups. CLASS is a QID or a label in any of
its languages. Coherence, margins and certificates are printed if the groups have them. If a class has no group, the
reason is printed.
"""

import argparse
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from rich.table import Column, Table

from wikisem.class_names import classes_named, classes_of, find_class, name_class, proofs_in_words
from wikisem.datasets.files import data_set_path
from wikisem.errors import MissingInputError
from wikisem.ids import is_qid
from wikisem.outputs.groupfile import read_groups, read_rejections
from wikisem.pipeline.console.terminal import make_console, number_columns, print_line
from wikisem.pipeline.runs.read import labels_of_classes
from wikisem.records import Group, Outlier, Rejection

_NAMED: Final = 20  # languages in a message
_WORDS: Final = 4  # in the line of a group


def run(arguments: argparse.Namespace) -> int:
    """Print the group of a class in one language, or without a class a line for each group in a language."""
    # The groups of the class, which is a QID, or the label of a class that has a group or was rejected.
    path, name = data_set_path(arguments.output), arguments.name
    groups = all_groups = read_groups(path)
    if name is not None:
        classes = classes_of(all_groups)
        if not is_qid(name) and not classes_named(name, classes):
            classes += classes_of(read_rejections(path))
        qid = find_class(name, classes, arguments.output)
        groups = [group for group in all_groups if group.qid == qid]
    # The groups in the language, or an error that says what there is instead.
    language: str = arguments.language or _best_language(groups, name or "")
    chosen = [group for group in groups if group.language == language]
    if not chosen:
        codes = ", ".join(sorted({group.language for group in groups}))
        seen = f"expected groups{language and f' in {language}'}, saw groups in {codes or 'no language'}"
        if not groups:
            seen += f"; {path}/rejected and `wikisem explain {path} CLASS` say why"
        if name is not None:
            seen = _what_instead(path, qid, groups, arguments.language)
        raise MissingInputError(f"{arguments.output}: {seen}")
    # A line for each of them, or the group in full: its words, measures, proofs of outliers and ties.
    if name is None:
        for group in chosen:
            words = ", ".join(member.surface for member in group.cluster[:_WORDS])
            print_line(f"{name_class(group.qid, group.label)}: {words}, ...")
    else:
        # Labels of the classes that outliers were drawn from: those with groups or rejections, and in a run all.
        labels = {rejection.qid: rejection.label for rejection in read_rejections(path, language) if rejection.label}
        labels |= {group.qid: group.label for group in all_groups if group.language == language}
        for group in chosen:
            named = labels | labels_of_classes(str(path), [group]).get(language, {})
            make_console().print(group_table(group, named))
            if group.coherence is not None:
                print_line(f"coherence {group.coherence}")
            for outlier in group.outliers:
                if outlier.margin is not None:
                    print_line(f"{outlier.name}: margin {outlier.margin}")
            for line in chain(proofs_in_words(group, named), tie_lines(group, {})):
                print_line(line)
    if other_languages := sorted({group.language for group in groups} - {language}):
        print_line(f"also in {', '.join(other_languages)}: --language {other_languages[0]}")
    return 0


def _best_language(groups: Sequence[Group], label: str) -> str:
    """Choose a language of the groups (of those with this label, if any): that of the locale, English, or the first."""
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_MESSAGES", "LANG"))), "")
    of_locale = re.split("[_.@]", locale)[0]
    labelled = {group.language for group in groups if group.label.casefold() == label.casefold()}
    codes = labelled or {group.language for group in groups}
    return min(codes, key=lambda code: (code != of_locale, code != "en", code), default="")


def tie_lines(group: Group, properties: Mapping[int, str]) -> Iterator[str]:
    """Say which statements tie each related outlier to members; ``properties`` has labels by number, 131 for P131."""
    words = {member.id: member.surface for member in (*group.cluster, *group.outliers)}
    for outlier in group.outliers:
        statements = []
        for tie in outlier.ties or ():
            label = properties.get(int(tie.property[1:]))
            statements.append(f"{words[tie.item]} {f'{label} ' if label else ''}({tie.property}) {words[tie.value]}")
        if statements:
            yield f"{outlier.surface} is tied to members: {', '.join(statements)}"


def _what_instead(path: Path, qid: str, groups: Sequence[Group], language: str | None) -> str:
    """Say what there is in place of a group: why its class was rejected, or the languages in which it has a group."""
    wanted = f"expected a group of {qid}" + (f" in {language}" if language else "")
    if rejections := [rejection for rejection in read_rejections(path, language) if rejection.qid == qid]:
        named = rejections[:_NAMED]
        reasons = "; ".join(f"in {rejection.language} {rejection.reason}: {rejection.detail}" for rejection in named)
        name = name_class(qid, next(filter(None, (rejection.label for rejection in rejections)), ""))
        return f"{wanted}, saw that {name} was rejected {reasons}"
    if groups:
        codes = ", ".join(sorted({group.language for group in groups})[:_NAMED])
        return f"{wanted}, saw {groups[0].label} ({qid}) in {codes}"
    return f"{wanted}, saw neither a group nor a rejection of it"


def languages_table(groups: Mapping[str, Sequence[Group]], rejections: Mapping[str, Sequence[Rejection]]) -> Table:
    """Make a table with a row for each language: its groups, test cases, and classes without a group, by reason."""
    counted = number_columns("groups", "test cases", "classes without")
    table = Table("language", *counted, "why", title="test groups", title_justify="left")
    for language, of_language in groups.items():
        reasons = Counter(rejection.reason for rejection in rejections[language])
        cases = sum(len(group.outliers) for group in of_language)
        why = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items()))
        table.add_row(language, str(len(of_language)), str(cases), str(reasons.total()), why)
    return table


def group_table(group: Group, names: Mapping[str, str]) -> Table:
    """Make a table of the words of a group: the cluster, then each outlier with the class it was drawn from (``via``).

    P(form | page) is the share of the links to an item's page that have the surface form. ``names`` are labels by QID.
    """
    members = (*group.cluster, *group.outliers)
    shares, sitelinks = number_columns("P(form | page)", "sitelinks")
    with_shares = [shares] if any(member.total for member in members) else []  # else a column of blanks
    title = f"{group.label} ({group.qid}, {group.language}) in full"
    columns: list[Column | str] = ["", "surface form", "item", *with_shares, "source", sitelinks, "via"]
    table, part_before = Table(*columns, title=title, title_justify="left"), ""
    for member in members:
        part, via = "cluster", ""
        if isinstance(member, Outlier):
            part, via = member.of_class.label, name_class(member.via, names.get(member.via, ""))
        if part != part_before:
            table.add_section()
        count, total = member.count or 0, member.total or 0  # links with the surface form, and all to its page
        share = [f"{count}/{total} = {count / total:.2f}" if total else ""] if with_shares else []
        heading, part_before = part if part != part_before else "", part
        table.add_row(heading, member.surface, member.id, *share, member.source, str(member.sitelinks), via)
    return table
