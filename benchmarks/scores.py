"""What scores cost: OddOneOut over every pair, Topk, outlier detection, and reading vectors.

Run ``python benchmarks/scores.py`` from the root of the repository; it makes its own vectors and needs no data.
"""

import sys
import tempfile
from itertools import combinations, islice
from math import comb
from pathlib import Path

import numpy as np
from gensim.models import KeyedVectors

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.report import Call, Result, compare, table, write_section
from wikisem import evaluate
from wikisem.datasets.word_groups import WordCategory
from wikisem.evaluation.category_scores import (
    ExactCounter,
    look_up_category,
    prepare,
    score_topk,
    stands_out,
    tie_margin,
)
from wikisem.evaluation.options import DISTANCES, Distance
from wikisem.evaluation.vectors.embeddings import Vector, WordModel, WordVectors
from wikisem.evaluation.vectors.models import read_vectors
from wikisem.records import Group, Member, Outlier

WORDS, DIMENSIONS, MEMBERS, K = 100_000, 300, 50, 3
PAIRS = comb(MEMBERS, K) * WORDS
BATCHED_PAIRS, GENSIM_PAIRS, CHECKED_PAIRS = 400_000, 60_000, 2_000
READ_WORDS, READ_DIMENSIONS = 50_000, 100
GROUPS = 500
ROUNDS = 3
BATCHES, GENSIM = "mean after mean, in numpy batches", "gensim doesnt_match"


def main() -> None:
    """Measure everything and write its section of docs/benchmarks.md."""
    with tempfile.TemporaryDirectory() as folder:
        vectors, text = Path(folder) / "vectors.npy", Path(folder) / "vectors.txt"
        # In processes of their own: what this one has held at its peak would show as the peak of those it starts.
        Call(make_vectors, (vectors,)).measure()
        Call(make_text, (text,)).measure()
        odd_calls = {f"wikisem, {distance}, all pairs": Call(count_all, (vectors, distance)) for distance in DISTANCES}
        odd_calls |= {BATCHES: Call(count_batched, (vectors,)), GENSIM: Call(count_gensim, (vectors,))}
        other_calls = {
            "Topk, wikisem": Call(topk, (vectors,)),
            "Topk, gensim most_similar": Call(topk_gensim, (vectors,)),
            "outlier detection, wikisem": Call(outliers, (vectors,)),
            "read vectors, wikisem": Call(read_vectors, (text,)),
            "read vectors, gensim": Call(read_gensim, (text,)),
        }
        odd_results, others = compare(odd_calls, ROUNDS), compare(other_calls, ROUNDS)
    write_section("Scores", report(odd_results, others), ["numpy", "gensim"])


def make_vectors(path: Path) -> None:
    """Gaussian vectors; the first MEMBERS words are a category, shifted together."""
    rows = np.random.default_rng(0).normal(size=(WORDS, DIMENSIONS)).astype(np.float32)
    rows[:MEMBERS] += 1
    np.save(path, rows)


def make_text(path: Path) -> None:
    """The same kind of vectors as word2vec text."""
    rows = np.random.default_rng(1).normal(size=(READ_WORDS, READ_DIMENSIONS))
    lines = (f"w{at} {' '.join(f'{number:.5f}' for number in row)}\n" for at, row in enumerate(rows))
    with path.open("w") as out:
        out.write(f"{READ_WORDS} {READ_DIMENSIONS}\n")
        out.writelines(lines)


def count_all(path: Path, distance: Distance) -> int:
    """Every combination of K members with every word of the vocabulary."""
    rows = np.load(path, mmap_mode="r")
    counter = ExactCounter(distance, prepare(distance, rows[:MEMBERS].astype(np.float64)), K)
    blocks = (rows[start : start + 16_384].astype(np.float64) for start in range(0, WORDS, 16_384))
    return sum(counter.count(prepare(distance, block)) for block in blocks)


def count_batched(path: Path) -> int:
    """The definition itself, pair after pair, many of them to a numpy call."""
    rows = np.load(path, mmap_mode="r")
    members, total = rows[:MEMBERS].astype(np.float64), 0
    tie = tie_margin("euclidean", members)
    combination = np.asarray(list(islice(combinations(range(MEMBERS), K), 100)))
    for start in range(0, BATCHED_PAIRS // 100, 10):
        words = rows[MEMBERS + start : MEMBERS + start + 10].astype(np.float64)
        sets = np.repeat(members[combination], len(words), axis=0)
        total += int(
            stands_out("euclidean", [*sets.transpose(1, 0, 2)], np.tile(words, (len(combination), 1)), tie).sum()
        )
    return total


def count_gensim(path: Path) -> int:
    """gensim's doesnt_match, pair by pair; it has to agree with the definition of cosine-unit."""
    keyed = gensim_vectors(path)
    combination = list(islice(combinations(range(MEMBERS), K), 20))
    pairs = [(s, str(MEMBERS + at)) for s in combination for at in range(GENSIM_PAIRS // 20)]
    found = [keyed.doesnt_match([*map(str, s), word]) == word for s, word in pairs]
    checked = pairs[:CHECKED_PAIRS]
    chosen = keyed.vectors[np.asarray([s for s, _ in checked])].astype(np.float64)
    sets = [prepare("cosine-unit", member) for member in chosen.transpose(1, 0, 2)]
    words = prepare("cosine-unit", keyed.vectors[[int(word) for _, word in checked]].astype(np.float64))
    assert sum(found[:CHECKED_PAIRS]) == stands_out("cosine-unit", sets, words, 1e-12).sum()
    return sum(found)


def gensim_vectors(path: Path) -> KeyedVectors:
    """The vectors as gensim holds them, without a copy."""
    keyed = KeyedVectors(DIMENSIONS)
    keyed.vectors = np.load(path)
    keyed.index_to_key = [str(at) for at in range(WORDS)]
    keyed.key_to_index = {word: at for at, word in enumerate(keyed.index_to_key)}
    return keyed


def word_vectors(path: Path) -> WordVectors:
    """The vectors as wikisem holds them."""
    return WordVectors({str(at): at for at in range(WORDS)}, np.load(path))


def topk(path: Path) -> int:
    """Topk of the category, k = 3."""
    vocabulary = word_vectors(path)
    members = look_up_category(WordCategory("c", tuple(map(str, range(MEMBERS)))), WordModel("v", vocabulary))
    return score_topk(members, vocabulary, K).correct


def topk_gensim(path: Path) -> int:
    """The same with most_similar, word by word."""
    keyed = gensim_vectors(path)
    mine = set(map(str, range(MEMBERS)))
    return sum(near in mine for word in mine for near, _ in keyed.most_similar(word, topn=K))


def outliers(path: Path) -> float | None:
    """OPP of as many groups as a language of WikiSem500 has, eight cluster items and six outliers each."""
    names = np.random.default_rng(2).integers(0, WORDS, (GROUPS, 14)).astype(str)
    groups = [
        Group(
            id=str(n),
            cluster=tuple(Member(surface=name) for name in row[:8]),
            outliers=tuple(Outlier(surface=name) for name in row[8:]),
        )
        for n, row in enumerate(names)
    ]
    return evaluate.outliers(groups, WordModel("v", word_vectors(path))).row("opp").value


def read_gensim(path: Path) -> Vector:
    """The text file through gensim."""
    vectors: Vector = KeyedVectors.load_word2vec_format(str(path)).vectors
    return vectors


def report(odd_results: dict[str, Result], others: dict[str, Result]) -> str:
    """Tables with what the figures mean."""
    times = [[name, f"{result.cpu:.2f}", f"{result.seconds:.2f}", megabytes(result)] for name, result in others.items()]
    return f"""OddOneOut of one category: k = {K}, n = {MEMBERS}, v = {WORDS:,}, {DIMENSIONS} dimensions: {PAIRS:,}
pairs, all exact. Medians of {ROUNDS} runs; of slower ways the time is at the pace of some pairs.

{table(["OddOneOut", "CPU time for all pairs", "peak MB"], odd_rows(odd_results))}

Topk: k = {K} for the same words. Outlier detection: {GROUPS} groups. Reading: {READ_WORDS:,} words of
{READ_DIMENSIONS} dimensions.

{table(["", "CPU s", "s", "peak MB"], times)}"""


def odd_rows(results: dict[str, Result]) -> list[list[str]]:
    """A row for each way to OddOneOut."""
    looked_at = {BATCHES: BATCHED_PAIRS, GENSIM: GENSIM_PAIRS}
    rows = []
    for name, result in results.items():
        pairs = looked_at.get(name, PAIRS)
        rows.append([name, duration(result.cpu * PAIRS / pairs), megabytes(result)])
    return rows


def megabytes(result: Result) -> str:
    """Peak memory."""
    return f"{result.peak / 2**20:,.0f}"


def duration(seconds: float) -> str:
    """A time in the unit that suits it."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:,.0f} h"


if __name__ == "__main__":
    main()
