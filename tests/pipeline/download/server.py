"""A server of dumps on this machine: folders and files as dumps.wikimedia.org has them, and faults to come."""

import hashlib
import json
import threading
from collections import defaultdict
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from tests import http_server
from tests.waiting import PATIENCE


@dataclass(frozen=True)
class Fault(http_server.Fault):
    """What the server does wrong with one request, ranges and versions of files included."""

    no_range: bool = False  # a server that answers with the whole file whatever is asked
    shift: int = 0  # how far after the byte that was asked for a part begins
    content_range: str | None = None  # the header of a part
    no_version: bool = False  # neither an ETag nor a date
    most: int = 0  # the longest part that is sent of a range, and said to be sent; 0 for all of it
    more: bytes = b""  # what follows a body whose length is not said


@dataclass
class Server:
    """Files by path, faults by path (one a request), and what was asked."""

    url: str
    files: dict[str, bytes] = field(default_factory=dict)
    faults: defaultdict[str, list[Fault]] = field(default_factory=lambda: defaultdict(list))
    asked: list[tuple[str, str, str]] = field(default_factory=list)  # method, path, Range
    agents: set[str] = field(default_factory=set)
    logins: set[tuple[str | None, str]] = field(default_factory=set)  # Authorization, parameters of the URL
    gate: threading.Barrier | None = None  # requests for shards wait here for each other
    at_once: int = 0  # requests that wait
    most_at_once: int = 0

    def add_export(self, wiki: str, date: str, shards: dict[str, bytes], *, complete: bool = True) -> str:
        """A content export; returns its folder."""
        folder = f"/other/mediawiki_content_current/{wiki}/{date}/xml/bzip2"
        names = {f"{wiki}-{date}-{pages}.xml.bz2": body for pages, body in shards.items()}
        self.files |= {f"{folder}/{name}": body for name, body in names.items()}
        if complete:
            sums = [f"{hashlib.sha256(body).hexdigest()}  {name}\n" for name, body in names.items()]
            self.files[f"{folder}/SHA256SUMS"] = "".join(sums).encode()
        return folder

    def add_older(self, wiki: str, day: str, body: bytes, status: str = "done") -> str:
        """A pages-articles dump with its index; returns the path of the articles."""
        name = f"{wiki}-{day}-pages-articles-multistream.xml.bz2"
        about = {"size": len(body), "sha1": hashlib.sha1(body).hexdigest(), "url": f"/{wiki}/{day}/{name}"}
        files = {name: about, name.replace(".xml", "-index.txt"): about} if status == "done" else {}
        jobs = {"articlesmultistreamdump": {"status": status, "files": files}, "allpagesdump": {"status": "done"}}
        self.files[f"/{wiki}/{day}/dumpstatus.json"] = json.dumps({"jobs": jobs}).encode()
        self.files[f"/{wiki}/{day}/{name}"] = body
        return f"/{wiki}/{day}/{name}"

    def add_wikidata(self, day: str, files: dict[str, bytes], *, sums: bool = True) -> str:
        """A folder of Wikidata's dumps; returns it."""
        folder = f"/wikidatawiki/entities/{day}"
        self.files |= {f"{folder}/{name}": body for name, body in files.items()}
        lines = [f"{hashlib.sha1(body).hexdigest()}  {name}\n" for name, body in files.items()] if sums else []
        self.files[f"{folder}/wikidata-{day}-sha1sums.txt"] = "".join(lines).encode()
        return folder

    def ranges(self, path: str) -> list[str]:
        """The Range headers of the requests for a file, "" where there was none."""
        return [wanted for method, asked, wanted in self.asked if asked == path and method == "GET"]

    def listing(self, path: str) -> bytes | None:
        """A page of links to what is in a folder; None if there is nothing."""
        inside = {name[len(path) :].partition("/") for name in self.files if name.startswith(path)}
        links = sorted({head + slash for head, slash, _ in inside})
        page = "".join(f'<a href="{link}">{link}</a> 01-Nov-2026 12:00\n' for link in links)
        return f'<html><a href="../">../</a>\n{page}</html>'.encode() if links else None


def serve() -> AbstractContextManager[Server]:
    """An empty server, until the context is left."""
    return http_server.serving(_Handler, Server)


_LOCK = threading.Lock()


class _Handler(http_server.Handler):
    def answer(self) -> None:
        """Send the file or listing, or the next fault of its path."""
        server: Server = self.about
        self.path, _, parameters = self.path.partition("?")
        wanted = self.headers.get("Range", "")
        with _LOCK:
            server.asked.append((self.command, self.path, wanted))
            server.agents.add(self.headers["User-Agent"])
            server.logins.add((self.headers["Authorization"], parameters))
            faults = server.faults[self.path] if self.command == "GET" else []
            fault = faults.pop(0) if faults else Fault()
        if server.gate is not None and self.path.endswith(".bz2") and self.command == "GET":
            self._wait(server, server.gate)
        self._answer(server, fault, wanted)

    def _wait(self, server: Server, gate: threading.Barrier) -> None:
        """Wait for others. Nobody is counted any more when the answer goes out: the next request may come then."""
        with _LOCK:
            server.at_once += 1
            server.most_at_once = max(server.most_at_once, server.at_once)
        try:
            gate.wait(PATIENCE)
        finally:
            with _LOCK:
                server.at_once -= 1

    def _answer(self, server: Server, fault: Fault, wanted: str) -> None:
        if fault.hang_up:
            self.close_connection = True
            return
        body = server.listing(self.path) if self.path.endswith("/") else server.files.get(self.path)
        if fault.status or body is None:
            self._send(fault.status or 404, b"", dict(fault.headers))
            return
        body = body if fault.body is None else fault.body
        tag = f'"{hashlib.md5(body).hexdigest()}"'
        headers = {} if fault.no_version else {"ETag": tag}
        fresh = self.headers.get("If-Range", tag) == tag and not fault.no_range
        if wanted and fresh:
            start = int(wanted.removeprefix("bytes=").rstrip("-"))
            if start >= len(body):
                self._send(416, b"", {"Content-Range": f"bytes */{len(body)}"})
                return
            start = max(0, start + fault.shift)
            part = body[start : start + fault.most] if fault.most else body[start:]
            headers["Content-Range"] = fault.content_range or f"bytes {start}-{start + len(part) - 1}/{len(body)}"
            self._send(206, part, headers, fault.keep)
        elif fault.more:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body + fault.more)
            self.close_connection = True
        else:
            self._send(200, body, headers, fault.keep)

    def _send(self, status: int, body: bytes, headers: dict[str, str], keep: float = 1.0) -> None:
        self.send(status, headers, body[: int(len(body) * keep)], len(body))
        self.close_connection = True
