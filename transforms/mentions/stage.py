"""Stage 2: the links of a Wikipedia dump, counted into the anchor dictionary of its language.

Each range of the dump is scanned and summed in one worker. Its rows go to buckets by the title they lead to, redirects
by their own title, so that a bucket knows where its titles end. The rows that a redirect moves travel once more; those
that stay, nearly all of them, wait on disk in their bucket.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal

import apache_beam as beam
import pyarrow as pa
from apache_beam.pvalue import TaggedOutput

from wikisem.arrow.buckets import BUCKETS, Adder, add_up
from wikisem.arrow.ipc import decode, encode
from wikisem.arrow.ordering import sort_mentions
from wikisem.dumps import Damage, Range, read_records
from wikisem.links.scan import CHUNK_BYTES, scan_chunk
from wikisem.records import Counts, Reject
from wikisem.schemas import MENTIONS, REDIRECTS
from wikisem.surfaces.anchors import follow_redirects, merge_moved, settle_redirects
from wikisem.transforms.io.counts import sum_counts, write_counts, write_rejects
from wikisem.transforms.io.files import create_binary, open_binary
from wikisem.transforms.io.parquet import bucket_path, write_parquet
from wikisem.transforms.io.runtime import StageContext
from wikisem.transforms.io.scratch import Scratch
from wikisem.transforms.io.shuffle import from_batches, to_buckets
from wikisem.transforms.mentions.dump import read_dump
from wikisem.wikipedia.languages import language_profile
from wikisem.wikipedia.siteinfo import SiteInfo

STAGE: Final = "mentions"
PAGE_END: Final = b"</page>"

Batch = tuple[int, bytes]


def count_mentions(inputs: Sequence[str], language: str, link_trail: bool, context: StageContext) -> Counts:
    """Count the links of a dump, in one file or in parts, into ``published/*.parquet`` of schemas.MENTIONS.

    It also writes ``siteinfo.json`` and ``redirects/*.parquet`` of schemas.REDIRECTS there. All are in buckets by
    (source) title, sorted, and the same bytes however the dump is wrapped or cut. Counts are pages; a damaged part of
    a file counts as one rejected page, since nobody can know how many it held. Raises MissingInputError and
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
            | "meet redirects" >> beam.CoGroupByKey()
            | "settle" >> beam.ParDo(SettleBucket(scratch))
            | "meet the moved" >> beam.GroupByKey()
            | "merge" >> beam.ParDo(MergeBucket(scratch))
        )

    counts = f"{scratch.parts}/counts/*.json"
    runtime.run(construct, label=f"{STAGE} {language}", parts=counts, total=len(dump.ranges))
    return sum_counts(counts)


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
        write_counts(f"{self._scratch.parts}/counts/{number:05d}.json", counts)


def _encoded(parts: Iterable[tuple[int, pa.Table]]) -> Iterator[Batch]:
    return ((bucket, encode(rows)) for bucket, rows in parts)


class SettleBucket(beam.DoFn):
    """All that is known of a bucket's titles to what redirects move; what stays is written where the merge finds it.

    Each bucket also sends itself an empty batch, behind its file: the merge of a bucket begins when that arrives.
    """

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch

    def process(self, grouped: tuple[int, Mapping[str, Iterable[bytes]]]) -> Iterator[Batch]:
        """Write what stays and the redirects, give out what moves."""
        bucket, batches = grouped
        redirects = settle_redirects(from_batches(batches["redirects"], REDIRECTS))
        stayed, moved = follow_redirects(add_up([from_batches(batches["mentions"], MENTIONS)], MENTIONS), redirects)
        write_parquet(bucket_path(f"{self._scratch.published}/redirects", bucket), redirects, False)
        with create_binary(_stayed_path(self._scratch, bucket)) as sink:
            sink.write(encode(stayed))
        yield from to_buckets(moved, "title")
        yield from [(bucket, b"")]


class MergeBucket(beam.DoFn):
    """What stayed in a bucket and what was moved there, to the bucket's file of the anchor dictionary."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch

    def process(self, grouped: tuple[int, Iterable[bytes]]) -> None:
        """Add up, sort and write."""
        bucket, batches = grouped
        with open_binary(_stayed_path(self._scratch, bucket)) as source:
            stayed = decode(source.read())
        moved = from_batches(filter(None, batches), MENTIONS)
        write_parquet(bucket_path(self._scratch.published, bucket), sort_mentions(merge_moved(stayed, moved)), False)


def _stayed_path(scratch: Scratch, bucket: int) -> str:
    return f"{scratch.parts}/stayed/{bucket:02d}.arrow"
