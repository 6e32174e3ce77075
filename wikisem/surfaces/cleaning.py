"""Strings as surface forms, by rules whose cases docs/surface-forms.md has: cleaning, variants, inflected forms."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import regex

from wikisem.arrow.columns import MapLookup, qid_numbers
from wikisem.arrow.parquet import read_batches
from wikisem.class_names import LabelledClass
from wikisem.files import match
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import indices_of
from wikisem.links.markup import find_marks, locate_parts, not_composed
from wikisem.wikipedia.graphemes import graphemes
from wikisem.wikipedia.languages import script_sets
from wikisem.wikipedia.titles import composed
from wikisem.wikipedia.variants import convert_all, converter
from wikisem.wikipedia.wikitext import IGNORED, SPACES, UNSEEN
from wikisem.wikis import name_codes, own_code

# "Rīga (pilsieta)" names Rīga. CJK titles may use the full-width signs, as MediaWiki's own pipe trick allows
# (Parser::pstPass2, MediaWiki 1.43, 2026-11).
_TRAILING_PARENTHESIS: Final = r"[ \x{3000}]*[(（][^()（）]*[)）]$"
_UNSEEN: Final = f"[{UNSEEN}]"
_BLANKS: Final = f"[ {SPACES}]+"
_ODD: Final = f"[{UNSEEN}{SPACES}]|  "


def tidy(texts: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray:
    """NFC without invisible marks, each run of white space one space, ends trimmed; null if nothing visible is left.

    >>> tidy(pa.array([" a\u00a0 b\u200b", "\u200e\u200d"])).to_pylist()
    ['a b', None]
    """
    plain = []
    for chunk in texts.chunks if isinstance(texts, pa.ChunkedArray) else [texts]:
        # Only strings that need it are rewritten.
        odd = pc.fill_null(pc.match_substring_regex(chunk, _ODD), False)
        if pc.any(odd).as_py():
            seen = pc.replace_substring_regex(chunk.filter(odd), _UNSEEN, "")
            chunk = pc.replace_with_mask(chunk, odd, pc.replace_substring_regex(seen, _BLANKS, " "))
        plain.append(chunk)
    trimmed = pc.utf8_trim(compose(pa.chunked_array(plain, texts.type)), characters=" ")
    return pc.if_else(pc.equal(pc.utf8_trim(trimmed, characters=f" {IGNORED}"), ""), None, trimmed)


def first_label(labels: MapLookup, codes: Iterable[str]) -> tuple[pa.ChunkedArray, pa.ChunkedArray]:
    """Return the first label of each row that is not empty, and its code, under the codes in their order, best first.

    >>> rows = [{"de": "\u200e", "mul": "Luna"}, {"de": "Mond", "mul": "Luna"}]
    >>> labels = MapLookup(pa.array(rows, pa.map_(pa.string(), pa.string())))
    >>> label, code = first_label(labels, ["de", "mul"])
    >>> label.to_pylist(), code.to_pylist()
    (['Luna', 'Mond'], ['mul', 'de'])
    """
    columns = {code: labels.lookup(code) for code in codes}
    found = pc.coalesce(*columns.values())
    label = tidy(found)
    if label.null_count > found.null_count:  # some are empty, which is rare: they must not hide the next
        columns = {code: tidy(column) for code, column in columns.items()}
        label = pc.coalesce(*columns.values())
    first: pa.Scalar | pa.ChunkedArray = pa.scalar(None, pa.string())
    for code in reversed(columns):
        first = pc.if_else(columns[code].is_valid(), code, first)
    return label, first


def compose(texts: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray:
    """Return the strings in NFC; only those that may lack it are looked at: Wikidata and Wikipedia store NFC."""
    done = []  # without pyarrow's ``utf8_normalize``, which decomposes when asked for NFC (25.0, 2026-11)
    for chunk in texts.chunks if isinstance(texts, pa.ChunkedArray) else [texts]:
        # A slice is copied: its buffer has strings that are not in it.
        whole = chunk.take(pa.array(np.arange(len(chunk)))) if chunk.offset else chunk
        parts = locate_parts(whole)
        marks, _ = find_marks(parts)  # characters that NFC may change or compose
        is_doubtful = pa.array(not_composed(parts, marks))
        changed = [composed(text) for text in whole.filter(is_doubtful).to_pylist()]
        done.append(pc.replace_with_mask(whole, is_doubtful, pa.array(changed, texts.type)) if changed else whole)
    return pa.chunked_array(done, texts.type)


def without_parenthesis(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Titles or labels without a trailing parenthesis; a string that is only a parenthesis stays as it is.

    >>> without_parenthesis(pa.chunked_array([["Mercury (planet)", "東京（曖昧さ回避）", "(Odd)"]])).to_pylist()
    ['Mercury', '東京', '(Odd)']
    """
    plain = pc.replace_substring_regex(texts, _TRAILING_PARENTHESIS, "")
    return pc.if_else(pc.equal(plain, ""), texts, plain)


@lru_cache(maxsize=512)
def own_script(language: str) -> regex.Pattern:
    """Return the expression that matches all of a surface form if its letters, if any, are of the language's script.

    Letters that several scripts share belong to each of them. Japanese and Korean mix scripts in one word.

    >>> [own_script("ru").fullmatch(surface) is not None for surface in ("Рига", "1984", "iPhone", "Сoca")]
    [True, True, False, False]
    >>> own_script("ja").fullmatch("東京タワー").group()
    '東京タワー'
    """
    sets = ("".join(rf"\p{{scx:{name}}}" for name in scripts) for scripts in script_sets(own_code(language)))
    return regex.compile("|".join(rf"[{letters}\p{{Common}}\p{{Inherited}}\P{{L}}]*+" for letters in sets))


def write_in(variant: str, texts: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Return the strings in a variant ("": unchanged); nulls stay, and so do strings that would become empty.

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


# The stem is at least this share of a word of the title, and never has fewer letters than _SHORTEST_STEM.
_STEM_SHARE: Final = 0.6
_SHORTEST_STEM: Final = 3
# The letters that an anchor's word has after the stem: endings have up to five (German "-ische"), compounds more.
_LONGEST_ENDING: Final = 5

_WORD_BREAKS: Final = regex.compile(r"[\s\p{Pd}]+")
_DIGIT: Final = regex.compile(r"\p{N}")
# Scripts in which one more character makes another word, as 都 in 東京都 and 구 in 미테구; words have no endings there.
_NO_STEMS: Final = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}]"
)


def is_form_of(anchor: str, title: str) -> bool:
    """Whether the anchor is an inflected form, or an adjective, of a title, whose parenthesis was taken off before.

    Both must have the same number of words, and share a stem word by word; no dictionary is used. An anchor that only
    differs in case is not another form. Words with digits must be equal.

    >>> is_form_of("Второй мировой войны", "Вторая мировая война")
    True
    >>> is_form_of("presidential", "President")
    True
    >>> is_form_of("ASV", "Amerikys Saškierstuos Vaļsteibys"), is_form_of("moonlight", "Moon"), is_form_of("m", "Metre")
    (False, False, False)
    """
    if _NO_STEMS.search(title) or anchor.casefold() == title.casefold():
        return False
    words, wanted = _WORD_BREAKS.split(anchor.casefold()), _WORD_BREAKS.split(title.casefold())
    if len(words) != len(wanted):
        return False
    for anchor_word, title_word in zip(words, wanted, strict=True):
        if anchor_word == title_word:
            continue
        if _DIGIT.search(anchor_word + title_word):
            return False
        letters, title_letters = graphemes(anchor_word), graphemes(title_word)
        pairs = zip(letters, title_letters, strict=False)
        stem = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if stem < max(_SHORTEST_STEM, _STEM_SHARE * len(title_letters)):
            return False
        if len(letters) - stem > min(_LONGEST_ENDING, stem):
            return False
    return True


def labelled_classes(entities: str, graph: ClassGraph, languages: Sequence[str]) -> list[LabelledClass]:
    """Every class of the graph with its labels in some languages, by number; one with several labels is there twice."""
    found: set[LabelledClass] = set()
    all_instances, paths = graph.instances.counts(), match([f"{entities}/*.parquet"])
    for table in (table for path in paths for table in read_batches(path, ["qid", "labels"])):
        nodes, is_class = indices_of(qid_numbers(table["qid"]), graph.nodes)
        rows = np.flatnonzero(is_class)
        maps = MapLookup(table["labels"].combine_chunks().take(rows))
        numbers, instances = graph.nodes[nodes[rows]].tolist(), all_instances[nodes[rows]].tolist()
        for language in languages:
            labels = first_label(maps, name_codes(language))[0].to_pylist()
            rows_of = zip(numbers, labels, instances, strict=True)
            found.update(LabelledClass(number, label, count) for number, label, count in rows_of if label)
    return sorted(found)
