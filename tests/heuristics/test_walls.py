"""Walls: the solver against brute force, the rules on a wall, and whole walls of worlds small enough to read."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests.heuristics.test_groups import OFF, PRUNING
from wikisem.graph.csr import CsrRows
from wikisem.graph.outlier_sets.class_lists import NO_UNLINKED, PageLinks
from wikisem.graph.statements import ItemSignatures, Signatures
from wikisem.graph.taxonomy import Taxonomy
from wikisem.heuristics.selection import walls
from wikisem.heuristics.selection.wall_fits import (
    WallClass,
    WallFits,
    WallIndex,
    WallInputs,
    leading_instances,
    nodes_and_items,
)
from wikisem.heuristics.selection.walls import Walls, draw_walls, find_giveaway, solving_order
from wikisem.heuristics.selection.witness import ClassEvidence
from wikisem.outputs.groupfile import decode_wall, encode_wall
from wikisem.recipes.options import ClusterOptions, Fame, OutlierOptions, Recipe, WallOptions
from wikisem.records import TIERS, Entity, Group, Member, Wall
from wikisem.wikipedia.languages import language_profile

ENGLISH = language_profile("en")

# The solver.


def solutions(fits: Sequence[int], sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Every division of words among groups of these sizes, by brute force: the group of each word."""
    groups = [group for group, size in enumerate(sizes) for _ in range(size)]
    for found in set(permutations(groups)):
        if all(mask >> group & 1 for mask, group in zip(fits, found, strict=True)):
            yield found


@st.composite
def small_walls(draw: st.DrawFn) -> tuple[list[int], list[int], list[int]]:
    """The masks of the words of a wall with two or three groups of up to three, the sizes, and a solution."""
    sizes = draw(st.lists(st.integers(1, 3), min_size=2, max_size=3).filter(lambda each: sum(each) <= 7))
    own = [group for group, size in enumerate(sizes) for _ in range(size)]
    further = draw(st.lists(st.integers(0, 2 ** len(sizes) - 1), min_size=len(own), max_size=len(own)))
    sparse = draw(st.lists(st.booleans(), min_size=len(own), max_size=len(own)))
    fits = [1 << one | (more if keep else 0) for one, more, keep in zip(own, further, sparse, strict=True)]
    return fits, sizes, own


@given(small_walls())
def test_there_is_an_order_to_solve_a_wall_in_where_one_solution_is_all(
    wall: tuple[list[int], list[int], list[int]],
) -> None:
    """In that order each group has no words but its own that fit it once those before it are settled."""
    fits, sizes, own = wall
    order = solving_order([[group for group in range(len(sizes)) if fit >> group & 1] for fit in fits], own)
    assert bool(order) == (len(list(solutions(fits, sizes))) == 1)
    for place, group in enumerate(order):
        open_words = [one for one, mine in enumerate(own) if mine in order[place:]]
        assert [own[one] for one in open_words if fits[one] >> group & 1] == [group] * sizes[group]


# What gives a row away.


@pytest.mark.parametrize(
    ("row", "label", "reason"),
    [
        (["ash", "fir", "oak", "yew"], "tree", ""),
        (["ash", "fir", "oak", "tree fern"], "tree", "own-label"),
        (["ash", "fir", "oak", "iron oak"], "plant", "contained"),
        (["red elm", "red fir", "larch", "yew"], "plant", "affix"),
        (["birch", "birchen", "oak", "yew"], "plant", "affix"),
        (["cowboy", "cowherd", "cows", "yew"], "plant", "affix"),
        (["cowboy", "cowherd", "fir", "yew"], "plant", ""),
        (["blackthorn", "dogwood tea", "larch wood", "hazelnut"], "plant", "form"),
    ],
)
def test_what_words_of_one_row_alone_have_in_common_gives_it_away(row: list[str], label: str, reason: str) -> None:
    """A word of the label, one word in another, a shared word or affix, three of which may be shorter, or a length."""
    rows = [row, ["tin", "lead", "iron", "zinc"], ["Rome", "Oslo", "Lima", "Bern"], ["nine", "one", "eleven", "two"]]
    assert find_giveaway(rows, [label, "metal", "city", "number"], ENGLISH) == reason


def test_what_another_row_has_too_gives_none_away() -> None:
    """Two rows in which a word is red, and Chinese rows that share a character at the end."""
    rows = [["red elm", "red fir", "oak", "yew"], ["red lead", "iron", "tin", "zinc"], ["Rome", "Oslo", "Lima", "Bern"]]
    assert find_giveaway([*rows, ["nine", "one", "two", "ten"]], ["plant", "metal", "city", "number"], ENGLISH) == ""
    chinese = language_profile("zh")
    mine, others = (
        ["东京市", "大阪市", "名古屋市", "京都"],
        [["铁", "金子", "白银", "铜"], ["一", "二十", "三百", "四千"]],
    )
    labels = ["地方", "金属", "数字", "树木"]
    assert find_giveaway([mine, *others, ["橡树", "松柏", "白杨", "榆"]], labels, chinese) == "affix"
    assert find_giveaway([mine, *others, ["橡树", "松柏市", "白杨", "榆"]], labels, chinese) == ""


# Whole walls.

OUTLIERS = OutlierOptions(min_sitelinks=1, distance=3, certificate=1, status_share=0.8)
# Two families of six siblings, cousins of each other, and six classes on trees of their own, far from all others.
PARENTS: dict[str, tuple[str, ...]] = {
    **{f"Q{2 + n}": ("Q101",) for n in range(6)},
    **{f"Q{8 + n}": ("Q102",) for n in range(6)},
    **{f"Q{14 + n}": (f"Q{110 + n}",) for n in range(6)},
}
ROOTS = {"Q101": ("Q103",), "Q102": ("Q103",)}
CLASSES = [*PARENTS]
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def surface_of(number: int) -> str:
    """A name of five letters that shares no beginning or end with that of another number below 17,000."""
    first = "".join(LETTERS[number // 26**place % 26] for place in range(3))
    return f"{first}x{first[::-1]}"[: 5 + number % 3]


def items_of_classes(further: Mapping[str, tuple[str, ...]] | None = None, each: int = 8) -> list[Entity]:
    """So many instances of every class, some of them of further classes: Q1000 on are of Q2, Q1100 on of Q3."""
    more = further or {}
    ids = ((qid, f"Q{1000 + 100 * place + n}") for place, qid in enumerate(CLASSES) for n in range(each))
    return [Entity(one, (qid, *more.get(one, ())), (), 20) for qid, one in ids]


class World:
    """Items of the classes, with what walls are made of."""

    def __init__(self, items: list[Entity], recipe: Recipe, parents: dict[str, tuple[str, ...]] = PARENTS) -> None:
        entities = [Entity(qid, (), above) for qid, above in (parents | ROOTS).items()] + items
        self.recipe, self.graph = recipe, Taxonomy.of_entities(entities, PRUNING).graph
        members = {
            one.qid: Member(
                id=one.qid, surface=surface_of(int(one.qid[1:])), source="label", count=0, total=0, sitelinks=20
            )
            for one in items
        }
        groups = [
            Group(
                id=qid,
                label=f"class {LETTERS[n] * 4}",
                language="en",
                cluster=tuple(members[one.qid] for one in items if qid in one.instance_of)[:8],
                outliers=(),
            )
            for n, qid in enumerate(CLASSES)
        ]
        leading = leading_instances(self.graph, groups, recipe)
        self.classes = [
            WallClass.of(group, [members[one] for one in leading[group.qid]], ENGLISH, recipe.filters)
            for group in groups
        ]
        signatures = None
        if recipe.outliers.margin is not None:
            nodes, wanted = nodes_and_items(self.graph, self.classes)
            known = [one for one in items if one.properties]
            numbers = np.array([int(one.qid[1:]) for one in known])
            rows = [np.array(one.properties) for one in known]
            offsets = np.cumsum([0, *map(len, rows)])
            part = ItemSignatures(numbers, np.full(len(known), 20, np.int32), CsrRows(offsets, np.concatenate(rows)))
            signatures = Signatures.of(self.graph, [part], 1, nodes, wanted, recipe.seed)
        self.use(self.classes, signatures)

    def use(self, classes: list[WallClass], signatures: Signatures | None = None) -> None:
        """Make walls of these classes alone."""
        index = WallIndex.of(self.graph, self.recipe, classes, NO_UNLINKED)
        self.classes = classes
        self.fits = WallFits.of(classes, WallInputs(self.graph, self.recipe, index, signatures), ENGLISH)

    def walls(self, number: int = 30, seed: int = 7, uses: int = 99) -> Walls:
        """So many walls."""
        recipe = replace(self.recipe, seed=seed, walls=WallOptions(number, uses))
        return draw_walls(self.classes, self.fits, ENGLISH, recipe)


def recipe_of(**options: object) -> Recipe:
    """The rules of a wall, with these options on outliers, and no filters on clusters."""
    return Recipe("walls", seed=7, graph=PRUNING, outliers=replace(OUTLIERS, **options), filters=OFF)  # type: ignore[arg-type]


def brute_force(wall: Wall, classes_of: Mapping[str, tuple[str, ...]]) -> int:
    """How many divisions of a wall there are by its items' classes alone, four words for one class after another."""
    words = [word.id for word in wall.words]

    def count(left: frozenset[str], classes: Sequence[str]) -> int:
        if not classes:
            return not left
        able = [one for one in left if classes[0] in classes_of[one]]
        return sum(count(left - set(four), classes[1:]) for four in combinations(able, 4))

    return count(frozenset(words), [group.qid for group in wall.groups])


def test_each_tier_has_walls_of_its_classes() -> None:
    """Far ones are of trees that are far apart, siblings of families; in neither does a word fit a second row."""
    world = World(items_of_classes(), recipe_of())
    found = world.walls(30)
    assert [counts.kept for counts in found.counts.values()] == [10, 10, 0]
    assert found.counts["herring"].left_out == {"no-classes": 2}
    for wall in found.walls:
        parents = {PARENTS[group.qid] for group in wall.groups}
        assert parents <= {("Q101",), ("Q102",)} if wall.tier == "sibling" else len(parents) == 4
        assert wall.herrings == ()
        assert decode_wall(encode_wall(wall)) == wall


def test_walls_meet_herrings_and_refuse_second_solutions() -> None:
    """Where items have further classes at random, brute force finds one solution of each wall that is kept."""
    met: Counter[str] = Counter()
    for seed in range(6):
        random = np.random.default_rng(seed)
        chosen = random.choice([one.qid for one in items_of_classes()][:32], 8, replace=False).tolist()
        further = {one: (CLASSES[int(random.integers(4))],) for one in chosen}
        items = items_of_classes(further)
        found = World(items, recipe_of()).walls(45, seed)
        classes_of = {one.qid: one.instance_of for one in items}
        for wall in found.walls:
            assert brute_force(wall, classes_of) == 1
            expected = {
                word.id: {
                    group.qid
                    for group in wall.groups
                    if group.qid in classes_of[word.id] and word.id not in group.members
                }
                for word in wall.words
            }
            assert {one.id: set(one.fits) for one in wall.herrings} == {
                one: fits for one, fits in expected.items() if fits
            }
            met[wall.tier] += 1
            met["herrings"] += len(wall.herrings)
        met["second"] += found.counts["herring"].left_out.get("second-solution", 0)
    assert met["far"] >= 30
    assert met["sibling"] >= 15
    assert met["herring"] >= 15
    assert met["herrings"] >= 2 * met["herring"]
    assert met["second"] >= 3


def test_answers_are_as_often_in_each_place() -> None:
    """Of every four walls of a tier that follow each other each has another group first, second and so on."""
    made = [wall for wall in World(items_of_classes(), recipe_of()).walls(48).walls if wall.tier == "far"]
    assert len(made) == 16
    places: list[Counter[int]] = [Counter() for _ in range(16)]
    for wall in made:
        group_of = {one: number for number, group in enumerate(wall.groups) for one in group.members}
        for counts, word in zip(places, wall.words, strict=True):
            counts[group_of[word.id]] += 1
    assert all(counts == dict.fromkeys(range(4), 4) for counts in places)
    orders = {tuple(word.id for word in wall.words) for wall in made}
    assert len(orders) == 16


def test_a_word_is_in_few_walls() -> None:
    """Where words are used up there are fewer walls."""
    found = World(items_of_classes(), recipe_of()).walls(300, uses=2)
    uses = Counter(word.id for wall in found.walls for word in wall.words)
    assert max(uses.values()) == 2
    assert 0 < len(found.walls) < 200


def test_walls_of_which_one_repeats_three_rows_of_another_are_not_both_made() -> None:
    """Where each class has five words only, two walls with the same classes share twelve or more."""
    found = World(items_of_classes(each=5), recipe_of()).walls(90)
    assert len(found.walls) >= 9
    assert found.counts["sibling"].left_out["repeats"] > 0
    for one, other in combinations(found.walls, 2):
        assert len({word.id for word in one.words} & {word.id for word in other.words}) < 12


def test_walls_depend_on_the_seed_alone() -> None:
    """The same world gives the same walls again, and another seed others."""
    world = World(items_of_classes(), recipe_of())
    assert world.walls(12, seed=1) == World(items_of_classes(), recipe_of()).walls(12, seed=1)
    assert world.walls(12, seed=1).walls != world.walls(12, seed=2).walls


def apart(world: World) -> set[tuple[str, str]]:
    """The pairs of classes that may be in one wall."""
    qids = [one.group.qid for one in world.classes]
    return {
        (qids[one], qids[other])
        for one, mask in enumerate(world.fits.apart)
        for other in range(len(qids))
        if mask >> other & 1
    }


def test_a_class_and_one_below_it_are_in_no_wall_together() -> None:
    """Nor a status class in any, nor classes that share more than a quarter of their words."""
    below = World(items_of_classes(), recipe_of(), PARENTS | {"Q3": ("Q2",)})
    assert ("Q2", "Q4") in apart(below)
    assert not {("Q2", "Q3"), ("Q3", "Q2")} & apart(below)
    status = World(items_of_classes({f"Q{1100 + n}": ("Q19",) for n in range(7)}), recipe_of())
    assert not [pair for pair in apart(status) if "Q3" in pair]
    for shared, may_meet in ((1, True), (4, False)):
        items = items_of_classes({f"Q{1000 + n}": ("Q3",) for n in range(shared)})
        assert (("Q2", "Q3") in apart(World(items, recipe_of()))) == may_meet


def test_a_class_whose_label_is_in_that_of_another_is_in_no_wall_with_it() -> None:
    """*Town* and *college town*, and two classes of one name."""
    world = World(items_of_classes(), recipe_of())
    named = {"Q2": "town", "Q3": "college town", "Q4": "Town", "Q5": "village"}
    classes = [
        replace(one, group=structs.replace(one.group, label=named.get(one.group.qid, one.group.label)))
        for one in world.classes
    ]
    world.use(classes)
    assert not {("Q2", "Q3"), ("Q2", "Q4"), ("Q3", "Q4")} & apart(world)
    assert ("Q2", "Q5") in apart(world)


def test_a_word_that_shares_a_class_with_a_member_is_in_no_wall_with_it() -> None:
    """Both are instances of Q19: neither could be an outlier of the other's class."""
    world = World(items_of_classes({"Q1000": ("Q19",), "Q1100": ("Q19",)}), recipe_of())
    numbers = {one.group.qid: number for number, one in enumerate(world.classes)}
    places = {word.id: place for place, word in enumerate(world.classes[numbers["Q3"]].words)}
    clean = world.fits.clean[numbers["Q2"]][numbers["Q3"]]
    assert not clean >> places["Q1100"] & 1
    assert clean >> places["Q1101"] & 1


def test_the_second_witness_finds_herrings_that_nobody_stated() -> None:
    """Two instances of Q3 have all that those of Q2 have: they fit Q2, and are in no far or sibling wall with it."""
    own = {qid: (10 * n + 1, 10 * n + 2) for n, qid in enumerate(CLASSES)}
    items = [replace(one, properties=own[one.instance_of[0]]) for one in items_of_classes()]
    alike = [replace(one, properties=own["Q2"]) if one.qid in {"Q1100", "Q1101"} else one for one in items]
    world = World(alike, recipe_of(margin=0.3))
    found = world.walls(60)
    assert found.counts["herring"].kept > 0
    for wall in found.walls:
        assert wall.margin == 0.5
        if wall.tier == "herring":
            assert {group.qid for group in wall.groups} >= {"Q2", "Q3"}
            assert {how for one in wall.herrings for how in one.by} == {"witness"}
            assert {fit for one in wall.herrings for fit in one.fits} == {"Q2"}
        elif {group.qid for group in wall.groups} >= {"Q2", "Q3"}:
            assert not {"Q1100", "Q1101"} & {word.id for word in wall.words}
    assert world.walls(60).counts["herring"].kept > World(alike, recipe_of()).walls(60).counts["herring"].kept == 0


def test_a_word_with_less_evidence_than_half_of_the_instances_is_in_no_wall_with_the_class() -> None:
    """It neither fits nor could be an outlier; of a word without statements nothing says that it fits."""
    own = {qid: (10 * n + 1, 10 * n + 2, 10 * n + 3) for n, qid in enumerate(CLASSES)}
    items = {one.qid: replace(one, properties=own[one.instance_of[0]]) for one in items_of_classes()}
    of_three = own["Q2"]
    given = {"Q1000": of_three[:1], "Q1001": of_three[:1], "Q1100": of_three[:2], "Q1101": of_three, "Q1102": ()}
    items |= {qid: replace(items[qid], properties=properties) for qid, properties in given.items()}
    world = World(list(items.values()), recipe_of(margin=0.05))
    two, three = CLASSES.index("Q2"), CLASSES.index("Q3")
    places = {word.id: place for place, word in enumerate(world.classes[three].words)}
    found = {
        qid: [bool(masks[two][three] >> places[qid] & 1) for masks in (world.fits.witness, world.fits.clean)]
        for qid in ("Q1100", "Q1101", "Q1102")
    }
    assert found == {"Q1100": [False, False], "Q1101": [True, False], "Q1102": [False, True]}


def test_a_wall_has_at_most_five_herrings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two words of each of three classes fit the class before: a wall of all four would have six herrings."""
    further = {f"Q{1000 + 100 * n + at}": (CLASSES[n - 1],) for n in range(1, 4) for at in range(2)}
    world = World(items_of_classes(further), recipe_of())
    world.use(world.classes[:4])
    most = []
    for limit in (5, 16):
        monkeypatch.setattr(walls, "_MOST_HERRINGS", limit)
        most.append(max(len(wall.herrings) for wall in world.walls(12).walls))
    assert most == [5, 6]


def test_the_margins_of_many_items_are_those_of_each() -> None:
    """With and without properties that instances have; an item without statements has none."""
    random = np.random.default_rng(3)
    items = [
        replace(one, properties=tuple(sorted(set(random.integers(1, 9, int(random.integers(0, 5))).tolist()))))
        for one in items_of_classes()
    ]
    world = World(items, recipe_of(margin=0.05))
    known = [one for one in items if one.properties]
    part = ItemSignatures(
        np.array([int(one.qid[1:]) for one in known]),
        np.full(len(known), 20, np.int32),
        CsrRows(
            np.cumsum([0, *(len(one.properties) for one in known)]), np.concatenate([one.properties for one in known])
        ),
    )
    nodes, wanted = nodes_and_items(world.graph, world.classes)
    found = Signatures.of(world.graph, [part], 1, nodes, wanted, 7)
    others = [one.qid for one in items if "Q2" not in one.instance_of]
    node = np.searchsorted(world.graph.nodes, [2])
    (evidence,) = ClassEvidence.of_classes(found, node, [[f"Q{1000 + n}" for n in range(8)]])
    rows = found.rows.take(found.rows_of(np.array([int(one[1:]) for one in others])))
    found_of_many = [None if np.isnan(one) else one for one in evidence.margins(rows).tolist()]
    assert found_of_many == [evidence.margin(int(one[1:])) for one in others]
    assert [one is None for one in found_of_many] == [one not in {item.qid for item in known} for one in others]


def test_one_wall_is_made_where_one_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of each tier: sets of classes that are tried in vain are not counted against the walls that are asked for."""
    monkeypatch.setattr(walls, "_ATTEMPTS", 0)
    own = {qid: (10 * n + 1, 10 * n + 2) for n, qid in enumerate(CLASSES)}
    items = [replace(one, properties=own[one.instance_of[0]]) for one in items_of_classes()]
    alike = [replace(one, properties=own["Q2"]) if one.qid in {"Q1100", "Q1101"} else one for one in items]
    counts = World(alike, recipe_of(margin=0.3)).walls(3).counts
    assert [own.kept for own in counts.values()] == [1, 1, 1]
    assert 0 not in counts["herring"].left_out.values()


@pytest.mark.parametrize(("fame", "first"), [("all", 30), ("head", 30), ("torso", 26), ("tail", 26)])
def test_further_words_are_of_the_fame_of_the_members(fame: Fame, first: int) -> None:
    """Of a torso or a tail none is better known than the best known member; else the best known come first."""
    items = [Entity(f"Q{n}", ("Q2",), sitelinks=n) for n in range(10, 31)]
    graph = Taxonomy.of_entities([*items, Entity("Q2", (), ("Q1",))], PRUNING).graph
    cluster = [Member(id=f"Q{n}", surface=surface_of(n), sitelinks=n) for n in (24, 23, 26)]
    recipe = Recipe("third", cluster=ClusterOptions(fame=fame), outliers=OutlierOptions(min_sitelinks=12))
    found = leading_instances(graph, [Group(id="Q2", cluster=tuple(cluster), outliers=())], recipe)
    assert found == {"Q2": [f"Q{n}" for n in range(first, 11, -1)]}


@pytest.mark.parametrize(("fame", "first"), [("all", [12, 14, 30]), ("torso", [14, 30, 29])])
def test_further_words_follow_local_prominence(fame: Fame, first: list[int]) -> None:
    """The items with links come first, a rare one with as many links before one that many sites have."""
    items = [Entity(f"Q{n}", ("Q2",), sitelinks=n) for n in range(10, 31)]
    graph = Taxonomy.of_entities([*items, Entity("Q2", (), ("Q1",))], PRUNING).graph
    links = PageLinks.of([(np.searchsorted(graph.items, [14, 12]), np.array([9, 9]))])
    cluster = [Member(id=f"Q{n}", surface=surface_of(n), sitelinks=n) for n in (14, 23, 26)]
    cluster_options = ClusterOptions(prominence="local", fame=fame)
    recipe = Recipe("local", cluster=cluster_options, outliers=OutlierOptions(min_sitelinks=12))
    found = leading_instances(graph, [Group(id="Q2", cluster=tuple(cluster), outliers=())], recipe, links)
    assert [int(qid[1:]) for qid in found["Q2"][:3]] == first


def test_no_groups_give_no_walls() -> None:
    """A language without groups gets an empty file."""
    world = World(items_of_classes(), recipe_of())
    empty = WallFits([], [], [], [], [], [], [])
    assert draw_walls([], empty, ENGLISH, replace(world.recipe, walls=WallOptions(9))).walls == []
    assert list(TIERS) == ["far", "sibling", "herring"]
