"""docs/commands.md, every command with its options, made from the parsers: ``python -m tests.docs.commands_page``."""

import argparse
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from tests.docs.blocks import ROOT
from wikisem.pipeline.cli import COMMANDS, FAMILIES, PIPELINES, open_command, parsers_of
from wikisem.pipeline.command_options import DATA_SET

PAGE: Final = ROOT / "docs" / "commands.md"
_SHARED: Final = 2  # an option that this many commands, or tasks of one, declare alike is described once
_WIDTH: Final = 140
_HEAD: Final = """# Commands

Made from the parsers by `python -m tests.docs.commands_page`; `wikisem build --help` adds two examples. Options after
*Also* are described [once for all commands](#options-of-many-commands).
"""
# The page about each command; of commands of a build it is the one about what they make.
_ABOUT: Final = {
    "sample": "sample.md",
    "demo": "tutorial.md",
    "download": "download.md",
    "build": "recipes.md",
    "entities": "entities.md",
    "mentions": "links.md",
    "surfaces": "surface-forms.md",
    "taxonomy": "taxonomy.md",
    "groups": "method.md",
    "walls": "walls.md",
    "categories": "categories.md",
    "lexemes": "lexemes.md",
    "wordnet": "lexemes.md#wordnets",
    "tokenize": "evaluation.md#models",
    "browse": "browse.md",
    "show": "explain.md#one-group",
    "explain": "explain.md",
    "audit": "audit.md",
    "changes": "release.md#the-next-release",
    "check": "filters.md",
    "evaluate": "evaluation.md",
    "correlate": "evaluation.md#correlation-with-other-scores",
    "annotate": "annotate.md",
    "release": "release.md",
    "names": "anchors.md",
    "languages": "languages.md",
    "recipes": "recipes.md",
}
_BEAM: Final = "Words after `--` are options of Beam, for commands that run a pipeline: "

Shared = Mapping[str, str]  # by the option's name, how it is described


def commands_page() -> str:
    """The whole page."""
    parsers = {name: open_command(name)[1] for name in COMMANDS}
    shared = _shared(parsers.values())
    lines = [_HEAD]
    pipelines = ", ".join(f"`{name}`" for name in COMMANDS if name in PIPELINES)
    said_once = [f"A data set is {DATA_SET}.", f"{_BEAM}{pipelines}."]
    lines += ["## Options of many commands", "", *shared.values(), "", *(f"{_filled(each)}\n" for each in said_once)]
    for family, commands in FAMILIES.items():
        lines += [f"## {family.capitalize()}", ""]
        for name in commands:
            lines += _command(name, parsers[name], shared)
    return "\n".join(lines).rstrip() + "\n"


def _shared(parsers: Iterable[argparse.ArgumentParser]) -> Shared:
    """The options that so many parsers declare alike; of two with the same name, the more frequent one."""
    counts = Counter((_name(action), _described(action)) for parser in parsers for action in _options(parser))
    often = [each for each, count in counts.most_common() if count >= _SHARED]
    return dict(sorted(dict(reversed(often)).items()))


def _command(words: str, parser: argparse.ArgumentParser, shared: Shared) -> Iterator[str]:
    """A command or task: what it does, its page, how it is called, its own options, the names of shared ones."""
    yield f"###{'#' * words.count(' ')} {words}\n"
    purpose = (parser.description or "").strip().partition("\n\n")[0].removesuffix(".")
    page = f" ([more]({_ABOUT[words]}))." if words in _ABOUT else "."
    yield f"{_filled(purpose[0].upper() + purpose[1:] + page)}\n"
    options, tasks = _options(parser), dict(list(parsers_of(words, parser))[1:])
    needed = [_shape(action) for action in options if action.required]
    optional = [] if len(needed) == len(options) else ["[OPTIONS]"]
    usage = " ".join(["wikisem", words, *needed, *optional, *(["[TASK]"] if tasks else [])])
    yield f"```usage\n{usage}\n```\n"
    if own := [_described(action) for action in options if _described(action) not in shared.values()]:
        yield "\n".join([*own, ""])
    if others := [f"`{_name(action)}`" for action in options if _described(action) in shared.values()]:
        yield _filled(f"Also {', '.join(others)}.") + "\n"
    if tasks:
        of_tasks = _shared(tasks.values())
        yield "\n".join(["#### Options of many tasks\n", *of_tasks.values(), ""])
        for each, own_parser in tasks.items():
            yield from _command(each, own_parser, of_tasks)


def _options(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """The words and options of a command itself, without --help."""
    return [
        action
        for action in parser._actions
        if not isinstance(action, argparse._HelpAction | argparse._SubParsersAction)
    ]


def _name(action: argparse.Action) -> str:
    return action.option_strings[0] if action.option_strings else _shape(action)


def _described(action: argparse.Action) -> str:
    """An option as an item of a list, as its parser has it."""
    default = action.default if isinstance(action.default, str | int | float) else ""
    said = f" (default: {default})" if default and action.nargs != 0 and "default" not in str(action.help) else ""
    text = (action.help or "").replace("%%", "%").replace(DATA_SET, "a data set")
    return _filled(f"- `{_shape(action)}`: {text}{said}")


def _shape(action: argparse.Action) -> str:
    """How it is typed: ``--wikipedia LANG=PATH ...``."""
    names = ", ".join(action.option_strings)
    if action.nargs == 0:
        return names
    choices = f"{{{','.join(map(str, action.choices))}}}" if action.choices else action.dest.upper()
    value = str(action.metavar or choices) + (" ..." if action.nargs in ("+", "*") else "")
    return f"{names} {value}" if names else f"[{value}]" if action.nargs in ("*", "?") else value


def _filled(text: str) -> str:
    """A paragraph or an item of a list, in lines of the page's width, with nothing that Markdown would take as HTML."""
    text = re.sub(r"`+[^`]+`+|[<*]", lambda found: found[0] if found[0][0] == "`" else f"\\{found[0]}", text)
    indent = "  " if text.startswith("- ") else ""
    return textwrap.fill(text, _WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


if __name__ == "__main__":
    PAGE.write_text(commands_page(), encoding="utf-8")
