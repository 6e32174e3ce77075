"""Where the mentions stage writes: bucket files between its steps, and the finished files of each language."""

from collections.abc import Mapping
from dataclasses import dataclass

from wikisem.links.scan import STAGE
from wikisem.transforms.io.scratch import Scratch


@dataclass(frozen=True)
class MentionFiles:
    """The folders of all languages of a run; ``finished`` maps a language to the folder that later stages read.

    ``again`` says that ranges are merged once more, without repeated pages.
    """

    scratch: Scratch
    finished: Mapping[str, str]
    again: bool = False

    def mentions(self, language: str) -> str:
        """Bucket files by range: its mentions, by title."""
        return f"{self.scratch.parts}/mentions/{language}"

    def redirects(self, language: str) -> str:
        """Bucket files by range: its redirects, by source, and the titles of its pages where titles are converted."""
        return f"{self.scratch.parts}/redirects/{language}"

    def repeats(self, language: str) -> str:
        """A bucket file: by the number of a range, where pages begin that are copies of others."""
        return f"{self.scratch.parts}/repeats/{language}.buckets"

    def titles(self, language: str) -> str:
        """The hashes of the titles of all pages, in another folder the second time, for workers keep copies."""
        return f"{self.scratch.parts}/titles{'-again' if self.again else ''}/{language}"

    def converted(self, language: str) -> str:
        """Bucket files by bucket: its mentions by the titles that they are converted to, and its redirects."""
        return f"{self.scratch.parts}/converted/{language}"

    def followed(self, language: str) -> str:
        """Bucket files by bucket: mentions that name their page, and by the page those whose title was a redirect."""
        return f"{self.scratch.parts}/followed/{language}"

    def counts(self, language: str, number: int) -> str:
        """The counts of a range, named by its number, so that a range that is run again counts once."""
        return f"{self.scratch.parts}/counts/{language}-{number:05d}.json"

    def rejects(self, language: str, number: int) -> str:
        """What could not be read of a range; under the number after the last one, of all ranges together."""
        return f"{self.scratch.rejects_of(f'{STAGE}/{language}')}/{number:05d}.jsonl"
