"""Related outliers as people meet them: in the lines of a run, in what commands print, and where relations lack."""

import json
from pathlib import Path

import pytest

from tests.oracle import Named
from tests.rows import one, printed_rows
from tests.transforms.world_of_groups import finish_stages
from wikisem.errors import MissingInputError
from wikisem.outputs.browse import _member
from wikisem.outputs.groupfile import group_files, read_groups
from wikisem.pipeline.cli import main
from wikisem.pipeline.runs.inputs import Profiles
from wikisem.pipeline.runs.ledger import Record
from wikisem.pipeline.runs.run import Run
from wikisem.pipeline.runs.stages import groups
from wikisem.recipes.options import ClusterOptions, GraphOptions, OutlierOptions, Recipe
from wikisem.records import RELATED, Counts, Entity, Tie
from wikisem.transforms.io.runtime import Runtime

TOWNS = ["Siena", "Florence", "Pisa", "Lucca", "Arezzo", "Prato", "Massa"]
RECIPE = Recipe(
    "small",
    graph=GraphOptions(root=""),
    cluster=ClusterOptions(minimum=7),
    outliers=OutlierOptions(min_sitelinks=1, certificate=1, distance=99, margin=0.05, related=2),
)
TUSCANY = tuple(Tie(f"Q{n}", "P131", "Q30") for n in (1, 2, 3))


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with seven towns, three of which are in Tuscany, a person who made one of them, and two rivers."""
    towns = [
        Entity(f"Q{n}", ("Q100",), sitelinks=50 - n, properties=(625, 1082), relations=((131, 30),) if n < 4 else ())
        for n in range(1, 8)
    ]
    others = [
        Entity("Q20", ("Q101",), sitelinks=9, properties=(403,)),
        Entity("Q21", ("Q101",), sitelinks=9, properties=(403,)),
        Entity("Q30", ("Q104",), sitelinks=80, properties=(36,), relations=((1889, 4),)),
        Entity("Q31", ("Q105",), sitelinks=8, properties=(569,), relations=((19, 5),)),
        Entity("Q32", ("Q105",), sitelinks=90, properties=(569,), relations=((1889, 1),)),
        *(Entity(f"Q{n}", subclass_of=("Q102",)) for n in (100, 101)),
        *(Entity(f"Q{n}", subclass_of=("Q103",)) for n in (104, 105, 106)),
        Entity("Q33", ("Q104",)),  # without a name: with it the class of Tuscany has two instances
        Entity("Q102", subclass_of=("Q106",)),  # so that towns have neither cousins nor strangers
    ]
    words = ["Arno", "Serchio", "Tuscany", "Petrarch", "Dante"]
    names = {one.qid: Named(word, "anchor", 3, 4) for one, word in zip([*towns, *others], TOWNS + words, strict=False)}
    return finish_stages(tmp_path_factory.mktemp("out"), [*towns, *others], {"en": names}, RECIPE)


def test_ties_say_which_statements_draw_a_related_outlier(output: Path) -> None:
    """The one with most ties first, either way, and none by a property that does not relate."""
    (group,) = read_groups(output)
    related = [one for one in group.outliers if one.outlier_class == RELATED]
    assert [(one.surface, one.via, one.margin, one.ties) for one in related] == [
        ("Tuscany", "Q104", 0.0, TUSCANY),
        ("Petrarch", "Q105", 0.0, (Tie("Q31", "P19", "Q5"),)),
    ]
    assert all(one.ties is None for one in group.outliers if one not in related)


def test_explain_says_what_ties_them(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The statements in the words of the group; in the table they have a part of their own."""
    assert main(["explain", str(output), "Q100"]) == 0
    shown = capsys.readouterr().out
    assert "Tuscany is tied to members: Siena (P131) Tuscany, Florence (P131) Tuscany, Pisa (P131) Tuscany" in shown
    assert "Petrarch is tied to members: Petrarch (P19) Arezzo" in shown
    assert "│ related" in shown


def test_they_are_a_class_of_their_own_in_scores_and_baselines(
    output: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By name, from JSON lines and from text with its outlier classes beside it."""
    vectors = tmp_path / "vectors.txt"
    words = [*TOWNS, "Arno", "Serchio", "Tuscany", "Petrarch"]
    vectors.write_text("".join(f"{word} {1 if word in TOWNS else -1} 1\n" for word in words), encoding="utf-8")
    (group,) = read_groups(output)
    for name, data in group_files("en", [group]):
        (tmp_path / "text" / Path(name).name).parent.mkdir(exist_ok=True)
        (tmp_path / "text" / Path(name).name).write_bytes(data)
    for dataset in (output / "groups/en.jsonl", tmp_path / "text"):
        assert main(["evaluate", "outliers", str(dataset), "--vectors", str(vectors), "--json"]) == 0
        found = printed_rows(capsys.readouterr().out)
        assert one(found, part="outlier class", name="related").cases == 2
    assert main(["audit", str(output / "groups/en.jsonl"), "--json"]) == 0
    (audited,) = json.loads(capsys.readouterr().out)
    cases = [row["cases"] for row in audited["baselines"] if (row["model"], row["name"]) == ("chance", "related")]
    assert cases == [2]


def test_the_page_shows_ties_in_words(output: Path) -> None:
    """Between the margin and the certificate; without ties there is nothing, and a member has no such column."""
    (group,) = read_groups(output)
    words = {one.id: one.surface for one in (*group.cluster, *group.outliers)}
    rows = [_member(one, words) for one in group.outliers]
    assert rows[-1][11:] == [[["Petrarch", "P19", "Arezzo"]], [105, 1, 7]]
    assert rows[0][11:] == [None, [101, 1, 7]]
    assert {len(_member(one, words)) for one in group.cluster} == {7}


def test_relations_that_were_not_kept_are_asked_for(tmp_path: Path) -> None:
    """Entities of an earlier version, or read without them, are named with the command that keeps them."""
    run, stage = Run(str(tmp_path), Runtime()), groups(["en"], RECIPE, Profiles())
    run.ledger.put(Record("entities", "0f", "", Counts(), facts={"signatures": True}))
    with pytest.raises(MissingInputError, match=r"expected entities with relations, which .* run `wikisem entities`"):
        stage.check(run)
    run.ledger.put(Record("entities", "0f", "", Counts(), facts={"signatures": True, "relations": True}))
    stage.check(run)
