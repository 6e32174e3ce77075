"""Answers on disk, so that a run that was cut off goes on where it stopped, and nothing is asked twice."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from wikisem.atomic_files import whole_file


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
        with whole_file(self._path(endpoint, query)) as sink:
            sink.write(answer)

    def _path(self, endpoint: str, query: str) -> Path:
        key = hashlib.sha256(f"{endpoint}\n{query}".encode()).hexdigest()
        return self.folder / f"{key}.json"
