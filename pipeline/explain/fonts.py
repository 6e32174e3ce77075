"""Fonts of this machine that have the characters of a string, in any script."""

from collections.abc import Iterable
from functools import cache

from matplotlib.font_manager import FontEntry, findSystemFonts, fontManager
from matplotlib.ft2font import FT2Font

# Ships with matplotlib: Latin, Greek, Cyrillic, Hebrew, Arabic letters and more, but nothing of East Asia.
FIRST = "DejaVu Sans"


def families_for(text: str) -> tuple[list[str], str]:
    """Font families, best first, that together have the characters of the text; and the characters that none has."""
    wanted = {ord(character) for character in text if not character.isspace()}
    families, left = [FIRST], wanted - _family_characters(FIRST)
    if left:
        _learn_new_fonts()
    while left:
        best = max(_plain_fonts(), key=lambda font: (len(left & _characters(font.fname)), "Sans" in font.name))
        found = left & _characters(best.fname)
        if not found:
            break
        families.append(best.name)
        left -= found
    return families, "".join(map(chr, sorted(left)))


def _learn_new_fonts() -> None:
    """Fonts that were installed after matplotlib made its list, which it keeps for ever."""
    known = {font.fname for font in fontManager.ttflist}
    for path in sorted(set(findSystemFonts()) - known):
        fontManager.addfont(path)


def _plain_fonts() -> list[FontEntry]:
    plain = (f for f in fontManager.ttflist if f.style == "normal" and f.weight in (400, "normal"))
    # The font of last resort "has" every character, as an empty box.
    return sorted((f for f in plain if "Last Resort" not in f.name), key=lambda f: (f.name, f.fname))


def _family_characters(family: str) -> set[int]:
    fonts: Iterable[FontEntry] = (font for font in _plain_fonts() if font.name == family)
    return {code for font in fonts for code in _characters(font.fname)}


@cache
def _characters(path: str) -> frozenset[int]:
    return frozenset(FT2Font(path).get_charmap())
