# The public API, which ``__init__.py`` imports when it is first used.

from wikisem import errors, evaluate
from wikisem.datasets.word_groups import read_dataset
from wikisem.graph.taxonomy import Taxonomy
from wikisem.outputs.groupfile import read_groups, read_walls
from wikisem.pipeline.commands.audit import Violation, audit, check
from wikisem.pipeline.commands.explain import explain
from wikisem.pipeline.commands.release import browse, release, sample
from wikisem.pipeline.runs.stages import BuildResult, build
from wikisem.recipes.load import load_recipe
from wikisem.recipes.options import Recipe
from wikisem.records import Group, Member, Outlier, Wall
from wikisem.surfaces.link_counts import count_links
from wikisem.wikidata.entity_reader import read_entities
from wikisem.wikipedia.languages import LanguageProfile, language_profile

__all__ = [
    "BuildResult",
    "Group",
    "LanguageProfile",
    "Member",
    "Outlier",
    "Recipe",
    "Taxonomy",
    "Violation",
    "Wall",
    "__version__",
    "audit",
    "browse",
    "build",
    "check",
    "count_links",
    "errors",
    "evaluate",
    "explain",
    "language_profile",
    "load_recipe",
    "read_dataset",
    "read_entities",
    "read_groups",
    "read_walls",
    "release",
    "sample",
]

__version__: str
