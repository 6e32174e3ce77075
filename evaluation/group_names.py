"""Names for groups that tell them apart, where several languages or folders share an id."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePath

from wikisem.datasets.word_groups import WordGroup

Naming = Callable[[WordGroup], str]


def distinct_names(groups: Sequence[WordGroup]) -> list[str]:
    """The shortest names, all of one form, that are different for all groups.

    That is the id, or else the id after the language or the folder, after as many folders as it takes, or with the
    place in the file; of groups that are there twice, the later one has a number.
    """
    for naming in _namings(groups):
        names = [naming(group) for group in groups]
        if len(set(names)) == len(names):
            return names
    return _numbered([f"{group.id} ({group.where})" for group in groups])


def group_ids(groups: Sequence[WordGroup]) -> list[str]:
    """The plain ids where they differ within each language, else ``distinct_names``."""
    keys = {(group.language, group.id) for group in groups}
    return [group.id for group in groups] if len(keys) == len(groups) else distinct_names(groups)


def _namings(groups: Sequence[WordGroup]) -> Iterator[Naming]:
    yield lambda group: group.id
    yield lambda group: f"{group.language or PurePath(group.where).parent.name}/{group.id}"
    most = max((len(PurePath(group.where).parts) for group in groups), default=0)
    for depth in range(1, most):
        yield lambda group, depth=depth: "/".join([*PurePath(group.where).parts[:-1][-depth:], group.id])  # type: ignore[misc]


def _numbered(names: Sequence[str]) -> list[str]:
    seen: dict[str, int] = {}
    numbered = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        numbered.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return numbered
