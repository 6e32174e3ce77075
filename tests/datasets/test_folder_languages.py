"""Languages that folders tell."""

from pathlib import Path

import pytest

from wikisem.datasets.word_groups import folder_language, name_languages, read_dataset


def languages(root: Path) -> list[str]:
    """The language of each group, in order."""
    return [group.language for group in name_languages(read_dataset(root), root)]


@pytest.mark.parametrize(
    "name", ["", "data", "25-8-8-Sem", "8-8-8", "test_it", "wikisem500", "sem", "Q28640", "set_de_1"]
)
def test_other_folders_tell_none(name: str) -> None:
    """Nor does a code in small letters inside a name."""
    assert folder_language(name) == ""


def test_the_nearest_folder_decides(tmp_path: Path) -> None:
    """A folder of one language in the folder of another is of its own; the data set's own name comes last."""
    root = tmp_path / "set-EN"
    for inner in ("", "de", "de/fr", "de/other"):
        (root / inner).mkdir(parents=True, exist_ok=True)
        (root / inner / "Q1.txt").write_text("a\n\nb\n")
    assert languages(root) == ["en", "de", "fr", "de"]
    assert languages(root / "de" / "Q1.txt") == ["de"]
    assert languages(root / "de") == ["de", "fr", "de"]


def test_a_language_in_the_data_is_kept(tmp_path: Path) -> None:
    """A JSON line says its language itself."""
    (tmp_path / "de").mkdir()
    (tmp_path / "de" / "x.jsonl").write_text('{"class":"Q1","cluster":[],"outliers":[],"language":"nds"}')
    assert languages(tmp_path) == ["nds"]
