"""Sections of analogy questions that are given as words."""

from collections.abc import Sequence

import numpy as np

from wikisem.evaluation.analogies import Section


def section_of(name: str, questions: Sequence[tuple[str, str, str, str]]) -> Section:
    """The section with these questions, each word of which is kept once."""
    numbers: dict[str, int] = {}
    rows = [[numbers.setdefault(word, len(numbers)) for word in question] for question in questions]
    return Section(name, list(numbers), np.array(rows, dtype=np.int32).reshape(-1, 4))
