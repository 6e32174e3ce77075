"""The classes that a recipe names, by QID or by label, alone or with everything below them."""

from collections.abc import Sequence

import numpy as np

from wikisem.arrow.columns import distinct
from wikisem.class_names import LabelledClass, classes_named, listed_classes, near_names
from wikisem.errors import RecipeError
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import Int64s, Ints, closure, indices_of
from wikisem.graph.store import open_arrays
from wikisem.ids import is_qid, qid_number
from wikisem.recipes.options import ClassOptions
from wikisem.surfaces.cleaning import labelled_classes


def chosen_classes(entities: str, taxonomy: str, options: ClassOptions) -> Int64s | None:
    """The numbers of the classes that may give groups, ascending; None for a recipe that names none.

    RecipeError for a QID that is no class of the graph, and for a label that no class has, or several have: it lists
    classes with labels that are close, or all that have this one.
    """
    if not options.names:
        return None
    graph = open_arrays(ClassGraph, taxonomy)
    keys = ("include", "include_below", "exclude", "exclude_below")
    asked: dict[str, Sequence[str]] = {key: getattr(options, key) for key in keys}
    labels = {name for names in asked.values() for name in names if not is_qid(name)}
    known = labelled_classes(entities, graph, [options.language]) if labels else []
    nodes = {}
    for key, names in asked.items():
        numbers = [_number(graph, known, f"classes.{key}", name, options.language) for name in names]
        nodes[key] = indices_of(np.array(numbers, dtype=np.int64), graph.nodes)[0]
    below = {key: [closure(graph.down, int(node)) for node in nodes[key]] for key in keys if key.endswith("_below")}
    every: Ints = np.arange(len(graph.nodes))
    named = [nodes["include"], *below["include_below"]]
    included = distinct(np.concatenate(named)) if options.include or options.include_below else every
    kept = np.setdiff1d(included, np.concatenate([nodes["exclude"], *below["exclude_below"]]))
    chosen: Int64s = graph.nodes[kept]
    return chosen


def _number(graph: ClassGraph, known: Sequence[LabelledClass], path: str, name: str, language: str) -> int:
    """The number of the class that a recipe names under the key ``path``, by QID or by label."""
    if is_qid(name):
        number = qid_number(name)
        if number not in graph.nodes:
            why = ", which the recipe's [graph] leaves out" if number in graph.removed else ""
            raise RecipeError(f"{path}: expected a class of the class graph, saw {name}{why}")
        return number
    found = classes_named(name, known)
    if len(found) == 1:
        return found[0].number
    if found:
        seen = f"saw {name!r}, the label of {listed_classes(found)}; write the QID"
    else:
        near = near_names(name, known)
        seen = f"saw {name!r}" + (f"; did you mean {listed_classes(near)}?" if near else "; write its QID")
    raise RecipeError(f"{path}: expected a QID, or the label in {language!r} of one class, {seen}")
