"""Categories from entities without any network: classes, patterns, values and labels of a small world."""

import random
from pathlib import Path

import pytest

from tests.entity_files import write_entities
from tests.queries.world import WORLD
from wikisem.categories.recipe import Category, parse_path
from wikisem.errors import DamagedInputError, MissingInputError, RecipeError, UsageError
from wikisem.files import list_files, open_binary, replace_file
from wikisem.queries.offline import EntitySource
from wikisem.records import Entity, Statement


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> EntitySource:
    """The small world for the offline source."""
    folder = tmp_path_factory.mktemp("out")
    write_entities(folder / "entities", WORLD, files=2)
    return EntitySource(str(folder))


def _qids(source: EntitySource, category: Category) -> list[str]:
    return [candidate.qid for candidate in source.items(category)]


def test_a_class_has_its_own_instances_alone(source: EntitySource) -> None:
    """Without ``subclasses`` only P31 of the class itself counts; items come by number."""
    assert _qids(source, Category("c", class_="Q100")) == ["Q12", "Q1000000000000"]


def test_subclasses_are_followed_around_cycles(source: EntitySource) -> None:
    """With ``subclasses`` everything below the class counts, though Q101 and Q102 are below each other."""
    cities = Category("c", class_="Q100", subclasses=True)
    assert _qids(source, cities) == ["Q11", "Q12", "Q13", "Q14", "Q15", "Q1000000000000"]


def test_excluded_classes_take_their_items_out(source: EntitySource) -> None:
    """An item that is an instance of an excluded class too is out."""
    cities = Category("c", class_="Q100", subclasses=True, exclude=("Q103",))
    assert _qids(source, cities) == ["Q11", "Q12", "Q14", "Q1000000000000"]


def test_statements_narrow_a_class(source: EntitySource) -> None:
    """Located in, once or by any number of steps, through a loop that leads to itself."""
    direct = Category("c", class_="Q100", subclasses=True, statements=("P131 Q23",))
    distant = Category("c", class_="Q100", subclasses=True, statements=("P131+ Q23",))
    assert _qids(source, direct) == ["Q15"]
    assert _qids(source, distant) == ["Q12", "Q13", "Q15"]


def test_facets_count_beside_instances(source: EntitySource) -> None:
    """With P31 and P1269 as links, each item comes once, whichever link leads to the class."""
    facets = Category("c", class_="Q130", linked_by=("P31", "P1269"))
    assert _qids(source, facets) == ["Q31", "Q33"]
    below = Category("c", class_="Q130", linked_by=("P31", "P1269"), subclasses=True)
    assert _qids(source, below) == ["Q31", "Q32", "Q33"]


def test_items_that_have_a_property(source: EntitySource) -> None:
    """Those with an item as its value, or a text in some language, each once."""
    assert _qids(source, Category("c", having="P17")) == ["Q11", "Q12", "Q13", "Q14", "Q15", "Q21"]
    assert _qids(source, Category("c", having="P1549")) == ["Q1", "Q2"]
    assert _qids(source, Category("c", having="P9999")) == []


def test_min_sitelinks_and_limit_are_two_things(source: EntitySource) -> None:
    """The source applies ``min_sitelinks``; a limit takes the most prominent, lower QIDs first among equals."""
    cities = source.items(Category("c", class_="Q100", subclasses=True, min_sitelinks=50, limit=1))
    assert [candidate.qid for candidate in cities] == ["Q11", "Q12", "Q15"]
    assert [candidate.qid for candidate in Category("two", limit=2).most_prominent(cities)] == ["Q11", "Q12"]
    assert len(Category("all").most_prominent(cities)) == 3


@pytest.mark.parametrize(
    ("pattern", "qids"),
    [
        ("?land wdt:P31 wd:Q110 ; wdt:P36 ?item . FILTER NOT EXISTS { ?land wdt:P31 wd:Q111 }", "Q11 Q12 Q13 Q15"),
        ("?item wdt:P31/wdt:P279* wd:Q100 ; wdt:P131+ wd:Q23", "Q12 Q13 Q15"),
        ("VALUES ?item { wd:Q1 wd:Q99 wd:Q4 }", "Q1 Q4 Q99"),
        ("?item wdt:P31 wd:Q110 ; wikibase:sitelinks ?links FILTER(?links > 80)", "Q1"),
        ("?item wikibase:sitelinks ?links FILTER(?links = 70)", "Q3"),
        ("?item wdt:P1549 ?demonym FILTER(LANG(?demonym) = 'la')", "Q1"),
        ("?item wdt:P1549 'Southern'@en", "Q2"),
        ("{ ?item wdt:P36 wd:Q11 } UNION { ?item wdt:P36 wd:Q14 } MINUS { ?item wdt:P31 wd:Q111 }", "Q1"),
        ("?item wdt:P131 ?item", "Q23"),
        ("?item wdt:P36 ?capital . ?capital wdt:P31 wd:Q100 # the old capital is a ghost town", "Q2"),
    ],
)
def test_patterns_are_answered_from_columns(source: EntitySource, pattern: str, qids: str) -> None:
    """Joins, paths, filters, unions and differences work without an endpoint."""
    assert _qids(source, Category("c", pattern=pattern)) == qids.split()


@pytest.mark.parametrize("pattern", ["?item rdfs:label 'x'@en", "?item ?any wd:Q1", "?item p:P31/ps:P31 wd:Q1"])
def test_what_entities_do_not_hold_is_refused(source: EntitySource, pattern: str) -> None:
    """A pattern that entities cannot answer is refused, never answered with less."""
    with pytest.raises(UsageError, match="ask an endpoint instead"):
        source.items(Category("c", pattern=pattern))


def test_nothing_leaves_the_machine(source: EntitySource) -> None:
    """SERVICE would ask the network: refused offline, however deep it is."""
    pattern = "?item wdt:P31 wd:Q1 OPTIONAL { { SERVICE <http://localhost:1/> { ?item ?p ?o } } }"
    with pytest.raises(UsageError, match="saw SERVICE"):
        source.items(Category("c", pattern=pattern))


def test_a_pattern_that_is_no_sparql_is_a_mistake_of_the_recipe(source: EntitySource) -> None:
    """What cannot be parsed is a RecipeError, with the pattern."""
    with pytest.raises(RecipeError, match=r"expected a SPARQL pattern, saw '\?item wdt:P31'"):
        source.items(Category("c", pattern="?item wdt:P31"))


def test_values_are_items_by_number_then_texts(source: EntitySource) -> None:
    """P36 leads to items, P1549 to texts with a language, P131+ to everything further up."""
    assert source.values(["Q1", "Q2", "Q11"], parse_path("P36")) == {
        "Q1": [Statement("P36", "Q11")],
        "Q2": [Statement("P36", "Q12"), Statement("P36", "Q13")],
    }
    assert [one.value for one in source.values(["Q1"], parse_path("P1549"))["Q1"]] == [
        "Northish",
        "Northlander",
        "Borealis",
    ]
    assert [one.value for one in source.values(["Q13"], parse_path("P131+"))["Q13"]] == ["Q12", "Q22", "Q23"]


def test_labels_come_for_many_languages_at_once(source: EntitySource) -> None:
    """Labels under the codes asked for, without items that have none."""
    assert source.labels(["Q1", "Q3", "Q14"], ["la", "mul"]) == {
        "Q1": {"la": "Terra Borealis", "mul": "Nordland"},
        "Q14": {"mul": "Mulburg"},
    }


def test_a_property_that_no_item_has_is_noted(tmp_path: Path) -> None:
    """An empty answer because the entities were built without a property is told, not silent."""
    source = EntitySource(str(write_entities(tmp_path, [Entity("Q1", instance_of=("Q2",))])))
    assert source.items(Category("c", class_="Q2", linked_by=("P1269",))) == []
    assert ["P1269" in note for note in source.notes()] == [True]


def test_no_entities_and_no_parquet_are_told_apart(tmp_path: Path) -> None:
    """An empty folder is a missing input, other Parquet or other bytes a damaged one."""
    with pytest.raises(MissingInputError, match="expected the entities of a build"):
        EntitySource(str(tmp_path))
    (tmp_path / "file").touch()
    with pytest.raises(MissingInputError, match="expected the entities of a build"):
        EntitySource(str(tmp_path / "file"))
    (tmp_path / "bad.parquet").write_bytes(b"no parquet")
    with pytest.raises(DamagedInputError, match="expected the Parquet of the entities stage"):
        EntitySource(str(tmp_path))


def test_entities_may_lie_behind_a_url(tmp_path: Path) -> None:
    """A URL of a folder or a store is read as a path is, with the folder of a build or that of its entities."""
    write_entities(tmp_path / "entities", WORLD)
    whole = EntitySource(str(tmp_path)).items(Category("c", class_="Q100"))
    assert len(whole) == 2
    for path in list_files(f"{tmp_path}/entities/**"):
        with open_binary(path) as source:
            replace_file(f"memory://{path}", source.read())
    for url in (tmp_path.as_uri(), f"{tmp_path.as_uri()}/entities/", f"memory://{tmp_path}"):
        assert EntitySource(url).items(Category("c", class_="Q100")) == whole


def test_no_item_at_all_is_no_failure(tmp_path: Path) -> None:
    """Entities without a row give empty categories."""
    source = EntitySource(str(write_entities(tmp_path, [])))
    assert source.items(Category("c", class_="Q2", subclasses=True)) == []
    assert source.items(Category("c", pattern="VALUES ?item { wd:Q7 }"))[0].sitelinks == 0
    assert source.values(["Q1"], parse_path("P36")) == {}
    assert source.labels(["Q1"], ["en"]) == {}


def test_damaged_entities_are_named(tmp_path: Path) -> None:
    """Flipped bits in a file of a build, wherever: the folder is named, or what was asked for is read."""
    path = write_entities(tmp_path / "entities", WORLD) / "part-00000.parquet"
    whole, draw, refused = path.read_bytes(), random.Random(1), 0
    for _ in range(150):
        data = bytearray(whole)
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        path.write_bytes(data)
        try:
            source = EntitySource(str(tmp_path / "entities"))
            source.items(Category("cities", class_="Q100", subclasses=True))
            source.labels(["Q11", "Q12"], ["en"])
            source.values(["Q11", "Q12"], parse_path("P17"))
        except DamagedInputError as error:
            assert str(tmp_path / "entities") in str(error)
            refused += 1
    assert refused > 50


def test_labels_of_some_items_are_read_by_the_index(tmp_path: Path) -> None:
    """A file that has none of them is not read, whatever is in it; without an index all files are."""
    mine, others = WORLD[0].qid, WORLD[1].qid
    expected = EntitySource(str(write_entities(tmp_path / "whole", WORLD, files=2))).labels([mine], ["en", "de"])
    assert expected
    folder = write_entities(tmp_path / "indexed", WORLD, files=2)
    damaged = folder / "part-00001.parquet"
    damaged.write_bytes(b"PAR1" + bytes(2000) + damaged.read_bytes()[2004:])
    assert EntitySource(str(folder)).labels([mine], ["en", "de"]) == expected
    with pytest.raises(DamagedInputError):
        EntitySource(str(folder)).labels([others], ["en", "de"])
    unindexed = write_entities(tmp_path / "unindexed", WORLD, files=2, buckets=0)
    assert EntitySource(str(unindexed)).labels([mine], ["en", "de"]) == expected
