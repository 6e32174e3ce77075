"""Which groups are kept where there are too many."""

from hypothesis import given
from hypothesis import strategies as st

from wikisem.graph.taxonomy import Taxonomy
from wikisem.heuristics.selection.kept_groups import in_class_order
from wikisem.recipes.options import ClusterOptions, GraphOptions, Recipe
from wikisem.records import Entity
from wikisem.sampling import hash_key

# Classes with their sitelinks; None: the dump has no such item, the class is only named by an instance.
CLASSES = st.dictionaries(st.integers(1, 60), st.one_of(st.none(), st.integers(0, 3)), min_size=1, max_size=12)


def kept(classes: dict[int, int | None], recipe: Recipe) -> set[int]:
    """The classes that are kept of some that have one instance each."""
    own = [Entity(f"Q{n}", ("Q9000",), (), links) for n, links in classes.items() if links is not None]
    instances = [Entity(f"Q{1000 + n}", (f"Q{n}",)) for n in classes]
    graph = Taxonomy.of_entities([*own, *instances], GraphOptions(root="", disambiguation=())).graph
    return set(in_class_order(graph, list(classes), recipe)[: recipe.cluster.max_groups or None])


def recipe_of(most: int, order: str, seed: int = 500) -> Recipe:
    """A recipe that keeps the first classes in an order."""
    options = ClusterOptions(max_groups=most, class_order="sample" if order == "sample" else "prominence")
    return Recipe("few", seed=seed, cluster=options)


def test_a_class_without_an_item_counts_as_one_without_sitelinks() -> None:
    """Q5 is no item of the dump and Q7 has no sitelinks: they tie, and the lower number is kept."""
    assert kept({5: None, 7: 0}, recipe_of(1, "prominence")) == {5}


def test_the_most_prominent_class_is_kept_whatever_its_number() -> None:
    """Sitelinks come before the number."""
    assert kept({5: None, 7: 0, 50: 1}, recipe_of(1, "prominence")) == {50}


def test_zero_keeps_every_class() -> None:
    """``max_groups = 0`` is no limit, in either order."""
    classes = {5: None, 7: 0, 50: 1}
    assert kept(classes, recipe_of(0, "prominence")) == kept(classes, recipe_of(0, "sample")) == {5, 7, 50}


@given(CLASSES, st.integers(1, 12), st.integers(0, 2**64 - 1))
def test_both_orders_agree_with_plain_sorting(classes: dict[int, int | None], most: int, seed: int) -> None:
    """By hash key, or by sitelinks and then number."""
    by_key = sorted(classes, key=lambda number: hash_key(seed, number))
    by_links = sorted(classes, key=lambda number: (-(classes[number] or 0), number))
    assert kept(classes, recipe_of(most, "sample", seed)) == set(by_key[:most])
    assert kept(classes, recipe_of(most, "prominence", seed)) == set(by_links[:most])
