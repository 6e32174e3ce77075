"""Profile files of a run: what is learned is written, what is edited or given is used, and nothing is made twice."""

from pathlib import Path

import pytest

import wikisem
from tests.trees import manifest_of
from wikisem.pipeline.cli import main
from wikisem.pipeline.demo import SampleDumps


@pytest.fixture
def output(world: SampleDumps, tmp_path: Path) -> Path:
    """A finished build in German."""
    _build(world, tmp_path / "out")
    return tmp_path / "out"


def _build(world: SampleDumps, output: Path, *words: str, language: str = "de") -> None:
    wikipedia = f"{language}={world.wikipedia['de']}"
    command = ["build", "demo", "--wikidata", world.wikidata, "--wikipedia", wikipedia, "--output", str(output), *words]
    assert main(command) == 0


def _redone(capsys: pytest.CaptureFixture[str]) -> set[str]:
    """The stages that the last command did not find finished."""
    lines = capsys.readouterr().err.splitlines()
    names = ("entities", "mentions", "surfaces", "taxonomy", "groups")
    return {line.split()[0] for line in lines if line.split()[0] in names}


def _edit(output: Path, old: str, new: str) -> None:
    path = output / "languages" / "de.toml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.slow
def test_an_edited_profile_is_used_and_kept(
    world: SampleDumps, output: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only the groups are made again, once; the file stays as it was edited, until it is removed."""
    learned = (output / "languages" / "de.toml").read_text(encoding="utf-8")
    groups = (output / "groups" / "de.jsonl").read_bytes()
    _build(world, output)
    capsys.readouterr()
    _edit(output, "affix_length = 6", "affix_length = 1")
    _build(world, output)
    assert _redone(capsys) == {"groups"}
    assert "affix_length = 1\n" in (output / "languages" / "de.toml").read_text(encoding="utf-8")
    assert (output / "groups" / "de.jsonl").read_bytes() != groups
    _build(world, output)
    assert _redone(capsys) == set()
    (output / "languages" / "de.toml").unlink()
    _build(world, output)
    assert _redone(capsys) == {"groups"}
    assert (output / "languages" / "de.toml").read_text(encoding="utf-8") == learned
    assert (output / "groups" / "de.jsonl").read_bytes() == groups


@pytest.mark.slow
def test_an_edited_trail_counts_the_links_again(
    world: SampleDumps, output: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the recipe counts trails; what needs the mentions follows."""
    recipe = output.parent / "trails.toml"
    recipe.write_text('base = "demo"\nname = "trails"\n[surface]\nlink_trail = true\n', encoding="utf-8")
    command = ["mentions", "--link-trail", "--wikipedia", f"de={world.wikipedia['de']}", "--output", str(output)]
    assert main(command) == 0
    _edit(output, 'link_trail = "[a-zäöüß]+"', 'link_trail = "[a-z]+"')
    capsys.readouterr()
    assert main(command) == 0
    assert _redone(capsys) == {"mentions"}
    assert main(command) == 0
    assert _redone(capsys) == set()


@pytest.mark.slow
def test_a_named_profile_wins(world: SampleDumps, output: Path, tmp_path: Path) -> None:
    """A file that says one thing is enough, and what it says is in OUT afterwards."""
    path = tmp_path / "mine.toml"
    path.write_text("affix_length = 2\n", encoding="utf-8")
    _build(world, output, "--profile", f"de={path}")
    assert (output / "languages" / "de.toml").read_text(encoding="utf-8") == "affix_length = 2\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--profile", "de"], "--profile: expected LANG=FILE such as de=de.toml, saw 'de'"),
        (["--profile", "de=nowhere.toml"], "expected a profile file, saw 'nowhere.toml'"),
        (["--profile", "german=x.toml"], "did you mean de (German)?"),
    ],
)
def test_a_profile_that_is_none_is_refused(
    world: SampleDumps, tmp_path: Path, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before anything runs."""
    command = ["build", "demo", "--wikidata", world.wikidata, "--output", str(tmp_path / "out"), *words]
    assert main(command) in (1, 2)
    assert message in capsys.readouterr().err


def test_a_dump_of_another_wiki_is_a_loud_warning(
    world: SampleDumps, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the console and in the manifest; the named language wins."""
    assert main(["mentions", "--wikipedia", f"ltg={world.wikipedia['de']}", "--output", str(tmp_path)]) == 0
    warning = "mentions/ltg: expected a dump of ltgwiki, saw one of dewiki, which is taken for ltg"
    assert f"warning: {warning}" in capsys.readouterr().err
    assert manifest_of(tmp_path)["stages"]["mentions/ltg"]["warning"] == warning


def test_chinese_links_that_are_not_converted_are_a_warning(
    world: SampleDumps, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, where OpenCC is missing; when it is there, the links are counted again."""
    pytest.importorskip("opencc")
    command = ["mentions", "--wikipedia", f"zh={world.wikipedia['ja']}", "--output", str(tmp_path)]
    with monkeypatch.context() as without:
        without.setattr("wikisem.wikipedia.variants._opencc_version", lambda: "")
        assert main(command) == 0
        assert "without opencc, links in the other script do not count for the page" in capsys.readouterr().err
        assert main(command) == 0
        assert "opencc" not in capsys.readouterr().err
    assert main(command) == 0
    assert "opencc" not in capsys.readouterr().err
    assert "opencc" not in manifest_of(tmp_path)["stages"]["mentions/zh"]["warning"]


@pytest.mark.slow
def test_a_profile_can_be_given_to_the_library(world: SampleDumps, tmp_path: Path) -> None:
    """As on the command line."""
    path = tmp_path / "mine.toml"
    path.write_text('lists = ["…x"]\n', encoding="utf-8")
    wikisem.build(
        "demo",
        wikidata=world.wikidata,
        wikipedia={"de": world.wikipedia["de"]},
        output=tmp_path / "out",
        profiles={"de": path},
    )
    assert (tmp_path / "out" / "languages" / "de.toml").read_text(encoding="utf-8") == 'lists = ["…x"]\n'


@pytest.mark.parametrize(
    "data",
    [
        b"\xff\xfe",
        b"affix_length = " + b"9" * 5000,
        b"lists = " + b"[" * 5000,
        b"a = \x00",
        b"lists = [1]",
        b"source = 5",
    ],
)
def test_a_profile_of_an_output_that_is_none_is_named(
    data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bytes that are no UTF-8, numbers and brackets without end: the file is named."""
    (tmp_path / "languages").mkdir()
    (tmp_path / "languages" / "de.toml").write_bytes(data)
    assert main(["languages", str(tmp_path)]) == 2
    assert f"{tmp_path}/languages/de.toml: " in capsys.readouterr().err
