"""The command ``wikisem download``: what it says, and that its last line is a build that runs."""

import io
import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pipeline.download.server import Fault, Server, serve
from tests.waiting import wait_until
from wikisem.pipeline.cli import main
from wikisem.pipeline.console import terminal
from wikisem.pipeline.demo import write_sample_world


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server with the demo's dumps, laid out as dumps.wikimedia.org has them; the German one in two shards."""
    (tmp_path / "world").mkdir()
    world = write_sample_world(str(tmp_path / "world"))
    with serve() as running:
        for language in ("de", "es"):
            body = Path(world.wikipedia[language]).read_bytes()
            shards = {"p1p2000000": body} | ({"p2000001p3000000": body} if language == "de" else {})
            running.add_export(f"{language}wiki", "2026-11-01", shards)
        items = Path(world.wikidata).read_bytes()
        running.add_wikidata(
            "20261102", {"wikidata-20261104-all.json.gz": items, "wikidata-20261106-lexemes.json.gz": b"["}
        )
        yield running


@pytest.mark.slow
def test_the_last_line_is_a_build_that_runs(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From an empty folder to groups in two commands, the second as printed by the first."""
    monkeypatch.chdir(tmp_path)
    assert main(["download", "de", "es", "--wikidata", "--output", "dumps", "--mirror", server.url]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[-2] == "output: dumps"
    assert lines[-1] == (
        "next: wikisem build wikisem --wikidata dumps/wikidata-20261104-all.json.gz "
        "--wikipedia 'de=dumps/dewiki-2026-11-01-p*.xml.bz2' es=dumps/eswiki-2026-11-01-p1p2000000.xml.bz2 --output out"
    )
    assert main(shlex.split(lines[-1])[2:]) == 0
    lines = capsys.readouterr().out.splitlines()
    out = tmp_path / "out"
    assert lines[-2:] == [f"next: wikisem browse {out}", f"output: {out}"]
    assert main(shlex.split(lines[-2])[2:]) == 0
    assert (out / "browse" / "data" / "de.js").exists()
    manifest = json.loads((out / "manifest.json").read_bytes())
    shards = manifest["stages"]["mentions/de"]["inputs"]
    assert [shard["origin"]["date"] for shard in shards] == ["2026-11-01"] * 2


def test_a_dry_run_says_sizes_and_fetches_nothing(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What there is, how large it is, and no folder is made."""
    folder = tmp_path / "dumps"
    words = ["download", "de", "--lexemes", "--dry-run", "--output", str(folder), "--mirror", server.url]
    assert main(words) == 0
    out = capsys.readouterr().out
    size = 2 * len(
        server.files[
            "/other/mediawiki_content_current/dewiki/2026-11-01/xml/bzip2/dewiki-2026-11-01-p1p2000000.xml.bz2"
        ]
    )
    assert f"de, content export of 2026-11-01: 2 files, {terminal.format_bytes(size)}; 0 there already" in out
    assert "Wikidata lexemes of 2026-11-02: 1 file, 1 bytes" in out
    assert not folder.exists()
    assert [path for method, path, _ in server.asked if method == "GET" and path.endswith((".bz2", ".gz"))] == []


def test_languages_are_named_alone_or_in_a_list(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``--languages`` is spelled as everywhere; a language that is named twice is fetched once."""
    words = ["download", "es", "--languages", "de,es", "--dry-run", "--output", str(tmp_path), "--mirror", server.url]
    assert main(words) == 0
    names = [line.partition(",")[0] for line in capsys.readouterr().out.splitlines() if "content export" in line]
    assert names == ["es", "de"]


def test_what_goes_wrong_is_one_line_and_exit_code_1(
    server: Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A language without dumps, one without a Wikipedia, and a server that refuses."""
    assert main(["download", "la", "--output", str(tmp_path), "--mirror", server.url]) == 1
    assert "expected a complete dump of lawiki, the Wikipedia in 'la'" in capsys.readouterr().err
    assert main(["download", "sma", "--output", str(tmp_path), "--mirror", server.url]) == 1
    assert "expected a language with a Wikipedia, saw 'sma'" in capsys.readouterr().err
    server.faults["/other/mediawiki_content_current/dewiki/"] += [Fault(status=401)]
    assert main(["download", "de", "--output", str(tmp_path), "--mirror", server.url]) == 1
    assert "HTTP status 401" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "expected languages, --wikidata or --lexemes"),
        (["de", "--date", "yesterday"], "expected a date such as 2026-11-01, saw 'yesterday'"),
        (["de", "--mirror", "ftp://mirror"], "expected a URL such as https://example.org/path, saw 'ftp://mirror'"),
        (["de", "--mirror", "http://mirror:port/"], "expected a URL such as https://example.org/path"),
        (["de", "--date", "2026-02-30"], "expected a date such as 2026-11-01, saw '2026-02-30'"),
        (["de", "--contact", "Zoë"], "expected an e-mail address or a web page, saw 'Zoë'"),
        (["frnch"], "did you mean fr (French)?"),
    ],
)
def test_wrong_words_are_refused(
    words: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, before a server is asked."""
    assert main(["download", *words, "--output", str(tmp_path)]) == 2
    assert told in capsys.readouterr().err


def test_plain_lines_say_bytes_rate_and_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where standard error is no terminal: one line at first, then one every so often, until it ends."""
    monkeypatch.setattr(terminal, "_LOOK", 0.001)
    monkeypatch.setattr(terminal, "_LINE", 0.01)
    shown = io.StringIO()  # capsys loses what another thread prints while it is read
    monkeypatch.setattr(sys, "stderr", shown)
    with terminal.byte_progress("downloading", 1000, 100) as count:
        count(400)
        wait_until(lambda: "left" in shown.getvalue())
    assert shown.getvalue().startswith("downloading\n")
    assert "downloading: 500 bytes of 1.00 kB" in shown.getvalue()
