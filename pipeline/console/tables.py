"""Groups as tables for people: how many there are, one in full, why it is as it is, and which break a rule.

What a command did, for people: a closing table of what went in, was kept, was left out and was rejected, and why.

Languages as a table for people.

The command to type after a stage that was run by itself: the first stage of the chain that OUT still lacks.
"""

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from rich.table import Table
from rich.text import Text

from wikisem.evaluation.audit.measures import AuditGroup, GroupMeasures
from wikisem.evaluation.audit.summary import audit_groups
from wikisem.graph.taxonomy import Taxonomy
from wikisem.heuristics.rules.lint import Violation
from wikisem.ids import qid_number
from wikisem.pipeline.build.inputs import ListedLanguage
from wikisem.pipeline.build.ledger import Record
from wikisem.pipeline.build.manifest import ENGLISH
from wikisem.pipeline.build.run import Run
from wikisem.pipeline.console.terminal import log, make_console, print_line
from wikisem.pipeline.explain.explanation import Explanation
from wikisem.records import Group, Member, Outlier, Rejection
from wikisem.wikipedia.learning import LINKS, LIST_TITLES, SURPRISED

_PARTS: Final = ("cluster", "O1: sibling", "O2: cousin", "O3: far")
_SHARE: Final = "P(form | page)"


def languages_table(groups: Mapping[str, Sequence[Group]], rejections: Mapping[str, Sequence[Rejection]]) -> Table:
    """One row for each language: groups, test cases, and the classes that gave none, by reason."""
    table = Table(title="test groups", title_justify="left")
    for name in ("language", "groups", "test cases", "classes without"):
        table.add_column(name, justify="left" if name == "language" else "right")
    table.add_column("why")
    for language, found in groups.items():
        reasons = Counter(rejection.reason for rejection in rejections[language])
        cases = sum(len(group.outliers) for group in found)
        why = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items()))
        table.add_row(language, str(len(found)), str(cases), str(reasons.total()), why)
    return table


def group_table(group: Group, names: Mapping[str, str]) -> Table:
    """The cluster and the outliers of one group; ``names`` are labels of the classes that brought outliers in."""
    table = Table(title=f"{group.label} ({group.qid}, {group.language}) in full", title_justify="left")
    for name in ("", "surface form", "item", _SHARE, "source", "sitelinks", "via"):
        table.add_column(name, justify="right" if name in {_SHARE, "sitelinks"} else "left")
    shown = None
    for member in (*group.cluster, *group.outliers):
        kind = member.outlier_class if isinstance(member, Outlier) else 0
        if kind != shown:
            table.add_section()
        via = names.get(member.via, member.via) if isinstance(member, Outlier) else ""
        table.add_row(*_row(_PARTS[kind] if kind != shown else "", member), via)
        shown = kind
    return table


def _row(head: str, member: Member) -> list[str]:
    share = f"{member.count}/{member.total} = {member.count / member.total:.2f}" if member.total else ""
    return [head, member.surface, member.id, share, member.source, str(member.sitelinks)]


def print_violations(violations: Sequence[Violation], checked: int) -> None:
    """Print the groups that break a rule of the cluster filters, and how many of those that were checked do."""
    console = make_console()
    if violations:
        table = Table("group", "rule", "detail")
        for violation in violations:
            table.add_row(violation.group, violation.rule, violation.detail)
        console.print(table)
    broken = len({violation.group for violation in violations})
    console.print(f"groups: {checked} checked, {broken} break a rule")


def print_explanation(taxonomy: Taxonomy, explanation: Explanation) -> None:
    """Print everything that is known of a class in one language."""
    console = make_console()
    console.print(Text(_label(explanation, explanation.qid), "bold"), f"in {explanation.language}")
    for line in _around(taxonomy, explanation):
        console.print(line)
    console.print(_outcome(explanation))
    if explanation.group is not None:
        console.print(group_table(explanation.group, explanation.labels))
        audit = audit_groups("", [AuditGroup.of_group(explanation.group)], taxonomy)
        for line in _measure_lines(audit.groups[0].measures):
            console.print(line)
    console.print(_instances(explanation))


def _label(explanation: Explanation, qid: str) -> str:
    label = explanation.label(qid)
    if label == qid:
        return qid
    return f"{label} ({qid}, label in English)" if qid in explanation.english else f"{label} ({qid})"


def _measure_lines(one: GroupMeasures) -> Iterable[str]:
    """The measures of one group in words."""
    if one.coherence is not None:
        yield f"coherence: {one.coherence:.0%} of its members are in one further class"
    for outlier in one.outliers:
        steps = "no path to the class" if outlier.distance is None else f"{outlier.distance} steps from the class"
        shared = f"direct classes that a member has too: {outlier.shared_classes}"
        yield f"{outlier.item.surface}: {steps}; {shared}"
    if one.age is not None:
        yield f"item numbers of its members: Q{one.age.lowest} to Q{one.age.highest}, median {one.age.median:.0f}"


def _around(taxonomy: Taxonomy, explanation: Explanation) -> list[str]:
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


def _listed(explanation: Explanation, qids: Sequence[str]) -> str:
    return ", ".join(_label(explanation, qid) for qid in qids)


def _outcome(explanation: Explanation) -> str:
    group, rejection = explanation.group, explanation.rejection
    if group is not None:
        return f"a group of {len(group.cluster)} with {len(group.outliers)} outliers"
    if rejection is not None:
        return f"no group: {rejection.reason} ({rejection.detail})"
    return "not judged: too few of its instances have a surface form in this language"


def _instances(explanation: Explanation) -> Table:
    table = Table(title="its most prominent instances", title_justify="left")
    for name in ("item", "label", "surface form", "sitelinks", "outcome"):
        table.add_column(name, justify="right" if name == "sitelinks" else "left")
    for instance in explanation.ranked:
        label, outcome = explanation.label(instance.qid), explanation.outcome(instance)
        table.add_row(instance.qid, label, instance.surface or "", str(instance.sitelinks), outcome)
    return table


_RULES = {"words": "words", "han": "Han"}


def print_languages(found: Sequence[ListedLanguage]) -> None:
    """A row for each language; what a folder's evidence is too little for is said below."""
    in_folder = any(one.groups is not None for one in found)
    table = Table()
    for name in ("code", "wiki", "script", "words", "affix", "trail", "lists", *(("groups",) if in_folder else ())):
        table.add_column(name, overflow="fold")
    for one in found:
        table.add_row(*_cells(one), *((str(one.groups),) if in_folder else ()))
    console = make_console()
    console.print(table)
    for line in [line for one in found for line in _shortages(one)] if in_folder else ():
        console.print(line)


def _cells(one: ListedLanguage) -> tuple[str, ...]:
    affix = _RULES.get(one.affix, f"{one.affix_length} characters")
    return (
        one.code + (" (edited)" if one.edited else ""),
        one.wiki or "labels only",
        _with_source(one, "script", one.script),
        _with_source(one, "writing", one.writing + (", hyphens" if one.hyphens else "")),
        _with_source(one, "affix", affix),
        _with_source(one, "link_trail", one.link_trail or "none"),
        _with_source(one, "lists", ", ".join(f'"{word}"' for word in one.lists) or "none"),
    )


def _with_source(one: ListedLanguage, key: str, value: str) -> str:
    source = one.source.get(key, "")
    support = one.support.get(key, 0)
    return f"{value} ({source}{f', {support:,}' if support and source == 'dump' else ''})"


def _shortages(one: ListedLanguage) -> list[str]:
    """What could not be learned, because there was too little of it."""
    needs = {
        "writing": (LINKS, "links"),
        "lists": (LIST_TITLES, "titles of lists"),
        "affix": (SURPRISED, "surface forms"),
    }
    what = {
        "writing": "how words are parted",
        "lists": "list words",
        "affix": 'how common affixes are (affix = "surprise")',
    }
    return [
        f"{one.code}: {what[key]}: expected {least:,} {unit}, saw {one.support.get(key, 0):,}; the default holds"
        for key, (least, unit) in needs.items()
        if one.support.get(key, 0) < least
    ]


# The recipe to start from, where the command before it took none.
FIRST_RECIPE: Final = "wikisem"


def next_command(units: Iterable[str], output: str, recipe: str = FIRST_RECIPE) -> str:
    """The command for what is missing in ``output``, where ``units`` are finished; DUMP is to be filled in.

    >>> next_command(["entities", "mentions/de", "mentions/ja", "surfaces/ja"], "out")
    'wikisem surfaces wikisem --languages de --output out'
    >>> next_command(["mentions/de"], "out")
    'wikisem entities --wikidata DUMP --languages en,de --output out'
    """
    finished = set(units)
    mentions, surfaces, groups = (_languages(finished, stage) for stage in ("mentions", "surfaces", "groups"))
    if "entities" not in finished:
        words = ["entities", "--wikidata", "DUMP", *_choose(["en", *(code for code in mentions if code != "en")])]
    elif not mentions and not surfaces:
        words = ["mentions", "--wikipedia", "LANG=DUMP"]
    elif without := [code for code in mentions if code not in surfaces]:
        words = ["surfaces", recipe, *_choose(without)]
    elif "taxonomy" not in finished:
        words = ["taxonomy", recipe]
    elif without := [code for code in surfaces if code not in groups]:
        words = ["groups", recipe, *_choose(without)]
    else:
        return browse_command(output)
    return shlex.join(["wikisem", *words, "--output", output])


def browse_command(output: str) -> str:
    """The command that shows the groups of a run."""
    return shlex.join(["wikisem", "browse", output])


def _languages(units: Iterable[str], stage: str) -> list[str]:
    return sorted(unit.partition("/")[2] for unit in units if unit.startswith(f"{stage}/"))


def _choose(languages: list[str]) -> list[str]:
    return ["--languages", ",".join(languages)]


# Reasons of wikisem.dumps for a bad region of a file; all other reasons are those of one record.
BAD_REGIONS: Final = frozenset({"checksum", "garbage", "truncated", "undecodable"})


def print_summary(records: Sequence[Record], output: str, following: str = "") -> int:
    """Print the closing table, the next command to type and, last, where the output is; return the exit code.

    ``following`` is the next command; without it, it is the page of the groups, if there are any.

    Only a record that could not be read is dropped. A part of a dump that could not be decoded, or that is missing at
    its end, hides an unknown number of records: all that could be decoded is used, and the exit code is 1, like gzip's.
    """
    _print_table(records)
    unread = [record for record in records if record.unreadable]
    for record in unread:
        log(f"warning: {record.unit}: {_reasons(record.counts.rejected)} could not be read; see {output}/rejects")
    damaged = [record.unit for record in unread if BAD_REGIONS & set(record.counts.rejected)]
    if damaged:
        log(
            f"wikisem: {', '.join(damaged)}: expected whole dumps, saw damaged ones; what was whole is used, "
            f"and {output}/rejects says where something is lost"
        )
    if not following and any(record.unit.startswith("groups/") and record.counts.kept for record in records):
        following = browse_command(output)
    if following:
        print_line(f"next: {following}")
    print_line(f"output: {output}")
    return 1 if damaged else 0


def print_stage_summary(records: Sequence[Record], run: Run, recipe: str = FIRST_RECIPE) -> int:
    """The summary of a stage that was run by itself; the next command is that of what OUT still lacks."""
    units = [record.unit for record in run.ledger.records()]
    return print_summary(records, run.output, next_command(units, run.output, recipe))


def _print_table(records: Iterable[Record]) -> None:
    table = Table(title="what went in and what came out", title_justify="left")
    table.add_column("stage")
    for name in ("in", "kept", "left out", "rejected"):
        table.add_column(name, justify="right")
    table.add_column("why")
    for record in records:
        table.add_row(*_record_row(record))
    make_console().print(table)


def _record_row(record: Record) -> Sequence[str]:
    counts = record.counts
    left_out, rejected = sum(counts.left_out.values()), sum(counts.rejected.values())
    reasons = [record.facts.get("sources", {}), *_both(record)]
    english = len(record.facts.get(ENGLISH, ()))
    why = ", ".join(filter(None, [*map(_reasons, reasons), f"class labels in English {english:,}" if english else ""]))
    return [record.unit, f"{counts.read:,}", f"{counts.kept:,}", f"{left_out:,}", f"{rejected:,}", why]


def _both(record: Record) -> list[Mapping[str, int]]:
    return [record.counts.left_out, record.counts.rejected]


def _reasons(counts: Mapping[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {count:,}" for name, count in ordered if count)
