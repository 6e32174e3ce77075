"""Many small files: on this machine one after the other, on a store several at once, where each is a round trip."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from wikisem.transforms.io.addresses import is_local

_AT_ONCE: Final = 16

T = TypeVar("T")


def for_each_file(place: str, act: Callable[[T], object], files: Iterable[T]) -> None:
    """Call a function for each of some files in a place; the first error ends it, without the files not begun yet."""
    if is_local(place):
        for file in files:
            act(file)
        return
    pool = ThreadPoolExecutor(_AT_ONCE)
    try:
        for _ in pool.map(act, files):
            pass
    finally:
        pool.shutdown(cancel_futures=True)
