"""docs/commands.md, how each command is called, made from the parsers: ``python -m tests.docs.commands_page``."""

import argparse
import re
import textwrap
from collections.abc import Iterator
from typing import Final

from tests.docs.blocks import ROOT
from wikisem.pipeline.cli import COMMANDS, DATA_SET, FAMILIES, PIPELINES, open_command, parsers_of

PAGE: Final = ROOT / "docs" / "commands.md"
_WIDTH: Final = 120
_HEAD: Final = """# Commands

Made from the parsers by `python -m tests.docs.commands_page`. `wikisem COMMAND --help` says what each option does, and
adds two examples.
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
    "show": "browse.md#one-group",
    "explain": "browse.md#why-a-group-looks-as-it-does",
    "audit": "audit.md",
    "changes": "release.md#the-next-release",
    "check": "filters.md",
    "evaluate": "evaluation.md",
    "correlate": "evaluation.md#correlation-with-other-scores",
    "annotate": "annotate.md",
    "release": "release.md",
    "names": "labels.md",
    "languages": "languages.md",
    "recipes": "recipes.md",
}
# Options that many commands share, each set under a word of its own.
_SHARED: Final = {
    "RUN": "[--workers N] [--break-lock] [--quiet]",
    "REPORT": "[--output FILE] [--every-eval-ever FOLDER] [--full] [--csv] [--json]",
    "LOOK-UP": "[--no-phrases] [--tokenizer {fugashi,jieba}]",
}
_BEAM: Final = "Words after `--` are options of Beam, for commands that run a pipeline: "


def commands_page() -> str:
    """The whole page."""
    pipelines = ", ".join(f"`{name}`" for name in COMMANDS if name in PIPELINES)
    shared = "; ".join(f"`{name}` is `{options}`" for name, options in _SHARED.items())
    told = (f"A data set is {DATA_SET}.", f"In what follows, {shared}.", f"{_BEAM}{pipelines}.")
    lines = [_HEAD, *(f"{_filled(each)}\n" for each in told)]
    for family, commands in FAMILIES.items():
        lines += [f"## {family.capitalize()}", ""]
        for name in commands:
            lines += _command(name, open_command(name)[1])
    return "\n".join(lines).rstrip() + "\n"


def _command(words: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    """A command or task: what it does, its page, how it is called with each of its options."""
    yield f"###{'#' * words.count(' ')} {words}\n"
    purpose = (parser.description or "").strip().partition("\n\n")[0].removesuffix(".")
    page = f" ([more]({_ABOUT[words]}))." if words in _ABOUT else "."
    yield f"{_filled(purpose[0].upper() + purpose[1:] + page)}\n"
    options, tasks = _options(parser), dict(list(parsers_of(words, parser))[1:])
    needed = [_shape(action) for action in options if action.required]
    others = [_shape(action) for action in options if not action.required]
    optional = [shape if shape.startswith("[") else f"[{shape}]" for shape in others]
    typed = "\n".join(["wikisem", words, *needed, *optional, *(["TASK ..."] if tasks else [])])
    for name, shared in _SHARED.items():
        typed = typed.replace(shared.replace("] [", "]\n["), f"[{name}]")
    usage = "\n".join(_lines(typed.splitlines()))
    yield f"```usage\n{usage}\n```\n"
    for each, own_parser in tasks.items():
        yield from _command(each, own_parser)


def _lines(words: list[str]) -> Iterator[str]:
    """The words in lines of the page's width, with none broken in the middle."""
    line = words[0]
    for word in words[1:]:
        if len(line) + len(word) >= _WIDTH:
            yield line
            line = "   "
        line += f" {word}"
    yield line


def _options(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """The words and options of a command itself, without --help."""
    return [
        action
        for action in parser._actions
        if not isinstance(action, argparse._HelpAction | argparse._SubParsersAction)
    ]


def _shape(action: argparse.Action) -> str:
    """How it is typed: ``--wikipedia LANG=PATH ...``."""
    name = action.option_strings[-1] if action.option_strings else ""
    if action.nargs == 0:
        return name
    choices = f"{{{','.join(map(str, action.choices))}}}" if action.choices else action.dest.upper()
    value = str(action.metavar or choices) + (" ..." if action.nargs in ("+", "*") else "")
    return f"{name} {value}" if name else f"[{value}]" if action.nargs in ("*", "?") else value


def _filled(text: str) -> str:
    """A paragraph in lines of the page's width, with nothing that Markdown would take as HTML."""
    text = re.sub(r"`+[^`]+`+|[<*]", lambda found: found[0] if found[0][0] == "`" else f"\\{found[0]}", text)
    return textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


if __name__ == "__main__":
    PAGE.write_text(commands_page(), encoding="utf-8")
