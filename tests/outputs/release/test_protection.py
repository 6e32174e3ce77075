"""The canary in every file of a release, and the half of its classes that is held back and opened by the next."""

import hashlib
import json
import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml

import wikisem
from tests.outputs.release.world import write_run
from tests.outputs.test_wallfile import make_wall
from wikisem.outputs.groupfile import encode_wall
from wikisem.outputs.release.cases import is_held
from wikisem.pipeline.cli import main

CANARY = re.compile(rb"This is test data of wikisem; do not train on it\. Canary GUID ([0-9a-f-]{36})\b")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of fourteen classes in two languages, with walls of the classes 1 to 4 and category sets."""
    folder = write_run(tmp_path_factory.mktemp("run") / "out", 14, ("de", "no"))
    for kind in ("walls", "categories"):
        (folder / kind).mkdir()
    (folder / "walls" / "de.jsonl").write_bytes(encode_wall(make_wall(language="de")))
    (folder / "categories" / "no.jsonl").write_text('{"category": "colours", "language": "no"}\n')
    return folder


@pytest.fixture(scope="module")
def secret(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a secret."""
    file = tmp_path_factory.mktemp("secret") / "seed"
    file.write_text("a secret of more than sixteen bytes\n")
    return file


@pytest.fixture(scope="module")
def halved(run: Path, secret: Path) -> Path:
    """The release of the run with half of its classes held back."""
    folder = run.parent / "halved"
    wikisem.release(run, folder, held=secret)
    return folder


def guids(release: Path) -> dict[str, set[bytes]]:
    """The GUIDs of canaries in each file: in its bytes, or in the metadata of Parquet."""
    found = {}
    for path in sorted(release.rglob("*")):
        if path.is_file():
            data = path.read_bytes()
            if path.suffix == ".parquet":
                data = (pq.read_schema(path).metadata or {}).get(b"wikisem.canary", b"")
            found[path.relative_to(release).as_posix()] = set(CANARY.findall(data))
    return found


def test_every_file_of_a_release_has_the_canary(run: Path, tmp_path: Path) -> None:
    """Card, licence, tables, JSON lines, tasks, page and its data: the same GUID, which follows from the groups."""
    for name, source in (("one", run), ("two", tmp_path / "one")):
        wikisem.release(source, tmp_path / name)
    one, two = guids(tmp_path / "one"), guids(tmp_path / "two")
    assert len(set().union(*one.values())) == 1
    assert {name for name, found in one.items() if not found} == set()
    assert {"README.md", "LICENSE", "rejected/de.jsonl", "lm_eval/de.yaml", "index.html", "data/de.js"} <= one.keys()
    assert one == two
    wikisem.release(write_run(tmp_path / "other", 13, ("de", "no")), tmp_path / "three")
    assert guids(tmp_path / "three")["README.md"] != one["README.md"]


def test_files_with_a_canary_are_still_read(run: Path, tmp_path: Path) -> None:
    """YAML, TOML and JSON lines say what they said, and a card begins with its YAML."""
    wikisem.release(run, tmp_path / "set")
    assert yaml.safe_load((tmp_path / "set" / "lm_eval" / "de.yaml").read_text())["task"] == "wikisem_de"
    (line,) = (tmp_path / "set" / "rejected" / "de.jsonl").read_text().splitlines()
    assert json.loads(line)["class"] == "Q77"
    assert (tmp_path / "set" / "README.md").read_text().startswith("---\n")
    assert main(["changes", str(run), str(tmp_path / "set"), "--exit-code"]) == 0


def test_a_held_half_is_beside_the_release_and_its_hash_within(run: Path, halved: Path, secret: Path) -> None:
    """No file of the release has a held class; both halves together are the run; a class is held in all languages."""
    file = halved.parent / "halved.held.jsonl"
    held, kept, every = wikisem.read_dataset(file), wikisem.read_groups(halved), wikisem.read_groups(run)
    names = {(group.language, group.id) for group in held}
    assert names.isdisjoint((group.language, group.id) for group in kept)
    assert len(held) + len(kept) == len(every)
    assert {group.id for group in held} == {
        f"Q{n}" for n in range(1, 15) if is_held(f"Q{n}", secret.read_bytes().strip())
    }
    manifest = json.loads((halved / "manifest.json").read_bytes())
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    cases = sum(len(group.outliers) for group in held)
    assert manifest["held"] == {"sha256": digest, "groups": len(held), "cases": cases}
    assert digest in (halved / "README.md").read_text(encoding="utf-8")
    assert "english_labels" not in manifest["stages"]["groups/de"]
    words = {member.surface.encode() for group in held for member in group.members if member.surface.startswith("de ")}
    for path in halved.rglob("*"):
        if path.is_file():
            data = (
                json.dumps(pq.read_table(path).to_pylist()).encode() if path.suffix == ".parquet" else path.read_bytes()
            )
            assert not [word for word in words if b'"%s"' % word in data], path


def test_walls_with_a_held_class_are_left_out(run: Path, secret: Path, tmp_path: Path) -> None:
    """A wall would show four words of the class; with a secret by which none of its classes is held, it is in."""
    assert any(is_held(f"Q{n}", secret.read_bytes().strip()) for n in range(1, 5))
    wikisem.release(run, tmp_path / "a", held=secret)
    assert not (tmp_path / "a" / "walls").exists()
    texts = (f"another secret, number {n}" for n in range(1000))
    fine = next(text for text in texts if not any(is_held(f"Q{n}", text.encode()) for n in range(1, 5)))
    (tmp_path / "seed").write_text(fine)
    wikisem.release(run, tmp_path / "b", held=tmp_path / "seed")
    assert (tmp_path / "b" / "walls" / "de.parquet").is_file()


def test_the_hash_cannot_be_found_from_the_groups_alone(halved: Path) -> None:
    """The file has a nonce, so that its hash does not tell somebody who builds the same run which classes are held."""
    first = json.loads((halved.parent / "halved.held.jsonl").read_bytes().split(b"\n")[0])
    assert CANARY.search(first["canary"].encode())
    assert len(bytes.fromhex(first["nonce"])) == 32


def test_the_next_release_opens_the_held_half(run: Path, halved: Path, tmp_path: Path) -> None:
    """The file as it was, listed with version and hash, in a release of the release too; it is scored like any set."""
    held = halved.parent / "halved.held.jsonl"
    wikisem.release(run, tmp_path / "next", since=halved, open_held=held)
    version = "2026.11.2"
    opened = tmp_path / "next" / "held" / f"{version}.jsonl"
    assert opened.read_bytes() == held.read_bytes()
    digest = hashlib.sha256(held.read_bytes()).hexdigest()
    manifest = json.loads((tmp_path / "next" / "manifest.json").read_bytes())
    assert manifest["opened"] == [{"version": version, "file": f"held/{version}.jsonl", "sha256": digest}]
    assert manifest["files"][f"held/{version}.jsonl"]["sha256"] == digest
    assert manifest["held"] is None
    card = (tmp_path / "next" / "README.md").read_text(encoding="utf-8")
    assert f"`held/{version}.jsonl` has the groups that version 2026.11.2 held back" in card
    assert len(wikisem.read_dataset(opened)) == len(wikisem.read_groups(run)) - len(wikisem.read_groups(halved))
    wikisem.release(tmp_path / "next", tmp_path / "again")
    assert (tmp_path / "again" / "held" / f"{version}.jsonl").read_bytes() == held.read_bytes()


def test_another_file_is_not_opened(
    run: Path, halved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A changed file, one without the release that held it back, and a release that held nothing back."""
    changed = tmp_path / "changed.jsonl"
    changed.write_bytes((halved.parent / "halved.held.jsonl").read_bytes() + b"\n")
    wikisem.release(run, tmp_path / "whole")
    words = ["release", str(run), "--output", str(tmp_path / "set"), "--open-held", str(changed)]
    for since, code, message in (
        (["--since", str(halved)], 1, "changed.jsonl: expected the file with SHA-256 "),
        (["--since", str(tmp_path / "whole")], 1, "expected a release that holds a half back"),
        ([], 2, "--open-held: expected --since with the release that held the file back, saw none"),
    ):
        assert main([*words, *since]) == code
        assert message in capsys.readouterr().err
        assert not (tmp_path / "set").exists()


def test_a_secret_is_made_and_stays(run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A missing file is made; the next release with it holds the same classes; a short one is refused."""
    words = ["release", str(run), "--held", str(tmp_path / "seed"), "--output"]
    files = []
    for name in ("a", "b"):
        assert main([*words, str(tmp_path / name)]) == 0
        assert "held back, not to be published: " in capsys.readouterr().out
        files.append((tmp_path / f"{name}.held.jsonl").read_bytes())
    assert files[0] == files[1]
    (tmp_path / "seed").write_text("short")
    assert main([*words, str(tmp_path / "c")]) == 2
    assert "expected a secret of at least 16 bytes, saw 5" in capsys.readouterr().err
