"""wikisem: test sets that show whether a model knows what words mean, from Wikidata and Wikipedia dumps.

The public API is what ``__all__`` names, with ``wikisem.errors``; docs/python.md describes it. Names are imported when
they are first used, so that ``import wikisem`` takes a few milliseconds.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wikisem import errors, evaluate
    from wikisem.datasets.word_groups import read_dataset
    from wikisem.graph.taxonomy import Taxonomy
    from wikisem.outputs.groupfile import read_groups
    from wikisem.outputs.wallfile import read_walls
    from wikisem.pipeline.api import BuildResult, build
    from wikisem.pipeline.commands.audit import audit
    from wikisem.pipeline.commands.browse import browse
    from wikisem.pipeline.commands.check import Violation, check
    from wikisem.pipeline.commands.explain import explain
    from wikisem.pipeline.commands.release import release
    from wikisem.pipeline.commands.sample import sample
    from wikisem.recipes.load import load_recipe
    from wikisem.recipes.options import Recipe
    from wikisem.records import Group, Member, Outlier, Wall
    from wikisem.surfaces.link_counts import count_links
    from wikisem.wikidata.entity_reader import read_entities
    from wikisem.wikipedia.languages import LanguageProfile, language_profile

__version__ = "0.1.0"

# Public name -> the module that defines it, or the public module itself.
_HOMES = {
    "BuildResult": "wikisem.pipeline.api",
    "Group": "wikisem.records",
    "LanguageProfile": "wikisem.wikipedia.languages",
    "Member": "wikisem.records",
    "Outlier": "wikisem.records",
    "Recipe": "wikisem.recipes.options",
    "Taxonomy": "wikisem.graph.taxonomy",
    "Violation": "wikisem.pipeline.commands.check",
    "Wall": "wikisem.records",
    "audit": "wikisem.pipeline.commands.audit",
    "browse": "wikisem.pipeline.commands.browse",
    "build": "wikisem.pipeline.api",
    "check": "wikisem.pipeline.commands.check",
    "count_links": "wikisem.surfaces.link_counts",
    "errors": "wikisem.errors",
    "evaluate": "wikisem.evaluate",
    "explain": "wikisem.pipeline.commands.explain",
    "language_profile": "wikisem.wikipedia.languages",
    "load_recipe": "wikisem.recipes.load",
    "read_dataset": "wikisem.datasets.word_groups",
    "read_entities": "wikisem.wikidata.entity_reader",
    "read_groups": "wikisem.outputs.groupfile",
    "read_walls": "wikisem.outputs.wallfile",
    "release": "wikisem.pipeline.commands.release",
    "sample": "wikisem.pipeline.commands.sample",
}

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


if not TYPE_CHECKING:  # type checkers know the names from above, and report any other

    def __getattr__(name: str) -> object:
        """Import a public name when it is first used (PEP 562)."""
        if name not in _HOMES:
            raise AttributeError(f"module 'wikisem' has no attribute {name!r}")
        try:
            home = import_module(_HOMES[name])
        except ModuleNotFoundError as error:
            from wikisem.errors import missing_extra  # noqa: PLC0415 - `import wikisem` imports nothing

            raise missing_extra(error, f"wikisem.{name}") from error
        value = home if _HOMES[name] == f"wikisem.{name}" else getattr(home, name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return __all__
