"""Language profiles, and the many codes of one language."""

import pickle
import re
from pathlib import Path

import pytest

from wikisem.wikipedia.languages import detect_script, language_profile, namespace_affixes
from wikisem.wikis import WIKIPEDIA_CODES, label_codes, language_of, wiki_of


@pytest.mark.parametrize(
    ("code", "wiki"),
    [
        ("de", "dewiki"),
        ("zh-yue", "zh_yuewiki"),
        ("yue", "zh_yuewiki"),
        ("be-tarask", "be_x_oldwiki"),
        ("be-x-old", "be_x_oldwiki"),
        ("nb", "nowiki"),
        ("no", "nowiki"),
        ("gsw", "alswiki"),
        ("simple", "simplewiki"),
        ("map-bms", "map_bmswiki"),
    ],
)
def test_codes_lead_to_wikis(code: str, wiki: str) -> None:
    """Dashes become underscores, and renamed codes lead to the wiki that kept its id."""
    assert wiki_of(code) == wiki


def test_only_wikipedias_have_a_language() -> None:
    """Commons and Wikidata end in `wiki` too, and Wikisource does not."""
    assert [language_of(wiki) for wiki in ("dewiki", "be_x_oldwiki", "zh_min_nanwiki")] == [
        "de",
        "be-tarask",
        "zh-min-nan",
    ]
    assert all(language_of(wiki) is None for wiki in ("commonswiki", "wikidatawiki", "enwikisource", "wiki", ""))


def test_labels_are_looked_up_under_every_code_of_the_language() -> None:
    """Norwegian labels are under `nb`, those for Simple English under `en`; most languages have one code."""
    assert label_codes("no") == label_codes("nb") == ("nb", "no")
    assert label_codes("simple") == ("en",)
    assert label_codes("zh-yue") == label_codes("yue") == ("yue", "zh-yue")
    assert label_codes("de") == ("de",)


def test_a_language_without_a_row_is_an_alphabet() -> None:
    """Six characters, length-one on, MediaWiki's default trail, and the canonical namespace names."""
    unknown = language_profile("xx")
    assert (unknown.script, unknown.affix, unknown.affix_length, unknown.length_one) == ("", "characters", 6, True)
    assert unknown.link_trail == "[a-z]+"
    assert "Category:" in unknown.stop_affixes


@pytest.mark.parametrize(
    ("sample", "script"),
    [
        (["ภาษาไทย", "กรุงเทพ", "Bangkok"], "Thai"),
        (["서울", "부산"], "Hang"),
        (["東京タワー", "ひらがな"], "Hani"),
        (["Москва", "京"], ""),
        (["1984", "!"], ""),
        ([], ""),
    ],
)
def test_the_script_is_read_off_a_sample(sample: list[str], script: str) -> None:
    """A script leads when most letters are its own; digits and punctuation do not vote."""
    assert detect_script(sample) == script
    assert language_profile("xx", sample=sample).script == script


def test_a_row_wins_over_the_sample() -> None:
    """What is known of a language does not change with what its articles are about."""
    assert language_profile("ja", sample=["Wikipedia"]) == language_profile("ja")
    assert language_profile("en", sample=["東京"]).affix == "words"


def test_codes_of_one_language_share_a_profile() -> None:
    """`nb` has the rules, the trail and the names of `no`."""
    norwegian, bokmal = language_profile("no"), language_profile("nb")
    assert (norwegian.stop_affixes, norwegian.link_trail) == (bokmal.stop_affixes, bokmal.link_trail)
    assert language_profile("yue").affix == language_profile("zh-yue").affix == "han"


def test_historical_namespace_names_are_known() -> None:
    """No dump lists them, and old articles still use them."""
    for code, name in {"it": "Immagine", "ja": "画像", "de": "Bild", "fr": "Image", "vi": "Tập tin"}.items():
        assert language_profile(code).namespace_aliases[name] == 6


@pytest.mark.parametrize(
    ("code", "text", "trail"),
    [
        ("en", "es are", "es"),
        ("en", "ändert", ""),
        ("de", "ändert sich", "ändert"),
        ("ru", "ами,", "ами"),
        ("ca", "'s'' nou", "'s"),
        ("zh", "abc", ""),
        ("nb", "ærlig", "ærlig"),
        ("he", "ים.", "ים"),
    ],
)
def test_link_trails_follow_the_wiki(code: str, text: str, trail: str) -> None:
    """The trail is what MediaWiki of that language pulls into the link."""
    found = re.match(language_profile(code).link_trail, text)
    assert (found.group() if found else "") == trail


def test_profiles_travel_to_workers() -> None:
    """A profile can be pickled and hashed."""
    german = language_profile("de")
    assert pickle.loads(pickle.dumps(german)) == german
    assert hash(german) == hash(language_profile("de"))


@pytest.mark.realdata
def test_every_sitelink_of_the_real_items_is_told_apart(realdata: Path) -> None:
    """Each `...wiki` among real sitelinks is a known Wikipedia, or one of the sister projects."""
    import gzip

    wikis: set[str] = set()
    with gzip.open(realdata / "wikidata/real-entities.json.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            wikis.update(re.findall(r'"site": ?"([a-z_]+wiki)"', line))
    assert len(wikis) > 290
    unknown = {wiki for wiki in wikis if (code := language_of(wiki)) is not None and code not in WIKIPEDIA_CODES}
    assert unknown == set()
    assert {wiki for wiki in wikis if language_of(wiki) is None} == {"commonswiki", "metawiki", "mowiki", "specieswiki"}


def test_namespace_names_become_prefixes() -> None:
    """Each name once, with its colon; the nameless main namespace gives none."""
    assert namespace_affixes(["", "Kategoreja", "Category", "Sprīža_ap_failu", "Category"]) == (
        "Category:",
        "Kategoreja:",
        "Sprīža ap failu:",
    )
