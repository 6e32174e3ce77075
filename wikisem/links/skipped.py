"""Skipped spans: comments, nowiki, code, formulas and the like, where brackets are no links.

>>> data = b"a &lt;!-- [[b]] --&gt; &lt;math&gt;[[c]]&lt;/math&gt; &lt;pre&gt; [[d]]"
>>> openers = np.array([position for position in range(len(data)) if data.startswith(b"&lt;", position)])
>>> starts, ends = skipped_spans(data, openers, np.full(len(openers), len(data)))
>>> [data[start:end].decode() for start, end in zip(starts, ends)]
['&lt;!-- [[b]] --&gt;', '&lt;math&gt;[[c]]&lt;/math&gt;']
"""

import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from wikisem.links.positions import Heads, Mask, Positions, head_of, starting_with

# Elements whose content MediaWiki does not parse for links, or does not show: its own and those of the extensions that
# Wikipedia has (Special:Version, 2026-11). Those whose content it does parse, such as ref, poem and gallery, are not
# among them.
_WORDS: Final = """
categorytree ce chem graph hiero imagemap includeonly inputbox maplink mapframe math nowiki pre score source
syntaxhighlight templatedata timeline
"""
NAMES: Final = tuple(_WORDS.split())

_OPENER: Final = re.compile(
    rb"&lt;(?:(!--)|(%s)(\s(?:[^&<>]|&(?![lg]t;))*+|/?\s*+)(?:&gt;|>))" % "|".join(NAMES).encode(), re.IGNORECASE
)
_COMMENT_END: Final = re.compile(rb"--(?:&gt;|>)")
_CLOSERS: Final = {name.encode(): re.compile(rb"&lt;/%s\s*(?:&gt;|>)" % name.encode(), re.IGNORECASE) for name in NAMES}
# The three bytes after the `&lt;` of all openers, in lower case: enough to find the few positions to look at.
_HEADS: Final = np.unique(
    [head_of(head) for name in NAMES for head in ([name[:3].encode()] if len(name) > 2 else [b"ce&", b"ce "])]
    + [head_of(b"!--")]
)
_LOWER: Final = head_of(b"\x20\x20\x20")


def possible_openers(entities: Heads) -> Mask:
    """Which ``&`` may open a skipped span, by their heads."""
    tags = np.flatnonzero(starting_with(entities, b"&lt;"))
    heads = ((entities[tags] >> np.uint64(32)) | _LOWER) & np.uint64(0xFFFFFF)
    mask = np.zeros(len(entities), np.bool_)
    mask[tags[np.isin(heads, _HEADS)]] = True
    return mask


def skipped_spans(data: bytes, openers: Positions, text_ends: Positions) -> tuple[Positions, Positions]:
    """Starts and ends of skipped spans, disjoint and sorted; each opener comes with the end of the text it is in."""
    spans = list(_spans(data, openers, text_ends))
    both = np.array(spans, np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _spans(data: bytes, openers: Positions, text_ends: Positions) -> Iterator[tuple[int, int]]:
    skip_until = 0
    never_closed: set[tuple[bytes, int]] = set()  # searched for once, however often it is opened
    for position, text_end in zip(openers.tolist(), text_ends.tolist(), strict=True):
        opener = _OPENER.match(data, position, text_end) if position >= skip_until else None
        if opener is None or (opener.group(3) or b"").rstrip().endswith(b"/"):
            continue
        element = (opener.group(2) or b"").lower(), text_end
        end = None if element in never_closed else _end(data, opener, text_end)
        if end is None:
            never_closed.add(element)
        else:
            skip_until = end
            yield position, end


def _end(data: bytes, opener: re.Match[bytes], text_end: int) -> int | None:
    """Where the span ends: a comment left open takes the rest of the page, an element left open is no element."""
    comment = opener.group(1) is not None
    closer = _COMMENT_END if comment else _CLOSERS[opener.group(2).lower()]
    close = closer.search(data, opener.end(), text_end)
    return close.end() if close else text_end if comment else None
