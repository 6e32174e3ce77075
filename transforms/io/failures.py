"""The error of a failed pipeline: its first cause, with the name of its stage.

A runner raises a worker's error unchanged, or with Beam's step appended, or as the text of a traceback:

>>> first_cause(ValueError("two is too much [while running 'Map(refuse)-ptransform-12']"))
'ValueError: two is too much'
>>> first_cause(RuntimeError('Traceback (most recent call last):\\n  File "keep.py", line 3\\nOSError: [Errno 28]'))
'OSError: [Errno 28]'
"""

import re
from typing import Final

from wikisem import errors
from wikisem.errors import StageError, WikisemError

_STEP: Final = re.compile(r" ?\[while running '[^\n]*'\]")
_TRACEBACK: Final = "Traceback (most recent call last):"
_RAISED_IN_HANDLER: Final = "During handling of the above exception, another exception occurred:"
_RAISED_FROM: Final = "The above exception was the direct cause of the following exception:"
# Beam wraps an exception that takes other arguments than one text, as OSError does.
_WRAPPED: Final = re.compile(r"RuntimeError: (?=[\w.]+(?:Error|Exception|Interrupt|Exit)\b)")
_OURS: Final = f"{errors.__name__}."


class WorkerError(Exception):
    """A worker process ended before its work did."""


def stage_failure(
    label: str, error: Exception, worker_failure: Exception | None = None
) -> WikisemError | KeyboardInterrupt:
    """What to raise for a pipeline's error: one of ours unchanged, any other as a StageError of ``label``.

    A KeyboardInterrupt if it came while one was handled: Beam makes a RuntimeError of that, as if the step that it came
    in had failed. ``worker_failure`` is what went wrong first with the worker processes.
    """
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, KeyboardInterrupt):
            return KeyboardInterrupt()
        seen = seen.__cause__ or seen.__context__
    if isinstance(worker_failure, WorkerError):
        return StageError(f"{label}: {worker_failure}")
    cause = first_cause(worker_failure or error)
    name, _, text = cause.partition(": ")
    kind = getattr(errors, name.removeprefix(_OURS), None) if name.startswith(_OURS) else None
    if isinstance(kind, type) and issubclass(kind, WikisemError):
        # A class with an __init__ of its own takes more than its text.
        return StageError(f"{label}: {text}") if "__init__" in vars(kind) else kind(text)
    return StageError(f"{label}: expected the pipeline to finish, saw {cause}")


def first_cause(error: BaseException) -> str:
    """The class and the first line of an exception's first cause."""
    while error.__cause__ is not None and not isinstance(error, WikisemError):
        error = error.__cause__
    text, kind = str(error), type(error)
    if _TRACEBACK in text:
        raised = []
        for block in text.rpartition(_RAISED_IN_HANDLER)[2].split(_RAISED_FROM):
            # The line after the indented ones of a traceback names the exception.
            lines = block.partition(_TRACEBACK)[2].splitlines()
            last = block.strip().rpartition("\n")[2]
            raised.append(next((line for line in lines if line and not line[0].isspace()), last))
    else:
        raised = [f"{_OURS if kind.__module__ == errors.__name__ else ''}{kind.__name__}: {text}"]
    causes = [_WRAPPED.sub("", _STEP.sub("", cause).strip().partition("\n")[0]) for cause in raised]
    return next((cause for cause in reversed(causes) if cause.startswith(_OURS)), causes[0])
