"""Dump lines into items: what is read, what is left out, what is refused, and that both ways of reading agree."""

import json
import pickle
from typing import Any

import orjson
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wikisem.records import Entity, Statement
from wikisem.schemas import ENTITIES
from wikisem.wikidata.entity_columns import EntityColumns
from wikisem.wikidata.entity_reader import EntityReader, read_lines
from wikisem.wikidata.line_types import (
    Fields,
    LeftOutLine,
    Line,
    PropertyLine,
    UnreadableLine,
    mend_line,
)

FIELDS = Fields(("en", "zh-yue"), ("P17", "P1549"))


def value(target: str) -> Any:
    """A datavalue that is an item, or another entity."""
    kind = {"Q": "item", "P": "property", "L": "lexeme"}[target[0]]
    return {"type": "wikibase-entityid", "value": {"entity-type": kind, "id": target, "numeric-id": int(target[1:])}}


def statement(datavalue: Any, rank: str = "normal", snaktype: str = "value") -> Any:
    """A statement; somevalue and novalue have no datavalue."""
    snak = {"snaktype": snaktype, "property": "P31", **({"datavalue": datavalue} if snaktype == "value" else {})}
    return {"mainsnak": snak, "rank": rank, "type": "statement", "references": [{"snaks": {"P31": []}}]}


def line_of(**parts: Any) -> bytes:
    """An item's line with some parts."""
    return orjson.dumps(
        {"type": "item", "id": "Q1", "labels": {}, "claims": {}, "sitelinks": {}, "lastrevid": 7, **parts}
    )


def read(fields: Fields = FIELDS, **parts: Any) -> Entity:
    """The item of a line with some parts; both ways of reading must agree on it."""
    line = line_of(**parts)
    found = answer(EntityReader(fields).read(line), fields)
    assert isinstance(found, Entity)
    assert answer(mended(line, fields), fields) == found
    return found


def mended(line: bytes, fields: Fields = FIELDS) -> Line | LeftOutLine | UnreadableLine:
    """What comes of a line that is mended first."""
    found = mend_line(line, fields)
    return EntityReader(fields).read(found) if isinstance(found, bytes) else found


def answer(
    found: Line | LeftOutLine | UnreadableLine, fields: Fields = FIELDS
) -> Entity | LeftOutLine | UnreadableLine:
    """What came of a line, an item as the columns give it back."""
    if isinstance(found, LeftOutLine | UnreadableLine):
        return found
    columns = EntityColumns(fields)
    columns.extend([found])
    [row] = columns.table().to_pylist()
    return Entity(
        row["qid"],
        tuple(row["instance_of"]),
        tuple(row["subclass_of"]),
        row["sitelinks"],
        dict(row["titles"]),
        dict(row["labels"]),
        row["lastrevid"],
        tuple(Statement(**each) for each in row["statements"]),
        tuple(row["other_instance_of"]),
        tuple(row["properties"]),
        tuple((each["property"], each["item"]) for each in row["relations"]),
        {code: tuple(found) for code, found in row["aliases"]},
        row["description"],
    )


def test_sound_ranks_below_the_best_are_kept_apart() -> None:
    """Oslo is a big city at normal rank only: that is not among its classes; what is deprecated is nowhere."""
    some = [
        statement(value("Q515"), "preferred"),
        statement(value("Q1549591")),
        statement(value("Q515")),
        statement(value("Q7"), "deprecated"),
        statement(None, snaktype="somevalue"),
        statement(value("Q6")),
    ]
    item = read(claims={"P31": some})
    assert (item.instance_of, item.other_instance_of) == (("Q515",), ("Q6", "Q1549591"))
    alike = read(Fields(ranks="not-deprecated"), claims={"P31": some})
    assert (alike.instance_of, alike.other_instance_of) == (("Q6", "Q515", "Q1549591"), ())
    assert read(claims={"P31": [statement(value("Q5")), statement(value("Q6"), "deprecated")]}).other_instance_of == ()
    unknown = [statement(None, "preferred", "somevalue"), statement(value("Q5"))]
    assert (read(claims={"P31": unknown}).instance_of, read(claims={"P31": unknown}).other_instance_of) == ((), ("Q5",))


def test_best_rank_is_the_preferred_one_else_the_normal() -> None:
    """Deprecated statements never count; preferred ones silence the others; a preferred unknown silences all."""
    some = [statement(value("Q5")), statement(value("Q6"), "deprecated")]
    assert read(claims={"P31": some}).instance_of == ("Q5",)
    assert read(claims={"P31": [*some, statement(value("Q7"), "preferred")]}).instance_of == ("Q7",)
    assert read(claims={"P31": [*some, statement(None, "preferred", "somevalue")]}).instance_of == ()
    assert read(claims={"P31": some[1:]}).instance_of == ()


def test_not_deprecated_takes_normal_and_preferred_alike() -> None:
    """The recipe can ask for all edges but deprecated ones."""
    statements = [statement(value("Q5")), statement(value("Q6"), "deprecated"), statement(value("Q7"), "preferred")]
    assert read(Fields(ranks="not-deprecated"), claims={"P279": statements}).subclass_of == ("Q5", "Q7")


def test_edges_are_items_once_each_by_number() -> None:
    """No unknown, no property, no lexeme; old values have a number alone; Q10 comes after Q9."""
    numeric = {"type": "wikibase-entityid", "value": {"entity-type": "item", "numeric-id": 9}}
    other = {"type": "wikibase-entityid", "value": {"entity-type": "property", "numeric-id": 8}}
    values = [value("Q10"), numeric, value("Q10"), other, value("P5"), {"type": "bad", "value": "Q3"}]
    unknown = [statement(None, snaktype="novalue"), statement(None, snaktype="somevalue")]
    assert read(claims={"P31": [*unknown, *map(statement, values)]}).instance_of == ("Q9", "Q10")


@pytest.mark.parametrize("identifier", ["", 5, None, ["Q5"]])
def test_an_id_that_is_no_string_gives_way_to_the_number(identifier: Any) -> None:
    """So does an empty one."""
    datavalue = {"value": {"entity-type": "item", "numeric-id": 9, "id": identifier}}
    assert read(claims={"P31": [statement(datavalue)]}).instance_of == ("Q9",)


def test_sitelinks_count_all_sites_and_titles_are_of_wikipedias() -> None:
    """Redirect badges change nothing; maps come sorted by key."""
    names = ("zhwiki", "commonswiki", "dewiktionary", "dewiki", "specieswiki", "be_x_oldwiki")
    sitelinks = {site: {"site": site, "title": f"T {site}", "badges": ["Q70893996"]} for site in names}
    found = read(sitelinks=sitelinks)
    assert found.sitelinks == 6
    assert list(found.titles.items()) == [(site, f"T {site}") for site in ("be_x_oldwiki", "dewiki", "zhwiki")]


def test_labels_are_those_asked_for_and_mul() -> None:
    """Or all of them, sorted by language."""
    labels = {code: {"language": code, "value": f"x{code}"} for code in ("zh-yue", "fr", "mul", "en")}
    assert list(read(labels=labels).labels.items()) == [("en", "xen"), ("mul", "xmul"), ("zh-yue", "xzh-yue")]
    assert list(read(Fields(None), labels=labels).labels) == ["en", "fr", "mul", "zh-yue"]


def test_statements_are_items_and_texts_of_the_properties_asked_for() -> None:
    """Texts keep their language, strings have none; quantities and times are neither."""
    texts = [
        {"value": {"text": "Berliner", "language": "de"}, "type": "monolingualtext"},
        {"value": "x", "type": "string"},
    ]
    quantity = {"value": {"amount": "+5", "unit": "1"}, "type": "quantity"}
    claims = {"P1549": [statement(each) for each in (*texts, quantity)], "P17": [statement(value("Q183"))], "P30": []}
    assert read(claims=claims).statements == (
        Statement("P1549", "Berliner", "de"),
        Statement("P1549", "x", ""),
        Statement("P17", "Q183", ""),
    )


def test_p31_can_be_asked_for_as_a_statement_too() -> None:
    """It is read once and is in both columns."""
    found = read(Fields((), ("P31",)), claims={"P31": [statement(value("Q5"))]})
    assert (found.instance_of, found.statements) == (("Q5",), (Statement("P31", "Q5"),))


@pytest.mark.parametrize("empty", [[], {}, None])
def test_empty_maps_may_be_lists_or_missing(empty: Any) -> None:
    """PHP cannot tell an empty map from an empty list."""
    assert read(labels=empty, claims=empty, sitelinks=empty) == Entity("Q1", lastrevid=7)
    assert answer(EntityReader(FIELDS).read(b'{"id":"Q1","type":"item"}')) == Entity("Q1")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"type":"property","id":"P31"}', "property"),
        (b'{"id":"P31","type":"property"}', "property"),
        (b'{"type":"lexeme","id":"L1","lemmas":{}}', "lexeme"),
        (b'{"type":"mediainfo","id":"M1"}', "mediainfo"),
        (b'{"id":"L7"}', "lexeme"),
        (b'{"type":"entity-schema","id":"E1"}', "other-entity"),
        (b'{"type":"item","id":"Q2","redirect":"Q1"}', "redirect"),
        (b'{"entity":"Q2","redirect":"Q1"}', "redirect"),
    ],
)
def test_what_is_no_item_is_left_out(line: bytes, reason: str) -> None:
    """Other types of entities and redirects are no mistakes."""
    found = EntityReader(FIELDS).read(line)
    assert isinstance(found, LeftOutLine)
    assert found.reason == reason


@pytest.mark.parametrize("form", ['{"type":"property","id":"P17",%s}', '{"id": "P17", "type": "property", %s}'])
def test_the_line_of_a_property_gives_its_labels(form: str) -> None:
    """In the languages that are asked for and ``mul``; it is left out all the same."""
    labels = {code: {"language": code, "value": f"country {code}"} for code in ("de", "en", "fr", "mul")}
    line = (form % f'"labels":{json.dumps(labels)},"claims":{{}},"lastrevid":8').encode()
    expected = {code: f"country {code}" for code in ("de", "mul")}
    assert EntityReader(Fields(("de",))).read(line) == PropertyLine("property", 17, 8, expected)
    found = EntityReader(Fields(None)).read(line)
    assert isinstance(found, PropertyLine)
    assert list(found.labels) == ["de", "en", "fr", "mul"]


@pytest.mark.parametrize(
    "rest",
    ['"id":"P17","labels":{"en":"country"}}', '"id":"P17","labels":7}', '"id":"P017"}', '"id":17}', '"id":"P17"'],
)
def test_a_property_whose_labels_cannot_be_read_is_left_out_like_others(rest: str) -> None:
    """Its labels are for people only; in the form of today's dumps nothing in its line makes it unreadable."""
    for head in ('{"type":"property",', '{"type": "property",'):
        found = EntityReader(FIELDS).read((head + rest).encode())
        if rest.endswith("}") or ": " not in head:
            assert isinstance(found, LeftOutLine)
            assert (found.reason, getattr(found, "labels", {})) == ("property", {})


SITELINKS = {"commonswiki": {"site": "commonswiki", "title": "T"}}


def test_a_signature_is_the_numbers_of_all_other_properties() -> None:
    """Ascending, whatever their ranks and values, identifiers too; not P31 and P279, and no key that is no property."""
    gone = [statement(value("Q5"), "deprecated")]
    unknown = [statement(None, snaktype="novalue")]
    ids = {"P1566": [statement({"value": "x", "type": "string"})], "P17": gone, "P9": unknown, "P31": gone, "P279": []}
    odd: dict[str, Any] = {
        "": [],
        "Q5": [],
        "P": [],
        "P0": [],
        "P07": [],
        "p8": [],
        "P2147483648": [],
        "P9 ": [],
        "P²": [],
        "P٣": [],
    }
    found = read(claims={**odd, "P2147483647": 7, **ids, "P30": None}, sitelinks=SITELINKS)
    assert found.properties == (9, 17, 30, 1566, 2147483647)


def test_only_items_with_a_sitelink_have_a_signature_and_none_where_it_is_not_asked_for() -> None:
    """Other items can be neither members nor outliers of most recipes, and are three of four in a dump."""
    claims = {"P17": [statement(value("Q183"))]}
    assert read(claims=claims).properties == ()
    assert read(claims=claims, sitelinks=SITELINKS).properties == (17,)
    assert read(Fields(signatures=False), claims=claims, sitelinks=SITELINKS).properties == ()


def test_relations_are_the_statements_about_items() -> None:
    """Of the ranks that count, each once, by property and item; not P31 and P279, and no value that is no item."""
    text = {"value": "Q9", "type": "string"}
    some = [statement(value(qid)) for qid in ("Q183", "Q46", "Q183")]
    claims = {
        "P361": [*some, statement(value("P9")), statement(value("L7")), statement(text)],
        "P31": some,
        "P279": some,
        "P17": [statement(value("Q5")), statement(value("Q6"), "preferred"), statement(value("Q7"), "deprecated")],
        "P30": [statement(None, snaktype="somevalue"), statement(value("Q8"))],
        "P1": [statement({"value": {"entity-type": "item", "numeric-id": 9}, "type": "wikibase-entityid"})],
        "Q5": some,
        "P0": some,
    }
    found = read(claims=claims, sitelinks=SITELINKS)
    assert found.relations == ((1, 9), (17, 6), (30, 8), (361, 46), (361, 183))
    alike = read(Fields(ranks="not-deprecated"), claims={"P17": claims["P17"]}, sitelinks=SITELINKS)
    assert alike.relations == ((17, 5), (17, 6))
    assert read(claims=claims).relations == ()
    assert read(Fields(relations=False), claims=claims, sitelinks=SITELINKS).relations == ()


def test_aliases_are_those_of_the_languages_of_labels() -> None:
    """With ``mul``, each once, sorted; only of items with a sitelink, and none where they are not asked for."""
    every = {code: [{"language": code, "value": one} for one in texts] for code, texts in ALIASES.items()}
    fields = Fields(("en", "zh-yue"), aliases=True)
    found = read(fields, aliases=every, sitelinks=SITELINKS)
    assert found.aliases == {"en": ("gospel", "the Gospel"), "mul": ("Evangelium",)}
    assert read(Fields(aliases=True), aliases=every, sitelinks=SITELINKS).aliases == {
        "de": ("Evangelium",),
        **found.aliases,
    }
    assert read(fields, aliases=every).aliases == {}
    assert read(fields, aliases=[], sitelinks=SITELINKS).aliases == {}
    assert read(Fields(("en",)), aliases=every, sitelinks=SITELINKS).aliases == {}


ALIASES = {"mul": ["Evangelium"], "en": ["the Gospel", "gospel", "gospel"], "de": ["Evangelium"], "zh-yue": []}


def test_a_description_is_the_english_one() -> None:
    """Of any item, with or without a sitelink; none where signatures are not asked for."""
    every = {code: {"language": code, "value": f"thing in {code}"} for code in ("de", "en")}
    assert read(descriptions=every).description == read(descriptions=every, sitelinks=SITELINKS).description
    assert read(descriptions=every).description == "thing in en"
    assert read(descriptions={"de": every["de"]}).description is None
    assert read(descriptions=[]).description is None
    assert read(Fields(signatures=False), descriptions=every).description is None


@pytest.mark.parametrize("odd", [7, {"en": 7}, {"en": []}, {"en": {}}, {"en": {"value": None}}])
def test_a_description_that_cannot_be_read_is_none_and_the_item_stays(odd: Any) -> None:
    """It says nothing of the item itself."""
    found = read(descriptions=odd, labels={"en": {"value": "x"}})
    assert (found.labels, found.description) == ({"en": "x"}, None)


@pytest.mark.parametrize("odd", [7, {"en": 7}, {"en": ["gospel"]}, {"en": [{"value": None}]}, {"en": [None]}])
def test_aliases_that_cannot_be_read_are_none_and_the_item_stays(odd: Any) -> None:
    """They say nothing of the item itself."""
    found = read(Fields(("en",), aliases=True), aliases=odd, labels={"en": {"value": "x"}}, sitelinks=SITELINKS)
    assert (found.labels, found.aliases) == ({"en": "x"}, {})


@pytest.mark.parametrize(("datatype", "kept"), [("wikibase-item", ((361, 5),)), ("string", ())])
def test_statements_of_a_property_that_names_no_items_are_not_decoded(
    datatype: str, kept: tuple[tuple[int, int], ...]
) -> None:
    """As its first statement says; so what is odd in the statements of an identifier does not matter."""
    one = statement(value("Q5"))
    line = line_of(
        claims={"P361": [{**one, "mainsnak": {**one["mainsnak"], "datatype": datatype}}]}, sitelinks=SITELINKS
    )
    found = answer(EntityReader(FIELDS).read(line))
    assert isinstance(found, Entity)
    assert found.relations == kept


def test_an_item_with_statements_that_cannot_be_read_keeps_its_other_relations() -> None:
    """They are about an item in all but their form; the item is read all the same."""
    claims = {"P361": [statement(value("Q5"), "best")], "P527": [statement(value("Q6"))], "P30": 7, "P17": None}
    assert read(claims=claims, sitelinks=SITELINKS).relations == ((527, 6),)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"type":"item","id":"Q1"', "not-json"),
        (b'{"type":"item","id":"Q1","labels":{"en":{"value":"\xff"}}}', "not-json"),
        (b'"Q1"', "no-entity"),
        (b'{"type":"item"}', "no-entity"),
        (line_of(id="Q01"), "bad-id"),
        (line_of(id="q1"), "bad-id"),
        (line_of(id="Q" + 30 * "9"), "bad-id"),
        (line_of(id=5), "bad-id"),
        (line_of(type=5), "bad-type"),
        (line_of(lastrevid="7"), "bad-lastrevid"),
        (line_of(lastrevid=-7), "bad-lastrevid"),
        (line_of(lastrevid=True), "bad-lastrevid"),
        (line_of(labels={"en": "text"}), "bad-labels"),
        (line_of(labels=["en"]), "bad-labels"),
        (line_of(sitelinks={"dewiki": {"site": "dewiki"}}), "bad-sitelinks"),
        (line_of(claims={"P31": {}}), "bad-claims"),
        (line_of(claims={"P31": [{"rank": "normal"}]}), "bad-claims"),
        (line_of(claims={"P31": [statement(value("Q5"), "best")]}), "bad-claims"),
        (line_of(claims={"P31": [statement("Q5")]}), "bad-claims"),
    ],
)
def test_what_cannot_be_read_says_why(line: bytes, reason: str) -> None:
    """Each reason is stable, and the detail shows what was seen."""
    found = EntityReader(FIELDS).read(line)
    assert isinstance(found, UnreadableLine)
    assert found.reason == reason
    assert "saw" in found.detail or "begins with" in found.detail


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 2**65)
    | st.sampled_from(["", "Q5", "P5", "normal", "preferred", "value", "item"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "value", "mainsnak", "datavalue", "title", "en", "rank", "text"]), inner, max_size=4
        )
    ),
    max_leaves=8,
)
TARGETS = st.sampled_from(
    [value("Q5"), value("Q12"), value("P9"), {"value": "text"}, {"value": {"text": "t", "language": "de"}}]
)
STATEMENTS = st.builds(
    statement,
    TARGETS | JSON,
    st.sampled_from(["normal", "preferred", "deprecated"]),
    st.sampled_from(["value", "novalue"]),
)
CLAIMS = st.dictionaries(
    st.sampled_from(["P31", "P279", "P17", "P9", "P10", "P010", "P2147483648", "Q7", ""]),
    st.lists(STATEMENTS | JSON, max_size=3) | JSON,
    max_size=3,
)
TITLES = st.dictionaries(
    st.sampled_from(["dewiki", "commonswiki"]), st.fixed_dictionaries({"title": st.just("T")}) | JSON
)
LABELS = st.dictionaries(st.sampled_from(["en", "mul"]), st.fixed_dictionaries({"value": st.just("T")}) | JSON)
DESCRIPTIONS = st.dictionaries(st.sampled_from(["de", "en"]), st.fixed_dictionaries({"value": st.just("D")}) | JSON)


@settings(max_examples=150, deadline=None)
@given(
    parts=st.fixed_dictionaries(
        {},
        optional={
            "id": JSON,
            "type": JSON,
            "lastrevid": JSON,
            "labels": LABELS | JSON,
            "claims": CLAIMS | JSON,
            "sitelinks": TITLES | JSON,
            "redirect": JSON,
            "descriptions": DESCRIPTIONS | JSON,
        },
    )
)
def test_both_ways_of_reading_agree_whatever_stands_in_a_line(parts: dict[str, Any]) -> None:
    """What is read of a line is what is read of it mended; anything it refuses ends in an answer, not a crash."""
    line = json.dumps({"type": "item", "id": "Q1", **parts}).encode()
    found = answer(EntityReader(FIELDS).read(line))
    assert found == answer(mended(line))
    if isinstance(found, Entity):
        numbers = {f"P{number}": number for number in (9, 10, 17)}
        signature = sorted(numbers[key] for key in parts.get("claims") or () if key in numbers)
        assert list(found.properties) == (signature if parts.get("sitelinks") else [])


def test_a_reader_travels() -> None:
    """It can be sent to another process."""
    reader = pickle.loads(pickle.dumps(EntityReader(FIELDS)))
    assert answer(reader.read(line_of())) == Entity("Q1", lastrevid=7)


def test_lines_are_found_without_their_wrapping() -> None:
    """Brackets, commas and line ends may be anywhere around entities; their places are those of the entities."""
    data = b'[\n{"a":1},\r\n,\n\n,{"b":[2]}\n] \n[{"c":3}]'
    found = list(read_lines(data, bytes))
    assert found == [(data.index(line), line) for line in (b'{"a":1}', b'{"b":[2]}', b'{"c":3}')]


def test_columns_hold_what_the_items_did() -> None:
    """Rows of the schema, in the order in which the items came, empty ones included."""
    label = {"language": "en", "value": "E"}
    text = {"type": "monolingualtext", "value": {"text": "x", "language": "de"}}
    full = line_of(
        id="Q2",
        labels={"en": label, "mul": {**label, "value": "M"}},
        sitelinks={site: {"title": "D"} for site in ("dewiki", "commonswiki", "dewikiquote")},
        aliases={"en": [{**label, "value": alias} for alias in ("Z", "F")], "de": [label]},
        descriptions={"en": {**label, "value": "a letter"}, "de": label},
        claims={
            "P31": [statement(value("Q3"), "preferred"), statement(value("Q1"), "preferred"), statement(value("Q8"))],
            "P279": [statement(value("Q4"))],
            "P361": [statement(value("Q46"))],
            "P1549": [statement(text)],
        },
    )
    fields = Fields(("en",), ("P1549",), aliases=True)
    found = [EntityReader(fields).read(line) for line in (line_of(), full, line_of(id="Q3"))]
    columns = EntityColumns(fields)
    columns.extend([line for line in found if isinstance(line, Line)])
    table = columns.table()
    table.validate(full=True)
    assert table.schema.equals(ENTITIES)
    assert table.num_rows == 3
    assert table.slice(1, 1).to_pylist() == [
        {
            "qid": "Q2",
            "instance_of": ["Q1", "Q3"],
            "subclass_of": ["Q4"],
            "sitelinks": 3,
            "titles": [("dewiki", "D")],
            "labels": [("en", "E"), ("mul", "M")],
            "lastrevid": 7,
            "statements": [{"property": "P1549", "value": "x", "language": "de"}],
            "other_instance_of": ["Q8"],
            "properties": [361, 1549],
            "relations": [{"property": 361, "item": 46}],
            "aliases": [("en", ["F", "Z"])],
            "description": "a letter",
        }
    ]
    assert isinstance(table["titles"].type, pa.MapType)


@pytest.mark.parametrize(("name", "kind"), [("P31", "property"), ("L7", "lexeme"), ("M9", "mediainfo")])
def test_an_entity_without_a_type_is_of_the_kind_of_its_first_letter(name: str, kind: str) -> None:
    """Whatever follows it."""
    left_out = mended(f'{{"id":"{name}"}}'.encode())
    assert isinstance(left_out, LeftOutLine)
    assert left_out.reason == kind
