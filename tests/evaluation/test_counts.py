"""Sparse count vectors: weights and similarities against their definitions, both forms of file, and scores."""

import gzip
import zipfile
from itertools import permutations
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sparse
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluation.sections import section_of
from tests.word_groups import outlier_word, word_group
from wikisem.datasets.word_groups import WordCategory
from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.evaluation.analogies import AnalogySearch, score_analogies
from wikisem.evaluation.category_scores import look_up_category, score_oddoneout, score_topk
from wikisem.evaluation.options import DISTANCES, INTRUDERS, Distance, Intruders, OddOneOutOptions
from wikisem.evaluation.outlier_detection import score_models
from wikisem.evaluation.vectors import counts
from wikisem.evaluation.vectors.counts import SIMILARITIES, Counts
from wikisem.evaluation.vectors.embeddings import WordModel, WordVectors, cosine, from_words, unit
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
    assert SIMILARITIES["dice"]([a], [b]).item() == pytest.approx(2 * least / (sum(x) + sum(y)))
    assert SIMILARITIES["jaccard"]([a], [b]).item() == pytest.approx(least / sum(map(max, x, y)))
    product = sum(p * q for p, q in zip(one, other, strict=True))
    assert cosine([a], [b]).item() == pytest.approx(product / np.linalg.norm(one) / np.linalg.norm(other))
    for similarity in SIMILARITIES.values():
        matrix = similarity([a, b], [a, b])
        assert matrix == pytest.approx(matrix.T)
        assert np.diagonal(matrix) == pytest.approx(1)


TABLE = st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=2, max_size=5)


def counts_of(rows: list[list[int]]) -> Counts:
    """Counts without the words that have none."""
    kept = [row for row in rows if any(row)]
    return Counts(
        [f"w{at}" for at in range(len(kept))], sparse.csr_array(np.array(kept, dtype=np.float64).reshape(-1, 3))
    )


def weighted(table: Counts, weight: str, contexts: int = 0) -> WordVectors:
    """Counts as vectors under a weight."""
    return table.vectors(counts.WEIGHTS[weight](table), contexts)


def dunning(rows: list[list[int]], at: int, column: int) -> float:
    """The log-likelihood ratio by its definition: 2 Σ k ln(k N / (row column)) over the four cells of a table."""
    total = sum(map(sum, rows))
    row, by_context = sum(rows[at]), sum(other[column] for other in rows)
    both = rows[at][column]
    table = [
        (both, row, by_context),
        (row - both, row, total - by_context),
        (by_context - both, total - row, by_context),
        (total - row - by_context + both, total - row, total - by_context),
    ]
    return 2 * sum(cell * log(cell * total / (one * other)) for cell, one, other in table if cell)


def cell_weights(rows: list[list[int]], at: int, column: int) -> dict[str, float]:
    """The weights of a cell by their definitions; 0 where the count is."""
    if not rows[at][column]:
        return dict.fromkeys(counts.WEIGHTS, 0.0)
    by_context = sum(other[column] for other in rows)
    pmi = log(rows[at][column] * sum(map(sum, rows)) / (sum(rows[at]) * by_context))
    likelihood = dunning(rows, at, column)
    return {"raw": rows[at][column], "pmi": pmi, "ppmi": max(0.0, pmi), "loglikelihood": likelihood}


def dense(vectors: WordVectors) -> dict[str, list[float]]:
    """The rows of a small vocabulary by word."""
    return dict(zip(vectors.index, vectors.rows.toarray().tolist(), strict=True))


@given(TABLE, st.sampled_from(sorted(counts.WEIGHTS)))
def test_weights_are_those_of_the_definitions(rows: list[list[int]], weight: str) -> None:
    """Of each cell that is not zero; PPMI has nothing below zero, and a word without any weight is none."""
    kept = [row for row in rows if any(row)]
    found = dense(weighted(counts_of(rows), weight))
    for at, row in enumerate(kept):
        expected = [cell_weights(kept, at, column)[weight] for column in range(len(row))]
        assert found.get(f"w{at}", [0, 0, 0]) == pytest.approx(expected, abs=1e-9)


def test_the_log_likelihood_of_dunning_is_met() -> None:
    """A row of table 1 of Dunning (1993): "the swiss", 110 of 2,442 and 111, among 31,777 pairs of words."""
    matrix = np.array([[110.0, 2442], [111, 29114]])
    found = counts.log_likelihood(Counts(["the", "others"], sparse.csr_array(matrix)))
    assert found[0] == pytest.approx(270.72, abs=0.005)
    assert found == pytest.approx([found[0]] * 4)  # of a table of two by two all cells tell the same


@given(TABLE, st.sampled_from(sorted(counts.WEIGHTS)), st.integers(1, 3))
def test_each_word_keeps_its_most_relevant_contexts(rows: list[list[int]], weight: str, contexts: int) -> None:
    """The R cells of a row with the highest log-likelihood, then the higher counts, then the first; others are gone."""
    kept = [row for row in rows if any(row)]
    found = dense(weighted(counts_of(rows), weight, contexts))
    for at, row in enumerate(kept):
        places = [column for column, count in enumerate(row) if count]
        likelihoods = {column: round(dunning(kept, at, column), 9) for column in places}
        best = sorted(places, key=lambda column: (-likelihoods[column], -row[column], column))[:contexts]
        weights = [cell_weights(kept, at, column)[weight] if column in best else 0 for column in range(3)]
        assert found.get(f"w{at}", [0, 0, 0]) == pytest.approx(weights, abs=1e-9)


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


@pytest.mark.parametrize("weight", sorted(counts.WEIGHTS))
@pytest.mark.parametrize("similarity", ["cosine", "dice", "jaccard"])
def test_both_forms_give_the_same_scores(files: Path, weight: str, similarity: str) -> None:
    """The car is the outlier of cat, dog and lion under every weight and similarity but one that counts raw cells."""
    options = f"?weight={weight}&similarity={similarity}"
    groups = [word_group("Q1", ("Cat", "dog", "lion", "puma"), (outlier_word("car"), outlier_word("lorry")), "")]
    scores = [
        score_models(groups, [open_model(f"counts:{files / name}{options}")])[0][0]
        for name in ("counts.tsv.gz", "matrix.npz")
    ]
    first, second = ([case.position for case in score.scores[0].cases] for score in scores)
    assert first == second
    assert len(first) == 1
    assert scores[0].scores[0].oov_cluster == 0.25
    assert scores[0].notes == (
        f"count vectors of 5 contexts: {weight}, {similarity}",
        "text lowercased: no word of the vocabulary starts with a capital",
    )
    if weight == "ppmi":
        assert first == [1.0]


def test_items_of_several_words_are_means(files: Path) -> None:
    """The mean of raw rows of the words that are known; an item of none is out of vocabulary."""
    model = open_model(f"counts:{files / 'matrix.npz'}?weight=raw")
    found = model.find(["cat dog", "cat_puma", "puma"])
    assert found["cat dog"].toarray().tolist() == [[4, 5, 4.5, 0, 0]]
    assert found["cat_puma"].toarray().tolist() == [[8, 4, 0, 0, 0]]
    assert set(found) == {"cat dog", "cat_puma"}


@given(st.permutations(TRIPLES), st.integers(1, 2))
def test_the_order_of_lines_means_nothing(lines: list[tuple[str, str, int]], contexts: int) -> None:
    """Not even for which of two contexts that are as relevant is left out."""
    by_order = []
    for triples in (TRIPLES, lines):
        with TemporaryDirectory() as folder:
            path = Path(folder, "c.tsv")
            path.write_text("".join(f"{word}\t{context}\t{count}\n" for word, context, count in triples))
            by_order.append(dense(weighted(counts.read_counts(path), "raw", contexts)))
    assert by_order[0] == by_order[1]


def lookups_of(rows: list[list[int]], similarity: str = "cosine") -> tuple[WordModel, WordModel]:
    """Counts as they are, and the same as dense vectors."""
    vectors = weighted(counts_of(rows), "raw")
    same = from_words(list(vectors.index), vectors.rows.toarray().astype(np.float32))
    return WordModel("sparse", vectors, similarity=counts.SIMILARITIES[similarity]), WordModel("dense", same)


WORDS = [f"w{at}" for at in range(6)]
ROWS = st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any), min_size=5, max_size=6)


@given(ROWS, st.integers(1, 3))
def test_topk_of_counts_is_that_of_the_same_vectors(rows: list[list[int]], k: int) -> None:
    """Members of one word, of two, and unknown ones."""
    category = WordCategory("c", ("w0", "w1 w2", "w3", "missing"))
    scores = [score_topk(look_up_category(category, one), one.words, k) for one in lookups_of(rows)]
    assert scores[0] == scores[1]


@given(ROWS, st.sampled_from(["dice", "jaccard"]))
def test_topk_goes_by_the_similarity_of_the_model(rows: list[list[int]], similarity: str) -> None:
    """A member is right if none but members are as near to it as its nearest member."""
    model, _ = lookups_of(rows, similarity)
    members = look_up_category(WordCategory("c", ("w0", "w1")), model)
    near = model.similarity(model.words.rows, model.words.rows)
    right = sum(near[one, other] > near[one, 2:].max() + 1e-12 for one, other in [(0, 1), (1, 0)])
    assert score_topk(members, model.words, 1, similarity=model.similarity).correct == right


@pytest.mark.parametrize("distance", DISTANCES)
@given(ROWS, st.sampled_from(INTRUDERS), st.sampled_from([0, 40]))
def test_oddoneout_of_counts_is_that_of_the_same_vectors(
    distance: Distance, rows: list[list[int]], intruders: Intruders, sample: int
) -> None:
    """Every variant, all pairs and a sample."""
    categories = [WordCategory("c", ("w0", "w1 w2", "w3", "missing")), WordCategory("d", ("w4", "w1"))]
    variant = OddOneOutOptions(2, distance, intruders, sample=sample)
    scores = [
        list(score_oddoneout([look_up_category(one, model) for one in categories], model.words, variant))
        for model in lookups_of(rows)
    ]
    assert scores[0] == scores[1]
    assert scores[0][0].comparisons


@given(ROWS)
def test_3cosadd_of_counts_is_that_of_the_same_vectors(rows: list[list[int]]) -> None:
    """All questions of the first words."""
    asked = section_of(
        "all", [(a, b, c, d) for a in WORDS[:3] for b in WORDS[:4] for c in WORDS[:5] for d in WORDS[:5]]
    )
    scores = [list(score_analogies([asked], one)) for one in lookups_of(rows)]
    assert scores[0] == scores[1]


@given(ROWS)
def test_3cosmul_takes_cosines_of_counts_as_they_are(rows: list[list[int]]) -> None:
    """They are never below zero, so that nothing moves them (Levy and Goldberg 2014, section 3)."""
    vectors = unit(lookups_of(rows)[0].words.rows)
    cosines = cosine(vectors, vectors)
    asked = np.array(list(permutations(range(len(cosines)), 4)))
    found = AnalogySearch(vectors, "3cosmul").right(asked)
    for (a, b, c, d), right in zip(asked.tolist(), found.tolist(), strict=True):
        sums = cosines[:, b] * cosines[:, c] / (cosines[:, a] + 0.001)
        others = [x for x in range(len(cosines)) if x not in (a, b, c, d)]
        assert right == all(sums[d] > sums[x] + 1e-12 for x in others)


def test_what_is_defined_by_cosines_refuses_others(files: Path) -> None:
    """Analogies; OddOneOut has distances of its own. The message names the model."""
    model = open_model(f"counts:{files / 'matrix.npz'}?similarity=dice")
    with pytest.raises(UsageError, match=r"dice: expected the cosine, for analogies are sums of cosines, saw another"):
        list(score_analogies([section_of("one", [("a", "b", "c", "d")])], model))


@pytest.mark.parametrize("contexts", ["0", "-1", "some"])
def test_contexts_are_a_number(files: Path, contexts: str) -> None:
    """From 1 up."""
    with pytest.raises(UsageError, match=f"expected contexts to be a whole number from 1 up, saw '{contexts}'"):
        open_model(f"counts:{files / 'matrix.npz'}?contexts={contexts}")


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
    assert counts.read_counts(path).words == ["a\u2028b", "c"]


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
    path.write_bytes(b"no matrix")
    with pytest.raises(DamagedInputError, match="expected a sparse matrix of SciPy"):
        open_model(f"counts:{path}")
    path.with_suffix(".words").write_bytes(b"a\n\xff\n")
    with pytest.raises(DamagedInputError, match=r"m\.words:2: expected UTF-8"):
        open_model(f"counts:{path}")


BIG = 1_000_000_000
CORRUPT = {  # arrays of a file that would be written or read outside of memory, or ask for all of it
    "rows that begin outside": {"format": "csr", "indptr": [0, 2 * BIG, -5, 3]},
    "rows that go back": {"format": "csr", "indptr": [0, 3, 1, 3]},
    "a column outside": {"format": "csr", "indices": [0, BIG, 2]},
    "a column below zero": {"format": "csr", "indices": [0, -BIG, 2]},
    "a row outside": {"format": "csc", "indices": [0, BIG, -2]},
    "a block outside": {"format": "bsr", "indices": [0, BIG, -2], "data": [[[1.0]], [[1.0]], [[1.0]]]},
    "text for numbers": {"format": "csr", "data": ["a", "b", "c"]},
    "complex numbers": {"format": "csr", "data": [1j, 2j, 3j]},
    "no shape": {"format": "csr", "shape": [3]},
    "a shape below zero": {"format": "csr", "shape": [-3, 3]},
    "columns for petabytes": {"format": "csc", "shape": [3, 1 << 50]},
    "a format that is none": {"format": "abc"},
}


@pytest.mark.parametrize("change", CORRUPT.values(), ids=CORRUPT)
def test_a_matrix_whose_arrays_lie_is_named(tmp_path: Path, change: dict[str, Any]) -> None:
    """Before any of them is followed: compiled code that trusts them reads and writes where nothing of ours is."""
    arrays = {"shape": [3, 3], "data": [1.0, 1.0, 1.0], "indices": [0, 1, 2], "indptr": [0, 1, 2, 3], **change}
    arrays["format"] = change["format"].encode()
    with zipfile.ZipFile(tmp_path / "m.npz", "w") as file:
        for name, values in arrays.items():
            with file.open(f"{name}.npy", "w") as sink:
                np.save(sink, np.array(values))
    (tmp_path / "m.words").write_text("a\nb\nc\n")
    with pytest.raises(DamagedInputError, match=r"m\.npz: expected .*, saw"):
        open_model(f"counts:{tmp_path / 'm.npz'}")


def test_contexts_without_counts_take_no_memory(tmp_path: Path) -> None:
    """A matrix may be wider than any array: only the columns that have counts are held."""
    matrix = sparse.csr_array((np.ones(2), np.array([5, 1 << 50]), np.array([0, 1, 2])), shape=(2, 1 << 51))
    sparse.save_npz(tmp_path / "m.npz", matrix)
    (tmp_path / "m.words").write_text("a\nb\n")
    model = open_model(f"counts:{tmp_path / 'm.npz'}?weight=pmi")
    assert model.notes[0] == "count vectors of 2 contexts: pmi, cosine"
    assert set(model.find(["a", "b"])) == {"a", "b"}


def test_an_array_of_which_the_header_alone_is_there_is_named(tmp_path: Path) -> None:
    """A header that asks for 373 GiB in a file of 600 bytes."""
    header = np.lib.format.header_data_from_array_1_0(np.zeros(3)) | {"shape": (50_000_000_000,)}
    with zipfile.ZipFile(tmp_path / "m.npz", "w") as file:
        for name in ("format", "shape", "data", "indices", "indptr"):
            with file.open(f"{name}.npy", "w") as sink:
                if name == "data":
                    np.lib.format.write_array_header_1_0(sink, header)
                else:
                    np.save(sink, np.array(b"csr") if name == "format" else np.array([3, 3]))
    (tmp_path / "m.words").write_text("a\nb\nc\n")
    with pytest.raises(DamagedInputError, match=r"m\.npz: expected .*, saw"):
        open_model(f"counts:{tmp_path / 'm.npz'}")


def test_a_line_without_end_is_named(tmp_path: Path) -> None:
    """Text that goes on and on is not gathered up to its end."""
    (tmp_path / "c.gz").write_bytes(gzip.compress(b"a\tb\t1\n" + b"a" * (1 << 20)))
    with pytest.raises(
        DamagedInputError, match=r"c\.gz:2: expected a line of at most 1,048,576 bytes, saw a longer one"
    ):
        open_model(f"counts:{tmp_path / 'c.gz'}")
