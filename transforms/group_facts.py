"""What groups need of the items themselves: labels of classes, and titles that show what list articles are called."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import apache_beam as beam
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from heuristics.list_titles import LIST_ARTICLE, common_affixes
from heuristics.stop_affixes import namespace_affixes
from transforms.files import list_files, open_binary
from transforms.group_plan import Sources
from transforms.parquet import read_batches, read_parquet, write_parquet
from wikisem.graph.edges import places_of, qid_numbers
from wikisem.languages import LanguageProfile, label_codes, wiki_of
from wikisem.mediawiki import SiteInfo
from wikisem.seeds import places

LABELS = pa.schema([("number", pa.int64()), ("language", pa.string()), ("label", pa.string())])
TITLES = pa.schema([("number", pa.int64()), ("language", pa.string()), ("title", pa.string()), ("list", pa.bool_())])

# How many items of the graph show what titles look like that are no list's.
_OTHERS = 200_000


class GatherFacts(beam.DoFn):
    """A numbered file of entities to the labels of its classes and the titles of its list articles, and of others."""

    def __init__(self, sources: Sources, languages: Sequence[str]) -> None:
        self._sources, self._languages = sources, languages

    def process(self, numbered: tuple[int, str]) -> Iterator[tuple[None, str]]:
        """Write both and say so."""
        number, path = numbered
        graph = self._sources.graph()
        classes = graph.nodes[graph.members.counts() >= self._sources.recipe.cluster.minimum]
        every = 1 + len(graph.items) // _OTHERS
        labels, titles = [LABELS.empty_table()], [TITLES.empty_table()]
        for table in read_batches(path, ["qid", "instance_of", "labels", "titles"]):
            numbers = qid_numbers(table["qid"])
            labels.append(_labels(table, numbers, places_of(numbers, classes)[1], self._languages))
            titles.append(_titles(table, numbers, every, self._languages))
        write_parquet(f"{self._sources.facts()}/labels-{number:05d}.parquet", pa.concat_tables(labels))
        write_parquet(f"{self._sources.facts()}/titles-{number:05d}.parquet", pa.concat_tables(titles))
        yield None, path


def _labels(table: pa.Table, numbers: npt.NDArray[Any], wanted: npt.NDArray[Any], languages: Sequence[str]) -> pa.Table:
    rows = []
    maps = table["labels"].filter(pa.array(wanted)).to_pylist()
    for number, pairs in zip(numbers[wanted].tolist(), maps, strict=True):
        labels = dict(pairs)
        for language in languages:
            found = next((labels[code] for code in (*label_codes(language), "mul", "en") if code in labels), None)
            if found is not None:
                rows.append({"number": number, "language": language, "label": found})
    return pa.Table.from_pylist(rows, schema=LABELS)


def _titles(table: pa.Table, numbers: npt.NDArray[Any], every: int, languages: Sequence[str]) -> pa.Table:
    lists = _instances_of(table, LIST_ARTICLE)
    # The seed is no business of this sample: it must not decide which clusters are lists.
    wanted = lists | (places(0, numbers) % np.uint64(every) == 0)
    maps = table["titles"].filter(pa.array(wanted)).to_pylist()
    rows = [
        {"number": number, "language": language, "title": title, "list": is_list}
        for number, is_list, pairs in zip(numbers[wanted].tolist(), lists[wanted].tolist(), maps, strict=True)
        for titles in [dict(pairs)]
        for language in languages
        if (title := titles.get(wiki_of(language))) is not None
    ]
    return pa.Table.from_pylist(rows, schema=TITLES)


def _instances_of(table: pa.Table, qid: str) -> npt.NDArray[np.bool_]:
    kinds = table["instance_of"].combine_chunks()
    hits = pc.list_parent_indices(kinds).filter(pc.equal(pc.list_flatten(kinds), qid))
    flags = np.zeros(table.num_rows, dtype=bool)
    flags[hits.to_numpy(zero_copy_only=False)] = True
    return flags


def read_labels(sources: Sources, language: str) -> Mapping[int, str]:
    """Class number -> label: in the language, else in ``mul``, else in English."""
    found: dict[int, str] = {}
    for path in list_files(f"{sources.facts()}/labels-*.parquet"):
        table = read_parquet(path)
        own = table.filter(pc.equal(table["language"], language))
        found.update(zip(own["number"].to_pylist(), own["label"].to_pylist(), strict=True))
    return found


def read_stop_affixes(sources: Sources, profile: LanguageProfile) -> tuple[str, ...]:
    """The stop affixes of a language beyond those of its profile: its wiki's namespaces, and words of its lists."""
    tables = [read_parquet(path) for path in list_files(f"{sources.facts()}/titles-*.parquet")]
    titles = pa.concat_tables([TITLES.empty_table(), *tables])
    own = titles.filter(pc.equal(titles["language"], profile.code))
    lists, others = (own.filter(flag)["title"].to_pylist() for flag in (own["list"], pc.invert(own["list"])))
    words = common_affixes(lists, others, profile.spaced)
    path = sources.siteinfo.get(profile.code)
    if path is None:
        return words
    with open_binary(path) as source:
        site = SiteInfo.from_json(source.read().decode())
    return (*words, *namespace_affixes([*site.namespaces.values(), *site.aliases]))
