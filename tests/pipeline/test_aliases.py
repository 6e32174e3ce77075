"""Labels that are aliases of better known items, from the dump to groups, and entities read without aliases."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from tests.transforms.test_entities import dump, item
from tests.trees import manifest_of
from wikisem.pipeline.cli import main

RECIPE = """\
name = "names"
[graph]
root = ""
[cluster]
minimum = 7
[outliers]
min_sitelinks = 0
[surface]
fallback = "label"
minimum_page_share = {}
"""
TOWNS = ("Rome", "Oslo", "Bern", "Lima", "Kyiv", "Doha", "Baku", "Springfield")


def named(text: str, wikis: int) -> dict[str, Any]:
    """The label of an item, and as many sitelinks."""
    links = {f"{code}wiki": {"site": f"{code}wiki", "title": text} for code in ("en", "de", "fr", "es")[:wikis]}
    return {"labels": {"en": {"language": "en", "value": text}}, "sitelinks": links}


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """Options of a build of eight towns and three rivers, one of which has the name of a town as an alias."""
    towns = [item(f"Q{number}", ["Q100"], **named(town, 2)) for number, town in enumerate(TOWNS, start=1)]
    alias = {"mul": [{"language": "mul", "value": "Springfield"}]}
    rivers = [item(f"Q{number}", ["Q101"], **named(name, 3)) for number, name in ((21, "Po"), (22, "Ebro"))]
    known = item("Q20", ["Q101"], **named("Spring River", 3), aliases=alias)
    classes = [item("Q100", superclasses=["Q102"]), item("Q101", superclasses=["Q102"]), item("Q102")]
    (tmp_path / "dump.json").write_bytes(dump(*towns, known, *rivers, *classes))
    for name, least in {"all": 0.0, "clear": 0.5}.items():
        (tmp_path / f"{name}.toml").write_text(RECIPE.format(least))
    return ["--languages", "en", "--output", str(tmp_path / "out")]


def test_a_build_reads_aliases_where_its_recipe_compares_labels(
    tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Else there are none, and a stage that needs them says so; entities that have them serve other recipes, too."""
    output, build = tmp_path / "out", ["--wikidata", str(tmp_path / "dump.json"), *words]
    for recipe, aliases, unclear in (("all", [], None), ("clear", [("mul", ["Springfield"])], 1)):
        assert main(["build", str(tmp_path / f"{recipe}.toml"), *build]) == 0
        folder = manifest_of(output)["stages"]["entities"]
        assert folder["aliases"] == bool(aliases)
        [rows] = [pq.read_table(path).to_pylist() for path in _newest(output / "entities").glob("certain-*.parquet")]
        assert [row["aliases"] for row in rows if row["qid"] == "Q20"] == [aliases]
        assert manifest_of(output)["stages"]["groups/en"].get("unclear_names") == unclear
        capsys.readouterr()
        assert main(["explain", str(output), "Q100", "--json"]) == 0
        ranked = json.loads(capsys.readouterr().out)["ranked"]
        assert {one["surface"]: one["means"] for one in ranked}["Springfield"] == ("Q20" if aliases else None)
        status = main(["surfaces", str(tmp_path / "clear.toml"), *words])
        assert (status == 0, "expected entities with aliases" in capsys.readouterr().err) == (
            bool(aliases),
            not aliases,
        )
    assert main(["build", str(tmp_path / "all.toml"), *build]) == 0
    assert "entities: finished before" in capsys.readouterr().err


def _newest(folder: Path) -> Path:
    return max(folder.iterdir(), key=lambda each: each.stat().st_mtime_ns)
