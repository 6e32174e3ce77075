"""OUT/manifest.json: everything that is needed to say where a set came from, kept up to date by every command.

``stages`` has an entry for every finished unit in OUT, with the recipe, the seed and the versions that made it. The
same keys at the top hold what all groups in OUT have in common (before there are groups, all units); if two sets were
made with different seeds, there is no ``seed`` at the top. ``made_up`` is there if a dump was, as in the demo.
"""

import importlib
import platform
import re
from dataclasses import asdict
from importlib import metadata
from typing import TYPE_CHECKING, Any, Final

from wikisem import __version__
from wikisem.layout import MANIFEST
from wikisem.pipeline.runs.ledger import MADE_UP, write_json
from wikisem.typed_json import with_checksum

if TYPE_CHECKING:  # `wikisem --version` does without Beam, which a run imports
    from wikisem.pipeline.runs.run import Run

_IN_COMMON: Final = ("recipe", "seed", "versions")
_LIBRARIES: Final = ("apache-beam", "mwparserfromhell", "numpy", "pyarrow", "regex")


def write_manifest(run: "Run") -> None:
    """Write the manifest of all that is finished in OUT, whichever command made it."""
    records = run.ledger.records()
    stages: dict[str, Any] = {}
    for record in records:
        counts = asdict(record.counts)
        numbers = {"fingerprint": record.fingerprint, "in": counts.pop("read"), **counts}
        stages[record.unit] = {**numbers, **record.made_with, **record.facts}
    inputs = (file for record in records for file in record.facts.get("inputs", ()))
    made_up = {MADE_UP: True} if any(MADE_UP in file.get("origin", {}) for file in inputs) else {}
    groups = [record for record in records if record.unit.startswith("groups/")] or records
    found = {key: [record.made_with[key] for record in groups if key in record.made_with] for key in _IN_COMMON}
    common = {key: values[0] for key, values in found.items() if values and all(one == values[0] for one in values)}
    write_json(f"{run.output}/{MANIFEST}", with_checksum({**common, **made_up, "stages": stages}))


def versions() -> dict[str, str]:
    """The versions that decide the bytes of a unit, by name: wikisem, Python, and the libraries that read and write.

    ``unicode`` is the version by whose rules characters are counted, which ``regex`` names only in its description.
    The bzip2 decoder is named too, though it only decides how long reading takes.
    """
    unicode = re.search(r"supports Unicode (\d+\.\d+)", str(metadata.metadata("regex").json["description"]))
    installed = {}
    for package in _LIBRARIES:
        try:
            installed[package] = metadata.version(package)
        except metadata.PackageNotFoundError:  # scores need neither Beam nor a parser of wikitext
            installed[package] = "not installed"
    return {
        "wikisem": __version__,
        "python": platform.python_version(),
        "bzip2": bzip2_decoder(),
        "unicode": unicode[1] if unicode else "unknown",
        **installed,
    }


def bzip2_decoder() -> str:
    """The bzip2 decoder in use."""
    # Imported only when asked for: that takes a quarter of a second.
    name: str = importlib.import_module("wikisem.dumps.bzip2.decoder").decoder_name()
    return name
