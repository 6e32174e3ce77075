"""How much disk a stage will need, before it starts: an estimate from the size of what it reads."""

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from wikisem.pipeline.build.ledger import Record
from wikisem.transforms.io.addresses import is_local

# Bytes that a stage writes, its scratch included, for each byte that it reads of a compressed dump or of the units
# that it needs, measured in 2026-11. Of the dumps that the tests on real data read, entities leave 0.09 to 0.11 of a
# .gz (docs/full-dump.md: 0.5 % of the text), mentions 0.30 of an excerpt of English Wikipedia and 0.33 of a small one
# as a whole, and about as much is in scratch. The rehearsal (docs/benchmarks/full-size.md, a twentieth, ten languages)
# has at its highest 1 GB in surfaces for each of entities and mentions, 1 in taxonomy and 1.6 in groups; here is a
# little more.
_WRITTEN: Final = {"entities": 0.2, "mentions": 0.7, "surfaces": 1.2, "taxonomy": 1.5, "groups": 2.0}
_COMPRESSED: Final = (".bz2", ".gz", ".zst")
# How many times smaller a compressed dump is (docs/full-dump.md: 7 to 16).
_TIMES_SMALLER: Final = 8


def estimate_bytes(stage: str, inputs: Iterable[Mapping[str, Any]], needs: Iterable[Record]) -> int:
    """The bytes that a stage will write from its dumps and the units that it reads; 0 where that is next to nothing."""
    dumps = sum(_compressed_size(file["path"], file["size"]) for file in inputs)
    units = sum(record.size for record in needs)
    return int(_WRITTEN.get(stage, 0.0) * (dumps + units))


def lacking_disk(output: str, stage: str, wanted: int) -> str:
    """A warning where the disk of the output folder has less room than a stage is expected to want; else empty."""
    if not is_local(output):
        return ""
    free = shutil.disk_usage(_existing(Path(output))).free
    if wanted <= free:
        return ""
    return (
        f"warning: {stage}: about {_in_words(wanted)} of disk will be needed below {output} (an estimate), "
        f"saw {_in_words(free)} free"
    )


def _compressed_size(path: str, size: int) -> float:
    return size if path.endswith(_COMPRESSED) else size / _TIMES_SMALLER


def _existing(folder: Path) -> Path:
    while not folder.exists():
        folder = folder.parent
    return folder


def _in_words(size: int) -> str:
    return f"{size / 1e9:,.1f} GB" if size >= 1e8 else f"{size / 1e6:,.1f} MB"
