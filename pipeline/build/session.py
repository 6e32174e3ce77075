"""The time that a run has OUT to itself: from its lock to the manifest that says what it left."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress

from wikisem.errors import OutputError
from wikisem.pipeline.build.lock import Claim, locked
from wikisem.pipeline.build.manifest import write_manifest
from wikisem.pipeline.build.run import Run, check_writable
from wikisem.transforms.io.arrays import remove_copies
from wikisem.transforms.io.shared_folder import check_shared


@contextmanager
def session(run: Run) -> Iterator[None]:
    """Be the only run into OUT, without what dead ones left; write the manifest and remove the scratch at the end.

    Raises UsageError and OutputError for an output that cannot be written, or that workers do not share, LockError
    where another run is at work. What ends the context with an error is passed on, whatever then can still be written;
    a run that is interrupted leaves its scratch to the next one, for removing it may take long.
    """
    check_writable(run.output)
    with locked(run.output, Claim.of_this_process(run.name), run.break_lock, run.log):
        run.ledger.forget()
        run.remove_leftovers()
        try:
            with run.runtime:
                check_shared(run.output, run.runtime)
                yield
            with run.tidying("a copy of arrays in the temporary folder"):
                remove_copies()
        except BaseException as error:
            with suppress(OutputError):
                write_manifest(run)
                if isinstance(error, Exception):
                    run.remove_scratch()
            raise
        write_manifest(run)
        run.remove_scratch()
