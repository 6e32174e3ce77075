"""The promises of a release to people who score models, kept by releases of the demo and of the sample."""

from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import wikisem
from tests.outputs.release.test_protection import guids
from tests.outputs.release.test_split import rows_of, traits
from wikisem.outputs.release.cases import prompt_in
from wikisem.pipeline.cli import main


@pytest.fixture(scope="module", params=["sample", pytest.param("demo", marks=pytest.mark.slow)])
def release(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release that holds half of its classes back."""
    folder = tmp_path_factory.mktemp("whole")
    source = "sample"
    if request.param == "demo":
        assert main(["demo", "--output", str(folder / "demo")]) == 0
        source = str(folder / "demo")
    (folder / "secret").write_text("a secret for the tests of whole releases")
    wikisem.release(source, folder / "set", held=folder / "secret")
    wikisem.release(source, folder / "whole", since=folder / "set", open_held=folder / "set.held.jsonl")
    return folder


@pytest.mark.parametrize("name", ["set", "whole"])
def test_shots_share_nothing_with_test_cases(release: Path, name: str) -> None:
    """No class, item or word, in any language; there are shots if a language has ten groups."""
    groups = Counter(group.language for group in wikisem.read_groups(release / name))
    shots, test = rows_of(release / name, "shots"), rows_of(release / name, "cases")
    every = [row for rows in test.values() for row in rows]
    assert bool(shots) == (max(groups.values()) >= 10)
    assert traits([row for rows in shots.values() for row in rows]).isdisjoint(traits(every))


@pytest.mark.parametrize("name", ["set", "whole"])
def test_every_file_has_the_canary_of_its_release(release: Path, name: str) -> None:
    """But for what an earlier release held back, which has the canary of that one."""
    found = guids(release / name)
    own = {file: canaries for file, canaries in found.items() if not file.startswith("held/")}
    assert [file for file, canaries in own.items() if len(canaries) != 1] == []
    assert len(set().union(*own.values())) == 1


def test_the_held_half_is_all_that_the_release_lacks(release: Path) -> None:
    """Both together are the whole set, and the next release has the file."""
    whole, kept = wikisem.read_groups(release / "whole"), wikisem.read_groups(release / "set")
    held = wikisem.read_dataset(release / "set.held.jsonl")
    names = [{(group.language, group.id) for group in own} for own in (whole, kept, held)]
    assert names[0] == names[1] | names[2]
    assert not names[1] & names[2]
    (opened,) = (release / "whole" / "held").iterdir()
    assert opened.read_bytes() == (release / "set.held.jsonl").read_bytes()


def test_questions_are_in_the_language_of_the_words(release: Path) -> None:
    """In every language that the set has."""
    for path in sorted((release / "whole" / "cases").glob("*.parquet")):
        asked = set(pq.read_table(path)["question"].to_pylist())
        assert asked == {prompt_in(path.stem).question}
        assert path.stem == "en" or asked != {prompt_in("en").question}


def test_the_card_has_its_examples_in_its_own_language(release: Path) -> None:
    """English, though another language may have more cases."""
    card = (release / "set" / "README.md").read_text("utf-8")
    assert "For example, `en-" in card
    assert '"FOLDER", "en_cases", split="test")' in card
