"""A web server on this machine that does wrong on demand: what the servers of dumps and of SPARQL share."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

S = TypeVar("S")


@dataclass(frozen=True)
class Fault:
    """What a server does wrong with one request: a status with headers, another body, or one that is cut short."""

    status: int = 0  # 0: that of the real answer
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    keep: float = 1.0  # the share of the body that is sent before the connection is closed
    hang_up: bool = False  # close the connection before a word is said


class Handler(BaseHTTPRequestHandler):
    """Answers requests of any kind in ``answer``, from what the server is about, and says nothing on the console."""

    def answer(self) -> None:
        """Send the answer to one request."""
        raise NotImplementedError

    def do_GET(self) -> None:
        """Answer it."""
        self.answer()

    do_HEAD = do_POST = do_GET  # noqa: N815 - the names are the base class's

    @property
    def about(self) -> Any:
        """What ``serving`` yields: files, faults to come, what was asked."""
        return self.server.about  # type: ignore[attr-defined]

    def send(self, status: int, headers: Mapping[str, str], body: bytes, length: int | None = None) -> None:
        """An answer whose Content-Length is ``length``, or that of the body."""
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        """Say nothing."""


@contextmanager
def serving(handler: type[Handler], about: Callable[[str], S]) -> Iterator[S]:
    """A running server until the context is left; ``about`` makes what is yielded from the server's URL."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as http:
        http.daemon_threads = True
        server = about(f"http://127.0.0.1:{http.server_address[1]}")
        http.about = server  # type: ignore[attr-defined]
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            http.shutdown()
            thread.join()
