"""The commands that write what people look at: a release, the set that comes with wikisem, and the page of groups."""

import argparse
import sys
from collections.abc import Mapping
from typing import Final

from wikisem.outputs.release.card import TEXTS
from wikisem.pipeline import release as releases
from wikisem.pipeline.cli import Command
from wikisem.pipeline.command_options import result_folder
from wikisem.pipeline.console.terminal import print_line, print_notes


def release(arguments: argparse.Namespace) -> int:
    """Make a folder to publish from the groups of a run: a data set that people load, browse and score with one line.

    FOLDER gets a data set card, the recipe, Parquet files of groups and of test cases for each language,
    croissant.json, tasks for lm-evaluation-harness, inspect-ai and EuroEval, LICENSE and CITATION.cff. wikisem uploads
    nothing: the last lines are the commands that do, except for a set made from the demo's dumps, which is not for
    publication.
    """
    folder, name = arguments.output, arguments.repository or "OWNER/NAME"
    if not arguments.maintainer and sys.stdin.isatty():
        arguments.maintainer = input("the maintainer, who answers for the set (empty for none): ")
    taken = ("maintainer", "contact", "repository", "scores", "cases", "since", "held", "open_held")
    given = {name: value for name in taken if (value := getattr(arguments, name))}
    facts = releases.release(arguments.run, folder, **given)
    languages = f"{len(facts.filled)} language{'s' * (len(facts.filled) != 1)}"
    if facts.made_up:
        print_line(TEXTS["made_up"])
    print_line(f"{facts.name} {facts.version}: {facts.cases:,} test cases in {languages}")
    if facts.shots:
        tests = sum(test for test, _ in facts.split.values())
        print_line(
            f"for language models: {sum(facts.shots.values())} few-shot and {tests:,} test cases that share nothing"
        )
    if not facts.maker.name:
        print_notes(["the card and the citation name no maintainer: add --maintainer and --contact"])
    if arguments.held and facts.held:
        print_line(f"held back, not to be published: {facts.held.cases:,} test cases in {releases.held_place(folder)}")
    if not facts.made_up:
        print_line(f"to publish it: hf repos create {name} --repo-type dataset")
        print_line(f"               hf upload {name} {folder} --repo-type dataset")
    print_line(f"output: {folder}")
    return 0


def sample(arguments: argparse.Namespace) -> int:
    """Write the set that comes with wikisem, a release of real items in 17 languages, without a dump or a network.

    FOLDER gets what `wikisem release` writes: a card, tables, a page, tasks for harnesses. All commands that read a
    release also take the set by its name, "sample", without any folder. It is small: the card says what it is good for.
    """
    facts, folder = releases.sample(arguments.folder), arguments.folder
    print_line(f"{facts.cases:,} test cases in {len(facts.filled)} languages")
    print_line("groups: " + ", ".join(f"{language.code} {language.groups}" for language in facts.filled))
    print_line(f"next: wikisem show {folder} capital --language en")
    print_line(f"      wikisem evaluate outliers {folder} --languages en --vectors characters:3")
    print_line(f"open in a browser: {folder}/index.html")
    print_line(f"output: {folder}")
    return 0


def browse(arguments: argparse.Namespace) -> int:
    """Write a page to browse the groups of a run or release: plain HTML that works from disk and without a network.

    OUT/browse/index.html has an overview of all languages, every group as a card, rejected classes with their reasons,
    a class in all its languages side by side, walls and a quiz. --cases adds the scores of models on each group.
    """
    print_line(f"open in a browser: {releases.browse(arguments.run, arguments.output, cases=arguments.cases)}")
    return 0


COMMANDS: Final[Mapping[str, Command]] = {
    "release": ({"--maintainer": {"default": ""}, "--repository": {"convert": releases.hub_name}}, release),
    "sample": ({"folder": {"convert": result_folder}}, sample),
    "browse": ({}, browse),
}
