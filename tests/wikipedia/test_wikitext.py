"""What a reader sees of an anchor."""

import mwparserfromhell
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wikisem.wikipedia.wikitext import SPACES, UNSEEN, anchor_text, visible, without_quotes


@pytest.mark.parametrize(
    ("raw", "seen"),
    [
        ("a '''b''' ''c''", "a b c"),
        ("'''''a''' b''", "a b"),
        ("L'''Aurore''", "L'Aurore"),
        ("rock 'n' roll", "rock 'n' roll"),
        ("<small class='x'>a</small><br>b", "a b"),
        ("<u>a", "a"),
        ("{{a|{{b}}}}c{{{d|e}}}", "c"),
        ("a<ref name=x>{{cite|t}}</ref>", "a"),
        ("a<!-- b -->c", "ac"),
        ("<nowiki>''a''</nowiki> ''b''", "''a'' b"),
        ("1 &lt; 2 &amp; 3", "1 < 2 & 3"),
        ("-{A|zh-tw:甲;zh-hans:乙}-", "乙"),
        ("a -{T|b}- c", "a c"),
        ("-{a;b}-", "a;b"),
    ],
)
def test_anchor_text(raw: str, seen: str) -> None:
    """Marks are read, what is silent is gone."""
    assert anchor_text(raw) == seen


@given(st.lists(st.sampled_from(["a", " ", "<b>", "</b>", "<i x=y>", "</i>", "{{x}}", "{{", "}}", "&lt;"]), max_size=8))
@settings(max_examples=150, deadline=None)
def test_the_short_way_reads_what_the_parser_reads(pieces: list[str]) -> None:
    """Well-formed tags and templates that go the short way leave what mwparserfromhell leaves of them."""
    raw = "".join(pieces)
    # With a letter for each entity, a "<" that is left is that of a tag without its other half.
    stripped, unread = (
        visible(str(mwparserfromhell.parse(text).strip_code(normalize=True, collapse=False)))
        for text in (raw, raw.replace("&lt;", "a"))
    )
    if not any(mark in unread for mark in ("<", "{{", "}}")) and raw.count("<") % 2 == 0:
        assert anchor_text(raw) == stripped


@given(st.text(st.sampled_from("ab '"), max_size=14))
def test_apostrophes_go_in_runs_or_stay(text: str) -> None:
    """Nothing but apostrophes goes, and single ones stay."""
    read = without_quotes(text)
    assert read.replace("'", "") == text.replace("'", "")
    if "''" not in text:
        assert read == text


@given(st.text(st.sampled_from("ab" + SPACES + UNSEEN + " "), max_size=10))
def test_visible_text_holds_nothing_unseen(text: str) -> None:
    """Words keep their letters, and one space is between them."""
    shown = visible(text)
    assert not set(shown) & set(SPACES + UNSEEN)
    assert "  " not in shown
    assert shown == shown.strip()
    assert [letter for letter in shown if letter in "ab"] == [letter for letter in text if letter in "ab"]
