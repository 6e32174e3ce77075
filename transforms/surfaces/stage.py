"""Stage 3: the surface form of each item in each language, from the anchor dictionary or the recipe's fallback."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import apache_beam as beam
import orjson
import pyarrow as pa

from wikisem.arrow.buckets import split
from wikisem.arrow.parquet import bucket_name, count_buckets, read_parquet
from wikisem.files import match, replace_file, sizes_below
from wikisem.layout import SURFACES as STAGE
from wikisem.layout import summary_path
from wikisem.recipes.options import SurfaceOptions
from wikisem.surfaces.link_counts import CHOSEN_ANCHORS
from wikisem.surfaces.naming import NamedItems, name_items, sort_items
from wikisem.transforms.io.counts import require_files
from wikisem.transforms.io.runtime import StageContext, label_of
from wikisem.transforms.io.shuffle import Done, Sent, done
from wikisem.transforms.surfaces.pages import (
    ALL_PARTS,
    Dictionary,
    PagesContext,
    SurfaceCounts,
    bucket_counts,
    fallback_name,
    part_counts,
    resolve_pages,
    sum_surface_counts,
    write_part,
    write_surface_counts,
)
from wikisem.wikipedia.variants import variant_of

# Of the rules by which this stage works and of the form of its files: raise it with any change to what it leaves.
VERSION: Final = 3
# A part has so many bytes of files that what its languages leave in each bucket is worth a batch; more parts than
# this would make more files than they would speed up a run on many machines.
_PART_BYTES: Final = 1 << 22
_MOST_PARTS: Final = 256


def resolve_surfaces(
    entities: str,
    mentions: Mapping[str, str],
    options: SurfaceOptions,
    folders: Mapping[str, str],
    context: StageContext,
) -> dict[str, SurfaceCounts]:
    """Find the surface forms of the items that have a page or a label in each language.

    They are written to the folder of the language, into ``*.parquet`` of schemas.SURFACES.

    ``mentions`` has the folders of ``count_mentions``; a language without one only has the fallback. Items named by
    their page are in the page's bucket, all others in parts of the entities, both by QID. Counts are items; left out
    are those that neither a link nor the fallback names (``no-name``, or the rule that refused), and those without a
    page if labels are not used (``no-page``). ``summary.json`` beside the rows has the other counts. Raises
    MissingInputError.
    """
    parts = item_parts(entities)
    dictionaries = {code: Dictionary(folder, count_buckets(folder)) for code, folder in sorted(mentions.items())}
    scratch, written = context.scratch, dict(sorted(folders.items()))
    pages = PagesContext(scratch, context.shuffle, dictionaries, written, options, len(parts))

    def construct(pipeline: beam.Pipeline) -> None:
        read = (
            pipeline
            | "entities" >> beam.Create(list(enumerate(parts)))
            | "read items" >> beam.FlatMap(read_items, pages)
        )
        if dictionaries:
            resolve_pages(read, pages)

    counts_files = [part_counts(scratch, number) for number in range(len(parts))]
    for language, buckets in pages.buckets.items():
        counts_files += [bucket_counts(scratch, language, bucket) for bucket in range(buckets)]
    label = label_of(STAGE, list(written))
    context.runtime.run(construct, label=label, parts=scratch.counts("*"), total=len(counts_files))
    counts = sum_surface_counts(counts_files)
    for language, folder in written.items():
        names = [fallback_name(number) for number in range(len(parts))]
        buckets = pages.buckets.get(language, 0)
        require_files(folder, names + [bucket_name(bucket, buckets) for bucket in range(buckets)])
        summary = orjson.dumps(counts[language].summary, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)
        replace_file(summary_path(folder), summary)
    return counts


def item_parts(entities: str) -> list[list[str]]:
    """The files of a folder of entities, divided into parts; MissingInputError if there are none."""
    sizes = sizes_below(entities)
    return divide([(path, sizes[path.rpartition("/")[2]]) for path in match([f"{entities}/*.parquet"])])


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


def read_items(numbered: tuple[int, list[str]], pages: PagesContext) -> Iterator[Done | Sent]:
    """Read a numbered part of the files of entities, once for all languages, into the items of each language.

    Items that have a page to look up go to buckets by its title; all others get their fallback at once.
    """
    number, paths = numbered
    tables: dict[str, list[pa.Table]] = {language: [] for language in pages.folders}
    # A file at a time: what its languages want of it is small beside all that it holds.
    for path in paths:
        items = NamedItems(read_parquet(path, ["qid", "titles", "labels"]))
        for language, rows in tables.items():
            rows.append(items.of(language, variant_of(pages.options.variant, language)))
    found: dict[str, SurfaceCounts] = {}
    none = CHOSEN_ANCHORS.empty_table()
    with pages.shuffle.sender("read", ALL_PARTS, number) as sender:
        for language, folder in pages.folders.items():
            rows = tables.pop(language)
            if dictionary := pages.dictionaries.get(language):
                asking = pa.concat_tables([part.filter(part["title"].is_valid()) for part in rows])
                yield from sender.add_rows("items", split(asking, "title", dictionary.buckets), language)
                rows = [part.filter(part["title"].is_null()) for part in rows]
            named = pa.concat_tables([name_items(part, none, none, pages.options, language) for part in rows])
            found[language] = write_part(folder, fallback_name(number), sort_items(named))
    write_surface_counts(part_counts(pages.scratch, number), found)
    yield done(ALL_PARTS, number, pages.parts)
