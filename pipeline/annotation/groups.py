"""The test groups of one language in a run, in a file of groups or in a folder of WikiSem500 text."""

from collections.abc import Sequence
from pathlib import Path

from wikisem.datasets.word_groups import WordGroup, read_dataset
from wikisem.errors import MissingInputError


def read_groups_in(path: Path, language: str) -> list[WordGroup]:
    """The groups of a language; MissingInputError if there are none, or if text does not say of which language it is.

    A run has them in ``groups/<language>.jsonl``, a release in a folder that is named by the language. Any other path
    is read whole, and groups that state another language are left out.
    """
    found = next((place for place in (path / "groups" / f"{language}.jsonl", path / language) if place.exists()), path)
    if found == path and (path / "groups").is_dir():
        raise MissingInputError(f"{path}: expected groups in {language}, saw no groups/{language}.jsonl")
    groups = read_dataset(found)
    kept = [group for group in groups if group.language in {"", language}]
    if not kept:
        others = ", ".join(sorted({group.language for group in groups}))
        raise MissingInputError(f"{path}: expected groups in {language}, saw groups in {others or 'no language'}")
    _check_one_folder(kept, path, language)
    return kept


def _check_one_folder(groups: Sequence[WordGroup], path: Path, language: str) -> None:
    folders = sorted({Path(group.where).parent.name for group in groups if not group.language})
    if len(folders) > 1:
        raise MissingInputError(
            f"{path}: expected a folder {language} with groups in that language, saw folders {', '.join(folders)}"
        )
