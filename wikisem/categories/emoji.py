"""Emoji by group, from Unicode's own emoji-test.txt (UTS #51, https://www.unicode.org/reports/tr51/#emoji_data).

The file comes with the package notofonttools, in which the Noto team keeps it current; nothing is downloaded.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Final

from wikisem.errors import DamagedInputError, MissingInputError, RecipeError

_LINE: Final = re.compile(r"([0-9A-F ]+?) *; *fully-qualified *# ")
_SKIN_TONES: Final = frozenset(range(0x1F3FB, 0x1F400))  # EMOJI MODIFIER FITZPATRICK TYPE-1-2 to TYPE-6


@dataclass(frozen=True, slots=True)
class Emoji:
    """An emoji with its group and subgroup, such as "Animals & Nature" and "animal-mammal"."""

    text: str
    group: str
    subgroup: str


def read_emoji(lines: Iterable[str]) -> list[Emoji]:
    """The fully-qualified emoji of emoji-test.txt in their order.

    Those with a skin tone are left out: the same emoji without one is listed too, and any model finds the two nearest.
    """
    group = subgroup = ""
    found = []
    for line in lines:
        if line.startswith("# group: "):
            group = line.removeprefix("# group: ").strip()
        elif line.startswith("# subgroup: "):
            subgroup = line.removeprefix("# subgroup: ").strip()
        elif match := _LINE.match(line):
            codes = [int(code, 16) for code in match[1].split()]
            if not _SKIN_TONES.intersection(codes):
                found.append(Emoji("".join(map(chr, codes)), group, subgroup))
    return found


def emoji_of(name: str, emoji: Iterable[Emoji]) -> list[str]:
    """The emoji of a group ("Animals & Nature") or subgroup ("animal-mammal"); RecipeError where none is called so."""
    known = list(emoji)
    found = [one.text for one in known if name in (one.group, one.subgroup)]
    if not found:
        groups = ", ".join(dict.fromkeys(one.group for one in known))
        raise RecipeError(f"expected a group ({groups}) or a subgroup of emoji, saw {name!r}")
    return found


def installed_emoji() -> list[Emoji]:
    """The emoji of the installed list; MissingInputError where the package that has it is not installed."""
    try:
        path = Path(str(distribution("notofonttools").locate_file("third_party/ucd/emoji-test.txt")))
        with path.open(encoding="utf-8") as lines:
            found = read_emoji(lines)
    except (PackageNotFoundError, FileNotFoundError) as error:
        raise MissingInputError("expected Unicode's emoji list, saw none; install wikisem[all]") from error
    if not found:
        raise DamagedInputError(f"{path}: expected lines of emoji-test.txt, saw no emoji")
    return found
