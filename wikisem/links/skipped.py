"""Dead spans: comments, nowiki, code, formulas and the like, where brackets are no links."""

import re
from collections.abc import Iterator
from typing import Final

import numpy as np

from wikisem.links.positions import Keys, Mask, Places, key_of, starting_with

# Elements whose content MediaWiki hands to something else than its link parser, or shows to nobody: the parser
# functions' own and the extensions' tags that Wikipedia has (Special:Version, 2026-11). Those that hand their
# content back, such as ref, poem and gallery, are not among them.
_WORDS: Final = """
categorytree ce chem graph hiero imagemap includeonly inputbox maplink mapframe math nowiki pre score source
syntaxhighlight templatedata timeline
"""
NAMES: Final = tuple(_WORDS.split())

_OPENER: Final = re.compile(
    rb"&lt;(?:(!--)|(%s)(?:\s(?:(?!&gt;|&lt;|[<>]).)*?)?(/?)\s*(?:&gt;|>))" % "|".join(NAMES).encode(),
    re.IGNORECASE | re.DOTALL,
)
_COMMENT_END: Final = re.compile(rb"--(?:&gt;|>)")
_CLOSERS: Final = {name.encode(): re.compile(rb"&lt;/%s\s*(?:&gt;|>)" % name.encode(), re.IGNORECASE) for name in NAMES}
# The three bytes behind `&lt;` of all openers, in lower case: enough to find the few places to look at.
_HEADS: Final = np.unique(
    [key_of(head) for name in NAMES for head in ([name[:3].encode()] if len(name) > 2 else [b"ce&", b"ce "])]
    + [key_of(b"!--")]
)
_LOWER: Final = key_of(b"\x20\x20\x20")


def candidates(entities: Keys) -> Mask:
    """Which ``&`` may open a dead span, by their keys."""
    tags = np.flatnonzero(starting_with(entities, b"&lt;"))
    heads = ((entities[tags] >> np.uint64(32)) | _LOWER) & np.uint64(0xFFFFFF)
    mask = np.zeros(len(entities), np.bool_)
    mask[tags[np.isin(heads, _HEADS)]] = True
    return mask


def dead_spans(data: bytes, openers: Places, text_ends: Places) -> tuple[Places, Places]:
    """Starts and ends of dead spans, disjoint and sorted; each opener comes with the end of the text it stands in."""
    spans = list(_dead_spans(data, openers, text_ends))
    both = np.array(spans, np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _dead_spans(data: bytes, openers: Places, text_ends: Places) -> Iterator[tuple[int, int]]:
    over = 0
    open_to_the_end: set[tuple[bytes, int]] = set()  # looked for once, however often it is opened
    for place, text_end in zip(openers.tolist(), text_ends.tolist(), strict=True):
        found = _OPENER.match(data, place, text_end) if place >= over else None
        if found is None or found.group(3):
            continue
        element = (found.group(2) or b"").lower(), text_end
        end = None if element in open_to_the_end else _end(data, found, text_end)
        if end is None:
            open_to_the_end.add(element)
        else:
            over = end
            yield place, over


def _end(data: bytes, opener: re.Match[bytes], text_end: int) -> int | None:
    """Where the span ends: a comment left open takes the rest of the page, an element left open is none."""
    comment = opener.group(1) is not None
    closer = _COMMENT_END if comment else _CLOSERS[opener.group(2).lower()]
    found = closer.search(data, opener.end(), text_end)
    return found.end() if found else text_end if comment else None
