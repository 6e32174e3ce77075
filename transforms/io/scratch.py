"""The folder in which a stage works until its result is whole: outside the folders that later stages read."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scratch:
    """The scratch folder of one unit of work: what it ``published`` moves to OUT when it is whole, the rest goes."""

    root: str

    @property
    def published(self) -> str:
        """Finished files, under the names that they get in OUT."""
        return f"{self.root}/published"

    @property
    def parts(self) -> str:
        """Intermediate files, removed when the unit is finished."""
        return f"{self.root}/parts"

    @property
    def rejects(self) -> str:
        """JSON lines of records that could not be read, in any number of files."""
        return f"{self.root}/rejects"
