"""The closing tables of commands: counts of each stage, the groups, and the command to type next."""

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from rich.table import Column, Table

from wikisem.class_names import name_class
from wikisem.pipeline.console.terminal import log, make_console, number_columns, print_line
from wikisem.pipeline.runs.ledger import ENGLISH, PLACES, Ledger, Record
from wikisem.records import OUTLIER_CLASSES, Group, Outlier, Rejection

if TYPE_CHECKING:  # what shows groups does without Beam, which a run imports
    from wikisem.pipeline.runs.run import Run

# The closing table: what was kept, left out, rejected and unreadable, and why.

# The recipe to start from after a command that took none.
FIRST_RECIPE: Final = "wikisem"
# Reasons of wikisem.dumps for a bad region of a file; all other reasons are those of one record.
BAD_REGIONS: Final = frozenset({"checksum", "garbage", "truncated", "undecodable"})


def print_summary(records: Sequence[Record], output: str, following: str = "") -> int:
    """Print the closing table, the next command to type and, last, where the output is; return the exit code.

    ``following`` is the next command; by default it opens the page of the groups, if there are any.

    Unreadable records are only left out. But if a part of a dump could not be decoded, or its end is missing, an
    unknown number of records is lost: everything that could be decoded is used, and the exit code is 1, as with gzip.
    """
    _print_table(records, output)
    for record in records:
        if _is_of_groups(record) and not record.counts.kept:
            links = Ledger(output).find(record.unit.replace("groups/", "mentions/"))
            print_line(remedy(record, has_links=links is not None))
    unread = [record for record in records if record.counts.unreadable]
    for record in unread:
        unreadable = list_reasons(record.counts.unreadable)
        log(f"warning: {record.unit}: {unreadable} could not be read; see {output}/unreadable")
    damaged = [record.unit for record in unread if BAD_REGIONS & set(record.counts.unreadable)]
    if damaged:
        log(
            f"wikisem: {', '.join(damaged)}: expected whole dumps, saw damaged ones; what was whole is used, "
            f"and {output}/unreadable says where something is lost"
        )
    if not following and any(_is_of_groups(record) and record.counts.kept for record in records):
        following = browse_command(output)
    if following:
        print_line(f"next: {following}")
    print_line(f"output: {output}")
    return 1 if damaged else 0


def print_stage_summary(records: Sequence[Record], run: "Run", recipe: str = FIRST_RECIPE) -> int:
    """The summary of a stage that was run by itself; the next command makes what OUT still lacks."""
    units = [record.unit for record in run.ledger.records()]
    return print_summary(records, run.output, next_command(units, run.output, recipe))


# What a column counts; those in which there is nothing are not explained.
_LEGEND: Final = {
    "kept": "goes on to the next stage; of groups, the classes that gave one",
    "left out": "sound, and not what the stage looks for, such as redirects and items without a name",
    "rejected": "classes that a rule of the recipe refuses; {output}/rejected has each with its reason",
    "unreadable": "damaged; {output}/unreadable says where",
}


def _print_table(records: Sequence[Record], output: str) -> None:
    table = Table("stage", *number_columns("in", *_LEGEND), "of these", title="what became of it", title_justify="left")
    console, outcomes = make_console(), [_outcomes(record) for record in records]
    for record, found in zip(records, outcomes, strict=True):
        numbers = [f"{found[name][0]:,}" if found[name][0] else "" for name in _LEGEND]
        details = "\n".join(f"{name}: {details}" for name, (_, details) in found.items() if details)
        table.add_row(record.unit, f"{record.counts.read:,}", *numbers, details)
    console.print(table)
    for name, text in _LEGEND.items():
        if any(found[name][0] for found in outcomes):
            console.print(f"{name}: {text.format(output=output)}", soft_wrap=True)


def _outcomes(record: Record) -> dict[str, tuple[int, str]]:
    """How many records of a unit had each outcome, and of what kinds or for what reasons."""
    counts, is_rejected = record.counts, _is_of_groups(record)
    places = {f"places {how}": count for how, count in record.facts.get(PLACES, {}).items()}
    english = {"class labels in English": len(record.facts.get(ENGLISH, ()))}
    lacking = {"best linked pages missing": record.facts.get("linked_pages", {}).get("best_missing", 0)}
    kept = filter(None, map(list_reasons, (record.facts.get("sources", {}), places, english, lacking)))
    others = sum(counts.left_out.values()), list_reasons(counts.left_out)
    return {
        "kept": (counts.kept, ", ".join(kept)),
        "left out": (0, "") if is_rejected else others,
        "rejected": others if is_rejected else (0, ""),
        "unreadable": (sum(counts.unreadable.values()), list_reasons(counts.unreadable)),
    }


def _is_of_groups(record: Record) -> bool:
    return record.unit.startswith("groups/")


# What helps where a language got no group: by the most frequent reason for which its classes were rejected, the keys of
# the recipe that decide it.
REMEDIES: Final = {
    "affix": 'raise filters.affix, or set it to "surprise"',
    "contained": "raise filters.extra.contained",
    "digits": "raise filters.digits",
    "few-kinds": "lower outliers.kinds",
    "few-outliers": "lower outliers.min_sitelinks or outliers.minimum, or read all of Wikidata",
    "length-one": "raise filters.length_one",
    "near-duplicate": "raise filters.near_duplicates",
    "no-kind": "lower cluster.coherence",
    "not-parallel": "add dumps or names to the languages of mixed that lack the classes",
    "own-label": "raise filters.extra.own_label",
    "status": "set outliers.status_share = 0",
    "stop-affix": "set filters.stop_affix = false",
    "too-few": "lower cluster.minimum",
}


def remedy(record: Record, *, has_links: bool) -> str:
    """What to do about a language without groups; ``has_links`` says whether the links of its Wikipedia are counted."""
    counts, language = record.counts, record.unit.partition("/")[2]
    if not counts.read:
        dump = f"add its Wikipedia: --wikipedia {language}=DUMP"
        helps = 'set surface.fallback = "label" in the recipe, or minimum_count = 1' if has_links else dump
        return f"no group in {language}: too few items have a name there; {helps}"
    reason, count = min(counts.left_out.items(), key=lambda item: (-item[1], item[0]))
    return f"no group in {language}: of {counts.read:,} classes {count:,} were rejected as {reason}; {_help(reason)}"


def _help(reason: str) -> str:
    """What helps against a reason, which may be that of a rule of the reader's own."""
    return REMEDIES.get(reason, f"filters.extra.{reason.replace('-', '_')} decides it")


def list_reasons(counts: Mapping[str, int]) -> str:
    """How many there are for each reason, the most first."""
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{name} {count:,}" for name, count in ordered if count)


# The command to type next: the first stage of the chain that OUT still lacks.


def next_command(units: Iterable[str], output: str, recipe: str = FIRST_RECIPE) -> str:
    """The command that makes what ``output`` lacks after ``units`` are finished; DUMP is to be filled in.

    >>> next_command(["entities", "mentions/de", "mentions/ja", "surfaces/ja"], "out")
    'wikisem surfaces wikisem --languages de --output out'
    >>> next_command(["mentions/de"], "out")
    'wikisem entities --wikidata DUMP --languages en,de --output out'
    """
    finished = set(units)
    mentions, surfaces, groups = (
        sorted(unit.partition("/")[2] for unit in finished if unit.startswith(f"{stage}/"))
        for stage in ("mentions", "surfaces", "groups")
    )
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


def _choose(languages: list[str]) -> list[str]:
    return ["--languages", ",".join(languages)]


# Groups: how many there are, and one in full.

_PARTS: Final = {0: "cluster", **{number: one.label for number, one in OUTLIER_CLASSES.items()}}


def languages_table(groups: Mapping[str, Sequence[Group]], rejections: Mapping[str, Sequence[Rejection]]) -> Table:
    """One row for each language: groups, test cases, and the classes that gave none, by reason."""
    counted = number_columns("groups", "test cases", "classes without")
    table = Table("language", *counted, "why", title="test groups", title_justify="left")
    for language, found in groups.items():
        reasons = Counter(rejection.reason for rejection in rejections[language])
        cases = sum(len(group.outliers) for group in found)
        why = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items()))
        table.add_row(language, str(len(found)), str(cases), str(reasons.total()), why)
    return table


def group_table(group: Group, names: Mapping[str, str]) -> Table:
    """The cluster and the outliers of one group; ``names`` are labels of the classes that brought outliers in."""
    shares, sitelinks = number_columns("P(form | page)", "sitelinks")
    title = f"{group.label} ({group.qid}, {group.language}) in full"
    members = (*group.cluster, *group.outliers)
    linked = any(member.total for member in members)  # else a column of blanks
    columns: list[Column | str] = [
        "",
        "surface form",
        "item",
        *([shares] if linked else []),
        "source",
        sitelinks,
        "via",
    ]
    table = Table(*columns, title=title, title_justify="left")
    shown = None
    for member in members:
        kind = member.of_class.number if isinstance(member, Outlier) else 0
        if kind != shown:
            table.add_section()
        via = name_class(member.via, names.get(member.via, "")) if isinstance(member, Outlier) else ""
        count, total = member.count or 0, member.total or 0
        share = f"{count}/{total} = {count / total:.2f}" if total else ""
        part = _PARTS[kind] if kind != shown else ""
        shares_too = [share] if linked else []
        table.add_row(part, member.surface, member.id, *shares_too, member.source, str(member.sitelinks), via)
        shown = kind
    return table
