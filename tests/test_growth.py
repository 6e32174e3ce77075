"""One token repeated for ever must not stop a build: every scanner of text takes steps in proportion to its length.

Counted are the steps of every regular expression (``regex_steps``), the lines of Python that are run, what the normal
form sorts and what the wikitext parser is given. No clock is read.
"""

import importlib
import pkgutil
import re
import unicodedata
from collections import Counter as Counts
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Any, Final
from xml.sax.saxutils import escape

import mwparserfromhell
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.growing import JSON, WIKITEXT, check_growth, count_lines
from tests.regex_steps import count_steps
from wikisem.dumps import Chunk
from wikisem.errors import DamagedInputError
from wikisem.heuristics.rules.wording import common_affixes
from wikisem.links.scan import ChunkLinks, scan_chunk
from wikisem.surfaces.cleaning import is_form_of, own_script
from wikisem.wikidata.entity_reader import ChunkReader, EntityReader
from wikisem.wikidata.line_types import Fields
from wikisem.wikipedia import titles, wikitext
from wikisem.wikipedia.graphemes import graphemes
from wikisem.wikipedia.languages import SiteInfo
from wikisem.wikipedia.learning import count_link_letters
from wikisem.wikipedia.variants import LETTERS, converter
from wikisem.wikipedia.xml_pages import read_siteinfo

SITE: Final = SiteInfo("enwiki", "en", "0.11", namespaces={6: "File"})
ROOMS: Final = (
    "wikisem.links",
    "wikisem.wikipedia",
    "wikisem.wikidata",
    "wikisem.surfaces",
    "wikisem.heuristics.rules",
)
# Patterns that are tried at one place alone; every other is held to what it takes to look for it everywhere.
MATCHED: Final = {
    "wikisem.wikipedia.xml_pages._OLD_REDIRECT": "match",
    "wikisem.wikipedia.titles.URL": "match",
    "wikisem.links.mentions.URL": "match",
    "wikisem.wikipedia.wikitext._VARIANT": "fullmatch",
    "wikisem.wikipedia.titles._PLAIN": "fullmatch",
    "wikisem.wikipedia.graphemes._PLAIN": "fullmatch",
}
# What these have to begin with before they go on.
BEGINNINGS: Final = {
    "wikisem.wikipedia.xml_pages._OLD_REDIRECT": "#REDIRECT",
    "wikisem.links.markup._OPENER": "&lt;pre",
}
# How often a token is written: so often that it is too long for the wikitext parser, and four times as often; and so
# often that it may not be.
LONG: Final = (300, 1200)
SHORT: Final = 20
# Links, elements and heads that a token is put into, so that it is read by all that reads such a thing.
CONTEXTS: Final = (
    *(("", ""), ("\u0915", "a"), ("[[a|", "]]"), ("[[", "|b]]"), ("[[a|{{", "b]]"), ("[[a|-{", "]]"), ("<pre", "")),
    *(("#REDIRECT", "x"), ("[[a|<", "]]"), ("[[a|&lt;nowiki>", "]]"), ("<siteinfo ", ">"), ("<!--", "")),
)
# The first of them are also read by what reads titles and surface forms.
TEXTS: Final = 2
TOKENS: Final = st.sampled_from(WIKITEXT)


def patterns() -> Iterator[tuple[str, Any]]:
    """Every regular expression of the rooms that read text, by name."""
    for room in map(importlib.import_module, ROOMS):
        for found in pkgutil.walk_packages(room.__path__, f"{room.__name__}."):
            for name, value in vars(importlib.import_module(found.name)).items():
                values = list(value.values())[:1] if isinstance(value, dict) else [value]
                for number, each in enumerate(values):
                    if isinstance(each, re.Pattern | regex.Pattern):
                        yield f"{found.name}.{name}{number or ''}", each
    for variant, letters in LETTERS.items():
        for number, (written, _) in enumerate(letters.before):
            yield f"{variant} {number}", re.compile(written, re.MULTILINE)


PATTERNS: Final = dict(patterns())


def grown(text: tuple[str, str, str], count: int) -> str:
    """A token so many times, between two others."""
    first, token, last = text
    return first + token * count + last


def check_pattern(name: str, text: tuple[str, str, str]) -> None:
    """The pattern's steps grow with the text."""
    how = MATCHED.get(name, "finditer")
    few, many = (count_steps(PATTERNS[name], grown(text, count), how)[0] for count in (8, 32))
    check_growth(few, many, (name, PATTERNS[name].pattern[:200], text))


# Patterns of the variants of languages, a hundred of one kind, are many.
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if " " in name else ()) for name in PATTERNS]
)
def test_every_pattern_takes_every_token_in_linear_steps(name: str) -> None:
    """With nothing after it, and with something that ends no match."""
    for token in WIKITEXT:
        for last in ("", "!"):
            check_pattern(name, (BEGINNINGS.get(name, ""), token, last))


@given(st.tuples(TOKENS, st.tuples(TOKENS, TOKENS).map("".join), TOKENS), st.data())
@settings(max_examples=150, deadline=None)
def test_every_pattern_takes_two_tokens_in_linear_steps(text: tuple[str, str, str], data: st.DataObject) -> None:
    """As tokens may be no trouble but together."""
    for name in data.draw(st.lists(st.sampled_from(sorted(PATTERNS)), min_size=8, max_size=8, unique=True)):
        check_pattern(name, text)


@given(st.lists(TOKENS, max_size=8).map("".join), st.sampled_from(sorted(PATTERNS)))
@settings(max_examples=400, deadline=None)
def test_the_counted_matcher_finds_what_re_finds(text: str, name: str) -> None:
    """Its steps are those of a matcher that is right."""
    pattern = PATTERNS[name]
    if isinstance(pattern, re.Pattern):
        read = text if isinstance(pattern.pattern, str) else text.encode()
        seen = read if isinstance(read, str) else read.decode("latin-1")
        how = MATCHED.get(name, "finditer")
        found = list(pattern.finditer(read)) if how == "finditer" else [getattr(pattern, how)(read)]
        assert count_steps(pattern, seen, how)[1] == [match.span() for match in found if match]


@pytest.mark.parametrize(
    ("pattern", "text", "how"),
    [
        (r"(?s)-\{(?!\{)(.*?)\}-", ("", "-{", ""), "finditer"),
        (r"\s*#\w+\s*:?\s*\[\[([^\]|]*)", ("#REDIRECT", " ", "x"), "match"),
        (r"(?s)<siteinfo\b.*?</siteinfo>", ("", "<siteinfo ", ""), "finditer"),
        (r"<pre(?:\s(?:(?!&gt;|[<>]).)*?)?(/?)\s*(?:&gt;|>)", ("<pre", " ", "x"), "match"),
        (r"\[\[([^\[\]|\n]*)[^\[\]\n]*\]\]", ("[[", "a", ""), "finditer"),
        (r"\s*\S+", ("a", " ", ""), "finditer"),
        (r"<mediawiki\b[^>]*>", ("", "<mediawiki ", ""), "finditer"),
    ],
)
def test_a_pattern_that_goes_back_over_its_text_is_caught(pattern: str, text: tuple[str, str, str], how: str) -> None:
    """Those that took the square of a text's length, or would."""
    few, many = (count_steps(re.compile(pattern), grown(text, count), how)[0] for count in (8, 32))
    with pytest.raises(AssertionError, match="four times the text"):
        check_growth(few, many, pattern)


class Counter:
    """Counts what C does for us: the steps of sorting marks, and the characters that the wikitext parser reads."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.steps = 0
        parse = mwparserfromhell.parse
        monkeypatch.setattr(titles, "unicodedata", self)
        monkeypatch.setattr(mwparserfromhell, "parse", partial(self._parse, parse))

    def of(self, run: Any, *arguments: Any) -> int:
        """The steps of a call, lines of Python among them."""
        self.steps = 0
        return count_lines(partial(run, *arguments)) + self.steps

    def normalize(self, form: str, text: str) -> str:
        """As ``unicodedata``, which sorts the marks of a letter by exchanging neighbours."""
        letters = "".join(unicodedata.normalize("NFD", letter) for letter in text)
        self.steps += len(text)
        for marks, run in groupby(map(unicodedata.combining, letters), key=bool):
            before: Counts[int] = Counts()
            for one in run if marks else ():
                self.steps += sum(number for other, number in before.items() if other > one)
                before[one] += 1
        return unicodedata.normalize(form, text)  # type: ignore[arg-type]

    combining = staticmethod(unicodedata.combining)

    def _parse(self, parse: Any, text: str, **options: Any) -> Any:
        assert len(text) <= wikitext.LONGEST_PARSED
        self.steps += len(text)
        return parse(text, **options)


def page(title: str, text: str, rest: str = "<ns>0</ns>") -> bytes:
    """A page in the exporter's layout, or in another one."""
    shown = escape(text, {'"': "&quot;"})
    return f"<page><title>{title}</title>{rest}<revision><text>{shown}</text></revision></page>\n".encode()


def scan(texts: Sequence[str], rest: str, version: str) -> ChunkLinks:
    """The links of pages between two others, all of them accounted for."""
    data = page("Before", "[[x]]") + b"".join(page("Token", text, rest) for text in texts) + page("After", "[[y]]")
    found = scan_chunk(data, SiteInfo("enwiki", "en", version), "[a-z]+", lambda at: f"dump.xml:{at}", True)
    found.pages.check("mentions")
    assert {"X", "Y"} <= set(found.mentions["title"].to_pylist())
    assert found.pages.read == 2 + len(texts)
    return found


def read_head(text: str) -> None:
    """A head is read or refused."""
    with pytest.raises(DamagedInputError, match=r"siteinfo"):
        read_siteinfo(f"<mediawiki>{text}".encode())


def read_json(text: str) -> None:
    """A line between two others is an item, left out, or rejected with its place."""
    chunks = ChunkReader(EntityReader(Fields(("en",), ("P17",))), linked_only=False, stage="entities")
    lines = ['{"type":"item","id":"Q1"}', text.replace("\n", " "), '{"type":"item","id":"Q2"}']
    list(chunks.read(Chunk("\n".join(lines).encode(), "dump.json", 0, 0)))
    rows = sum(table.num_rows for _, table in chunks.finish())
    blank = not text.strip("[], \t\r\n")
    assert rows + chunks.counts().read == 3 - blank
    assert [record.where for record in chunks.unreadable] in ([], [f"dump.json:{len(lines[0]) + 1}"], [])


def read_text(text: str) -> None:
    """Every function that reads text of any kind."""
    graphemes.__wrapped__(text)
    titles.composed(text)
    titles.read_title(text, SITE)
    wikitext.anchor_text(text)
    is_form_of(text, text + "a")
    own_script("en").fullmatch(text)
    count_link_letters(text, SITE)
    converter("sr-el")(text)


def check_pages(counter: Counter, token: tuple[str, str, str]) -> None:
    """Lines of Python and steps of work grow with pages, one for each context; none of them is an exception."""
    few, many = ([first + grown(token, count) + last for first, last in CONTEXTS] for count in LONG)
    for rest, version in (("<ns>0</ns>", "0.11"), ("", "0.3")):
        check_growth(counter.of(scan, few, rest, version), counter.of(scan, many, rest, version), token)
        check_growth(scan(few, rest, version).steps, scan(many, rest, version).steps, token)
        scan([first + grown(token, SHORT) + last for first, last in CONTEXTS], rest, version)
    for short, long in list(zip(few, many, strict=True))[:TEXTS]:
        check_growth(counter.of(read_text, short), counter.of(read_text, long), token)


@pytest.mark.slow
@pytest.mark.parametrize("token", WIKITEXT)
def test_a_page_with_a_token_without_end_is_read_or_unreadable(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In any layout and schema, in steps that grow with it, and the pages beside it are read."""
    check_pages(Counter(monkeypatch), ("", token, ""))


@pytest.mark.slow
@given(st.tuples(TOKENS, st.tuples(TOKENS, TOKENS).map("".join), TOKENS))
@settings(max_examples=15, deadline=None)
def test_a_page_with_two_tokens_without_end_is_read_or_unreadable(token: tuple[str, str, str]) -> None:
    """As above, for any two."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        check_pages(Counter(monkeypatch), token)


@pytest.mark.parametrize("token", WIKITEXT)
def test_heads_and_titles_with_a_token_without_end_are_read(token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The head of a dump is refused, titles of lists have their affixes, in steps that grow with them."""
    counter = Counter(monkeypatch)
    few, many = (token * count for count in LONG)
    check_growth(counter.of(read_head, few), counter.of(read_head, many), token)
    listed = [[f"List of {text}{number}" for number in range(30)] for text in (few, many)]
    for spaced in (True, False):
        few_lines, many_lines = (counter.of(partial(common_affixes, each, ["a"], spaced=spaced)) for each in listed)
        check_growth(few_lines, many_lines, token)


@pytest.mark.parametrize("token", JSON)
def test_a_line_with_a_token_without_end_is_read_or_unreadable(token: str) -> None:
    """Alone, as a value and as what an item holds; the lines beside it are read."""
    for first in (
        "",
        '{"type":"item","id":"Q3","claims":',
        '{"id":',
        '{"type":"item","id":"Q3","labels":{"en":{"value":',
    ):
        few, many = (first + token * count for count in LONG)
        check_growth(count_lines(partial(read_json, few)), count_lines(partial(read_json, many)), (first, token))
        read_json(first + token * SHORT)
