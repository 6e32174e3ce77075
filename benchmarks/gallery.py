"""The page docs/gallery.md: good, rejected and wrong groups in several scripts, from real items and real links.

    python -m benchmarks.gallery class-graph-with-statements.json.gz class-graph-slice.json.gz real-entities.json.gz \\
        --wikipedia en=enwiki-20220720-excerpt.xml.bz2 --output FOLDER > docs/gallery.md

Builds groups by ``RECIPE`` in FOLDER and prints the page: what the build has of every class named below, with the
English label of each item beside its name. Only what is said about a group is written by hand; a class without the
group or the rejection that it is named for is an error.
"""

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from itertools import groupby
from pathlib import Path
from typing import Final

import orjson

import wikisem
from wikisem.pipeline.cli import main as command
from wikisem.pipeline.commands.explain import Explanation
from wikisem.pipeline.runs.read import labels_of
from wikisem.records import Member, Outlier

RECIPE: Final = """\
base = "wikisem"
name = "gallery"
surface.fallback = "label"
cluster.max_groups = 0
outliers.min_sitelinks = 3
"""
NAMES: Final = {
    "en": "English",
    "ru": "Russian",
    "ar": "Arabic",
    "he": "Hebrew",
    "hi": "Hindi",
    "th": "Thai",
    "zh": "Chinese",
    "ja": "Japanese",
    "ko": "Korean",
}

# Language, class, what there is to see.
Seen = tuple[str, str, str]
GOOD: Final[tuple[Seen, ...]] = (
    (
        "en",
        "Q23442",
        "Lakes are siblings. Only meaning tells *Saba* and *Bonaire* from *Saint Paul* and *Ashgabat*.",
    ),
    ("zh", "Q1549591", "Municipalities of Norway and Chile, transcribed as the big cities are."),
)
REJECTED: Final[tuple[Seen, ...]] = (
    ("th", "Q3624078", "All names begin with *prathet*, country: letters alone would find the outlier."),
)
WRONG: Final[tuple[Seen, ...]] = (
    (
        "en",
        "Q7270",
        "**A government of a republic is outside**: this data has it as a *provisional government* alone.",
    ),
    (
        "ru",
        "Q747074",
        "***Палермо* is the football club**, by a label that reads as the city. No links say which is meant.",
    ),
)
# Where a rule is described.
RULES: Final = {
    "affix": "filters.md#what-an-affix-is",
    "contained": "filters.md#one-inside-the-other",
    "digits": "filters.md",
    "few-outliers": "outliers.md",
    "near-duplicate": "filters.md#near-duplicates",
    "no-kind": "witness.md",
    "own-label": "filters.md#the-classs-own-label",
    "status": "outliers.md#status-classes",
}
HEAD: Final = """\
<!-- written by python -m benchmarks.gallery -->

# Gallery

Groups of `wikisem build`, with English names: good, rejected and wrong ones. O1, O2 and
O3 are [outliers](outliers.md) of sibling, cousin and far classes; [coherence and margin](witness.md) are of statements.
"""
TAIL: Final = """\
## Where this is from

{items} real items of Wikidata, most with few statements and labels. They give {kept} groups
in {languages} languages, and {left_out} rejections. The recipe is `wikisem` with labels as names, every group, and
outliers from 3 sitelinks on. In brackets are the links of 251 pages of the English Wikipedia of July 2022 (CC BY-SA
4.0, by its contributors) that name the item so. A language model chose the groups and wrote the sentence below each.
"""


def page(output: str) -> Iterator[str]:
    """The page, from the OUT of the build."""
    yield HEAD
    yield "## Good groups\n"
    for language, qid, why in GOOD:
        yield from group_section(output, language, qid, why)
    yield "## Rejected\n"
    for language, qid, why in REJECTED:
        yield from rejected_section(output, language, qid, why)
    yield "## Passed, and wrong\n"
    yield "No rule knows what Wikidata does not say. [Readers](reading.md) found others.\n"
    for language, qid, why in WRONG:
        yield from group_section(output, language, qid, why)
    stages = orjson.loads((Path(output) / "manifest.json").read_bytes())["stages"]
    yield TAIL.format(
        items=f"{stages['entities']['kept']:,}",
        languages=len(NAMES),
        kept=sum(stages[f"groups/{code}"]["kept"] for code in NAMES),
        left_out=sum(sum(stages[f"groups/{code}"]["left_out"].values()) for code in NAMES),
    )


def group_section(output: str, language: str, qid: str, why: str) -> Iterator[str]:
    """A group with its outliers by the class that brought them in; exits if there is none."""
    (found,) = wikisem.explain(output, qid, language)
    group = found.group
    if group is None:
        sys.exit(f"expected a group of {qid} in {language}, saw {found.rejection}")
    english = labels_of(output, {qid, *(one.id for one in group.cluster), *_of(group.outliers)}, "en")[0]
    yield _heading(found, english)
    rows = [("cluster", _words(group.cluster, english, language))]
    for via, own in groupby(group.outliers, key=lambda one: (one.of_class.name, one.via)):
        rows.append((f"{via[0]}, {english.get(via[1], via[1])}", _words(list(own), english, language)))
    yield _table(rows)
    margins = sorted(one.margin for one in group.outliers if one.margin is not None)
    span = " to ".join(dict.fromkeys(f"{each:.2f}" for each in (margins[0], margins[-1]))) if margins else ""
    known = f" Coherence {group.coherence:.2f}, margins {span}." if span else ""
    yield f"{why}{known}\n"


def rejected_section(output: str, language: str, qid: str, why: str) -> Iterator[str]:
    """The cluster that a rule judged, and what the rule saw; exits if the class was not rejected."""
    (found,) = wikisem.explain(output, qid, language)
    if found.rejection is None:
        sys.exit(f"expected {qid} to be rejected in {language}, saw {found.group}")
    english = labels_of(output, {qid, *found.cluster}, "en")[0]
    yield _heading(found, english)
    words = labels_of(output, found.cluster, language)[0] | {
        one.qid: one.surface for one in found.ranked if one.surface
    }
    shown = " · ".join(_word(words[each], english.get(each, each), language) for each in found.cluster)
    evidence = found.rejection.detail.partition(": ")[0]
    yield _table([("cluster", shown), (f"[`{found.rejection.reason}`]({RULES[found.rejection.reason]})", evidence)])
    yield f"{why}\n"


def _of(outliers: Sequence[Outlier]) -> set[str]:
    return {each for one in outliers for each in (one.id, one.via)}


def _heading(found: Explanation, english: Mapping[str, str]) -> str:
    own, label = found.label(found.qid), english.get(found.qid, found.qid)
    return f"### {NAMES.get(found.language, found.language)}: {label}{'' if own == label else f', {own}'}\n"


def _words(members: Sequence[Member], english: Mapping[str, str], language: str) -> str:
    """Each word with its English name; with its share of the links to the page if it is an anchor."""
    return " · ".join(
        _word(one.surface, english.get(one.id, one.id), language)
        + (f" ({one.count}/{one.total})" if one.source == "anchor" else "")
        for one in members
    )


def _word(word: str, english: str, language: str) -> str:
    return word if language == "en" else f"{word} *{english}*"


def _table(rows: Sequence[tuple[str, str]]) -> str:
    lines = ["| | |", "|---|---|", *(f"| {what} | {said.replace('|', chr(92) + '|')} |" for what, said in rows)]
    return "\n".join([*lines, ""])


def main() -> None:
    """Build and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wikidata", nargs="+", help="Wikidata dumps")
    parser.add_argument("--wikipedia", nargs="+", default=[], metavar="LANG=PATH")
    parser.add_argument("--output", type=Path, required=True, help="the folder of the build")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    recipe = arguments.output / "gallery.toml"
    recipe.write_text(RECIPE, encoding="utf-8")
    dumps = ["--wikidata", *arguments.wikidata, *(["--wikipedia", *arguments.wikipedia] if arguments.wikipedia else [])]
    words = ["build", str(recipe), *dumps, "--languages", ",".join(NAMES), "--output", str(arguments.output / "out")]
    with redirect_stdout(sys.stderr):
        if command(words):
            sys.exit("the build failed")
    print(*page(str(arguments.output / "out")), sep="\n", end="")


if __name__ == "__main__":
    main()
