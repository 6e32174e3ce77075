"""Every script of Unicode at every rule, and at what names items: nothing breaks, and words are always compared."""

from itertools import product

import pyarrow as pa
import pytest
import regex
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.word_groups import check_cluster
from wikisem.heuristics.rules.affix import count_affixes
from wikisem.heuristics.rules.cluster import broken_rules
from wikisem.heuristics.rules.wording import EXTRA_RULES, common_affixes
from wikisem.recipes.options import FilterOptions
from wikisem.surfaces.cleaning import is_form_of, own_script, tidy, without_parenthesis
from wikisem.wikipedia.languages import SPECIAL_SCRIPTS, language_profile
from wikisem.wikis import WIKIPEDIA_CODES

CODES = sorted(WIKIPEDIA_CODES)
SPACED = [code for code in CODES if language_profile(code).spaced]
# The scripts of Unicode 13, which every supported version of ``regex`` knows.
_SCRIPTS = """
Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali Bhaiksuki Bopomofo
Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma Cham Cherokee Chorasmian Common
Coptic Cuneiform Cypriot Cyrillic Deseret Devanagari Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs Elbasan Elymaic
Ethiopic Georgian Glagolitic Gothic Grantha Greek Gujarati Gunjala_Gondi Gurmukhi Han Hangul Hanifi_Rohingya Hanunoo
Hatran Hebrew Hiragana Imperial_Aramaic Inherited Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kannada
Katakana Kayah_Li Kharoshthi Khitan_Small_Script Khmer Khojki Khudawadi Lao Latin Lepcha Limbu Linear_A Linear_B Lisu
Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen Masaram_Gondi Medefaidrin Meetei_Mayek
Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Myanmar Nabataean Nandinagari
New_Tai_Lue Newa Nko Nushu Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Old_Hungarian Old_Italic Old_North_Arabian Old_Permic
Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Oriya Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa
Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham SignWriting Sinhala Sogdian
Sora_Sompeng Soyombo Sundanese Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangut Telugu
Thaana Thai Tibetan Tifinagh Tirhuta Ugaritic Vai Wancho Warang_Citi Yezidi Yi Zanabazar_Square
"""
SCRIPTS = _SCRIPTS.split()
# The first 300 letters of a script are in the first two planes of Unicode.
EVERY = "".join(chr(code) for code in range(0x20000) if not 0xD800 <= code < 0xE000)
LETTERS = {name: regex.findall(rf"\p{{Script={name}}}", EVERY)[:300] for name in SCRIPTS}


@st.composite
def surfaces(draw: st.DrawFn) -> list[str]:
    """Up to eight surface forms in one script, some words of which are the same, with spaces, hyphens and digits."""
    letters = st.sampled_from(LETTERS[draw(st.sampled_from(SCRIPTS))])
    words = draw(st.lists(st.text(letters, min_size=1, max_size=5), min_size=1, max_size=6))
    word = st.sampled_from([*words, "1", "(", "-"])
    return draw(st.lists(st.lists(word, min_size=1, max_size=3).map(" ".join), min_size=1, max_size=8))


@given(surfaces(), st.sampled_from(CODES), st.sampled_from([4, "surprise"]))
@settings(max_examples=150)
def test_every_rule_takes_every_script(cluster: list[str], code: str, affix: object) -> None:
    """Each rule judges, whatever the language is thought to be; what it says has a reason, and does not change."""
    filters = FilterOptions(affix=affix, extra=dict.fromkeys(EXTRA_RULES, 2))  # type: ignore[arg-type]
    profile = language_profile(code, sample=cluster)
    counts = count_affixes(cluster * 300)
    verdicts = [list(broken_rules(cluster, profile, filters, 2, cluster[0], counts)) for _ in range(2)]
    assert verdicts[0] == verdicts[1]
    assert all(verdict.reason and verdict.detail for verdict in verdicts[0])


@given(surfaces(), st.sampled_from(CODES))
@settings(max_examples=150)
def test_naming_takes_every_script(texts: list[str], code: str) -> None:
    """Cleaning, scripts, dictionary forms and list words take every script, and cleaning twice is cleaning once."""
    clean = tidy(without_parenthesis(pa.chunked_array([texts])))
    assert tidy(clean).to_pylist() == clean.to_pylist()
    is_own = own_script(code).fullmatch
    assert all((is_own(text) is None) == (is_own(2 * text) is None) for text in texts)
    assert not any(is_form_of(text, text) for text in texts)
    assert common_affixes(texts, texts, language_profile(code).spaced) == ()


@given(surfaces(), st.sampled_from(SPACED), st.sampled_from(["first", "last"]), st.sampled_from(sorted(LETTERS)))
@settings(max_examples=150)
def test_four_equal_words_pass_in_no_spaced_language(others: list[str], code: str, side: str, script: str) -> None:
    """Four different surface forms that begin or end with one word are rejected, in whichever script it is."""
    word = regex.sub(r"\s", "", "".join(LETTERS[script][:3]))
    assume(word)
    named = [f"{word} {number}x" if side == "first" else f"x{number} {word}" for number in "abcd"]
    assert not check_cluster([*named, *others], language_profile(code), FilterOptions(), 2).keep


def test_most_wikipedias_are_spaced() -> None:
    """Those that are not are written in the scripts that part no words."""
    unspaced = {code for code in CODES if not language_profile(code).spaced}
    assert unspaced >= {"zh", "ja", "th", "lo", "km", "my", "bo", "dz", "wuu", "zh-yue", "zh-classical", "tdd", "shn"}
    assert all(not SPECIAL_SCRIPTS[language_profile(code).script].spaced for code in unspaced)
    assert not unspaced & {"ko", "hi", "ta", "am", "chr", "iu", "dv", "vi", "zh-min-nan"}


@pytest.mark.parametrize(
    ("code", "surfaces_of"),
    [
        ("zh-min-nan", ["Tek-kok", "Eng-kok", "Hoat-kok", "Bí-kok"]),
        ("hak", ["Tet-koet", "Yîn-koet", "Fap-koet", "Mî-koet"]),
        ("hi", ["उत्तर प्रदेश", "मध्य प्रदेश", "हिमाचल प्रदेश", "आंध्र प्रदेश"]),
        ("hi", ["महाराजा", "महारानी", "महाराष्ट्र", "महाराणा"]),
        ("am", ["ኢትዮጵያዊ", "ኢትዮጵያን", "ኢትዮጵያ", "ኢትዮጵያና"]),
        ("th", ["ประเทศไทย", "ประเทศลาว", "ประเทศจีน", "ประเทศพม่า"]),
    ],
)
def test_words_for_a_class_are_found(code: str, surfaces_of: list[str]) -> None:
    """A part of a word after a hyphen, a word, and a beginning as long as six letters are in an alphabet."""
    assert not check_cluster([*surfaces_of, "x", "yy", "zzz"], language_profile(code), FilterOptions(), 2).keep


@pytest.mark.parametrize(("code", "word", "first"), [("ko", "시", "가"), ("my", "မြို့", "က"), ("gan", "國", "丁")])
def test_a_class_word_of_one_character_is_a_surprise(code: str, word: str, first: str) -> None:
    """Among 4,096 surface forms of which one in fifty ends with it, six of eight that do are too many."""
    letters = [chr(ord(first) + number) for number in range(16)]
    stems = ["".join(three) for three in product(letters, repeat=3)]
    counts = count_affixes([stem + word if number % 50 == 0 else stem for number, stem in enumerate(stems)])
    cluster = [*(stem + word for stem in stems[1:4000:700]), stems[77], stems[999]]
    verdict = check_cluster(cluster, language_profile(code), FilterOptions(affix="surprise"), 2, affixes=counts)
    assert (verdict.keep, verdict.reason) == (False, "affix")
