"""Stage 2: the links of a Wikipedia dump, counted into the anchor dictionary of its language.

Each range of the dump is scanned and summed in one worker. Its rows go to buckets by the title they lead to, redirects
by their own title, so that a bucket knows where its titles lead. Rows under a redirect are sent on to the bucket of the
page it leads to; those that name their page directly, nearly all of them, wait on disk in their bucket.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

import apache_beam as beam
import pyarrow as pa
from apache_beam.pvalue import TaggedOutput

from wikisem.arrow.buckets import BUCKETS, Adder, add_up
from wikisem.arrow.ipc import decode, encode
from wikisem.arrow.ordering import sort_mentions
from wikisem.dumps import Damage, Range, read_records
from wikisem.links.scan import CHUNK_BYTES, PAGE_END, STAGE, scan_chunk
from wikisem.records import Counts, Reject
from wikisem.schemas import MENTIONS, REDIRECTS
from wikisem.surfaces.anchors import add_redirected, deduplicate_redirects, follow_redirects
from wikisem.transforms.io.counts import require_files, sum_counts, write_counts, write_rejects
from wikisem.transforms.io.files import create_binary, open_binary
from wikisem.transforms.io.parquet import bucket_path, write_parquet
from wikisem.transforms.io.runtime import StageContext
from wikisem.transforms.io.scratch import Scratch
from wikisem.transforms.io.shuffle import from_batches, to_buckets
from wikisem.transforms.mentions.dump import read_dump
from wikisem.wikipedia.languages import language_profile
from wikisem.wikipedia.siteinfo import SiteInfo

Batch = tuple[int, bytes]


def count_mentions(inputs: Sequence[str], language: str, link_trail: bool, context: StageContext) -> Counts:
    """Count the links of a dump, in one file or in parts, into ``published/*.parquet`` of schemas.MENTIONS.

    It also writes ``siteinfo.json`` and ``redirects/*.parquet`` of schemas.REDIRECTS there. All are in buckets by
    (source) title, sorted, and the same bytes however the dump is wrapped or cut. Counts are pages; a damaged part of
    a file counts as one rejected page, since how many it held is unknown. Raises MissingInputError and
    DamagedInputError.
    """
    scratch, runtime = context.scratch, context.runtime
    profile = language_profile(language)
    dump = read_dump(inputs, profile)
    with create_binary(f"{scratch.published}/siteinfo.json") as sink:
        sink.write(dump.site.to_json().encode())
    trail = profile.link_trail if link_trail else ""

    def construct(pipeline: beam.Pipeline) -> None:
        links = (
            pipeline
            | "ranges" >> beam.Create(list(enumerate(dump.ranges)))
            | "scan" >> beam.ParDo(ScanRange(dump.site, trail, scratch)).with_outputs("redirects", main="mentions")
        )
        buckets = pipeline | "buckets" >> beam.Create([(bucket, b"") for bucket in range(BUCKETS)])
        (
            {"mentions": links.mentions, "redirects": links.redirects, "all": buckets}
            | "group by title" >> beam.CoGroupByKey()
            | "follow redirects" >> beam.ParDo(FollowRedirects(scratch))
            | "group by page" >> beam.GroupByKey()
            | "add redirected" >> beam.ParDo(AddRedirected(scratch))
        )

    parts = f"{scratch.parts}/counts/*.json"
    runtime.run(construct, label=f"{STAGE} {language}", parts=parts, total=len(dump.ranges))
    buckets = [bucket_path(folder, bucket) for bucket in range(BUCKETS) for folder in ("redirects", ".")]
    require_files(scratch.published, [path.removeprefix("./") for path in buckets])
    return sum_counts(_counts_path(scratch, number) for number in range(len(dump.ranges)))


class ScanRange(beam.DoFn):
    """A numbered range to batches of its mentions, and under the tag ``redirects`` of its redirects.

    Rejects and counts are files named by the range's number, so that a range that is run again counts once.
    """

    def __init__(self, site: SiteInfo, trail: str, scratch: Scratch) -> None:
        self._site, self._trail, self._scratch = site, trail, scratch

    def process(self, numbered: tuple[int, Range]) -> Iterator[Batch | TaggedOutput[Literal["redirects"], Batch]]:
        """Scan the chunks of a range, sum their rows, and give them out by bucket."""
        number, part = numbered
        mentions, counts, rejects = Adder(MENTIONS, "title"), Counts(), list[Reject]()
        for piece in read_records(part, open_binary, PAGE_END, CHUNK_BYTES):
            if isinstance(piece, Damage):
                rejects.append(Reject(STAGE, piece.reason, piece.where, piece.detail))
                counts += Counts(read=1, rejected={piece.reason: 1})
                continue
            links = scan_chunk(piece.data, self._site, self._trail, piece.where)
            rejects.extend(links.rejects)
            counts += links.pages
            yield from _encoded(mentions.add(links.mentions))
            for batch in to_buckets(links.redirects, "source"):
                yield TaggedOutput("redirects", batch)
        yield from _encoded(mentions.rest())
        write_rejects(f"{self._scratch.rejects}/{STAGE}-{number:05d}.jsonl", rejects)
        write_counts(_counts_path(self._scratch, number), counts)


def _counts_path(scratch: Scratch, number: int) -> str:
    return f"{scratch.parts}/counts/{number:05d}.json"


def _encoded(parts: Iterable[tuple[int, pa.Table]]) -> Iterator[Batch]:
    return ((bucket, encode(rows)) for bucket, rows in parts)


class FollowRedirects(beam.DoFn):
    """The mentions and redirects of a bucket to the mentions that redirects send on; the others wait in a file.

    Each bucket also sends itself an empty batch after it wrote that file: its merge begins when the batch arrives.
    """

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch

    def process(self, grouped: tuple[int, Mapping[str, Iterable[bytes]]]) -> Iterator[Batch]:
        """Write the redirects and the direct mentions, give out the redirected ones."""
        bucket, batches = grouped
        redirects = deduplicate_redirects(from_batches(batches["redirects"], REDIRECTS))
        direct, redirected = follow_redirects(
            add_up([from_batches(batches["mentions"], MENTIONS)], MENTIONS), redirects
        )
        write_parquet(bucket_path(f"{self._scratch.published}/redirects", bucket), redirects, False)
        with create_binary(_direct_path(self._scratch, bucket)) as sink:
            sink.write(encode(direct))
        yield from to_buckets(redirected, "title")
        yield from [(bucket, b"")]


class AddRedirected(beam.DoFn):
    """The direct mentions of a bucket and the ones that redirects sent there, to its file of the anchor dictionary."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch

    def process(self, grouped: tuple[int, Iterable[bytes]]) -> None:
        """Add up, sort and write."""
        bucket, batches = grouped
        with open_binary(_direct_path(self._scratch, bucket)) as source:
            direct = decode(source.read())
        redirected = from_batches(filter(None, batches), MENTIONS)
        write_parquet(
            bucket_path(self._scratch.published, bucket), sort_mentions(add_redirected(direct, redirected)), False
        )


def _direct_path(scratch: Scratch, bucket: int) -> str:
    return f"{scratch.parts}/direct/{bucket:02d}.arrow"
