"""The versions that decide what a unit looks like: wikisem, Python and the libraries that read and write.

``unicode`` is the version by whose rules characters are counted. What decodes bzip2 is said too: it decides how
long reading takes, not what comes of it.
"""

import importlib
import platform
from importlib import metadata
from typing import Final

from wikisem import __version__
from wikisem.wikipedia.data.grapheme_breaks import UNICODE

_LIBRARIES: Final = ("apache-beam", "mwparserfromhell", "numpy", "pyarrow")


def versions() -> dict[str, str]:
    """Each version by name."""
    return {
        "wikisem": __version__,
        "python": platform.python_version(),
        "bzip2": bzip2_decoder(),
        "unicode": UNICODE,
        **{name: metadata.version(name) for name in _LIBRARIES},
    }


def bzip2_decoder() -> str:
    """What decodes bzip2 here; its room is imported only when this is asked, for it takes a quarter of a second."""
    name: str = importlib.import_module("wikisem.dumps.bzip2.native_decoder").decoder_name()
    return name
