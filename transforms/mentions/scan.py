"""One range of a Wikipedia dump to the bucket files of its mentions and redirects."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

import apache_beam as beam
import numpy as np

from wikisem.arrow.buckets import Adder, Gatherer
from wikisem.arrow.ipc import encode_numbers
from wikisem.arrow.numbers import join
from wikisem.dumps import Chunk, Damage, Range, StreamPart, read_records
from wikisem.errors import StageError
from wikisem.links.repeats import NO_VERSIONS, moved, without_pages
from wikisem.links.scan import CHUNK_BYTES, DUMP_END, PAGE_END, STAGE, scan_chunk
from wikisem.records import Counts, Reject
from wikisem.schemas import MENTIONS
from wikisem.surfaces.conversions import hashes_of_titles
from wikisem.transforms.io.bucket_files import create_bucket_file, part_path
from wikisem.transforms.io.bytes_read import open_counted
from wikisem.transforms.io.counts import sum_counts, write_counts, write_rejects
from wikisem.transforms.io.shuffle import Done, done
from wikisem.transforms.mentions.convert import TITLES
from wikisem.transforms.mentions.files import MentionFiles
from wikisem.transforms.mentions.repeats import add_versions, read_repeats
from wikisem.wikipedia.siteinfo import SiteInfo
from wikisem.wikipedia.variants import TitleVariants


@dataclass(frozen=True)
class Wiki:
    """What a range is read by: its wiki, the letters after a link that belong to its anchor, how many ranges it has.

    ``variants`` are there where titles that are no pages are converted.
    """

    site: SiteInfo
    trail: str
    ranges: int
    variants: TitleVariants | None = None


class ScanRange(beam.DoFn):
    """A numbered range of a language to its bucket files, rejects and counts; its weight is its articles.

    When ``again`` is given, ranges were scanned before: those that it names are scanned without repeated pages now.
    """

    def __init__(
        self, wikis: Mapping[str, Wiki], files: MentionFiles, again: Mapping[str, Collection[int]] | None = None
    ) -> None:
        self._wikis, self._files, self._again = wikis, files, again

    def process(self, numbered: tuple[str, int, Range]) -> Iterator[Done]:
        """Scan the chunks of a range, and write their rows by bucket."""
        language, number, part = numbered
        wiki, files = self._wikis[language], self._files
        if self._again is not None and number not in self._again[language]:
            kept = sum_counts([files.counts(language, number)]).kept
            yield done(language, number, wiki.ranges, kept)
            return
        repeats = join([]) if self._again is None else read_repeats(files, language, number)
        adder, gatherer = Adder(MENTIONS, "title"), Gatherer("source")
        counts, rejects, streams = Counts(), list[Reject](), list[StreamPart]()
        versions, size = [NO_VERSIONS], 0
        with (
            create_bucket_file(part_path(files.mentions(language), number)) as mentions,
            create_bucket_file(part_path(files.redirects(language), number)) as redirects,
        ):
            for piece in _read(part, language, streams):
                if isinstance(piece, Damage):
                    rejects.append(Reject(STAGE, piece.reason, piece.where, piece.detail))
                    counts += Counts(read=1, rejected={piece.reason: 1})
                    continue
                data = without_pages(piece.data, repeats - size)
                links = scan_chunk(data, wiki.site, wiki.trail, piece.location, wiki.variants is not None)
                rejects.extend(links.rejects)
                counts += links.pages
                versions.append(moved(links.versions, size))
                size += len(data)
                mentions.add_rows(adder.add(links.mentions))
                # Gathered too: to encode and to read a batch takes as long as two hundred redirects.
                redirects.add_rows(gatherer.add(links.redirects))
                if links.titles:
                    redirects.add(TITLES, encode_numbers(hashes_of_titles(links.titles)))
            mentions.add_rows(adder.rest())
            redirects.add_rows(gatherer.rest())
            span = add_versions(redirects, np.hstack(versions))
        counts += Counts(repeats.size, left_out={"duplicate": repeats.size} if repeats.size else {})
        write_rejects(files.rejects(language, number), rejects)
        write_counts(files.counts(language, number), counts, streams=streams, span=span)
        yield done(language, number, wiki.ranges, counts.kept)


def _read(part: Range, language: str, streams: list[StreamPart]) -> Iterator[Chunk | Damage]:
    """The chunks of a range, whose streams are added; StageError says in which language a dump could not be read."""
    try:
        yield from read_records(part, open_counted, PAGE_END, CHUNK_BYTES, DUMP_END, streams.append)
    except OSError as error:
        raise StageError(f"{STAGE}/{language}: expected to read {part.path}, saw {error}") from error
