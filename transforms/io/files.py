"""Files by path or URL, through Beam's file systems, so that local paths, gs://, s3:// and hdfs:// work alike.

On this machine a path is taken as written: a folder may have a bracket, a star or a question mark in its name.
"""

import importlib.util
import os
import re
import shutil
import stat
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import SpooledTemporaryFile, TemporaryFile
from typing import IO, Any, BinaryIO, Final, TypeVar, cast
from urllib.parse import unquote, urlsplit

from apache_beam.io.filesystem import BeamIOError, CompressionTypes, FileMetadata, FileSystem
from apache_beam.io.filesystems import FileSystems
from apache_beam.options.pipeline_options import PipelineOptions

from wikisem import atomic_files
from wikisem.atomic_files import UnfinishedFile, whole_file
from wikisem.errors import MissingInputError, OutputError, UsageError

# Beam sets options when a pipeline is made, or a worker begins. Without any its S3 file system opens nothing.
if FileSystems._pipeline_options is None:  # noqa: SLF001
    FileSystems.set_options(PipelineOptions([]))


# Paths and URLs as people write them.

# The file systems of Beam 2.77: the module that each of them imports, and the extra that installs it.
_REMOTE: Final = {
    "gs": ("apitools", "gcp"),
    "s3": ("boto3", "aws"),
    "hdfs": ("hdfs", "hadoop"),
    "azfs": ("azure.storage.blob", "azure"),
}
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")


def is_local(path: str) -> bool:
    """Whether a path is on this machine, that is, not a URL."""
    return _SCHEME.match(path) is None


def absolute(path: str) -> str:
    """A path that means the same to a worker with another current folder, as a URL does."""
    return os.path.abspath(path) if is_local(path) else path  # noqa: PTH100 - a Path would keep ".."


def check_address(path: str) -> str:
    """Check a path, or a URL that Beam must be able to open, and return it; a ``file://`` URL becomes its path.

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


# Reading and writing a file.

# What is written to a store waits in memory up to this many bytes, beyond that in a temporary file.
_IN_MEMORY: Final = 1 << 24


def open_binary(path: str) -> BinaryIO:
    """The raw bytes of a file, seekable, never decompressed on the way; the opener that wikisem.dumps takes."""
    return cast(
        BinaryIO,
        FileSystems.open(path, "application/octet-stream", compression_type=CompressionTypes.UNCOMPRESSED),
    )


def create_binary(path: str, durable: bool = False) -> BinaryIO:
    """A new file to write raw bytes to, seen when it is closed: whole, or not at all where an error comes first.

    On this machine it replaces an earlier one in one step, and its folder is made. For a store the bytes wait in memory
    or a temporary file, since an object that an error cuts short would otherwise be seen as if it were whole. If
    ``durable``, it is on the disk when it is closed; a store has it then anyway.
    """
    if is_local(path):
        return whole_file(Path(path), durable)
    waiting = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - closed when it is published or discarded

    def publish() -> None:
        with waiting:
            size = waiting.tell()
            waiting.seek(0)
            _upload(path, waiting, size)

    return cast(BinaryIO, UnfinishedFile(cast(BinaryIO, waiting), publish, waiting.close))


def _upload(path: str, source: IO[bytes], size: int) -> None:
    folder, _, name = path.rpartition("/")
    make_folder(folder)
    # HDFS shows a file while it is written, and neither writes nor renames over another one.
    has_folders = FileSystems.get_filesystem(path).has_dirs()
    first = f"{folder}/.{name}.{uuid.uuid4().hex}" if has_folders else path
    try:
        sink = FileSystems.create(first, "application/octet-stream", compression_type=CompressionTypes.UNCOMPRESSED)
        shutil.copyfileobj(source, sink, 1 << 24)
        if not size and path.startswith("s3://"):
            # Beam 2.77 sends an object in parts and forgets to send one where there are no bytes, which S3 refuses.
            cast(Any, sink).raw._uploader._write_to_s3(b"")  # noqa: SLF001
        sink.close()
        if has_folders:
            remove(path)
            FileSystems.rename([first], [path])
    except OSError as error:
        raise OutputError(f"expected to write {path}, saw {error}") from error


def replace_file(path: str, data: bytes, durable: bool = False) -> None:
    """Write a whole file in one step, in place of an earlier one: a reader sees the old bytes or the new ones."""
    with create_binary(path, durable) as sink:
        sink.write(data)


def sync_files(folder: str, paths: Iterable[str]) -> None:
    """Force files below a folder to the disk, with their names; a store has what was written to it."""
    if is_local(folder):
        atomic_files.sync_files(Path(folder), [Path(folder, path) for path in paths])


def copy(source: str, target: str) -> None:
    """Give a file a second name, in place of what has that name. OutputError when it cannot be done.

    On this machine that is one step, and needs no more disk: a hard link where the file system has them. Doing it again
    changes nothing, so a bundle may be run again.
    """
    if is_local(target):
        _link(Path(source), Path(target))
        return
    make_folder(target.rpartition("/")[0])
    if FileSystems.get_filesystem(target).has_dirs():
        remove(target)  # HDFS writes over nothing
    try:
        # S3's gives a list of what failed, where the other file systems raise.
        failed = [one for one in FileSystems.copy([source], [target]) or [] if one[-1] is not None]
    except OSError as error:
        raise OutputError(f"expected to copy {source} to {target}, saw {error}") from error
    if failed:
        raise OutputError(f"expected to copy {source} to {target}, saw {failed[0][-1]}")


def _link(source: Path, target: Path) -> None:
    part = target.with_name(f".{uuid.uuid4().hex}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            part.hardlink_to(source)
        except FileNotFoundError:
            raise
        except OSError:  # no hard links here
            shutil.copyfile(source, part)
        part.replace(target)
    except OSError as error:
        raise OutputError(f"expected to copy {source} to {target}, saw {error}") from error
    finally:
        part.unlink(missing_ok=True)  # it stays where both names are the same file


# Finding files.

_GLOB: Final = re.compile(r"[*?\[]")


def match(patterns: Sequence[str]) -> list[str]:
    """The files that paths, globs and URLs name, sorted, each once.

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
    """The files that match a path, glob or URL, sorted; an empty list if there is no such file.

    ``*`` is any part of a name, ``**`` any part of a path, ``?`` and ``[ab]`` one character. On this machine a glob
    begins below the deepest folder that exists as written: in ``runs[1]/entities/*.parquet`` only the star is a glob
    when there is a folder ``runs[1]/entities``.
    """
    if is_local(pattern):
        return sorted(_match_local(pattern))
    return sorted(entry.path for entry in _match_remote(pattern))


def _match_local(pattern: str) -> Iterator[str]:
    """The files of this machine that match a path or glob, by the rules of Beam's globs.

    What exists as written is not a glob.
    """
    if os.path.isfile(pattern):  # noqa: PTH113 - a Path would change how the path is written
        yield pattern
        return
    folder, rest = _split_at_folder(pattern)
    if not _GLOB.search(rest.partition("/")[0]):
        return  # this folder or file does not exist
    expression = re.compile(FileSystem.translate_pattern(rest))
    deep = "**" in rest or "/" in rest
    prefix = folder if folder.endswith("/") or not folder else f"{folder}/"
    for root, below, names in os.walk(folder or "."):
        if not deep:
            below.clear()
        inside = os.path.relpath(root, folder or ".")
        for name in names:
            path = name if inside == "." else f"{inside}/{name}"
            if expression.match(path):
                yield prefix + path


def _split_at_folder(pattern: str) -> tuple[str, str]:
    """The deepest folder of a pattern that exists as written, and what follows it."""
    folder, rest = pattern, ""
    while folder not in {"", "/"} and not Path(folder).is_dir():
        folder, _, name = folder.rpartition("/")
        rest = f"{name}/{rest}" if rest else name
        if not folder and pattern.startswith("/"):
            folder = "/"
    return folder, rest


def _match_remote(pattern: str) -> Sequence[FileMetadata]:
    try:
        return cast(Sequence[FileMetadata], FileSystems.match([pattern])[0].metadata_list)
    except BeamIOError as error:
        raise MissingInputError(f"expected to list {pattern!r}, saw {error}") from error


def size_and_time(path: str) -> tuple[int, float]:
    """The size of a file in bytes and when it was last changed, in seconds since 1970."""
    try:
        metadata = FileSystems.get_filesystem(path).metadata(path)
    except BeamIOError as error:
        raise MissingInputError(f"expected a file that can be read, saw {path!r}: {error}") from error
    return int(metadata.size_in_bytes), float(metadata.last_updated_in_seconds or 0)


def size_of(path: str) -> int:
    """The size of a file in bytes."""
    return size_and_time(path)[0]


def sizes_below(folder: str) -> dict[str, int]:
    """The size in bytes of every file below a folder, by its path there, without hidden ones that programs leave."""
    return {path: size for path, (size, _) in versions_below(folder).items()}


def versions_below(folder: str) -> dict[str, tuple[int, float]]:
    """As ``sizes_below``, each size with the time of the last change, in seconds since 1970."""
    if is_local(folder):
        found = {path: Path(path).stat() for path in list_files(f"{folder}/**")}
        versions = {path: (one.st_size, one.st_mtime) for path, one in found.items()}
    else:
        entries = _match_remote(f"{folder}/**")
        versions = {one.path: (int(one.size_in_bytes), float(one.last_updated_in_seconds or 0)) for one in entries}
    inside = {path.removeprefix(f"{folder}/"): version for path, version in sorted(versions.items())}
    return {path: version for path, version in inside.items() if not path.startswith(".") and "/." not in path}


def exists(path: str) -> bool:
    """Whether there is a file, or on a file system with folders a folder, of exactly this name."""
    return bool(FileSystems.exists(path))


# Making folders, and removing.

# Parts of a path that name nothing below the folder before them: its parent, itself, or the root.
_NO_NAMES: Final = frozenset({"", ".", ".."})


def make_folder(folder: str) -> None:
    """Make a folder and those above it; one that is there already is fine. OutputError when it cannot be made.

    Nothing happens on a store that has no folders.
    """
    if not folder or not FileSystems.get_filesystem(folder).has_dirs() or exists(folder):
        return
    try:
        FileSystems.mkdirs(folder)
    except OSError as error:
        # Two workers may make the same folder at once: only a folder that is still missing is a failure.
        if not exists(folder):
            raise OutputError(f"expected to make the folder {folder!r}, saw {error}") from error


def remove(path: str) -> None:
    """Remove a file, if it is there; it is not if one of the folders above it is a file."""
    if is_local(path):
        with suppress(FileNotFoundError, NotADirectoryError):
            Path(path).unlink()
    elif not FileSystems.get_filesystem(path).has_dirs() or exists(path):
        FileSystems.delete([path])  # which object stores do whether there is one or not


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
        if paths := list_files(f"{path}/**") or [path] * exists(path):
            FileSystems.delete(paths)
        return
    *above, last = name.split("/")
    if not os.path.lexists(f"{root}/{name}"):
        return
    try:
        with _open_folder(root, above) as folder:
            found = os.stat(last, dir_fd=folder, follow_symlinks=False)
            if stat.S_ISLNK(found.st_mode) or not is_own(found, root):
                raise OutputError("a link, or another user's")
            if stat.S_ISDIR(found.st_mode):
                shutil.rmtree(last, dir_fd=folder)
            else:
                os.unlink(last, dir_fd=folder)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise OutputError(f"expected to remove {root}/{name}, saw {error}") from error


@contextmanager
def _open_folder(root: str, names: Sequence[str]) -> Iterator[int]:
    """A folder below another one, open: no symbolic link below ``root`` leads to it, now or later."""
    opened = [os.open(root, os.O_RDONLY | os.O_DIRECTORY)]
    try:
        for name in names:
            opened.append(os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=opened[-1]))
        yield opened[-1]
    finally:
        for folder in opened:
            os.close(folder)


def is_own(found: os.stat_result, folder: str) -> bool:
    """Whether a file below a folder of this machine belongs to this user, by its ``lstat`` result."""
    if found.st_uid == os.getuid():
        return True
    with suppress(OSError), TemporaryFile(dir=folder) as made:  # a network folder may give all files one owner
        return os.fstat(made.fileno()).st_uid == found.st_uid
    return False


# Many small files at once.

_AT_ONCE: Final = 16
T = TypeVar("T")


def for_each_file(place: str, act: Callable[[T], object], files: Iterable[T]) -> None:
    """Call a function for each of some files in a place; the first error ends it, without the files not begun yet.

    On this machine the calls follow one another; on a store, where each is a round trip, several run at once.
    """
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
