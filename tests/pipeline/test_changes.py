"""Changes from one set to another: each of them by hand, the ids that stay, and two builds from real data."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.outputs.release.world import make_group, write_run
from tests.trees import lines_of
from wikisem.outputs.groupfile import encode_group
from wikisem.pipeline.cli import main
from wikisem.pipeline.commands.changes import NO_CANDIDATE, NOT_IN_NEW, NOT_IN_OLD, Change, compare_languages
from wikisem.records import Group, Rejection

STAYS, GOES, COMES, FADES = (make_group("de", number) for number in (3, 4, 5, 6))


def changed() -> Group:
    """The first group with another word for a member, a member less, one that is now an outlier, and a new outlier."""
    first, _, third, *others = STAYS.cluster
    outlier, *more = STAYS.outliers
    moved = replace(outlier, id=third.id, surface=third.surface)
    return replace(STAYS, cluster=(replace(first, surface="other word"), *others), outliers=(moved, *more))


def test_each_change_is_told_once() -> None:
    """Groups with why they are in or out, items with the part of the group they were and are in, surface forms."""
    rejections = [Rejection("Q4", "de", "affix", "two begin alike")]
    (found,) = compare_languages(
        {"de": [STAYS, GOES, FADES]},
        {"de": [changed(), COMES]},
        {"de": [Rejection("Q5", "de", "few-outliers", "")]},
        {"de": rejections},
    )
    first, second, third = STAYS.cluster[:3]
    gone = STAYS.outliers[0]
    about = ("de", "Q3", "class 3")
    assert list(found.changes) == [
        Change("group out", "de", "Q4", "class 4", "", "affix: two begin alike"),
        Change("group out", "de", "Q6", "class 6", "", NO_CANDIDATE),
        Change("group in", "de", "Q5", "class 5", "few-outliers", ""),
        Change("surface form", *about, first.surface, "other word", first.id, "other word"),
        Change("item out", *about, "cluster", "", second.id, second.surface),
        Change("moved", *about, "cluster", "O1", third.id, third.surface),
        Change("item out", *about, "O1", "", gone.id, gone.surface),
    ]
    assert found.groups == (2, 1, 1)
    assert found.cases == (13, 5, 7)


def test_what_did_not_change_keeps_its_ids() -> None:
    """The order of groups, members and outliers is no part of an id: nothing is in, out or moved."""
    groups = [make_group("de", number) for number in range(1, 9)]
    turned = [replace(one, cluster=one.cluster[::-1], outliers=one.outliers[::-1]) for one in reversed(groups)]
    (found,) = compare_languages({"de": groups}, {"de": turned}, {}, {})
    assert found.changes == ()
    assert (found.groups, found.cases) == ((0, 8, 0), (0, 48, 0))


def test_a_language_that_one_set_lacks_is_the_reason() -> None:
    """And no rule or missing name, which nothing judged; a language without groups was built all the same."""
    groups = {"de": [STAYS], "cy": [make_group("cy", 3)]}
    for old, new, reason in (
        ({"de": [STAYS]}, groups, Change("group in", "cy", "Q3", "class 3", NOT_IN_OLD)),
        (groups, {"de": [STAYS]}, Change("group out", "cy", "Q3", "class 3", "", NOT_IN_NEW)),
        ({"de": [STAYS], "cy": []}, groups, Change("group in", "cy", "Q3", "class 3", NO_CANDIDATE)),
    ):
        welsh, german = compare_languages(old, new, {}, {})
        assert (welsh.changes, german.changes) == ((reason,), ())


def test_what_did_not_change_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of all languages, or beside the table of those that changed; a language of neither set is refused."""
    old, new = write_run(tmp_path / "old", 3, ("de", "nan")), write_run(tmp_path / "new", 3, ("de",))
    assert main(["changes", str(old), str(old)]) == 0
    assert capsys.readouterr().out == "no change in de, la, nan: the same 6 groups and 18 test cases\n"
    assert main(["changes", str(old), str(new)]) == 0
    first, *table = capsys.readouterr().out.splitlines()
    assert first == "no change in de, la: the same 3 groups and 9 test cases"
    assert next(line.split()[1] for line in table if "│ nan" in line) == "nan"
    assert not any(line.startswith("│ de") for line in table)
    assert main(["changes", str(old), str(new), "--languages", "fr"]) == 1
    assert f"expected languages of {old} or {new} (de, la, nan), saw fr" in capsys.readouterr().err


def test_exit_code_says_whether_anything_changed(tmp_path: Path) -> None:
    """As with ``git diff --exit-code``: 1 for changes, 0 for none, in the languages asked for."""
    old, new = map(str, (write_run(tmp_path / "old", 3, ("de", "nan")), write_run(tmp_path / "new", 3, ("de",))))
    assert main(["changes", old, new]) == 0
    assert main(["changes", old, new, "--exit-code"]) == 1
    assert main(["changes", old, new, "--exit-code", "--languages", "de"]) == 0
    assert main(["changes", old, old, "--exit-code", "--json"]) == 0


def test_runs_and_releases_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run with a release of another: tables, JSON by language, a row of CSV for each change, a file."""
    old, new = write_run(tmp_path / "old", 3, ("de", "nan")), write_run(tmp_path / "new", 2, ("de",), ())
    with (new / "groups" / "de.jsonl").open("ab") as sink:
        sink.write(encode_group(changed()))
    assert main(["release", str(new), "--output", str(tmp_path / "set")]) == 0
    capsys.readouterr()
    words = ["changes", str(old), str(tmp_path / "set")]
    assert main([*words, "--json", "--output", str(tmp_path / "changes.md")]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    german, taiwanese = (row for row in rows if row["language"] != "la")
    assert (german["groups_out"], german["groups_kept"], german["groups_in"]) == (0, 3, 0)
    assert {change["change"] for change in german["changes"]} >= {"surface form", "moved", "item out"}
    assert (taiwanese["language"], taiwanese["groups_out"], taiwanese["groups_kept"]) == ("nan", 3, 0)
    assert "other word" in (tmp_path / "changes.md").read_text(encoding="utf-8")
    assert main([*words, "--csv", "--languages", "nan"]) == 0
    header, *lines = capsys.readouterr().out.splitlines()
    assert header == "change,language,class,label,item,surface,before,after"
    assert lines[0] == f"group out,nan,Q1,class 1,,,,{NOT_IN_NEW}"
    assert main([*words, "--most", "1"]) == 0
    assert "2 more; --json and --csv have all" in capsys.readouterr().out
    assert main([*words, "--languages", "nan", "--most", "3"]) == 0
    assert "more; --json" not in capsys.readouterr().out


def test_a_card_says_what_changed_since_the_release_before(tmp_path: Path) -> None:
    """Counts by language under the version of the other; a card without one has no such section."""
    old, new = write_run(tmp_path / "old", 3, ("de", "nan"), ()), write_run(tmp_path / "new", 2, ("de",), ())
    with (new / "groups" / "de.jsonl").open("ab") as sink:
        sink.write(encode_group(changed()))
    manifest = old / "manifest.json"
    manifest.write_bytes(manifest.read_bytes().replace(b"wikidata-20261102-all", b"wikidata-all"))
    assert main(["release", str(old), "--output", str(tmp_path / "first")]) == 0
    assert "## Changes" not in (tmp_path / "first" / "README.md").read_text(encoding="utf-8")
    words = ["--output", str(tmp_path / "second"), "--since", str(tmp_path / "first")]
    assert main(["release", str(new), *words]) == 0
    card = (tmp_path / "second" / "README.md").read_text(encoding="utf-8")
    assert "Since version 2026.11.1; surface forms" in card
    # Classes 1 and 2 have two and three outliers, the third had four; it has six now, three of them the same.
    assert "| language | groups out | groups in | cases out | cases kept | cases in | surface forms |" in card
    assert "| de | 0 | 0 | 1 | 8 | 3 | 1 |" in card
    assert "| nan | 3 | 0 | 9 | 0 | 0 | 0 |" in card


RECIPE = """\
name = "trial"
base = "wikisem500"
[surface]
fallback = "label"
[outliers]
min_sitelinks = 0
[cluster]
max_groups = 0
"""


@pytest.mark.slow
@pytest.mark.realdata
def test_two_builds_from_real_items_differ_as_counted_by_hand(tmp_path: Path, realdata: Path) -> None:
    """Every 29th item without superclasses is deleted, every 31st has another English label."""
    (tmp_path / "trial.toml").write_text(RECIPE)
    files = [realdata / "wikidata" / name for name in ("class-graph-slice.json.gz", "real-entities.json.gz")]
    later = tmp_path / "later.json"
    with later.open("w", encoding="utf-8") as sink:
        for path in files:
            for line in gzip.decompress(path.read_bytes()).splitlines():
                item: dict[str, Any] = json.loads(line.strip().rstrip(b",")) if line.startswith(b"{") else {}
                number = int(item["id"][1:]) if item else 0
                if not item or (number % 29 == 3 and "P279" not in item["claims"]):
                    continue
                if number % 31 == 5 and "en" in item["labels"]:
                    item["labels"]["en"]["value"] += " renamed"
                sink.write(json.dumps(item) + "\n")
    for name, dumps in (("old", files), ("new", [later])):
        words = ["--wikidata", *map(str, dumps), "--languages", "en", "--output", str(tmp_path / name)]
        assert main(["build", f"{tmp_path}/trial.toml", *words]) == 0
    old, new = (
        {line["class"]: line for line in lines_of(tmp_path / name / "groups" / "en.jsonl")} for name in ("old", "new")
    )
    assert main(["changes", str(tmp_path / "old"), str(tmp_path / "new"), "--output", f"{tmp_path}/c.json"]) == 0
    (found,) = json.loads((tmp_path / "c.json").read_bytes())["scores"]
    assert (found["groups_out"], found["groups_in"]) == (len(old.keys() - new.keys()), len(new.keys() - old.keys()))
    cases = [{(c, one["id"]) for c, row in rows.items() for one in row["outliers"]} for rows in (old, new)]
    assert (found["cases_out"], found["cases_kept"]) == (len(cases[0] - cases[1]), len(cases[0] & cases[1]))
    items = [{c: {one["id"]: one["surface"] for one in (*row["cluster"], *row["outliers"])} for c, row in rows.items()}
             for rows in (old, new)]  # fmt: skip
    shared = old.keys() & new.keys()
    expected = {
        "item in": sum(len(items[1][c].keys() - items[0][c].keys()) for c in shared),
        "item out": sum(len(items[0][c].keys() - items[1][c].keys()) for c in shared),
        "surface form": sum(items[1][c].get(qid, word) != word for c in shared for qid, word in items[0][c].items()),
    }
    seen = {kind: sum(change["change"] == kind for change in found["changes"]) for kind in expected}
    assert seen == expected
    assert min(*expected.values(), found["groups_out"]) > 0
    renamed = [change for change in found["changes"] if change["change"] == "surface form"]
    assert all(change["after"] == f"{change['before']} renamed" for change in renamed)
