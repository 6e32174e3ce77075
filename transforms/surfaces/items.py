"""The files of entities, each read once for all languages, to the items of each language.

Items that have a page to look up go to bucket files by its title, all others get their fallback at once.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import apache_beam as beam
import pyarrow as pa

from wikisem.arrow.buckets import split
from wikisem.surfaces.anchors import CHOSEN_ANCHORS
from wikisem.surfaces.naming import NamedItems, name_items, sort_items
from wikisem.surfaces.one_script import label_codes_in
from wikisem.transforms.io.bucket_files import create_bucket_file, part_path
from wikisem.transforms.io.parquet import read_parquet
from wikisem.transforms.io.shuffle import Done, done
from wikisem.transforms.surfaces.files import SurfaceFiles, fallback_name
from wikisem.transforms.surfaces.tallies import SurfaceCounts, write_tallies
from wikisem.wikipedia.languages import wiki_of
from wikisem.wikipedia.variants import variant_of

# A part has so many bytes of files that what its languages leave in each bucket is worth a batch; more parts than
# this would make more files than they would speed up a run on many machines.
_PART_BYTES: Final = 1 << 22
_MOST_PARTS: Final = 256
# The key of all parts of the entities: what follows needs all of them, in every language.
ALL: Final = ""


def divide(sizes: Sequence[tuple[str, int]]) -> list[list[str]]:
    """Files with their sizes in bytes as parts of about the same size, none of them empty.

    >>> divide([("a", 5_000_000), ("b", 3_000_000), ("c", 1_000_000)])
    [['a'], ['b', 'c']]
    """
    wanted = min(len(sizes), _MOST_PARTS, max(1, sum(size for _, size in sizes) // _PART_BYTES))
    parts: list[list[str]] = [[] for _ in range(wanted)]
    filled = [0] * wanted
    for path, size in sorted(sizes, key=lambda each: (-each[1], each[0])):
        least = filled.index(min(filled))
        parts[least].append(path)
        filled[least] += size + 1
    return [sorted(part) for part in parts]


class ReadItems(beam.DoFn):
    """A numbered part of the files of entities to bucket files and finished fallbacks, for each language."""

    def __init__(self, files: SurfaceFiles, parts: int) -> None:
        self._files, self._parts = files, parts

    def process(self, numbered: tuple[int, list[str]]) -> Iterator[Done]:
        """Read the part, and name its items in one language after the other."""
        number, paths = numbered
        items: dict[str, list[pa.Table]] = {language: [] for language in self._files.finished}
        # A file at a time: what its languages want of it is small beside all that it holds.
        for path in paths:
            for language, rows in self._read(path):
                items[language].append(rows)
        found = {language: self._write(items.pop(language), language, number) for language in self._files.finished}
        write_tallies(self._files.read_tally(number), found)
        yield done(ALL, number, self._parts)

    def _read(self, path: str) -> Iterator[tuple[str, pa.Table]]:
        """The items of a file in each language."""
        items = NamedItems(read_parquet(path, ["qid", "titles", "labels"]))
        for language in self._files.finished:
            yield language, items.of(wiki_of(language), self._label_codes(language))

    def _label_codes(self, language: str) -> tuple[str, ...]:
        return label_codes_in(variant_of(self._files.options.variant, language), language)

    def _write(self, items: Sequence[pa.Table], language: str, number: int) -> SurfaceCounts:
        """Write a part, whose items come file by file: those to look up by their title, and the others named."""
        files = self._files
        if language in files.mentions:
            asking = pa.concat_tables([part.filter(part["title"].is_valid()) for part in items])
            with create_bucket_file(part_path(files.items(language), number)) as looked_up:
                looked_up.add_rows(split(asking, "title", files.buckets[language]))
            items = [part.filter(part["title"].is_null()) for part in items]
        none = CHOSEN_ANCHORS.empty_table()
        named = pa.concat_tables([name_items(part, none, none, files.options, language) for part in items])
        return files.write_part(sort_items(named), language, fallback_name(number))
