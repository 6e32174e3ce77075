"""First letters in upper case, in place and for all rows at once."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from wikisem.links.positions import Bytes, Mask, Places
from wikisem.wikipedia.titles import upper_first

Points = npt.NDArray[np.int64]
_PLANE = 0x10000


@lru_cache(maxsize=4)
def _upper(language: str) -> Points:
    """The upper case of each code point of the basic plane; -1 where it would take another number of bytes."""
    table = np.arange(_PLANE, dtype=np.int64)
    for letter in filter(str.islower, map(chr, range(_PLANE))):
        upper = upper_first(letter, language)
        same = len(upper.encode()) == len(letter.encode())
        table[ord(letter)] = ord(upper) if same else -1
    return table


def first_points(data: Bytes, starts: Places) -> Points:
    """The code point that starts at each place of UTF-8 text; -1 outside the basic plane and on an empty rest."""
    padded = np.concatenate([data, np.zeros(3, np.uint8)])
    one, two, three = (padded[starts + step].astype(np.int64) for step in range(3))
    points = np.where(one < 0x80, one, ((one & 0x1F) << 6) | (two & 0x3F))
    points = np.where(one < 0xE0, points, ((one & 0x0F) << 12) | ((two & 0x3F) << 6) | (three & 0x3F))
    return np.where(one < 0xF0, points, -1)


def changes_width(points: Points, language: str) -> Mask:
    """Which first letters cannot be put in upper case in place."""
    mask: Mask = (points < 0) | (_upper(language)[points] < 0)
    return mask


def raise_first(data: Bytes, starts: Places, language: str) -> None:
    """Put the letter at each place in upper case, in place; none may change its width."""
    points = first_points(data, starts)
    upper = _upper(language)[points]
    rows = np.flatnonzero(upper != points)
    for width in (1, 2, 3):
        of_width = rows[_width(points[rows]) == width]
        _write(data, starts[of_width], upper[of_width], width)


def _width(points: Points) -> Points:
    return 1 + (points >= 0x80) + (points >= 0x800)


def _write(data: Bytes, places: Places, points: Points, width: int) -> None:
    lead = (0, 0xC0, 0xE0)[width - 1]
    for step in range(width):
        bits = points >> (6 * (width - 1 - step))
        data[places + step] = (
            bits & 0x7F if width == 1 else lead | bits if step == 0 else 0x80 | (bits & 0x3F)
        ).astype(np.uint8)
