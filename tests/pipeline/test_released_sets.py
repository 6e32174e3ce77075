"""A release in place of a run: commands that read OUT take it from a folder, a store, a web server or the Hub."""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import fsspec
import pytest

import wikisem
from tests.http_server import Handler, serving
from tests.outputs.release.world import write_run
from wikisem.datasets import files
from wikisem.datasets.word_groups import read_categories
from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.pipeline.cli import main
from wikisem.web import Patience


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with groups and categories in two languages, and a third without any."""
    out = write_run(tmp_path_factory.mktemp("run") / "out", 5, ("de", "no"))
    items = [{"id": "Q3142", "label": "rot"}, {"id": "Q1", "label": "NA"}]
    (out / "categories").mkdir()
    for code in ("de", "no"):
        row = {"category": "colours", "language": code, "items": items}
        (out / "categories" / f"{code}.jsonl").write_text(json.dumps(row) + "\n")
    return out


@pytest.fixture(scope="module")
def release(run: Path) -> Path:
    """Its release."""
    assert main(["release", str(run), "--output", str(run.parent / "set")]) == 0
    return run.parent / "set"


@pytest.fixture
def vectors(tmp_path: Path, run: Path) -> Path:
    """Vectors of two words of each group in German, which no command needs more of."""
    words = {one.surface for group in wikisem.read_groups(run, "de") for one in (*group.cluster, *group.outliers)}
    rows = [
        f"{word.replace(' ', '_')} {len(word)} {at % 7}" for at, word in enumerate(sorted(words)) if word.isprintable()
    ]
    (tmp_path / "vectors.txt").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return tmp_path / "vectors.txt"


# Where a release may be.


@dataclass
class Web:
    """A web server that has the files of a folder, and lists none; ``sent`` is what it sends for the path of one."""

    url: str
    folder: Path
    sent: Callable[[str], bytes]
    wrong: dict[str, Callable[[Handler], object]] = field(default_factory=dict)


class _Files(Handler):
    def answer(self) -> None:
        path = self.path.lstrip("/").removeprefix("set/")
        if path in self.about.wrong:
            self.about.wrong[path](self)
        elif (self.about.folder / path).is_file():
            self.send(200, {}, self.about.sent(path))
        else:
            self.send(404, {}, b"no such file")


@pytest.fixture
def web(release: Path) -> Iterator[Web]:
    """The release on a web server."""
    with serving(_Files, lambda url: Web(f"{url}/set", release, lambda path: (release / path).read_bytes())) as server:
        STOP.clear()
        yield server
        STOP.set()
    files._copy_of.cache_clear()


def _in_memory(release: Path, url: str) -> None:
    store = fsspec.filesystem("memory")
    for path in release.rglob("*"):
        if path.is_file():
            store.pipe_file(f"{url.partition('://')[2]}/{path.relative_to(release)}", path.read_bytes())


@pytest.fixture(params=["folder", "store", "web"])
def place(request: pytest.FixtureRequest, release: Path) -> str:
    """The release as a person names it."""
    if request.param == "folder":
        return str(release)
    if request.param == "store":
        _in_memory(release, "memory://released/set")
        return "memory://released/set"
    return str(request.getfixturevalue("web").url)


def test_every_command_reads_a_release_as_it_reads_the_run(
    place: str, run: Path, vectors: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same output as of the run, but for its name; the same page, sheets and further release."""

    def printed(words: list[str]) -> str:
        assert main(words) in {0, 1}, words
        return (
            capsys.readouterr().out.replace(words[2 if words[0] == "evaluate" else 1], "OUT").replace('"set"', '"out"')
        )

    model = ["--vectors", str(vectors), "--language", "de", "--json"]
    commands: list[Callable[[str], list[str]]] = [
        lambda out: ["audit", out, "--json"],
        lambda out: ["check", out, "--language", "de", "--json"],
        lambda out: ["evaluate", "outliers", out, *model],
        lambda out: ["evaluate", "contexts", out, *model[2:-1], "--vectors", f"counts:{vectors}", "--contexts", "1"],
    ]
    for command in commands:
        assert printed(command(place)) == printed(command(str(run))), command("OUT")
    assert wikisem.read_groups(place) == wikisem.read_groups(run)
    words = [(one.id, one.language, one.cluster) for one in wikisem.read_dataset(place)]
    assert words == [(one.id, one.language, one.cluster) for one in wikisem.read_dataset(run)]

    def written(name: str, out: str) -> dict[str, bytes]:
        folder = tmp_path / f"{name}-{'run' if out == str(run) else 'release'}"
        words = [*name.split("+"), out, "--output", str(folder)]
        words += ["--language", "de", "--groups", "4", "--annotators", "2"] if name == "annotate" else []
        assert main(words) == 0
        return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    for name in ("browse", "annotate", "release"):
        of_run, of_release = written(name, str(run)), written(name, place)
        assert of_run.keys() == of_release.keys()
        assert [path for path in of_run if of_run[path] != of_release[path]] == []


def test_explain_shows_what_a_release_has_and_says_what_only_its_run_has(
    place: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The group as show prints it, with coherence and margins, or the rejection; the class graph is in the run."""
    assert main(["show", place, "Q2", "--language", "de"]) == 0
    shown = capsys.readouterr().out
    assert main(["explain", place, "Q2", "--language", "de"]) == 0
    out, err = capsys.readouterr()
    assert out == shown
    assert "NA (Q2, de) in full" in out
    assert "coherence 0.92\n" in out
    assert "de 2 out 1 (Q251): margin 0.01\n" in out
    assert "also in no: --language no\n" in out
    assert "note: a release has no class graph and no items beside its groups" in err
    assert main(["explain", place, "Q77", "--language", "de"]) == 1
    assert "was rejected in de few-outliers: expected at least 2 outliers, saw 0" in capsys.readouterr().err
    for more in (["--figure", "x.png"], ["--item", "Q5"]):
        assert main(["explain", place, "Q2", *more]) == 1
        assert f"{more[0]} needs the OUT of a run, saw a release" in capsys.readouterr().err
    assert main(["explain", place, "Q4711"]) == 1
    assert "expected a group of Q4711, saw neither a group nor a rejection of it" in capsys.readouterr().err
    assert main(["explain", place, "Q2", "--language", "fr"]) == 1
    assert "expected a group of Q2 in fr, saw NA (Q2) in de, no" in capsys.readouterr().err


def test_a_class_of_a_release_is_explained_in_python(place: str) -> None:
    """By its group, or by the reason why it has none."""
    (kept,) = wikisem.explain(place, "Q2", "de")
    assert kept.group == wikisem.read_groups(place, "de")[1]
    rejected = wikisem.explain(place, "Q77")
    assert {one.rejection.reason for one in rejected if one.rejection is not None} == {"few-outliers"}
    with pytest.raises(MissingInputError, match="expected a group or a rejected class, saw none of Q4711"):
        wikisem.explain(place, "Q4711")
    with pytest.raises(MissingInputError, match="expected groups in one of de, la, no"):
        wikisem.explain(place, "Q2", "fr")


def test_categories_are_read_from_a_run_and_its_release(place: str, run: Path) -> None:
    """By language, as words and as items."""
    found = read_categories(place, "de")
    assert found == read_categories(run, "de") == read_categories(run / "categories" / "de.jsonl")
    assert [(one.name, one.words, one.qids) for one in found] == [("colours", ("rot", "NA"), ("Q3142", "Q1"))]
    with pytest.raises(UsageError, match="expected one language, saw de, no"):
        read_categories(place)
    with pytest.raises(MissingInputError, match="expected a file of categories in fr, or an OUT that has it, saw none"):
        read_categories(place, "fr")


def test_audit_says_which_measures_need_the_run(release: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a set with items: what a class graph would say."""
    assert main(["audit", str(release)]) == 0
    assert f"note: {release} has no class graph" in capsys.readouterr().err


# What is not there, or is not what it should be.


def test_a_page_of_a_set_on_the_web_needs_a_folder(web: Web, capsys: pytest.CaptureFixture[str]) -> None:
    """It would be written to a temporary folder otherwise."""
    assert main(["browse", web.url]) == 2
    assert f"expected a folder for the page of {web.url}, saw none: give --output FOLDER" in capsys.readouterr().err


def test_a_single_file_on_the_web_is_a_data_set(web: Web, run: Path) -> None:
    """As it is on this machine, under its name."""
    assert wikisem.read_groups(f"{web.url}/groups/de.parquet") == wikisem.read_groups(run, "de")
    assert files.data_set_path(f"{web.url}/groups/de.parquet").name == "de.parquet"


def test_what_a_web_server_lacks_is_said(web: Web) -> None:
    """No manifest, and one that lists no groups."""
    with pytest.raises(
        MissingInputError, match=r"/set/cases/manifest\.json: expected a whole answer, .* 404 Not Found: no such file"
    ):
        wikisem.read_groups(f"{web.url}/cases")
    web.sent = lambda _: b"{}"
    with pytest.raises(MissingInputError, match="expected the files of a release, saw none"):
        wikisem.read_groups(web.url)


def test_a_copy_is_what_the_manifest_says(web: Web, release: Path) -> None:
    """A table that was cut short is refused, and a name that leads out of the folder is not read."""
    listed = json.loads((release / "manifest.json").read_bytes())["files"]
    for path, one in listed.items():
        data = (release / path).read_bytes()
        assert one == {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    asked: list[str] = []
    honest = web.sent

    def outside(path: str) -> bytes:
        asked.append(path)
        return honest(path).replace(b"groups/no.parquet", b"groups/../no.parquet")

    web.sent = outside
    assert {group.language for group in wikisem.read_groups(web.url)} == {"de"}
    assert not any("groups/" in path and "no.parquet" in path for path in asked)
    files._copy_of.cache_clear()
    web.sent = lambda path: honest(path)[:-1] if "parquet" in path else honest(path)
    with pytest.raises(DamagedInputError, match=r"groups/de\.parquet: expected SHA-256 [0-9a-f]{64}, saw another"):
        wikisem.read_groups(web.url)


WRONGS: dict[str, tuple[Callable[[Handler], object], str]] = {
    "packed": (lambda to: to.send(200, {"Content-Encoding": "gzip"}, b"x"), "packed as gzip, which was not asked for"),
    "too long, and says so": (lambda to: to.send(200, {}, b"", 10**13), "10,000,000,000,000 bytes, where at most"),
    "without an end": (lambda to: _send_for_ever(to, bytes(1 << 16), 0.0), "goes on, where at most"),
    "a byte now and then": (lambda to: _send_for_ever(to, b"x", 0.02), r"6 attempts; .* no whole answer within 0\.3 s"),
    "moved to this machine": (
        lambda to: to.send(302, {"Location": "file:///etc/passwd"}, b""),
        "redirect from http",
    ),
    "moved for ever": (lambda to: to.send(302, {"Location": to.path}, b""), "more than 5 redirects"),
}


def _send_for_ever(to: Handler, piece: bytes, pause: float) -> None:
    to.send_response(200)
    to.end_headers()
    with suppress(OSError):
        while not STOP.wait(pause):
            to.wfile.write(piece)


STOP = threading.Event()


@pytest.mark.parametrize("path", ["manifest.json", "groups/de.parquet"])
@pytest.mark.parametrize(("wrong", "told"), WRONGS.values(), ids=WRONGS)
def test_a_web_server_takes_neither_time_nor_room_without_end(
    wrong: Callable[[Handler], object], told: str, path: str, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limits of downloads hold for releases: what is packed, endless, late or moved away ends in a message."""
    monkeypatch.setattr("wikisem.web.EXCHANGE", 0.3)
    monkeypatch.setattr("wikisem.web.Patience", partial(Patience, wait=lambda _: None))
    web.wrong[path] = wrong
    with pytest.raises(MissingInputError, match=rf"/set/{path}: expected a whole answer, .*{told}"):
        wikisem.read_groups(web.url)


def test_a_release_that_is_too_large_is_not_begun(web: Web) -> None:
    """A manifest that lists a terabyte: none of its files is asked for."""
    listed = {f"groups/{code}.parquet": {"size": 10**12 // 2, "sha256": ""} for code in ("de", "no")}
    web.sent = lambda path: json.dumps({"files": listed}).encode() if path == "manifest.json" else b""
    with pytest.raises(DamagedInputError, match="files of at most 1,073,741,824 bytes, saw 1,000,000,000,000"):
        wikisem.read_groups(web.url)


def test_the_hub_is_read_by_its_driver(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """hf:// goes to the driver of huggingface_hub; a name without it says how the set would be named."""
    _in_memory(release, "memory://hub/datasets/me/set")
    memory = fsspec.get_filesystem_class("memory")

    class Hub(memory):  # type: ignore[misc, valid-type]
        protocol = "hf"

        @classmethod
        def _strip_protocol(cls, path: str) -> str:
            return str(memory._strip_protocol("memory://hub/" + path.removeprefix("hf://").removeprefix("/hub/")))

    monkeypatch.setitem(import_module("fsspec.registry")._registry, "hf", Hub)
    assert wikisem.read_groups("hf://datasets/me/set") == wikisem.read_groups(release)
    with pytest.raises(MissingInputError, match="one on the Hugging Face Hub is hf://datasets/me/wikisem"):
        wikisem.read_groups("me/wikisem")


def test_what_a_url_needs_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package of a driver."""

    def absent(scheme: str) -> Callable[..., Any]:
        raise ImportError(scheme)

    monkeypatch.setattr(fsspec, "get_filesystem_class", absent)
    with pytest.raises(wikisem.errors.UsageError, match="needs a package: pip install 'huggingface_hub'"):
        wikisem.read_groups("hf://datasets/a/b")


def test_a_release_from_before_there_was_a_manifest_is_read(release: Path, tmp_path: Path) -> None:
    """By the metadata of its tables, which have the recipe, the seed and the versions."""
    for path in (release / "groups").iterdir():
        (tmp_path / "set" / "groups").mkdir(parents=True, exist_ok=True)
        (tmp_path / "set" / "groups" / path.name).write_bytes(path.read_bytes())
    assert main(["browse", str(tmp_path / "set")]) == 0
    index = (tmp_path / "set" / "browse" / "data" / "index.js").read_text()
    assert '"recipe":"tiny"' in index
    assert main(["explain", str(tmp_path / "set"), "Q1"]) == 0
