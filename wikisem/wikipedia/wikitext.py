"""The wikitext of an anchor as a reader sees it, and the most that reading a page may cost.

No other module imports mwparserfromhell.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import mwparserfromhell
from mwparserfromhell import nodes

from wikisem.wikipedia.titles import composed, unescape

# The most that reading a page may cost, in steps and not in seconds, so that every machine drops the same pages. Most
# of a page is read by columns (numpy, Arrow, automata), where every byte takes the same time; only the rest is counted.
# A step is about 0.1 µs.

# Two seconds or so. The longest page that MediaWiki saves has 2 MiB of wikitext (``$wgMaxArticleSize``, 2026-11), and
# the costliest of the real ones takes less than a hundredth of this.
BUDGET: Final = 1 << 24

# For each content of brackets that is read alone, beside one for each of its characters.
_CONTENT: Final = 100
# For each character that mwparserfromhell is given; ``LONGEST_PARSED`` is the longest string that it is.
PARSED: Final = 400
# For each `&lt;` that may open a comment or an element whose content is skipped.
OPENER: Final = 20
# For each tag that an XML parser is given, and bytes of XML for a step.
TAG: Final = 16
XML_BYTES: Final = 16


class TooCostlyError(Exception):
    """Pages took more steps than one page may; if there are several, the caller reads each alone."""


@dataclass(slots=True)
class Work:
    """Counts the steps; TooCostlyError past the budget.

    Pages together never take fewer steps than one of them alone.

    >>> work = Work()
    >>> work.read(["[[a|b]]"])
    >>> work.steps
    107
    """

    budget: int = BUDGET
    steps: int = 0

    def read(self, contents: Sequence[str]) -> None:
        """Count contents of brackets that are read one by one."""
        self.spend(_CONTENT * len(contents) + sum(map(len, contents)))

    def spend(self, steps: int) -> None:
        """Count some steps."""
        self.steps += steps
        if self.steps > self.budget:
            raise TooCostlyError(
                f"expected a page that takes at most {self.budget} steps to read, saw one that takes more"
            )


# White space beyond the plain space, all of which reads as one.
SPACES: Final = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004"
    "\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
# What a reader cannot see: soft hyphens, zero-width spaces, marks of direction, and control characters (C0 and C1),
# which terminals and spreadsheets may obey. Joiners stay: they change letters.
UNSEEN: Final = "\u00ad\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff" + "".join(
    chr(code) for code in (*range(32), *range(127, 160)) if chr(code) not in SPACES
)
# What only changes the letters beside it, or fills the place of one (``Default_Ignorable_Code_Point``, Unicode 18.0):
# it stays in a word, and a string of nothing else is empty.
IGNORED: Final = (
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u180f\u200c\u200d\u2060\u2061\u2062\u2063\u2064\u3164\uffa0"
    + "".join(map(chr, range(0xFE00, 0xFE10)))
)
_UNSEEN: Final = re.compile(f"[{UNSEEN}]")
# Tags that leave no trace but the words between them, and templates without templates in them: most that anchors hold.
_PLAIN_TAG: Final = re.compile(
    r"</?(?:abbr|b|bdi|bdo|big|center|cite|code|del|div|em|font|i|ins|q|s|small|span|strike|strong|sub|sup|tt|u|var)"
    r"(?:\s[^<>]*+|/?)>",
    re.IGNORECASE,
)
_BREAK: Final = re.compile(r"<br(?:\s[^<>]*+|/?)>", re.IGNORECASE)
_PLAIN_TEMPLATE: Final = re.compile(r"(?<!\{)\{\{[^{}]*+\}\}(?!\})")
_MARKED: Final = re.compile(r"\{\{|<|\[(?:https?:)?//")
# The longest anchor, in characters, that is given to the parser, whose time grows with the square of the open brackets.
# No name is longer, because no title is (``titles.LONGEST``); of 60,000 real anchors four need it, of 18 characters at
# most.
LONGEST_PARSED: Final = 255
_QUOTES: Final = re.compile(r"('{2,}+)")
# An open one is matched to the end of the text and stays as it is, so that the search ends there.
_CONVERTER: Final = re.compile(r"-\{(?!\{)(.*?)(\}-|\Z)", re.DOTALL)
_VARIANT: Final = re.compile(r"\s*+([a-z]++(?:-[a-z]++)*+)\s*+:(.*+)", re.DOTALL)
# Elements whose content is not part of the running text.
_SILENT: Final = frozenset(
    {"ref", "math", "chem", "ce", "score", "timeline", "hiero", "templatestyles", "includeonly", "graph"}
)
# What a reader without a preference sees of a choice between variants: the first of these that is there
# (``Language*.php`` and ``LanguageConverter`` fallbacks, MediaWiki 1.43), else the first choice written.
_VARIANTS: Final = ("zh-hans", "zh-hant", "zh-cn", "zh-tw", "zh-hk", "zh-sg", "zh-mo", "zh-my")


def visible(text: str) -> str:
    """Return the text in NFC without invisible characters, every run of white space as one space, ends trimmed."""
    plain = text.isascii() and text.isprintable()
    return " ".join((text if plain else composed(_UNSEEN.sub("", text))).split())


def anchor_text(raw: str, work: Work | None = None) -> str:
    """Return the text that a reader sees of the wikitext of a link's anchor: ``the ''Iliad''{{efn}}`` is "the Iliad".

    Frequent tags and templates are removed by regular expressions, all else by a parser, which is slow: ``work`` counts
    its steps. Empty for an anchor that needs the parser and is longer than ``LONGEST_PARSED``.
    """
    text = _CONVERTER.sub(_convert, raw) if "-{" in raw else raw  # a choice between scripts, such as -{zh-hans:x; …}-
    if ("<" in text or "{{" in text) and "nowiki" not in text.lower():
        text = _PLAIN_TEMPLATE.sub("", _PLAIN_TAG.sub("", _BREAK.sub(" ", text)))
    if _MARKED.search(text):
        if len(text) > LONGEST_PARSED:
            return ""
        if work:
            work.spend(PARSED * len(text))
        text = "".join(_plain(mwparserfromhell.parse(text, skip_style_tags=True).nodes))
    if "''" in text:
        text = without_quotes(text)
    return visible(unescape(text))


def without_quotes(text: str) -> str:
    """Return the text without its marks for bold and italics; apostrophes that are not part of a mark stay.

    As in MediaWiki's ``Parser::doQuotes``, one of four apostrophes stays, and all but five of more than five. If both
    bold and italics are left open, one of the marks for bold was an apostrophe before italics:

    >>> without_quotes("the ship's '''bow''', l'''Arche'' de Noé")
    "the ship's bow, l'Arche de Noé"
    """
    pieces = _QUOTES.split(text)
    runs = [len(mark) for mark in pieces[1::2]]
    if runs in ([2, 2], [3, 3]):
        return "".join(pieces[::2])
    # Marks have two apostrophes (italics), three (bold) or five (both); the others are spare and stay.
    spare = [1 if run == 4 else max(run - 5, 0) for run in runs]
    lengths = [run - extra for run, extra in zip(runs, spare, strict=True)]
    bold = [mark for mark, length in enumerate(lengths) if length == 3]
    if (len(bold) + lengths.count(5)) % 2 and (lengths.count(2) + lengths.count(5)) % 2 and bold:
        # Which one: the first after a lone letter, as in l'''Arche'', else after a word, else after a space.
        before = {mark: pieces[2 * mark] for mark in bold}
        after_words = [mark for mark in bold if not before[mark].endswith(" ")]
        after_letters = [mark for mark in after_words if before[mark][-2:-1] in ("", " ")]
        spare[[*after_letters, *after_words, *bold][0]] += 1
    return "".join(piece + "'" * extra for piece, extra in zip(pieces[::2], [*spare, 0], strict=True))


def _plain(wikitext: Iterable[nodes.Node]) -> Iterable[str]:
    """Yield the text of nodes as a reader sees it: without templates, footnotes and tags."""
    for node in wikitext:
        if isinstance(node, nodes.Text | nodes.HTMLEntity):
            yield str(node)
        elif isinstance(node, nodes.ExternalLink) and node.title is not None:
            yield from _plain(node.title.nodes)
        elif isinstance(node, nodes.Tag):
            name = str(node.tag).strip().lower()
            if name == "br":
                yield " "
            elif name == "nowiki":  # its apostrophes are not marks
                yield str(node.contents or "").replace("'", "&#39;")
            elif name not in _SILENT and node.contents is not None:
                yield from _plain(node.contents.nodes)


def _convert(rule: re.Match[str]) -> str:
    """Return what MediaWiki's ``-{rule}-``, a choice between scripts, shows to a reader without a preference.

    Of ``-{A|zh-hans:软件; zh-hant:軟體}-``, with the flag A, this is 软件; "" if a flag hides all.
    """
    content, end = rule.groups()
    if not end:  # the rule is not closed, and stays as it is
        return rule.group()
    flags, bar, body = content.rpartition("|")
    if bar and {flag.strip() for flag in flags.split(";")} & {"H", "T", "-"}:  # rules for the rest of the page
        return ""
    choices = [choice.groups() for part in body.split(";") if (choice := _VARIANT.fullmatch(part))]
    if not choices:
        return body
    texts = {name: text.strip() for name, text in reversed(choices)}  # the first text of a variant counts
    return next((texts[name] for name in _VARIANTS if name in texts), choices[0][1].strip())
