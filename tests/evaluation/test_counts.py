"""Sparse count vectors: weights and similarities against their definitions, both forms of file, and scores."""

import doctest
import gzip
from math import log
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given
from hypothesis import strategies as st

from wikisem.datasets.word_categories import WordCategory
from wikisem.datasets.word_groups import OutlierWord, WordGroup
from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.evaluation.category_words import look_up_category
from wikisem.evaluation.outlier_detection import score_models
from wikisem.evaluation.vectors import counts
from wikisem.evaluation.vectors.counts import cosine, dice, jaccard, pmi, ppmi
from wikisem.evaluation.vectors.models import open_model

ROW = st.lists(st.integers(-3, 3), min_size=4, max_size=4).filter(any)
TRIPLES = [
    ("cat", "purr", 8),
    ("cat", "pet", 4),
    ("dog", "pet", 6),
    ("dog", "bark", 9),
    ("lion", "purr", 2),
    ("lion", "wild", 5),
    ("car", "drive", 7),
    ("car", "pet", 1),
]


def split(row: list[int]) -> list[int]:
    """Positive weights, then negative ones without their sign."""
    return [max(0, x) for x in row] + [max(0, -x) for x in row]


@given(ROW, ROW)
def test_similarities_are_those_of_the_definitions(one: list[int], other: list[int]) -> None:
    """Cosine, Dice and Jaccard of dense vectors, signs apart; symmetric, 1 of a row with itself."""
    a, b = (sparse.csr_array(np.array([row], dtype=np.float64)) for row in (one, other))
    x, y = split(one), split(other)
    least = sum(map(min, x, y))
    assert dice([a], [b]).item() == pytest.approx(2 * least / (sum(x) + sum(y)))
    assert jaccard([a], [b]).item() == pytest.approx(least / sum(map(max, x, y)))
    product = sum(p * q for p, q in zip(one, other, strict=True))
    assert cosine([a], [b]).item() == pytest.approx(product / np.linalg.norm(one) / np.linalg.norm(other))
    for similarity in (cosine, dice, jaccard):
        matrix = similarity([a, b], [a, b])
        assert matrix == pytest.approx(matrix.T)
        assert np.diagonal(matrix) == pytest.approx(1)


@given(st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=2, max_size=5))
def test_weights_are_those_of_the_definitions(rows: list[list[int]]) -> None:
    """PMI of each cell that is not zero, and PPMI, which has no others and nothing below zero."""
    matrix = sparse.csr_array(np.array(rows, dtype=np.float64))
    total = sum(map(sum, rows))
    seen, positive = pmi(matrix).toarray(), ppmi(matrix).toarray()
    for at, row in enumerate(rows):
        for column, count in enumerate(row):
            by_context = sum(other[column] for other in rows)
            expected = log(count * total / (sum(row) * by_context)) if count else 0.0
            assert seen[at, column] == pytest.approx(expected, abs=1e-12)
            assert positive[at, column] == pytest.approx(max(expected, 0.0), abs=1e-12)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """One set of counts in both forms, the text compressed."""
    text = "".join(f"{word}\t{context}\t{count}\n" for word, context, count in TRIPLES)
    (tmp_path / "counts.tsv.gz").write_bytes(gzip.compress(text.encode()))
    words, contexts = (list(dict.fromkeys(names)) for names in list(zip(*TRIPLES, strict=True))[:2])
    matrix = np.zeros((len(words), len(contexts)))
    for word, context, count in TRIPLES:
        matrix[words.index(word), contexts.index(context)] = count
    sparse.save_npz(tmp_path / "matrix.npz", sparse.csr_matrix(matrix))
    (tmp_path / "matrix.words").write_text("\n".join(words) + "\n")
    return tmp_path


@pytest.mark.parametrize("weight", ["raw", "pmi", "ppmi"])
@pytest.mark.parametrize("similarity", ["cosine", "dice", "jaccard"])
def test_both_forms_give_the_same_scores(files: Path, weight: str, similarity: str) -> None:
    """The car is the outlier of cat, dog and lion under every weight and similarity but one that counts raw cells."""
    options = f"?weight={weight}&similarity={similarity}"
    groups = [WordGroup("Q1", ("Cat", "dog", "lion", "puma"), (OutlierWord("car"), OutlierWord("lorry")), "")]
    scores = [
        score_models(groups, [open_model(f"counts:{files / name}{options}")])[0][0]
        for name in ("counts.tsv.gz", "matrix.npz")
    ]
    first, second = ([case.position for case in score.groups[0].cases] for score in scores)
    assert first == second
    assert len(first) == 1
    assert scores[0].groups[0].oov_cluster == 0.25
    assert scores[0].notes == (
        f"count vectors of 5 contexts: {weight}, {similarity}",
        "text lowercased: no word of the vocabulary starts with a capital",
    )
    if weight == "ppmi":
        assert first == [1.0]


def test_items_of_several_words_are_means(files: Path) -> None:
    """The mean of raw rows of the words that are known; an item of none is out of vocabulary."""
    lookup = open_model(f"counts:{files / 'matrix.npz'}?weight=raw")
    found = lookup.find(["cat dog", "cat_puma", "puma"])
    assert found["cat dog"].toarray().tolist() == [[4, 5, 4.5, 0, 0]]
    assert found["cat_puma"].toarray().tolist() == [[8, 4, 0, 0, 0]]
    assert set(found) == {"cat dog", "cat_puma"}


def test_categories_refuse_count_vectors(files: Path) -> None:
    """Topk and OddOneOut take dense vectors, and say so."""
    with pytest.raises(UsageError, match="outlier detection only"):
        look_up_category(WordCategory("c", ("cat", "dog")), open_model(f"counts:{files / 'matrix.npz'}"))


@pytest.mark.parametrize("line", ["a\tb", "a\tb\tmany", "a\tb\t-1", "a b 1", "a\tb\t1\t2"])
def test_damaged_lines_are_named(tmp_path: Path, line: str) -> None:
    """With the number of the line in the middle that is no triple."""
    (tmp_path / "c.tsv").write_text(f"a\tb\t1\n{line}\na\tc\t1\n")
    with pytest.raises(DamagedInputError, match=r"c\.tsv:2: expected word, context and count"):
        open_model(f"counts:{tmp_path / 'c.tsv'}")


def test_a_file_without_counts_is_named(tmp_path: Path) -> None:
    """An empty one, and one whose compression is broken."""
    (tmp_path / "c.tsv").write_bytes(b"")
    with pytest.raises(DamagedInputError, match=r"c\.tsv: expected lines of word, context and count, saw none"):
        open_model(f"counts:{tmp_path / 'c.tsv'}")
    (tmp_path / "c.gz").write_bytes(b"\x1f\x8b\x08\x00" + b"a" * 20)
    with pytest.raises(DamagedInputError, match=r"c\.gz: expected whole counts, saw"):
        open_model(f"counts:{tmp_path / 'c.gz'}")


def test_a_word_may_hold_what_other_programs_take_for_the_end_of_a_line(tmp_path: Path) -> None:
    """U+2028 is a character like others: the words of rows are one a line, as \\n divides them."""
    path = tmp_path / "m.npz"
    sparse.save_npz(path, sparse.csr_matrix(np.eye(2)))
    path.with_suffix(".words").write_text("a\u2028b\r\nc\n", newline="")
    words, _ = counts.read_counts(path)
    assert words == ["a\u2028b", "c"]


def test_damaged_matrices_are_named(tmp_path: Path) -> None:
    """No file, no words, too few of them, no matrix, and counts below zero."""
    path = tmp_path / "m.npz"
    with pytest.raises(MissingInputError, match="expected a file of counts"):
        open_model(f"counts:{path}")
    sparse.save_npz(path, sparse.csr_matrix(np.array([[1.0], [-1.0]])))
    with pytest.raises(MissingInputError, match=r"in m\.words beside it"):
        open_model(f"counts:{path}")
    path.with_suffix(".words").write_text("a\n")
    with pytest.raises(DamagedInputError, match="expected 2 words, one for each row, saw 1"):
        open_model(f"counts:{path}")
    path.with_suffix(".words").write_text("a\nb\n")
    with pytest.raises(DamagedInputError, match="saw a number below zero"):
        open_model(f"counts:{path}")
    path.with_suffix(".words").write_bytes(b"a\n\xff\n")
    with pytest.raises(DamagedInputError, match=r"m\.words:2: expected UTF-8"):
        open_model(f"counts:{path}")
    path.write_bytes(b"no matrix")
    with pytest.raises(DamagedInputError, match="expected a sparse matrix of SciPy"):
        open_model(f"counts:{path}")


def test_examples() -> None:
    """The worked example of the module holds."""
    assert doctest.testmod(counts).failed == 0
