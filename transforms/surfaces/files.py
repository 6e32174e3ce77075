"""Where the surfaces stage reads and writes: the dictionary of each language, bucket files, and the finished files."""

from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa

from wikisem.recipes.options import SurfaceOptions
from wikisem.schemas import SURFACES
from wikisem.transforms.io.parquet import write_parquet
from wikisem.transforms.io.scratch import Scratch
from wikisem.transforms.surfaces.tallies import SurfaceCounts, count_named


@dataclass(frozen=True)
class SurfaceFiles:
    """The folders of all languages of a run, and what their stage is made from.

    ``finished`` maps each language to the folder that later stages read, ``mentions`` those with a dictionary to its
    folder, and ``buckets`` them to the number of its buckets.
    """

    scratch: Scratch
    options: SurfaceOptions
    finished: Mapping[str, str]
    mentions: Mapping[str, str]
    buckets: Mapping[str, int]

    def items(self, language: str) -> str:
        """Bucket files by part of the entities: items with a page, by the title of their sitelink."""
        return f"{self.scratch.parts}/items/{language}"

    def followed(self, language: str) -> str:
        """Bucket files by bucket: items, by the title of the page that their sitelink leads to."""
        return f"{self.scratch.parts}/followed/{language}"

    def pages(self, language: str) -> str:
        """Bucket files by bucket: its items, the anchors of their pages, and the anchors whose links it wants."""
        return f"{self.scratch.parts}/pages/{language}"

    def wanted(self, language: str) -> str:
        """The folder of the hashes of all anchors that are wanted."""
        return f"{self.scratch.parts}/wanted/{language}"

    def sums(self, language: str) -> str:
        """Bucket files by bucket of the dictionary: the links of wanted anchors in it, by anchor."""
        return f"{self.scratch.parts}/sums/{language}"

    def links(self, language: str) -> str:
        """Bucket files by bucket of anchors: the links of each in the whole wiki, by the bucket that wants them."""
        return f"{self.scratch.parts}/links/{language}"

    def read_tally(self, number: int) -> str:
        """What a part of the entities was counted into."""
        return f"{self.scratch.parts}/counts/read-{number:05d}.json"

    def bucket_tally(self, language: str, bucket: int) -> str:
        """What a bucket of a language was counted into."""
        return f"{self.scratch.parts}/counts/{language}-{bucket:02d}.json"

    def write_part(self, named: pa.Table, language: str, name: str) -> SurfaceCounts:
        """Write the rows of items that have a surface form as one file of a language, and count what became of all."""
        surfaces = named.filter(named["surface"].is_valid()).select(SURFACES.names)
        write_parquet(f"{self.finished[language]}/{name}", surfaces)
        return count_named(named)


def fallback_name(number: int) -> str:
    """The file of the items that have no page to look up, of one part of the entities."""
    return f"fallback-{number:05d}.parquet"
