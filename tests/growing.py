"""What wikitext, its XML and lines of Wikidata are made of, to be grown; and a count of the lines that Python runs."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import wikisem

# Each opens, closes, parts or hides something for some scanner; plain text of every width is among them.
_LINKS = [
    "[[",
    "]]",
    "[",
    "]",
    "|",
    "[[a|",
    "[[a]]",
    "[[a|b]]",
    "[[[",
    "]]]",
    "[[a_b|",
    "{{!}}",
    "#",
    ":",
    "en:",
    "[[en:",
]
_NAMES = ["fr:", "File:", "[[File:a|b ", "./", "//", "~~~", "%", "%41", "_", "a+"]
_MARKS = [
    "'",
    "''",
    "'''",
    "''a'''''",
    "{",
    "}",
    "{{",
    "}}",
    "{{a|",
    "{{{",
    "{|",
    "|}",
    "\n{|\n|-\n|",
    "\n|-\n|",
    "-{",
    "}-",
]
_MORE_MARKS = ["-{a:b;", "-{zh-hans:", ";", "=", "\n==", "\n*", "\n:", "----", "http://a", "[http://a ", "[//a "]
_TAGS = [
    "<",
    ">",
    "</",
    "/>",
    "<!--",
    "-->",
    "<ref ",
    "<ref>",
    "</ref>",
    "<nowiki>",
    "</nowiki>",
    "<nowiki/>",
    "<pre",
    "<pre ",
]
_MORE_TAGS = ["</pre", "<math>", "</math>", "<b ", "<b>", "</b>", "<br/", "<li>", "<td>", "<x y='", '<x y="', "<ce>"]
_ENTITIES = [
    "&",
    "&#",
    "&#9",
    "&#x",
    "&a",
    "&lt;",
    "&gt;",
    "&lt;pre",
    "&lt;pre ",
    "&lt;/pre",
    "&lt;!--",
    "&nbsp;",
    "&amp;",
]
_LETTERS = ["a", "9", " ", "\n", "\t", "-", ".", "(", ")", "é", "ß", "ж", "日", "𐐨", "M", "xn-", "a b", "List of "]
_JOINING = [
    "\u0301",
    "\u0316\u0301",
    "e\u0301",
    "\u0f73",
    "\u094d",
    "\u0915\u094d",
    "\u200d",
    "\u200c",
    "\u200e",
    "\u00ad",
]
_MORE_JOINING = [
    "\u1100",
    "\u1161",
    "\uac00",
    "\u11a8",
    "\u0600",
    "\U0001f1e6",
    "\U0001f600",
    "\U0001f600\u200d",
    "\u3000",
]
_OLD = [
    "#REDIRECT",
    "#REDIRECT ",
    "#a: [[",
    "<page>",
    "<text>",
    "</text>",
    "<siteinfo ",
    "<mediawiki ",
    'version="',
    "<ns>",
]
WIKITEXT = (
    *(*_LINKS, *_NAMES, *_MARKS, *_MORE_MARKS, *_TAGS, *_MORE_TAGS),
    *(*_ENTITIES, *_LETTERS, *_JOINING, *_MORE_JOINING, *_OLD),
)
JSON = (
    *("[", "]", "{", "}", '{"a":', '{"id":', '"', "\\", "\\u00", "9", "-", ".", "e", ",", ":", " ", "null", "é", "[],"),
    *('{"mainsnak":', '{"P31":[', '{"value":', '{"datavalue":', '"Q1",', '"a":1,', '"labels":{', '"claims":{'),
)
# A count for a text four times as long may be four times as high, and no higher.
_TIMES = 4
_SLACK = 64

_HERE = str(Path(wikisem.__file__).parent.resolve().parent)
_ROOMS = tuple(f"{_HERE}/{room}/" for room in ("wikisem", "heuristics"))


def check_growth(few: int, many: int, what: object) -> None:
    """Raise AssertionError if a count grows faster than the text, which is four times as long."""
    assert many <= _TIMES * few + _SLACK, f"{what!r}: {few} steps, and {many} for four times the text"


def count_lines(run: Callable[[], Any]) -> int:
    """How many lines of the library Python runs for a call: the same on every machine."""
    lines = 0

    def trace(frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal lines
        lines += event == "line"
        return trace if frame.f_code.co_filename.startswith(_ROOMS) else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return lines
