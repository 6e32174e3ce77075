"""The scripts in which languages are written, by the code of their Wikipedia; every other language is in Latin letters.

Sources, read 2026-11: the list of Wikipedias (https://meta.wikimedia.org/wiki/List_of_Wikipedias, column "script") and
CLDR's likely subtags (https://github.com/unicode-org/cldr-json, ``likelySubtags``) for those that it leaves open.
"""

from collections.abc import Mapping
from typing import Final

# Script sets as ISO 15924 codes, joined by "+" where one word mixes them, and by "|" where a wiki uses either.
_CODES: Final[Mapping[str, str]] = {
    "Cyrl": "ab ady alt av ba be be-tarask bg bxr ce cu cv inh kbd koi krc kv ky lbe lez mdf mhr mk mn mrj myv os "
    "rsk ru rue sah tg tyv udm uk xal",
    "Cyrl|Latn": "crh isv kk sh sr tt uz",
    "Arab": "aeb aeb-arab ar ary arz azb bgn ckb fa glk lrc mzn pnb ps sd skr ug ur",
    "Arab|Deva": "ks",
    "Hebr": "he yi",
    "Armn": "hy hyw",
    "Geor": "ka xmf",
    "Grek": "el pnt",
    "Deva": "anp awa bh bho dty hi mag mai mr ne new pi rwr sa",
    "Deva|Latn": "gom",
    "Beng": "as bn bpy",
    "Beng|Mtei": "mni",
    "Guru": "pa",
    "Gujr": "gu",
    "Orya": "or",
    "Taml": "ta",
    "Telu": "te",
    "Knda": "kn tcy",
    "Mlym": "ml",
    "Sinh": "si",
    "Thai": "th",
    "Laoo": "lo",
    "Khmr": "km",
    "Mymr": "blk mnw my rki shn",
    "Tibt": "bo dz",
    "Tale": "tdd",
    "Beng|Sylo": "syl",
    "Yiii": "ii",
    "Hani": "gan wuu zh zh-classical zh-yue",
    "Hani|Latn": "cdo hak za",
    "Hira+Kana+Hani": "ja",
    "Hang+Hani": "ko",
    "Ethi": "am ti tig",
    "Cher": "chr",
    "Cans": "iu",
    "Cans|Latn": "cr",
    "Thaa": "dv",
    "Nkoo": "nqo",
    "Olck": "sat",
    "Goth": "got",
    "Syrc": "arc",
    "Tfng|Latn": "shi",
    "Tfng": "zgh",
}
SCRIPTS: Final[Mapping[str, str]] = {code: sets for sets, codes in _CODES.items() for code in codes.split()}


def script_sets(code: str) -> tuple[tuple[str, ...], ...]:
    """The sets of scripts whose letters one word of a language may mix; most languages have one set of one script.

    >>> script_sets("ja"), script_sets("sr"), script_sets("de")
    ((('Hira', 'Kana', 'Hani'),), (('Cyrl',), ('Latn',)), (('Latn',),))
    """
    return tuple(tuple(scripts.split("+")) for scripts in SCRIPTS.get(code, "Latn").split("|"))
