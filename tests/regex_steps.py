r"""How many steps a backtracking matcher takes for a pattern: counted, so that a test of growth needs no clock.

The matcher is a plain one over the tree that ``re`` itself parses: greedy and lazy repeats give back one at a time,
possessive ones and atomic groups never. A step is one node tried at one position, or one character taken by a repeat.
``re`` takes fewer, by a factor that does not depend on the text. Of ``regex``,
``\p{...}`` and ``\P{...}`` are read as a few ranges, ``--\p{...}`` as nothing, and ``\X`` as one character.
"""

import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import regex

Next = Callable[[int], int | None]
_WORD = re.compile(r"\w")
_CATEGORIES: dict[Any, Callable[[str], bool]] = {
    codes.CATEGORY_DIGIT: str.isdigit,
    codes.CATEGORY_NOT_DIGIT: lambda letter: not letter.isdigit(),
    codes.CATEGORY_SPACE: str.isspace,
    codes.CATEGORY_NOT_SPACE: lambda letter: not letter.isspace(),
    codes.CATEGORY_WORD: lambda letter: _WORD.match(letter) is not None,
    codes.CATEGORY_NOT_WORD: lambda letter: _WORD.match(letter) is None,
}
_PROPERTIES = {"L": "a-zA-Z\u00c0-\u024f\u0400-\u04ff", "M": "\u0300-\u036f\u094d", "N": "0-9", "Pd": "\\-"}
_OTHERS = "\u3000-\u9fff"
_SINGLE = (codes.LITERAL, codes.NOT_LITERAL, codes.ANY, codes.IN)
_REPEATS = (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT)
# The widths that lookbehinds have here.
_WIDTHS = range(1, 3)


def count_steps(pattern: Any, text: str, how: str = "finditer") -> tuple[int, list[tuple[int, int]]]:
    """The steps of ``finditer``, ``match`` or ``fullmatch`` over a text, and the spans that match."""
    tree, flags, known = _tree(pattern)
    matcher = _Matcher(text, flags, known)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    try:
        spans = list(matcher.find_all(tree)) if how == "finditer" else matcher.find_first(tree, how == "fullmatch")
    finally:
        sys.setrecursionlimit(limit)
    return matcher.steps, spans


@cache
def _tree(pattern: Any) -> tuple[list[Any], int, dict[tuple[int, str], bool]]:
    """What a pattern is made of, its flags, and which characters are known to match which of its nodes."""
    written = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    if isinstance(pattern, regex.Pattern):
        written = _with_ranges(written)
    flags = pattern.flags & (re.IGNORECASE | re.DOTALL | re.MULTILINE | re.VERBOSE)
    return list(parser.parse(written, flags)), flags, {}


def _with_ranges(written: str) -> str:
    written = re.sub(r"--\\p\{[^}]*\}", "", written).replace(r"\X", r"[\s\S]")
    pieces = re.split(r"\\[pP]\{([^}]*)\}", written)
    for number in range(1, len(pieces), 2):
        before = "".join(pieces[:number])
        ranges = _PROPERTIES.get(pieces[number], _OTHERS)
        pieces[number] = ranges if before.count("[") > before.count("]") else f"[{ranges}]"
    return "".join(pieces)


class _Matcher:
    def __init__(self, text: str, flags: int, known: dict[tuple[int, str], bool]) -> None:
        self.text, self.flags, self.steps, self._known = text, flags, 0, known

    def find_all(self, tree: list[Any]) -> Iterator[tuple[int, int]]:
        start = 0
        while start <= len(self.text):
            end = self._sequence(tree, 0, start, _here)
            if end is not None:
                yield start, end
            start = start + 1 if end is None or end == start else end

    def find_first(self, tree: list[Any], whole: bool) -> list[tuple[int, int]]:
        end = self._sequence(tree, 0, 0, lambda at: at if not whole or at == len(self.text) else None)
        return [] if end is None else [(0, end)]

    def _sequence(self, nodes: list[Any], index: int, at: int, then: Next) -> int | None:
        if index == len(nodes):
            return then(at)
        return self._node(nodes[index], at, lambda end: self._sequence(nodes, index + 1, end, then))

    def _node(self, node: Any, at: int, then: Next) -> int | None:
        kind, value = node
        self.steps += 1
        if kind in _SINGLE:
            return then(at + 1) if self._is(node, at) else None
        if kind in _REPEATS:
            return self._repeat(kind, value, at, then)
        if kind is codes.BRANCH:
            return _first(self._sequence(list(branch), 0, at, then) for branch in value[1])
        if kind is codes.SUBPATTERN:
            return self._sequence(list(value[3]), 0, at, then)
        if kind is codes.ATOMIC_GROUP:
            end = self._sequence(list(value), 0, at, _here)
            return None if end is None else then(end)
        if kind in (codes.ASSERT, codes.ASSERT_NOT):
            found = self._looks(value[0], list(value[1]), at)
            return then(at) if found == (kind is codes.ASSERT) else None
        assert kind is codes.AT, kind
        return then(at) if self._holds(value, at) else None

    def _repeat(self, kind: Any, value: Any, at: int, then: Next) -> int | None:
        least, most, nodes = value[0], value[1], list(value[2])
        most = len(self.text) + 1 if most is codes.MAXREPEAT else most
        if kind is codes.POSSESSIVE_REPEAT:
            return self._possessive(nodes, least, most, at, then)
        if len(nodes) == 1 and nodes[0][0] in _SINGLE:
            return self._run_of_one(kind, nodes[0], least, most, at, then)
        return self._many(kind, nodes, least, most, at, then)

    def _possessive(self, nodes: list[Any], least: int, most: int, at: int, then: Next) -> int | None:
        for count in range(most):
            end = self._sequence(nodes, 0, at, _here)
            if end is None or end == at:
                return then(at) if count >= least else None
            at = end
        return then(at)

    def _run_of_one(self, kind: Any, node: Any, least: int, most: int, at: int, then: Next) -> int | None:
        length = self._taken(node, at, 0, least if kind is codes.MIN_REPEAT else most)
        if length < least:
            return None
        if kind is codes.MAX_REPEAT:
            return _first(then(at + shorter) for shorter in range(length, least - 1, -1))
        while (end := then(at + length)) is None and length < most and self._is(node, at + length):
            length = self._taken(node, at, length, length + 1)
        return end

    def _taken(self, node: Any, at: int, length: int, most: int) -> int:
        while length < most and self._is(node, at + length):
            length += 1
            self.steps += 1
        return length

    def _many(self, kind: Any, nodes: list[Any], least: int, most: int, at: int, then: Next) -> int | None:
        def more(end: int) -> int | None:
            return None if end == at else self._many(kind, nodes, max(least - 1, 0), most - 1, end, then)

        def once() -> int | None:
            return self._sequence(nodes, 0, at, more) if most else None

        ways = [once] if least else [once, lambda: then(at)]
        return _first(way() for way in (ways[::-1] if kind is codes.MIN_REPEAT else ways))

    def _looks(self, direction: int, nodes: list[Any], at: int) -> bool:
        if direction > 0:
            return self._sequence(nodes, 0, at, _here) is not None
        starts = [at - width for width in _WIDTHS if at >= width]
        return any(
            self._sequence(nodes, 0, start, lambda end: end if end == at else None) is not None for start in starts
        )

    def _holds(self, where: Any, at: int) -> bool:
        before, after = at > 0 and self._is_word(at - 1), at < len(self.text) and self._is_word(at)
        starts_line = bool(self.flags & re.MULTILINE) and at > 0 and self.text[at - 1] == "\n"
        return {
            codes.AT_BEGINNING: at == 0 or starts_line,
            codes.AT_BEGINNING_STRING: at == 0,
            codes.AT_END: self.text[at:] in ("", "\n"),
            codes.AT_END_STRING: at == len(self.text),
            codes.AT_BOUNDARY: before != after,
        }[where]

    def _is_word(self, at: int) -> bool:
        return _WORD.match(self.text[at]) is not None

    def _is(self, node: Any, at: int) -> bool:
        if at >= len(self.text):
            return False
        key = id(node), self.text[at]
        if key not in self._known:
            letter = self.text[at]
            cases = {letter, letter.lower(), letter.upper()} if self.flags & re.IGNORECASE else {letter}
            self._known[key] = self._holds_letter(node, cases)
        return self._known[key]

    def _holds_letter(self, node: Any, cases: set[str]) -> bool:
        kind, value = node
        if kind is codes.ANY:
            return cases != {"\n"} or bool(self.flags & re.DOTALL)
        if kind is codes.IN:
            negated = value[0][0] is codes.NEGATE
            return negated != any(_holds_item(item, letter) for item in value for letter in cases)
        return (chr(value) in cases) == (kind is codes.LITERAL)


def _here(at: int) -> int:
    return at


def _first(found: Iterator[int | None]) -> int | None:
    return next((end for end in found if end is not None), None)


def _holds_item(item: Any, letter: str) -> bool:
    kind, value = item
    if kind is codes.RANGE:
        return bool(value[0] <= ord(letter) <= value[1])
    if kind is codes.CATEGORY:
        return _CATEGORIES[value](letter)
    return kind is codes.LITERAL and letter == chr(value)
