"""Real vectors, read once for all tests."""

from pathlib import Path

import pytest

from wikisem.evaluation.vectors.embeddings import WordVectors
from wikisem.evaluation.vectors.models import read_vectors


@pytest.fixture(scope="session")
def glove(realdata: Path) -> WordVectors:
    """The 20,000 most frequent words of GloVe 6B, in 100 dimensions."""
    return read_vectors(realdata / "vectors" / "glove-6B-100d-top20k.w2v.txt.gz")
