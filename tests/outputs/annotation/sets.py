"""Test groups and annotation sets for tests."""

from tests.word_groups import outlier_word, word_group
from wikisem.outputs.annotation.sheets import AnnotationSet, sample_cases
from wikisem.records import Group

HOSTILE = "</script><img src=x onerror=\"document.title='broken'\">"


def make_group(number: int, size: int = 8, classes: tuple[int | None, ...] = (1, 1, 2, 2, 3, 3)) -> Group:
    """A group of words that no other group has; the outliers of a class are told apart by a letter."""
    cluster = tuple(f"member_{number}_{at}" for at in range(size))
    outliers = tuple(outlier_word(f"outlier_{number}_{kind}_{at}", kind) for at, kind in enumerate(classes))
    return word_group(f"Q{number}", cluster, outliers, f"Q{number}.txt")


def make_set(
    groups: int = 6, annotators: int = 2, overlap: int = 2, seed: int = 500, *, two_answers: bool = False
) -> AnnotationSet:
    """A set sampled from as many groups as it wants."""
    listed = [make_group(number) for number in range(1, groups + 1)]
    return sample_cases(listed, "en", seed, groups, annotators, overlap, two_answers)


def hostile_set(language: str = "en") -> AnnotationSet:
    """One case with words that try to be markup, a formula and a line end of JavaScript."""
    cluster = (HOSTILE, '=HYPERLINK("x")', "line\u2028end", "{{SHEET}}", "A & B <b>bold</b>", "plain", "“quoted”")
    group = word_group("Q1", cluster, (outlier_word("+1-1", 1),), "Q1.txt")
    return sample_cases([group], language, 1, 1, 1, 1)
