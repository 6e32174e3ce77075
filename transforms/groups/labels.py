"""What groups need of the items themselves: labels of classes, and titles that show what list articles are called."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import apache_beam as beam
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.graph.edges import places_of, qid_numbers
from wikisem.graph.types import Flags, Index, Ints
from wikisem.heuristics.rules.list_titles import LIST_ARTICLE, common_affixes
from wikisem.sampling import places
from wikisem.transforms.groups.plan import Sources
from wikisem.transforms.io.files import list_files, open_binary
from wikisem.transforms.io.parquet import read_batches, read_parquet, read_row_groups, write_parquet
from wikisem.wikipedia.languages import LanguageProfile, label_codes, language_profile, wiki_of
from wikisem.wikipedia.siteinfo import SiteInfo

LABELS = pa.schema([("number", pa.int64()), ("language", pa.string()), ("label", pa.string())])
TITLES = pa.schema([("number", pa.int64()), ("language", pa.string()), ("title", pa.string()), ("list", pa.bool_())])

# How many items of the graph show what titles look like that are no list's.
_OTHERS = 200_000


class GatherFacts(beam.DoFn):
    """A numbered file of entities to the labels of its classes and the titles of its list articles, and of others."""

    def __init__(self, sources: Sources, languages: Sequence[str]) -> None:
        self._sources, self._languages = sources, languages
        self._found: tuple[Ints, int] | None = None

    def process(self, numbered: tuple[int, str]) -> Iterator[tuple[None, str]]:
        """Write both and say so."""
        number, path = numbered
        classes, every = self._wanted()
        numbers, lists = _items(path)
        named = places_of(numbers, classes)[1]
        # The seed is no business of this sample: it must not decide which clusters are lists.
        shown = lists | (places(0, numbers) % np.uint64(every) == 0)
        labels, titles = [LABELS.empty_table()], [TITLES.empty_table()]
        for rows, maps in _maps(path, "labels", named):
            labels.extend(_labels(numbers[rows], maps, language) for language in self._languages)
        for rows, maps in _maps(path, "titles", shown):
            titles.extend(_titles(numbers[rows], lists[rows], maps, language) for language in self._languages)
        write_parquet(f"{self._sources.facts()}/labels-{number:05d}.parquet", pa.concat_tables(labels))
        write_parquet(f"{self._sources.facts()}/titles-{number:05d}.parquet", pa.concat_tables(titles))
        yield None, path

    def _wanted(self) -> tuple[Ints, int]:
        """The numbers of the classes that may be candidates, and one in how many titles is shown."""
        if self._found is None:
            graph = self._sources.graph()
            classes = graph.nodes[graph.members.counts() >= self._sources.recipe.cluster.minimum]
            self._found = classes, 1 + len(graph.items) // _OTHERS
        return self._found


def _items(path: str) -> tuple[Index, Flags]:
    """The numbers of all items of a file, and which of them are list articles."""
    numbers, lists = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=bool)]
    for table in read_row_groups(path, ["qid", "instance_of"], ["instance_of.list.element"]):
        numbers.append(qid_numbers(table["qid"]))
        lists.append(_instances_of(table["instance_of"].combine_chunks(), LIST_ARTICLE))
    return np.concatenate(numbers), np.concatenate(lists)


def _instances_of(kinds: pa.ListArray, qid: str) -> Flags:
    flags = np.zeros(len(kinds), dtype=bool)
    flat = kinds.flatten()
    codes = pc.indices_nonzero(pc.equal(flat.dictionary, qid))
    if len(codes):
        flags[pc.list_parent_indices(kinds).filter(pc.equal(flat.indices, codes[0])).to_numpy()] = True
    return flags


def _maps(path: str, column: str, wanted: Flags) -> Iterator[tuple[Index, pa.MapArray]]:
    """The wanted rows of a column of maps, some at a time; a file without any is not read."""
    begin = 0
    for table in read_batches(path, [column]) if wanted.any() else ():
        rows = begin + np.flatnonzero(wanted[begin : begin + table.num_rows])
        yield rows, table[column].combine_chunks().take(pa.array(rows - begin))
        begin += table.num_rows


def _best(maps: pa.MapArray, keys: Sequence[str]) -> tuple[Index, pa.Array]:
    """The rows whose map has one of the keys, and the value under the first of these keys that it has."""
    offsets = maps.offsets.to_numpy()
    rows = np.repeat(np.arange(len(maps)), np.diff(offsets))
    ranks = pc.index_in(maps.keys, pa.array(list(dict.fromkeys(keys)))).fill_null(len(keys)).to_numpy()
    entries = np.flatnonzero(ranks < len(keys))
    order = entries[np.lexsort((ranks[entries], rows[entries]))]
    first = np.ones(len(order), dtype=bool)
    np.not_equal(rows[order[1:]], rows[order[:-1]], out=first[1:])
    return rows[order[first]], maps.items.take(pa.array(order[first]))


def _labels(numbers: Index, maps: pa.MapArray, language: str) -> pa.Table:
    rows, labels = _best(maps, (*label_codes(language), "mul", "en"))
    return _table([numbers[rows], labels], language, LABELS)


def _titles(numbers: Index, lists: Flags, maps: pa.MapArray, language: str) -> pa.Table:
    rows, titles = _best(maps, [wiki_of(language)])
    return _table([numbers[rows], titles, lists[rows]], language, TITLES)


def _table(columns: Sequence[Any], language: str, schema: pa.Schema) -> pa.Table:
    number, text, *more = columns
    return pa.table([number, pa.repeat(language, len(number)), text, *more], schema=schema)


def read_labels(sources: Sources, language: str) -> Mapping[int, str]:
    """Class number -> label: in the language, else in ``mul``, else in English."""
    found: dict[int, str] = {}
    for path in list_files(f"{sources.facts()}/labels-*.parquet"):
        table = read_parquet(path)
        own = table.filter(pc.equal(table["language"], language))
        found.update(zip(own["number"].to_pylist(), own["label"].to_pylist(), strict=True))
    return found


def read_profile(sources: Sources, language: str, sample: Iterable[str]) -> LanguageProfile:
    """The profile of a language, with the namespaces of its wiki and the words of its list articles as stop affixes."""
    profile = language_profile(language, site=_read_site(sources, language), sample=sample)
    tables = [read_parquet(path) for path in list_files(f"{sources.facts()}/titles-*.parquet")]
    titles = pa.concat_tables([TITLES.empty_table(), *tables])
    own = titles.filter(pc.equal(titles["language"], language))
    lists, others = (own.filter(flag)["title"].to_pylist() for flag in (own["list"], pc.invert(own["list"])))
    words = common_affixes(lists, others, profile.spaced)
    return replace(profile, stop_affixes=(*profile.stop_affixes, *words))


def _read_site(sources: Sources, language: str) -> SiteInfo | None:
    path = sources.siteinfo.get(language)
    if path is None:
        return None
    with open_binary(path) as source:
        return SiteInfo.from_json(source.read().decode())
