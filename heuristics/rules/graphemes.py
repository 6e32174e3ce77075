"""Characters as a reader counts them: extended grapheme clusters (Unicode Standard Annex 29), not code points."""

import re
from functools import lru_cache
from typing import Final

import regex

# These blocks have neither combining marks nor joiners, so that each code point is a grapheme cluster.
_PLAIN: Final = re.compile("[ -~\u00a0-\u02ff\u0400-\u0482\u048a-\u052f\u3041-\u3096\u30a1-\u30fe\u4e00-\u9fff]*")
_CLUSTERS: Final = regex.compile(r"\X")
_HAN: Final = regex.compile(r"\p{Script=Han}")


@lru_cache(maxsize=1024)  # several rules read both ends of the same few surfaces
def graphemes(text: str) -> tuple[str, ...]:
    """The grapheme clusters of a string, in order; joined they give the string."""
    return tuple(text) if _PLAIN.fullmatch(text) else tuple(_CLUSTERS.findall(text))


@lru_cache(maxsize=4096)
def is_han(cluster: str) -> bool:
    """Whether a grapheme cluster begins with a Han character (Unicode script property, iteration marks included)."""
    return _HAN.match(cluster) is not None
