"""Hash keys."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from wikisem.sampling import hash_key, hash_keys

SEEDS = st.integers(0, 2**64 - 1)
NUMBERS = st.lists(st.integers(0, 2**63 - 1), max_size=30)
MASK = 2**64 - 1


def splitmix(state: int) -> int:
    """SplitMix64's finaliser in plain integers."""
    state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
    return state ^ (state >> 31)


@given(SEEDS, NUMBERS)
def test_hash_keys_are_those_of_the_published_generator(seed: int, numbers: list[int]) -> None:
    """The numpy reading agrees with one in plain integers, number by number."""
    base = splitmix((seed + 0x9E3779B97F4A7C15) & MASK)
    expected = [splitmix((base + number * 0x9E3779B97F4A7C15) & MASK) for number in numbers]
    assert hash_keys(seed, np.array(numbers, dtype=np.uint64)).tolist() == expected


def test_hash_keys_never_change() -> None:
    """They are part of what makes a build reproducible: a release with others would make other groups."""
    assert [hash_key(500, number) for number in (1, 2, 42)] == [
        15565750703535712676,
        1265717851939932940,
        5660943915765287821,
    ]
    assert hash_key(501, 42) != hash_key(500, 42)


@given(SEEDS, st.lists(st.integers(0, 2**40), unique=True, max_size=40))
def test_no_two_items_share_a_hash_key(seed: int, numbers: list[int]) -> None:
    """The hash is a bijection for every seed."""
    found = hash_keys(seed, numbers)
    assert found.dtype == np.uint64
    assert len(set(found.tolist())) == len(numbers)


@given(SEEDS, NUMBERS)
def test_one_at_a_time_is_the_same(seed: int, numbers: list[int]) -> None:
    """A hash key depends on seed and number alone, never on what else is hashed."""
    together = hash_keys(seed, np.array(numbers, dtype=np.uint64)).tolist()
    assert together == [hash_key(seed, number) for number in numbers]


def test_neighbours_are_spread_over_all_keys() -> None:
    """Numbers in a row fall evenly into sixteen ranges (chi-squared, 15 degrees of freedom, p = 0.001)."""
    parts = np.bincount((hash_keys(500, np.arange(1, 16_001)) >> np.uint64(60)).astype(np.int64), minlength=16)
    assert ((parts - 1000) ** 2 / 1000).sum() < 37.7


@given(SEEDS, st.integers(0, 2**40))
def test_classes_have_another_hash_domain_than_items(seed: int, number: int) -> None:
    """So no class begins on the ring at the place of its own item; within the domain no two classes share a place."""
    numbers = np.arange(number, number + 50)
    classes = hash_keys(seed, numbers, "class")
    assert not np.isin(classes, hash_keys(seed, numbers)).any()
    assert len(set(classes.tolist())) == len(numbers)
    assert hash_key(seed, number, "class") == int(classes[0])
