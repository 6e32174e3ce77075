"""What classes are judged from: the class graph, and what each language adds to it."""

from collections.abc import Mapping
from dataclasses import dataclass

from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.outlier_sets.class_lists import CandidateClasses
from wikisem.graph.outlier_sets.hash_ring import HashRing
from wikisem.heuristics.rules.affix_counts import AffixCounts
from wikisem.recipes.options import Recipe
from wikisem.surfaces.table import SurfaceTable
from wikisem.wikipedia.languages import LanguageProfile


@dataclass(frozen=True)
class LanguageInputs:
    """What one language adds to the graph: surface forms, its profile, the ring of its outlier pool, labels of classes.

    ``candidates`` are the classes with at least ``minimum`` instances that have a surface form; their leading instances
    and the items of the ring are given as rows of ``surfaces``. ``labels`` maps class numbers to labels. ``affixes``
    are those of the language's surface forms, where the recipe measures by them.
    """

    profile: LanguageProfile
    surfaces: SurfaceTable
    ring: HashRing
    candidates: CandidateClasses
    labels: Mapping[int, str]
    affixes: AffixCounts | None = None


@dataclass(frozen=True)
class GroupInputs:
    """What all classes have in common: the graph, the languages by code, and the recipe."""

    graph: ClassGraph
    languages: Mapping[str, LanguageInputs]
    recipe: Recipe
