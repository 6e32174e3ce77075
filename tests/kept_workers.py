"""The process that local workers are forked from, kept from one test to the next.

It takes two CPU seconds to start, because it imports Beam. A run starts one of its own; here it is started again where
the environment, the current folder or the import path is another one, since workers inherit them, or where it is gone.
"""

import os
import sys
from typing import Final, Self

from wikisem.transforms.io.local_workers import LocalWorkers

_OF_EACH_TEST: Final = "PYTEST_CURRENT_TEST"


def _surroundings() -> tuple[object, ...]:
    environment = {name: value for name, value in os.environ.items() if name != _OF_EACH_TEST}
    return environment, os.getcwd(), sys.executable, tuple(sys.path)  # noqa: PTH109 - a test may replace Path


class KeptWorkers(LocalWorkers):
    """Workers of one run after the other: to close them ends the workers, and keeps what they are forked from."""

    _kept: "KeptWorkers | None" = None

    def __init__(self) -> None:
        self._surroundings = _surroundings()
        super().__init__()

    @classmethod
    def lend(cls) -> Self | LocalWorkers:
        """The kept ones, or others where these cannot serve or are at work."""
        kept, cls._kept = cls._kept, None
        if kept is not None and (kept._gone is not None or kept._surroundings != _surroundings()):
            kept.end_all()
            kept = None
        return kept or cls()

    def close(self) -> None:
        """Kill the workers, and keep the process for the next run."""
        self.reset()
        if KeptWorkers._kept is None:
            KeptWorkers._kept = self
        else:
            self.end_all()

    def end_all(self) -> None:
        """End the process, too."""
        super().close()

    @classmethod
    def end_kept(cls) -> None:
        """End the process that is kept, if there is one."""
        kept, cls._kept = cls._kept, None
        if kept is not None:
            kept.end_all()
