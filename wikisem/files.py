"""Files by path or URL, so that local paths, gs://, s3://, hdfs:// and whatever else fsspec knows work alike.

On this machine a path is taken as written. A URL is opened by fsspec's driver for it, with credentials and endpoints
from fsspec's configuration (``~/.config/fsspec/*.json``, ``FSSPEC_S3_ENDPOINT_URL``) or the driver's own.
"""

import io
import os
import re
import shutil
import stat
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path, PurePosixPath
from tempfile import NamedTemporaryFile, TemporaryFile
from typing import Any, BinaryIO, Final, TypeVar, cast
from urllib.parse import unquote, urlsplit

from wikisem.atomic_files import UnfinishedFile, whole_file
from wikisem.errors import DamagedInputError, MissingInputError, OutputError, UsageError
from wikisem.limits import LARGEST_SET, STORE_CALL, in_time

S = TypeVar("S")
T = TypeVar("T")

_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
# What installs a driver; of any other driver fsspec says what does.
_INSTALLED_BY: Final = {
    **dict.fromkeys(("gs", "gcs"), "wikisem[gcs]"),
    **dict.fromkeys(("s3", "s3a"), "wikisem[s3]"),
    "hf": "huggingface_hub",
}
_WEB: Final = ("http", "https")


def is_web(path: str) -> bool:
    """Return whether a path is an address of a web server, which lists no files."""
    return _scheme(path) in _WEB


def is_local(path: str) -> bool:
    """Return whether a path is on this machine, that is, not a URL."""
    return not _scheme(path)


def _scheme(path: str) -> str:
    """Return the scheme of a URL in lower case; "" for a path."""
    found = _SCHEME.match(path)
    return found[1].lower() if found else ""


def absolute(path: str) -> str:
    """Return a path that means the same to a worker with another current folder, as a URL does."""
    return os.path.abspath(path) if is_local(path) else path  # noqa: PTH100 - a Path would keep ".."


def check_address(path: str) -> str:
    """Check a path, or a URL that a driver of fsspec opens, and return it; a ``file://`` URL becomes its path.

    >>> check_address("file:///data/my%20dump.json.gz")
    '/data/my dump.json.gz'

    Raises UsageError for any other URL, and for one whose driver is not installed.
    """
    expected = "expected a path or a URL of gs://, s3://, hdfs:// or another protocol of fsspec"
    scheme = _scheme(path)
    if not scheme:
        return path
    if scheme == "file":
        parts = urlsplit(path)
        if parts.netloc not in {"", "localhost"} or not parts.path.startswith("/"):
            raise UsageError(f"expected a file:// URL of this machine such as file:///data/dump.json.gz, saw {path!r}")
        return unquote(path.partition("://")[2].removeprefix("localhost"))
    if scheme in {*_WEB, "ftp"}:
        raise UsageError(f"{expected}, saw {path!r}; download it first")
    try:
        import fsspec  # noqa: PLC0415

        fsspec.get_filesystem_class(scheme)
    except ValueError as error:
        raise UsageError(f"{expected}, saw {path!r}") from error
    except ImportError as error:
        wanted = f"pip install '{_INSTALLED_BY[scheme]}'" if scheme in _INSTALLED_BY else str(error)
        raise UsageError(f"{path}: {scheme}:// needs a package: {wanted}") from error
    return path


# Drivers without folders, whose files are seen once they are whole. HDFS, SFTP and others show unfinished files.
_STORES: Final = frozenset({"s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "memory"})
# What is written waits in a file of this machine; up to this many bytes go in one request.
_ONE_REQUEST: Final = 1 << 24
_READ_AHEAD: Final = 1 << 24
# The least that is read at once, because each read is handed to a thread.
_BUFFER: Final = 1 << 20
# Calls that take as long as a file is large.
_UNLIMITED_CALLS: Final = frozenset({"put_file", "cp_file"})
# Options of a driver beside its own configuration, by scheme; wikisem.transforms puts those of Beam here.
driver_options: Callable[[str], Mapping[str, Any]] = lambda _scheme: {}  # noqa: E731 - replaced there


def _driver(url: str) -> tuple["_Driver", str]:
    """Return the driver of a URL, and the URL as that driver calls it."""
    from fsspec.core import url_to_fs  # noqa: PLC0415 - importing it takes longer than many a command

    check_address(url)
    # A listing that a driver remembers lacks what other processes have written since.
    driver, path = url_to_fs(url, use_listings_cache=False, **driver_options(_scheme(url)))
    return _Driver(driver), path


class _Driver:
    """A driver of fsspec of which no call waits for ever: TimeoutError after STORE_CALL seconds."""

    def __init__(self, driver: Any) -> None:
        self._driver = driver

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._driver, name)
        if not callable(found) or name in _UNLIMITED_CALLS:
            return found
        return lambda *words, **options: in_time(STORE_CALL, partial(found, *words, **options))


class _StoreFile(io.RawIOBase):
    """A file in a store: no read waits for ever, all is at most LARGEST_SET bytes; else MissingInputError."""

    def __init__(self, file: Any, url: str) -> None:
        self._file, self._url = file, url

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        with _reported(MissingInputError, f"read {self._url}"):
            data = in_time(STORE_CALL, partial(self._file.read, len(buffer)))
        buffer[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        data = bytearray()
        while piece := self.read(_READ_AHEAD):
            data += piece
            if len(data) > LARGEST_SET:
                raise DamagedInputError(f"{self._url}: expected at most {LARGEST_SET:,} bytes at once, saw more")
        return bytes(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return int(self._file.seek(offset, whence))

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()


@contextmanager
def _reported(kind: type[MissingInputError | OutputError], action: str) -> Iterator[None]:
    """Raise the errors of drivers, which have types and texts of their own, as a ``kind`` that says what failed."""
    try:
        yield
    except (UsageError, MissingInputError, OutputError):
        raise
    except Exception as error:
        line = str(error).partition("\n")[0]
        saw = "no such file" if isinstance(error, FileNotFoundError) else f"{type(error).__name__}: {line}"
        raise kind(f"expected to {action}, saw {saw}") from error


def open_binary(path: str) -> BinaryIO:
    """Open a file to read its bytes, seekable, a URL with 16 MiB read ahead; FileNotFoundError if it does not exist."""
    if is_local(path):
        return open(path, "rb")  # noqa: PTH123 - as fast as it gets, and the caller closes it
    with _reported(MissingInputError, f"read {path}"):
        driver, name = _driver(path)
        if _scheme(path) == "memory":  # whose files have one position for all that read them
            return io.BytesIO(driver.cat_file(name))
        file = driver.open(name, "rb", block_size=_READ_AHEAD)
        return io.BufferedReader(_StoreFile(file, path), _BUFFER)


def read_binary(path: str) -> bytes:
    """Return the bytes of a file; FileNotFoundError if it does not exist."""
    with open_binary(path) as source:
        return source.read()


def read_if_there(path: str) -> bytes | None:
    """Return the bytes of a file, or None if there is no such file."""
    if not is_local(path) and not list_files(path):
        return None
    try:
        return read_binary(path)
    except (FileNotFoundError, NotADirectoryError):
        if is_local(path):
            return None
        raise  # it is there, and its store does not answer


def create_binary(path: str, durable: bool = False) -> BinaryIO:
    """Return a new file to write raw bytes to, seen when it is closed: whole, or not at all if an error comes first.

    On this machine it replaces an earlier one in one step, and its folder is made. For a URL the bytes wait in a
    temporary file. If ``durable``, it is on the disk when it is closed; a store has it then anyway.
    """
    if is_local(path):
        return whole_file(Path(path), durable)
    waiting = NamedTemporaryFile()  # noqa: SIM115 - closed when it is published or discarded

    def publish() -> None:
        """Send the bytes of the temporary file to the URL, and give them their name there."""
        with waiting, _reported(OutputError, f"write {path}"):
            driver, name = _driver(path)
            is_store = _scheme(path) in _STORES
            folder, _, last = name.rpartition("/")
            # A store shows a file once it is whole. Others show it while it is written: it gets its name at the end.
            unfinished = name if is_store else f"{folder}/.{last}.{uuid.uuid4().hex}"
            if not is_store:
                driver.makedirs(folder, exist_ok=True)
            if waiting.tell() <= _ONE_REQUEST:
                waiting.seek(0)
                driver.pipe_file(unfinished, waiting.read())
            else:
                waiting.flush()
                driver.put_file(waiting.name, unfinished)
            if not is_store:
                remove(path)  # HDFS renames over nothing
                driver.mv(unfinished, name)

    return cast(BinaryIO, UnfinishedFile(cast(BinaryIO, waiting), publish, waiting.close))


def replace_file(path: str, data: bytes, durable: bool = False) -> None:
    """Write a whole file in one step, in place of an earlier one: a reader sees the old bytes or the new ones."""
    with create_binary(path, durable) as sink:
        sink.write(data)


def write_files(folder: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write files below a folder, each whole, in the order given: a file that names others should come after them."""
    for name, data in files:
        replace_file(str(folder / name), data)


def write_text(path: Path, parts: Iterable[str]) -> None:
    """Write strings in UTF-8, one after the other, to a file that is seen whole or not at all."""
    with create_binary(str(path)) as sink:
        sink.writelines(part.encode() for part in parts)


def copy(source: str, target: str) -> None:
    """Copy a file over an older ``target``, on this machine by a hard link if it can; OutputError if it fails."""
    with _reported(OutputError, f"copy {source} to {target}"):
        make_folder(target.rpartition("/")[0])
        if not is_local(target):
            driver, name = _driver(target)
            if _scheme(target) not in _STORES:
                remove(target)  # HDFS writes over nothing
            driver.cp_file(_driver(source)[1], name)
            return
        part = Path(target).with_name(f".{uuid.uuid4().hex}.part")
        try:
            with suppress(OSError):  # a disk without hard links, or no such file: then copying raises the error
                part.hardlink_to(source)
            if not part.exists():
                shutil.copyfile(source, part)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)  # it stays where both names are the same file


_GLOB: Final = re.compile(r"[*?\[]")


def match(patterns: Sequence[str]) -> list[str]:
    """Return the files that paths, globs and URLs name, sorted, each once.

    Raises MissingInputError for a pattern that names no file, UsageError for a URL that cannot be opened.
    """
    found: set[str] = set()
    for pattern in patterns:
        paths = list_files(check_address(pattern))
        if not paths:
            raise MissingInputError(f"expected a file, or a glob or URL that matches one, saw none for {pattern!r}")
        found.update(paths)
    return sorted(found)


def list_files(pattern: str) -> list[str]:
    """Return the files that match a path, glob or URL, sorted; an empty list if there is no such file.

    ``*`` is any part of a name, ``**`` any part of a path, ``?`` and ``[ab]`` one character. On this machine a glob
    begins below the deepest folder that exists as written: in ``runs[1]/entities/*.parquet`` only the star is a glob
    when there is a folder ``runs[1]/entities``.
    """
    if not is_local(pattern):
        return sorted(_match_remote(pattern))
    if os.path.isfile(pattern):  # noqa: PTH113 - a Path would change how the path is written
        return [pattern]
    # The deepest folder that exists as written, and what follows it: the glob.
    folder, rest = pattern, ""
    while folder not in {"", "/"} and not Path(folder).is_dir():
        folder, _, name = folder.rpartition("/")
        rest = f"{name}/{rest}" if rest else name
        if not folder and pattern.startswith("/"):
            folder = "/"
    if not _GLOB.search(rest.partition("/")[0]):
        return []  # this folder or file does not exist
    expression, enters_subfolders = _translate(rest), "**" in rest or "/" in rest
    prefix = folder if folder.endswith("/") or not folder else f"{folder}/"
    found = []
    for root, subfolders, names in os.walk(folder or "."):
        if not enters_subfolders:
            subfolders.clear()  # ``os.walk`` enters those that are left in this list
        inside = os.path.relpath(root, folder or ".")
        paths = names if inside == "." else [f"{inside}/{name}" for name in names]
        found += [prefix + path for path in paths if expression.fullmatch(path)]
    return sorted(found)


_GLOB_PART: Final = re.compile(r"\*\*|\*|\?|\[(?P<negated>!?)(?P<letters>\]?[^\]]*)\]|.", re.DOTALL)


def _translate(glob: str) -> re.Pattern[str]:
    """Return the expression that fully matches what a glob matches; unlike in ``fnmatch``, ``*`` stops at a slash."""

    def part(found: re.Match[str]) -> str:
        if found["letters"]:
            # In brackets a caret, a backslash and signs of operations on sets mean themselves.
            letters = re.sub(r"([\\^[&~|])", r"\\\1", found["letters"])
            return f"[{'^' if found['negated'] else ''}{letters}]"
        return {"**": ".*", "*": "[^/]*", "?": "."}.get(found[0]) or re.escape(found[0])

    return re.compile(_GLOB_PART.sub(part, glob), re.DOTALL)


def _match_remote(pattern: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the files that match a URL, which may be a glob, and for each what its driver tells, such as its size."""
    # All files below the deepest folder in front of the first wildcard are listed, then compared with the glob.
    glob = _GLOB.search(pattern)
    folder = pattern if glob is None else pattern[: glob.start()].rpartition("/")[0]
    rest = pattern[len(folder) + 1 :]
    with _reported(MissingInputError, f"list {pattern}"):
        driver, root = _driver(folder)
        try:
            if glob is None:
                found = driver.info(root)
                return {pattern: found} if found["type"] == "file" else {}
            enters_subfolders = "**" in rest or "/" in rest
            listed = driver.find(root, detail=True).values() if enters_subfolders else driver.ls(root, detail=True)
        except FileNotFoundError:
            return {}
    expression, prefix = _translate(rest), f"{root.rstrip('/')}/"
    return {
        f"{folder}/{name.removeprefix(prefix)}": entry
        for entry in listed
        # What is listed "in" a file is that file, which does not begin with the prefix.
        if entry["type"] == "file"
        and (name := entry["name"]).startswith(prefix)
        and expression.fullmatch(name, len(prefix))
    }


def size_and_time(path: str) -> tuple[int, float]:
    """Return the bytes of a file and when it was last changed, in seconds since 1970; 0 if a store does not say."""
    with _reported(MissingInputError, f"read {path}"):
        if is_local(path):
            found = Path(path).stat()
            return found.st_size, found.st_mtime
        driver, name = _driver(path)
        size = int(driver.info(name)["size"])
        try:
            return size, driver.modified(name).timestamp()
        except NotImplementedError:
            return size, 0.0


def sizes_below(folder: str) -> dict[str, int]:
    """Return the size in bytes of each file below a folder that is not hidden, by its path there."""
    return {path: size for path, (size, _) in versions_below(folder).items()}


def versions_below(folder: str) -> dict[str, tuple[int, str]]:
    """Return the bytes and a version, which changes with the file, of each file below a folder that is not hidden."""
    if is_local(folder):
        found = {path: Path(path).stat() for path in list_files(f"{folder}/**")}
        versions = {path: (status.st_size, str(status.st_mtime_ns)) for path, status in found.items()}
    else:
        listed = _match_remote(f"{folder}/**")
        versions = {path: (int(entry["size"]), str(entry)) for path, entry in listed.items()}
    inside = {path.removeprefix(f"{folder}/"): version for path, version in sorted(versions.items())}
    return {path: version for path, version in inside.items() if not path.startswith(".") and "/." not in path}


def exists(path: str) -> bool:
    """Return whether there is a file or a folder of exactly this name; a store has a folder if it has files in it."""
    if is_local(path):
        return os.path.exists(path)  # noqa: PTH110 - a Path would change how the path is written
    with _reported(MissingInputError, f"look for {path}"):
        driver, name = _driver(path)
        return bool(driver.exists(name))


# Parts of a path that name nothing below the folder before them: its parent, itself, or the root.
_NO_NAMES: Final = frozenset({"", ".", ".."})


def make_folder(folder: str) -> None:
    """Make a folder and those above it, unless it is there or the store has none; OutputError if it cannot be made."""
    with _reported(OutputError, f"make the folder {folder}"):
        if is_local(folder):
            Path(folder).mkdir(parents=True, exist_ok=True)
        elif _scheme(folder) not in _STORES:
            driver, name = _driver(folder)
            driver.makedirs(name, exist_ok=True)


def remove(path: str) -> None:
    """Remove a file, if it is there; it is not if one of the folders above it is a file."""
    if is_local(path):
        with suppress(FileNotFoundError, NotADirectoryError):
            Path(path).unlink()
        return
    with _reported(OutputError, f"remove {path}"), suppress(FileNotFoundError):
        driver, name = _driver(path)
        driver.rm_file(name)


def remove_below(root: str, name: str) -> None:
    """Remove what has this name below ``root``, if it exists: a file, or a folder with all that is in it.

    OutputError, and nothing removed, if the name leads out of ``root``; on this machine also if it is another user's
    or a symbolic link, or if a folder between ``root`` and it is a symbolic link. Links inside a folder are removed
    with it, but not what they lead to. On a store there are only files.
    """
    if not _NO_NAMES.isdisjoint(name.split("/")):
        raise OutputError(f"expected to remove {root}/{name}, saw what is no name below {root}")
    if not is_local(root):
        path = f"{root}/{name}"
        for_each_file(root, remove, list_files(f"{path}/**") or list_files(path))
        return
    *above, last = name.split("/")
    if not os.path.lexists(f"{root}/{name}"):
        return
    try:
        with ExitStack() as opened:
            # Each folder is opened in the one before, so that no symbolic link below root leads here, now or later.
            folder = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
            opened.callback(os.close, folder)
            for part in above:
                folder = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=folder)
                opened.callback(os.close, folder)
            status = os.stat(last, dir_fd=folder, follow_symlinks=False)
            is_own = status.st_uid == os.getuid()
            if not is_own:
                with suppress(OSError), TemporaryFile(dir=root) as made:  # a network folder may give files one owner
                    is_own = os.fstat(made.fileno()).st_uid == status.st_uid
            if stat.S_ISLNK(status.st_mode) or not is_own:
                raise OutputError("a link, or another user's")
            if stat.S_ISDIR(status.st_mode):
                shutil.rmtree(last, dir_fd=folder)
            else:
                os.unlink(last, dir_fd=folder)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise OutputError(f"expected to remove {root}/{name}, saw {error}") from error


class _UrlPath(str):
    """A URL with as much of ``pathlib.Path`` as data sets and results need; a store has a folder if files are in it."""

    __slots__ = ()

    def __truediv__(self, name: str) -> "_UrlPath":
        return _UrlPath(f"{self}/{name}")

    def __getattr__(self, name: str) -> Any:
        if name not in {"name", "stem", "suffix", "relative_to"}:
            raise AttributeError(name)
        return getattr(PurePosixPath(self), name)

    @property
    def parent(self) -> "_UrlPath":
        return _UrlPath(self.rpartition("/")[0])

    def with_name(self, name: str) -> "_UrlPath":
        return self.parent / name

    def is_relative_to(self, other: "_UrlPath") -> bool:
        return ".." not in self.split("/") and f"{self}/".startswith(f"{other}/")

    def resolve(self) -> "_UrlPath":
        return self  # no link and no current folder changes what a URL means

    def exists(self) -> bool:
        return exists(self)

    def is_file(self) -> bool:
        return bool(list_files(self))

    def is_dir(self) -> bool:
        return self.exists() and not self.is_file()

    def glob(self, pattern: str) -> "Iterator[_UrlPath]":
        return map(_UrlPath, list_files(f"{self}/{pattern}"))

    def rglob(self, pattern: str) -> "Iterator[_UrlPath]":
        return (path for path in self.glob("**") if PurePosixPath(path).match(pattern))

    def open(self, mode: str = "rb") -> BinaryIO:
        if mode != "rb":
            raise ValueError(f"expected 'rb', saw {mode!r}")
        return open_binary(self)

    def read_bytes(self) -> bytes:
        with self.open() as source:
            return source.read()

    def mkdir(self, **_options: bool) -> None:
        make_folder(self)

    def unlink(self, **_options: bool) -> None:
        remove(self)


def path_of(text: str | os.PathLike[str]) -> Path:
    """Return a path or a URL as an object with the methods of a path; UsageError for a URL that cannot be opened."""
    if isinstance(text, _UrlPath):
        return cast(Path, text)
    address = check_address(os.fspath(text))
    return Path(address) if is_local(address) else cast(Path, _UrlPath(address.rstrip("/")))


_THREADS: Final = 16


def for_each_file(place: str, act: Callable[[T], S], files: Iterable[T]) -> list[S]:
    """Return what a function returns for each of some files in a place; the first error ends it."""
    if is_local(place):
        return [act(file) for file in files]
    # On a store each call is a round trip: several run at once.
    pool = ThreadPoolExecutor(_THREADS)
    try:
        return list(pool.map(act, files))
    finally:
        pool.shutdown(cancel_futures=True)
