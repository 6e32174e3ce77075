"""The rule against clusters that are alike on the outside, in each of its three forms."""

from collections.abc import Callable

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from wikisem.heuristics.rules.affix import check_affix
from wikisem.wikipedia.languages import LanguageProfile, language_profile

OTHERS = ["Alpha", "Beta", "Gamma", "Delta"]
# Thermometer scales: the one released German cluster that breaks the rule is of this class (Q2394680).
SCALES = ["Grad Celsius", "Kelvin", "Grad Fahrenheit", "Réaumur-Skala", "Rankine-Skala", "Delisle-Skala", "Rømer-Skala"]


def test_english_compares_words() -> None:
    """Four clubs that end in the same word break the rule; the same letters inside longer words do not."""
    clubs = ["Arsenal F.C.", "Chelsea F.C.", "Everton F.C.", "Fulham F.C."]
    verdict = check_affix([*clubs, *OTHERS], language_profile("en"), 4)
    assert (verdict.keep, verdict.reason) == (False, "affix")
    assert "last word 'F.C.'" in verdict.detail
    assert check_affix([*clubs[:3], *OTHERS], language_profile("en"), 4).keep
    assert check_affix(["Newcastle", "Newport", "Newark", "Newhaven", *OTHERS], language_profile("en"), 4).keep


def test_german_compares_six_characters() -> None:
    """Inflected words are compared by their ends, so that a shared stem or ending of six characters is enough."""
    verdict = check_affix(SCALES, language_profile("de"), 4)
    assert not verdict.keep
    assert "4 share the last 6 characters '-Skala'" in verdict.detail
    places = ["Sachsenring", "Sachsenwald", "Sachsenhausen", "Sachsenheim", *OTHERS]
    assert "first 6 characters 'Sachse'" in check_affix(places, language_profile("de"), 4).detail


@pytest.mark.parametrize(
    ("code", "surfaces"),
    [
        ("es", ["río Ebro", "río Tajo", "río Duero", "río Miño"]),
        ("de", ["USS Iowa", "USS Ohio", "USS Utah", "USS Texas"]),
        ("cs", ["Nová Ves", "Stará Ves", "Dolní Ves", "Horní Ves"]),
        ("ru", ["река Обь", "река Дон", "река Лена", "река Амур"]),
        ("ko", ["서울 시", "부산 시", "대구 시", "인천 시"]),
    ],
)
def test_every_language_with_spaces_compares_words_too(code: str, surfaces: list[str]) -> None:
    """Words shorter than the language's affix are words all the same; three of them are still allowed."""
    profile = language_profile(code)
    assert "word" in check_affix([*surfaces, *OTHERS], profile, 4).detail
    assert check_affix([*surfaces[:3], *OTHERS], profile, 4).keep


@pytest.mark.parametrize("code", ["ja", "zh", "th", "km", "my", "bo"])
def test_scripts_without_spaces_have_no_words(code: str) -> None:
    """What a space sets off there is no word, so that it is compared by characters only."""
    assert check_affix(["a b", "a c", "a d", "a e", *OTHERS], language_profile(code), 4).keep


def test_one_han_character_needs_six() -> None:
    """Five of eight may end in the same Han character, six may not (footnote 3)."""
    shrines = ["愛宕社", "稲荷社", "春日社", "八坂社", "熊野社"]
    assert check_affix([*shrines, "東京", "大阪", "京都"], language_profile("ja"), 4).keep
    assert "last character '社'" in check_affix([*shrines, "日枝社", "大阪", "京都"], language_profile("ja"), 4).detail


def test_two_han_characters_need_four() -> None:
    """Three of eight may end in the same two Han characters, four may not."""
    schools = ["北京大学", "复旦大学", "浙江大学"]
    assert check_affix([*schools, "麻省理工学院", "牛津", "剑桥", "哈佛", "耶鲁"], language_profile("zh"), 4).keep
    assert not check_affix([*schools, "武汉大学", "牛津", "剑桥", "哈佛", "耶鲁"], language_profile("zh"), 4).keep


def test_kana_never_make_an_affix() -> None:
    """The han rule reads Han characters only: eight names that share kana pass."""
    assert check_affix([f"アニメ{name}シリーズ" for name in "東西南北春夏秋冬"], language_profile("ja"), 4).keep


def test_mixed_han_and_kana_ends_are_no_affix() -> None:
    """Both of two characters must be Han."""
    assert check_affix([f"{name}り町" for name in ("祭", "踊", "香", "守", "実")], language_profile("ja"), 4).keep


@pytest.mark.parametrize(
    ("code", "surfaces"),
    [
        ("th", ["จังหวัดตาก", "จังหวัดเลย", "จังหวัดแพร่", "จังหวัดตราด"]),  # province: 5 clusters
        ("lo", ["ປະເທດລາວ", "ປະເທດໄທ", "ປະເທດຈີນ", "ປະເທດຍີ່ປຸ່ນ"]),  # country: 5
        ("my", ["ထိုင်းနိုင်ငံ", "လာအိုနိုင်ငံ", "တရုတ်နိုင်ငံ", "ဂျပန်နိုင်ငံ"]),  # country: 3
        ("ko", ["체코공화국", "도미니카공화국", "중앙아프리카공화국", "콩고공화국"]),  # republic: 3
    ],
)
def test_scripts_without_spaces_catch_their_class_words(code: str, surfaces: list[str]) -> None:
    """The length of an affix is such that the script's own words for a class are caught."""
    assert not check_affix([*surfaces, "一", "二", "三"], language_profile(code), 4).keep


def test_characters_are_grapheme_clusters() -> None:
    """A letter with combining marks is one character: six code points are not six characters."""
    decomposed = [f"a\u0301e\u0301i\u0301{rest}" for rest in ("bcd", "fgh", "jkl", "mno")]
    assert check_affix(decomposed, language_profile("es"), 4).keep


def test_none_switches_the_rule_off() -> None:
    """A recipe's `affix = false` keeps what the rule would reject."""
    assert check_affix(SCALES, language_profile("de"), None).keep


def _ends(code: str) -> list[Callable[[str], str]]:
    words: list[Callable[[str], str]] = [lambda s: s.split()[0], lambda s: s.split()[-1]]
    if code == "en":
        return words
    return [*words, lambda s: "".join(regex.findall(r"\X", s)[:6]), lambda s: "".join(regex.findall(r"\X", s)[-6:])]


WORDS = st.text("ab\u0301", min_size=1, max_size=7).filter(str.strip)
PHRASES = st.lists(WORDS, min_size=1, max_size=3).map(" ".join)


@pytest.mark.parametrize("code", ["en", "es"])
@given(data=st.data())
def test_words_and_characters_agree_with_plain_counting(code: str, data: st.DataObject) -> None:
    """Rejected exactly when four different surfaces have the same beginning or the same end."""
    surfaces = data.draw(st.lists(PHRASES, unique=True, max_size=8))
    shared = any(sum(end(one) == end(other) for other in surfaces) >= 4 for end in _ends(code) for one in surfaces)
    assert check_affix(surfaces, language_profile(code), 4).keep == (not shared)


@given(st.lists(st.text("大学城あ", min_size=1, max_size=4), unique=True, max_size=8))
def test_han_agrees_with_plain_counting(surfaces: list[str]) -> None:
    """Six share one Han character at an end, or four share two."""
    han = {"大", "学", "城"}
    broken = False
    for side in (slice(None), slice(None, None, -1)):
        turned = [surface[side] for surface in surfaces]
        for one in turned:
            broken |= one[0] in han and sum(other[0] == one[0] for other in turned) >= 6
            two = one[:2]
            broken |= len(two) == 2 and set(two) <= han and sum(other[:2] == two for other in turned) >= 4
    assert check_affix(surfaces, LanguageProfile("zh", "Hani", affix="han"), 4).keep == (not broken)
