"""An anchor is another form of a title if word by word they share a stem; cases are real ones."""

from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.surface_oracle import is_other_form
from wikisem.surfaces.cleaning import is_form_of


@pytest.mark.parametrize(
    ("anchor", "title"),
    [
        ("Latgolā", "Latgola"),
        ("latgaļu volūdā", "Latgaļu volūda"),
        ("goda", "Gods"),
        ("Франции", "Франция"),
        ("Второй мировой войны", "Вторая мировая война"),
        ("Зweiten Weltkriegs".replace("З", "Z"), "Zweiter Weltkrieg"),
        ("israelische", "Israel"),
        ("presidential", "President"),
        ("rusos", "Rusia"),
        ("גרמני", "גרמניה"),
        ("galaxies", "Galaxy"),
        ("Friedrichs I.", "Friedrich I."),
    ],
)
def test_inflected_forms_and_adjectives(anchor: str, title: str) -> None:
    """Endings, plurals and adjectives of the words of a title."""
    assert is_form_of(anchor, title)


@pytest.mark.parametrize(
    ("anchor", "title"),
    [
        ("film", "Film"),  # case alone is no other form
        ("ASV", "Amerikys Saškierstuos Vaļsteibys"),
        ("nūvoda", "Rēznis nūvods"),  # fewer words
        ("Groß-Berlin-Gesetz", "Groß-Berlin"),
        ("moonlight", "Moon"),  # more is added than is shared
        ("Filmmaking", "Film"),  # the ending is too long
        ("Slav", "Slavlar"),  # too little of the title is shared
        ("1991 год", "1990 год"),  # numbers have no endings
        ("m", "Metre"),
        ("an", "As"),  # a stem of two letters is none
        ("東京", "東京都"),
        ("미테", "미테구"),
        ("Britse", "Verenigd Koninkrijk"),
    ],
)
def test_other_words(anchor: str, title: str) -> None:
    """Abbreviations, other names, compounds, and scripts whose words have no endings."""
    assert not is_form_of(anchor, title)


@given(st.text(max_size=12), st.text(max_size=12))
def test_any_strings_are_judged(anchor: str, title: str) -> None:
    """No string is too odd, and none is another form of itself."""
    assert is_form_of(anchor, title) in {True, False}
    assert not is_form_of(title, title)


# Words that differ at their ends, with marks, digits, dashes and scripts whose words have no endings.
ENDINGS = st.sampled_from(["", "a", "ai", "e\u0301s", "ische", "ischen", "s2", "都"])
STEMS = st.sampled_from(["Ra", "Rig", "Riga", "Latgol", "Фра", "Франц", "e\u0301to\u0308i", "1990", "東京"])
PHRASES = st.lists(st.builds("{}{}".format, STEMS, ENDINGS), min_size=1, max_size=2).flatmap(
    lambda words: st.sampled_from([" ", "-", "–", "\u00a0"]).map(lambda gap: gap.join(words))
)


def test_forms_are_those_of_plain_reading() -> None:
    """A shared stem found by trying every length, letter by letter; both answers occur, in one word and in two."""
    met: Counter[tuple[bool, int]] = Counter()

    # Few random phrases are forms of each other.
    @example("Latgolā", "Latgola")
    @example("latgaļu volūdā", "Latgaļu volūda")
    @settings(max_examples=600, deadline=None)
    @given(PHRASES, PHRASES)
    def check(anchor: str, title: str) -> None:
        found = is_form_of(anchor, title)
        assert found == is_other_form(anchor, title)
        met[found, len(title.split())] += 1

    check()
    assert {(found, words) for found in (True, False) for words in (1, 2)} <= met.keys()
