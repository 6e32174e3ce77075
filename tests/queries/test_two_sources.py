"""The endpoint and the entities give the same answers to the same questions about the same data."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.entity_files import dump_entities, write_entities
from tests.queries.sparql_server import Server, serve
from tests.queries.world import WORLD
from wikisem.categories.recipe import Category, CategorySource, PropertyPath, load_category_recipe, parse_path
from wikisem.queries.offline import EntitySource
from wikisem.queries.sparql import Client, EndpointSource, Transport
from wikisem.records import Entity, Statement
from wikisem.web import HttpClient

PROPERTIES = ("P17", "P36", "P38", "P131", "P1269", "P1549")
CATEGORIES = (
    Category("direct", class_="Q100"),
    Category("below", class_="Q100", subclasses=True),
    Category("known", class_="Q100", subclasses=True, min_sitelinks=41),
    Category("without", class_="Q100", subclasses=True, exclude=("Q103", "Q102")),
    Category("in", class_="Q100", subclasses=True, statements=("P131+ Q23", "P17 Q2")),
    Category("facets", class_="Q130", linked_by=("P31", "P1269"), subclasses=True),
    Category("none", class_="Q999"),
    Category("having", having="P131"),
    Category("prominent", having="P36", min_sitelinks=75),
    Category("capitals", pattern="?land wdt:P31 wd:Q110 ; wdt:P36 ?item FILTER NOT EXISTS { ?land wdt:P31 wd:Q111 }"),
    Category("demonyms", pattern="?item wdt:P1549 ?text FILTER(LANG(?text) = 'en')", min_sitelinks=85),
    Category("named", pattern="VALUES ?item { wd:Q1 wd:Q12345 }"),
    Category("values", pattern="wd:Q1 wdt:P1549|wdt:P36 ?item"),
)


def _endpoint(server: Server, page: int = 2) -> EndpointSource:
    return EndpointSource(Client(server.url, Transport(server.url, HttpClient("tests@example.org", 60.0))), page)


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[CategorySource, CategorySource]]:
    """The small world at a real SPARQL server, in pages of two, and in Parquet."""
    folder = write_entities(tmp_path_factory.mktemp("entities"), WORLD, files=3)
    with serve(WORLD) as server:
        yield _endpoint(server), EntitySource(str(folder))


@pytest.mark.parametrize("category", CATEGORIES, ids=lambda category: category.name)
def test_items_are_the_same(sources: tuple[CategorySource, CategorySource], category: Category) -> None:
    """Classes, conditions, exclusions, facets and patterns give equal items with equal sitelinks in equal order."""
    endpoint, entities = sources
    found = endpoint.items(category)
    assert found == entities.items(category)
    assert bool(found) == (category.name != "none")


@pytest.mark.parametrize("path", ["P36", "P1549", "P131", "P131+", "P31", "P279+", "P4444"])
def test_values_are_the_same(sources: tuple[CategorySource, CategorySource], path: str) -> None:
    """Items, texts and whole chains of values are equal, and sorted alike."""
    endpoint, entities = sources
    qids = [entity.qid for entity in WORLD] + ["Q777"]
    assert endpoint.values(qids, parse_path(path)) == entities.values(qids, parse_path(path))


def test_labels_are_the_same(sources: tuple[CategorySource, CategorySource]) -> None:
    """Labels in several languages at once, ``mul`` among them, for items with and without any."""
    endpoint, entities = sources
    qids = [entity.qid for entity in WORLD] + ["Q777"]
    found = endpoint.labels(qids, ["la", "en", "mul", "te"])
    assert found == entities.labels(qids, ["la", "en", "mul", "te"])
    assert found["Q1"] == {"la": "Terra Borealis", "en": "Northland", "mul": "Nordland"}
    assert "Q3" not in found


def test_labels_under_codes_that_rdf_writes_otherwise(tmp_path: Path) -> None:
    """Wikibase's RDF tags zh-tw as zh-Hant-TW and sr-el as sr-Latn: the label is found under its code all the same."""
    world = [Entity("Q1", labels={"zh-tw": "台灣", "sr-el": "Tajvan", "zh": "台湾", "nds-nl": "Taiwan"})]
    codes = ["zh-tw", "zh", "sr-el", "nds-nl"]
    with serve(world) as server:
        found = _endpoint(server).labels(["Q1"], codes)
    assert found == EntitySource(str(write_entities(tmp_path, world))).labels(["Q1"], codes)
    assert list(found["Q1"]) == codes


_ITEMS = [f"Q{number}" for number in range(1, 8)]
_entities = st.lists(
    st.builds(
        Entity,
        qid=st.sampled_from(_ITEMS),
        instance_of=st.lists(st.sampled_from(_ITEMS), max_size=2, unique=True).map(tuple),
        subclass_of=st.lists(st.sampled_from(_ITEMS), max_size=2, unique=True).map(tuple),
        sitelinks=st.integers(0, 3),
        statements=st.lists(
            st.builds(Statement, st.just("P131"), st.sampled_from(_ITEMS), st.just("")), max_size=2, unique=True
        ).map(tuple),
    ),
    unique_by=lambda entity: entity.qid,
)
_categories = st.builds(
    Category,
    name=st.just("any"),
    class_=st.sampled_from(_ITEMS),
    linked_by=st.sampled_from([("P31",), ("P31", "P131"), ("P131",)]),
    subclasses=st.booleans(),
    statements=st.lists(st.sampled_from(["P131 Q1", "P131+ Q2"]), max_size=1).map(tuple),
    exclude=st.lists(st.sampled_from(_ITEMS), max_size=1).map(tuple),
    min_sitelinks=st.integers(0, 2),
)


@settings(max_examples=25)
@given(entities=_entities, category=_categories)
def test_any_class_in_any_world(
    tmp_path_factory: pytest.TempPathFactory, entities: list[Entity], category: Category
) -> None:
    """Whatever the graph, cycles and loops and all, both sources agree on items and on chains of values."""
    offline = EntitySource(str(write_entities(tmp_path_factory.mktemp("entities"), entities)))
    with serve(entities) as server:
        online = _endpoint(server)
        assert online.items(category) == offline.items(category)
        path = PropertyPath("P131", repeated=True)
        assert online.values(_ITEMS, path) == offline.values(_ITEMS, path)


@pytest.mark.slow
@pytest.mark.realdata
def test_real_items_are_the_same(realdata: Path, tmp_path: Path) -> None:
    """Every category, relation and label of a shipped recipe, on real items at a real server and in Parquet."""
    dumps = [realdata / "wikidata" / name for name in ("real-entities.json.gz", "class-graph-slice.json.gz")]
    merged = {entity.qid: entity for dump in dumps for entity in dump_entities(dump, PROPERTIES)}
    entities = EntitySource(str(write_entities(tmp_path, list(merged.values()), files=2)))
    recipe = load_category_recipe("google-semantic")
    sizes = {}
    with serve(merged.values()) as server:
        endpoint = _endpoint(server, page=20)
        for category in recipe.categories:
            found = endpoint.items(category)
            assert found == entities.items(category), category.name
            sizes[category.name] = len(found)
        qids = [item.qid for item in entities.items(recipe.categories[0])]
        for name in ("P36", "P38", "P1549", "P131+"):
            assert endpoint.values(qids, parse_path(name)) == entities.values(qids, parse_path(name))
        codes = ["la", "te", "zh", "zh-tw", "sr-el", "am", "mul"]
        assert endpoint.labels(qids, codes) == entities.labels(qids, codes)
    assert sizes == {
        "countries": 44,
        "common-countries": 44,
        "capitals": 24,
        "common-capitals": 24,
        "currencies": 19,
        "us-states": 4,
        "us-cities": 23,
        "nationalities": 44,
        "family": 13,
    }
