"""The files through which the steps of the stage hand over to one another, and the recipe."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from wikisem.arrow.numbers import distinct
from wikisem.graph.array_types import Ints
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.outlier_sets.class_lists import CandidateClasses
from wikisem.graph.store import open_arrays
from wikisem.recipes.options import Recipe
from wikisem.surfaces.table import SurfaceTable
from wikisem.transforms.io.arrays import local_folder
from wikisem.transforms.io.scratch import Scratch


@dataclass(frozen=True)
class GroupFiles:
    """Where each step finds what earlier steps wrote; arrays are mapped into memory, not read.

    ``taxonomy`` is the folder of the class graph. ``mentions`` has the folder of each language whose wiki is known, and
    ``profiles`` the text of each profile file that was given or edited.
    """

    taxonomy: str
    mentions: Mapping[str, str]
    recipe: Recipe
    scratch: Scratch
    profiles: Mapping[str, str] = field(default_factory=dict)

    def graph(self) -> ClassGraph:
        """The class graph."""
        return open_arrays(ClassGraph, local_folder(self.taxonomy))

    def language(self, language: str) -> str:
        """The folder of a language's surface forms, candidate classes and ring."""
        return f"{self.scratch.parts}/languages/{language}"

    def surface_part(self, language: str, number: int) -> str:
        """The folder of one part of a language's surface forms."""
        return f"{self.language(language)}/parts/{number}"

    def affixes(self, language: str) -> str:
        """The file of the affixes of a language's surface forms, which is there if the recipe measures by them."""
        return f"{self.language(language)}/affixes.parquet"

    def surface_count(self, language: str) -> str:
        """The file that says how many surface forms a language has."""
        return f"{self.language(language)}/surface_count.json"

    def labels(self) -> str:
        """The folder of labels and titles."""
        return f"{self.scratch.parts}/labels"

    def statements(self, number: int) -> str:
        """The folder of the statements of one file of entities that may make a class."""
        return f"{self.scratch.parts}/statements/{number:05d}"

    def unlinked(self, number: int) -> str:
        """The folder of one part of what is counted of unlinked items."""
        return f"{self.scratch.parts}/unlinked/{number:05d}"

    def outlier_index(self) -> str:
        """The folder of the outlier index."""
        return f"{self.scratch.parts}/outlier_index"

    def judged(self, kind: str, language: str, number: int) -> str:
        """The file of "groups", "rejected" or "english" that one slice of the candidate classes gave in a language."""
        return f"{self.scratch.parts}/judged/{kind}/{language}/{number:05d}.jsonl"

    def surfaces(self, language: str) -> SurfaceTable:
        """The surface forms of a language that its groups may need."""
        return open_arrays(SurfaceTable, local_folder(f"{self.language(language)}/surfaces"))

    def candidates(self, language: str) -> CandidateClasses:
        """The candidate classes of a language; their leading instances are rows of its surface forms."""
        return open_arrays(CandidateClasses, local_folder(f"{self.language(language)}/candidates"))

    def all_candidates(self, languages: Sequence[str]) -> Ints:
        """The nodes that are candidate classes in any language, ascending."""
        nodes: Ints = distinct(np.concatenate([self.candidates(language).nodes for language in languages]))
        return nodes
