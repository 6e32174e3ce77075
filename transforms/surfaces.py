"""Stage 3: the surface form of each item in each language, from the anchor dictionary or the recipe's fallback."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Final, NamedTuple

import apache_beam as beam
import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.buckets import MAX_HELD, split, sum_rows
from wikisem.arrow.columns import MapLookup, decode, decode_numbers, encode_numbers, qid_numbers, union
from wikisem.arrow.parquet import bucket_name, bucket_path, count_buckets, read_parquet, write_parquet
from wikisem.files import match, replace_file, sizes_below
from wikisem.graph.store import open_arrays, save_arrays
from wikisem.layout import NAMES, Scratch, item_names_folder, pages_folder, redirects_folder, summary_path
from wikisem.layout import SURFACES as STAGE
from wikisem.recipes.options import SurfaceOptions
from wikisem.records import Counts
from wikisem.schemas import MENTIONS, SURFACES
from wikisem.surfaces import link_counts
from wikisem.surfaces.cleaning import compose, write_in
from wikisem.surfaces.link_counts import ITEMS, NamedItems, count_items, hash_names, name_items, sort_items
from wikisem.transforms.io.counts import read_json, require_files
from wikisem.transforms.io.runtime import StageContext, label_of
from wikisem.transforms.io.shuffle import Done, Sent, Shuffle, Task, done, same_tasks, tasks_of
from wikisem.wikipedia.variants import variant_of
from wikisem.wikis import wiki_of

Folders = Mapping[str, str]  # by language
# The key of all parts of the entities: what follows needs all of them, in every language.
ALL_PARTS: Final = ""


class PagesContext(NamedTuple):
    """All that the steps share which look pages up: where they write, how they send rows, and what they look up.

    By language, ``dictionaries`` are the folders of mentions, ``buckets`` how many buckets these are in, by title, and
    ``folders`` those of the finished files. ``parts`` is how many parts the entities are in.
    """

    scratch: Scratch
    shuffle: Shuffle
    dictionaries: Folders
    buckets: Mapping[str, int]
    folders: Folders
    options: SurfaceOptions
    parts: int

    def all_buckets(self, *_: object) -> list[Task]:
        """The buckets of pages of all languages: what is sent to them comes from the entities, for all at once."""
        return [Task(code, bucket, buckets) for code, buckets in self.buckets.items() for bucket in range(buckets)]

    def read_mentions(self, task: Task, columns: Sequence[str] | None = None) -> pa.Table:
        """The bucket of the dictionary that a task is about."""
        return read_parquet(bucket_path(self.dictionaries[task.key], task.bucket, task.buckets), columns)


def write_part(folder: str, name: str, named: pa.Table) -> "SurfaceCounts":
    """Write the rows of items that have a surface form as one file of a language, and count all items by outcome."""
    having = named.filter(named["surface"].is_valid())
    write_parquet(f"{folder}/{name}", having.select(SURFACES.names))
    sources = pc.value_counts(pc.drop_null(having["source"])).to_pylist()
    items, refused = count_items(named)
    return SurfaceCounts(items, {pair["values"]: pair["counts"] for pair in sources}, refused)


# What a bucket of pages sends to itself until the links of its anchors are known: its items, and the anchors of pages.
_WAITING: Final = {"find/items": ITEMS, "find/top": link_counts.TOP_ANCHORS, "find/titled": link_counts.TOP_ANCHORS}
_LINKS: Final = "add/links"


def resolve_pages(read: beam.PCollection, pages: PagesContext) -> None:
    """Give each item with a page the page's most frequent anchor as its surface form, from the rows of ``read_items``.

    Where anchors tie, the one wins that fewer links in the whole wiki have. These links are in all buckets of the
    dictionary, which are by title. So each bucket is read once more, counts the anchors whose hash is wanted, and sends
    the counts to buckets by anchor, which add them up and send them to the buckets of pages. The hashes of 7 million
    pages' anchors take 56 MB of a file that all workers of a machine share.
    """
    shuffle, buckets = pages.shuffle, pages.buckets
    # An exchange waits for all parts of a step, and then begins the tasks of the next, of a bucket or a language each.
    each_bucket, each_language = tasks_of(buckets), tasks_of(dict.fromkeys(buckets, 1))
    each_anchor_bucket = tasks_of({language: anchor_buckets(number) for language, number in buckets.items()})
    found = (
        read
        | "all items" >> shuffle.exchange(STAGE, pages.all_buckets, "read/items")
        | "follow sitelinks" >> beam.FlatMap(follow_sitelinks, pages)
        | "all followed" >> shuffle.exchange(STAGE, same_tasks, "follow/items")
        | "find anchors" >> beam.FlatMap(find_anchors, pages)
    )
    counted = (
        found
        | "all wanted" >> shuffle.exchange(STAGE, each_language, "find/hashes")
        | "save wanted" >> beam.FlatMap(save_wanted, pages)
        | "all saved" >> shuffle.exchange(STAGE, each_bucket)
        | "count" >> beam.FlatMap(count_bucket, pages)
    )
    added = (
        (counted, found)
        | "all sums" >> shuffle.exchange(STAGE, each_anchor_bucket, "count/sums", "find/wanted")
        | "add links" >> beam.FlatMap(send_links, pages, "find/wanted")
    )
    _ = (
        (added, found)
        | "all links" >> shuffle.exchange(STAGE, each_bucket, *_WAITING, _LINKS)
        | "write surfaces" >> beam.Map(write_surfaces, pages)
    )


def follow_sitelinks(task: Task, pages: PagesContext) -> Iterator[Done | Sent]:
    """Give items whose sitelink names a redirect the title of its target; send all to the buckets of their titles."""
    language, bucket, buckets = task.key, task.bucket, task.buckets
    items = pages.shuffle.read_table(task, "read/items", ITEMS, range(pages.parts), key=ALL_PARTS)
    folder = redirects_folder(pages.dictionaries[language])
    direct, redirected = link_counts.follow_redirects(items, read_parquet(bucket_path(folder, bucket, buckets)))
    with pages.shuffle.sender("follow", language, bucket) as sender:
        yield from sender.add_rows("items", [(bucket, direct)])  # nearly all stay in their bucket
        yield from sender.add_rows("items", split(redirected, "title", buckets))
    yield done(language, bucket, parts=buckets)


def find_anchors(task: Task, pages: PagesContext) -> Iterator[Done | Sent]:
    """Find the anchors that may be chosen for the items of a bucket, and ask how many links of the wiki have each.

    The ``top`` anchors of a page are its most frequent ones, that tie; its ``titled`` one is its title. These and the
    items are sent to the bucket itself, to wait for the answer. The anchors are sent to the buckets of anchors, which
    answer, and their hashes are for the buckets of pages, which count the links of these anchors alone.
    """
    language, bucket, buckets, options = task.key, task.bucket, task.buckets, pages.options
    items = sort_items(pages.shuffle.read_table(task, "follow/items", ITEMS, range(buckets)))
    titles, mentions = pc.unique(items["title"]), pages.read_mentions(task)
    if variant := variant_of(options.variant, language):  # anchors that are equal in one script are counted together
        mentions = mentions.filter(pc.is_in(mentions["title"], value_set=titles))
        mentions = mentions.set_column(1, "anchor", write_in(variant, mentions["anchor"]))
        mentions = sum_rows([mentions], MENTIONS)
    top = link_counts.top_anchors(mentions, titles, options.minimum_count, variant)
    titled = link_counts.TOP_ANCHORS.empty_table()
    if options.form == "dictionary":
        titled = link_counts.title_anchors(mentions, titles, variant)
    anchors = pc.unique(pa.chunked_array([*top["surface"].chunks, *titled["surface"].chunks], pa.string()))
    with pages.shuffle.sender("find", language, bucket) as sender:
        for name, rows in {"items": items, "top": top, "titled": titled}.items():
            yield from sender.add_rows(name, [(bucket, rows)])
        yield from sender.add_rows("wanted", split(pa.table([anchors], _WANTED), "anchor", anchor_buckets(buckets)))
        yield from sender.add("hashes", 0, encode_numbers(np.sort(link_counts.hashes_of(anchors))))
    yield done(language, bucket, parts=buckets)  # the next step waits for all parts


def write_surfaces(task: Task, pages: PagesContext) -> None:
    """Choose and write the surface forms of a bucket's items from the anchors that ``find_anchors`` sent."""
    language, bucket, buckets = task.key, task.bucket, task.buckets
    read_table = partial(pages.shuffle.read_table, task)
    items, top, titled = (read_table(kind, schema, [bucket]) for kind, schema in _WAITING.items())
    totals = read_table(_LINKS, link_counts.ANCHOR_TOTALS, range(anchor_buckets(buckets)))
    # Of the anchors of a page that tie, choose the one that the fewest links in the whole wiki have.
    chosen, titled = (link_counts.break_ties(anchors, totals) for anchors in (top, titled))
    named = name_items(items, chosen, titled, pages.options, language)
    counts = write_part(pages.folders[language], bucket_name(bucket, buckets), named)
    # How many links lead to each page, and whether the dump lacks it. All rows of a page have its total.
    titles = pc.unique(top["title"])
    links = top["total"].take(pc.index_in(titles, value_set=top["title"].combine_chunks())).to_pylist()
    missing = (~open_arrays(link_counts.StringSet, pages_folder(pages.dictionaries[language])).has(titles)).tolist()
    every = tuple(zip(links, titles.to_pylist(), missing, strict=True))
    counts = replace(counts, pages=PageCounts(len(every), sum(missing), every) + PageCounts())  # a sum keeps the best
    replace_file(pages.scratch.counts_of(language, bucket), orjson.dumps({language: counts}))


# There is one bucket of anchors for this many buckets of pages. Each bucket of pages writes a batch for each bucket of
# anchors, and the other way round: with 256 by 256, most batches would be tiny.
_PAGE_BUCKETS: Final = 4
_WANTED: Final = pa.schema([("anchor", pa.string())])


def save_wanted(task: Task, pages: PagesContext) -> Iterator[Done]:
    """Merge the hashes of the anchors that buckets of pages ask for into one array, which workers map into memory."""
    hashes = pages.shuffle.read(task, "find/hashes", range(pages.buckets[task.key]))
    save_arrays(link_counts.StringSet(union(map(decode_numbers, hashes))), pages.scratch.wanted(task.key))
    yield done(task.key, 0, parts=1)


def count_bucket(task: Task, pages: PagesContext, every: bool = False) -> Iterator[Done | Sent]:
    """Count the links of each anchor that is wanted, or of ``every`` one, in a bucket of the dictionary of a wiki."""
    language, bucket, buckets = task.key, task.bucket, task.buckets
    wanted = None if every else open_arrays(link_counts.StringSet, pages.scratch.wanted(language))
    with pages.shuffle.sender("count", language, bucket) as sender:
        if wanted is None or wanted.hashes.size:  # else nothing is read
            links = pages.read_mentions(task, link_counts.ANCHOR_TOTALS.names)
            variant = variant_of(pages.options.variant, language)
            links = links.set_column(0, "anchor", write_in(variant, links["anchor"]))
            if wanted is not None:
                links = links.filter(pa.array(wanted.has(links["anchor"].combine_chunks())))
            sums = sum_rows([links], link_counts.ANCHOR_TOTALS)
            yield from sender.add_rows("sums", split(sums, "anchor", anchor_buckets(buckets)))
    yield done(language, bucket, parts=buckets)


def send_links(task: Task, pages: PagesContext, wanted: str) -> Iterator[Done | Sent]:
    """Add up the links of each anchor in a bucket of anchors, and send the sums to the buckets of pages that want them.

    ``wanted`` is the kind of the batches in which a bucket of pages names the anchors that it wants.
    """
    shuffle, page_buckets = pages.shuffle, range(pages.buckets[task.key])
    totals = sum_rows(shuffle.read_rows(task, "count/sums", page_buckets), link_counts.ANCHOR_TOTALS, MAX_HELD)
    known_anchors = totals["anchor"].combine_chunks()
    with shuffle.sender("add", task.key, task.bucket) as sender:
        for bucket, batches in zip(page_buckets, shuffle.read_parts(task, wanted, page_buckets), strict=True):
            rows = [decode(batch).select(_WANTED.names) for batch in batches]
            anchors = pa.concat_tables([_WANTED.empty_table(), *rows])["anchor"]
            counts = totals["count"].take(pc.index_in(anchors, value_set=known_anchors))
            yield from sender.add_rows("links", [(bucket, pa.table([anchors, counts], link_counts.ANCHOR_TOTALS))])
    yield done(task.key, task.bucket, parts=task.buckets)  # the next step waits for all parts


def anchor_buckets(buckets: int) -> int:
    """The number of buckets of anchors for a number of buckets of pages.

    >>> [anchor_buckets(buckets) for buckets in (1, 8, 64, 256)]
    [1, 2, 16, 64]
    """
    return -(-buckets // _PAGE_BUCKETS)


# How many of the best linked pages are named where the dump lacks them.
BEST_LINKED: Final = 1000


@dataclass(frozen=True, slots=True)
class PageCounts:
    """The pages that items have a sitelink to and links lead to: how many, and how many of these the dump lacks.

    ``best`` are the best linked ones: the number of links, the title, and whether the page is missing.
    """

    linked: int = 0
    missing: int = 0
    best: tuple[tuple[int, str, bool], ...] = ()

    def __add__(self, other: "PageCounts") -> "PageCounts":
        best = sorted((*self.best, *other.best), key=lambda page: (-page[0], page[1]))
        return PageCounts(self.linked + other.linked, self.missing + other.missing, tuple(best[:BEST_LINKED]))


@dataclass(frozen=True, slots=True)
class SurfaceCounts:
    """The counts of items, of the sources of surface forms, of the anchors that each rule refused, and of pages."""

    items: Counts = field(default_factory=Counts)
    sources: Mapping[str, int] = field(default_factory=dict)
    refused: Mapping[str, int] = field(default_factory=dict)
    pages: PageCounts = field(default_factory=PageCounts)

    def __add__(self, other: "SurfaceCounts") -> "SurfaceCounts":
        return SurfaceCounts(
            self.items + other.items,
            dict(Counter(self.sources) + Counter(other.sources)),
            dict(Counter(self.refused) + Counter(other.refused)),
            self.pages + other.pages,
        )

    @property
    def summary(self) -> dict[str, object]:
        """Every source, and the reasons for refusals if there were any."""
        sources = {"anchor": 0, "label": 0, "title": 0} | dict(self.sources)
        return {**sources, **({"refused": dict(sorted(self.refused.items()))} if self.refused else {})}


VERSION: Final = 4  # of the stage's output; raise it when that changes
# The bytes of files of a part, enough to make what each language leaves in a bucket worth a batch; and the most parts,
# beyond which files cost more than a run on many machines gains.
_PART_BYTES: Final = 1 << 22
_MOST_PARTS: Final = 256


def resolve_surfaces(
    entities: str, mentions: Folders, options: SurfaceOptions, folders: Folders, context: StageContext
) -> dict[str, SurfaceCounts]:
    """Write the surface form chosen for each item in each language, as schemas.SURFACES, into ``folders``; count items.

    It is the most frequent anchor of links to the item's page, from the folders of ``count_mentions`` (``mentions``).
    Items without a page, and languages without such a folder, only have the fallback: labels or titles. Files are
    ordered by QID, one for each bucket of pages (by title), and one for each part of the entities, with all others.
    Counts are items; left out are those that neither a link nor the fallback names (``no-name``, or the rule that
    refused), and those without a page if labels are not used (``no-page``). ``summary.json`` beside the rows has the
    other counts. Raises MissingInputError.
    """
    folders, scratch = dict(sorted(folders.items())), context.scratch
    # Parts are lists of files of entities; ``pages`` has what all steps share, such as the number of buckets.
    parts, pages = divide_items(entities, mentions, folders, options, context)
    # Each part of the entities and each bucket of pages writes its counts.
    counts_files = [scratch.counts_of("read", number) for number in range(len(parts))]
    for language, buckets in pages.buckets.items():
        counts_files += [scratch.counts_of(language, bucket) for bucket in range(buckets)]
    label = label_of(STAGE, list(folders))
    with context.runtime.pipeline(label=label, parts=scratch.counts("*"), total=len(counts_files)) as pipeline:
        # Reading writes the fallback, and sends items with a page to the bucket of their page's title.
        elements = pipeline | "entities" >> beam.Create(list(enumerate(parts)))
        read = elements | "read items" >> beam.FlatMap(read_items, pages)
        if mentions:
            resolve_pages(read, pages)
    # Add up the counts of each language, and check that all its files are there.
    counts = dict.fromkeys(folders, SurfaceCounts())
    for path in counts_files:
        for language, of_task in read_json(path, dict[str, SurfaceCounts]).items():
            counts[language] += of_task
    for language, folder in folders.items():
        names = [f"fallback-{number:05d}.parquet" for number in range(len(parts))]
        buckets = pages.buckets.get(language, 0)
        require_files(folder, names + [bucket_name(bucket, buckets) for bucket in range(buckets)])
        summary = orjson.dumps(counts[language].summary, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)
        replace_file(summary_path(folder), summary)
    return counts


def divide_items(
    entities: str, mentions: Folders, folders: Folders, options: SurfaceOptions, context: StageContext
) -> tuple[list[list[str]], PagesContext]:
    """List the paths of each part of the entities, and what all steps share; MissingInputError if there are none."""
    sizes = sizes_below(entities)
    parts = divide([(path, sizes[path.rpartition("/")[2]]) for path in match([f"{entities}/*.parquet"])])
    dictionaries = dict(sorted(mentions.items()))
    buckets = {language: count_buckets(folder) for language, folder in dictionaries.items()}
    scratch, shuffle = context.scratch, context.shuffle
    return parts, PagesContext(scratch, shuffle, dictionaries, buckets, folders, options, len(parts))


def divide(sizes: Sequence[tuple[str, int]]) -> list[list[str]]:
    """Divide files, given with their sizes in bytes, into parts of about the same size, none of them empty.

    >>> divide([("a", 5_000_000), ("b", 3_000_000), ("c", 1_000_000)])
    [['a'], ['b', 'c']]
    """
    wanted = min(len(sizes), _MOST_PARTS, max(1, sum(size for _, size in sizes) // _PART_BYTES))
    parts: list[list[str]] = [[] for _ in range(wanted)]
    sizes_of_parts = [0] * wanted
    for path, size in sorted(sizes, key=lambda file: (-file[1], file[0])):
        smallest = sizes_of_parts.index(min(sizes_of_parts))
        parts[smallest].append(path)
        sizes_of_parts[smallest] += size + 1  # + 1: files without bytes, too, are spread over the parts
    return [sorted(part) for part in parts]


def read_items(numbered: tuple[int, list[str]], pages: PagesContext) -> Iterator[Done | Sent]:
    """Read a numbered part of the entities: send items with a page to the buckets of their titles, name the others.

    Those get a label or a title, as the options say, in a file of the part. If labels compete with those of other
    items, hashes of all labels and aliases are written, too.
    """
    number, paths = numbered
    items_of: dict[str, list[pa.Table]] = {language: [] for language in pages.folders}
    item_names: dict[str, list[pa.Table]] = {language: [] for language in pages.folders if pages.options.asks_aliases}
    columns = ["qid", "titles", "labels", *(["sitelinks", "aliases"] if item_names else [])]
    # A file at a time: what its languages want of it is small beside all that it holds.
    for path in paths:
        entities = read_parquet(path, columns)
        items = NamedItems(entities)
        for language, rows in items_of.items():
            rows.append(items.of(language, variant_of(pages.options.variant, language)))
            if item_names:
                item_names[language].append(hash_names(rows[-1], entities, language, pages.options))
    # Write what each language gets from the part, and send the items whose names depend on links.
    for language, rows in item_names.items():
        write_parquet(f"{item_names_folder(pages.folders[language])}/{number:05d}.parquet", pa.concat_tables(rows))
    counts: dict[str, SurfaceCounts] = {}
    no_anchors = link_counts.CHOSEN_ANCHORS.empty_table()
    with pages.shuffle.sender("read", ALL_PARTS, number) as sender:
        for language, folder in pages.folders.items():
            rows = items_of.pop(language)
            if buckets := pages.buckets.get(language):  # else the language has no anchor dictionary
                with_page = pa.concat_tables([part.filter(part["title"].is_valid()) for part in rows])
                yield from sender.add_rows("items", split(with_page, "title", buckets), language)
                rows = [part.filter(part["title"].is_null()) for part in rows]
            named = [name_items(part, no_anchors, no_anchors, pages.options, language) for part in rows]
            counts[language] = write_part(folder, f"fallback-{number:05d}.parquet", sort_items(pa.concat_tables(named)))
    replace_file(pages.scratch.counts_of("read", number), orjson.dumps(counts))
    yield done(ALL_PARTS, number, parts=pages.parts)  # the next step waits for all parts


NAMES_VERSION: Final = 1  # of the output of this stage, the names of pages; raise it when that changes


@dataclass(frozen=True, slots=True)
class NameCounts:
    """Of a language: its pairs of page and anchor, its pages, and its pages with an item."""

    pairs: Counts
    pages: int
    items: int


def write_names(entities: str, mentions: Folders, folders: Folders, context: StageContext) -> dict[str, NameCounts]:
    """Write what links call each page into ``*.parquet`` of schemas.NAMES, in the folder and buckets of its language.

    A row is a page and an anchor of it, with P(anchor | page), P(page | anchor) and the page's item.
    """
    parts, pages = divide_items(entities, mentions, folders, SurfaceOptions(), context)
    scratch, shuffle, buckets = context.scratch, context.shuffle, pages.buckets
    # An exchange waits for all parts of a step, and then begins the tasks of the next, for a bucket each.
    each_anchor_bucket = tasks_of({code: anchor_buckets(number) for code, number in buckets.items()})
    label, total = label_of(NAMES, list(folders)), sum(buckets.values())
    with context.runtime.pipeline(label=label, parts=scratch.counts("*"), total=total) as pipeline:
        elements = pipeline | "entities" >> beam.Create(list(enumerate(parts)))
        read = elements | "read titles" >> beam.FlatMap(read_titles, pages)
        added = (
            read
            | "all titles" >> shuffle.exchange(NAMES, pages.all_buckets)
            | "count anchors" >> beam.FlatMap(count_bucket, pages, every=True)
            | "all sums" >> shuffle.exchange(NAMES, each_anchor_bucket, _SUMS)
            | "add links" >> beam.FlatMap(send_links, pages, _SUMS)
        )
        _ = (
            (added, read)
            | "all links" >> shuffle.exchange(NAMES, tasks_of(buckets), _LINKS, _TITLES)
            | "write names" >> beam.Map(write_bucket, pages)
        )
    found: dict[str, NameCounts] = {}
    for code, number in buckets.items():
        require_files(folders[code], [bucket_name(bucket, number) for bucket in range(number)])
        counts = [read_json(scratch.counts_of(code, bucket), NameCounts) for bucket in range(number)]
        pairs = sum((part.pairs for part in counts), Counts())
        found[code] = NameCounts(pairs, sum(part.pages for part in counts), sum(part.items for part in counts))
    return found


_TITLES: Final = "read/titles"
_SUMS: Final = "count/sums"


def read_titles(numbered: tuple[int, list[str]], pages: PagesContext) -> Iterator[Done | Sent]:
    """Send title and item number of each sitelink in a numbered part of the entities to the bucket of its title.

    A sitelink to a redirect names the redirect, and not the page where it leads: that is another item's, or none's.
    """
    (number, paths), buckets = numbered, pages.buckets
    tables_of: dict[str, list[pa.Table]] = {language: [link_counts.PAGE_ITEMS.empty_table()] for language in buckets}
    for path in paths:
        items = read_parquet(path, ["qid", "titles"])
        titles, numbers = MapLookup(items["titles"]), pa.array(qid_numbers(items["qid"]))
        for language, tables in tables_of.items():
            rows = pa.table([compose(titles.lookup(wiki_of(language) or "")), numbers], schema=link_counts.PAGE_ITEMS)
            tables.append(rows.filter(rows["title"].is_valid()))
    with pages.shuffle.sender("read", ALL_PARTS, number) as sender:
        for language, tables in tables_of.items():
            rows = split(pa.concat_tables(tables), "title", buckets[language])
            yield from sender.add_rows("titles", rows, language)
    yield done(ALL_PARTS, number, parts=pages.parts)


def write_bucket(task: Task, pages: PagesContext) -> None:
    """Write the names of the pages in a bucket, a row for each page and anchor, and how many pages have an item."""
    language, bucket, buckets = task.key, task.bucket, task.buckets
    items = pages.shuffle.read_table(task, _TITLES, link_counts.PAGE_ITEMS, range(pages.parts), key=ALL_PARTS)
    # How many links of the whole wiki have each anchor.
    totals = pages.shuffle.read_table(task, _LINKS, link_counts.ANCHOR_TOTALS, range(anchor_buckets(buckets)))
    names = link_counts.name_pages(pages.read_mentions(task), totals, items)
    write_parquet(bucket_path(pages.folders[language], bucket, buckets), names, dictionaries=False)
    titles = pc.count_distinct(names["title"]).as_py()
    titles_with_item = pc.count_distinct(names.filter(names["qid"].is_valid())["title"]).as_py()
    counts = NameCounts(Counts(len(names), len(names)), pages=titles, items=titles_with_item)
    replace_file(pages.scratch.counts_of(language, bucket), orjson.dumps(counts))
