"""Which surfaces of a cluster have something in common: the question behind several rules."""

from collections.abc import Callable, Iterable


def largest_sharing(surfaces: Iterable[str], key: Callable[[str], str | None]) -> tuple[str, list[str]]:
    """The key that most surfaces share and those surfaces, in their order; the earliest key wins a tie.

    Surfaces with the key None share nothing. Without any other, the answer is an empty key and no surfaces.
    """
    sharing: dict[str, list[str]] = {}
    for surface in surfaces:
        shared = key(surface)
        if shared is not None:
            sharing.setdefault(shared, []).append(surface)
    return max(sharing.items(), key=lambda entry: len(entry[1]), default=("", []))
