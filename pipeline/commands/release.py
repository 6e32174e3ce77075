"""Make a folder to publish from the groups of a run: a data set that people load, browse and score with one line each.

FOLDER gets a data set card, the recipe, Parquet files of groups and of test cases for each language, croissant.json,
tasks for lm-evaluation-harness, inspect-ai and EuroEval, LICENSE and CITATION.cff. wikisem uploads nothing: the last
lines are the commands that do, except for a set made from the demo's dumps, which is not for publication.
"""

import argparse
import os
import re
import sys
import time
from collections.abc import Sequence
from os import PathLike

from wikisem.datasets.files import data_set_path
from wikisem.errors import UsageError
from wikisem.files import path_of
from wikisem.outputs.release.metadata import Maker, ReleaseFacts
from wikisem.outputs.release.sentences import TEXTS
from wikisem.pipeline import command_options
from wikisem.pipeline.command_options import add, add_cases, result_folder
from wikisem.pipeline.console.terminal import print_line, print_notes
from wikisem.pipeline.release import held_place, write_release


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of release."""
    add(parser, "run=OUT", "the output folder of a run, or a release")
    add(parser, "--output FOLDER", "the folder to write the release to", result_folder, required=True)
    add(parser, "--maintainer NAME", "the person who answers for the set; a terminal asks", default="")
    add(parser, "--contact ADDRESS", "the maintainer's e-mail address or page", command_options.contact)
    text = "what evaluate outliers wrote to FILE.json or printed with --json, for the card"
    add(parser, "--scores FILE...", text, path_of)
    add_cases(parser)
    add(parser, "--since OLD", "the release or run before: the card says what changed since")
    text = "a file with a secret, made if there is none: hold half of the classes back, in FOLDER.held.jsonl"
    add(parser, "--held SEEDFILE", text)
    add(parser, "--open-held FILE", "publish the half that the release --since held back")
    text = "the release's name on the Hugging Face Hub (default: its files load from the folder)"
    add(parser, "--repository OWNER/NAME", text, _repository)


def run(arguments: argparse.Namespace) -> int:
    """Write the release, and say what is in it and how it is published."""
    folder, name = arguments.output, arguments.repository or "OWNER/NAME"
    maintainer = arguments.maintainer
    if not maintainer and sys.stdin.isatty():
        maintainer = input("the maintainer, who answers for the set (empty for none): ")
    facts = release(
        arguments.run,
        folder,
        maintainer=maintainer,
        contact=arguments.contact or "",
        repository=arguments.repository or "",
        scores=arguments.scores,
        cases=arguments.cases,
        since=arguments.since,
        held=arguments.held,
        open_held=arguments.open_held,
    )
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
        print_line(f"held back, not to be published: {facts.held.cases:,} test cases in {held_place(folder)}")
    if not facts.made_up:
        print_line(f"to publish it: hf repos create {name} --repo-type dataset")
        print_line(f"               hf upload {name} {folder} --repo-type dataset")
    print_line(f"output: {folder}")
    return 0


def release(
    output: str | PathLike[str],
    folder: str | PathLike[str],
    *,
    maintainer: str = "",
    contact: str = "",
    repository: str = "",
    scores: Sequence[str | PathLike[str]] = (),
    cases: Sequence[str | PathLike[str]] = (),
    since: str | PathLike[str] | None = None,
    held: str | PathLike[str] | None = None,
    open_held: str | PathLike[str] | None = None,
) -> ReleaseFacts:
    """Write a folder to publish to ``folder``, as ``wikisem release`` does; part of the public API.

    ``maintainer`` is who publishes the set and ``contact`` an e-mail address or a page, both for the card.
    ``repository`` is its name on the Hugging Face Hub. ``scores`` are files that ``wikisem evaluate outliers --json``
    wrote, for the card, and ``cases`` those of ``--cases``, for the page. ``since`` is the release or run before, for a
    list of changes. ``held`` is a file with the secret that chooses the classes to hold back, ``open_held`` what the
    release before held back. The release is of today, or of SOURCE_DATE_EPOCH (in seconds), by which it can be made
    again to the byte. Returns facts about the release, such as its ``name`` and ``version``. Raises UsageError if the
    folder has anything but a release of the same languages, and MissingInputError if there is no run or release.
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        today = time.strftime("%Y-%m-%d", time.gmtime(int(epoch) if epoch else None))
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(f"SOURCE_DATE_EPOCH: expected seconds since 1970, saw {epoch!r}") from error
    address = contact and command_options.contact(contact)
    return write_release(
        data_set_path(output),
        path_of(folder),
        today,
        Maker(maintainer.strip(), address, repository and _repository(repository)),
        [path_of(path) for path in scores],
        [path_of(path) for path in cases],
        None if since is None else data_set_path(since),
        None if held is None else path_of(held),
        None if open_held is None else path_of(open_held),
    )


def _repository(text: str) -> str:
    if re.fullmatch(r"[\w.-]+/[\w.-]+", text, re.ASCII) is None:
        raise UsageError(f"expected a name such as my-name/wikisem, saw {text!r}")
    return text
