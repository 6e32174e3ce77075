"""Which test cases annotators get."""

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.outputs.annotation.sets import make_group, make_set
from tests.word_groups import outlier_word, word_group
from wikisem.errors import MissingInputError, UsageError
from wikisem.outputs.annotation.sheets import AnnotationSet, sample_cases


def spread(values: Iterable[object], possible: Iterable[object]) -> int:
    """How far the counts of the possible values are apart."""
    counts = Counter(values)
    numbers = [counts[value] for value in possible]
    return max(numbers) - min(numbers)


def own_share(annotation: AnnotationSet, name: str) -> set[str]:
    """The cases that only this annotator gets."""
    return set(annotation.annotators[name]) - set(annotation.overlap)


@given(
    groups=st.integers(1, 60),
    annotators=st.integers(1, 7),
    share=st.floats(0, 1),
    seed=st.integers(0, 2**64 - 1),
    long=st.integers(0, 60),
)
@example(groups=60, annotators=5, share=0.25, seed=500, long=30)  # as in the documentation, with eight and nine words
@example(groups=12, annotators=3, share=0, seed=1, long=0)  # no overlap
@example(groups=9, annotators=2, share=1, seed=2, long=9)  # everybody gets all
@example(groups=4, annotators=1, share=0.5, seed=0, long=0)  # a class that comes twice among four
def test_the_deal_is_balanced(groups: int, annotators: int, share: float, seed: int, long: int) -> None:
    """Every case is for all or for one; outlier classes and positions come equally often, overall and in each part."""
    overlap = max(round(share * groups), 0 if groups >= annotators else 1)
    if not overlap and groups < annotators:
        overlap = 1
    alone = groups - overlap
    words = [make_group(number, 8 if number < long else 7) for number in range(groups + 3)]
    annotation = sample_cases(words, "en", seed, groups, annotators, overlap)
    shares = {name: own_share(annotation, name) for name in annotation.annotators}

    assert len(annotation.cases) == groups
    assert len({case.group for case in annotation.cases}) == groups
    assert len(annotation.overlap) == overlap
    assert all(set(annotation.overlap) <= set(cases) for cases in annotation.annotators.values())
    assert sum(map(len, shares.values())) == alone == len(set().union(*shares.values()))
    assert spread([name for name, cases in shares.items() for _ in cases], shares) <= 1
    for part in [set(annotation.by_id), set(annotation.overlap), *shares.values()]:
        cases = [annotation.by_id[case] for case in part]
        assert spread([case.outlier_class for case in cases], [1, 2, 3]) <= 1
        for size in (8, 9):
            positions = [case.outlier for case in cases if len(case.words) == size]
            assert spread(positions, range(1, size + 1)) <= 1


def test_positions_do_not_follow_from_the_outlier_class() -> None:
    """With 81 groups each class has its outliers at every position: nine words and three classes do not lock."""
    annotation = make_set(groups=81, annotators=3, overlap=0)
    for kind in (1, 2, 3):
        assert {case.outlier for case in annotation.cases if case.outlier_class == kind} == set(range(1, 10))


def test_ids_tell_nothing_of_positions_and_classes() -> None:
    """Cases in order of their ids are not in order of position or class, which go round while cases are dealt."""
    cases = make_set(groups=60, annotators=5, overlap=15).cases
    assert [case.id for case in cases] == [f"case-{number:02}" for number in range(1, 61)]
    steps = Counter((later.outlier - case.outlier) % 9 for case, later in pairwise(cases))
    assert max(steps.values()) < 20


def test_only_seed_and_groups_decide() -> None:
    """The order of the groups changes nothing, the seed changes the sample, the order of words and of cases."""
    groups = [make_group(number) for number in range(30)]
    numbers = ("en", 1, 12, 3, 3)
    first = sample_cases(groups, *numbers)
    assert sample_cases(reversed(groups), *numbers) == first
    assert sample_cases(groups, *numbers).fingerprint == first.fingerprint
    other = sample_cases(groups, "en", 2, 12, 3, 3)
    assert {case.group for case in other.cases} != {case.group for case in first.cases}
    assert other.fingerprint != first.fingerprint


def test_annotators_see_the_overlap_in_different_orders() -> None:
    """The cases of a sheet are shuffled, so that tiredness does not fall on the same cases."""
    annotation = make_set(groups=12, annotators=2, overlap=12)
    first, second = annotation.annotators.values()
    assert set(first) == set(second)
    assert first != second


def test_groups_without_all_outlier_classes_leave_them_to_others() -> None:
    """Balance is kept as far as the groups allow: those with one class give it, the others make up for it."""
    poor = [make_group(number, classes=(3,)) for number in range(6)]
    rich = [make_group(number) for number in range(6, 18)]
    annotation = sample_cases([*rich, *poor], "en", 3, 18, 1, 0)
    assert Counter(case.outlier_class for case in annotation.cases) == {1: 6, 2: 6, 3: 6}


def test_words_are_shown_as_people_write_them() -> None:
    """Underlines become blanks; an outlier that the cluster has too, or a group that has nothing else, is not used."""
    group = word_group(
        "Q1", ("New_York", "Rome", "Rome"), (outlier_word("New York", 1), outlier_word("red_kite", 2)), ""
    )
    useless = word_group("Q2", ("New_York", "Rome"), (outlier_word("Rome", 1),), "")
    lonely = word_group("Q3", ("Rome",), (outlier_word("kite", 1),), "")
    (case,) = sample_cases([useless, group, lonely], "en", 1, 1, 1, 0).cases
    assert sorted(case.words) == ["New York", "Rome", "red kite"]
    assert case.words[case.outlier - 1] == "red kite"


def test_a_group_that_comes_twice_is_asked_once() -> None:
    """The same group in two files is one group."""
    with pytest.raises(MissingInputError, match="expected at least 2 test groups in en to sample from, saw 1"):
        sample_cases([make_group(1), make_group(1)], "en", 1, 2, 1, 0)


@pytest.mark.parametrize(
    ("numbers", "error", "message"),
    [
        ((1, 9, 2, 3), MissingInputError, "at least 9 test groups in de to sample from, saw 4"),
        ((1, 4, 2, 5), UsageError, "an overlap of at most 4 groups, all there are, saw 5"),
        ((1, 4, 5, 0), UsageError, "a group for each of 5 annotators, saw 4"),
    ],
)
def test_numbers_that_cannot_be_met_are_named(
    numbers: tuple[int, int, int, int], error: type[Exception], message: str
) -> None:
    """Too few groups, too large an overlap, an annotator with nothing to do."""
    with pytest.raises(error, match=message):
        sample_cases([make_group(number) for number in range(4)], "de", *numbers)
