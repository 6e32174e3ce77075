"""Where a stage works until it is finished: outside the folder that later stages read."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Workplace:
    """The scratch folder of one stage run; the pipeline promotes what is ``done`` and removes the rest."""

    root: str

    @property
    def done(self) -> str:
        """Finished files, as they will stand in the stage's own folder."""
        return f"{self.root}/done"

    @property
    def parts(self) -> str:
        """Intermediate files, dropped when the stage is over."""
        return f"{self.root}/parts"

    @property
    def rejects(self) -> str:
        """JSON lines of records that could not be read, in any number of files."""
        return f"{self.root}/rejects"
