"""The folder of a unit, found from whatever a person may name."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.entity_files import write_entities
from wikisem import layout
from wikisem.errors import DamagedInputError
from wikisem.files import read_if_there
from wikisem.graph.taxonomy import Taxonomy
from wikisem.layout import find_folder, folder_path, record_path
from wikisem.queries.offline import EntitySource
from wikisem.recipes.options import GraphOptions
from wikisem.records import Entity

ITEMS = [Entity("Q42", ("Q5",)), Entity("Q5", subclass_of=("Q7",))]
NAMES = st.sampled_from(["out", "/data/out", ".", "/", "taxonomy", "/taxonomy/taxonomy", "gs://b/out", "o[u]t"])
UNITS = st.sampled_from(["taxonomy", "mentions/de", "entities"])


@given(NAMES, UNITS, st.sampled_from(["", "/"]))
def test_out_and_the_folder_of_the_unit_in_it_mean_the_same(output: str, unit: str, slash: str) -> None:
    """With or without a last slash, and below a folder that is called like the unit itself."""
    records = {record_path(output, unit): b'{"fingerprint": "0f"}'}
    wanted = os.path.normpath(folder_path(output, unit, "0f"))
    for path in (output, f"{output}/{unit}" if output != "." else unit):
        assert os.path.normpath(find_folder(path + slash, unit, records.get)) == wanted


@given(NAMES, UNITS)
def test_without_a_record_a_path_means_itself(output: str, unit: str) -> None:
    """Such as the folder that holds the files."""
    assert find_folder(folder_path(output, unit, "0f"), unit, lambda _: None) == folder_path(output, unit, "0f")


@pytest.mark.parametrize("record", ["", "{", "[]", "{}", '{"fingerprint": "../../elsewhere"}', '{"fingerprint": 5}'])
def test_a_record_without_a_fingerprint_is_named(tmp_path: Path, record: str) -> None:
    """The message has the path of the record."""
    path = tmp_path / ".wikisem" / "taxonomy.json"
    path.parent.mkdir()
    path.write_text(record)
    with pytest.raises(DamagedInputError, match=r"\.wikisem/taxonomy\.json: expected the record of a unit"):
        find_folder(str(tmp_path), "taxonomy", read_if_there)


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """An output folder with entities and a class graph, each beside the folder of an earlier one."""
    for unit in ("entities", "taxonomy"):
        path = Path(record_path(str(tmp_path / "out"), unit))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"fingerprint": "0f"}')
    write_entities(tmp_path / "out" / "entities" / "0f", ITEMS)
    write_entities(tmp_path / "out" / "entities" / "0a", ITEMS[:1])
    for name, items in (("0f", ITEMS), ("0a", ITEMS[:1])):
        Taxonomy.of_entities(items, GraphOptions(root="")).save(tmp_path / "out" / "taxonomy" / name)
    return tmp_path / "out"


WAYS: list[Callable[[Path, str], Path]] = [
    lambda output, _: output,
    lambda output, unit: output / unit,
    lambda output, unit: output / unit / "0f",
]


@pytest.mark.parametrize("way", WAYS)
def test_a_class_graph_opens_from_every_folder_that_a_person_may_name(output: Path, way: Callable[..., Path]) -> None:
    """OUT, OUT/taxonomy and the folder in it, never that of an earlier result."""
    assert Taxonomy.load(way(output, "taxonomy")).above("Q5") == ["Q7"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("as_url", [False, True])
def test_entities_are_read_from_every_folder_that_a_person_may_name(
    output: Path, way: Callable[..., Path], as_url: bool
) -> None:
    """As a path and as a URL."""
    folder = way(output, "entities")
    numbers, _ = EntitySource(folder.as_uri() if as_url else str(folder)).all_sitelinks
    assert np.array_equal(numbers, [5, 42])


def test_a_path_relative_to_the_current_folder_is_understood(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Standing in OUT, "taxonomy" and "." both name the class graph."""
    monkeypatch.chdir(output)
    for path in ("taxonomy", ".", "./taxonomy/", "taxonomy/0f"):
        assert Taxonomy.load(path).above("Q5") == ["Q7"]


def test_the_page_on_the_output_folder_has_every_name_in_it() -> None:
    """Those that people see; how files within scratch are called is nobody's business."""
    page = Path(__file__).parent.parent.joinpath("docs", "output-folder.md").read_text(encoding="utf-8")
    groups, _, rejected = layout.group_leaves("<language>")
    below = [groups, rejected, layout.profile_path("<language>"), layout.unreadable_path("<unit>"), layout.MANIFEST]
    named = [
        *(f"OUT/{path}" for path in below),
        *(f"{folder_path('OUT', unit, '<fingerprint>')}/" for unit in ("entities", "mentions/<language>", "taxonomy")),
        record_path("OUT", "<unit>"),
        layout.names_path("OUT", "<unit>"),
        layout.lock_path("OUT", "<run>"),
        f"{layout.work_folder('OUT')}/<run>/",
    ]
    assert [path for path in named if f"`{path}`" not in page] == []
