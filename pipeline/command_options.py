"""Options that several commands share, declared once, and the run that they describe."""

import argparse
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from wikisem.errors import UsageError
from wikisem.pipeline.build.run import Run
from wikisem.pipeline.console.progress import progress
from wikisem.pipeline.console.terminal import log
from wikisem.pipeline.option_values import (
    argument,
    at_least,
    contact,
    folder,
    local_output,
    parse_languages,
    properties,
    rate,
    seconds,
)
from wikisem.recipes.load import load_recipe, shipped_recipes
from wikisem.recipes.options import Recipe
from wikisem.transforms.io.addresses import absolute
from wikisem.transforms.io.runtime import Runtime
from wikisem.wikidata.item_values import DEFAULT_PROPERTIES

# What commands that read test groups take.
DATA_SET: Final = "a run's OUT, a .jsonl or .parquet file of groups, a folder of WikiSem500 text, or a .tar.gz of these"


def add_recipe(parser: argparse.ArgumentParser) -> None:
    """RECIPE and --seed."""
    parser.add_argument(
        "recipe", metavar="RECIPE", help=f"a TOML file, or the name of a shipped recipe: {', '.join(shipped_recipes())}"
    )
    parser.add_argument("--seed", type=at_least(0), metavar="N", help="overrides the recipe's seed")


def add_seed(parser: argparse.ArgumentParser, of: str, default: int) -> None:
    """--seed, of a command without a recipe; ``of`` says what is drawn by it."""
    parser.add_argument(
        "--seed", type=at_least(0), default=default, metavar="N", help=f"the seed of {of} (default: {default})"
    )


def add_output(parser: argparse.ArgumentParser) -> None:
    """--output, --max-rejects, --workers and --break-lock."""
    parser.add_argument(
        "--output",
        required=True,
        type=argument(folder),
        metavar="OUT",
        help="the output folder or URL, shared by all stages",
    )
    add_max_rejects(parser)
    parser.add_argument(
        "--workers",
        type=at_least(1),
        metavar="N",
        help="local worker processes (default: one for each core, or a single one for less than 64 MiB of input); "
        "after --, Beam's own options choose any other runner",
    )
    parser.add_argument(
        "--break-lock",
        action="store_true",
        help="start even though another run seems to be at work in OUT; only if you know that it has ended",
    )


def add_max_rejects(parser: argparse.ArgumentParser) -> None:
    """--max-rejects."""
    parser.add_argument(
        "--max-rejects",
        type=argument(rate),
        default=0.01,
        metavar="RATE",
        help="the share of unreadable records above which a run fails, once there are 100 of them (default: 0.01)",
    )


def add_timeout(parser: argparse.ArgumentParser, default: float, what: str) -> None:
    """Declare --timeout: how long ``what`` may take."""
    parser.add_argument(
        "--timeout",
        type=argument(seconds),
        default=default,
        metavar="SECONDS",
        help=f"the longest wait for {what}, from the connection to the last byte (default: {default:g})",
    )


def add_contact(parser: argparse.ArgumentParser, whose: str, note: str, default: str | None = None) -> None:
    """--contact, of a command that asks a server; ``note`` says who has to give one and what the default is."""
    parser.add_argument(
        "--contact",
        type=argument(contact),
        default=default,
        metavar="ADDRESS",
        help=f"an e-mail address or web page at which {whose} operators can reach you, sent as User-Agent{note}",
    )


def add_local_output(
    parser: argparse.ArgumentParser, metavar: str = "OUT", text: str = "the output folder", *, required: bool = True
) -> None:
    """--output of a command that writes plain files to a folder on this machine."""
    parser.add_argument("--output", required=required, type=argument(local_output), metavar=metavar, help=text)


def add_wikidata(parser: argparse.ArgumentParser) -> None:
    """--wikidata and what is kept of it."""
    parser.add_argument(
        "--wikidata",
        required=True,
        nargs="+",
        action="extend",
        metavar="PATH",
        help="the Wikidata JSON dump (.json, .gz, .bz2, .zst): files, globs or URLs; several are one dump in parts",
    )
    parser.add_argument(
        "--properties",
        type=argument(properties),
        default=DEFAULT_PROPERTIES,
        metavar="P1,P2",
        help=f"statements to keep, for recipes and category sets (default: {','.join(DEFAULT_PROPERTIES)})",
    )


def add_wikipedia(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """--wikipedia."""
    parser.add_argument(
        "--wikipedia",
        required=required,
        default=[],
        nargs="+",
        action="extend",
        metavar="LANG=PATH",
        help="the XML dump of a language's Wikipedia (.xml, .bz2, .gz, .zst), content export or older: every part",
    )


def add_profile(
    parser: argparse.ArgumentParser,
    text: str = "a profile file for a language, instead of OUT/languages/LANG.toml or of what is learned",
) -> None:
    """--profile."""
    parser.add_argument("--profile", default=[], nargs="+", action="extend", metavar="LANG=FILE", help=text)


def add_checksum(parser: argparse.ArgumentParser) -> None:
    """--checksum."""
    parser.add_argument(
        "--checksum",
        action="store_true",
        help="identify inputs by SHA-256 rather than by path, size and time, and write it to the manifest",
    )


def add_languages(parser: argparse.ArgumentParser, default: str) -> None:
    """--languages."""
    parser.add_argument(
        "--languages", type=argument(parse_languages), metavar="en,de", help=f"the languages (default: {default})"
    )


def make_run(arguments: argparse.Namespace, beam_options: Sequence[str]) -> Run:
    """The run that the shared options describe; ``with_workers`` gives it its workers once its input is known."""
    runtime = Runtime(absolute_setup_file(beam_options), progress)
    runtime.configure_file_systems()
    return Run(absolute(arguments.output), runtime, arguments.max_rejects, log, arguments.break_lock)


def absolute_setup_file(beam_options: Sequence[str]) -> list[str]:
    """Beam's options with the path after --setup_file made absolute, as Beam wants it."""
    words: list[str] = []
    for word in beam_options:
        name, mark, path = word.partition("=")
        if name == "--setup_file" and mark:
            word = f"{name}={Path(path).absolute()}"
        elif words and words[-1] == "--setup_file":
            word = str(Path(word).absolute())
        words.append(word)
    return words


def refuse_beam_options(command: str, beam_options: Sequence[str]) -> None:
    """Raise UsageError if a command that runs no pipeline is given options for one."""
    if beam_options:
        raise UsageError(f"{command} runs no pipeline and takes no Beam options, saw {' '.join(beam_options)}")


def choose_languages(asked: Sequence[str] | None, with_dumps: Sequence[str], recipe: Recipe) -> list[str]:
    """The languages of a run, sorted: --languages, else those of --wikipedia, else the recipe's."""
    return sorted(set(asked or with_dumps or recipe.languages))


def read_recipe(arguments: argparse.Namespace) -> Recipe:
    """The recipe that a command names, with the seed of --seed if that is given."""
    recipe = load_recipe(arguments.recipe)
    return recipe if arguments.seed is None else dataclasses.replace(recipe, seed=arguments.seed)
