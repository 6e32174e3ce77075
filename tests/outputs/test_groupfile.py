"""Groups and rejections as lines and tables."""

import json
import random
from pathlib import Path

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict, replace

from wikisem.errors import DamagedInputError
from wikisem.ids import qid_of
from wikisem.outputs.groupfile import (
    GROUPS,
    decode_group,
    decode_rejection,
    encode_group,
    encode_rejection,
    groups_table,
    read_groups,
)
from wikisem.records import LEVELS, OUTLIER_CLASSES, Group, Member, Outlier, Rejection, Tie

QIDS = st.integers(1, 2**40).map(qid_of)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
SOURCES = st.sampled_from(["anchor", "label", "title"])
COUNTS = st.integers(0, 2**31 - 1)
EVIDENCE = {
    "links": st.none() | st.integers(1, 2**40),
    "page_share": st.none() | st.floats(0, 1),
    "label_language": st.none() | st.just("mul"),
    "title": st.none() | TEXTS,
    "language": st.none() | st.just("de"),
}
SHARES = st.none() | st.floats(0, 1)
MEMBERS = st.builds(
    Member, id=QIDS, surface=TEXTS, source=SOURCES, count=COUNTS, total=COUNTS, sitelinks=COUNTS, **EVIDENCE
)
TIES = st.none() | st.lists(st.builds(Tie, QIDS, st.just("P131"), QIDS), max_size=2).map(tuple)
OUTLIERS = st.builds(
    Outlier,
    id=QIDS,
    surface=TEXTS,
    source=SOURCES,
    count=COUNTS,
    total=COUNTS,
    sitelinks=COUNTS,
    outlier_class=st.sampled_from([*OUTLIER_CLASSES]),
    via=QIDS,
    **EVIDENCE,
    margin=SHARES,
    ties=TIES,
)
LANGUAGES = st.sampled_from(["en", "zh-yue", "de"])
GROUP = st.builds(
    Group,
    id=QIDS,
    label=TEXTS.filter(bool),
    language=LANGUAGES,
    cluster=st.lists(MEMBERS, max_size=8).map(tuple),
    outliers=st.lists(OUTLIERS, max_size=6).map(tuple),
    level=st.none() | st.sampled_from(LEVELS),
    coherence=SHARES,
)

ACTOR = Member(
    id="Q33999",
    surface="actor",
    source="anchor",
    count=412,
    total=530,
    sitelinks=120,
    links=450,
    page_share=412 / 450,
    title="Actor",
)
UNIVERSE = Outlier(
    id="Q1", surface="universe", source="anchor", count=3, total=4, sitelinks=80, outlier_class=1, via="Q2"
)
PROFESSION = Group(id="Q28640", label="profession", language="en", cluster=(ACTOR,), outliers=(UNIVERSE,))
LINE = (
    b'{"class":"Q28640","label":"profession","language":"en",'
    b'"cluster":[{"id":"Q33999","surface":"actor","source":"anchor","count":412,"total":530,"sitelinks":120,'
    b'"links":450,"page_share":0.9155555555555556,"label_language":null,"language":null,"title":"Actor"}],'
    b'"outliers":[{"id":"Q1","surface":"universe","source":"anchor","count":3,"total":4,"sitelinks":80,'
    b'"links":null,"page_share":null,"label_language":null,"language":null,"title":null,'
    b'"outlier_class":1,"via":"Q2"}]}\n'
)


def test_a_group_is_written_key_by_key_as_the_format_says() -> None:
    """The bytes of a group's line are fixed: names, order of keys, newline."""
    assert encode_group(PROFESSION) == LINE


def test_coherence_and_margins_are_written_where_a_rule_gave_them() -> None:
    """The other bytes of the line are the same, even where a surface form looks like a margin that is not known."""
    odd = replace(UNIVERSE, surface=',"margin":null,"ties":null')
    group = Group(
        id="Q28640",
        label="profession",
        language="en",
        cluster=(ACTOR,),
        outliers=(replace(UNIVERSE, margin=0.0), odd),
        coherence=0.93,
    )
    plain = encode_group(replace(group, coherence=None, outliers=(UNIVERSE, odd)))
    assert plain == LINE.replace(b"}]}", b"}," + _without_nulls(orjson.dumps(asdict(odd))) + b"]}")
    rated = plain.replace(b'"cluster"', b'"coherence":0.93,"cluster"').replace(b'"Q2"', b'"Q2","margin":0.0', 1)
    assert encode_group(group) == rated


def _without_nulls(line: bytes) -> bytes:
    """Without the keys that lines leave out where no rule gave them a value."""
    for key in (b"type", b"certificate", b"margin", b"ties"):
        line = line.replace(b',"%b":null' % key, b"")
    return line


@given(GROUP)
def test_a_group_survives_its_line(group: Group) -> None:
    """Reading a written group gives the same group, whatever its texts hold."""
    assert decode_group(encode_group(group)) == group


def test_groups_of_earlier_versions_are_read(tmp_path: Path) -> None:
    """Without the columns for links and label languages; one for contradictions, which there were, is passed over."""
    line = LINE.replace(b',"links":450,"page_share":0.9155555555555556,"label_language":null', b"")
    line = line.replace(b',"links":null,"page_share":null,"label_language":null', b"").replace(b"\n", b"")
    line = line.replace(b',"title":"Actor"', b"").replace(b',"title":null', b"")
    line = line.replace(b'"sitelinks":120', b'"sitelinks":120,"contradicts":"Q515"')
    assert b'"Q515"' in line
    assert b'"links"' not in line
    assert b'"title"' not in line
    old = Group(
        id="Q28640",
        label="profession",
        language="en",
        cluster=(Member(id="Q33999", surface="actor", source="anchor", count=412, total=530, sitelinks=120),),
        outliers=(UNIVERSE,),
    )
    assert decode_group(line) == old
    pq.write_table(pa.Table.from_pylist([orjson.loads(line)]), tmp_path / "old.parquet")
    assert read_groups(tmp_path / "old.parquet") == [old]


@given(st.builds(Rejection, QIDS, LANGUAGES, TEXTS, TEXTS))
def test_a_rejection_survives_its_line(rejection: Rejection) -> None:
    """Reading a written rejection gives the same rejection."""
    assert decode_rejection(encode_rejection(rejection)) == rejection


def test_a_rejection_is_written_with_the_class_first() -> None:
    """The bytes of a rejection's line are fixed too."""
    line = encode_rejection(Rejection("Q5", "ja", "affix", "市: 4 of 8", "市", ("Q6",)))
    said = '"language":"ja","reason":"affix","detail":"市: 4 of 8","label":"市"'
    assert line.decode() == f'{{"class":"Q5",{said},"members":["Q6"]}}\n'


@given(st.lists(GROUP, max_size=3))
def test_a_table_holds_the_same_values_as_the_lines(groups: list[Group]) -> None:
    """The Arrow table has one row a group, in order, under the fixed schema; what a line leaves out is null."""
    table = groups_table(map(encode_group, groups))
    assert table.schema == GROUPS
    rows = [orjson.loads(encode_group(group)) for group in groups]
    for row in rows:
        for key in ("level", "coherence"):
            row.setdefault(key, None)
        for member in [*row["cluster"], *row["outliers"]]:
            member.setdefault("type", None)
        for outlier in row["outliers"]:
            for key in ("certificate", "margin", "ties"):
                outlier.setdefault(key, None)
    assert table.to_pylist() == rows


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (LINE[:40], "JSON line of a group"),
        (LINE.replace(b'"count":412', b'"count":"many"'), "Expected `int | null`"),
        (LINE.replace(b'"label":"profession",', b""), "missing required field `label`"),
        (LINE.replace(b"Q33999", b"P31"), "'P31'"),
        (LINE.replace(b'"via":"Q2"', b'"via":"../Q2"'), "'../Q2'"),
        (LINE.replace(b'"language":"en"', b'"language":"../en"'), "'../en'"),
        (b"\xff\xfe", "JSON line of a group"),
    ],
)
def test_a_bad_line_is_named_with_its_place(line: bytes, said: str) -> None:
    """A line that holds no group says what was expected, what was seen and where."""
    with pytest.raises(DamagedInputError, match=r"en\.jsonl:7") as caught:
        decode_group(line, "en.jsonl:7")
    assert said in str(caught.value)


def test_a_bad_rejection_is_named_with_its_place() -> None:
    """A rejection whose class is no item id is refused."""
    with pytest.raises(DamagedInputError, match=r"rejected\.jsonl:2"):
        decode_rejection(b'{"class":"x","language":"en","reason":"r","detail":"d"}', "rejected.jsonl:2")


MEMBER = {"id": "Q1", "surface": "a", "source": "anchor", "count": 1, "total": 1, "sitelinks": 1}
WRONG_MEMBERS: dict[str, dict[str, object]] = {
    "another source": {"source": "rumour"},
    "a count below zero": {"count": -1},
    "a count beyond all": {"total": 10**30},
    "sitelinks beyond a column": {"sitelinks": 2**31},
    "an id of 5,000 digits": {"id": "Q" + "9" * 5000},
    "an unknown class of outliers": {"outlier_class": len(OUTLIER_CLASSES) + 1},
    "a tie to no item": {"ties": [{"item": "Q1", "property": "P131", "value": "x"}]},
    "a tie by no property": {"ties": [{"item": "Q1", "property": "x", "value": "Q1"}]},
    "a number for a word": {"surface": 5},
    "nothing for a word": {"surface": None},
    "no way in": {"via": ""},
    "a margin below zero": {"margin": -0.01},
    "a margin above one": {"margin": 1.5},
}


@pytest.mark.parametrize("wrong", WRONG_MEMBERS.values(), ids=WRONG_MEMBERS)
def test_a_member_that_cannot_be_is_named_where_it_is_read(wrong: dict[str, object]) -> None:
    """Not where a column, an index or a page is made of it."""
    outlier = {**MEMBER, "outlier_class": 1, "via": "Q2", **wrong}
    line = {"class": "Q3", "label": "c", "language": "de", "cluster": [MEMBER], "outliers": [outlier]}
    with pytest.raises(DamagedInputError, match=r"^de\.jsonl:7: expected"):
        decode_group(orjson.dumps(line) if 10**30 not in wrong.values() else json.dumps(line), "de.jsonl:7")


@pytest.mark.parametrize("coherence", [-0.1, 1.01, "high"])
def test_a_coherence_that_cannot_be_is_named_where_it_is_read(coherence: object) -> None:
    """It is a probability."""
    line = orjson.dumps({**orjson.loads(LINE), "coherence": coherence})
    with pytest.raises(DamagedInputError, match=r"^en\.jsonl:1: expected a JSON line of a group.*coherence"):
        decode_group(line, "en.jsonl:1")


def test_a_column_of_bytes_is_named(tmp_path: Path) -> None:
    """As one flipped bit in the schema makes of a column of text."""
    table = groups_table([LINE])
    labels = pa.array(table["label"].to_pylist(), pa.binary())
    pq.write_table(table.set_column(table.column_names.index("label"), "label", labels), tmp_path / "en.parquet")
    with pytest.raises(DamagedInputError, match=r"en\.parquet: row 0: expected a row of groups, saw .*bytes"):
        read_groups(tmp_path / "en.parquet")


def test_flipped_bits_in_parquet_are_named_or_give_groups(tmp_path: Path) -> None:
    """A file from anywhere: text that is no UTF-8, columns that are none, a damaged page."""
    group = Group(
        id="Q3",
        label="c",
        language="de",
        cluster=(Member(id="Q1", surface="a" * 50, source="anchor", count=1, total=1, sitelinks=1),),
        outliers=(),
    )
    path, draw, refused = tmp_path / "de.parquet", random.Random(1), 0
    pq.write_table(groups_table([encode_group(group)] * 20), path, compression="none", use_dictionary=False)
    whole = path.read_bytes()
    for _ in range(600):
        data = bytearray(whole)
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        path.write_bytes(data)
        try:
            read_groups(path)
        except DamagedInputError as error:
            assert str(path) in str(error)
            refused += 1
    assert 0 < refused < 600
