"""Finding markup in a chunk of bytes by numpy: its tags and brackets, what hides them, and the contents of links.

No function looks at a chunk byte by byte in Python. Positions are offsets in the chunk, in sorted arrays.
"""

import re
import unicodedata
from functools import cache
from typing import Final, NamedTuple

import ahocorasick_rs
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import regex

Bytes = npt.NDArray[np.uint8]
Positions = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Heads = npt.NDArray[np.uint64]
_TAG: Final = ord("<")
_ENTITY: Final = ord("&")
_OPEN: Final = ord("[")
_CLOSE: Final = ord("]")
# The bits that `[` and `]` have in common, with `Y` and `_`: one comparison finds both brackets.
_BRACKETS: Final = np.uint8(0xF9)
# A window and what is computed from it stay in the cache of a core; whole chunks take twice the time (2026-11).
_WINDOW: Final = 1 << 18
_WORD: Final = 8
_HEAD: Final = 8


class Markup(NamedTuple):
    """A chunk, and sorted positions in it: ``tags`` of ``<``, ``entities`` of ``&``, ``brackets`` of ``[[`` and ``]]``.

    ``chunk`` is ``data`` as an array of bytes. Pairs in a run of brackets overlap: ``[[[`` has two positions.
    """

    data: bytes
    chunk: Bytes
    tags: Positions
    entities: Positions
    brackets: Positions


def find_markup(data: bytes, window: int = _WINDOW) -> Markup:
    """Find the positions of all ``<``, ``&``, ``[[`` and ``]]`` in a chunk, ``window`` bytes at a time.

    >>> markup = find_markup(b"<a>&lt;b [[[c]]")
    >>> markup.tags.tolist(), markup.entities.tolist(), markup.brackets.tolist()
    ([0], [3], [9, 10, 13])
    """
    chunk = np.frombuffer(data, np.uint8)
    tags, entities, brackets = ([np.empty(0, np.int64)] for _ in range(3))
    for start in range(0, len(chunk), window):
        # One byte more, for a pair across the border.
        part = chunk[start : start + window + 1]
        # Two bytes that may be brackets: `Y` and `_` have the bits that `[` and `]` share, too, and are dropped below.
        marks: Mask = (part & _BRACKETS) == (_OPEN & _BRACKETS)
        marks[:-1] &= marks[1:]
        marks[-1:] = False
        marks |= part == _TAG
        marks |= part == _ENTITY
        # The positions of marks: ``np.flatnonzero`` in two thirds of its time, as few are set. First the words of eight
        # bytes with a mark, then the marks in these, then those after the last whole word.
        marks = marks[:window]
        whole = len(marks) & -_WORD
        words = marks[:whole].view(np.uint64)
        set_words = np.flatnonzero(words != 0)
        inside = np.flatnonzero(words[set_words].view(np.bool_))
        in_words = set_words[inside // _WORD] * _WORD + inside % _WORD
        positions = np.append(in_words, whole + np.flatnonzero(marks[whole:]))
        byte = part[positions]
        tags.append(positions[byte == _TAG] + start)
        entities.append(positions[byte == _ENTITY] + start)
        pairs = positions[(byte == _OPEN) | (byte == _CLOSE)]
        brackets.append(pairs[part[pairs] == part[pairs + 1]] + start)
    return Markup(data, chunk, np.concatenate(tags), np.concatenate(entities), np.concatenate(brackets))


def heads_at(chunk: Bytes, positions: Positions) -> Heads:
    """Return the eight bytes from each of the sorted positions on as one little-endian number, zeros after the end."""
    whole = int(np.searchsorted(positions, len(chunk) - _HEAD, side="right"))  # positions with eight bytes to read
    heads = np.zeros(len(positions), np.uint64)
    if whole:
        # The eight bytes from every position of the chunk on, overlapping: a view, not a copy.
        eights: Heads = np.ndarray((len(chunk) - _HEAD + 1,), np.dtype("<u8"), chunk.data, 0, (1,))
        heads[:whole] = eights[positions[:whole]]
    for row in range(whole, len(positions)):
        heads[row] = head_of(bytes(chunk[positions[row] :]))
    return heads


def head_of(text: bytes) -> np.uint64:
    """Return the number that ``heads_at`` gives where these bytes are."""
    return np.uint64(int.from_bytes(text[:_HEAD], "little"))


def starting_with(heads: Heads, text: bytes) -> Mask:
    """Return which heads, the eight bytes at some position as one number each, start with these bytes.

    >>> markup = find_markup(b"<a>&lt;b")
    >>> starting_with(heads_at(markup.chunk, markup.entities), b"&lt;").tolist()
    [True]
    """
    return (heads & np.uint64(2 ** (8 * len(text)) - 1)) == head_of(text)


# Elements whose content MediaWiki does not parse for links, or does not show: its own and those of the extensions that
# Wikipedia has (Special:Version, 2026-11). Elements whose content it does parse, such as ref, poem and gallery, do not
# belong here.
_ELEMENTS: Final = """
categorytree ce chem graph hiero imagemap includeonly inputbox maplink mapframe math nowiki pre score source
syntaxhighlight templatedata timeline
"""
NAMES: Final = tuple(_ELEMENTS.split())
_OPENER: Final = re.compile(
    rb"&lt;(?:(!--)|(%s)(\s(?:[^&<>]|&(?![lg]t;))*+|/?\s*+)(?:&gt;|>))" % "|".join(NAMES).encode(), re.IGNORECASE
)
_COMMENT_END: Final = re.compile(rb"--(?:&gt;|>)")
_CLOSERS: Final = {name.encode(): re.compile(rb"&lt;/%s\s*(?:&gt;|>)" % name.encode(), re.IGNORECASE) for name in NAMES}
# The three bytes after the `&lt;` of all openers, in lower case: enough to find the few positions to look at.
_OPENER_HEADS: Final = np.unique(
    [head_of(head) for name in NAMES for head in ([name[:3].encode()] if len(name) > 2 else [b"ce&", b"ce "])]
    + [head_of(b"!--")]
)
_LOWER: Final = head_of(b"\x20\x20\x20")


def possible_openers(entities: Heads) -> Mask:
    """Return which ``&`` may open a span without links, such as a comment, by the eight bytes from each on (heads)."""
    tags = np.flatnonzero(starting_with(entities, b"&lt;"))
    # The three bytes after `&lt;` (heads are little-endian), with the bit set that makes letters lower case.
    names = ((entities[tags] >> np.uint64(32)) | _LOWER) & np.uint64(0xFFFFFF)
    mask = np.zeros(len(entities), np.bool_)
    mask[tags[np.isin(names, _OPENER_HEADS)]] = True
    return mask


def skipped_spans(data: bytes, openers: Positions, text_ends: Positions) -> tuple[Positions, Positions]:
    """Starts and ends, sorted, of comments and elements whose links do not count, from what opens them in each text.

    >>> data = b"a &lt;!-- [[b]] --&gt; &lt;math&gt;[[c]]&lt;/math&gt; &lt;pre&gt; [[d]]"
    >>> openers = find_markup(data).entities
    >>> starts, ends = skipped_spans(data, openers, np.full(len(openers), len(data)))
    >>> [data[start:end].decode() for start, end in zip(starts, ends)]
    ['&lt;!-- [[b]] --&gt;', '&lt;math&gt;[[c]]&lt;/math&gt;']
    """
    starts, ends = list[int](), list[int]()
    never_closed: set[tuple[bytes, int]] = set()  # searched for once, however often it is opened
    for position, text_end in zip(openers.tolist(), text_ends.tolist(), strict=True):
        opener = _OPENER.match(data, position, text_end) if not ends or position >= ends[-1] else None
        # Of a tag that closes itself, such as `&lt;math/&gt;`, nothing is skipped.
        if opener is None or (opener.group(3) or b"").rstrip().endswith(b"/"):
            continue
        comment, name = opener.group(1), (opener.group(2) or b"").lower()
        if (name, text_end) in never_closed:
            continue
        closer = (_COMMENT_END if comment else _CLOSERS[name]).search(data, opener.end(), text_end)
        if closer or comment:  # an open comment takes the rest of the page, an open element nothing
            starts.append(position)
            ends.append(closer.end() if closer else text_end)
        else:
            never_closed.add((name, text_end))
    return np.array(starts, np.int64), np.array(ends, np.int64)


def span_of(positions: Positions, starts: Positions, ends: Positions) -> Positions:
    """Return the index of the span (sorted, disjoint) that holds each of the sorted positions; -1 where none does.

    >>> span_of(np.array([1, 5, 6, 9]), np.array([0, 6]), np.array([4, 8])).tolist()
    [0, -1, 1, -1]
    """
    # Gap, span, gap, span, ..., gap: how many positions are in each, and what they are given.
    bounds = np.stack([starts, ends], axis=1).ravel()
    counts = np.diff(np.searchsorted(positions, bounds), prepend=0, append=len(positions))
    spans = np.full(len(counts), -1)
    spans[1::2] = np.arange(len(starts))
    return np.repeat(spans, counts)


def innermost_links(markup: Markup, texts: Positions) -> tuple[Positions, Positions]:
    """Where the contents of innermost links start and end: a ``[[`` directly followed by its ``]]`` on the same page.

    So links in captions of files need no case of their own, and what encloses them is never taken for a link.
    ``markup.brackets`` has all positions of ``[[`` and ``]]``, which overlap: two in ``[[[``. ``texts`` has for each of
    them the number of the page's text that it is in, -1 for those outside texts or in a comment or the like.

    >>> data = b"[[File:x|a [[b]] c]] [[[d]]] [[e|[f]]]"
    >>> markup = find_markup(data)
    >>> one_text = np.zeros(len(markup.brackets), np.int64)
    >>> [data[start:end].decode() for start, end in zip(*innermost_links(markup, one_text))]
    ['b', 'e|[f]']
    """
    data, chunk = markup.data, markup.chunk  # the same bytes, the latter as an array
    brackets, texts = markup.brackets[texts >= 0], texts[texts >= 0]
    opens = chunk[brackets] == _OPEN
    are_pairs = opens[:-1] & ~opens[1:] & (texts[:-1] == texts[1:]) & (np.diff(brackets) >= 2)
    pairs = np.flatnonzero(are_pairs)
    starts, ends = brackets[pairs] + 2, brackets[pairs + 1]
    keep = np.ones(len(pairs), np.bool_)
    # Links with a `[` before their `[[`. MediaWiki pairs brackets from the left, so in a run of odd length the last is
    # left over: `[[[a]]]` is not a link, `[[[[a]]]]` holds one.
    for link in np.flatnonzero((pairs > 0) & (brackets[pairs - 1] == brackets[pairs] - 1) & opens[pairs - 1]):
        run_start = int(starts[link]) - 1
        while data[run_start - 1] == _OPEN:
            run_start -= 1
        keep[link] = (int(starts[link]) - run_start) % 2 == 0
    # Links with a `]` after their `]]`. The first `]` of `[[a|[b]]]` closes the single `[` in the content, which is
    # `a|[b]` and ends one byte later. In `[[a]]]`, without a single `[`, the last `]` is left over.
    for link in np.flatnonzero(chunk[np.minimum(ends + 2, len(chunk) - 1)] == _CLOSE):
        ends[link] += data.find(b"[", starts[link], ends[link]) >= 0
    return starts[keep], ends[keep]


# Longer than any trail that is a word's ending.
_TRAIL_BYTES: Final = 64


def with_trails(markup: Markup, ends: Positions, trail: str) -> Positions:
    """Return the ends moved past the ``]]`` and the trail of each link that has a trail; the others stay.

    >>> markup = find_markup(b"[[bus]]es [[car]].")
    >>> with_trails(markup, np.array([5, 15]), "[a-z]+").tolist()
    [9, 15]
    """
    letters = re.compile(trail)
    # Few links are followed by a byte that may start a trail: only these are looked at one by one.
    may_start = np.array([byte >= 0x80 or letters.match(chr(byte)) is not None for byte in range(256)])
    extended = ends.copy()
    for row in np.flatnonzero(may_start[markup.chunk[np.minimum(ends + 2, len(markup.chunk) - 1)]]):
        start = int(ends[row]) + 2
        match = letters.match(markup.data[start : start + _TRAIL_BYTES].decode(errors="replace"))
        if match and match.end():
            extended[row] = start + len(match.group().encode())
    return extended


def cut_out(data: bytes | Bytes, starts: Positions, ends: Positions, kind: pa.DataType | None = None) -> pa.Array:
    """``data[start:end]`` of every row as an array of ``kind`` (binary by default); rows are sorted and do not overlap.

    If ``kind`` is a string, the caller guarantees that the bytes are UTF-8.
    """
    kind = kind or pa.binary()
    offsets = np.empty(2 * len(starts), np.int32)
    offsets[0::2], offsets[1::2] = starts, ends
    if not len(starts):
        return pa.array([], kind)
    # An Arrow array over all of the data without a copy: value, gap, value, ..., of which every second one is taken.
    gaps_too = pa.Array.from_buffers(kind, len(offsets) - 1, [None, pa.py_buffer(offsets), pa.py_buffer(data)])
    return gaps_too.take(pa.array(np.arange(0, len(offsets) - 1, 2)))


class Contents(NamedTuple):
    """Contents in one run of bytes: where each starts and ends, its first bar, and where its title ends.

    A content without a bar has it at its end. The title ends at the first ``#``, else at the bar.
    """

    data: Bytes
    starts: Positions
    ends: Positions
    bars: Positions
    title_ends: Positions

    def at(self, positions: Positions) -> Bytes:
        """Return the byte at one position of each content, 0 where the position is outside the content."""
        inside = (positions >= self.starts) & (positions < self.ends)
        return np.where(inside, self.data[np.where(inside, positions, -1)], 0).astype(np.uint8)


def locate_parts(contents: pa.Array) -> Contents:
    """Return where the parts of each content (``title#section|anchor``) are, in one run of the bytes of all contents.

    ``contents`` is a binary or string array, and no slice of another. Without a bar, the bar is at the content's end.

    >>> parts = locate_parts(pa.array(["a", "b#c|d"]))
    >>> parts.data[:-1].tobytes(), parts.title_ends.tolist(), parts.bars.tolist(), parts.ends.tolist()
    (b'ab#c|d', [1, 2], [1, 4], [1, 6])
    """
    _, offsets, buffer = contents.buffers()
    bounds = np.frombuffer(offsets, np.int32)[: len(contents) + 1].astype(np.int64)
    # One byte more, so that a last content that is empty starts somewhere too.
    data = np.append(np.frombuffer(buffer or b"", np.uint8)[: bounds[-1]], np.uint8(0))
    starts, ends = bounds[:-1], bounds[1:]
    bars = first_position(data == ord("|"), starts, ends)
    return Contents(data, starts, ends, bars, np.minimum(first_position(data == ord("#"), starts, ends), bars))


def first_position(mask: Mask, starts: Positions, ends: Positions) -> Positions:
    """Return the first position of each row at which the mask is set, the row's end where it is nowhere."""
    positions = np.flatnonzero(mask)
    following = np.append(positions, np.iinfo(np.int64).max)[np.searchsorted(positions, starts)]
    return np.minimum(following, ends)


# A string is NFC if it has none of the characters that never are, that may compose with the one before them, or that
# have a combining class, so that their order counts (Unicode Standard Annex 15, section 9). These are the *marks* here.
# An automaton finds them together with other markup, and only contents with a mark are compared with their NFC.
_MARK: Final = regex.compile(r"[\p{NFC_QC=M}\p{NFC_QC=N}\P{ccc=0}]")
# All code points with marks, and the first byte of the first of them in UTF-8.
_CODES: Final = range(0x300, 0x30000)
_LEAST: Final = 0xCC
# Contents with marks are read alone where fewer than one character in _FEW is a mark: finding one takes as long as
# reading some fifty characters (2026-11). The first _SAMPLE bytes show whether that is so.
_FEW: Final = 64
_SAMPLE: Final = 1 << 12
# ``unicodedata`` takes n * n steps for n marks on one letter: longer contents are not compared.
_LONGEST: Final = 256


def find_marks(parts: Contents, others: tuple[bytes, ...] = ()) -> tuple[Positions | None, Positions]:
    """Return the sorted positions in contents of marks, which NFC may change or compose, and of some other strings.

    None in place of the marks if more than one in 64 characters at the beginning is one: then it takes less time to
    compare all contents with their NFC.

    >>> parts = locate_parts(pa.array(["e|e\u0301", "caf\u00e9|caf\u00e9", "\u0e19\u0e35\u0e48", "\u0e19\u0e48\u0e38"]))
    >>> marks, _ = find_marks(parts)
    >>> not_composed(parts, marks).tolist()
    [True, False, False, True]
    """
    if not others and not (parts.data >= _LEAST).any():  # no byte that a mark begins with, or a higher one
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    beginning = str(parts.data[:_SAMPLE].data, "utf-8", "ignore")
    with_marks = len(_MARK.findall(beginning)) * _FEW <= len(beginning)
    matches = finder(others, with_marks).find_matches_as_indexes(parts.data[:-1])  # without the NUL at the end
    starts = np.array([start for _, start, _ in matches], np.int64)
    if not with_marks:
        return None, starts
    # Patterns are numbered: ``others`` first, then marks.
    is_mark = np.array([pattern >= len(others) for pattern, _, _ in matches], np.bool_)
    return starts[is_mark], starts[~is_mark]


@cache
def finder(others: tuple[bytes, ...] = (), with_marks: bool = True) -> ahocorasick_rs.BytesAhoCorasick:
    """Return the automaton that finds some other strings, numbered from 0, and marks as further patterns."""
    letters = "".join(chr(code) for code in _CODES if with_marks and not 0xD800 <= code < 0xE000)
    patterns = [*others, *(mark.encode() for mark in _MARK.findall(letters))]
    return ahocorasick_rs.BytesAhoCorasick(patterns, implementation=ahocorasick_rs.Implementation.DFA)


def not_composed(parts: Contents, marks: Positions | None) -> Mask:
    """Which contents may not be NFC, given the positions of ``marks``: characters that NFC may change or compose.

    A content without any is NFC. Where marks are not known (None), all are compared with their NFC. Those of more than
    256 characters are not: that could take too long, so they count as not NFC.
    """
    rows = np.arange(len(parts.ends))
    if marks is not None:
        rows = np.unique(np.searchsorted(parts.ends, marks, side="right"))
    texts = cut_out(parts.data, parts.starts[rows], parts.ends[rows], pa.string()).to_pylist()
    mask = np.zeros(len(parts.ends), np.bool_)
    mask[rows] = [len(text) > _LONGEST or not unicodedata.is_normalized("NFC", text) for text in texts]
    return mask
