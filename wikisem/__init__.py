"""wikisem: test sets that show whether a model tells kinds of things apart by name, from Wikidata and Wikipedia.

The public API is what ``__all__`` names, with ``wikisem.errors``; docs/python.md describes it. Names are imported when
they are first used, so that ``import wikisem`` takes a few milliseconds; ``__init__.pyi`` has them for type checkers.
"""

from importlib import import_module

__version__ = "0.1.0"

# Public name -> the module that defines it, or the public module itself.
_HOMES = {
    "BuildResult": "wikisem.pipeline.runs.stages",
    "Group": "wikisem.records",
    "LanguageProfile": "wikisem.wikipedia.languages",
    "Member": "wikisem.records",
    "Outlier": "wikisem.records",
    "Recipe": "wikisem.recipes.options",
    "Taxonomy": "wikisem.graph.taxonomy",
    "Violation": "wikisem.pipeline.commands.audit",
    "Wall": "wikisem.records",
    "audit": "wikisem.pipeline.commands.audit",
    "browse": "wikisem.pipeline.commands.release",
    "build": "wikisem.pipeline.runs.stages",
    "check": "wikisem.pipeline.commands.audit",
    "count_links": "wikisem.surfaces.link_counts",
    "errors": "wikisem.errors",
    "evaluate": "wikisem.evaluate",
    "explain": "wikisem.pipeline.commands.explain",
    "language_profile": "wikisem.wikipedia.languages",
    "load_recipe": "wikisem.recipes.load",
    "read_dataset": "wikisem.datasets.word_groups",
    "read_entities": "wikisem.wikidata.entity_reader",
    "read_groups": "wikisem.outputs.groupfile",
    "read_walls": "wikisem.outputs.groupfile",
    "release": "wikisem.pipeline.commands.release",
    "sample": "wikisem.pipeline.commands.release",
}

__all__ = [*_HOMES, "__version__"]  # noqa: PLE0604


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
