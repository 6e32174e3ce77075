"""Stage 3: the surface form of each item in a language, from the anchor dictionary, else from the recipe's fallback."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

import apache_beam as beam
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.buckets import BUCKETS
from wikisem.recipes.options import SurfaceOptions
from wikisem.records import Counts
from wikisem.surfaces.anchors import CHOSEN_ANCHORS
from wikisem.surfaces.naming import ITEMS, items_of, name_items, sort_items
from wikisem.transforms.io.counts import require_files, sum_counts
from wikisem.transforms.io.files import create_binary, list_files, match
from wikisem.transforms.io.parquet import read_batches, read_parquet
from wikisem.transforms.io.runtime import StageContext
from wikisem.transforms.io.scratch import Scratch
from wikisem.transforms.io.shuffle import to_buckets
from wikisem.transforms.surfaces.pages import ResolvePages, write_surfaces
from wikisem.wikipedia.languages import label_codes, wiki_of

STAGE: Final = "surfaces"


def resolve_surfaces(
    entities: str, mentions: str | None, language: str, options: SurfaceOptions, context: StageContext
) -> Counts:
    """Find the surface forms of the items that have a page or a label in the language.

    They are written into ``published/*.parquet`` of schemas.SURFACES.

    ``mentions`` is the folder that ``count_mentions`` left; without it there is the fallback alone. Items named by
    their page are in the page's bucket, all others in the number of their entities file, both by QID.
    ``summary.json`` there says how many came from anchors, labels and titles, and how many anchors a rule of the recipe
    refused. Counts are items; left out are those that neither a link nor the fallback names (``no-name``, or the rule
    that refused), and those without a page where no label is asked for (``no-page``). Raises MissingInputError.
    """
    scratch, runtime = context.scratch, context.runtime
    files = match([f"{entities}/*.parquet"])
    read = ReadItems(language, options, mentions is not None, scratch)

    def construct(pipeline: beam.Pipeline) -> None:
        items = pipeline | "entities" >> beam.Create(list(enumerate(files))) | "read items" >> beam.ParDo(read)
        if mentions is not None:
            _ = items | "resolve pages" >> ResolvePages(mentions, language, options, scratch)

    parts = f"{scratch.parts}/counts/*.json"
    runtime.run(construct, label=f"{STAGE} {language}", parts=parts, total=len(files) + (BUCKETS if mentions else 0))
    _summarise(scratch)
    require_files(f"{scratch.parts}/counts", [f"fallback-{number:05d}.json" for number in range(len(files))])
    return sum_counts(list_files(parts))


def _summarise(scratch: Scratch) -> None:
    """Count the finished rows by source."""
    sources: Counter[str] = Counter(anchor=0, label=0, title=0)
    for path in list_files(f"{scratch.published}/*.parquet"):
        for pair in pc.value_counts(read_parquet(path, ["source"])["source"]).to_pylist():
            sources[pair["values"]] += pair["counts"]
    refused = sum_counts(list_files(f"{scratch.parts}/refused/*.json")).left_out
    with create_binary(f"{scratch.published}/summary.json") as sink:
        sink.write(
            orjson.dumps(
                {**sources, **({"refused": refused} if refused else {})},
                option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE,
            )
        )


class ReadItems(beam.DoFn):
    """A numbered file of entities to batches of the items that have a page; the others get their fallback at once.

    Without a dictionary all items get their fallback at once.
    """

    def __init__(self, language: str, options: SurfaceOptions, with_mentions: bool, scratch: Scratch) -> None:
        self._language, self._options = language, options
        self._with_mentions, self._scratch = with_mentions, scratch

    def process(self, numbered: tuple[int, str]) -> Iterator[tuple[int, bytes]]:
        """Give out the items to look up, write the others."""
        number, path = numbered
        others = [ITEMS.empty_table()]
        for entities in read_batches(path, ["qid", "titles", "labels"]):
            items = items_of(entities, wiki_of(self._language), label_codes(self._language))
            asks = pc.and_(items["title"].is_valid(), self._with_mentions)
            yield from to_buckets(items.filter(asks), "title")
            others.append(items.filter(pc.invert(asks)))
        items = sort_items(pa.concat_tables(others))
        no_anchors = CHOSEN_ANCHORS.empty_table()
        named = name_items(items, no_anchors, no_anchors, self._options, self._language)
        write_surfaces(named, self._scratch, f"fallback-{number:05d}")
