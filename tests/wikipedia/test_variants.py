"""Titles and words in the other scripts of their language."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wikisem.errors import RecipeError, UsageError
from wikisem.recipes.load import parse_recipe
from wikisem.recipes.options import Variant
from wikisem.wikipedia import variants
from wikisem.wikipedia.variants import (
    LETTERS,
    VARIANTS,
    TitleVariants,
    conversion_of,
    convert_all,
    converter,
    lacks_conversion,
    variant_of,
)
from wikisem.wikis import wiki_of


@pytest.mark.parametrize(
    ("variant", "text", "converted"),
    [
        ("sr-ec", "Njegoš, LJUBAV i Džep", "Његош, ЉУБАВ и Џеп"),
        ("sr-ec", "Luj XIV", "Луј XIV"),
        ("sr-ec", "X i Y; IMXI", "X и Y; ИМXИ"),
        ("sr-el", "Љубљана", "Ljubljana"),
        ("sh-cyrl", "Beograd", "Београд"),
        ("uz-cyrl", "Oʻzbekiston, Yevropa, Eron, sheʼr, yoʻl", "Ўзбекистон, Европа, Эрон, шеър, йўл"),
        ("uz-latn", "Ўзбекистон", "Oʻzbekiston"),
        ("kk-cyrl", "Qazaqstan Respwblïkası", "Қазақстан Республикасы"),
        ("kk-latn", "Ёлка, Ёлка, Европа, Поезд", "Yolka, YOlka, Evropa, Poyezd"),
        ("tg-latn", "Тоҷикистон", "Toçikiston"),
        ("tly-cyrl", "İran, Ilmıs", "Иран, Ылмыс"),
        ("shi-tfng", "Tamaziɣt", "ⵜⴰⵎⴰⵣⵉⵖⵜ"),
        ("shi-latn", "ⵜⴰⵎⴰⵣⵉⵖⵜ", "tamaziɣt"),
        ("ike-cans", "Inuktitut qquu", "ᐃᓄᒃᑎᑐᑦ ᖅᑰ"),
        ("ike-latn", "ᐃᓄᒃᑎᑐᑦ", "inuktitut"),
        ("ku-arab", "Kurdistan û Îran", "کوردستان ئوو ئیران"),
        ("ku-latn", "کوردستان", "kwrdstan"),
        ("ku-latn", "ژماره‌ی ٢", "jmareî 2"),
    ],
)
def test_letters_are_converted(variant: str, text: str, converted: str) -> None:
    """Words of each language, as its wiki shows them in the other script; Roman numerals stay in Serbian."""
    assert converter(variant)(text) == converted


@pytest.mark.parametrize(
    ("one", "other"), [("sr-ec", "sr-el"), ("tly", "tly-cyrl"), ("ike-latn", "ike-cans"), ("uz-cyrl", "uz-latn")]
)
def test_what_is_written_in_one_script_is_left_by_its_own_converter(one: str, other: str) -> None:
    """Text in the letters of a variant does not change when it is turned into that variant."""
    letters = sorted({letter for letter in "".join(LETTERS[one].table.values()) if letter.isalpha()})

    @given(st.text([*letters, " "]))
    def check(text: str) -> None:
        assert converter(one)(text) == text

    check()
    assert len(letters) > 15
    assert sum(converter(other)(letter) != letter for letter in letters) > 15


@given(st.text(sorted(set("абвгдђежзијклмнопрстћуфхцчш") | {" ", "-"})))
def test_serbian_goes_there_and_back(text: str) -> None:
    """Into Latin letters and back, but for letters that together are written as another letter is."""
    back = converter("sr-ec")(converter("sr-el")(text))
    assert back == text.replace("лј", "љ").replace("нј", "њ").replace("дж", "џ")


def test_every_variant_is_of_a_wiki_and_can_be_made() -> None:
    """All variants belong to Wikipedias, and each has letters or a configuration of OpenCC."""
    chinese = {"gan", "wuu", "zh"}
    for language, names in VARIANTS.items():
        assert wiki_of(language) is not None
        for name in names:
            assert (name in LETTERS) != (language in chinese)
            assert (variant_of(name, language), variant_of(name, "de")) == (name, "")
    assert {name for names in VARIANTS.values() for name in names} >= LETTERS.keys()


def test_a_recipe_may_name_every_variant() -> None:
    """Those and no others; "" for none."""
    assert set(get_args(Variant)) == {"", *(name for names in VARIANTS.values() for name in names)}
    with pytest.raises(RecipeError, match=r"surface\.variant: expected one of .*'zh-hans'.*, saw 'zh-han'"):
        parse_recipe({"name": "mine", "surface": {"variant": "zh-han"}})


def test_titles_have_their_other_ways_in_order() -> None:
    """One variant after the other, with a large first letter as titles have it."""
    assert list(TitleVariants("sr").of(["Niш", "1984"])) == [["Ниш", "1984"], ["Niš", "1984"]]
    assert list(TitleVariants("sr-el").of(["Niš"])) == [["Ниш"], ["Niš"]]
    assert list(TitleVariants("shi").of(["ⵜⴰⵎⴰⵣⵉⵖⵜ"]))[1] == ["Tamaziɣt"]
    assert list(TitleVariants("shi", first_letter=False).of(["ⵜⴰⵎⴰⵣⵉⵖⵜ"]))[1] == ["tamaziɣt"]
    assert list(TitleVariants("sr").of([])) == [[], []]


@pytest.mark.parametrize("variant", sorted(name for names in VARIANTS.values() for name in names))
def test_texts_are_converted_together_as_one_by_one(variant: str) -> None:
    """Whatever is before and after each, and if one of them has two lines."""
    if variant not in LETTERS:
        pytest.importorskip("opencc")
    letters = sorted({*"".join(LETTERS[variant].table if variant in LETTERS else "头髮里后發乾隆台"), *"XIV aeЁеЕ."})
    convert = converter(variant)

    @settings(deadline=None, max_examples=50)
    @given(st.lists(st.text(letters, max_size=6), max_size=6))
    def check(texts: list[str]) -> None:
        assert convert_all(convert, texts) == [convert(text) for text in texts]
        lines = [*texts, "a\nb"]
        assert convert_all(convert, lines) == [convert(text) for text in lines]

    check()


def test_chinese_needs_opencc(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it titles are not converted, which can be asked, and converting ends in an error that names the extra."""
    monkeypatch.setattr(variants, "_opencc_version", lambda: "")
    assert (conversion_of("zh"), conversion_of("gan"), conversion_of("sr")) == ("", "", "letters of 2026-11")
    assert [lacks_conversion(code) for code in ("zh", "zh-hant", "wuu", "sr", "ja")] == [True, True, True, False, False]
    variants._opencc.cache_clear()
    converter.cache_clear()
    with pytest.raises(UsageError, match=r"needs opencc: pip install 'wikisem\[chinese\]'"):
        converter("zh-hans")


def test_chinese_is_converted_by_words() -> None:
    """Simplified and traditional forms of one word have one form in each variant."""
    pytest.importorskip("opencc")
    assert [converter("zh-hans")(text) for text in ("頭髮", "头发", "法國")] == ["头发", "头发", "法国"]
    assert [converter("zh-hant")(text) for text in ("頭髮", "头发", "裡", "里")] == ["頭髮", "頭髮", "裏", "裏"]
    assert ["電腦軟體"] in list(TitleVariants("zh").of(["电脑软件"]))
    assert conversion_of("zh").startswith("opencc ")


def _real_labels(data: Path) -> Iterator[dict[str, str]]:
    for name in ("real-entities", "class-graph-slice"):
        with gzip.open(data / "wikidata" / f"{name}.json.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                text = line.strip().rstrip(",")
                labels = json.loads(text).get("labels") if len(text) > 2 else None
                yield {code: label["value"] for code, label in (labels or {}).items()}


@pytest.mark.slow
@pytest.mark.realdata
@pytest.mark.parametrize(
    ("one", "other", "compared", "share"),
    [("sr-ec", "sr-el", 70, 0.97), ("sr-el", "sr-ec", 70, 0.97), ("zh-hant", "zh-tw", 100, 0.93)],
)
def test_real_labels_are_converted_as_people_wrote_them(
    realdata: Path, one: str, other: str, compared: int, share: float
) -> None:
    """Items that have a label in both variants: the rest are other words for them (佐治 and 喬治, George)."""
    if other.startswith("zh"):
        pytest.importorskip("opencc")
    pairs = [(labels[one], labels[other]) for labels in _real_labels(realdata) if {one, other} <= labels.keys()]
    equal = sum(converter(other)(label) == wanted for label, wanted in pairs)
    assert len(pairs) >= compared
    assert equal / len(pairs) >= share
