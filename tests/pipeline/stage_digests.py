"""What each stage makes of the sample world, as a digest: what changes it changes the version of the stage, too."""

import hashlib
from pathlib import Path
from typing import Final

import numpy as np
import orjson
import pyarrow.parquet as pq

from wikisem.pipeline.runs.ledger import Ledger

# Where a digest changed, an output folder of the release before must not pass for one of this: raise VERSION in the
# module of the stage, then write both here.
KNOWN: Final = {
    "entities": (7, "ccb3bc027f5354f237c920ded6a545d7"),
    "mentions": (4, "ae00d84bef9fcfe8e4884f8996e6588d"),
    "surfaces": (4, "72433427167fa294e82ece474225690a"),
    "taxonomy": (3, "16e7c756d9278e05af63bed67cb6fb77"),
    "groups": (23, "5111a173c025c4fe3dbbc5f5e6f16219"),
    "names": (1, "db7c16ca8916b6c310a9c18dc034ad68"),
    "mixed": (10, "7ce94a0f46b03621ffa7e8ab0183f579"),
    "walls": (9, "3661f5ebd434cdfd53527e9389e76807"),
}


def version_and_digest(output: Path, stage: str) -> tuple[int, str]:
    """The version of a stage, and a digest of the files of its units: of what they say, however it is packed."""
    records = [record for record in Ledger(str(output)).records() if stage == _stage(record.unit)]
    (version,) = {record.made_with["stage_version"] for record in records}
    named = {path.replace(record.fingerprint, "*"): output / path for record in records for path in record.parts}
    digests = [[name, hashlib.blake2b(_read(path)).hexdigest()] for name, path in sorted(named.items())]
    return version, hashlib.blake2b(orjson.dumps(digests), digest_size=16).hexdigest()


def _stage(unit: str) -> str:
    stage, _, language = unit.partition("/")
    return "mixed" if language.startswith("mixed-") else stage


def _read(path: Path) -> bytes:
    """Parquet as its rows, which other versions of pyarrow write in other bytes; the rest as it is."""
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        return orjson.dumps([table.schema.names, table.to_pylist()])
    if path.suffix == ".npy":
        array = np.load(path)
        return orjson.dumps([array.dtype.str, array.shape]) + bytes(array.tobytes())
    return path.read_bytes()
