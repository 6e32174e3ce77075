"""What is no part of a surface form: marks that nobody sees, trailing parentheses, and letters of another script."""

from functools import lru_cache
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import regex

from wikisem.links.contents import locate_parts
from wikisem.links.normal_form import find_marks, not_composed
from wikisem.wikipedia.data.scripts import script_sets
from wikisem.wikipedia.titles import composed
from wikisem.wikis import own_code

# "Rīga (pilsieta)" names Rīga. CJK titles may use the full-width signs, as MediaWiki's own pipe trick allows
# (Parser::pstPass2, MediaWiki 1.43, 2026-11).
_TRAILING_PARENTHESIS: Final = r"[ \x{3000}]*[(（][^()（）]*[)）]$"

# Soft hyphens, and the characters of Unicode Standard Annex 9 that only direct text.
_UNSEEN: Final = r"[\x{00AD}\x{061C}\x{200E}\x{200F}\x{202A}-\x{202E}\x{2066}-\x{2069}]"


def tidy(texts: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray:
    """NFC, no unseen marks, each run of white space as one space, none at the ends; null where nothing is left."""
    seen = compose(pc.replace_substring_regex(texts, _UNSEEN, ""))
    plain = pc.replace_substring_regex(seen, r"[\s\pZ]+", " ")
    trimmed = pc.utf8_trim_whitespace(plain)
    return pc.if_else(pc.equal(trimmed, ""), None, trimmed)


def compose(texts: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray:
    """The strings in NFC. Only those that may not be are looked at: Wikidata and Wikipedia store NFC.

    pyarrow's own ``utf8_normalize`` decomposes when asked for NFC (25.0, 2026-11).
    """
    chunks = texts.chunks if isinstance(texts, pa.ChunkedArray) else [texts]
    return pa.chunked_array([_compose(chunk) for chunk in chunks], texts.type)


def _compose(texts: pa.Array) -> pa.Array:
    whole = texts.take(pa.array(np.arange(len(texts)))) if texts.offset else texts
    parts = locate_parts(whole)
    mask = pa.array(not_composed(parts, find_marks(parts)))
    changed = [composed(text) for text in whole.filter(mask).to_pylist()]
    return pc.replace_with_mask(whole, mask, pa.array(changed, texts.type)) if changed else whole


def without_parenthesis(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Titles or labels without a trailing parenthesis; one that is nothing else stays as it is.

    >>> without_parenthesis(pa.chunked_array([["Mercury (planet)", "東京（曖昧さ回避）", "(Odd)"]])).to_pylist()
    ['Mercury', '東京', '(Odd)']
    """
    plain = pc.replace_substring_regex(texts, _TRAILING_PARENTHESIS, "")
    return pc.if_else(pc.equal(plain, ""), texts, plain)


def is_in_script(surface: str, language: str) -> bool:
    """Whether all letters of a surface form are of the language's script; one without letters is.

    Letters that several scripts share are of each of them. Japanese and Korean mix scripts in one word.

    >>> [is_in_script(surface, "ru") for surface in ("Рига", "1984", "iPhone", "Сoca")]
    [True, True, False, False]
    >>> is_in_script("東京タワー", "ja")
    True
    """
    return _in_script(language).fullmatch(surface) is not None


@lru_cache(maxsize=512)
def _in_script(language: str) -> regex.Pattern:
    """Matches strings whose letters are all of one set of the language's scripts."""
    sets = ("".join(rf"\p{{scx:{name}}}" for name in scripts) for scripts in script_sets(own_code(language)))
    return regex.compile("|".join(rf"(?:[{letters}\p{{Common}}\p{{Inherited}}]|\P{{L}})*" for letters in sets))
