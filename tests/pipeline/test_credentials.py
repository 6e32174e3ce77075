"""Credentials in URLs get to the servers that they are for, and nowhere else: no message and no file has them."""

import base64
import io
import pickle
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar, TypeAlias
from urllib.parse import quote

import fsspec
import pyarrow.parquet as pq
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from tests.http_server import Handler, serving
from tests.outputs.release.world import write_run
from tests.pipeline.download import server as dumps
from wikisem.datasets import files as data_sets
from wikisem.errors import MissingInputError, redacted
from wikisem.files import list_files, open_binary, replace_file
from wikisem.pipeline.cli import main
from wikisem.pipeline.demo import SampleDumps
from wikisem.pipeline.runs.inputs import Dump, Input
from wikisem.pipeline.runs.lock import LockFile

Said: TypeAlias = Callable[..., str]

SECRET = "hush/plugh"  # as of AWS, with a slash
SIGNED = "xyzzy"
HIDDEN = (b"hush", b"plugh", b"xyzzy")


def words_of(path: str) -> bytes:
    """All that a file holds: of Parquet its metadata and its rows."""
    with open_binary(path) as source:
        data = source.read()
    if not path.endswith(".parquet"):
        return data
    file = pq.ParquetFile(io.BytesIO(data))
    return f"{file.schema_arrow.metadata} {file.read().to_pydict()}".encode()


def leaks(folder: str) -> list[str]:
    """The files below a folder whose names or bytes have a secret."""
    paths = list_files(f"{folder}/**")
    assert paths
    return [path for path in paths if any(word in words_of(path) + path[len(folder) :].encode() for word in HIDDEN)]


@pytest.fixture
def said(capfd: pytest.CaptureFixture[str]) -> Said:
    """Run a command that ends with a code, and return all that is printed, in which there must be no secret."""

    def run(words: list[str], code: int = 0) -> str:
        ended = main(words)
        out, err = capfd.readouterr()
        assert not any(word.decode() in out + err for word in HIDDEN), out + err
        assert ended == code, err
        return out + err

    return run


class Store(MemoryFileSystem):
    """``vault://``: a store that says the whole URL in its errors, and refuses files of some names."""

    protocol = "vault"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return str(super()._strip_protocol(path.removeprefix("vault://")))

    def _open(self, path: str, mode: str = "rb", **options: Any) -> Any:
        if "refused" in path and mode == "rb":
            raise PermissionError(f"403 for vault:/{path}?X-Amz-Signature={SIGNED}")
        file = super()._open(path, mode, **options)
        return io.BytesIO(file.getvalue()) if mode == "rb" else file


fsspec.register_implementation("vault", Store, clobber=True)


@pytest.fixture(scope="module")
def place(world: SampleDumps) -> str:
    """A place in a store, named with a secret, that has the dumps of the sample world."""
    place = f"vault://key:{SECRET}@bucket-{uuid.uuid4()}"
    for path in (world.wikidata, world.wikipedia["de"]):
        with open_binary(path) as source:
            replace_file(f"{place}/in/{Path(path).name}", source.read())
    return place


@pytest.mark.slow
def test_a_build_and_all_that_reads_it_keep_a_secret(
    place: str, world: SampleDumps, tmp_path: Path, said: Said
) -> None:
    """Manifest, records, lock file, unreadable records, release, pages and scores; the manifest says what it read."""
    out, wikidata, de = f"{place}/out", Path(world.wikidata).name, Path(world.wikipedia["de"]).name
    wikipedia = ["--wikipedia", f"de={place}/in/{de}"]
    said(["build", "demo", "--wikidata", f"{place}/in/{wikidata}", *wikipedia, "--output", out, "--workers", "1"])
    with open_binary(f"{out}/manifest.json") as source:
        assert f'"path": "{redacted(place)}/in/{de}"'.encode() in source.read()
    groups = list_files(f"{out}/wikisem500/de/*.txt")
    with open_binary(groups[0]) as source:
        words = source.read().decode().split("\n")
    vectors = [f"{word.replace(' ', '_')} {number} 1\n" for number, word in enumerate(filter(None, words))]
    (tmp_path / "v.txt").write_text("".join(vectors))
    model = ["--vectors", str(tmp_path / "v.txt")]
    for command in (
        ["show", out, Path(groups[0]).stem],
        ["audit", out],
        ["check", out, "--language", "de", "--recipe", "demo"],
        ["explain", out, Path(groups[0]).stem],
        ["changes", out, out],
        ["languages", out],
        ["browse", out, "--output", f"{tmp_path}/page"],
        ["release", out, "--output", f"{tmp_path}/set"],
        ["annotate", out, "--output", f"{tmp_path}/sheets", "--language", "de", "--groups", "2", "--annotators", "1"],
        ["evaluate", "outliers", out, *model, "--output", f"{tmp_path}/scores.json"],
        ["evaluate", "outliers", out, *model, "--cases", f"{tmp_path}/cases.jsonl", "--json"],
    ):
        said(command)
    assert leaks(place) == []
    assert leaks(str(tmp_path)) == []


FAULTS = {
    "no such file": (["--wikidata", "PLACE/in/none.json.gz"], 1, "expected a file, or a glob or URL"),
    "no dump": (["--wikidata", "PLACE/in/DE"], 1, "expected Wikidata JSON"),
    "a file that the store refuses": (["--wikidata", "PLACE/in/refused.json"], 1, "vault://***@bucket"),
    "a language that is none": (["--wikidata", "PLACE/in/WD", "--wikipedia", "xx=PLACE/in/DE"], 2, "xx"),
    "a driver that is none": (["--wikidata", "nope://key:SECRET@x/y"], 2, "saw 'nope://***@x/y'"),
    "an address of the web": (["--wikidata", "https://key:SECRET@x/y?token=SIGNED"], 2, "https://***@x/y?token=***'"),
}


@pytest.mark.parametrize(("words", "code", "told"), FAULTS.values(), ids=FAULTS)
def test_what_is_told_of_a_failure_has_no_secret(
    words: list[str], code: int, told: str, place: str, world: SampleDumps, said: Said
) -> None:
    """Whoever says it: wikisem, the driver of a store, Beam."""
    replace_file(f"{place}/in/refused.json", b"[")
    names = {"WD": Path(world.wikidata).name, "DE": Path(world.wikipedia["de"]).name}
    names |= {"PLACE": place, "SECRET": SECRET, "SIGNED": SIGNED}
    for name, text in names.items():
        words = [word.replace(name, text) for word in words]
    given = words if "--wikipedia" in words else ["--wikipedia", f"de={place}/in/{names['DE']}", *words]
    assert told in said(["build", "demo", "--output", f"{place}/{uuid.uuid4()}", "--workers", "1", *given], code)


def test_a_person_who_names_a_secret_where_none_is_taken_reads_no_secret(said: Said) -> None:
    """In options of Beam for a command that has no pipeline, and in a word that no option takes."""
    beam = ["show", "x", "Q1", "--", "--s3_session_token", SIGNED, f"--s3_secret_access_key={SECRET}"]
    assert "saw --s3_session_token *** --s3_secret_access_key=***" in said(beam, 2)
    assert "https://***@x" in said(["show", "x", "Q1", f"https://{SIGNED}@x"], 2)


def test_a_traceback_for_a_report_has_no_secret(tmp_path: Path) -> None:
    """WIKISEM_TRACEBACK=1 shows the errors of libraries, which know nothing of secrets."""
    script = (
        "import sys, wikisem.pipeline.cli as cli; from wikisem.pipeline.commands import show\n"
        "def run(arguments): raise KeyError(arguments.output)\n"
        "show.run = run; sys.argv[1:] = ['show', sys.argv[1], 'Q1']; cli.command()"
    )
    url = f"s3://key:{SECRET}@bucket/{tmp_path}"
    found = subprocess.run([sys.executable, "-c", script, url], capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert "Traceback (most recent call last):" in found.stderr
    assert "s3://***@bucket" in found.stderr
    assert not any(word.decode() in found.stderr for word in HIDDEN)


# Download, and releases on the web.

LOGIN = ("Basic " + base64.b64encode(f"key:{SECRET}".encode()).decode(), f"token={SIGNED}")


def with_login(url: str, path: str = "") -> str:
    """The URL of a server with a user, a password and a token."""
    login = f"://key:{quote(SECRET, safe='')}@"
    return f"{url.replace('://', login)}{path}?token={SIGNED}"


def test_a_download_keeps_a_secret(tmp_path: Path, said: Said) -> None:
    """The mirror gets it with every request; what is printed, and the record of where files came from, do not."""
    with dumps.serve() as server:
        server.add_export("dewiki", "2026-11-01", {"p1p9": b"x" * 1000})
        words = ["download", "de", "--mirror", with_login(server.url), "--output", str(tmp_path)]
        assert "1 file" in said([*words, "--dry-run"])
        said(words)
        assert server.logins == {LOGIN}
        assert b"http://***@127.0.0.1" in (tmp_path / "downloads.json").read_bytes()
        assert leaks(str(tmp_path)) == []
        assert "***" in said(["download", "ja", *words[2:]], 1)
        path = next(path for path in server.files if path.endswith(".bz2"))
        (tmp_path / Path(path).name).unlink()
        there = with_login("http://elsewhere.example", "/x")
        for fault in (
            dumps.Fault(status=403, headers=(("X", "y"),)),
            dumps.Fault(status=302, headers=(("Location", there.replace("http", "ftp")),)),
            dumps.Fault(body=b"y" * 1000),
        ):
            server.faults[path] += [fault] * 2
            assert "http://***@127.0.0.1" in said(words, 1)
    assert leaks(str(tmp_path)) == []


class _Release(Handler):
    def answer(self) -> None:
        path, _, parameters = self.path.partition("?")
        if (self.headers["Authorization"], parameters) != LOGIN:
            self.send(401, {}, f"not you: {self.headers['Authorization']}".encode())
        elif (file := self.about.folder / path.removeprefix("/set/")).is_file():
            self.send(200, {}, file.read_bytes())
        else:
            self.send(404, {}, f"no {with_login('http://inside.example', path)}".encode())


def test_a_release_behind_a_login_is_read_and_its_secret_kept(tmp_path: Path, said: Said) -> None:
    """By the user, the password and the token of its URL; scores and messages are without them."""
    run, release, scores = write_run(tmp_path / "out", 5, ("de", "no")), tmp_path / "set", tmp_path / "scores"
    said(["release", str(run), "--output", str(release)])
    evaluate, cases = ["evaluate", "outliers", "--vectors", "characters:3"], ["--cases", f"{scores}/c.jsonl"]
    with serving(_Release, lambda url: SimpleNamespace(url=url, folder=release)) as server:
        place = with_login(server.url, "/set")
        said([*evaluate, place, "--output", f"{scores}/s.json", *cases])
        said([*evaluate, with_login(server.url, "/set/groups/de.parquet"), "--output", f"{scores}/s.html"])
        said(["browse", place, "--output", f"{scores}/page"])
        said(["release", place, "--output", f"{scores}/set"])
        assert "http://***@127.0.0.1" in said(["audit", with_login(server.url, "/sets")], 1)
        (release / "groups" / "de.parquet").write_bytes(b"other bytes")
        data_sets._copy_of.cache_clear()
        assert "expected SHA-256" in said(["audit", place], 1)
    assert leaks(str(scores)) == []


# What tells files apart.


def test_a_secret_does_not_tell_files_apart_and_all_else_does() -> None:
    """A signed URL has another signature every day: what was built from it is not built again, that from others is."""
    urls = ["x://key:{}@host/a?part=1&token={}", "x://key:{}@host/a?part=2&token={}", "x://key:{}@host/b?token={}"]
    identities = [[str(Dump((Input(url.format(a, b), 1, ""),)).identity()) for url in urls] for a, b in ("pq", "rs")]
    assert identities[0] == identities[1]
    assert len(set(identities[0])) == len(urls)


def test_errors_in_python_and_lock_files_have_no_secret(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program may log the one, and other users of OUT read the other."""
    with pytest.raises(MissingInputError) as caught:
        open_binary(f"{place}/none")
    assert str(caught.value) == f"expected to read {redacted(place)}/none, saw no such file"
    assert caught.value.args == pickle.loads(pickle.dumps(caught.value)).args
    monkeypatch.setattr(sys, "argv", ["wikisem", "build", "--wikidata", f"{place}/x", "--", "--s3_token", SIGNED])
    lock = LockFile.of_this_process("run")
    assert lock.command == f"wikisem build --wikidata {redacted(place)}/x -- --s3_token ***"
