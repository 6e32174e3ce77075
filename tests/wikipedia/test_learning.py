"""Profiles that are learned: from how many links, and what wins over what."""

import bz2
import gzip
import json
import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.errors import RecipeError
from wikisem.wikipedia import languages
from wikisem.wikipedia.languages import SiteInfo
from wikisem.wikipedia.learning import (
    KEYS,
    LINKS,
    Evidence,
    LinkLetters,
    ProfileFile,
    count_link_letters,
    find_profile,
    read_profile_file,
    write_profile_file,
)
from wikisem.wikipedia.xml_pages import read_siteinfo

SITE = SiteInfo("ltgwiki", "ltg", namespaces={6: "Fails", 14: "Kategoreja"})


def links(before: float, after: float, number: int = 1000, **trail: int) -> LinkLetters:
    """Letters at links, by percent."""
    return LinkLetters(number, round(before * number / 100), round(after * number / 100), trail)


def test_links_to_articles_alone_are_counted() -> None:
    """Files, categories and other wikis are none; a colon in a title is no prefix; the whole run of letters counts."""
    text = "x[[Fails:a.png]]y [[Upe]]s, [[de:Fluss]]z un[[Rēzne|Rēznis]] [[Kategoreja:X]]k [[2001: Odiseja]]ā [[A]]ēss"
    found = count_link_letters(text, SITE)
    assert (found.links, found.before, found.after) == (4, 1, 3)
    assert found.trail == {"s": 2, "ā": 1, "ē": 1}


def test_no_more_links_than_asked_for() -> None:
    """So that the same links are counted however a dump is cut."""
    text = "[[A]]s " * 10
    assert (
        count_link_letters(text, SITE, 4) == count_link_letters(text[: 4 * 7], SITE) == LinkLetters(4, 0, 4, {"s": 4})
    )
    assert count_link_letters(text, SITE, 0) == LinkLetters()
    assert count_link_letters(text, SITE, 4) + count_link_letters(text[28:], SITE) == count_link_letters(text, SITE)


@pytest.mark.parametrize(
    ("before", "after", "writing"),
    [
        (36, 17, "unspaced"),
        (24, 33, "unspaced"),
        (53, 46, "unspaced"),
        (17.8, 1.3, "clitics"),
        (11, 0.4, "clitics"),
        (0, 33, "particles"),
        (0, 3.9, "spaced"),
        (0, 5.1, "spaced"),
        (9.9, 20, "spaced"),
        (0.9, 20, "spaced"),
    ],
)
def test_letters_around_links_say_how_words_are_parted(before: float, after: float, writing: str) -> None:
    """Shares as in real dumps: Thai, Japanese, Chinese, Hebrew, Arabic, Korean, English, Russian; and the borders."""
    found = find_profile("xx", evidence=Evidence(links(before, after)))
    assert (found.profile.writing, found.source["writing"]) == (writing, "dump")
    too_few = find_profile("xx", evidence=Evidence(links(before, after, LINKS - 1)))
    assert (too_few.profile.writing, too_few.source["writing"]) == ("spaced", "default")


@given(st.integers(0, 5000), st.data())
def test_any_counts_give_a_profile(number: int, data: st.DataObject) -> None:
    """Whatever is counted, a profile comes of it, in a table of every key; below the support the default holds."""
    shares = st.integers(0, number)
    counts = LinkLetters(number, data.draw(shares), data.draw(shares), {"ā": data.draw(shares)})
    found = find_profile("xx", evidence=Evidence(counts))
    assert set(found.source) == set(found.support) == set(KEYS)
    if number < LINKS:
        assert found.profile == find_profile("xx").profile
        assert set(found.source.values()) == {"default"}
    assert found.profile.spaced == (found.profile.writing != "unspaced")


def test_a_trail_is_learned_where_none_is_known() -> None:
    """Letters that are there often enough, and a to z; of a language with a known trail, or without spaces, none."""
    counts = links(0, 5, ā=20, s=20, q=1, ж=2)
    found = find_profile("xx", evidence=Evidence(counts))
    assert (found.profile.link_trail, found.source["link_trail"]) == ("[a-zā]+", "dump")
    for often, trail in ((299, "[a-z]+"), (300, "[a-zж]+")):
        assert find_profile("xx", evidence=Evidence(links(0, 5, 100_000, ж=often))).profile.link_trail == trail
    known = find_profile("ltg", evidence=Evidence(counts))
    assert known.source["link_trail"] == "MediaWiki"
    assert find_profile("xx", evidence=Evidence(links(30, 30, ā=99))).profile.link_trail == "[a-z]+"


def test_a_row_wins_over_the_dump() -> None:
    """A spaced language whose dump seems unspaced stays spaced; that its words take clitics is learned beside it."""
    odd = find_profile("de", evidence=Evidence(links(40, 40)))
    assert (odd.profile.writing, odd.source["writing"]) == ("spaced", "default")
    hebrew = find_profile("he", evidence=Evidence(links(17.8, 1.3)))
    assert (hebrew.profile.writing, hebrew.source["writing"]) == ("clitics", "dump")
    korean = find_profile("ko", evidence=Evidence(links(0, 33)))
    assert (korean.profile.writing, korean.profile.spaced, korean.profile.affix_length) == ("particles", True, 3)


def test_the_words_of_lists_need_thirty_titles() -> None:
    """They are added to the stop affixes, beside those of the row."""
    few, enough = (Evidence(list_words=("Saroksts …",), list_titles=number) for number in (29, 30))
    assert "Saroksts …" not in find_profile("ltg", evidence=few).profile.stop_affixes
    found = find_profile("ltg", evidence=enough)
    assert found.profile.lists == ("Saroksts …",)
    assert "Saroksts …" in found.profile.stop_affixes
    assert (found.source["lists"], found.support["lists"]) == ("dump", 30)
    assert find_profile("de", evidence=enough).source["lists"] == "row and dump"


def test_the_script_says_where_it_is_from() -> None:
    """From the table where the language is in it, from its surface forms where these show one, else by default."""
    assert [find_profile(code).source["script"] for code in ("ru", "ja", "en")] == ["table", "table", "default"]
    thai = find_profile("xx", evidence=Evidence(surfaces=["ภาษาไทย"]))
    assert (thai.profile.script, thai.source["script"], thai.support["script"]) == ("Thai", "dump", 1)


def test_hyphens_are_learned_from_surface_forms() -> None:
    """A third of them must have one between letters, and 200 be known."""
    hyphenated = Evidence(surfaces=["Tâi-oân", "x", "y-z"] * 70)
    assert find_profile("xx", evidence=hyphenated).profile.hyphens
    assert not find_profile("xx", evidence=Evidence(surfaces=["Tâi-oân"] * 199)).profile.hyphens
    assert not find_profile("xx", evidence=Evidence(surfaces=["Baden-Baden", *"abcdefghi"] * 30)).profile.hyphens


def test_a_file_wins_over_everything() -> None:
    """What it says is used, its lists in place of others, and what it does not say is found as ever."""
    given_file = ProfileFile(writing="unspaced", lists=("…x",))
    found = find_profile("de", evidence=Evidence(links(0, 4)), given=given_file)
    assert (found.profile.spaced, found.profile.lists, found.profile.link_trail) == (False, ("…x",), "[a-zäöüß]+")
    assert {key for key, source in found.source.items() if source == "file"} == {"writing", "lists"}
    assert "…x" in found.profile.stop_affixes
    assert "Kategorie:" in found.profile.stop_affixes
    assert not [affix for affix in found.profile.stop_affixes if affix.startswith("Liste")]


@pytest.mark.parametrize("code", ["de", "ja", "he", "zh-min-nan", "sma", "hi"])
def test_a_file_that_is_written_reads_the_same(code: str) -> None:
    """Every value comes back, and a file that is not changed changes nothing."""
    found = find_profile(code, evidence=Evidence(links(0, 4)))
    read = read_profile_file(write_profile_file(code, found), "x.toml")
    assert read.values() == {key: getattr(found.profile, key) for key in KEYS}
    again = find_profile(code, evidence=Evidence(links(0, 4)), given=read)
    assert again.profile == found.profile
    assert again.source == found.source
    assert pickle.loads(pickle.dumps(read)) == read


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('scrpit = "Latn"', "de.toml: Object contains unknown field `scrpit`; did you mean script?"),
        ('writing = "spacy"', "de.toml: Invalid enum value 'spacy'"),
        ("hyphens = 1", "de.toml: Expected `bool`, got `int`"),
        ("affix_length = 0", "de.toml: affix_length: expected a number from 1 to 100, saw 0"),
        ('link_trail = "[a-"', "de.toml: link_trail: expected a regular expression, saw '\\[a-'"),
        ('link_trail = ".*"', "de.toml: link_trail: expected letters only, saw '.\\*', which takes a space"),
        ("lists = 3", "de.toml: Expected `array`, got `int`"),
        ("= 3", "de.toml: expected a TOML file, saw Invalid statement"),
    ],
)
def test_what_is_wrong_in_a_file_is_said(text: str, message: str) -> None:
    """The file, the key, what was expected and what was seen."""
    with pytest.raises(RecipeError, match=message):
        read_profile_file(text, "de.toml")


@pytest.mark.slow
@pytest.mark.realdata
@pytest.mark.parametrize("code", ["de", "en", "es", "ja", "zh"])
def test_the_languages_of_the_paper_without_their_rows(
    code: str, realdata: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their dumps and labels give what the rows and tables give, but that English words hardly change."""
    dump = "enwiki-20220720-excerpt" if code == "en" else f"minidump-{code}"
    data = bz2.decompress((realdata / f"wikipedia/{dump}.xml.bz2").read_bytes())
    known = find_profile(code).profile
    site = replace(read_siteinfo(data[:100_000]), language=code, aliases=known.namespace_aliases)
    evidence = Evidence(count_link_letters(data.decode(errors="replace"), site), labels_of(realdata, code))
    monkeypatch.setattr(languages, "ROWS", {})
    monkeypatch.setattr(languages, "SCRIPTS", {})
    learned = find_profile(code, evidence=evidence).profile
    assert learned.writing == known.writing
    assert (learned.script, learned.affix_length, learned.length_one) == (
        known.script,
        known.affix_length,
        known.length_one,
    )
    assert learned.affix == ("characters" if code == "en" else known.affix)
    assert not learned.hyphens


def labels_of(realdata: Path, code: str) -> list[str]:
    """The labels of real items in a language."""
    with gzip.open(realdata / "wikidata/real-entities.json.gz", "rt", encoding="utf-8") as lines:
        items = [json.loads(line.strip().rstrip(",")) for line in lines if len(line) > 3]
    return [item["labels"][code]["value"] for item in items if item.get("labels") and code in item["labels"]]
