"""A sheet as one HTML page that works from disk: no server, no request, keyboard and mouse, answers as a download.

The words of a data set are never markup. They are JSON in a data block, with ``<``, ``>`` and ``&`` and the two line
ends of JavaScript escaped, and the script writes them as text nodes. Should any of that fail, the page's content
security policy lets nothing run but the one script, known by its hash, and nothing load.
"""

import base64
import hashlib
import unicodedata
from collections import Counter
from collections.abc import Iterable
from html import escape
from importlib.resources import files
from typing import Final

import msgspec

from wikisem.outputs.annotation.annotation_set import Sheet
from wikisem.outputs.annotation.instructions import QUESTION, TITLE, instructions

_ESCAPES: Final = {
    ord("<"): "\\u003c",
    ord(">"): "\\u003e",
    ord("&"): "\\u0026",
    0x2028: "\\u2028",
    0x2029: "\\u2029",
}


def direction(words: Iterable[str]) -> str:
    """The direction in which most letters of the words are written: "rtl" or "ltr".

    >>> direction(["القاهرة", "GPS"])
    'rtl'
    """
    kinds = Counter(unicodedata.bidirectional(character) for word in words for character in word)
    return "rtl" if kinds["R"] + kinds["AL"] > kinds["L"] else "ltr"


def format_page(sheet: Sheet) -> str:
    """The page of a sheet; it holds all it needs."""
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )
    parts = {
        "POLICY": escape(policy),
        "TITLE": escape(TITLE),
        "QUESTION": escape(QUESTION),
        "ANNOTATOR": escape(sheet.annotator),
        "INSTRUCTIONS": "\n".join(f"        <li>{escape(text)}</li>" for text in instructions(sheet.two_answers)),
        "STYLE": style,
        "SCRIPT": script,
        "SHEET": script_json(_content(sheet)),
    }
    # Split once, so that nothing inside a part is taken for a placeholder.
    head, *rest = _asset("page.html").split("{{")
    return head + "".join(parts[name] + tail for name, tail in (piece.split("}}", 1) for piece in rest))


def script_json(value: object) -> str:
    """JSON that is safe inside a ``<script>`` element: no tag can begin or end in it, and no line can break."""
    return msgspec.json.encode(value).decode().translate(_ESCAPES)


def _content(sheet: Sheet) -> dict[str, object]:
    return {
        "set": sheet.set,
        "annotator": sheet.annotator,
        "language": sheet.language,
        "direction": direction(word for _, words in sheet.cases for word in words),
        "two_answers": sheet.two_answers,
        "cases": [{"id": case, "words": words} for case, words in sheet.cases],
    }


def _asset(name: str) -> str:
    return files("wikisem.outputs.annotation").joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
