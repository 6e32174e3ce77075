"""The surface table: surface forms by item, from Parquet columns to members."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final, get_args

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.graph.strategies import worlds
from tests.surface_oracle import means_item
from wikisem.errors import DamagedInputError
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.outlier_sets.class_lists import candidate_classes
from wikisem.graph.taxonomy import Taxonomy
from wikisem.recipes.options import Fame
from wikisem.records import Entity, Member
from wikisem.schemas import SURFACES
from wikisem.surfaces import table as surface_table
from wikisem.surfaces.table import SOURCES, HashedNames, SurfaceTable, hash_texts, mean_their_items

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
NAMES = st.fixed_dictionaries(
    {
        "surface": TEXTS,
        "source": st.sampled_from(SOURCES),
        "count": st.integers(0, 2**40),
        "total": st.integers(0, 2**40),
        "links": st.none() | st.integers(1, 2**40),
        "label_language": st.none() | st.sampled_from(["mul", "en", "nb", "zh-yue"]),
    }
)
THIRDS: Final = ("head", "torso", "tail")
ITEMS = [Entity(f"Q{number}", instance_of=("Q1",), sitelinks=number % 7) for number in (3, 5, 8, 100, 2**33)]
GRAPH = Taxonomy.of_entities(ITEMS).graph


def table_of(named: Mapping[str, Mapping[str, Any]], cut: int, graph: ClassGraph = GRAPH) -> SurfaceTable:
    """The surface table of items, out of two parts."""
    rows = pa.Table.from_pylist([{"qid": qid, "title": None, **name} for qid, name in named.items()], schema=SURFACES)
    return SurfaceTable.merge([SurfaceTable.of_table(part, graph) for part in (rows[:cut], rows[cut:])])


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(st.sampled_from(["Q1", "Q3", "Q4", "Q5", "Q8", "Q100", f"Q{2**33}", f"Q{2**40}"]), NAMES), st.data()
)
def test_items_are_found_under_their_names(named: dict[str, dict[str, Any]], data: st.DataObject) -> None:
    """Whatever the order of the names, each item of the graph has its own; items that are not in it are left out."""
    table = table_of(named, data.draw(st.integers(0, len(named))))
    wanted = {
        item.qid: Member(
            id=item.qid,
            **named[item.qid],
            sitelinks=item.sitelinks,
            page_share=named[item.qid]["count"] / links if (links := named[item.qid]["links"]) else None,
        )
        for item in ITEMS
        if item.qid in named
    }
    assert table.members(np.arange(len(table))) == list(wanted.values())
    rows = np.arange(min(2, len(table)))
    assert list(table.texts(rows)) == [member.surface for member in wanted.values()][:2]


def test_a_label_code_that_is_none_is_refused() -> None:
    """A label in a language that no Wikipedia has comes from somewhere else."""
    strange = {"surface": "x", "source": "label", "count": 0, "total": 0, "label_language": "klingon"}
    with pytest.raises(DamagedInputError, match="language codes of Wikipedia and mul, saw klingon"):
        table_of({"Q5": strange}, 0)


def test_a_source_that_is_none_is_refused() -> None:
    """A name that says it is from elsewhere, in the middle of others, is no name."""
    names = {
        qid: {"surface": "x", "source": source, "count": 1, "total": 2}
        for qid, source in {"Q3": "anchor", "Q5": "guess", "Q8": "label"}.items()
    }
    with pytest.raises(DamagedInputError, match="one of anchor, label, title, saw guess"):
        table_of(names, 0)


@settings(max_examples=60, deadline=None)
@given(worlds(), st.sets(st.integers(1, 14)), st.integers(1, 3), st.integers(0, 2), st.sampled_from(get_args(Fame)))
def test_candidates_are_classes_with_enough_named_instances(
    entities: list[Entity], named: set[int], least: int, more: int, fame: Fame
) -> None:
    """They have at least ``least`` of them, and lead with those that have most sitelinks, then the lowest number.

    Of a third of the instances, an instance belongs to that which says how large a part of them has more sitelinks.
    """
    taxonomy = Taxonomy.of_entities(entities)
    graph = taxonomy.graph
    found = candidate_classes(graph, np.isin(graph.items, list(named)), least, least + more, fame)
    wanted = {}
    for qid in (f"Q{number}" for number in graph.nodes.tolist()):
        linked = [(one, links) for one, links in taxonomy.most_linked(qid, len(graph.items)) if int(one[1:]) in named]
        shares = [Fraction(sum(other > links for _, other in linked), len(linked)) for _, links in linked]
        ranked = [
            one for (one, _), share in zip(linked, shares, strict=True) if fame in {"all", THIRDS[int(3 * share)]}
        ]
        if len(ranked) >= least:
            wanted[qid] = ranked[: least + more]
    numbers = graph.items[found.leading.targets].tolist()
    bounds = found.leading.offsets.tolist()
    ours = {
        f"Q{graph.nodes[node]}": [f"Q{number}" for number in numbers[begin:end]]
        for node, begin, end in zip(found.nodes.tolist(), bounds[:-1], bounds[1:], strict=True)
    }
    assert ours == wanted


@settings(deadline=None)
@given(st.lists(TEXTS | st.sampled_from(["ab", "ba", "a", "a\0", "é", "e\u0301"]), max_size=5), st.data())
def test_equal_surface_forms_have_equal_hashes_and_others_do_not(texts: list[str], data: st.DataObject) -> None:
    """A hash is that of the characters in their order, wherever the surface form is in the table or in its chunks."""
    named = {item.qid: {"surface": text, "source": "label"} for item, text in zip(ITEMS, texts, strict=False)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(surface_table, "_CHUNK", data.draw(st.integers(1, 6)))
        hashes = hash_texts(table_of({qid: {**name, "count": 0, "total": 0} for qid, name in named.items()}, 0))
    assert [[one == other for other in hashes] for one in hashes] == [
        [one == other for other in texts] for one in texts
    ]


@given(
    st.lists(
        st.tuples(
            st.sampled_from("abc"),
            st.lists(st.sampled_from("abc"), max_size=4),
            st.sampled_from([0, 1, 2, 3, 10, 30, 2**31 - 1]),
        ),
        max_size=9,
    ),
    st.sampled_from([0.1, 0.3, 0.5, 0.7, 1.0]),
)
def test_a_name_means_the_item_with_its_share_of_the_sitelinks(
    named: list[tuple[str, list[str], int]], least: float
) -> None:
    """Others with that surface form or alias are not meant, each counted once, whatever their hashes begin with.

    Without any sitelink all share alike: items have aliases only if they have a sitelink.
    """
    surfaces = {f"Q{n}": surface for n, (surface, _, _) in enumerate(named)}
    sitelinks = {f"Q{n}": count for n, (_, _, count) in enumerate(named)}
    aliases = {f"Q{n}": found for n, (_, found, count) in enumerate(named) if count}
    keys = {"a": 5, "b": 2**63 + 5, "c": 2**64 - 1}

    def called(pairs: list[tuple[str, str]]) -> HashedNames:
        hashes = np.array([keys[name] for _, name in pairs], np.uint64)
        return HashedNames(hashes, np.array([sitelinks[qid] for qid, _ in pairs], np.int32))

    others = [(qid, name) for qid, found in aliases.items() for name in sorted({*found} - {surfaces[qid]})]
    means = mean_their_items(called([*surfaces.items()]), called(others), least)
    assert means.tolist() == [means_item(qid, surfaces, aliases, sitelinks, least) for qid in surfaces]
