"""Which groups are kept where there are more than ``max_groups``: the first in an order that is the same everywhere."""

from collections.abc import Sequence

import numpy as np

from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.sorting import indices_of
from wikisem.recipes.options import Recipe
from wikisem.sampling import hash_keys


def in_class_order(graph: ClassGraph, numbers: Sequence[int], recipe: Recipe) -> list[int]:
    """Class numbers in the order in which their groups are kept.

    "sample" takes classes in the order of their hash keys; "prominence" those whose own item has most sitelinks, ties
    by number (a class that is no item of the dump counts as having none).
    """
    known = np.array(sorted(numbers), dtype=np.int64)
    if recipe.cluster.class_order == "sample":
        order = np.argsort(hash_keys(recipe.seed, known), kind="stable")
    else:
        nodes, _ = indices_of(known, graph.nodes)
        order = np.argsort(-np.maximum(graph.class_sitelinks[nodes], 0), kind="stable")
    ordered: list[int] = known[order].tolist()
    return ordered


def first_classes(graph: ClassGraph, numbers: Sequence[int], recipe: Recipe) -> set[int]:
    """The class numbers among ``numbers`` that ``max_groups`` lets through; all of them where it is 0."""
    return set(in_class_order(graph, numbers, recipe)[: recipe.cluster.max_groups or None])
