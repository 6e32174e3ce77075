"""explain: what statements say of the members and the outliers of a class, and of items that were passed over."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest

from tests.oracle import Named
from tests.transforms.world_of_groups import finish_stages
from wikisem.arrow.parquet import write_parquet
from wikisem.graph.taxonomy import Taxonomy
from wikisem.layout import property_labels_path
from wikisem.outputs.groupfile import read_groups
from wikisem.pipeline.cli import main
from wikisem.pipeline.commands.explain import explain_class, explain_statements, read_property_labels
from wikisem.pipeline.runs.ledger import Ledger
from wikisem.recipes.options import ClusterOptions, FilterOptions, GraphOptions, OutlierOptions, Recipe
from wikisem.records import Entity
from wikisem.schemas import PROPERTY_LABELS

AREA, POSTAL, COUNTRY, COORDINATES, PERFORMER, GENRE, IMAGE = 2046, 281, 17, 625, 175, 136, 18
TOWN, ALBUM = (COUNTRY, POSTAL, COORDINATES, IMAGE), (GENRE, IMAGE, PERFORMER)
TERMS = [(IMAGE,), (GENRE,), (COUNTRY,), (IMAGE, AREA)]


def entities() -> list[Entity]:
    """Towns, a sibling class with a town and albums, a class of terms that share nothing, and albums far away."""

    def items(first: int, kind: str, *lists: tuple[int, ...]) -> list[Entity]:
        return [Entity(f"Q{first + n}", (kind,), sitelinks=60 - n, properties=own) for n, own in enumerate(lists)]

    return [
        *items(10, "Q100", *[TOWN] * 6, TOWN[1:]),
        *items(30, "Q101", TOWN, ALBUM, ALBUM, ()),
        *items(40, "Q102", *TERMS),
        *items(60, "Q103", *[ALBUM] * 9),
        *(Entity(kind, subclass_of=("Q105",)) for kind in ("Q100", "Q101", "Q102")),
        Entity("Q103"),
    ]


RECIPE = Recipe(
    "statements",
    graph=GraphOptions(root="", disambiguation=()),
    cluster=ClusterOptions(size=8, minimum=4, coherence=0.6),
    outliers=OutlierOptions(min_sitelinks=1, minimum=1, distance=1, draw="items", margin=0.1),
    filters=FilterOptions(digits=None, affix=None, length_one=None, stop_affix=False),
)


def make_output(root: Path, recipe: Recipe = RECIPE, found: Sequence[Entity] = ()) -> Path:
    """An output folder as a run leaves it, in English."""
    found = found or entities()
    names = {one.qid: Named("abcdefghijklmnopqrstuvwxyz"[int(one.qid[1:]) % 26] * 5 + one.qid) for one in found}
    return finish_stages(root, found, {"en": names}, recipe)


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the recipe with both rules."""
    return make_output(tmp_path_factory.mktemp("out"))


def printed(capsys: pytest.CaptureFixture[str], output: Path, *words: str) -> list[str]:
    """The lines that the command prints."""
    assert main(["explain", str(output), *words]) == 0
    return capsys.readouterr().out.splitlines()


def test_the_statements_of_members_and_outliers_speak(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The properties that tell the class, strongest first, and the coherence and margins that groups have."""
    lines = printed(capsys, output, "Q100")
    assert "coherence 0.9375: of 7 members 7 have P281, 7 have P625, 6 have P17" in lines
    (group,) = read_groups(output)
    assert group.coherence == 0.9375
    for outlier in group.outliers:
        said = f"{outlier.id}: margin {outlier.margin}; it has nothing that tells the class"
        # Q40 has only an image, as all towns and albums have.
        assert (said if outlier.id == "Q40" else f"{said}; against it: P136, P175") in lines
    assert not any("Q30" in line for line in lines)


def test_an_item_that_gave_way_is_explained(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A town by all but P31 has what towns have; an album has not, and an instance is no outlier anyway."""
    lines = printed(capsys, output, "Q100", "--item", "Q30", "--item", "Q33", "--item", "Q12")
    having = "P281 (7 of 7 members), P625 (7 of 7 members), P17 (6 of 7 members)"
    assert f"Q30: margin 1.0, gives way from 0.1 on; it has {having}" in lines
    assert "Q33: no margin, since nothing is stated of it" in lines
    assert "Q12: never an outlier, since it is an instance of the class; in the cluster" in lines
    assert not any(line.startswith("Q12: margin") for line in lines)
    assert main(["explain", str(output), "Q100", "--item", "Q999"]) == 1
    assert "expected an item of the class graph, saw Q999" in capsys.readouterr().err


def test_an_instance_for_which_only_its_class_speaks_is_passed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The best known is an album in all but P31; where no group was made, those that were judged are marked."""
    odd = Entity("Q17", ("Q100",), sitelinks=90, properties=ALBUM)
    recipe = replace(RECIPE, cluster=replace(RECIPE.cluster, size=7))
    lines = printed(capsys, make_output(tmp_path, recipe, [*entities(), odd]), "Q100", "--item", "Q17")
    reason = "passed over, since nothing but P31 speaks for it"
    assert f"Q17: never an outlier, since it is an instance of the class; {reason}" in lines
    assert next(line for line in lines if line.startswith("│ Q17")).count(reason) == 1
    assert sum("in the cluster" in line for line in lines if line.startswith("│ Q1")) == 7
    lines = printed(capsys, tmp_path, "Q102")
    assert sum("judged as a member" in line for line in lines) == len(TERMS)


def test_properties_have_their_labels(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the language, else as multilingual, else in English; a property without any is its id."""
    rows = [(COUNTRY, "en", "country"), (COUNTRY, "mul", "land"), (POSTAL, "de", "PLZ"), (COORDINATES, "mul", "geo")]
    columns = dict(zip(PROPERTY_LABELS.names, map(list, zip(*rows, strict=True)), strict=True))
    output = make_output(tmp_path)
    path = property_labels_path(str(output / "entities" / "0f"))
    write_parquet(path, pa.table(columns, schema=PROPERTY_LABELS))
    lines = printed(capsys, output, "Q100", "--item", "Q30")
    assert "coherence 0.9375: of 7 members 7 have P281, 7 have geo (P625), 6 have country (P17)" in lines
    having = "P281 (7 of 7 members), geo (P625, 7 of 7 members), country (P17, 6 of 7 members)"
    assert f"Q30: margin 1.0, gives way from 0.1 on; it has {having}" in lines
    assert read_property_labels(str(output), [COUNTRY, POSTAL, COORDINATES], "de") == {
        COUNTRY: "land", POSTAL: "PLZ", COORDINATES: "geo"
    }  # fmt: skip


def test_a_class_without_a_kind_is_explained(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The cluster that was rejected is weighed again: its coherence is that of the rejection."""
    lines = printed(capsys, output, "Q102")
    assert "no group: no-kind (expected a coherence of at least 0.6, saw 0.5)" in lines
    assert "coherence 0.5: nothing that tells the class is had by more than 1 of 4 members" in lines


def test_where_nothing_is_stated_one_line_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither value is known, so that no outlier has a line."""
    output = make_output(tmp_path, found=[replace(one, properties=()) for one in entities()])
    lines = printed(capsys, output, "Q100", "--item", "Q30")
    assert "coherence unknown: nothing is stated of its members" in lines
    assert not any("margin" in line for line in lines)


def test_a_recipe_that_reads_no_statements_has_none_to_explain(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor is anything said if the run has no record of its groups."""
    plain = replace(
        RECIPE, cluster=replace(RECIPE.cluster, coherence=None), outliers=replace(RECIPE.outliers, margin=None)
    )
    output = make_output(tmp_path, plain)
    assert not any("margin" in line for line in printed(capsys, output, "Q100", "--item", "Q30"))
    Ledger(str(output)).invalidate("groups/en")
    assert not any("margin" in line for line in printed(capsys, output, "Q100", "--item", "Q30"))


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_is_weighed_again_is_what_the_run_weighed(seed: int, tmp_path: Path) -> None:
    """In random worlds: each coherence and margin is that of the files, and telling properties are counted plainly."""
    draw = Random(seed)
    entities = [Entity(f"Q{100 + n}", subclass_of=("Q105",)) for n in range(3)]
    for number in range(10, 60):
        kind = draw.randrange(3)
        own = {each for each in range(1, 13) if draw.random() < (0.7 if each % 3 == kind else 0.2)}
        few = () if number % 10 == 0 else tuple(sorted(own))
        entities.append(Entity(f"Q{number}", (f"Q{100 + kind}",), sitelinks=draw.randint(1, 9), properties=few))
    recipe = replace(RECIPE, cluster=ClusterOptions(5, 3, coherence=0.7), outliers=replace(RECIPE.outliers, margin=0.4))
    output = make_output(tmp_path, recipe, entities)
    taxonomy, known = Taxonomy.load(output / "taxonomy" / "0f"), {one.qid: one for one in entities}
    prominent = [one for one in entities if one.properties and one.sitelinks >= recipe.outliers.min_sitelinks]
    smoothed = {each: sum(each in other.properties for other in prominent) + 0.5 for each in range(1, 13)}
    shares = {each: count / (len(prominent) + 1) for each, count in smoothed.items()}
    judged = 0
    for qid in ("Q100", "Q101", "Q102"):
        one = explain_class(str(output), taxonomy, qid, "en")
        (found,) = explain_statements(str(output), taxonomy, [one])
        assert found is not None
        instances = {each.qid for each in prominent if each.instance_of == (qid,)} | set(one.cluster)
        shown = [known[each] for each in instances if known[each].properties]
        frequent = Counter(each for other in shown for each in other.properties)
        among = {each: (frequent[each] + shares[each]) / (len(shown) + 1) for each in shares}
        counts = {}
        for each, share in shares.items():
            if among[each] >= 2 * share:
                counts[each] = sum(each in known[member].properties for member in one.cluster)
        assert dict(found.telling) == {each: count for each, count in counts.items() if count > 1}
        for item in found.items:
            own = set(known[item.qid].properties)
            assert item.telling == [each for each in found.telling if each in own]
            assert set(item.against) == {each for each in own if among[each] < shares[each]}
            assert [frequent[each] == 0 for each in item.against] == sorted(
                frequent[each] == 0 for each in item.against
            )[::-1]
            assert item.stated == len(own)
        assert found.members == len(one.cluster)
        if one.group is not None:
            assert found.coherence == one.group.coherence
            assert [each.margin for each in found.items] == [each.margin for each in one.group.outliers]
            judged += 1
        elif one.rejection is not None and one.rejection.reason == "no-kind":
            assert one.rejection.detail.endswith(f"saw {found.coherence}")
            judged += 1
    assert judged
