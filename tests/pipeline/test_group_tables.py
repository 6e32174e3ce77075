"""Tables of groups for people."""

import io
from pathlib import Path

from rich.console import Console
from rich.table import Table

from wikisem.outputs.groupfile import encode_group, encode_rejection, read_groups, read_rejections
from wikisem.pipeline.commands.show import group_table, languages_table
from wikisem.records import Group, Member, Outlier, Rejection

GROUP = Group(
    id="Q4022",
    label="Fluss",
    language="de",
    cluster=(
        Member(id="Q584", surface="Rhein", source="anchor", count=9, total=10, sitelinks=250),
        Member(id="Q1644", surface="Elbe", source="title", count=0, total=0, sitelinks=120),
    ),
    outliers=(
        Outlier(
            id="Q585", surface="Oslo", source="anchor", count=3, total=4, sitelinks=213, outlier_class=1, via="Q5119"
        ),
        Outlier(
            id="Q586", surface="Bonn", source="anchor", count=2, total=2, sitelinks=133, outlier_class=1, via="Q515"
        ),
        Outlier(
            id="Q313", surface="Venus", source="anchor", count=5, total=8, sitelinks=206, outlier_class=3, via="Q634"
        ),
    ),
)


def text(table: Table) -> list[str]:
    """The lines of a table as a wide terminal shows them."""
    page = io.StringIO()
    Console(file=page, width=200).print(table)
    return page.getvalue().splitlines()


def test_languages_are_rows_with_reasons() -> None:
    """A language's row counts groups, test cases and classes without a group by reason; one may have none at all."""
    rejections = [
        Rejection("Q1", "de", "affix", ""),
        Rejection("Q2", "de", "digits", ""),
        Rejection("Q3", "de", "affix", ""),
    ]
    lines = text(languages_table({"de": [GROUP, GROUP], "he": []}, {"de": rejections, "he": []}))
    cells = {
        line.split("│")[1].strip(): [cell.strip() for cell in line.split("│")[2:6]] for line in lines if "│" in line
    }
    assert cells["de"] == ["2", "6", "3", "affix 2, digits 1"]
    assert cells["he"] == ["0", "0", "0", ""]


def test_a_group_shows_every_member_once() -> None:
    """Each part is named on its first row; shares, sources and the class that brought an outlier in are beside it."""
    lines = text(group_table(GROUP, {"Q5119": "capital"}))
    rows = {
        member.surface: next(line for line in lines if member.surface in line)
        for member in (*GROUP.cluster, *GROUP.outliers)
    }
    assert "Fluss (Q4022, de)" in lines[0]
    assert "cluster" in rows["Rhein"]
    assert "9/10 = 0.90" in rows["Rhein"]
    assert "cluster" not in rows["Elbe"]
    assert "/" not in rows["Elbe"]
    assert "O1" in rows["Oslo"]
    assert "capital" in rows["Oslo"]
    assert "O1" not in rows["Bonn"]
    assert "Q515" in rows["Bonn"]
    assert "O3" in rows["Venus"]


def test_groups_and_rejections_are_read_back(tmp_path: Path) -> None:
    """What a build left in groups/ and rejected/ comes back as records; empty files hold none."""
    for folder in ("groups", "rejected"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "he.jsonl").write_bytes(b"")
    rejection = Rejection("Q1", "de", "affix", "4 share the last word")
    (tmp_path / "groups" / "de.jsonl").write_bytes(encode_group(GROUP) * 2)
    (tmp_path / "rejected" / "de.jsonl").write_bytes(encode_rejection(rejection))
    assert read_groups(str(tmp_path), "de") == [GROUP, GROUP]
    assert read_rejections(str(tmp_path), "de") == [rejection]
    assert read_groups(str(tmp_path), "he") == []
    assert read_rejections(str(tmp_path), "he") == []
