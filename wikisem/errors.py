"""One class for each kind of mistake, each also a builtin error, each with the exit code it ends a command with."""

from typing import Literal


class WikisemError(Exception):
    """Any mistake that wikisem names; its text says what was expected, what was seen and where."""

    exit_code = 1


class UsageError(WikisemError, ValueError):
    """The command or one of its options cannot mean anything."""

    exit_code = 2


class RecipeError(WikisemError, ValueError):
    """A recipe is not there, or has an unknown key, a wrong type or an impossible value."""

    exit_code = 2


class BadIdError(WikisemError, ValueError):
    """A QID, property id or language code is not of its form; refused before it meets a path or a query."""

    exit_code = 2


class MissingInputError(WikisemError, FileNotFoundError):
    """An input, or what an earlier stage should have left, is not there."""


class DamagedInputError(WikisemError, ValueError):
    """An input cannot be what it is said to be (not a dump, not a data set, not vectors)."""


class WrongDumpError(DamagedInputError):
    """A dump of another kind than expected was given; ``saw`` is the format that its first bytes have."""

    def __init__(self, message: str, saw: Literal["xml", "json"]) -> None:
        super().__init__(message)
        self.saw = saw


class OutputError(WikisemError, OSError):
    """The output folder cannot be written."""


class LockError(WikisemError, RuntimeError):
    """Another run is at work in the output folder."""


class UnknownItemError(WikisemError, KeyError):
    """A QID that the class graph does not hold."""

    def __str__(self) -> str:
        # KeyError would print the repr of the text, quotes included.
        return str(self.args[0]) if self.args else ""


class TooManyRejectsError(WikisemError, RuntimeError):
    """More records could not be read than a run allows."""


class StageError(WikisemError, RuntimeError):
    """A Beam pipeline failed; the text names the stage and the first cause."""


class EndpointError(WikisemError, ConnectionError):
    """A SPARQL endpoint could not give a whole answer."""


class DownloadError(WikisemError, ConnectionError):
    """A dump, or one of its files, could not be downloaded whole."""
