"""What analogies cost beside gensim: all n(n - 1) questions of n English noun-plural pairs, with 20,000 GloVe vectors.

    WIKISEM_DATA=... python -m benchmarks.analogies

Both answer the same questions, 3CosAdd over the whole vocabulary; the sections with more questions are ours alone. CPU
seconds, reading the vectors left out. Also compares the numbers of right answers.
"""

import gzip
import json
import os
import tempfile
import time
from itertools import chain
from pathlib import Path

import numpy as np
from gensim.models import KeyedVectors

from wikisem.categories.lexeme_pairs import questions
from wikisem.evaluation.analogies import Section, score_analogies
from wikisem.evaluation.options import METHODS
from wikisem.evaluation.vectors.embeddings import WordModel
from wikisem.evaluation.vectors.models import read_vectors

DATA = Path(os.environ["WIKISEM_DATA"])
VECTORS = DATA / "vectors" / "glove-6B-100d-top20k.w2v.txt.gz"
WITH_GENSIM, ALONE = 330, (660, 1320)


def main() -> None:
    """Print a row for each section and contender."""
    nouns = json.loads(gzip.decompress((DATA / "lexemes" / "scribe-en-nouns.json.gz").read_bytes()))
    lookup = WordModel("glove", read_vectors(VECTORS))
    index = lookup.words.index
    pairs = [(noun, row["plural"]) for noun, row in nouns.items() if noun in index and row["plural"] in index]
    pairs = [pair for pair in pairs if pair[0] != pair[1]]
    print("| pairs | questions | | right | CPU s | µs a question |\n|---:|---:|---|---:|---:|---:|")
    asked = list(questions(pairs[:WITH_GENSIM]))
    report(WITH_GENSIM, len(asked), "gensim, 3CosAdd", *by_gensim(asked))
    for count in (WITH_GENSIM, *ALONE):
        asked = list(questions(pairs[:count]))
        words = {word: number for number, word in enumerate(dict.fromkeys(chain.from_iterable(asked)))}
        section = Section("plural", list(words), np.array([[words[word] for word in question] for question in asked]))
        for method in METHODS if count == WITH_GENSIM else METHODS[:1]:
            start = time.process_time()
            (score,) = score_analogies([section], lookup, method)
            name = {"3cosadd": "wikisem, 3CosAdd", "3cosmul": "wikisem, 3CosMul"}[method]
            report(count, len(asked), name, score.correct, time.process_time() - start)


def by_gensim(asked: list[tuple[str, str, str, str]]) -> tuple[int, float]:
    """How many gensim has right, and its CPU seconds."""
    vectors = KeyedVectors.load_word2vec_format(str(VECTORS))
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as file:
        file.write(": plural\n" + "".join(" ".join(question) + "\n" for question in asked))
        file.flush()
        start = time.process_time()
        _, sections = vectors.evaluate_word_analogies(file.name)
        return len(sections[0]["correct"]), time.process_time() - start


def report(pairs: int, count: int, name: str, right: int, seconds: float) -> None:
    """One row."""
    print(f"| {pairs:,} | {count:,} | {name} | {right:,} | {seconds:.1f} | {1e6 * seconds / count:.1f} |", flush=True)


if __name__ == "__main__":
    main()
