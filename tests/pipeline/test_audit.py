"""`wikisem audit`: a run, a file of groups and a released text, alone and beside each other."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.outputs.release.world import write_run
from wikisem.graph.taxonomy import Taxonomy
from wikisem.outputs.groupfile import encode_group, group_files
from wikisem.pipeline.cli import main
from wikisem.recipes.options import GraphOptions
from wikisem.records import Certificate, Entity, Group, Member, Outlier

TOWNS = ["Rome", "Oslo", "Bern", "Lima", "Kyiv", "Doha", "[Baku]"]
GROUP = Group(
    id="Q100",
    label="city",
    language="en",
    cluster=tuple(
        Member(id=f"Q{n}", surface=name, source="anchor", count=3, total=4, sitelinks=9)
        for n, name in enumerate(TOWNS, start=1)
    ),
    outliers=(
        Outlier(id="Q20", surface="Rhine", source="anchor", count=3, total=4, sitelinks=9, outlier_class=1, via="Q101"),
        Outlier(id="Q102", surface="place", source="label", count=0, total=0, sitelinks=9, outlier_class=2, via="Q101"),
    ),
)


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """What audit reads of a run's output folder: groups in English, the class graph and the released form."""
    entities = [
        *(Entity(member.id, ("Q100",)) for member in GROUP.cluster),
        Entity("Q20", ("Q101",)),
        Entity("Q100", (), ("Q102",)),
        Entity("Q101", (), ("Q102",)),
        Entity("Q102", ("Q101",), ()),
    ]
    out = tmp_path / "out"
    Taxonomy.of_entities(entities, GraphOptions(root="")).save(out / "taxonomy")
    (out / "groups").mkdir()
    (out / "groups" / "en.jsonl").write_bytes(encode_group(GROUP))
    for path, data in group_files("en", [GROUP]):
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_bytes(data)
    return out


def audit(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    """What the command prints."""
    assert main(["audit", *map(str, words)]) == 0
    return capsys.readouterr().out


def test_a_run_is_measured_with_its_class_graph(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table has a row for each measure, and the worst groups say what is wrong."""
    text = audit(capsys, output)
    assert "place (Q102) is a class above it" in text
    assert "no link has the surface form" in text
    assert "Q1 " in text


def test_no_table_of_findings_is_printed_without_any(
    output: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The line says that there are none; with some, they are in a table."""
    sound = replace(GROUP, outliers=GROUP.outliers[:1])
    (tmp_path / "sound.jsonl").write_bytes(encode_group(sound))
    assert "sound.jsonl: 0 of 1 groups have findings\n" in (text := audit(capsys, tmp_path / "sound.jsonl"))
    assert "┃ findings" not in text
    text = audit(capsys, output)
    assert "1 of 1 groups have findings, the worst first" in text
    assert "┃ findings" in text


def test_json_has_every_measure_of_every_group(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One object for each data set, with values by language and outlier class, and the groups in full."""
    (found,) = json.loads(audit(capsys, output, "--json"))
    assert found["languages"]["en"]["O1"]["distance"] == 2
    assert found["languages"]["en"]["O2"]["the class, above or below it"] == 1
    (group,) = found["groups"]
    assert (group["id"], group["age"]) == ("Q100", {"lowest": 1, "median": 4, "highest": 7})
    assert [one["relation"] for one in group["outliers"]] == ["none", "above"]
    assert group["findings"][0]["wrong"] is True


def test_a_released_text_is_set_beside_a_run(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In each cell the first data set's value, then the other's; what text cannot say is a dash."""
    text = audit(capsys, output / "wikisem500", "--compare", output)
    row = next(line for line in text.splitlines() if "in one further class" in line)
    assert "– | 0.000" in row
    alone = audit(capsys, output / "wikisem500")
    assert "largest shared affix" in alone
    assert not {"in one further class", "distance", "fewest sitelinks"} & set(alone.replace("│", "\n").split("\n"))
    assert not any(line.replace("│", "").split()[1:] in (["–"], ["–", "–"]) for line in alone.splitlines())
    both = json.loads(audit(capsys, output / "wikisem500", "--compare", output, "--json"))
    assert [one["name"] for one in both] == [str(output / "wikisem500"), str(output)]
    assert both[0]["languages"]["en"]["cluster"]["items"] == both[1]["languages"]["en"]["cluster"]["items"] == 7


def test_a_file_of_groups_needs_no_run(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Members are read in full; what needs the graph is unknown."""
    (found,) = json.loads(audit(capsys, output / "groups" / "en.jsonl", "--json"))
    assert found["languages"]["en"]["O1"]["distance"] is None
    assert found["languages"]["en"]["cluster"]["item number, highest"] == 7


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["nowhere"], 1, "nowhere"),
        ([".", "--compare", "nowhere"], 1, "nowhere"),
        ([".", "--", "--runner=X"], 2, "takes no Beam options"),
        ([".", "--jsom"], 2, "--json"),
    ],
)
def test_wrong_usage_ends_in_one_message(
    output: Path, words: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was expected and what was seen, with the exit code of the mistake."""
    assert main(["audit", *(str(output) if word == "." else word for word in words)]) == code
    assert said in capsys.readouterr().err


def test_a_run_without_any_group_is_one_message(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Empty files are no data set."""
    (output / "groups" / "en.jsonl").write_bytes(b"")
    assert main(["audit", str(output)]) == 1
    assert "expected groups, saw none" in capsys.readouterr().err


def test_baselines_of_form_and_prominence_are_said(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By language and outlier class, with chance first; the least frequent token where a file or a URL has counts."""
    frequencies = output.parent / "en.txt"
    frequencies.write_text("rhine 1\nplace 2\n", encoding="utf-8")
    text = audit(capsys, output, "--frequencies", f"en={frequencies}")
    assert "en: who picks … is right, %" in text
    assert next(line for line in text.splitlines() if "chance" in line).split("│")[4].strip() == "12.5"
    (found,) = json.loads(audit(capsys, output, "--json", "--frequencies", f"en={frequencies.as_uri()}"))
    baselines = {(row["name"], row["model"]): row["value"] for row in found["baselines"]}
    assert list(dict.fromkeys(name for name, _ in baselines)) == ["O1", "O2", ""]
    # Rhine and place have five letters, all towns but one four; [Baku] has six characters.
    assert (baselines["", "longest"], baselines["O2", "odd capital"]) == (0, 50)
    assert [baselines["O1", name] for name in ("least linked", "least frequent token")] == [12.5, 0]
    assert main(["audit", str(output), "--frequencies", "en"]) == 2
    assert "--frequencies: expected LANG=FILE such as en=frequencies.txt, saw 'en'" in capsys.readouterr().err


def rated(coherence: float, *margins: float, language: str = "en") -> Group:
    """The group with a coherence, and as many outliers as margins."""
    outliers = (replace(GROUP.outliers[0], id=f"Q{n}", margin=margin) for n, margin in enumerate(margins, 20))
    return replace(GROUP, language=language, coherence=coherence, outliers=tuple(outliers))


def test_groups_are_ranked_by_coherence_and_outliers_by_margin(
    output: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The lowest coherence and the highest margin first, ten of each; near misses are told by the run's recipe."""
    groups = [rated(0.649, *(n / 200 for n in range(8)), language="en"), rated(0.65, 0.05, 0.051, 0.0, language="de")]
    for group in groups:
        (output / "groups" / f"{group.language}.jsonl").write_bytes(encode_group(group))
    assert "near misses" not in audit(capsys, output)
    recipe = {"name": "x", "cluster": {"size": 8, "coherence": 0.6}, "outliers": {"margin": 0.1}}
    (output / "manifest.json").write_text(json.dumps({"recipe": recipe, "seed": 500}))
    text = audit(capsys, output)
    titles = " ".join(text.split())  # they are as wide as their tables
    assert "groups, the lowest coherence first; near misses, a coherence below 0.6 + 0.05: 1 of 2" in titles
    assert "outliers, the highest margin first; near misses, a margin above half of 0.1: 1 of 11" in titles
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines() if ", ".join(TOWNS) in line]
    assert [(row[0], row[1], row[3]) for row in rows] == [
        ("city (Q100)", "en", "0.649"),
        ("city (Q100)", "de", "0.650"),
    ]
    shown = [line.split("│")[1:-1] for line in text.splitlines() if line.startswith("│ Rhine")]
    assert [cell.strip() for cell in shown[0]] == ["Rhine (Q21)", "O1", "city (Q100)", "de", "0.051"]
    assert [float(row[-1]) for row in shown] == [0.051, 0.05, 0.035, 0.03, 0.025, 0.02, 0.015, 0.01, 0.005, 0.0]
    (found,) = json.loads(audit(capsys, output, "--json"))
    assert found["near_misses"] == {"coherence": 1, "margin": 1}
    assert [one["coherence"] for one in found["by_coherence"]] == [0.649, 0.65]
    assert len(found["by_margin"]) == 11
    expected = {"id": "Q100", "language": "de", "outlier": "Rhine", "qid": "Q21", "margin": 0.051}
    assert found["by_margin"][0] == expected
    assert found["languages"]["de"]["cluster"]["coherence"] == 0.65
    assert found["languages"]["de"]["O1"]["margin"] == pytest.approx(0.101 / 3)
    (output / "manifest.json").write_text(json.dumps({"recipe": {"cluster": {"coherence": "high"}}}))
    assert main(["audit", str(output)]) == 1
    assert "manifest.json: expected the manifest of a run" in capsys.readouterr().err


def test_certificates_are_counted(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The share of outliers that have one; a dash for a set of a recipe that asks for none."""
    assert "│ certificate" not in audit(capsys, output)
    first, second = GROUP.outliers
    proven = replace(first, certificate=Certificate("Q101", 12, 9, "river"))
    group = replace(GROUP, outliers=(proven, replace(second, outlier_class=1)))
    (output / "groups" / "en.jsonl").write_bytes(encode_group(group))
    (found,) = json.loads(audit(capsys, output, "--json"))
    assert found["languages"]["en"]["O1"]["certificate"] == 0.5
    assert "│ certificate" in audit(capsys, output)


def test_a_set_without_coherence_has_no_such_tables(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rows of measures have a dash, as all that is not known."""
    text = audit(capsys, output)
    assert "the lowest coherence first" not in text
    assert "the highest margin first" not in text
    (found,) = json.loads(audit(capsys, output, "--json"))
    assert (found["by_coherence"], found["by_margin"]) == ([], [])
    assert found["near_misses"] == {"coherence": None, "margin": None}


def test_a_release_is_read_with_the_recipe_that_it_carries(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Near misses are counted in its folder, and in one file of its groups; the groups are those of the run."""
    run = write_run(tmp_path / "out", codes=("de", "no"), empty=())
    manifest = json.loads((run / "manifest.json").read_bytes())
    manifest["recipe"] |= {"cluster": {"coherence": 0.88}, "outliers": {"margin": 0.1}}
    (run / "manifest.json").write_text(json.dumps(manifest))
    assert main(["release", str(run), "--output", str(tmp_path / "set")]) == 0
    capsys.readouterr()
    # Groups have 0.92, 0.93, 0.94 and 0.95; outliers 0.00 to 0.05.
    one, whole, of_run = (
        json.loads(audit(capsys, path, "--json"))[0]
        for path in (tmp_path / "set" / "groups" / "no.parquet", tmp_path / "set", run)
    )
    assert one["near_misses"] == {"coherence": 1, "margin": 0}
    assert whole["near_misses"] == {"coherence": 2, "margin": 0}
    assert len(one["groups"]) == 5
    assert {**whole, "name": ""} == {**of_run, "name": ""}
