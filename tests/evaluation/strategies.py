"""Vectors for property tests."""

from hypothesis import strategies as st


def any_vector(dimensions: int) -> st.SearchStrategy[list[float]]:
    """Lists of few numbers, in which ties, equal, opposite and zero vectors are common, or of almost any.

    All are multiples of 1/64: what is no tie then differs by far more than the tolerance of any score.
    """
    few = st.sampled_from([-1.0, 0.0, 1.0, 2.0])
    many = st.integers(-64, 64).map(lambda number: number / 64)
    return st.lists(few, min_size=dimensions, max_size=dimensions) | st.lists(
        many, min_size=dimensions, max_size=dimensions
    )
