"""`wikisem check --taxonomy`: certificates, contradictions and levels of any groups, by the class graph of a run."""

import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from msgspec.structs import replace

import wikisem
from tests.entity_files import write_entities
from tests.outputs.release.world import make_group
from wikisem.arrow.parquet import write_parquet
from wikisem.errors import MissingInputError
from wikisem.graph.taxonomy import Taxonomy
from wikisem.layout import unlinked_folder
from wikisem.outputs.groupfile import encode_group
from wikisem.pipeline.cli import main
from wikisem.pipeline.runs.ledger import Ledger, Record
from wikisem.recipes.options import GraphOptions
from wikisem.records import Counts, Entity, Group, Member, Outlier
from wikisem.schemas import UNLINKED

TOWNS = ["Rome", "Oslo", "Bern", "Lima", "Kyiv", "Doha", "Baku", "Apia", "Male", "Suva"]


def items(first: int, count: int, qid: str) -> list[Entity]:
    """Some instances of a class, by number."""
    return [Entity(f"Q{first + n}", (qid,)) for n in range(count)]


ENTITIES = [
    Entity("Q100", subclass_of=("Q110",), labels={"en": "town"}),
    Entity("Q101", subclass_of=("Q110",), labels={"en": "river"}),
    Entity("Q102", subclass_of=("Q110",), labels={"en": "spring"}),
    Entity("Q103", subclass_of=("Q110",), labels={"en": "port"}),
    Entity("Q104", subclass_of=("Q111",), labels={"en": "institute"}),
    *items(1, 10, "Q100"),
    *items(20, 10, "Q101"),
    *items(40, 2, "Q102"),
    *items(60, 10, "Q104"),
    # Two of ten ports are towns, and one of the other eight is a river.
    *(Entity(f"Q{80 + n}", ("Q103", "Q100") if n < 2 else ("Q103",)) for n in range(9)),
    Entity("Q89", ("Q101", "Q103")),
    # A town that is an institute, as no other is, and a town and a river that are classes themselves.
    Entity("Q12", ("Q100", "Q104")),
    Entity("Q13", ("Q100",), ("Q110",)),
    Entity("Q33", ("Q101",), ("Q110",)),
]


def write_run(folder: Path, entities: Sequence[Entity], unlinked: Sequence[tuple[str, int]] = ()) -> Path:
    """What check reads of an OUT: entities, the counts of unlinked ones, and the class graph."""
    write_entities(folder / "entities" / "0f", entities)
    rows = [{"instance_of": [qid], "items": count} for qid, count in unlinked]
    path = f"{unlinked_folder(str(folder / 'entities' / '0f'))}/part.parquet"
    write_parquet(path, pa.Table.from_pylist(rows, UNLINKED))
    Taxonomy.of_entities(entities, GraphOptions(root="")).save(folder / "taxonomy" / "0f")
    for unit in ("entities", "taxonomy"):
        Ledger(str(folder)).put(Record(unit, "0f", "", Counts()))
    return folder


def town(outliers: dict[str, str], more: dict[str, str] | None = None) -> Group:
    """A group of eight towns, and more members; all by QID."""
    members = {f"Q{n}": name for n, name in enumerate(TOWNS[:8], start=1)} | (more or {})
    return Group(
        id="Q100",
        label="town",
        language="en",
        cluster=tuple(Member(id=qid, surface=name) for qid, name in members.items()),
        outliers=tuple(Outlier(id=qid, surface=name) for qid, name in outliers.items()),
    )


def check(tmp_path: Path, group: Group, out: Path) -> list[tuple[str, str]]:
    """The rules that a group breaks, with the details."""
    (tmp_path / "set.jsonl").write_bytes(encode_group(group))
    return [(one.rule, one.detail) for one in wikisem.check(tmp_path / "set.jsonl", "en", taxonomy=out)]


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run whose graph has all of it."""
    return write_run(tmp_path_factory.mktemp("proofs"), ENTITIES)


def test_a_river_is_proven_to_be_no_town(out: Path, tmp_path: Path) -> None:
    """Both classes have more than eight instances, and none in common; all are individuals: nothing is said."""
    assert check(tmp_path, town({"Q20": "Rhine"}), out) == []


@pytest.mark.parametrize(
    ("group", "rule", "detail"),
    [
        (
            town({"Q40": "Castalia"}),
            "certificate",
            "Castalia (Q40): no class of it with more than 8 instances is without an instance of the class",
        ),
        (
            town({"Q89": "Elbe"}),
            "certificate",
            "Elbe (Q89): 2 of 9 other instances of its class port (Q103) are of the class",
        ),
        (town({"Q999": "Styx"}), "certificate", "Styx (Q999) is not in the class graph"),
        (town({"Q33": "wadi"}), "levels", "wadi (Q33) is a type, most members are individuals"),
        (
            town({"Q20": "Rhine"}, {"Q13": "spa"}),
            "levels",
            "1 of 9 members are types, the others individuals: spa (Q13)",
        ),
        (
            town({"Q20": "Rhine"}, {"Q12": "Garching"}),
            "contradiction",
            "member Garching (Q12) is the only instance of both the class and institute (Q104)",
        ),
        (
            town({"Q20": "Rhine"}, {"Q21": "Tiber"}),
            "no-instance",
            "member Tiber (Q21) is no instance of the class, nor of one below it",
        ),
        (
            replace(town({"Q20": "Rhine"}), id="Q998"),
            "certificate",
            "expected a class of the class graph, saw Q998",
        ),
    ],
)
def test_what_the_class_graph_does_not_prove_is_said(
    group: Group, rule: str, detail: str, out: Path, tmp_path: Path
) -> None:
    """The rule, the item and the class, by its label where the run has one."""
    assert check(tmp_path, group, out) == [(rule, detail)]


def test_items_that_nothing_links_to_are_counted(tmp_path: Path) -> None:
    """Two springs prove little, ten do; one of them that is a town as well proves the contrary."""
    group = town({"Q40": "Castalia"})
    springs = write_run(tmp_path / "springs", ENTITIES, [("Q102", 8)])
    assert check(tmp_path, group, springs) == []
    (written,) = Path(unlinked_folder(str(springs / "entities" / "0f"))).glob("*.parquet")
    rows = [{"instance_of": ["Q102"], "items": 8}, {"instance_of": ["Q100", "Q102"], "items": 1}]
    write_parquet(str(written), pa.Table.from_pylist(rows, UNLINKED))
    ((rule, detail),) = check(tmp_path, group, springs)
    assert rule == "certificate"
    assert detail.endswith("no class of it with more than 8 instances is without an instance of the class")


def test_the_recipe_says_how_many_instances_are_a_proof(out: Path, tmp_path: Path) -> None:
    """One other spring is enough with ``certificate = 1``; without the key it is eight."""
    (tmp_path / "weak.toml").write_text('name = "weak"\nbase = "wikisem500"\n[outliers]\ncertificate = 1\n')
    (tmp_path / "set.jsonl").write_bytes(encode_group(town({"Q40": "Castalia"})))
    command = ["check", str(tmp_path / "set.jsonl"), "--language", "en", "--taxonomy", str(out)]
    assert main(command) == 1
    assert main([*command, "--recipe", str(tmp_path / "weak.toml")]) == 0


def test_the_command_lists_them_beside_the_filters(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As rows of the table and as JSON, with exit code 1; what the group says of itself is not asked."""
    proven = make_group("en", 2).outliers[1].certificate
    group = town({"Q40": "Castalia"})
    group = replace(group, outliers=(replace(group.outliers[0], certificate=proven),))
    (tmp_path / "set.jsonl").write_bytes(encode_group(group))
    command = ["check", str(tmp_path / "set.jsonl"), "--language", "en"]
    assert main(command) == 0
    capsys.readouterr()
    assert main([*command, "--taxonomy", str(out), "--json"]) == 1
    assert [(one["group"], one["rule"], one["label"]) for one in json.loads(capsys.readouterr().out)] == [
        ("Q100", "certificate", "town")
    ]
    assert main([*command, "--taxonomy", str(out)]) == 1
    assert capsys.readouterr().out.endswith("groups: 1 checked, 1 break a rule\n")


def test_words_alone_and_a_folder_without_a_run_are_errors(out: Path, tmp_path: Path) -> None:
    """Nothing is looked up for words whose items nobody names, nor counted without the entities."""
    (tmp_path / "Q100.txt").write_text("\n".join([*TOWNS, "", "Rhine", ""]))
    with pytest.raises(MissingInputError, match="expected groups with the QIDs of classes and items"):
        wikisem.check(tmp_path / "Q100.txt", "en", taxonomy=out)
    with pytest.raises(MissingInputError, match="expected the output folder of a run, saw no record of its entities"):
        check(tmp_path, town({"Q20": "Rhine"}), out / "taxonomy" / "0f")
