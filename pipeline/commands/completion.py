"""Print a script that completes commands, options and file names in a shell: eval "$(wikisem completion bash)".

For zsh the same script is used through bashcompinit, which it loads.
"""

import argparse
import shlex
from collections.abc import Sequence

from wikisem.pipeline.cli import COMMANDS, open_command
from wikisem.pipeline.command_options import refuse_beam_options
from wikisem.pipeline.console.terminal import print_line

_BASH = """_wikisem() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" command="${{COMP_WORDS[1]}}" words
  if [ "$COMP_CWORD" -eq 1 ]; then
    words={commands}
  else
    case "$command" in
{cases}
      *) words="" ;;
    esac
  fi
  case "$COMP_CWORD:$word" in
    1:*|*:-*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}}
complete -o filenames -F _wikisem wikisem"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of completion."""
    parser.add_argument("shell", choices=("bash", "zsh"), help="the shell that reads the script")


def run(arguments: argparse.Namespace, beam_options: Sequence[str]) -> int:
    """Print the script, made from the commands' own declarations."""
    refuse_beam_options("completion", beam_options)
    if arguments.shell == "zsh":
        print_line("autoload -U +X bashcompinit && bashcompinit")
    cases = "\n".join(f"      {name}) words={shlex.quote(' '.join(_options(name)))} ;;" for name in COMMANDS)
    print_line(_BASH.format(commands=shlex.quote(" ".join([*COMMANDS, "--help", "--version"])), cases=cases))
    return 0


def _options(name: str) -> list[str]:
    """The long options of a command, and of the tasks in it."""
    return sorted(option for option in options_of(open_command(name)[1]) if option.startswith("--"))


def options_of(parser: argparse.ArgumentParser) -> set[str]:
    """All options that a parser knows, and the parsers of tasks in it."""
    found: set[str] = set()
    for action in parser._actions:  # noqa: SLF001 - argparse has no public list of what it was given
        found.update(action.option_strings)
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            found |= {option for task in action.choices.values() for option in options_of(task)}
    return found
