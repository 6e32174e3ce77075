"""Characters as a reader counts them, by the rules of Unicode 18.0 or later."""

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from wikisem.wikipedia.graphemes import graphemes, is_han

# Cases of Unicode's GraphemeBreakTest.txt (17.0), a division for each "÷". In the two where a linker follows no
# consonant, the rule is that of 18.0: GB9c no longer asks for one (https://www.unicode.org/reports/tr29/tr29-49.html).
ANNEX = """
000D × 000A ÷ 0061 ÷ 000A ÷ 0308
0061 × 0308
0020 × 200D ÷ 0646
0646 × 200D ÷ 0020
1100 × 1100
AC00 × 11A8 ÷ 1100
AC01 × 11A8 ÷ 1100
0061 ÷ 1F1E6 × 1F1E7 ÷ 1F1E8 ÷ 0062
0061 ÷ 1F1E6 × 1F1E7 × 200D ÷ 1F1E8 ÷ 0062
0061 ÷ 1F1E6 × 200D ÷ 1F1E7 × 1F1E8 ÷ 0062
0061 ÷ 1F1E6 × 1F1E7 ÷ 1F1E8 × 1F1E9 ÷ 0062
0061 × 0903 ÷ 0062
0061 ÷ 0600 × 0062
1F476 × 1F3FF ÷ 1F476
0061 × 1F3FF ÷ 1F476 × 200D × 1F6D1
1F476 × 1F3FF × 0308 × 200D × 1F476 × 1F3FF
0061 × 200D ÷ 1F6D1
0915 ÷ 0924
0915 × 094D × 0924
0915 × 094D × 200D × 0924
0915 × 093C × 200D × 094D × 0924
0915 × 094D × 0924 × 094D × 092F
0915 × 094D ÷ 0061
0061 × 094D × 0924
003F × 094D × 0924
0AB8 × 0AFB × 0ACD × 0AB8 × 0AFB
1019 × 1039 × 1018 ÷ 102C × 1037
1004 × 103A × 1039 × 1011 × 1039 × 1011
179F × 17D2 × 178F × 17D2 × 179A × 17B8
1B27 ÷ 1B13 × 1B44 × 1B0B ÷ 1B0B × 1B04
17A0 × 17D2 × 17AB ÷ 1791 × 17D0 ÷ 1799
"""
# A character of every property that the rules name, and of none.
KINDS = "\r\n\u200b\u0308\u0903\u0600\u0915\u094d\u1cf5\u200c\u200d\u1100\u1160\u11a8가각👩🏽🇦aé漢"


@pytest.mark.parametrize("line", ANNEX.strip().splitlines())
def test_text_divides_as_the_cases_of_the_annex(line: str) -> None:
    """Every cluster begins where the case has a division, and nowhere else."""
    clusters = ["".join(chr(int(code, 16)) for code in part.split("×")) for part in line.split("÷")]
    assert list(graphemes("".join(clusters))) == clusters


@given(st.text(st.sampled_from(KINDS) | st.characters(), max_size=8))
@example("\u1cf5\u0915")
def test_text_of_plain_characters_is_its_own_clusters(text: str) -> None:
    """The short way for text in which nothing joins finds the clusters that the annex finds."""
    assert list(graphemes(text)) == regex.findall(r"\X", text)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("e\u0301", 1),
        ("นี่", 1),
        ("ประเทศ", 6),
        ("क्षि", 1),
        ("ខេត្ត", 2),
        ("অ্যাঙ্গোলা", 3),
        ("မြို့", 1),
        ("👨‍👩‍👧", 1),
        ("🇩🇪🇱🇻", 2),
        ("각", 1),
        ("\u1100\u1161\u11a8", 1),
        ("né", 2),
        ("\r\n", 1),
        ("a\u200cb", 2),
        ("", 0),
    ],
)
def test_marks_and_joiners_belong_to_their_letter(text: str, count: int) -> None:
    """Accents, vowel signs, conjuncts, conjoining jamo, flags and joined emoji are no characters of their own."""
    assert len(graphemes(text)) == count


def test_han_is_a_script_not_a_block() -> None:
    """Iteration marks and rare characters are Han; kana, hangul and full-width letters are not."""
    assert all(map(is_han, "漢々〇𠮷"))
    assert not any(map(is_han, "かカ한ＡA1ー"))
