"""Every format of single groups is written by a build, in a folder named after the format."""

import pytest

from wikisem.outputs import group_formats
from wikisem.outputs.wikisem500 import format_group
from wikisem.records import Group, Member, Outlier

GROUP = Group(
    "Q5119",
    "capital",
    "en",
    (Member("Q220", "Rome", "anchor", 9, 10, 285), Member("Q60", "New York", "anchor", 9, 9, 250)),
    (Outlier("Q456", "Lyon", "anchor", 10, 10, 162, 1, "Q515"),),
)


def test_wikisem500_is_a_format() -> None:
    """The released form is one file a group, below the language."""
    assert dict(group_formats.group_files(GROUP))["wikisem500/en/Q5119.txt"] == format_group(GROUP).encode()
    assert "wikisem500/en" in group_formats.group_folders("en")


def test_a_further_format_has_its_own_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is named in FORMATS is written beside the others."""
    formats = {"wikisem500": format_group, "words": lambda group: " ".join(member.surface for member in group.cluster)}
    monkeypatch.setattr(group_formats, "FORMATS", formats)
    files = dict(group_formats.group_files(GROUP))
    assert list(files) == ["wikisem500/en/Q5119.txt", "words/en/Q5119.txt"]
    assert files["words/en/Q5119.txt"] == b"Rome New York"
    assert group_formats.group_folders("de") == ["wikisem500/de", "words/de"]
