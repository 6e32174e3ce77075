"""Codes lead to Wikipedias and back; what leads nowhere is refused with the nearest code."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.errors import BadIdError
from wikisem.ids import check_language
from wikisem.wikis import (
    INTERLANGUAGE,
    LABEL_ONLY_CODES,
    WIKIPEDIA_CODES,
    WIKIPEDIAS,
    known_language,
    label_codes,
    language_of,
    own_code,
    wiki_of,
)


def test_there_are_364_wikipedias() -> None:
    """Those of the wiki farm's list of August 2026, each with another code and a name."""
    assert len(WIKIPEDIAS) == len(WIKIPEDIA_CODES) == 364
    assert {"bol", "isv", "kai", "kaj", "mag", "ppl", "tok"} <= WIKIPEDIA_CODES
    assert not {"shy", "mo", "abstract"} & WIKIPEDIA_CODES
    assert len({each.name for each in WIKIPEDIAS.values()}) == 364


def test_every_wikipedia_is_found_back() -> None:
    """Its code leads to it and back, and so does every further code; no code leads to two of them."""
    codes = [(code, each) for each in WIKIPEDIAS.values() for code in (each.code, *each.aliases)]
    assert len(codes) == len(dict(codes))
    for code, each in codes:
        assert known_language(code) == check_language(code) == code
        assert wiki_of(code) == each.wiki
        assert language_of(each.wiki) == own_code(code) == each.code


@pytest.mark.parametrize(
    ("code", "own"),
    [
        *[
            ("be-x-old", "be-tarask"),
            ("cbk", "cbk-zam"),
            ("egl", "eml"),
            ("nrf", "nrm"),
            ("nb", "no"),
            ("nan", "zh-min-nan"),
        ],
        *[("iw", "he"), ("in", "id"), ("mo", "ro"), ("fil", "tl"), ("deu", "de"), ("ger", "de"), ("twi", "tw")],
        *[("jp", "ja"), ("cz", "cs"), ("dk", "da"), ("gr", "el"), ("cn", "zh"), ("nan", "zh-min-nan")],
        *[("zh-hant", "zh"), ("sr-el", "sr"), ("de-at", "de"), ("ike-cans", "iu"), ("skr-arab", "skr")],
    ],
)
def test_old_new_and_wrong_names_lead_to_the_wiki(code: str, own: str) -> None:
    """Renamed and retired codes, three letters, countries, and variants."""
    assert own_code(code) == own
    assert wiki_of(code) == wiki_of(own)


def test_a_language_of_labels_has_no_wiki() -> None:
    """It is its own code, and its labels are under that alone."""
    assert known_language("sma") == "sma"
    assert wiki_of("sma") is None
    assert own_code("sma") == "sma"
    assert label_codes("sma") == ("sma",)
    assert wiki_of("xx") is None


def test_variants_follow_in_the_order_of_mediawiki() -> None:
    """Labels that are under a variant alone are found; a variant's own fallbacks are in its own script."""
    assert label_codes("bbc") == ("bbc", "bbc-latn")
    assert label_codes("sr") == ("sr", "sr-ec", "sr-el")
    assert label_codes("zh-min-nan") == ("nan", "zh-min-nan", "nan-hani")
    assert label_codes("zh")[:3] == ("zh", "zh-hans", "zh-hant")
    assert not set(label_codes("zh-hans")) & set(label_codes("zh-hant"))
    for code in (*WIKIPEDIA_CODES, *LABEL_ONLY_CODES):
        codes = label_codes(code)
        assert len(set(codes)) == len(codes)
        assert all(check_language(one) for one in codes)


def test_no_code_of_labels_names_a_wikipedia_too() -> None:
    """The two lists do not overlap, so that a code has one meaning."""
    aliases = {alias for each in WIKIPEDIAS.values() for alias in each.aliases}
    assert not LABEL_ONLY_CODES & (WIKIPEDIA_CODES | aliases)
    assert all(check_language(code) for code in LABEL_ONLY_CODES)


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("german", "did you mean de (German)?"),
        ("latgalian", "did you mean ltg (Latgalian)?"),
        ("kurdish", "did you mean ckb (Central Kurdish)?"),
        ("zh-hants", "did you mean zh-hant?"),
        ("xx", "`wikisem languages` lists all that are known"),
        ("d", "`wikisem languages` lists all that are known"),
    ],
)
def test_what_is_no_language_is_refused(word: str, hint: str) -> None:
    """The message has what was written, and the code that was meant if it is near."""
    with pytest.raises(BadIdError) as caught:
        known_language(word)
    assert str(caught.value) == f"expected the code of a Wikipedia or of labels, saw {word!r}; {hint}"


@given(st.text())
def test_whatever_is_accepted_is_a_folder_s_name(text: str) -> None:
    """Nothing but known codes passes, whatever it is made of."""
    try:
        assert known_language(text) == text
    except BadIdError:
        return
    assert check_language(text) == text


def test_wikis_that_are_no_wikipedias() -> None:
    """Abstract Wikipedia and the test wikis are none; a wiki that opened since the list has the code in its name."""
    assert all(language_of(f"{name}wiki") is None for name in ("abstract", "ten", "test", "test2", "commons"))
    assert language_of("xyzwiki") == "xyz"


def test_prefixes_of_links_are_those_of_the_wiki_farm() -> None:
    """Closed and renamed wikis have theirs still."""
    assert {"nb", "mo", "shy", "jp", "gsw", "be-x-old"} <= INTERLANGUAGE
    assert WIKIPEDIA_CODES <= INTERLANGUAGE
    assert "deu" not in INTERLANGUAGE


@pytest.mark.realdata
def test_the_list_is_the_wiki_farm_s(realdata: Path) -> None:
    """Database ids are those of the configuration, prefixes at least those of its list of languages."""
    listed = set((realdata / "wikis/wikipedia.dblist").read_text().split()) - {"tenwiki", "testwiki", "test2wiki"}
    assert listed == set(WIKIPEDIAS)
    assert set((realdata / "wikis/langlist").read_text().split()) <= INTERLANGUAGE
