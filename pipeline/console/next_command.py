"""The command to type after a stage that was run by itself: the first stage of the chain that OUT still lacks."""

import shlex
from collections.abc import Iterable
from typing import Final

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
