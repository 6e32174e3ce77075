"""Paths and URLs as people write them: which are on this machine, and which file systems need something installed."""

import importlib.util
import os
import re
from typing import Final
from urllib.parse import unquote, urlsplit

from apache_beam.io.filesystem import FileSystem

from wikisem.errors import UsageError

# The file systems of Beam 2.77: the module that each of them imports, and the extra that installs it.
_REMOTE: Final = {
    "gs": ("apitools", "gcp"),
    "s3": ("boto3", "aws"),
    "hdfs": ("hdfs", "hadoop"),
    "azfs": ("azure.storage.blob", "azure"),
}
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


def is_local(path: str) -> bool:
    """Whether a path is on this machine: whether it is no URL."""
    return _SCHEME.match(path) is None


def absolute(path: str) -> str:
    """A path that means the same to a worker with another current folder; a URL does as it is."""
    return os.path.abspath(path) if is_local(path) else path  # noqa: PTH100 - a Path would keep ".."


def check_address(path: str) -> str:
    """A path, or a URL that Beam can open, as wikisem uses it; a ``file://`` URL becomes the path that it means.

    >>> check_address("file:///data/my%20dump.json.gz")
    '/data/my dump.json.gz'

    Raises UsageError for any other URL, and for one whose file system needs a package that is not installed.
    """
    found = _SCHEME.match(path)
    if found is None:
        return path
    scheme = found[1].lower()
    if scheme == "file":
        return _path_of(path)
    if scheme not in _REMOTE:
        if scheme in {system.scheme() for system in FileSystem.get_all_subclasses()}:
            return path  # a file system that someone registered with Beam
        known = ", ".join(f"{name}://" for name in _REMOTE)
        also = "; download it first" if scheme in {"http", "https", "ftp"} else ""
        raise UsageError(f"expected a path or a URL of {known} or file://, saw {path!r}{also}")
    module, extra = _REMOTE[scheme]
    if not _is_installed(module):
        raise UsageError(f"{path}: {scheme}:// needs a package: pip install 'apache-beam[{extra}]'")
    return path


def _path_of(url: str) -> str:
    parts = urlsplit(url)
    if parts.netloc not in {"", "localhost"} or not parts.path.startswith("/"):
        raise UsageError(f"expected a file:// URL of this machine such as file:///data/dump.json.gz, saw {url!r}")
    return unquote(url.partition("://")[2].removeprefix("localhost"))


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # a parent package is missing
        return False
