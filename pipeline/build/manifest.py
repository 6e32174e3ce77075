"""OUT/manifest.json: everything that is needed to say where a set came from, kept up to date by every command.

``stages`` has an entry for every finished unit in OUT, with the recipe, the seed and the versions that made it. These
keys at the top are those that all groups in OUT have in common (before there are groups, all units); where two sets
were made with different seeds, there is no ``seed`` at the top.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from wikisem.pipeline.build.ledger import Record, write_json
from wikisem.pipeline.build.run import Run

# Of a unit of groups: the classes whose label is English, because they have none in the language, nor in mul.
ENGLISH: Final = "english_labels"
_IN_COMMON: Final = ("recipe", "seed", "versions")


def write_manifest(run: Run) -> None:
    """Write the manifest of all that is finished in OUT, whichever command made it."""
    records = run.ledger.records()
    stages = {record.unit: _stage(record) for record in records}
    write_json(f"{run.output}/manifest.json", {**_common(records), "stages": stages})


def _common(records: Sequence[Record]) -> dict[str, Any]:
    """The recipe, seed and versions that do not differ between the groups."""
    groups = [record for record in records if record.unit.startswith("groups/")] or records
    found = {key: [record.made_with[key] for record in groups if key in record.made_with] for key in _IN_COMMON}
    return {key: values[0] for key, values in found.items() if values and all(one == values[0] for one in values)}


def _stage(record: Record) -> dict[str, Any]:
    counts = asdict(record.counts)
    return {
        "fingerprint": record.fingerprint,
        "in": counts.pop("read"),
        **counts,
        **record.made_with,
        **record.facts,
    }
