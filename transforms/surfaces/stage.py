"""Stage 3: the surface form of each item in each language, from the anchor dictionary, else the recipe's fallback."""

from collections.abc import Mapping
from dataclasses import dataclass

import apache_beam as beam
import orjson

from wikisem.recipes.options import SurfaceOptions
from wikisem.records import Counts
from wikisem.transforms.io.counts import require_files, sum_counts
from wikisem.transforms.io.files import create_binary, match, sizes_below
from wikisem.transforms.io.parquet import count_buckets
from wikisem.transforms.io.runtime import StageContext, label_of
from wikisem.transforms.surfaces.files import SurfaceFiles, bucket_part, fallback_part
from wikisem.transforms.surfaces.items import ReadItems, divide
from wikisem.transforms.surfaces.links import STAGE
from wikisem.transforms.surfaces.pages import ResolvePages


@dataclass(frozen=True, slots=True)
class SurfaceCounts:
    """What became of the items of a language, where surface forms came from, and how many anchors a rule refused."""

    items: Counts
    sources: Mapping[str, int]
    refused: Mapping[str, int]


def resolve_surfaces(
    entities: str,
    mentions: Mapping[str, str],
    options: SurfaceOptions,
    folders: Mapping[str, str],
    context: StageContext,
) -> dict[str, SurfaceCounts]:
    """Find the surface forms of the items that have a page or a label in each language.

    They are written to the folder of the language, into ``*.parquet`` of schemas.SURFACES.

    ``mentions`` has the folders that ``count_mentions`` left; a language without one has the fallback alone. Items
    named by their page are in the page's bucket, all others in parts of the entities, both by QID. Counts are items;
    left out are those that neither a link nor the fallback names (``no-name``, or the rule that refused), and those
    without a page where no label is asked for (``no-page``). ``summary.json`` beside the rows says the rest of what is
    counted. Raises MissingInputError.
    """
    sizes = sizes_below(entities)
    parts = divide([(path, sizes[path.rpartition("/")[2]]) for path in match([f"{entities}/*.parquet"])])
    buckets = {language: count_buckets(folder) for language, folder in sorted(mentions.items())}
    files = SurfaceFiles(context.scratch, options, dict(sorted(folders.items())), dict(mentions), buckets)

    def construct(pipeline: beam.Pipeline) -> None:
        numbered = pipeline | "entities" >> beam.Create(list(enumerate(parts)))
        read = numbered | "read items" >> beam.ParDo(ReadItems(files, len(parts)))
        if buckets:
            _ = read | "resolve pages" >> ResolvePages(files, len(parts))

    planned = {language: _parts(files, language, len(parts)) for language in files.finished}
    context.runtime.run(
        construct,
        label=label_of(STAGE, list(planned)),
        parts=f"{context.scratch.parts}/counts/*.json",
        total=sum(map(len, planned.values())),
    )
    counts = {language: _count(files, language, names) for language, names in planned.items()}
    for language, found in counts.items():
        _write_summary(found, files.finished[language])
    return counts


def _parts(files: SurfaceFiles, language: str, parts: int) -> list[str]:
    """The names of the files that a language is finished with."""
    buckets = files.buckets.get(language, 0)
    return [
        *(fallback_part(number) for number in range(parts)),
        *(bucket_part(bucket, buckets) for bucket in range(buckets)),
    ]


def _count(files: SurfaceFiles, language: str, parts: list[str]) -> SurfaceCounts:
    """What is counted of a language; StageError unless every part left its files."""
    require_files(files.finished[language], [f"{part}.parquet" for part in parts])
    items, refused, sources = (
        sum_counts(files.tally(kind, language, part) for part in parts) for kind in ("counts", "refused", "sources")
    )
    sources_of_all = {"anchor": 0, "label": 0, "title": 0} | dict(sources.left_out)
    return SurfaceCounts(items, sources_of_all, refused.left_out)


def _write_summary(counts: SurfaceCounts, folder: str) -> None:
    summary = {**counts.sources, **({"refused": counts.refused} if counts.refused else {})}
    with create_binary(f"{folder}/summary.json") as sink:
        sink.write(orjson.dumps(summary, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE))
