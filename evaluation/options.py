"""What may be chosen of each score, under the names of options. It imports nothing, so that help is printed at once."""

from dataclasses import dataclass
from typing import Final, Literal

# The seed of error bars.
SEED: Final = 500
# Outlier detection: all ordered pairs of the other words, or the mean similarity of the word to the others.
Compactness = Literal["pairs", "word"]
COMPACTNESSES: Final[tuple[Compactness, ...]] = ("pairs", "word")
# What items are looked up by in place of their words.
Keys = Literal["qid", "title"]
KEYS: Final[tuple[Keys, ...]] = ("qid", "title")
# The packages that divide text into words, each for a language without spaces.
TOKENIZERS: Final = ("fugashi", "jieba")
# How a harness compares choices: by log-likelihood, or by that per character or byte.
Measure = Literal["acc", "acc_norm", "acc_bytes"]
MEASURES: Final[tuple[Measure, ...]] = ("acc", "acc_norm", "acc_bytes")
Distance = Literal["euclidean", "cosine-unit", "cosine-raw"]
DISTANCES: Final[tuple[Distance, ...]] = ("euclidean", "cosine-unit", "cosine-raw")
# V \ S, as equations 3 and 7 have it; V \ C, as the authors' code has it; the words of the other categories, not in C.
Intruders = Literal["vocabulary", "outside-category", "other-categories"]
INTRUDERS: Final[tuple[Intruders, ...]] = ("vocabulary", "outside-category", "other-categories")
Method = Literal["3cosadd", "3cosmul"]
METHODS: Final[tuple[Method, ...]] = ("3cosadd", "3cosmul")


@dataclass(frozen=True, slots=True)
class OddOneOutOptions:
    """Which OddOneOut: the size of S, at least 2, the distance, where w comes from, and all pairs or a seeded sample.

    ``sample`` is the number of pairs (S, w) drawn for each category, with replacement; 0 takes all of them. A pair with
    a word out of vocabulary is wrong, unless ``skip_oov`` leaves such words out.
    """

    k: int = 3
    distance: Distance = "euclidean"
    intruders: Intruders = "vocabulary"
    skip_oov: bool = False
    sample: int = 0
    seed: int = 500
