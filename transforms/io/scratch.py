"""Where a stage writes: a scratch folder, which goes when the stage is over, and the folder of its finished files."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scratch:
    """The scratch folder of one stage, and the folder that its finished files are written to.

    That is ``target``, the folder that OUT has for a unit, or one in the scratch folder where there is none.
    """

    root: str
    target: str = ""

    @property
    def published(self) -> str:
        """Where finished files are written, which nobody reads before there is a record of the unit."""
        return self.target or f"{self.root}/published"

    @property
    def parts(self) -> str:
        """Intermediate files, removed when the unit is finished."""
        return f"{self.root}/parts"

    def rejects_of(self, unit: str) -> str:
        """The folder for what could not be read for a unit, as JSON lines in any number of files."""
        return f"{self.root}/rejects/{unit}"
