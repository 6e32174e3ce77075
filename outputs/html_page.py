"""HTML pages that work from disk, in which the words of a data set are never markup.

Words are JSON in a script or a data block, with ``<``, ``>`` and ``&`` and the two line ends of JavaScript escaped, and
the page's script writes them as text nodes. Should any of that fail, the page's content security policy lets nothing
run but the scripts it names, and nothing else load.
"""

import base64
import hashlib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from html import escape
from importlib.resources import files
from typing import Final, Literal

import msgspec

from wikisem.typed_json import packaged_tables

_ESCAPES: Final = {ord("<"): "\\u003c", ord(">"): "\\u003e", ord("&"): "\\u0026", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def html_page(package: str, parts: Mapping[str, str], scripts: str = "") -> str:
    """Fill page.html of a package with ``parts``, below the common head, with its style and its script.

    Each part replaces the placeholder of its name. The policy allows this style and this script by their hashes, and
    the sources in ``scripts``; a page without a placeholder for a script has none.
    """
    head = files(__package__).joinpath("head.html").read_text("utf-8")
    html, style = (files(package).joinpath(f"page.{kind}").read_text("utf-8") for kind in ("html", "css"))
    script = files(package).joinpath("page.js").read_text("utf-8") if "{{SCRIPT}}" in html else ""
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (style, script))
    of_style, of_script = (f"'sha256-{digest}'" for digest in digests)
    allowed = f"script-src {of_script}{scripts}; " if script else ""
    policy = f"default-src 'none'; style-src {of_style}; {allowed}base-uri 'none'; form-action 'none'"
    all_parts = {**parts, "POLICY": escape(policy), "STYLE": style, "SCRIPT": script}
    # Split once, so that nothing inside a part is taken for a placeholder.
    start, *rest = (head + html).split("{{")
    return start + "".join(all_parts[name] + tail for name, tail in (piece.split("}}", 1) for piece in rest))


# What pages for people say, by page, English text and language; reports, which need none of it, do not read it.
_interface: Final = cache(lambda: packaged_tables(__package__, "interface.toml"))


def texts_in(page: Literal["browse", "annotation"], languages: Iterable[str]) -> dict[str, dict[str, str]]:
    """Look up all texts of a page, by language and English text; a language without texts is left out."""
    found: dict[str, dict[str, str]] = {}
    for language in sorted(set(languages)):
        if own := {english: others[language] for english, others in _interface()[page].items() if language in others}:
            found[language] = own
    return found


def script_json(value: object) -> str:
    """Encode JSON that is safe in a ``<script>`` element: no tag can begin or end in it, and no line can break."""
    return msgspec.json.encode(value).decode().translate(_ESCAPES)


def direction(words: Iterable[str]) -> str:
    """Find the direction of most letters of the words: "rtl" or "ltr".

    >>> direction(["القاهرة", "GPS"])
    'rtl'
    """
    kinds = Counter(unicodedata.bidirectional(character) for word in words for character in word)
    return "rtl" if kinds["R"] + kinds["AL"] > kinds["L"] else "ltr"
