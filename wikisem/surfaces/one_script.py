"""Surface forms of a wiki with several scripts in one of them: both forms of an anchor are counted together."""

import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.buckets import add_up
from wikisem.schemas import MENTIONS
from wikisem.wikipedia.variants import convert_all, converter
from wikisem.wikis import label_codes


def write_in(variant: str, texts: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """The strings in a variant, nulls as nulls; as they are for "". One that would be empty stays.

    >>> write_in("sr-el", pa.array(["Ниш", None, "Niš"])).to_pylist()
    ['Niš', None, 'Niš']
    """
    if not variant:
        return texts
    distinct = pc.drop_null(pc.unique(texts))
    known = distinct.to_pylist()
    written = convert_all(converter(variant), known)
    converted = pa.array([new or old for new, old in zip(written, known, strict=True)], texts.type)
    return converted.take(pc.index_in(texts, value_set=distinct))


def mentions_in(variant: str, mentions: pa.Table) -> pa.Table:
    """Mentions whose anchors are in a variant; those of a page that are then equal are one.

    >>> links = pa.table([["Ниш", "Ниш"], ["Niš", "Ниш"], [2, 3]], MENTIONS)
    >>> mentions_in("sr-el", links).to_pylist()
    [{'title': 'Ниш', 'anchor': 'Niš', 'count': 5}]
    """
    anchors = write_in(variant, mentions["anchor"])
    return add_up([mentions.set_column(1, "anchor", anchors)], MENTIONS) if variant else mentions


def label_codes_in(variant: str, language: str) -> tuple[str, ...]:
    """The codes under which Wikidata may label the language, those of a variant first.

    >>> label_codes_in("sr-el", "sr")
    ('sr-el', 'sr', 'sr-ec')
    """
    return tuple(dict.fromkeys((*(label_codes(variant) if variant else ()), *label_codes(language))))
