"""Analogy questions: all of them, or a sample that is the same every time."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.categories.lexeme_pairs import questions, sample_of
from wikisem.sampling import hash_key

PAIRS = [("Athens", "Greece"), ("Oslo", "Norway"), ("Rome", "Italy"), ("Paris", "France")]


def test_all_questions_are_all_ordered_choices_of_two_pairs() -> None:
    """n pairs give n(n-1) questions, none of a pair with itself, as Gao et al. count them."""
    assert list(questions(PAIRS)) == [(*one, *other) for one, other in permutations(PAIRS, 2)]
    assert len(list(questions(PAIRS))) == 12


@pytest.mark.parametrize("count", [0, 1])
def test_too_few_pairs_ask_nothing(count: int) -> None:
    """A question takes two pairs."""
    assert list(questions(PAIRS[:count])) == []
    assert list(questions(PAIRS[:count], sample=3)) == []


@given(st.integers(0, 13), st.integers(0, 2**64 - 1))
def test_a_sample_is_a_part_in_the_same_order(size: int, seed: int) -> None:
    """A sample has its size, holds every question once at most, keeps the order, and depends on the seed alone."""
    everything = list(questions(PAIRS))
    sample = list(questions(PAIRS, size, seed))
    assert len(sample) == (min(size, 12) or 12)
    assert sample == [question for question in everything if question in set(sample)]
    assert sample == list(questions(PAIRS, size, seed))


def test_every_number_can_be_drawn() -> None:
    """Over many seeds each of ten numbers is drawn about as often as any other: 3 of 10, 1,000 times."""
    drawn = [number for seed in range(1000) for number in sample_of(10, 3, seed)]
    assert all(250 < drawn.count(number) < 350 for number in range(10))


def test_a_known_sample() -> None:
    """The choice is part of the format: the same numbers for the same seed, on any machine, in any version."""
    assert sample_of(20, 4, 500) == [1, 3, 5, 16]
    assert sample_of(20, 16, 500) == [0, 2, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19]
    assert sample_of(10**12, 3, 500) == [68614702241, 175625784924, 843821036457]


@pytest.mark.parametrize(
    ("total", "size"),
    [(10**9, 70_000), (140_000, 69_999), pytest.param(140_000, 70_001, marks=pytest.mark.slow), (7, 7), (7, 0)],
)
def test_a_sample_is_what_one_draw_after_the_other_gives(total: int, size: int) -> None:
    """However many draws are made at once, and also where it is easier to say what is left out."""
    wanted, draw, drawn = min(size, total - size), 0, set[int]()
    while len(drawn) < wanted:
        drawn.add(hash_key(3, draw) * total // 2**64)
        draw += 1
    expected = drawn if 2 * size <= total else set(range(total)) - drawn
    assert sample_of(total, size, 3) == sorted(expected)
