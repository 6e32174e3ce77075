"""Groups as WikiSem500 text; every format is written by a build, in a folder named after the format."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.word_groups import surfaces
from wikisem.datasets.word_groups import parse_group, read_dataset
from wikisem.outputs import groupfile
from wikisem.outputs.groupfile import format_group, format_surface
from wikisem.records import Group, Member, Outlier


def group(cluster: list[str], outliers: list[str]) -> Group:
    """A group whose provenance does not matter; outlier classes run 1, 1, 2, 2, 3, 3."""
    return Group(
        id="Q28640",
        label="profession",
        language="en",
        cluster=tuple(
            Member(id=f"Q{at}", surface=surface, source="anchor", count=1, total=1, sitelinks=9)
            for at, surface in enumerate(cluster, 1)
        ),
        outliers=tuple(
            Outlier(
                id=f"Q{at + 50}",
                surface=surface,
                source="anchor",
                count=1,
                total=1,
                sitelinks=9,
                outlier_class=at // 2 + 1,
                via="Q2",
            )
            for at, surface in enumerate(outliers)
        ),
    )


def test_the_text_is_the_released_form() -> None:
    """Cluster lines, one blank line, outlier lines; `_` for a space; a newline at the end."""
    text = format_group(group(["actor", "New York lawyer"], ["universe", "Mount Everest"]))
    assert text == "actor\nNew_York_lawyer\n\nuniverse\nMount_Everest\n"


def test_surfaces_are_nfc() -> None:
    """A decomposed letter and a composed one are the same text on disk."""
    assert format_surface("Cafe\u0301 de\u0301ja\u0300 vu") == "Caf\u00e9_d\u00e9j\u00e0_vu"


def test_white_space_inside_a_surface_never_breaks_the_file() -> None:
    """A newline, a tab or a no-break space within an anchor would start a line or look like a space."""
    assert format_surface("New\nYork\u00a0 City") == "New_York_City"


SURFACES = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=6).filter(
    lambda text: text.strip("_{") != ""
)


@given(st.lists(SURFACES, min_size=2, max_size=8), st.lists(SURFACES, min_size=1, max_size=6))
def test_what_is_written_can_be_read(cluster: list[str], outliers: list[str]) -> None:
    """The reader finds the same words in the same order, and the outlier classes where there are six."""
    read = parse(format_group(group(cluster, outliers)))
    assert read[0] == [unicodedata.normalize("NFC", surface) for surface in cluster]
    assert read[1] == [unicodedata.normalize("NFC", surface) for surface in outliers]


def parse(text: str) -> tuple[list[str], list[str]]:
    """Both parts of a file, as wikisem's own reader sees them."""
    read = parse_group(text, "Q28640", "Q28640.txt")
    return list(surfaces(read.cluster)), list(surfaces(read.outliers))


def test_a_file_is_read_back_as_a_group(tmp_path: Path) -> None:
    """Under its QID, which is the name of the file."""
    (tmp_path / "Q28640.txt").write_text(format_group(group(["a", "b"], ["c"])), encoding="utf-8", newline="")
    (read,) = read_dataset(tmp_path)
    assert (read.id, surfaces(read.cluster)) == ("Q28640", ("a", "b"))


GROUP = Group(
    id="Q5119",
    label="capital",
    language="en",
    cluster=(
        Member(id="Q220", surface="Rome", source="anchor", count=9, total=10, sitelinks=285),
        Member(id="Q60", surface="New York", source="anchor", count=9, total=9, sitelinks=250),
    ),
    outliers=(
        Outlier(
            id="Q456", surface="Lyon", source="anchor", count=10, total=10, sitelinks=162, outlier_class=1, via="Q515"
        ),
    ),
)


def test_wikisem500_is_a_format() -> None:
    """The released form is one file a group, below the language."""
    assert dict(groupfile.group_files("en", [GROUP]))["wikisem500/en/Q5119.txt"] == format_group(GROUP).encode()
    assert "wikisem500/en" in groupfile.group_folders("en")


def test_a_further_format_has_its_own_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is named in FORMATS is written beside the others."""
    formats = {"wikisem500": format_group, "words": lambda group: " ".join(member.surface for member in group.cluster)}
    monkeypatch.setattr(groupfile, "FORMATS", formats)
    files = dict(groupfile.group_files("en", [GROUP]))
    assert list(files)[1:] == ["wikisem500/en/Q5119.txt", "words/en/Q5119.txt"]
    assert files["words/en/Q5119.txt"] == b"Rome New York"
    assert groupfile.group_folders("de") == ["wikisem500/de", "words/de"]
