"""Links whose title is no page of their wiki, but in another script is one, to the buckets of that page.

    Niš  Нишу  5 |  bucket of "Niš", which is no page  | (goes on to the bucket of "Ниш", which is one)

Which pages there are, only all ranges of a dump together know: each leaves the hashes of its titles, all of them are
put into one array that the workers of a machine share, and then each bucket looks its titles up. So do the targets of
redirects. Sitelinks need no conversion: Wikibase asks the wiki for the converted title when it saves one
(``converttitles`` in MediaWiki's ``MediaWikiPageNameNormalizer``, 2026-11).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import apache_beam as beam
import pyarrow as pa

from wikisem.arrow.buckets import finest, split, sum_up
from wikisem.arrow.ipc import decode_numbers
from wikisem.graph.store import open_arrays
from wikisem.links.scan import STAGE
from wikisem.schemas import MENTIONS, REDIRECTS
from wikisem.surfaces.conversions import PageTitles, convert_titles, find_conversions
from wikisem.transforms.io.arrays import local_folder, save_arrays
from wikisem.transforms.io.bucket_files import (
    create_bucket_file,
    part_path,
    part_paths,
    read_bucket,
    read_rows,
    table_of,
)
from wikisem.transforms.io.shuffle import Done, Task, Tasks, WhenAllDone, done, same_tasks
from wikisem.transforms.mentions.files import MentionFiles
from wikisem.wikipedia.variants import TitleVariants

# In the bucket file of a range's redirects, the hashes of the titles of its pages.
TITLES: Final = "titles"
# In the bucket file of a bucket that was converted, its redirects; other names are numbers of buckets.
_REDIRECTS: Final = "redirects"


class ConvertTitles(beam.PTransform):
    """What ranges yield to the tasks of all buckets, those of ``variants`` converted; ``ranges`` as in MergeBuckets."""

    def __init__(
        self, ranges: Mapping[str, int], variants: Mapping[str, TitleVariants], files: MentionFiles, buckets: Tasks
    ) -> None:
        super().__init__()
        self._ranges, self._variants, self._files, self._buckets = ranges, variants, files, buckets

    def expand(self, scanned: beam.PCollection) -> beam.PCollection:
        """Gather titles, and look up those of each bucket."""
        return (
            scanned
            | "all titles" >> WhenAllDone(STAGE, all_pages)
            | "save titles" >> beam.ParDo(SaveTitles(self._ranges, self._variants, self._files))
            | "all saved" >> WhenAllDone(STAGE, self._buckets)
            | "convert" >> beam.ParDo(ConvertBucket(self._ranges, self._variants, self._files))
            | "all converted" >> WhenAllDone(STAGE, same_tasks)
        )


def all_pages(language: str, pages: Sequence[int]) -> list[Task]:
    """One task for each language, with its number of articles where others have that of their buckets."""
    return [(language, 0, sum(pages))]


class SaveTitles(beam.DoFn):
    """The hashes of the titles of a language to a folder that workers can map into memory; its weight is its pages."""

    def __init__(self, ranges: Mapping[str, int], variants: Mapping[str, TitleVariants], files: MentionFiles) -> None:
        self._ranges, self._variants, self._files = ranges, variants, files

    def process(self, task: Task) -> Iterator[Done]:
        """Merge and write."""
        language, _, pages = task
        if language in self._variants:
            paths = part_paths(self._files.redirects(language), self._ranges[language])
            hashes = (decode_numbers(batch) for path in paths for batch in read_bucket(path, [TITLES]))
            save_arrays(PageTitles.of(hashes), self._files.titles(language))
        yield done(language, 0, 1, pages)


class ConvertBucket(beam.DoFn):
    """The mentions of a bucket to those of their pages, and its redirects to where their targets lead."""

    def __init__(self, ranges: Mapping[str, int], variants: Mapping[str, TitleVariants], files: MentionFiles) -> None:
        self._ranges, self._variants, self._files = ranges, variants, files

    def process(self, task: Task) -> Iterator[Done]:
        """Look the titles up that are no pages; a language without variants has nothing to do."""
        language, bucket, buckets = task
        if language in self._variants:
            mentions, redirects = read_scanned(self._files, self._ranges[language], task)
            with create_bucket_file(part_path(self._files.converted(language), bucket)) as converted:
                rows = self._convert(sum_up(mentions, MENTIONS), "title", language)
                converted.add_rows(split(rows, "title", buckets))
                converted.add_rows([(_REDIRECTS, self._convert(redirects, "target", language))])
        yield done(language, bucket, buckets)

    def _convert(self, rows: pa.Table, column: str, language: str) -> pa.Table:
        pages = open_arrays(PageTitles, local_folder(self._files.titles(language)))
        return convert_titles(rows, find_conversions(rows[column], pages, self._variants[language]), column)


def read_scanned(files: MentionFiles, ranges: int, task: Task) -> tuple[Iterator[pa.Table], pa.Table]:
    """The mentions and redirects of a bucket, as the ranges left them."""
    language, bucket, buckets = task
    keys = finest(bucket, buckets)
    mentions = read_rows(part_paths(files.mentions(language), ranges), keys)
    return mentions, table_of(read_rows(part_paths(files.redirects(language), ranges), keys), REDIRECTS)


def read_converted(files: MentionFiles, task: Task) -> tuple[Iterator[pa.Table], pa.Table]:
    """The mentions and redirects of a bucket, after titles were converted."""
    language, bucket, buckets = task
    paths = part_paths(files.converted(language), buckets)
    return read_rows(paths, [bucket]), table_of(read_rows([paths[bucket]], [_REDIRECTS]), REDIRECTS)
