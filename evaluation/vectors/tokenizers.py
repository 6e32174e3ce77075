"""Tokenizers for languages without spaces, so that word vectors are found for the words in an item.

fugashi (MeCab with the unidic-lite dictionary) for Japanese and jieba for Chinese.
"""

import importlib
import logging
from collections.abc import Callable, Mapping
from typing import Any, Final

from wikisem.errors import UsageError
from wikisem.evaluation.vectors.asked import Tokenizer, tokens_of


def _fugashi() -> Tokenizer:
    tagger: Any = importlib.import_module("fugashi").Tagger()
    return lambda text: [word.surface for word in tagger(text)]


def _jieba() -> Tokenizer:
    library: Any = importlib.import_module("jieba")
    library.setLogLevel(logging.WARNING)
    return lambda text: list(library.cut(text))


TOKENIZERS: Final[Mapping[str, Callable[[], Tokenizer]]] = {"fugashi": _fugashi, "jieba": _jieba}


def open_tokenizer(name: str) -> Tokenizer:
    """The tokenizer of a name in ``TOKENIZERS``; UsageError for another one, or where its package is not installed.

    It divides each token that `_` and blanks leave, so that it never sees these.
    """
    if name not in TOKENIZERS:
        raise UsageError(f"expected a tokenizer ({', '.join(TOKENIZERS)}), saw {name!r}")
    try:
        inner = TOKENIZERS[name]()
    except ImportError as error:
        raise UsageError(f"the tokenizer {name} needs packages: install wikisem[tokenizers]") from error

    def tokenize(text: str) -> list[str]:
        return [token for part in tokens_of(text) for token in inner(part) if token.strip()]

    return tokenize
