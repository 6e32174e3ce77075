"""The second witness in worlds that are small enough to read; against the oracle it is tested with whole groups."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tests.heuristics.test_groups import PRUNING, judge, random_recipe
from tests.oracle import Named
from wikisem.graph.csr import CsrRows
from wikisem.graph.statements import ItemSignatures, Signatures
from wikisem.graph.taxonomy import Taxonomy
from wikisem.heuristics.selection.groups import Judgement
from wikisem.recipes.options import ClusterOptions, OutlierOptions
from wikisem.records import Entity, Group, Rejection
from wikisem.sampling import hash_keys

AREA, POPULATION, POSTAL, COORDINATES, PERFORMER, RELEASED = 2046, 1082, 281, 625, 175, 577
TOWN, ALBUM = (POSTAL, COORDINATES, POPULATION, AREA), (PERFORMER, RELEASED)
ITEMS = OutlierOptions(min_sitelinks=1, distance=1, draw="items", draw_o3="items", per_class=1, minimum=1)
# Far from all other classes, so that there are items that are no towns.
FAR = [Entity(f"Q{60 + n}", ("Q5",), (), 9, properties=ALBUM) for n in range(9)]


def towns(
    properties: Sequence[tuple[int, ...]],
    siblings: Mapping[str, tuple[int, ...]],
    margin: float | None = None,
    coherence: float | None = None,
) -> Judgement:
    """The class Q2 with members that have these properties, beside a sibling class with instances of these names."""
    members = [Entity(f"Q{10 + n}", ("Q2",), (), 9, properties=own) for n, own in enumerate(properties)]
    others = {
        name: Entity(f"Q{30 + n}", ("Q3",), (), 9, properties=own) for n, (name, own) in enumerate(siblings.items())
    }
    entities = [Entity("Q2", (), ("Q1",)), Entity("Q3", (), ("Q1",)), *members, *others.values(), *FAR]
    names = {one.qid: f"Town {n}" for n, one in enumerate(members)} | {one.qid: name for name, one in others.items()}
    recipe = random_recipe(replace(ITEMS, margin=margin), seed=1)
    recipe = replace(recipe, cluster=ClusterOptions(8, 3, 0, coherence=coherence))
    return judge(entities, {"en": {qid: Named(name) for qid, name in names.items()}}, recipe)["en", "Q2"]


def drawn(judgement: Judgement) -> dict[str, float]:
    """The outliers of a group with their margins."""
    assert isinstance(judgement, Group), judgement
    return {one.surface: one.margin for one in judgement.outliers if one.margin is not None}


def test_an_item_that_the_statements_make_an_instance_gives_way() -> None:
    """Kristianstad is no town by P31, but has all that towns have; the album in the same class has nothing of it."""
    siblings = {"Kristianstad": TOWN, "The Eminem Show": ALBUM}
    alone = {"Kristianstad": TOWN}
    assert drawn(towns([TOWN] * 4, siblings, margin=0.1)) == {"The Eminem Show": 0.0}
    assert drawn(towns([TOWN] * 4, alone, margin=None, coherence=0.0))["Kristianstad"] >= 0.5
    rejected = towns([TOWN] * 4, alone, margin=0.1)
    assert isinstance(rejected, Rejection)
    assert rejected.reason == "few-outliers"


def judged(
    texts: Mapping[str, str | None], siblings: Mapping[str, str], margin: float | None = None, **cluster: Any
) -> Judgement:
    """The class Q2 with members of these names and descriptions, best known first, a sibling class, and albums."""
    entities = [Entity("Q2", (), ("Q1",)), Entity("Q3", (), ("Q1",))]
    names = {}
    for first, kind, described in ((10, "Q2", texts), (30, "Q3", siblings)):
        for place, (name, text) in enumerate(described.items()):
            qid = f"Q{first + place}"
            entities.append(Entity(qid, (kind,), (), 20 - place, description=text))
            names[qid] = Named(name)
    far = [replace(one, properties=(), description="album by a singer") for one in FAR]
    recipe = random_recipe(replace(ITEMS, margin=margin), seed=1)
    recipe = replace(recipe, cluster=ClusterOptions(**{"size": 4, "minimum": 3, "max_groups": 0, **cluster}))
    return judge([*entities, *far], {"en": names}, recipe)["en", "Q2"]


TOWNS = dict.fromkeys(("Lund", "Arles", "Siena", "Delft", "Namur", "Bruges"), "town in Europe")


def test_an_item_that_its_description_makes_an_instance_gives_way() -> None:
    """It is evidence as properties are: words are counted whatever their case, and each once."""
    siblings = {"Malta": "Europe: in town, town", "Thriller": "album by a singer; the album"}
    assert drawn(judged(TOWNS, siblings, margin=0.1)) == {"Thriller": 0.0}


def test_instances_that_only_p31_speaks_for_come_last() -> None:
    """However well known; where there are too few others, they are members all the same."""
    albums, siblings = {"Oslo": "album by a singer", "Nowhere": None}, {"Rigi": "mountain"}
    cluster = judged(albums | TOWNS, siblings, coherence=0.0)
    assert isinstance(cluster, Group)
    assert [member.surface for member in cluster.cluster] == ["Lund", "Arles", "Siena", "Delft"]
    few = {name: TOWNS[name] for name in ("Lund", "Arles")}
    cluster = judged(albums | few, siblings, coherence=0.0)
    assert isinstance(cluster, Group)
    assert [member.surface for member in cluster.cluster] == ["Lund", "Arles", "Oslo", "Nowhere"]
    unasked = judged(albums | TOWNS, siblings)
    assert isinstance(unasked, Group)
    assert [member.surface for member in unasked.cluster] == ["Oslo", "Nowhere", "Lund", "Arles"]


def test_an_item_without_statements_has_no_margin() -> None:
    """The witness does not bar it, even where the statements of an instance speak against the class."""
    for members in ([TOWN] * 4, [*[TOWN] * 3, (), ()], [*[TOWN] * 3, ALBUM]):
        group = towns(members, {"Nowhere": ()}, margin=0.1)
        assert isinstance(group, Group), group
        assert [(one.surface, one.margin) for one in group.outliers] == [("Nowhere", None)]


def test_where_nothing_is_said_of_a_class_there_is_no_group() -> None:
    """Where the recipe asks for a kind; elsewhere groups have neither coherence nor margins."""
    rejection = towns([()] * 4, {"Kristianstad": TOWN}, margin=0.1, coherence=0.6)
    assert isinstance(rejection, Rejection)
    assert rejection.reason == "no-evidence"
    group = towns([()] * 4, {"Kristianstad": TOWN}, margin=0.1)
    assert isinstance(group, Group)
    assert (group.coherence, [one.margin for one in group.outliers]) == (None, [None])


def test_a_member_of_which_other_things_are_said_makes_room_for_outliers_like_it() -> None:
    """One of four towns has the properties of an album: of four instances it alone has no more evidence than albums."""
    assert drawn(towns([TOWN] * 3 + [ALBUM], {"The Eminem Show": ALBUM}, margin=0.3))["The Eminem Show"] >= 1 / 8


def test_a_class_whose_members_have_nothing_in_common_has_no_kind() -> None:
    """What a member has is found elsewhere as often, so that no member looks more like the others than any item."""
    rejected = towns([ALBUM] * 4, {"Kristianstad": TOWN}, coherence=0.6)
    assert isinstance(rejected, Rejection)
    assert rejected.reason == "no-kind"
    assert rejected.detail.startswith("expected a coherence of at least 0.6, saw 0.")
    kept = towns([TOWN] * 4, {"The Eminem Show": ALBUM}, coherence=0.6)
    assert isinstance(kept, Group)
    assert kept.coherence == 1.0


def test_long_lists_of_properties_are_no_better_witnesses() -> None:
    """The evidence of a signature grows with the weights of its properties, not with their number."""
    many = tuple(range(1000, 1040))
    wordy = {"Wordy": (*TOWN, *many)}
    assert drawn(towns([TOWN] * 4, wordy, margin=0.1)) == {"Wordy": 0.0}


def test_the_first_hundred_instances_by_hash_key_show_what_a_class_is_like() -> None:
    """Of more instances than a reference holds, those beyond it, which are no members, have no say."""
    numbers = np.arange(10, 115)
    entities = [Entity("Q2", (), ("Q1",)), *(Entity(f"Q{n}", ("Q2",), (), 9, properties=(17,)) for n in numbers)]
    graph = Taxonomy.of_entities(entities, PRUNING).graph
    rows = CsrRows(np.arange(len(numbers) + 1), np.full(len(numbers), 17))
    parts = [ItemSignatures(numbers, np.full(len(numbers), 9, np.int32), rows)]
    found = Signatures.of(graph, parts, 1, np.arange(len(graph.nodes)), np.zeros(0, np.int64), seed=5)
    first = np.argsort(hash_keys(5, numbers))[:100]
    assert sorted(found.reference.row(int(np.searchsorted(graph.nodes, 2))).tolist()) == sorted(first.tolist())
