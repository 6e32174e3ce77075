"""`wikisem demo`: the sample world through the real build, compared with a literal reading of the method."""

import json
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import pyarrow.parquet as pq
import pytest

import wikisem
from tests.engines.__main__ import FOLDERS
from tests.oracle import Named, OracleGraph, OracleGroups
from tests.pipeline.stage_digests import KNOWN, version_and_digest
from tests.trees import tree_of
from wikisem.outputs.groupfile import read_groups, read_rejections
from wikisem.pipeline.cli import main
from wikisem.pipeline.demo import LANGUAGES, read_classes, read_items
from wikisem.recipes.load import load_recipe
from wikisem.records import Entity, Group, Outlier, Rejection
from wikisem.wikipedia.languages import language_profile

ITEMS = read_items()
RECIPE = load_recipe("demo")
each_language = pytest.mark.parametrize("language", LANGUAGES)


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One demo for all tests of this module."""
    folder = tmp_path_factory.mktemp("demo")
    assert main(["demo", "--output", str(folder)]) == 0
    return folder


@pytest.mark.parametrize("stage", sorted(set(KNOWN) - {"mixed", "names", "walls"}))
def test_what_a_stage_leaves_changes_with_its_version_alone(output: Path, stage: str) -> None:
    """A finished unit of an earlier release is used where its stage has the same version."""
    assert version_and_digest(output, stage) == KNOWN[stage]


@pytest.mark.slow
def test_an_engine_that_shuffles_leaves_the_same_bytes(
    output: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As values of a GroupByKey, rows come to the same files as through bucket files, none of which is written."""

    def refuse(_shuffle: object, step: str, _key: str) -> NoReturn:
        raise AssertionError(f"no bucket files are needed between steps, saw those of {step}")

    monkeypatch.setattr("wikisem.transforms.io.shuffle.Shuffle._folder", refuse)
    assert main(["demo", "--output", str(tmp_path), "--", "--runner=FnApiRunner", "--bulk_shuffle=engine"]) == 0
    assert tree_of(tmp_path, *FOLDERS) == tree_of(output, *FOLDERS)


@cache
def graph() -> OracleGraph:
    """The class graph of the world's facts, without a dump in between."""
    items = [
        Entity(item.qid, item.instance_of, item.subclass_of, max(item.sitelinks or 0, len(item.names)))
        for item in ITEMS
    ]
    classes = [Entity(row.qid, subclass_of=row.subclass_of, labels=row.labels) for row in read_classes()]
    return OracleGraph([*items, *classes], RECIPE.graph)


@cache
def expected(output: Path, language: str) -> tuple[list[Group], list[Rejection]]:
    """The groups and rejections of a language by the method's letter, with the names that the facts give.

    How often each is linked, on which places of outliers depend, is what the build has counted.
    """
    files = sorted((output / "surfaces" / language).rglob("*.parquet"))
    rows = pq.read_table(files, columns=["qid", "total", "links"]).to_pylist()
    counted = {row["qid"]: (row["total"], row["links"]) for row in rows}
    names = {
        item.qid: Named(item.names[language].surface, "anchor", 0, *counted.get(item.qid, (0, None)))
        for item in ITEMS
        if language in item.names
    }
    return OracleGroups(graph(), RECIPE, language_profile(language), names).build()


@each_language
def test_groups_are_those_of_the_method(output: Path, language: str) -> None:
    """Classes, labels, clusters and outliers are those of the oracle, in the same order."""
    found, wanted = read_groups(str(output), language), expected(output, language)[0]
    assert [shape(group) for group in found] == [shape(group) for group in wanted]
    assert len(found) >= 9
    assert {outlier.outlier_class for group in found for outlier in group.outliers} == {1, 2, 3}


def shape(group: Group) -> tuple[Any, ...]:
    """A group without its counts, which facts do not hold."""
    cluster = [(member.id, member.surface, member.source, member.sitelinks) for member in group.cluster]
    return (group.qid, group.label, cluster, [_outlier(outlier) for outlier in group.outliers])


def _outlier(outlier: Outlier) -> tuple[Any, ...]:
    return (outlier.id, outlier.surface, outlier.source, outlier.sitelinks, outlier.outlier_class, outlier.via)


@each_language
def test_members_have_the_titles_of_their_pages(output: Path, language: str) -> None:
    """Those that their surface forms were counted for; an item without a page has none."""
    titles: dict[str, str | None] = {}
    for path in (output / "surfaces" / language).rglob("*.parquet"):
        rows = pq.read_table(path, columns=["qid", "title"])
        titles.update(zip(rows["qid"].to_pylist(), rows["title"].to_pylist(), strict=True))
    members = [one for group in read_groups(str(output), language) for one in (*group.cluster, *group.outliers)]
    assert {one.id: one.title for one in members} == {one.id: titles[one.id] for one in members}
    assert any(one.title and one.title != one.surface for one in members)


@each_language
def test_every_other_class_has_its_reason(output: Path, language: str) -> None:
    """A class with seven named instances and no group is listed with the oracle's reason."""
    found = [(rejection.qid, rejection.reason) for rejection in read_rejections(str(output), language)]
    assert found == [(rejection.qid, rejection.reason) for rejection in expected(output, language)[1]]
    assert len(found) >= 5


@each_language
def test_surfaces_are_the_most_frequent_anchors(output: Path, language: str) -> None:
    """Each surface form was counted, on most of the links to its page, though seldom on all of them."""
    members = [member for group in read_groups(str(output), language) for member in group.members]
    links = [(member.count or 0, member.total or 0) for member in members]
    assert all(0.5 < count / total <= 1 for count, total in links)
    assert any(count < total for count, total in links)


def test_filters_show_what_they_are_for(output: Path) -> None:
    """Months are digits in Japanese and Chinese, rivers all end alike there, music genres in English and German."""
    reasons = {
        (language, rejection.qid): rejection.reason
        for language in LANGUAGES
        for rejection in read_rejections(str(output), language)
    }
    assert {reasons[language, "Q47018901"] for language in ("ja", "zh")} == {"digits"}
    assert {reasons[language, "Q4022"] for language in ("ja", "zh")} == {"affix"}
    assert {reasons[language, "Q188451"] for language in ("de", "en")} == {"affix"}


def test_each_broken_record_costs_itself_alone(output: Path) -> None:
    """Seven dumps hold one broken record each, which is unreadable; everything else is kept or left out by name."""
    unreadable = [
        json.loads(line)
        for path in (output / "unreadable").iterdir()
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    assert sorted(row["stage"] for row in unreadable) == ["entities", *["mentions"] * len(LANGUAGES)]
    stages = json.loads((output / "manifest.json").read_text(encoding="utf-8"))["stages"]
    for unit, counts in stages.items():
        out = counts["kept"] + sum(counts["left_out"].values()) + sum(counts["unreadable"].values())
        assert counts["in"] == out, unit
    for unit in ("entities", *(f"mentions/{language}" for language in LANGUAGES)):
        assert sum(stages[unit]["unreadable"].values()) == 1, unit
    assert stages["entities"]["kept"] == len(ITEMS) + len(read_classes())
    for language in LANGUAGES:
        assert stages[f"mentions/{language}"]["kept"] == sum(language in item.names for item in ITEMS)


def test_it_prints_counts_a_group_and_where_all_lies(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table names every language, one group is shown in full, and the last line is the output folder."""
    capsys.readouterr()
    assert main(["demo", "--output", str(output)]) == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines()
    for language in LANGUAGES:
        cases = sum(len(group.outliers) for group in read_groups(str(output), language))
        assert any(line.split()[1:2] == [language] and str(cases) in line for line in lines)
    (shown,) = [group for group in read_groups(str(output), "en") if group.qid == "Q747074"]
    assert all(member.surface in printed.out for member in (*shown.cluster, *shown.outliers))
    unread = "7 records in 7 dumps could not be read (one in each is broken on purpose)"
    assert all(text in printed.out for text in ("O1", "O2", "O3", unread))
    assert lines[-1] == f"output: {output}"
    # The dumps were written anew, but hold the same bytes: nothing is built twice.
    assert "entities: finished before, nothing changed" in printed.err


def test_it_speaks_before_it_imports_anything_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first line comes before the command's own module, which imports Beam, and not before its help page."""
    said: list[str] = []
    monkeypatch.setattr("sys.stderr.write", said.append)

    def refuse(name: str) -> None:
        said.append(f"open {name}")
        raise KeyError(name)

    monkeypatch.setattr("wikisem.pipeline.cli.open_command", refuse)
    for words in (["demo"], ["demo", "--help"]):
        with pytest.raises(KeyError):
            main(words)
    assert "".join(said).split("open demo") == [
        "a sample world in six languages: its dumps are written, then read as real ones are\n", "", ""
    ]  # fmt: skip


def test_a_url_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """The demo writes plain files: a URL as output is wrong usage, said in one line."""
    assert main(["demo", "--output", "gs://bucket/demo"]) == 2
    assert "expected a folder on this machine" in capsys.readouterr().err


@pytest.mark.slow
def test_an_output_in_the_folder_of_copies_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run removes copies of arrays from the folder for them, and nothing else that is there."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    output = tmp_path / f"wikisem-{os.getuid()}" / "out"
    assert main(["demo", "--output", str(output)]) == 0
    assert len(read_groups(str(output), "en")) >= 10


def test_check_finds_neither_outliers_without_certificate_nor_contradictions_in_a_build(output: Path) -> None:
    """Again from the class graph; a class with too few other instances is rejected, and one of them is named."""
    for language in ("de", "ja"):
        assert wikisem.check(output, language, recipe="demo", taxonomy=output) == []
    rejected = {one.label: one.detail for one in read_rejections(output, "en") if one.reason == "contradictions"}
    assert rejected["capital"] == (
        "expected at least 7 individuals without a contradiction, saw 6 of 7: "
        "Rome (Q220) is the only instance of both the class and Q747074"
    )
