"""OUT/manifest.json: everything that is needed to say where a set came from, kept up to date by every command."""

import platform
from collections.abc import Sequence
from dataclasses import asdict
from importlib import metadata
from typing import Any, Final

import orjson

from wikisem import __version__
from wikisem.pipeline.build.ledger import Record, Run, write_whole
from wikisem.recipes.options import Recipe
from wikisem.transforms.io.files import list_files, open_binary

_LIBRARIES: Final = ("apache-beam", "mwparserfromhell", "numpy", "pyarrow")


def write_manifest(run: Run, records: Sequence[Record], recipe: Recipe | None = None, seed: int | None = None) -> None:
    """Write the manifest; what this command did not touch stays as an earlier one wrote it."""
    path = f"{run.output}/manifest.json"
    data = _earlier(path)
    data["versions"] = _versions()
    if recipe is not None:
        data["recipe"] = recipe.to_dict()
    if seed is not None:
        data["seed"] = seed
    data["stages"] = {**data.get("stages", {}), **{record.unit: _stage(record) for record in records}}
    write_whole(path, data)


def _earlier(path: str) -> dict[str, Any]:
    if not list_files(path):
        return {}
    with open_binary(path) as source:
        data: dict[str, Any] = orjson.loads(source.read())
    return data


def _versions() -> dict[str, str]:
    return {
        "wikisem": __version__,
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in _LIBRARIES},
    }


def _stage(record: Record) -> dict[str, Any]:
    counts = asdict(record.counts)
    return {"fingerprint": record.fingerprint, "in": counts.pop("read"), **counts, **record.facts}
