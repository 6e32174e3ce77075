"""Where the mentions stage writes: bucket files between its steps, and the finished files of each language."""

from collections.abc import Mapping
from dataclasses import dataclass

from wikisem.links.scan import STAGE
from wikisem.transforms.io.scratch import Scratch


@dataclass(frozen=True)
class MentionFiles:
    """The folders of all languages of a run; ``finished`` maps a language to the folder that later stages read."""

    scratch: Scratch
    finished: Mapping[str, str]

    def mentions(self, language: str) -> str:
        """Bucket files by range: its mentions, by title."""
        return f"{self.scratch.parts}/mentions/{language}"

    def redirects(self, language: str) -> str:
        """Bucket files by range: its redirects, by source, and the titles of its pages where titles are converted."""
        return f"{self.scratch.parts}/redirects/{language}"

    def titles(self, language: str) -> str:
        """The folder of the hashes of the titles of all pages."""
        return f"{self.scratch.parts}/titles/{language}"

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
