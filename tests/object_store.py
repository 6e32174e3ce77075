"""An object store that keeps its objects in a folder, with the semantics that Beam's own have, and bundles run twice.

``store://bucket/a/b.txt`` is an object; ``a/`` is none, as on a store there are no folders: to make one does nothing, a
question for one says no, to rename or delete one finds nothing, as with ``GCSFileSystem`` and ``GcsIO`` of Beam 2.77.
An object is seen when its writer is closed, also by an exception, and reading one that is not there fails with an error
of the store's own, at the first read. Worker processes see the same objects, for Beam imports every file system that
the main process knows, and the folder is in the environment.
"""

import collections
import io
import os
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import apache_beam as beam
from apache_beam.io.filesystem import BeamIOError, CompressionTypes, FileMetadata, FileSystem

FOLDER = "WIKISEM_TEST_STORE"
SCHEME = "store"


class NotFoundError(Exception):
    """What a store says of an object that is not there; no OSError, as google.api_core's is none."""


def object_path(url: str) -> Path:
    """The file that holds an object: its whole name is one name of a file."""
    scheme, mark, name = url.partition("://")
    assert mark, url
    assert scheme in {ObjectStore.scheme(), FolderStore.scheme()}, url
    return Path(os.environ[FOLDER]) / quote(name, safe="")


class _Writer(io.BytesIO):
    """An object that is seen once it is closed, whatever closes it."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._path = object_path(url)

    def close(self) -> None:
        if not self.closed:
            part = self._path.with_name(f".{uuid.uuid4().hex}")
            part.write_bytes(self.getvalue())
            part.replace(self._path)
        super().close()


class _Reader(io.BytesIO):
    """An object that is fetched when it is read first."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url, self._fetched = url, False

    def _fetch(self) -> None:
        if not self._fetched:
            self._fetched = True
            try:
                data = object_path(self._url).read_bytes()
            except FileNotFoundError as error:
                raise NotFoundError(f"404 {self._url}") from error
            super().write(data)
            super().seek(0)

    def read(self, size: int | None = -1, /) -> bytes:
        self._fetch()
        return super().read(size)

    def seek(self, offset: int, whence: int = 0, /) -> int:
        self._fetch()
        return super().seek(offset, whence)

    def readinto(self, buffer: Any, /) -> int:
        self._fetch()
        return super().readinto(buffer)

    def readline(self, size: int | None = -1, /) -> bytes:
        self._fetch()
        return super().readline(size)


class ObjectStore(FileSystem):
    """``store://`` for Beam."""

    @classmethod
    def scheme(cls) -> str:
        """The scheme of its URLs."""
        return SCHEME

    def join(self, basepath: str, *paths: str) -> str:
        """Names with one slash between them."""
        return "/".join([basepath.rstrip("/"), *(path.strip("/") for path in paths)])

    def split(self, path: str) -> tuple[str, str]:
        """What is before the last slash, and after it."""
        head, _, tail = path.rpartition("/")
        return head, tail

    def mkdirs(self, path: str) -> None:
        """Nothing."""

    def has_dirs(self) -> bool:
        """No."""
        return False

    def _list(self, dir_or_prefix: str) -> Iterator[FileMetadata]:
        """All objects whose names begin so."""
        for path in sorted(Path(os.environ[FOLDER]).iterdir()):
            url = f"{self.scheme()}://{unquote(path.name)}"
            if not path.name.startswith(".") and url.startswith(dir_or_prefix):
                yield self.metadata(url)

    def create(self, path: str, mime_type: str = "", compression_type: str = CompressionTypes.AUTO) -> Any:
        """A writer of an object."""
        del mime_type, compression_type
        assert not path.endswith("/"), path
        return _Writer(path)

    def open(self, path: str, mime_type: str = "", compression_type: str = CompressionTypes.AUTO) -> Any:
        """A reader of an object, which may not be there."""
        del mime_type, compression_type
        return _Reader(path)

    def copy(self, source_file_names: Sequence[str], destination_file_names: Sequence[str]) -> None:
        """Copy objects."""
        for source, target in zip(source_file_names, destination_file_names, strict=True):
            try:
                data = object_path(source).read_bytes()
            except FileNotFoundError as error:
                raise BeamIOError("Copy operation failed", {(source, target): error}) from error
            with _Writer(target) as sink:
                sink.write(data)

    def rename(self, source_file_names: Sequence[str], destination_file_names: Sequence[str]) -> None:
        """Copy objects and delete their sources; there is no object of a folder's name."""
        self.copy(source_file_names, destination_file_names)
        self.delete(list(source_file_names))

    def exists(self, path: str) -> bool:
        """Whether there is an object of this name."""
        return object_path(path).is_file()

    def size(self, path: str) -> int:
        """Its size."""
        return int(self.metadata(path).size_in_bytes)

    def last_updated(self, path: str) -> float:
        """When it was written."""
        return float(self.metadata(path).last_updated_in_seconds)

    def checksum(self, path: str) -> str:
        """What tells it from others."""
        return str(self.metadata(path))

    def metadata(self, path: str) -> FileMetadata:
        """Its size and time; BeamIOError where there is no such object."""
        try:
            found = object_path(path).stat()
        except FileNotFoundError as error:
            raise BeamIOError("Metadata operation failed", {path: error}) from error
        return FileMetadata(path, found.st_size, found.st_mtime)

    def delete(self, paths: Sequence[str]) -> None:
        """Delete what patterns match; the name of a folder matches no object."""
        for result in self.match(list(paths)):
            for entry in result.metadata_list:
                object_path(entry.path).unlink(missing_ok=True)


class FolderStore(ObjectStore):
    """``folders://``: one that has folders, and writes and renames over nothing, as HDFS."""

    @classmethod
    def scheme(cls) -> str:
        """The scheme of its URLs."""
        return "folders"

    def has_dirs(self) -> bool:
        """Yes."""
        return True

    def exists(self, path: str) -> bool:
        """Whether there is a file, or one below a folder."""
        return super().exists(path) or any(self._list(f"{path}/"))

    def create(self, path: str, mime_type: str = "", compression_type: str = CompressionTypes.AUTO) -> Any:
        """A writer of a new file."""
        if self.exists(path):
            raise OSError(f"{path} exists")
        return super().create(path, mime_type, compression_type)

    def copy(self, source_file_names: Sequence[str], destination_file_names: Sequence[str]) -> None:
        """Copy files to new names."""
        if taken := [path for path in destination_file_names if self.exists(path)]:
            raise BeamIOError("Copy operation failed", {taken[0]: OSError("exists")})
        super().copy(source_file_names, destination_file_names)


class Twice(beam.DoFn):
    """A DoFn whose bundles are tried before they are run, and tried again after all others of the worker.

    A runner may run a bundle again: when a worker died after it had written all, or beside one that is slow. What such
    a try yields is thrown away, and what it writes must change nothing.
    """

    tries = 0

    def __init__(self, inner: beam.DoFn) -> None:
        self._inner = inner
        self._seen: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = []

    def infer_output_type(self, input_type: Any) -> Any:
        """As the inner one."""
        return self._inner.infer_output_type(input_type)

    def get_type_hints(self) -> Any:
        """As the inner one."""
        return self._inner.get_type_hints()

    def setup(self) -> None:
        """As the inner one."""
        self._inner.setup()

    def process(self, element: Any, *rest: Any, **more: Any) -> Iterator[Any]:
        """Try, try the one before again, and run."""
        self._try(element, *rest, **more)
        if self._seen:
            last, its_rest, its_more = self._seen[-1]
            self._try(last, *its_rest, **its_more)
        yield from self._inner.process(element, *rest, **more) or ()
        self._seen.append((element, rest, more))

    def finish_bundle(self) -> None:
        """Try everything again, the last one first."""
        for element, rest, more in reversed(self._seen):
            self._try(element, *rest, **more)
        self._seen.clear()

    def teardown(self) -> None:
        """As the inner one."""
        self._inner.teardown()

    def _try(self, element: Any, *rest: Any, **more: Any) -> None:
        Twice.tries += 1
        collections.deque(self._inner.process(element, *rest, **more) or (), maxlen=0)


def twice(fn: Any, *rest: Any, **more: Any) -> beam.ParDo:
    """``beam.ParDo`` whose bundles run twice."""
    return beam.transforms.core.ParDo(Twice(fn) if isinstance(fn, beam.DoFn) else fn, *rest, **more)
