"""The whole chain on real data: the groups that a brute-force reading finds, and the same bytes however it is run."""

import bz2
import gzip
import json
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.trees import lines_of, manifest_of, results_of
from tests.wikidata.public_tables import read_dump, write_tables
from wikisem.pipeline.cli import main

pytestmark = [pytest.mark.slow, pytest.mark.realdata]

RECIPE = """\
name = "trial"
[surface]
fallback = "label"
[outliers]
min_sitelinks = 0
[cluster]
max_groups = 0
"""

# Groups that a brute-force reading of the method finds in these files before stop affixes. In Chinese the communes of
# France are one of them since labels are also found under zh-hant and the like.
EXPECTED = {"en": 131, "de": 22, "es": 19, "ru": 19, "zh": 17, "ar": 18}
LANGUAGES = ",".join(EXPECTED)


def _build(tmp: Path, data: Path, name: str, *words: str, order: int = 1) -> Path:
    (tmp / "trial.toml").write_text(RECIPE)
    dumps = [str(data / "wikidata" / file) for file in ("class-graph-slice.json.gz", "real-entities.json.gz")]
    output = tmp / name
    assert main(["build", f"{tmp}/trial.toml", "--wikidata", *dumps[::order], "--output", str(output), *words]) == 0
    return output


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, realdata: Path) -> Path:
    """The build of the trial recipe on both Wikidata files, without any Wikipedia."""
    return _build(tmp_path_factory.mktemp("trial"), realdata, "one", "--languages", LANGUAGES)


def test_public_tables_give_the_same_groups_as_the_dump(built: Path, tmp_path: Path, realdata: Path) -> None:
    """The same bytes of groups and rejections in six languages; as many rows are read as a naive count finds."""
    files = [realdata / "wikidata" / name for name in ("class-graph-slice.json.gz", "real-entities.json.gz")]
    entities = {entity["id"]: entity for path in files for entity in read_dump(path)}
    for entity in read_dump(files[0]):  # of two revisions the later one, as everywhere
        other = entities[entity["id"]]
        entities[entity["id"]] = max(entity, other, key=lambda one: one.get("lastrevid", 0))
    written = write_tables(entities.values(), tmp_path / "tables", cut=lambda rows: [rows // 3, rows - rows // 3])
    (tmp_path / "trial.toml").write_text(RECIPE)
    words = ["--wikidata", f"{tmp_path}/tables", "--languages", LANGUAGES, "--output", f"{tmp_path}/out"]
    assert main(["build", f"{tmp_path}/trial.toml", *words]) == 0
    assert results_of(tmp_path / "out") == results_of(built)
    found, dump = (manifest_of(output)["stages"]["entities"] for output in (tmp_path / "out", built))
    assert found["kept"] == dump["kept"]
    statements = [
        one for entity in entities.values() for each in dict(entity.get("claims") or {}).values() for one in each
    ]
    links = sum(len(entity.get("sitelinks") or {}) for entity in entities.values())
    labels = sum(code in found["labels"] for entity in entities.values() for code in entity.get("labels") or {})
    rows = {"claims": len(statements), "entities": len(entities), "labels": labels, "links": links}
    assert found["tables"]["rows"] == rows
    del written["aliases"], written["descriptions"]  # which this recipe does not ask for
    assert {**written, "labels": labels} == rows


def test_deleted_pages_are_named(tmp_path: Path, realdata: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two pages of the Latgalian Wikipedia, found missing by their links and items; the whole dump lacks none."""
    items = str(realdata / "wikidata" / "real-entities.json.gz")
    whole = realdata / "wikipedia" / "ltgwiki-20170901-pages-articles.xml.bz2"
    text = bz2.decompress(whole.read_bytes()).decode()
    without = re.sub(r"  <page>\n    <title>(Igauneja|Čile)</title>.*?</page>\n", "", text, flags=re.DOTALL)
    cut = tmp_path / "ltgwiki-20170901-pages-articles.xml"
    cut.write_text(without, encoding="utf-8")
    for path, missing in ((whole, []), (cut, ["Igauneja", "Čile"])):
        output = tmp_path / str(len(missing))
        words = ["--wikidata", items, "--wikipedia", f"ltg={path}", "--output", str(output)]
        assert main(["build", "wikisem", *words]) == 0
        # By hand: titles that items link to, twice linked at least, in the order of their links, that are no page.
        with gzip.open(items) as lines:
            entities = [json.loads(line.strip(b",\n")) for line in lines if line.startswith(b"{")]
        links = Counter(re.findall(r"\[\[ *([^]|#\n]+)", path.read_text("utf-8") if missing else text))
        pages = set(re.findall(r"<title>(.*?)</title>", without if missing else text))
        titles = [one["sitelinks"]["ltgwiki"]["title"] for one in entities if "ltgwiki" in one.get("sitelinks", {})]
        expected = sorted((one for one in titles if links[one] > 1 and one not in pages), key=lambda one: -links[one])
        assert expected == missing
        found = manifest_of(output)["stages"]["surfaces/ltg"]["linked_pages"]
        assert (found["missing"], found["best_missing_titles"]) == (len(missing), missing)
        warning = "2 of the 10 best linked pages are not in the dump: Igauneja, Čile; `wikisem download ltg --export"
        printed = capsys.readouterr()
        assert (warning in printed.err) is ("best linked pages missing 2" in printed.out) is bool(missing)


def test_as_many_groups_as_brute_force_finds_or_a_stop_affix_says_why(built: Path) -> None:
    """Every group of the brute-force reading is there, or rejected by a stop affix."""
    for language, expected in EXPECTED.items():
        groups = lines_of(built / f"groups/{language}.jsonl")
        rejected = [line for line in lines_of(built / f"rejected/{language}.jsonl") if line["reason"] == "stop-affix"]
        assert len(groups) <= expected <= len(groups) + len(rejected), language


def test_far_outliers_differ_from_group_to_group(built: Path) -> None:
    """At least half of the O3 outliers of the English groups are different items."""
    far = [
        outlier["id"]
        for group in lines_of(built / "groups/en.jsonl")
        for outlier in group["outliers"]
        if outlier["outlier_class"] == 3
    ]
    assert len(far) > 100
    assert len(set(far)) >= len(far) / 2


def test_the_same_bytes_from_two_workers_and_from_files_in_another_order(
    built: Path, realdata: Path, tmp_path: Path
) -> None:
    """Groups, rejected classes and texts do not depend on workers, nor on the order of the files."""
    words = ["--languages", LANGUAGES, "--workers", "2"]
    other = _build(tmp_path, realdata, "two", *words, order=-1)
    assert results_of(other) == results_of(built)


def test_every_stage_accounts_for_every_record(built: Path) -> None:
    """in = kept + left out + unreadable, for each stage in the manifest."""
    stages = manifest_of(built)["stages"]
    assert set(stages) >= {"entities", "taxonomy", "surfaces/en", "groups/en"}
    for name, stage in stages.items():
        out = stage["kept"] + sum(stage["left_out"].values()) + sum(stage["unreadable"].values())
        assert stage["in"] == out > 0, name


def test_surfaces_come_from_anchors_where_the_dump_links_the_page(realdata: Path, tmp_path: Path) -> None:
    """With real Wikipedias, the manifest says how many surface forms are anchors and how many are labels."""
    wikipedia = realdata / "wikipedia"
    output = _build(
        tmp_path,
        realdata,
        "linked",
        "--wikipedia",
        f"ltg={wikipedia}/ltgwiki-20170901-pages-articles.xml.bz2",
        f"en={wikipedia}/enwiki-20220720-excerpt.xml.bz2",
    )
    stages = manifest_of(output)["stages"]
    assert stages["surfaces/en"]["sources"]["anchor"] > 200
    assert stages["surfaces/en"]["sources"]["label"] > 1000
    assert stages["surfaces/ltg"]["sources"]["anchor"] >= 15
    members = [member for group in lines_of(output / "groups/en.jsonl") for member in group["cluster"]]
    assert {member["source"] for member in members} == {"anchor", "label"}
    assert all(0 < member["count"] <= member["total"] for member in members if member["source"] == "anchor")
