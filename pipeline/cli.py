"""The command line: which commands there are, how their words are read, and which exit code an error becomes."""

import argparse
import difflib
import importlib
import inspect
import logging
import os
import re
import sys
import traceback
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final, NoReturn, TypeAlias, TypeVar

from wikisem.errors import UsageError, WikisemError, WrongDumpError, missing_extra, redacted
from wikisem.files import check_address, is_local, path_of
from wikisem.ids import check_language
from wikisem.pipeline.console.interruption import Interruption, end_soon, importing, leaving, listening
from wikisem.pipeline.console.terminal import prepare_streams, shown
from wikisem.typed_json import packaged_tables
from wikisem.wikis import known_language

# The commands by family and name: "purpose", "examples" and "options" (usage and help of each, for ``options_of``).
# evaluate has "tasks", each with its "purpose", the names of its "options", and perhaps "seed" and "drawn".
_FAMILIES: Final[Mapping[str, Mapping[str, Mapping[str, Any]]]] = packaged_tables(__package__, "commands.toml")
ENTRIES: Final = {name: entry for entries in _FAMILIES.values() for name, entry in entries.items()}
COMMANDS: Final[Mapping[str, str]] = {name: entry["purpose"] for name, entry in ENTRIES.items()}
FAMILIES: Final = {family: {name: COMMANDS[name] for name in entries} for family, entries in _FAMILIES.items()}


# What ``wikisem --help`` shows: the way of most users, from a first look to a published set.
FIRST: Final = ("sample", "demo", "download", "build", "browse", "show", "explain", "evaluate", "release")


def overview(*, every: bool = False) -> str:
    """Compose what ``wikisem --help`` prints, or with ``every`` command ``wikisem help all``."""
    lines = ["usage: wikisem COMMAND [OPTIONS] [-- BEAM OPTIONS]", ""]
    lines += ["Test sets that show whether a model tells kinds of things apart by name, from Wikidata and Wikipedia."]
    families = FAMILIES if every else {"commands": {name: COMMANDS[name] for name in FIRST}}
    width = 2 + max(len(name) for commands in families.values() for name in commands)
    for family, commands in families.items():
        lines += ["", f"{family}:", *(f"  {name:<{width}}{text}" for name, text in commands.items())]
    more = "wikisem --version says what is installed."
    if not every:
        more = f"wikisem help all lists {len(COMMANDS) - len(FIRST)} more."
    lines += ["", f"{more} wikisem COMMAND --help shows the options of a command and two examples."]
    return "\n".join(lines)


TRACEBACK: Final = "WIKISEM_TRACEBACK"  # if set, an error that was not foreseen ends in Python's own traceback

# By the first words of options, what ``add`` takes of them besides usage and help.
Options: TypeAlias = dict[str, dict[str, Any]]
# What a command is: how the options of its manual are read, or the declaration of its options, and its work, which
# returns the exit code. A module of several commands has them in COMMANDS, by name; the docstring of each is its help.
Command: TypeAlias = tuple[Options | Callable[[argparse.ArgumentParser], None], Callable[[argparse.Namespace], int]]

STAGES: Final = frozenset({"entities", "mentions", "surfaces", "taxonomy", "groups"})
TOGETHER: Final[Mapping[str, str]] = {  # the module of each command that has none of its own
    **dict.fromkeys((*STAGES, "build", "demo", "names", "walls"), "stages"),
    **dict.fromkeys(("audit", "check"), "audit"),
    **dict.fromkeys(("wordnet", "lexemes"), "lexemes"),
    **dict.fromkeys(("release", "sample", "browse"), "release"),
    "tokenize": "scoring",
}
PIPELINES: Final = STAGES | {"build", "demo", "names", "walls"}  # these also take options of Beam

# Said at once by a command that newcomers try first, since its imports alone take seconds.
_FIRST_WORDS: Final = {"demo": "a sample world in six languages: its dumps are written, then read as real ones are"}

_HINTS: Final = {
    "xml": "is this a Wikipedia dump? then give it as --wikipedia LANG=PATH",
    "json": "is this a Wikidata dump? then give it as --wikidata PATH",
}

# What Python, and the loader of libraries, say where memory or threads have a limit (`ulimit -v`, containers).
_USED_UP: Final = ("can't start new thread", "failed to map segment")


class _Help(argparse.HelpFormatter):
    """Help whose description keeps its paragraphs, and whose examples keep their lines."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        parts, fill = text.strip().split("\n\n"), super()._fill_text
        return "\n\n".join(part if part.startswith("examples:") else fill(part, width, indent) for part in parts)


class Parser(argparse.ArgumentParser):
    """An argument parser whose mistakes are UsageErrors that name the nearest known option."""

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=_Help, allow_abbrev=False, **options)

    def error(self, message: str) -> NoReturn:
        """Raise instead of exiting, so that mistakes are reported in one way; tasks are named where none is given."""
        if self._subparsers and message.startswith("the following"):
            message += f", one of {', '.join(name.strip() for name, _ in parsers_of('', self) if name)}"
        error = UsageError(message)
        error.add_note(self.format_usage().strip())
        raise error

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[argparse.Namespace, list[str]]:  # type: ignore[override]
        """Parse words, and refuse an unknown one with the nearest known option.

        An option of several values takes one, and further words only if the command has no place for them.
        So `--vectors a.vec OUT` names one model, as `OUT --vectors a.vec` does, and `OUT --vectors a.vec b.vec` two.
        """
        # A mistyped option is refused first: if it is a required one, argparse would only say that it is missing. In a
        # command with tasks, such as evaluate, the parser of the task does this.
        known = self._option_string_actions
        if not self._subparsers:
            options = [word.split("=")[0] for word in args or () if word.startswith("--") and " " not in word]
            if mistyped := [option for option in options if option not in known]:
                self.error(_unknown(mistyped[0], known))
        # With "+", argparse lets an option take all words that follow. So each takes one at first; words that are left
        # over have no other place in the command, and all are parsed again with "+".
        several = [action for action in self._actions if action.option_strings and action.nargs == "+"]
        for action in several:
            action.nargs = 1
        try:
            arguments, unknown = super().parse_known_args(args, namespace)
        finally:
            for action in several:
                action.nargs = "+"
        if several and any(not word.startswith("-") for word in unknown):
            arguments, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(_unknown(unknown[0], known))
        return arguments, unknown

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            choices = list(map(str, action.choices))
            nearest = difflib.get_close_matches(str(value), choices, n=1)
            hint = f"; did you mean {nearest[0]}?" if nearest else ""
            raise argparse.ArgumentError(action, f"expected one of {', '.join(choices)}, saw {value!r}{hint}")


class _Lines(logging.Formatter):
    """What is logged, in the style of all other lines: ``warning: ...``."""

    def format(self, record: logging.LogRecord) -> str:
        return shown(f"{record.levelname.lower()}: {super().format(record)}")


def main(words: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code; an error that wikisem names ends in one message on stderr."""
    handler = logging.StreamHandler()
    handler.setFormatter(_Lines())
    logging.basicConfig(level=logging.ERROR, handlers=[handler])
    logging.getLogger("wikisem").setLevel(logging.WARNING)
    # What Beam logs of a failure comes back as the first cause in a StageError.
    logging.getLogger("apache_beam").setLevel(logging.CRITICAL)
    interruption = Interruption()
    try:
        with listening(interruption):
            code = _run_and_report(list(sys.argv[1:] if words is None else words), interruption)
    except BaseException as error:
        # The signal is reported, rather than the error that it caused somewhere in the work.
        if interruption or isinstance(error, KeyboardInterrupt):
            return interruption.end(error)
        raise
    return interruption.end() if interruption else code


def command() -> NoReturn:
    """The program ``wikisem``: run the command that its words name, and end with its exit code."""
    prepare_streams()
    # Python's own traceback, for a report, without the credentials of URLs.
    sys.excepthook = lambda *error: sys.stderr.write(shown("".join(traceback.format_exception(*error)))) and None
    with leaving():
        sys.exit(main())


def _run_and_report(words: list[str], interruption: Interruption) -> int:
    """Run one command; an error ends in one message on stderr and its exit code.

    After an interruption it is raised instead, and with ``TRACEBACK`` set, so is one that nobody has foreseen.
    """
    try:
        code = _run(words)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of our output went away (`| head`): nothing more can be said to it.
        _leave_output()
        return 1
    except Exception as error:
        if isinstance(error, ModuleNotFoundError):
            error = missing_extra(error, f"wikisem {words[0]}")
        is_foreseen = isinstance(error, WikisemError | OSError)
        if interruption or (os.environ.get(TRACEBACK) and not is_foreseen):
            raise
        exit_code = error.exit_code if isinstance(error, WikisemError) else 1
        end_soon(exit_code)  # within seconds, even if a library hangs while it cleans up
        with suppress(OSError):
            # The usage comes first, so that the error is the last line on the screen.
            for line in (*getattr(error, "__notes__", ()), f"wikisem: {_message_of(error)}"):
                print(shown(line), file=sys.stderr)  # noqa: T201 - the command line speaks to people
        if isinstance(error, OSError):  # perhaps of standard output itself
            _leave_output()
        return exit_code
    return code


def _message_of(error: Exception) -> str:
    """Describe an error in one line; an unforeseen one with the last line of wikisem's code in its traceback."""
    if isinstance(error, WikisemError):
        return f"{error}; {_HINTS[error.saw]}" if isinstance(error, WrongDumpError) else str(error)
    if isinstance(error, OSError):
        return f"expected to read and write files, saw {error}"
    if isinstance(error, MemoryError) or any(phrase in str(error) for phrase in _USED_UP):
        return f"expected enough memory and threads, saw that there are no more{': ' if error.args else ''}{error}"
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "wikisem" in Path(frame.filename).parts]
    place = f" in {Path(*Path(frames[-1].filename).parts[-3:])}:{frames[-1].lineno}" if frames else ""
    text = redacted(" ".join(str(error).split()))[:300]
    return (
        f"unexpected {type(error).__name__}{place}{': ' if text else ''}{text}; this is a fault of wikisem, or damage "
        f"that it does not know: {TRACEBACK}=1 shows all of it, for a report"
    )


def _leave_output() -> None:
    """Where standard output cannot be written, let nothing try again when the process ends."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(words: list[str]) -> int:
    """Do what the words of a command line ask for: help, the versions, or a command; return the exit code."""
    for word in words:
        if not word.isprintable() and any("\ud800" <= letter <= "\udfff" for letter in word):
            # Python has surrogates for bytes that are no UTF-8; paths become part of JSON, which cannot hold them.
            raise UsageError(f"expected words in UTF-8, saw {os.fsencode(word)!r}")
    ours, beam_options = split_beam_options(words)
    if not ours or ours in (["-h"], ["--help"], ["help"], ["help", "all"]):
        print(overview(every=ours[1:] == ["all"]))  # noqa: T201
        return 0 if ours else 2
    if ours[0] in {"help", "-h", "--help"}:
        ours = [ours[1], "--help"]
    if ours[0] in {"-V", "--version"}:
        from wikisem.pipeline.runs.ledger import versions  # noqa: PLC0415 - it takes longer than all of this module

        wikisem, *libraries = versions().items()
        print(" ".join(wikisem), *(f"{name}: {version}" for name, version in libraries), sep="\n")  # noqa: T201
        return 0
    if ours[0] not in COMMANDS:
        raise UsageError(f"{_unknown(ours[0], COMMANDS)}; see wikisem --help")
    if ours[0] in _FIRST_WORDS and not {"-h", "--help"} & set(ours):  # before imports that take seconds
        print(_FIRST_WORDS[ours[0]], file=sys.stderr, flush=True)  # noqa: T201
    run, parser = open_command(ours[0])
    arguments = parser.parse_args(ours[1:])
    if beam_options and ours[0] not in PIPELINES:
        raise UsageError(f"{ours[0]} runs no pipeline and takes no Beam options, saw {' '.join(beam_options)}")
    arguments.beam_options = beam_options
    return run(arguments)


def open_command(name: str) -> tuple[Callable[[argparse.Namespace], int], Parser]:
    """Import a command; return its function, from parsed words to the exit code, and the parser of its words.

    A module of one command has ``run``, and OPTIONS (how values are read) or ``add_arguments``, which declares options
    itself; a module of several commands has both of each in COMMANDS.
    """
    with importing():
        module = importlib.import_module(f"wikisem.pipeline.commands.{TOGETHER.get(name, name)}")
    if name in TOGETHER:
        options, run = module.COMMANDS[name]
    else:
        options, run = getattr(module, "add_arguments", getattr(module, "OPTIONS", {})), module.run
    description = run.__doc__ if name in TOGETHER else module.__doc__
    parser = Parser(prog=f"wikisem {name}", description=inspect.cleandoc(description or ""))
    if callable(options):
        options(parser)
    else:
        # commands.toml has the usage and help of all options in one string, with braces for what the code knows.
        in_manual = {"data_set": DATA_SET, **getattr(module, "IN_MANUAL", {})}
        manual = ENTRIES[name]["options"].format(**in_manual).strip()
        # An option with "| " before it excludes the one above: a block has options of which one may be given.
        for block in re.split(r"\n(?=[^\s|])", manual):
            declared = options_of(block.replace("\n| ", "\n"), options)
            group = parser.add_mutually_exclusive_group() if len(declared) > 1 else parser
            for declare_option in declared.values():
                declare_option(group)
    lines = [line for entry in ENTRIES.values() for line in entry["examples"]]
    for words, inner in parsers_of(name, parser):
        # Two examples of the command, or of the task; those of another command may have some of this one, too.
        examples = [line for line in lines if f"{line} ".startswith(f"wikisem {words} ")][:2]
        inner.epilog = "\n  ".join(["examples:", *examples])
    return run, parser


def parsers_of(name: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """The parser of a command, and those of the tasks in it, each by the words that lead to it."""
    yield name, parser
    for action in parser._actions:  # noqa: SLF001 - argparse has no other way to its tasks
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for task, inner in action.choices.items():
                yield from parsers_of(f"{name} {task}", inner)


def split_beam_options(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The words before the first ``--``, and those after it."""
    end = words.index("--") if "--" in words else len(words)
    return list(words[:end]), list(words[end + 1 :])


def _unknown(word: str, known: Iterable[str]) -> str:
    """Say that a word or option is unknown, and name the nearest one that is known."""
    name = word.split("=", maxsplit=1)[0]
    nearest = difflib.get_close_matches(name, list(known), n=1)
    kind = "option" if name.startswith("-") else "word"
    return f"unknown {kind} {name!r}" + (f"; did you mean {nearest[0]}?" if nearest else "")


DATA_SET: Final = (
    "a run's OUT or a release (a path, https:// or hf://datasets/OWNER/NAME), .jsonl or .parquet groups, a folder of "
    "WikiSem500 text, or a .tar.gz of these"
)
MAX_UNREADABLE: Final = 0.01  # the share of unreadable records above which a run fails
# A day: no server keeps a connection for longer, and clocks of the system take no time that is much longer.
_LONGEST_TIME: Final = 86_400
T = TypeVar("T")
_Declares: TypeAlias = argparse._ActionsContainer  # noqa: SLF001 - what parsers and groups of options have in common


def add(
    parser: _Declares,
    usage: str,
    text: str,
    convert: Callable[[str], Any] | Collection[str] | None = None,
    default: Any = None,
    **more: Any,
) -> None:
    """Declare an option or an argument to argparse from its usage; ``convert`` reads a word, or has the choices.

    --json            a flag                 dataset=OUT       an argument, by its name in the result
    --number N        takes a value          name=CLASS?       an argument that may be left out
    --scores FILE...  one or more values     files=SAMPLES...  one or more arguments
    --item ITEM,...   lists, as in a,b c     All options with several values may be given again and again.
    """
    names = [word for word in usage.split() if word.startswith("-")]  # of an option; an argument has ``dest`` instead
    dest, _, metavar = ("", "", usage.rsplit(maxsplit=1)[-1]) if names else usage.partition("=")
    has_metavar = metavar not in names  # the usage of a flag, or of an option with choices, ends in its name
    if not has_metavar and convert is None:
        parser.add_argument(*names, help=text, **{"action": "store_true", **more})
        return
    several, listed = metavar.endswith("..."), metavar.endswith(",...")
    if several or metavar.endswith("?"):
        more["nargs"] = "+" if several else "?"
    if several and names:  # values of the same option are collected
        more["action"], default = (Listed if listed else "extend"), default or []
    if has_metavar and not isinstance(convert, Collection):  # else argparse lists the choices in its place
        more["metavar"] = metavar.rstrip(",.?")
    if convert is not None:
        more |= {"choices": convert} if isinstance(convert, Collection) else {"type": partial(argument, convert)}
    if default is not None:
        more["default"] = default
    parser.add_argument(*(names or [dest]), help=text, **more)


def options_of(manual: str, how: Options) -> dict[str, Callable[..., None]]:
    """Read options from a manual: by the first word of each usage, a function that declares the option to a parser.

    An entry is usage, two blanks or more, and help, such as ``--seed N  the seed of the draw``; further lines of a help
    are indented. A required option is marked as in ``--output! OUT``. ``--output:finished`` is an option ``--output``
    under a name of its own, as several commands have one. ``how`` has, by name, arguments of ``add``, before ``_HOW``.
    """
    how, options = _HOW | how, dict[str, Callable[..., None]]()
    for entry in re.split(r"\n(?=\S)", manual.strip()):
        usage, text = re.split(r" {2,}", entry, maxsplit=1)
        first_word = re.split("[ =]", usage)[0]  # such as --output:finished!
        name = first_word.rstrip("!")
        option = name.partition(":")[0]
        more = {**how.get(name, how.get(option, {})), **({"required": True} if first_word != name else {})}
        options[name] = partial(add, usage=usage.replace(first_word, option, 1), text=text, **more)
    return options


def declare(parser: argparse.ArgumentParser, words: str, options: Mapping[str, Callable[..., None]]) -> None:
    """Declare options of a table by its words: "--output!" is required, and "--csv|--json" are one or the other."""
    for word in words.split():
        group = parser.add_mutually_exclusive_group() if "|" in word else parser
        for name in word.split("|"):
            options[name.rstrip("!")](group, **({"required": True} if name.endswith("!") else {}))


class Listed(argparse.Action):
    """An option whose words are lists, as `en,de`: its value is all of them together, each value once, in order."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, *_: Any) -> None:
        """Add the values of some words to those of earlier ones, which take the place of the default."""
        del parser
        seen = getattr(namespace, self.dest)
        setattr(namespace, self.dest, list(dict.fromkeys(chain(() if seen is self.default else seen, *values))))


def argument(convert: Callable[[str], T], text: str) -> T:
    """Convert a word; argparse shows the errors of ours as they are, and would otherwise only say "invalid value"."""
    try:
        return convert(text)
    except WikisemError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def at_least(least: int) -> Callable[[str], int]:
    """Return a converter from words to whole numbers, from ``least`` to 2**64 - 1."""

    def convert(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) < 2**64:
            raise UsageError(f"expected a whole number from {least} up, saw {text!r}")
        return int(text)

    return convert


def list_of(convert: Callable[[str], T]) -> Callable[[str], list[T]]:
    """Return a converter from comma-separated lists; a last comma, as blanks leave it in `en, de`, begins no value."""
    return lambda text: [convert(part.strip()) for part in text.strip(", ").split(",")]


def rate(text: str) -> float:
    """Convert a word such as "0.01" or "1%" to a share from 0 to 1; UsageError for anything else."""
    try:
        share = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise UsageError(f"expected a rate from 0 to 1 such as 0.01 or 1%, saw {text!r}")
    return share


def seconds(text: str) -> float:
    """Convert a word to a time in seconds, above zero and at most a day; UsageError for anything else."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number <= _LONGEST_TIME:
        raise UsageError(f"expected seconds from above 0 to {_LONGEST_TIME:,}, saw {text!r}")
    return number


def contact(text: str) -> str:
    """An address to write to, which an HTTP header can hold; UsageError for anything else."""
    if not (text.strip() and text.isascii() and text.isprintable()):
        raise UsageError(f"expected an e-mail address or a web page, saw {text!r}")
    return text


def folder(text: str) -> str:
    """A folder without its last slash. An empty word, as an unset variable leaves it, must not mean the root."""
    if not text.strip():
        raise UsageError(f"expected a folder or a URL, saw {text!r}")
    if Path(text).is_file():
        raise UsageError(f"expected a folder, saw the file {text}")
    return check_address(text).rstrip("/") or "/"


def local_output(text: str) -> str:
    """A folder on this machine without its last slash."""
    if not is_local(text) and not text.startswith("file://"):
        raise UsageError(f"expected a folder on this machine, saw {text!r}")
    return folder(text)


def file_ending_in(*suffixes: str) -> Callable[[str], Path]:
    """Return a converter from words to paths of files to write, which refuses any suffix but these."""

    def convert(text: str) -> Path:
        if Path(text).suffix not in suffixes:
            raise UsageError(f"expected a file that ends in {', '.join(suffixes)}, saw {text!r}")
        return path_of(text)

    return convert


languages_of: Final = list_of(known_language)
figure_file: Final = file_ending_in(".png", ".svg", ".pdf")

_HOW: Final[Options] = {  # for options that several commands have
    "--languages": {"convert": languages_of},
    "--language": {"convert": check_language},
    "--output": {"convert": lambda text: path_of(folder(text))},
    "--output:report": {"convert": file_ending_in(".md", ".csv", ".json", ".html", ".tex")},
    **{name: {"convert": figure_file} for name in ("--figure", "--plot")},
    **{name: {"convert": path_of} for name in ("--vocabulary", "--scores", "--cases")},
    "--contact": {"convert": contact},
    "--timeout": {"convert": seconds},
    "--seed": {"convert": at_least(0)},
    "--max-unreadable": {"convert": rate, "default": MAX_UNREADABLE},
}
