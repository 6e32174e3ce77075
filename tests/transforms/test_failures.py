"""Failures: the first cause in whatever a runner raises."""

import traceback
from collections.abc import Callable

import pytest

from wikisem import errors
from wikisem.transforms.io.runtime import first_cause, stage_failure


def _plain() -> None:
    raise ValueError("two is too much\nand more [while running 'Map(f)-ptransform-3']")


def _direct_cause() -> None:
    try:
        raise KeyError("q")
    except KeyError as error:
        raise RuntimeError("consequence") from error


def _in_handler() -> None:
    try:
        raise OSError(28, "No space left on device", "/full")
    except OSError:
        raise RuntimeError("OSError: [Errno 28] No space left on device: '/full' [while running 'W']")  # noqa: B904


def _ours() -> None:
    try:
        raise PermissionError(13, "Permission denied")
    except PermissionError as error:
        raise errors.OutputError("expected to make the folder 'out', saw that it cannot be") from error


CAUSES: list[tuple[Callable[[], None], str]] = [
    (_plain, "ValueError: two is too much"),
    (_direct_cause, "KeyError: 'q'"),
    (_in_handler, "OSError: [Errno 28] No space left on device: '/full'"),
    (_ours, "wikisem.errors.OutputError: expected to make the folder 'out', saw that it cannot be"),
]


@pytest.mark.parametrize(("fail", "cause"), CAUSES)
def test_an_exception_and_its_traceback_have_the_same_cause(fail: Callable[[], None], cause: str) -> None:
    """In this process the exception itself arrives, from a worker the text of its traceback."""
    with pytest.raises((OSError, RuntimeError, LookupError, ValueError)) as caught:
        fail()
    assert first_cause(caught.value) == cause
    text = "".join(traceback.format_exception(caught.value))
    assert text.startswith("Traceback")
    assert first_cause(RuntimeError(text)) == cause


def test_our_own_errors_keep_their_class() -> None:
    """A DoFn that finds a dump damaged raises the same error as a plain function."""
    error = stage_failure("mentions", errors.TooManyUnreadableError("expected fewer"))
    assert type(error) is errors.TooManyUnreadableError
    assert str(error) == "expected fewer"


def test_an_error_that_takes_more_than_a_text_becomes_a_stage_error() -> None:
    """Its other arguments are not in a traceback."""
    error = stage_failure("mentions", errors.WrongDumpError("expected JSON", "xml"))
    assert type(error) is errors.StageError
    assert str(error) == "mentions: expected JSON"


def test_an_error_of_another_module_is_not_taken_for_ours() -> None:
    """Only names that wikisem.errors defines are looked up there."""
    for text in ("wikisem.errors.Final: x", "wikisem.errors.NoSuchError: x", "os.error: x"):
        trace = f"Traceback (most recent call last):\n  File\n{text}\n"
        assert type(stage_failure("mentions", RuntimeError(trace))) is errors.StageError


def test_an_interruption_is_found_below_what_it_became() -> None:
    """Whether it was raised from it, or while it was handled; any other exception is none."""
    error = RuntimeError("KeyboardInterrupt [while running 'x']")
    assert type(stage_failure("mentions", error)) is errors.StageError
    error.__context__ = KeyboardInterrupt()
    outer = ValueError("outer")
    outer.__cause__ = error
    assert type(stage_failure("mentions", outer)) is KeyboardInterrupt
