"""The versions that decide what a unit looks like: wikisem, Python and the libraries that read and write."""

import platform
from importlib import metadata
from typing import Final

from wikisem import __version__

_LIBRARIES: Final = ("apache-beam", "mwparserfromhell", "numpy", "pyarrow")


def versions() -> dict[str, str]:
    """Each version by name."""
    return {
        "wikisem": __version__,
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in _LIBRARIES},
    }
