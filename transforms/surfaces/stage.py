"""Stage 3: the surface form of each item in each language, from the anchor dictionary, else the recipe's fallback."""

from collections.abc import Mapping
from typing import Final

import apache_beam as beam
import orjson

from wikisem.recipes.options import SurfaceOptions
from wikisem.transforms.io.counts import require_files
from wikisem.transforms.io.files import create_binary, match, sizes_below
from wikisem.transforms.io.parquet import bucket_name, count_buckets
from wikisem.transforms.io.runtime import StageContext, label_of
from wikisem.transforms.surfaces.files import SurfaceFiles, fallback_name
from wikisem.transforms.surfaces.items import ReadItems, divide
from wikisem.transforms.surfaces.links import STAGE
from wikisem.transforms.surfaces.pages import ResolvePages
from wikisem.transforms.surfaces.tallies import SurfaceCounts, sum_tallies

# Of the rules by which this stage works and of the form of its files: raise it with any change to what it leaves.
VERSION: Final = 1


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

    tallies = [files.read_tally(number) for number in range(len(parts))]
    for language, number in buckets.items():
        tallies += [files.bucket_tally(language, bucket) for bucket in range(number)]
    context.runtime.run(
        construct,
        label=label_of(STAGE, list(files.finished)),
        parts=f"{context.scratch.parts}/counts/*.json",
        total=len(tallies),
    )
    counts = sum_tallies(tallies)
    for language in files.finished:
        _finish(files, language, len(parts), counts[language])
    return counts


def _finish(files: SurfaceFiles, language: str, parts: int, counts: SurfaceCounts) -> None:
    """Write the summary of a language; StageError unless every part left its file."""
    buckets = files.buckets.get(language, 0)
    names = [fallback_name(number) for number in range(parts)]
    require_files(files.finished[language], names + [bucket_name(bucket, buckets) for bucket in range(buckets)])
    with create_binary(f"{files.finished[language]}/summary.json") as sink:
        sink.write(orjson.dumps(counts.summary, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE))
