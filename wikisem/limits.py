"""Limits of all that comes over a network, from the web and from stores; SECURITY.md lists them for users."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import Final, TypeVar

T = TypeVar("T")

# Answers of a query service, lists of files and of checksums, and manifests are far smaller.
LARGEST_TEXT: Final = 64 << 20
# The files of a data set in all languages, which are read into memory, have several times less than this.
LARGEST_SET: Final = 1 << 30
# The seconds of a whole exchange with a web server, from looking up its name to the last byte. Of a larger file, this
# many bytes have to come in that time. With 64 KiB, a download takes twice the CPU time: 2.1 s for 500 MiB, 1.1 s here.
EXCHANGE: Final = 60.0
PIECE: Final = 256 << 10
# The count of attempts at a file restarts when this many more bytes have come.
LEAST_PROGRESS: Final = 64 << 10
# The seconds of one call to a store, within which its driver makes attempts of its own; at most 16 MiB come in one.
STORE_CALL: Final = 600.0


def in_time(seconds: float, work: Callable[[], T]) -> T:
    """Return what ``work`` returns; TimeoutError if that takes longer.

    Libraries limit each wait of a socket, so that a server that sends a byte now and then holds them for ever. Work
    that is late goes on in a thread of its own until its server ends it, or the process.
    """
    result: Future[T] = Future()

    def run() -> None:
        try:
            result.set_result(work())
        except BaseException as error:  # noqa: BLE001 - who waits for it gets it
            result.set_exception(error)

    Thread(target=run, daemon=True).start()
    try:
        return result.result(max(seconds, 0.0))
    except TimeoutError:
        if result.done():
            return result.result()
        raise TimeoutError(f"no answer within {seconds:g} s") from None
