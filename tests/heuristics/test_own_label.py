"""Clusters whose surface forms say what the class is called."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wikisem.heuristics.rules.wording import check_own_label
from wikisem.wikipedia.languages import language_profile

OTHERS = ["x", "y", "z"]


@pytest.mark.parametrize(
    ("code", "label", "word", "surfaces"),
    [
        ("en", "bank", "bank", ["ICICI Bank", "Royal Bank of Canada", "Bank of Uruguay", "State Bank of India"]),
        ("en", "high school", "high", ["Lane High School", "Eton High", "High Tech", "The High School"]),
        ("en", "lake", "lake", ["Thatcher Lakes", "Lake Erie", "Joe Lake", "Como (lake)"]),
        ("de", "Schule", "schule", ["Goetheschule Jena", "Alte Schule", "Hochschule Ulm", "Die Waldorfschule"]),
        ("ru", "гора", "гора", ["Белая гора", "гора Синай", "Гора Фудзи", "Лысая Гора"]),
        ("ko", "은행", "은행", ["은행 A", "한국은행", "B 국민은행", "은행장"]),
        ("zh", "音乐类型", "音乐", ["古典音乐", "世界音乐", "宗教音乐史", "流行音乐"]),
        ("ja", "アルバム", "アルバム", ["アルバム1", "新アルバム", "写真アルバム", "アルバム集"]),
        ("th", "จังหวัด", "จังหวั", ["จังหวัดตาก", "จังหวัดเลย", "เมืองจังหวัด", "จังหวัดตราด"]),
    ],
)
def test_four_that_have_the_classes_word_reject(code: str, label: str, word: str, surfaces: list[str]) -> None:
    """At any position, in any case; three are still allowed."""
    profile = language_profile(code)
    verdict = check_own_label([*surfaces, *OTHERS], label, profile, 4)
    assert (verdict.keep, verdict.reason) == (False, "own-label")
    assert verdict.detail == f"4 have {word!r} of the label {label!r}: {', '.join(surfaces)}"
    assert check_own_label([*surfaces[:3], *OTHERS], label, profile, 4).keep


@pytest.mark.parametrize(
    ("code", "label", "surfaces"),
    [
        ("en", "city of the sun", ["Isle of Man", "Bay of Pigs", "Gulf of Oman", "Sea of Azov"]),  # short words
        ("en", "city or town", ["Mexico City", "Kansas City", "Cape Town", "New Town"]),  # two words, two each
        ("en", "port", ["Deporting", "imported goods", "Apportion", "Reporters"]),  # in the middle of words
        ("en", "", ["a bank", "b bank", "c bank", "d bank"]),  # no label
        ("zh", "省", ["河北省", "山东省", "江苏省", "四川省"]),  # one character is no word
        ("ja", "曲の種類", ["あの種", "この種", "その種", "どの種"]),  # a pair that is not all Han
    ],
)
def test_what_says_too_little_is_kept(code: str, label: str, surfaces: list[str]) -> None:
    """One and the same word of the label, long enough to say something, at an end of a word."""
    assert check_own_label([*surfaces, *OTHERS], label, language_profile(code), 4).keep


def test_a_label_of_another_language_is_no_obstacle() -> None:
    """Where a class has no German label, its English one is compared; it may well be the same word."""
    films = ["Filmdrama", "Kinderfilm", "Stummfilm", "Animationsfilm", "Anime"]
    assert not check_own_label(films, "film genre", language_profile("de"), 4).keep


def shared_by_plain_reading(surfaces: list[str], label: str) -> int:
    """How many surface forms a word of four letters or more, of those in the label, begins or ends a word of."""
    long_words = [word for word in label.lower().split() if len(word) >= 4]
    having = (
        sum(
            any(own[: len(word)] == word or own[-len(word) :] == word for own in surface.lower().split())
            for surface in surfaces
        )
        for word in long_words
    )
    return max(having, default=0)


@pytest.mark.slow
def test_verdicts_are_those_of_plain_reading() -> None:
    """On random labels and clusters, for any number; both verdicts occur often."""
    seen: Counter[bool] = Counter()
    word = st.builds("{}{}{}".format, *[st.sampled_from(["", "lake", "LAKE", "bank", "the", "a"])] * 3).filter(bool)
    phrase = st.lists(word, min_size=1, max_size=3).map(" ".join)

    @settings(max_examples=500)
    @given(st.lists(phrase, min_size=3, max_size=8, unique=True), phrase, st.integers(1, 5))
    def compare(surfaces: list[str], label: str, number: int) -> None:
        keep = check_own_label(surfaces, label, language_profile("en"), number).keep
        assert keep == (shared_by_plain_reading(surfaces, label) < number)
        seen[keep] += 1

    compare()
    assert min(seen[True], seen[False]) >= 20, seen
