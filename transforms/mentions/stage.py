"""Stage 2: the links of Wikipedia dumps, counted into the anchor dictionary of each language.

All languages are counted in one pipeline. Each range of a dump is scanned and summed in one worker, which leaves its
rows in bucket files by the title they lead to. When all ranges of a language are there, its buckets are merged, each in
one worker: how many it has depends on how many articles it has.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import apache_beam as beam

from wikisem.arrow.buckets import buckets_for
from wikisem.links.scan import STAGE
from wikisem.records import Counts
from wikisem.transforms.io.counts import require_files, sum_ranges
from wikisem.transforms.io.files import create_binary
from wikisem.transforms.io.parquet import bucket_name
from wikisem.transforms.io.runtime import StageContext, label_of
from wikisem.transforms.io.surroundings import write_surroundings
from wikisem.transforms.mentions.dump import WikipediaDump, read_dump
from wikisem.transforms.mentions.files import MentionFiles
from wikisem.transforms.mentions.merge import MergeBuckets
from wikisem.transforms.mentions.sample import sample_surroundings
from wikisem.transforms.mentions.scan import ScanRange, Wiki
from wikisem.wikipedia.languages import language_profile
from wikisem.wikipedia.learning import Evidence, find_profile
from wikisem.wikipedia.link_surroundings import LinkSurroundings
from wikisem.wikipedia.profile_file import ProfileFile
from wikisem.wikipedia.variants import TitleVariants, conversion_of

# Of the rules by which this stage works and of the form of its files: raise it with any change to what it leaves.
VERSION: Final = 1


def count_mentions(
    dumps: Mapping[str, Sequence[str]],
    link_trail: bool,
    folders: Mapping[str, str],
    context: StageContext,
    profiles: Mapping[str, ProfileFile] | None = None,
) -> dict[str, Counts]:
    """Count the links of the dump of each language, in one file or in parts, into ``*.parquet`` of schemas.MENTIONS.

    They are written to the folder of the language, beside ``siteinfo.json``, the surroundings of a sample of its links,
    and ``redirects/*.parquet`` of schemas.REDIRECTS. All are in buckets by (source) title, sorted, and the same bytes
    however the dump is wrapped or cut. Links whose title is no page, but in another script is one, count for that page.
    ``profiles`` are the profile files that were given or edited. Counts are pages; a damaged part of a file counts as
    one rejected page, since how many it held is unknown. Raises MissingInputError and DamagedInputError.
    """
    files = MentionFiles(context.scratch, dict(folders))
    found = {language: _open(language, paths, files) for language, paths in sorted(dumps.items())}
    samples = {language: _sample(language, dump, files) for language, dump in found.items()}
    given = profiles or {}
    wikis = {
        language: Wiki(
            dump.site,
            _trail(language, samples[language], given.get(language)) if link_trail else "",
            len(dump.ranges),
            TitleVariants(language, dump.site.first_letter) if conversion_of(language) else None,
        )
        for language, dump in found.items()
    }
    ranges_of = {language: wiki.ranges for language, wiki in wikis.items()}
    variants = {language: wiki.variants for language, wiki in wikis.items() if wiki.variants}
    ranges = [(language, number, part) for language, dump in found.items() for number, part in enumerate(dump.ranges)]

    def construct(pipeline: beam.Pipeline) -> None:
        (
            pipeline
            | "ranges" >> beam.Create(ranges)
            | "scan" >> beam.ParDo(ScanRange(wikis, files))
            | "merge" >> MergeBuckets(ranges_of, variants, files)
        )

    parts = f"{context.scratch.parts}/counts/*.json"
    size = sum(part.stop - part.start for _, _, part in ranges)
    label = label_of(STAGE, list(dumps))
    context.runtime.run(construct, label=label, parts=parts, total=len(ranges), size=size, languages=ranges_of)
    return {language: _count(files, language, wiki.ranges) for language, wiki in wikis.items()}


def _open(language: str, paths: Sequence[str], files: MentionFiles) -> WikipediaDump:
    dump = read_dump(paths, language_profile(language))
    with create_binary(f"{files.finished[language]}/siteinfo.json") as sink:
        sink.write(dump.site.to_json().encode())
    return dump


def _count(files: MentionFiles, language: str, ranges: int) -> Counts:
    """The counts of a language; StageError unless every range and every bucket left its file."""
    paths = (files.counts(language, number) for number in range(ranges))
    counts = sum_ranges(paths, STAGE, files.rejects(language, ranges))
    buckets = buckets_for(counts.kept)
    names = [bucket_name(bucket, buckets) for bucket in range(buckets)]
    require_files(files.finished[language], [*names, *(f"redirects/{name}" for name in names)])
    return counts


def _sample(language: str, dump: WikipediaDump, files: MentionFiles) -> LinkSurroundings:
    found = sample_surroundings(dump)
    write_surroundings(files.finished[language], found)
    return found


def _trail(language: str, links: LinkSurroundings, given: ProfileFile | None) -> str:
    return find_profile(language, evidence=Evidence(links), given=given).profile.link_trail
