"""Answers on disk, so that a run that was cut off goes on where it stopped, and nothing is asked twice."""

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from wikisem.errors import OutputError


@dataclass(frozen=True, slots=True)
class AnswerCache:
    """Whole answers in one folder, each in a file named after the endpoint and the query it belongs to."""

    folder: Path

    def get(self, endpoint: str, query: str) -> bytes | None:
        """The answer to a query, if it is there."""
        try:
            return self._path(endpoint, query).read_bytes()
        except FileNotFoundError:
            return None

    def put(self, endpoint: str, query: str, answer: bytes) -> None:
        """Keep an answer; a reader sees the whole of it or nothing. OutputError when it cannot be written."""
        path = self._path(endpoint, query)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.folder, prefix=".", suffix=".part")
            with os.fdopen(handle, "wb") as part:
                part.write(answer)
            Path(name).replace(path)
        except OSError as error:
            raise OutputError(f"expected to keep answers in {self.folder}, saw {error}") from error

    def _path(self, endpoint: str, query: str) -> Path:
        key = hashlib.sha256(f"{endpoint}\n{query}".encode()).hexdigest()
        return self.folder / f"{key}.json"
