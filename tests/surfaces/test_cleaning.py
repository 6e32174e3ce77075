"""What is taken off labels and titles, and which letters are a language's own."""

import unicodedata

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.surface_oracle import WRITTEN_IN, in_script, plain_title
from wikisem.arrow.columns import MapLookup
from wikisem.surfaces.cleaning import compose, first_label, own_script, tidy, without_parenthesis
from wikisem.wikipedia.wikitext import SPACES, UNSEEN, visible

LABELS = pa.map_(pa.string(), pa.string())


@pytest.mark.parametrize(
    ("title", "plain"),
    [
        ("Mercury (planet)", "Mercury"),
        ("Mercury (Roman god) (film)", "Mercury (Roman god)"),
        ("東京（曖昧さ回避）", "東京"),
        ("(500) Days of Summer", "(500) Days of Summer"),
        ("(What's the Story)", "(What's the Story)"),
        ("Odd)", "Odd)"),
    ],
)
def test_one_trailing_parenthesis_goes(title: str, plain: str) -> None:
    """One trailing parenthesis goes, a full-width one too, and what would leave nothing stays."""
    assert without_parenthesis(pa.chunked_array([[title]])).to_pylist() == [plain]


@pytest.mark.parametrize("mark", "\u00ad\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
def test_unseen_marks_go(mark: str) -> None:
    """Soft hyphens and marks of direction go wherever they are, and what is nothing else is nothing."""
    assert tidy(pa.chunked_array([[f"{mark}a{mark}b {mark} c{mark}", mark]])).to_pylist() == ["ab c", None]


@given(st.text(st.sampled_from("ab =" + SPACES + UNSEEN), max_size=10))
def test_labels_are_cleaned_as_anchors_are(text: str) -> None:
    """The same string is left of both, without a control character; nothing, if nothing visible is left."""
    (label,) = tidy(pa.chunked_array([[text]])).to_pylist()
    assert (label or "") == visible(text)
    assert label is None or not any(unicodedata.category(letter) == "Cc" for letter in label)


@pytest.mark.parametrize("control", [*range(32), *range(127, 160)])
def test_no_control_character_is_part_of_a_name(control: int) -> None:
    """Those of C0 and C1, which terminals obey and spreadsheets break at: white space is a blank, others go."""
    between = " " if chr(control).isspace() else ""
    label, code = first_label(MapLookup(pa.array([{"en": f"a{chr(control)}b"}], LABELS)), ["en"])
    assert (label.to_pylist(), code.to_pylist()) == ([f"a{between}b"], ["en"])
    assert visible(f"a{chr(control)}b") == f"a{between}b"


def test_joiners_stay() -> None:
    """A zero-width joiner or non-joiner changes letters in Persian and in Indic scripts, so both stay."""
    assert tidy(pa.chunked_array([["می\u200cخواهم", "क्\u200dष"]])).to_pylist() == ["می\u200cخواهم", "क्\u200dष"]


@pytest.mark.parametrize(
    ("language", "own", "others"),
    [
        ("en", ["Å", "Æsop", "ʻOkina", "Ⅷ", "5 µm", "$ 5", "E\u0301"], ["Ω", "Рига", "Сoca"]),
        ("ru", ["Берли\u0301н", "1984", "Ёж-2"], ["iPhone", "XVII век", "Cочи"]),
        ("ja", ["東京タワー", "コーヒー", "お茶", "々"], ["Windows", "ＮＨＫ", "한국"]),
        ("ko", ["한국", "韓國", "한국(韓國)"], ["SK텔레콤", "ひ"]),
        ("zh", ["北京"], ["卡拉OK", "コーヒー"]),
        ("sr", ["Москва", "Moskva"], ["Моskva"]),
        ("ar", ["القاهرة", "ـال", "١٩٨٤"], ["Cairo"]),
        ("hi", ["गाँधी", "क्\u200dष"], ["गाँधीji"]),
        ("simple", ["London"], ["Лондон"]),
    ],
)
def test_letters_are_of_the_language_s_script(language: str, own: list[str], others: list[str]) -> None:
    """All letters are of one script of the language; marks, digits and signs are of all."""
    assert [surface for surface in own + others if own_script(language).fullmatch(surface)] == own


def test_strings_are_composed() -> None:
    """In slices and in several chunks, with nulls and without any letter beyond ASCII."""
    texts = pa.chunked_array([["x", None, "Ri\u0304ga", "R\u012bga"], ["plain"], [None], []], pa.string())
    whole = [None, "R\u012bga", "R\u012bga", "plain", None]
    assert tidy(texts.slice(1)).to_pylist() == whole
    assert compose(texts.slice(1)).to_pylist() == whole


LETTERS = st.text(st.sampled_from("aÉ7 -ёЖא東あアーe\u0301$"), max_size=6)


@given(LETTERS, st.sampled_from(sorted(WRITTEN_IN)))
def test_scripts_are_those_of_the_letters_names(surface: str, language: str) -> None:
    """Letter by letter, by the names that Unicode gives them."""
    assert bool(own_script(language).fullmatch(surface)) == in_script(surface, language)


@given(st.text(st.sampled_from("ab ()（）\u3000"), min_size=1, max_size=10))
def test_parentheses_go_as_when_read_from_the_end(title: str) -> None:
    """Back from the last sign to the one that opens it, whatever else the title is made of."""
    assert without_parenthesis(pa.chunked_array([[title]])).to_pylist() == [plain_title(title)]
