"""The answers of language models to walls: as asked for, as models write them all the same, and as no answer at all."""

import random
from collections.abc import Callable, Sequence

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from wikisem.outputs.groupfile import prompt, questions
from wikisem.outputs.wall_answers import SCORES, parse_answer, process_results, score_answer
from wikisem.wikipedia.languages import script_sets

ENGLISH = (
    "Berlin", "Washington, D.C.", "Paris", "St. Louis", "red", "Orange", "blue", "dark green",
    "1. FC Köln", "Ajax", "Milan", "Real Madrid", "Mercury", "M*A*S*H", "Star Wars: Rebels", "O'Hara",
)  # fmt: skip
_OTHERS = {
    "zh": "北京 上海 天津 重庆 长江 黄河 珠江 淮河 孔子 老子 庄子 墨子 列奥纳多·达·芬奇 红 蓝 绿",
    "ja": "東京 大阪 京都 札幌 レオナルド・ダ・ヴィンチ ピカソ モネ ゴッホ 赤 青 緑 黒 犬 猫 馬 牛",
    "ar": "القاهرة دمشق بغداد عمان أحمر أزرق أخضر أسود كلب قط حصان بقرة نهر بحر جبل سهل",
    "ru": "Москва Рига Нью-Йорк Ростов-на-Дону Волга Дон Обь Лена Пушкин Гоголь Чехов Бунин белый синий алый серый",
    "th": "กรุงเทพ เชียงใหม่ ภูเก็ต ขอนแก่น แดง เขียว น้ำเงิน ดำ สุนัข แมว ม้า วัว ภูเขา แม่น้ำ ทะเล เกาะ",
}
SCRIPTS = {"en": ENGLISH, **{language: tuple(words.split()) for language, words in _OTHERS.items()}}
ANSWER = [place // 4 for place in range(16)]
RIGHT = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]]


def lines(words: Sequence[str], comma: str = ", ", groups: Sequence[Sequence[int]] = RIGHT) -> list[str]:
    """The words of each group on a line."""
    return [comma.join(words[place] for place in group) for group in groups]


FORMS: dict[str, Callable[[Sequence[str]], str]] = {
    "as asked for": lambda words: "\n".join(lines(words)),
    "numbered": lambda words: "\n".join(f"{at}. {line}" for at, line in enumerate(lines(words), start=1)),
    "numbered in brackets": lambda words: "\n".join(f"({at}) {line}" for at, line in enumerate(lines(words), start=1)),
    "in bullets": lambda words: "\n\n".join(f"- {line}" for line in lines(words)),
    "after labels": lambda words: "\n".join(f"**Group** (of, one, kind): {line}" for line in lines(words)),
    "before remarks": lambda words: "\n".join(f"{line} (all of one kind)" for line in lines(words)),
    "quoted": lambda words: "\n".join(lines([f'"{word}"' for word in words])),
    "in other quotes": lambda words: "\n".join(lines([f"「{word}」" for word in words], "、")),
    "between bars": lambda words: "\n".join(f"| {line} |" for line in lines(words, " | ")),
    "between slashes": lambda words: "\n".join(lines(words, " / ")),
    "between wide commas": lambda words: "\n".join(f"第{at}组：{line}" for at, line in enumerate(lines(words, "，"))),
    "between Arabic commas": lambda words: "\n".join(lines(words, "، ")),
    "as JSON": lambda words: str([[str(word) for word in words[at : at + 4]] for at in range(0, 16, 4)]),
    "in capitals": lambda words: "\n".join(lines(words)).upper(),
    "with a line for each word": lambda words: "\n".join("A group:\n- " + line for line in lines(words, "\n- ")),
    "after thinking aloud": lambda words: f"{words[0]}, {words[5]}, {words[9]} and {words[12]} may be a group.\n\n"
    "Or:\n" + "\n".join(lines(words[::-1])) + "\n\nMy answer:\n" + "\n".join(lines(words)) + "\n\nThat is all four.",
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("language", SCRIPTS)
def test_a_right_answer_is_read_in_any_form(form: str, language: str) -> None:
    """Numbers, bullets, labels, quotes, tables, lists of JSON, in several scripts and with separators in words."""
    words = SCRIPTS[language]
    assert parse_answer(FORMS[form](words), words) == RIGHT
    assert score_answer(FORMS[form](words), words, ANSWER) == dict.fromkeys(SCORES, 1.0)


@given(st.permutations(range(16)), st.sampled_from(sorted(SCRIPTS)), st.sampled_from([", ", " | ", "; ", "，", " - "]))
def test_any_partition_is_read_as_it_is_written(order: list[int], language: str, comma: str) -> None:
    """Groups in any order, their words in any order, with whatever separators."""
    groups = [order[at : at + 4] for at in range(0, 16, 4)]
    assert parse_answer("\n".join(lines(SCRIPTS[language], comma, groups)), SCRIPTS[language]) == groups


@pytest.mark.parametrize(
    ("line", "places"),
    [
        ("berlin paris DARK GREEN orange", [0, 2, 7, 5]),
        ("Berlin, Paris, red and Orange", [0, 2, 4, 5]),
        ("Berlin (capital), Paris (too), red, Orange – colours and cities", [0, 2, 4, 5]),
        ("Ajax, FC Köln, Milan, Real Madrid", [9, 10, 11]),
        ("Berlin, Atlantis, Paris", [0, 2]),
        ("1. 1. FC Köln, Ajax", [8, 9]),
        ("Films: Star Wars: Rebels, M*A*S*H", [14, 13]),
        ("Berlin, Berlin, Paris", [0, 2]),
        ("“O’Hara”, *Mercury*", [15, 12]),
    ],
)
def test_the_words_of_a_line(line: str, places: list[int]) -> None:
    """What is no word of the wall is passed over; other words, or words with more to them, are none of the wall's."""
    assert parse_answer(line + "\nred, blue", ENGLISH)[0] == places


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (lines(ENGLISH)[:2], 0.5),  # two lines are missing
        (["Berlin, Washington, D.C., Paris", *lines(ENGLISH)[1:]], 0.75),  # a word is missing
        ([*lines(ENGLISH)[:3], lines(ENGLISH)[3] + ", Venus"], 1.0),  # a word that is not on the wall
        ([lines(ENGLISH)[0] + ", red", *lines(ENGLISH)[1:]], 0.5),  # one too many, which is missing from its group
        ([*lines(ENGLISH)[:3], lines(ENGLISH)[3] + ", Berlin"], 1.0),  # one that was there before counts there
        (lines(ENGLISH, groups=[[0, 1, 2, 4], [3, 5, 6, 7], *RIGHT[2:]]), 0.5),  # two words in each other's place
        ([", ".join(ENGLISH)], 0.0),  # all in one line
        ([*lines(ENGLISH[::-1]), *lines(ENGLISH, groups=[[0, 5], [1, 6], [2, 7], [3, 4]])], 0.0),  # the last four count
        (["I do not know."], 0.0),
        ([""], 0.0),
    ],
)
def test_partial_and_malformed_answers_have_their_part(text: list[str], found: float) -> None:
    """Each group that is exactly right counts, whatever the others are."""
    scores = score_answer("\n".join(text), ENGLISH, ANSWER)
    assert scores["groups_found"] == found
    assert scores["solved"] == (found == 1)


def test_no_answer_is_no_better_than_chance() -> None:
    """All words alone: both adjusted scores are 0."""
    assert score_answer("no idea", ENGLISH, ANSWER) == pytest.approx(dict.fromkeys(SCORES, 0.0), abs=1e-12)


def test_words_that_differ_in_case_alone_are_told_apart() -> None:
    """The word as it is written comes first; one that is written in neither way is the first of them."""
    words = ["US", "us", "we", "WE"]
    assert parse_answer("us, we\nUS, WE", words) == [[1, 2], [0, 3]]
    assert parse_answer("Us, We", words) == [[0, 2]]


@given(st.text(max_size=200), st.sampled_from(sorted(SCRIPTS)))
def test_no_text_breaks_the_parser(text: str, language: str) -> None:
    """At most four groups, no word twice."""
    groups = parse_answer(text, SCRIPTS[language])
    places = [place for group in groups for place in group]
    assert len(groups) <= 4
    assert len(set(places)) == len(places)


def test_a_prompt_is_the_question_and_the_words() -> None:
    """A word a line, in the order shown; a model that repeats the prompt has not answered."""
    text = prompt(ENGLISH, "en")
    assert text == prompt(ENGLISH, "tlh")  # which has no question
    assert text.splitlines()[2:] == list(ENGLISH)
    assert score_answer(text, ENGLISH, ANSWER)["groups_found"] == 0


@pytest.mark.parametrize("code", sorted(questions().keys() - {"en"}))
def test_each_question_is_in_the_script_of_its_language(code: str) -> None:
    """One line in letters of the language, without an English word of five letters; and the words follow."""
    text, _, first, *_ = prompt(ENGLISH, code).splitlines()
    assert (text, first) == (questions()[code], ENGLISH[0])
    english = set(regex.findall(r"\p{L}{5,}", questions()["en"].casefold()))
    assert english.isdisjoint(regex.findall(r"\p{L}+", text.casefold()))
    pattern = "|".join(rf"\p{{Script={script}}}" for scripts in script_sets(code) for script in (*scripts, "Common"))
    assert [letter for letter in regex.findall(r"\p{L}", text) if not regex.fullmatch(pattern, letter)] == []


def test_the_harness_gets_the_scores_of_a_row() -> None:
    """As lm-evaluation-harness calls it: the row, and a list with one answer; groups need not be in order."""
    words, answer = list(ENGLISH), list(ANSWER)
    both = list(zip(words, answer, strict=True))
    random.Random(500).shuffle(both)
    row = {"choices": [word for word, _ in both], "answer": [group for _, group in both]}
    assert process_results(row, ["\n".join(lines(ENGLISH))]) == dict.fromkeys(SCORES, 1.0)
