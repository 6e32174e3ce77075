"""Baselines of form, prominence and types, against plain readings of what each picks."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.word_groups import baselines_of_cases, outlier_word, word_group
from wikisem.datasets.word_groups import parse_group, read_dataset
from wikisem.errors import DamagedInputError
from wikisem.evaluation.baselines import (
    CHANCE,
    ELSEWHERE,
    LEAST_FREQUENT,
    PICKERS,
    baselines_by_language,
    read_frequencies,
)
from wikisem.evaluation.rows import ALL
from wikisem.evaluation.statistics import clustered_wilson, wilson
from wikisem.outputs.groupfile import encode_group
from wikisem.records import Group, Member, Outlier

NUMBERS = st.one_of(st.none(), st.integers(0, 4))
ITEMS = st.builds(
    lambda qid, surface, sitelinks, page, own, coarse: Member(
        id=qid, surface=surface, sitelinks=sitelinks, total=page, links=own, type=coarse
    ),
    st.sampled_from(["Q1", "Q7", "Q50", "Q900", "Q901"]) | st.sampled_from(["", "Q7"]),
    st.text("abAB é東", min_size=1, max_size=6).filter(str.strip),
    NUMBERS,
    NUMBERS,
    NUMBERS,
    st.sampled_from([None, "Q5", "Q515"]),
)
CASES = st.lists(st.lists(ITEMS, min_size=2, max_size=5), min_size=1, max_size=4)


def pairs_of(surface: str) -> set[str]:
    """The pairs of letters of a surface form between two blanks, one by one."""
    text = f" {surface.lower()} "
    return {text[at : at + 2] for at in range(len(text) - 1)}


def in_others(word: Member, words: Sequence[Member]) -> float:
    """In how many of the words a pair of this word is, on average."""
    own = pairs_of(word.surface)
    return sum(sum(pair in pairs_of(other.surface) for other in words) for pair in own) / len(own)


def case_of(word: Member) -> str:
    """The case of the first character."""
    first = word.surface[0]
    return "upper" if first in "AB" else "lower" if first in "abé" else ""


def shared_endings(word: Member, words: Sequence[Member]) -> int:
    """How many letters a word has in common with each of the others from the end; none of them has a mark."""
    own, total = word.surface.lower()[::-1], 0
    for other in (one.surface.lower()[::-1] for one in words if one is not word):
        total += max(n for n in range(min(len(own), len(other)) + 1) if own[:n] == other[:n])
    return total


def from_the_middle(word: Member, words: Sequence[Member]) -> float:
    """How far the item number of a word is from the median of the others'."""
    others = sorted(int(other.id[1:]) for other in words if other is not word)
    return abs(int(word.id[1:]) - (others[len(others) // 2] + others[(len(others) - 1) // 2]) / 2)


def zero(number: int | None) -> int:
    """What is not known counts as nothing."""
    return number or 0


# What each picker looks for the most of; the other end has the opposite sign.
PLAIN: dict[str, Callable[[Member, Sequence[Member]], float]] = {
    "longest": lambda word, _: len(word.surface),
    "shortest": lambda word, _: -len(word.surface),
    "most words": lambda word, _: len([part for part in word.surface.split(" ") if part]),
    "fewest words": lambda word, _: -len([part for part in word.surface.split(" ") if part]),
    "odd letter pairs": lambda word, words: -in_others(word, words),
    "odd capital": lambda word, words: -sum(case_of(word) == case_of(other) for other in words),
    "odd last letter": lambda word, words: -sum(word.surface.lower()[-1] == one.surface.lower()[-1] for one in words),
    "odd ending": lambda word, words: -shared_endings(word, words),
    "least linked": lambda word, _: -zero(word.total),
    "most linked": lambda word, _: zero(word.total),
    "fewest sitelinks": lambda word, _: -zero(word.sitelinks),
    "most sitelinks": lambda word, _: zero(word.sitelinks),
    "rarest in links": lambda word, _: -zero(word.links),
    "far item number": from_the_middle,
    "odd type": lambda word, words: -sum(word.type == other.type for other in words),
}
FIELDS = {"linked": "total", "sitelinks": "sitelinks", "in links": "links", "type": "type"}


@given(CASES)
def test_every_baseline_agrees_with_a_plain_reading(cases: list[list[Member]]) -> None:
    """Of k words that stand out alike the outlier, the last one, gets 1/k; cases without the numbers are left out."""
    found = baselines_of_cases([(f"Q{at}", words) for at, words in enumerate(cases)])
    assert list(found) == [CHANCE, *PLAIN, ELSEWHERE] == [CHANCE, *PICKERS, ELSEWHERE]
    chance = found[CHANCE]
    assert chance is not None
    assert chance.value == pytest.approx(sum(1 / len(words) for words in cases) / len(cases))
    for name, plain in PLAIN.items():
        field = next((field for end, field in FIELDS.items() if name.endswith(end)), "")
        credits_ = []
        for words in cases:
            if field and not any(getattr(word, field) for word in words):
                continue
            if name == "far item number" and not all(word.id for word in words):
                continue
            values = [plain(word, words) for word in words]
            tied = [at for at, value in enumerate(values) if value == max(values)]
            credits_.append(1 / len(tied) if len(words) - 1 in tied else 0)
        one = found[name]
        assert (one is None) == (not credits_)
        if one is not None:
            share = sum(credits_) / len(credits_)
            assert one.n == len(credits_)
            assert one.value == pytest.approx(share)
            assert (one.low, one.high) == clustered_wilson(np.array(credits_, float), np.ones(len(credits_)))


def test_words_that_are_all_alike_are_chance() -> None:
    """No picker of form can tell four words of one letter apart; who knows the words as members is wrong."""
    found = baselines_of_cases([("Q1", [Member(surface="a")] * 4)])
    values = {name: one.value for name, one in found.items() if one}
    assert values.pop(ELSEWHERE) == 0
    assert set(values.values()) == {0.25}


def test_cases_of_a_class_are_one_trial_where_they_agree() -> None:
    """Three classes of four cases whose longest word is the outlier: Wilson's interval of three trials, not twelve."""
    case = [Member(surface="a"), Member(surface="b"), Outlier(surface="long", outlier_class=1)]
    found = baselines_of_cases([(f"Q{at % 3}", case) for at in range(12)])["longest"]
    assert found is not None
    assert (found.n, found.value) == (12, 1)
    assert (found.low, found.high) == wilson(1.0, 3)


def test_an_ending_is_of_letters_as_a_reader_counts_them() -> None:
    """A letter with its mark is another one than without, and case does not tell."""
    words = [Member(surface=name) for name in ("cafe\u0301", "CAFE\u0301", "cafe")]
    found = baselines_of_cases([("Q1", words)])
    assert [one and one.value for name, one in found.items() if name in {"odd last letter", "odd ending"}] == [1, 1]


def test_who_remembers_the_outliers_of_other_groups() -> None:
    """Not those of the group itself; of words that were none, the one that is least often a member elsewhere."""
    groups = [
        word_group("Q1", ("Oslo", "Bern"), (outlier_word("rhine", 1), outlier_word("Ural", 2)), "", "en"),
        word_group("Q2", ("Lima", "Bern"), (outlier_word("Rhine", 1),), "", "en"),
        word_group("Q3", ("Elbe", "Rhine"), (outlier_word("Etna", 2),), "", "en"),
    ]
    found = baselines_by_language(groups)["en"][ALL][ELSEWHERE]
    # In the first two groups rhine is known, and Ural as unknown as Oslo; in the third Rhine was an outlier twice.
    assert found is not None
    assert (found.n, found.value) == (4, 2.5 / 4)


def test_a_column_for_each_outlier_class_and_one_for_all() -> None:
    """Languages apart, unknown where no folder names one; outlier classes that are unknown are under O?."""
    text = parse_group("Oslo\nBern\n\nMount_Fuji\nRome\n", "Q1", "mine/Q1.txt")
    known = word_group("Q2", ("Ur", "Oslo"), (outlier_word("Rome", 1),), "", "en")
    found = baselines_by_language([text, known])
    assert {code: list(columns) for code, columns in found.items()} == {"en": ["O1", ALL], "unknown": ["O?", ALL]}
    longest = found["unknown"][ALL]["longest"]
    assert longest is not None
    assert (longest.n, longest.value) == (2, (1 + 1 / 3) / 2)
    assert found["unknown"][ALL]["fewest sitelinks"] is None


def test_a_file_of_groups_says_how_well_items_are_known(tmp_path: Path) -> None:
    """Sitelinks and links are the same from groups and from their JSON lines."""
    cluster = (
        Member(id="Q1", surface="Oslo", source="anchor", count=3, total=4, sitelinks=9, links=7),
        Member(id="Q2", surface="Bern", source="label", count=0, total=0, sitelinks=8),
    )
    group = Group(
        id="Q5",
        label="city",
        language="en",
        cluster=cluster,
        outliers=(
            Outlier(
                id="Q3",
                surface="Rhine",
                source="anchor",
                count=1,
                total=1,
                sitelinks=3,
                outlier_class=1,
                via="Q6",
                links=2,
            ),
        ),
    )
    (tmp_path / "en.jsonl").write_bytes(encode_group(group))
    read = read_dataset(tmp_path / "en.jsonl")
    assert baselines_by_language(read) == baselines_by_language([group])
    assert [one.total for one in read[0].cluster] == [4, 0]
    assert [one and one.value for name, one in baselines_by_language(read)["en"][ALL].items() if "link" in name] == [
        *(0.0, 0.0),  # the label is not linked at all
        *(1.0, 0.0),
        0.0,
    ]


def test_the_least_frequent_token_decides(tmp_path: Path) -> None:
    """Of a word of several tokens the rarest counts; a token that is not listed is the rarest of all."""
    path = tmp_path / "frequencies.txt"
    path.write_text("Mount 5e-4\nfuji\t1e-7\noslo 1e-6\n\nBern 2e-6\n", encoding="utf-8")
    group = word_group("Q1", ("Oslo", "Bern"), (outlier_word("Mount Fuji", 1), outlier_word("Bern Oslo", 2)), "", "en")
    found = baselines_by_language([group], {"en": read_frequencies(path)})["en"]
    values = {column: own[LEAST_FREQUENT] for column, own in found.items()}
    assert {column: one and one.value for column, one in values.items()} == {"O1": 1, "O2": 0.5, ALL: 0.75}
    path.write_text("the 1\nno number\n", encoding="utf-8")
    with pytest.raises(DamagedInputError, match=r"frequencies.txt:2: expected a token and its frequency, saw 'no num"):
        read_frequencies(path)
