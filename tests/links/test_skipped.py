"""Skipped spans: which elements hide their brackets, where they end, and that no opener is overlooked."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.links.markup import NAMES, find_markup, heads_at, possible_openers, skipped_spans

PIECES = st.lists(st.sampled_from(["&lt;", "&gt;", "!--", "--", "nowiki", "/", "ce", "CE", " ", "x", ">", "&amp;"]))


def spans_of(data: bytes, text_end: int | None = None) -> list[str]:
    """The skipped spans of one text, by way of the heads that the scanner looks at."""
    markup = find_markup(data)
    openers = markup.entities[possible_openers(heads_at(markup.chunk, markup.entities))]
    ends = np.full(len(openers), len(data) if text_end is None else text_end)
    starts, stops = skipped_spans(data, openers, ends)
    return [data[start:stop].decode() for start, stop in zip(starts, stops, strict=True)]


@pytest.mark.parametrize("name", [*NAMES, "NOWIKI", "Math"])
def test_every_element_of_the_list_hides_what_is_in_it(name: str) -> None:
    """With attributes and in any case; closed in itself, or open to the end, it hides nothing."""
    element = f"&lt;{name}&gt;[[a]]&lt;/{name}&gt;"
    with_attribute = f"&lt;{name} lang=&quot;x&quot;&gt;[[a]]&lt;/{name} &gt;"
    assert spans_of(f"b {element} [[c]] {with_attribute}".encode()) == [element, with_attribute]
    assert spans_of(f"&lt;{name} /&gt;[[a]]&lt;/{name}&gt; &lt;{name}&gt; [[b]]".encode()) == []


@pytest.mark.parametrize("name", ["ref", "poem", "gallery", "nowikis", "maths", "c", "prefix", "span"])
def test_other_elements_hide_nothing(name: str) -> None:
    """Those whose content is wikitext, and names that only begin alike."""
    assert spans_of(f"&lt;{name}&gt;[[a]]&lt;/{name}&gt;".encode()) == []


def test_what_opens_first_hides_the_rest() -> None:
    """A comment in nowiki is text, and so is nowiki in a comment."""
    nowiki, comment = "&lt;nowiki&gt;&lt;!--&lt;/nowiki&gt;", "&lt;!--&lt;nowiki&gt;--&gt;"
    assert spans_of(f"{nowiki}[[a]]{comment}[[b]]".encode()) == [nowiki, comment]


def test_an_open_comment_hides_the_rest_of_its_text_alone() -> None:
    """The next page begins anew; an open element hides nothing, not even a comment after it."""
    data = b"&lt;math&gt; &lt;!-- [[a]] | next page"
    assert spans_of(data, data.index(b"|")) == ["&lt;!-- [[a]] "]


def test_an_element_left_open_on_one_page_may_be_closed_on_the_next() -> None:
    """That it has no end is known for the text it was looked for in, and for no other."""
    data = b"&lt;math&gt; a &lt;math&gt; | &lt;math&gt;b&lt;/math&gt;"
    openers = np.array([at for at in range(len(data)) if data.startswith(b"&lt;math", at)])
    border = data.index(b"|")
    ends = np.where(openers < border, border, len(data))
    starts, stops = skipped_spans(data, openers, ends)
    assert [data[start:stop] for start, stop in zip(starts, stops, strict=True)] == [b"&lt;math&gt;b&lt;/math&gt;"]


@given(PIECES)
def test_spans_are_disjoint_and_whole(pieces: list[str]) -> None:
    """Looking at every entity finds what looking at the possible openers finds; spans ascend and never overlap."""
    data = "".join(pieces).encode()
    entities = find_markup(data).entities
    starts, stops = skipped_spans(data, entities, np.full(len(entities), len(data)))
    assert spans_of(data) == [data[start:stop].decode() for start, stop in zip(starts, stops, strict=True)]
    bounds = [bound for span in zip(starts.tolist(), stops.tolist(), strict=True) for bound in span]
    assert bounds == sorted(bounds)
    assert all(start < stop for start, stop in zip(starts, stops, strict=True))
