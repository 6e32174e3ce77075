"""The bucket files of all ranges of a language to its anchor dictionary, a bucket at a time.

    Moon  moon  5 |  bucket of "Moon"                      | Moon  luna  2
    Luna  luna  2 |  bucket of "Luna", a redirect to Moon  | (goes on to the bucket of "Moon")

A bucket knows the redirects among its own titles. Rows under one are sent on, through bucket files too, to the bucket
of the page that it leads to; all others, nearly all, wait in the same file. In languages with several scripts,
titles that are no pages are converted before (``convert.py``).
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import apache_beam as beam

from wikisem.arrow.buckets import add_up, buckets_for, split, sum_up
from wikisem.arrow.ordering import sort_mentions
from wikisem.links.scan import STAGE
from wikisem.schemas import MENTIONS
from wikisem.surfaces.anchors import add_redirected, deduplicate_redirects, follow_redirects
from wikisem.transforms.io.bucket_files import create_bucket_file, part_path, part_paths, read_rows, table_of
from wikisem.transforms.io.parquet import bucket_path, write_parquet
from wikisem.transforms.io.shuffle import Done, Task, WhenAllDone, done, same_tasks
from wikisem.transforms.mentions.convert import ConvertTitles, read_converted, read_scanned
from wikisem.transforms.mentions.files import MentionFiles
from wikisem.wikipedia.variants import TitleVariants

# In the bucket file of a bucket, its mentions that name their page directly; other names are numbers of buckets.
_DIRECT: Final = "direct"


class MergeBuckets(beam.PTransform):
    """What ranges yield to finished files.

    ``ranges`` says how many ranges each language has, ``variants`` which languages have titles to convert.
    """

    def __init__(self, ranges: Mapping[str, int], variants: Mapping[str, TitleVariants], files: MentionFiles) -> None:
        super().__init__()
        self._ranges, self._variants, self._files = ranges, variants, files

    def expand(self, scanned: beam.PCollection) -> beam.PCollection:
        """Convert titles, follow redirects, and add up what they lead to each page."""
        buckets: beam.PTransform = WhenAllDone(STAGE, buckets_of_pages)
        if self._variants:
            buckets = ConvertTitles(self._ranges, self._variants, self._files, buckets_of_pages)
        return (
            scanned
            | "all ranges" >> buckets
            | "follow redirects" >> beam.ParDo(FollowRedirects(self._ranges, self._variants, self._files))
            | "all buckets" >> WhenAllDone(STAGE, same_tasks)
            | "add redirected" >> beam.ParDo(AddRedirected(self._files))
        )


def buckets_of_pages(language: str, pages: Sequence[int]) -> list[Task]:
    """The buckets of a language, by the articles of its ranges: however the dump is cut, they are the same."""
    buckets = buckets_for(sum(pages))
    return [(language, bucket, buckets) for bucket in range(buckets)]


class FollowRedirects(beam.DoFn):
    """The mentions and redirects of a bucket to the mentions that redirects send on; the others wait in a file."""

    def __init__(self, ranges: Mapping[str, int], variants: Mapping[str, TitleVariants], files: MentionFiles) -> None:
        self._ranges, self._variants, self._files = ranges, variants, files

    def process(self, task: Task) -> Iterator[Done]:
        """Sum the bucket, write its redirects, direct and redirected mentions."""
        language, bucket, buckets = task
        files = self._files
        if language in self._variants:
            rows, redirects = read_converted(files, task)
        else:
            rows, redirects = read_scanned(files, self._ranges[language], task)
        redirects = deduplicate_redirects(redirects)
        direct, redirected = follow_redirects(sum_up(rows, MENTIONS), redirects)
        write_parquet(bucket_path(f"{files.finished[language]}/redirects", bucket, buckets), redirects, False)
        with create_bucket_file(part_path(files.followed(language), bucket)) as followed:
            followed.add_rows([(_DIRECT, direct)])
            followed.add_rows(split(redirected, "title", buckets))
        yield done(language, bucket, buckets)


class AddRedirected(beam.DoFn):
    """The direct mentions of a bucket and the ones that redirects sent there, to its file of the anchor dictionary."""

    def __init__(self, files: MentionFiles) -> None:
        self._files = files

    def process(self, task: Task) -> None:
        """Add up, sort and write."""
        language, bucket, buckets = task
        followed = self._files.followed(language)
        redirected = add_up(read_rows(part_paths(followed, buckets), [bucket]), MENTIONS)
        direct = table_of(read_rows([part_path(followed, bucket)], [_DIRECT]), MENTIONS)
        mentions = sort_mentions(add_redirected(direct, redirected))
        write_parquet(bucket_path(self._files.finished[language], bucket, buckets), mentions, False)
