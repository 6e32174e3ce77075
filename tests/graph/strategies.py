"""Small worlds for Hypothesis: cycles, self-loops, diamonds, several roots, and items that are classes themselves."""

from dataclasses import replace

from hypothesis import strategies as st

from tests.oracle import Named
from wikisem.ids import qid_of
from wikisem.recipes.options import GraphOptions, OutlierOptions
from wikisem.records import Entity

MOST = 14


@st.composite
def worlds(draw: st.DrawFn) -> list[Entity]:
    """Entities in any order whose edges lead anywhere among a few more ids than there are lines."""
    count = draw(st.integers(1, MOST))
    some = st.lists(st.integers(1, count + 2).map(qid_of), max_size=3, unique=True).map(tuple)
    rarely = st.one_of(st.just(()), st.just(()), some)
    entities = [
        Entity(qid_of(n), draw(some), draw(some), draw(st.integers(0, 3)), other_instance_of=draw(rarely))
        for n in range(1, count + 1)
    ]
    return draw(st.permutations(entities))


QIDS = st.integers(1, MOST).map(qid_of)
GRAPHS = st.builds(
    GraphOptions,
    disambiguation=st.lists(QIDS, max_size=1).map(tuple),
    internal=st.lists(QIDS, max_size=1).map(tuple),
    root=st.one_of(st.just(""), QIDS),
    root_distance=st.integers(0, 2),
)
OUTLIERS = st.builds(
    OutlierOptions,
    per_class=st.sampled_from([1, 2, 3, 4, 5]),
    minimum=st.just(1),
    min_sitelinks=st.integers(0, 2),
    distance=st.integers(1, 5),
    draw=st.sampled_from(["class", "class", "items"]),
    draw_o3=st.sampled_from(["class", "items", "items"]),
    certificate=st.sampled_from([0, 1, 1, 2]),
    status_share=st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    places=st.booleans(),
    margin=st.sampled_from([None, 0.1, 0.3, 0.6]),
    related=st.sampled_from([0, 1, 2]),
    near=st.sampled_from([0, 0, 1, 3]),
    shared=st.just(False),
).map(lambda options: options if options.certificate else replace(options, near=0))


# The last is none that relates: different from.
_RELATIONS = (36, 131, 1889)
_PROPERTIES = st.sets(st.sampled_from([17, 18, 131, 569, 625, 14_000]), min_size=1)


@st.composite
def group_worlds(draw: st.DrawFn) -> tuple[list[Entity], dict[str, dict[str, Named]]]:
    """Worlds made so that groups come out of them: entities, and surface forms in English and German.

    One to three trees of classes, so that siblings, cousins and far classes exist; most classes have several instances;
    most items have a surface form in both languages. A few edges anywhere add cycles, second classes and classes that
    are instances; a few items are instances at another rank. Instances of a class have some properties in common, as
    those of another class may, and some items are related to others. The number of an item says nothing about its
    class.
    """
    classes = draw(st.integers(6, 11))
    trees = draw(st.integers(1, 3))
    parents = {n: draw(st.integers(max(1, n - 4), n - 1)) for n in range(trees + 1, classes + 1)}
    sizes = [draw(st.sampled_from([0, 2, 3, 4, 5])) for _ in range(classes)]
    home = [number for number, size in enumerate(sizes, start=1) for _ in range(size)]
    numbers = draw(st.permutations(range(classes + 1, classes + 1 + len(home))))
    instance_of = {number: [own] for number, own in zip(numbers, home, strict=True)}
    subclass_of = {number: [parent] for number, parent in parents.items()}
    some = st.integers(1, classes + len(home))
    for child, parent in draw(st.lists(st.tuples(some, some), max_size=2)):
        subclass_of.setdefault(child, []).append(parent)
    for item, own in draw(st.lists(st.tuples(some, st.integers(1, classes + 2)), max_size=4)):
        instance_of.setdefault(item, []).append(own)
    if home:
        members = st.tuples(st.sampled_from(numbers), st.sampled_from(home))
        for item, own in draw(st.lists(members, max_size=6)):
            instance_of[item].append(own)
    others = draw(st.dictionaries(some, st.integers(1, classes).map(qid_of).map(lambda one: (one,)), max_size=4))
    usual = {own: draw(_PROPERTIES) for own in {*home}}
    properties = {number: draw(_PROPERTIES) & usual[own] for number, own in zip(numbers, home, strict=True)}
    properties |= draw(st.dictionaries(some, _PROPERTIES, max_size=4))
    about = draw(st.lists(st.tuples(some, st.sampled_from([*_RELATIONS]), some), max_size=20))
    links = draw(st.lists(st.integers(0, 4), min_size=classes + len(home), max_size=classes + len(home)))
    entities = [
        Entity(
            qid_of(n),
            _distinct(instance_of.get(n, [])),
            _distinct(subclass_of.get(n, [])),
            links[n - 1],
            other_instance_of=others.get(n, ()),
            properties=tuple(sorted(properties.get(n, ()))) if links[n - 1] else (),
            relations=tuple(sorted({(name, value) for item, name, value in about if item == n})),
        )
        for n in range(1, classes + len(home) + 1)
    ]
    return draw(st.permutations(entities)), {language: draw(_names(len(links))) for language in ("en", "de")}


def _distinct(numbers: list[int]) -> tuple[str, ...]:
    return tuple(map(qid_of, dict.fromkeys(numbers)))


def _names(count: int) -> st.SearchStrategy[dict[str, Named]]:
    """Surface forms of nearly all items; a few are equal, within clusters, across them and among outliers.

    They have one to three words, and some have digits and marks; the pages of a few are linked.
    """
    surfaces = st.one_of(
        st.integers(0, 60).map(lambda n: f"word{'s' * (n % 7)} {n}"[: None if n % 3 else -2] + " (ö)" * (n % 5 == 0)),
        st.sampled_from(["oak", "elm", "Larch", "List of elms", None]),
    )
    return st.lists(surfaces, min_size=count, max_size=count).map(
        lambda drawn: {
            qid_of(n): Named(each, total=len(each) // 7) for n, each in enumerate(drawn, start=1) if each is not None
        }
    )
