"""The tools that people load data sets with, each on every record of a release: what they read is what was written.

    python -m benchmarks.release_tools                # the releases of benchmarks/releases.py: tables
    python -m benchmarks.release_tools --write        # and docs/release/tools.md
    python -m benchmarks.release_tools --json FOLDER  # one release: a JSON line for each tool

Each tool runs in a process of its own, offline. Groups and cases are compared value by value with the Parquet files as
pyarrow reads them, through a digest that does not depend on their order; mlcroissant, which reads all fields but ties
and certificates, must find neither errors nor warnings, too.
"""

import argparse
import hashlib
import json
import logging
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq

from benchmarks.releases import ORIGINS, make_releases

Rows = Iterator[tuple[str, Any]]  # "groups" or "cases", and a row

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "docs" / "release" / "tools.md"
KINDS: Final = ("groups", "cases")
# How the configs of other kinds end.
OTHERS: Final = ("items", "_categories", "_analogies", "_walls")
# Fields of outliers that are records, or lists of them: Croissant describes no records in a list of records.
UNDESCRIBED: Final = ("ties", "certificate")


def _pyarrow(folder: Path) -> Rows:
    """What the others are compared with."""
    for kind in KINDS:
        for path in sorted((folder / kind).glob("*.parquet")):
            yield from ((kind, row) for row in pq.read_table(path).to_pylist())


def _datasets(folder: Path) -> Rows:
    """The configs of all languages."""
    import datasets

    for kind in KINDS:
        yield from ((kind, row) for row in datasets.load_dataset(str(folder), kind, split="test"))


def _streaming(folder: Path) -> Rows:
    """The configs of one language each."""
    import datasets

    for config in datasets.get_dataset_config_names(str(folder)):
        if config not in KINDS and not config.startswith("names-") and not config.endswith(OTHERS):
            kind = "cases" if config.endswith("_cases") else "groups"
            rows = datasets.load_dataset(str(folder), config, split="test", streaming=True)
            yield from ((kind, row) for row in rows)


def _croissant(folder: Path) -> Rows:
    import mlcroissant

    os.chdir(folder)  # the files of a release are beside croissant.json
    dataset = mlcroissant.Dataset("croissant.json")
    issues = dataset.metadata.ctx.issues
    assert not (issues.errors or issues.warnings), (issues.errors, issues.warnings)
    for kind in KINDS:
        yield from ((kind, row) for row in dataset.records(kind))


def _pandas(folder: Path) -> Rows:
    import pandas as pd

    for kind in KINDS:
        yield from ((kind, row) for row in pd.read_parquet(folder / kind).to_dict("records"))


def _polars(folder: Path) -> Rows:
    import polars as pl

    for kind in KINDS:
        yield from ((kind, row) for row in pl.read_parquet(f"{folder}/{kind}/*.parquet").to_dicts())


def _duckdb(folder: Path) -> Rows:
    import duckdb

    for kind in KINDS:
        found = duckdb.sql(f"from '{folder}/{kind}/*.parquet'")
        yield from ((kind, dict(zip(found.columns, row, strict=True))) for row in found.fetchall())


# Each tool, the line that a person types for German, and how all languages are read here.
TOOLS: Final[Mapping[str, tuple[str, Callable[[Path], Rows]]]] = {
    "datasets": ('`load_dataset(FOLDER, "cases", split="test")`, `"groups"`', _datasets),
    "datasets, streaming": ('`load_dataset(FOLDER, "de_cases", split="test", streaming=True)`', _streaming),
    "mlcroissant": ('`mlcroissant.Dataset("croissant.json").records("cases")`', _croissant),
    "pandas": ('`pandas.read_parquet("cases/de.parquet")`', _pandas),
    "polars": ('`polars.read_parquet("cases/de.parquet")`', _polars),
    "duckdb": ("`duckdb.sql(\"from 'cases/de.parquet'\")`", _duckdb),
}


def summary(rows: Iterable[tuple[str, Any]], without: Collection[str] = ()) -> dict[str, Any]:
    """Count the rows of each kind, and make a digest of all their values but those of some keys."""
    lines = [(kind, json.dumps(_plain(row, without), sort_keys=True, ensure_ascii=False)) for kind, row in rows]
    digest = hashlib.sha256("\n".join(map("\t".join, sorted(lines))).encode()).hexdigest()
    return {**{kind: sum(one == kind for one, _ in lines) for kind in KINDS}, "digest": digest}


def _plain(value: Any, without: Collection[str]) -> Any:
    """A value without the types of a tool: Croissant's bytes are text and its names are short, pandas' NaN is null.

    Whole numbers are integers: pandas reads those of a column with nulls as floats.
    """
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        short = {key.rpartition("/")[2]: each for key, each in value.items()}
        return {key: _plain(each, without) for key, each in short.items() if key not in without}
    if isinstance(value, list | tuple):
        return [_plain(each, without) for each in value]
    return _plain(value.tolist(), without) if hasattr(value, "tolist") else value


def try_tools(folder: Path) -> Iterator[dict[str, Any]]:
    """A row for each tool; AssertionError where it reads anything else than what was written."""
    with tempfile.TemporaryDirectory() as cache:
        for tool in TOOLS:
            read = _in_process(tool, folder, cache)
            written = summary(_pyarrow(folder), UNDESCRIBED if tool == "mlcroissant" else ())
            assert read == written, (tool, read, written)
            yield {"tool": tool, **read}


def _in_process(tool: str, folder: Path, cache: str) -> dict[str, Any]:
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": cache, "PYTHONWARNINGS": "ignore"}
    command = [sys.executable, "-m", "benchmarks.release_tools", "--tool", tool, str(folder.resolve())]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def page(rows: Sequence[Mapping[str, Any]]) -> str:
    """The releases and the tools, with the versions that it was made with."""
    releases = {row["release"]: row for row in rows}
    lines = [
        "<!-- written by python -m benchmarks.release_tools --write -->",
        "# Releases in the tools that load them",
        "",
        "Every group and every test case of all languages, as each tool reads them, has the values that were written;",
        f"mlcroissant finds neither an error nor a warning in `croissant.json`. So it is in {len(releases)} releases:",
        "",
        "| release | of | groups | cases |",
        "|---|---|---:|---:|",
    ]
    lines += [f"| {name} | {ORIGINS[name]} | {row['groups']} | {row['cases']} |" for name, row in releases.items()]
    lines += ["", "| tool | in one line |", "|---|---|"]
    lines += [f"| {tool} | {line} |" for tool, (line, _) in TOOLS.items()]
    versions = ", ".join(f"{name} {version(name)}" for name in sorted({tool.split(",")[0] for tool in TOOLS}))
    more = "[Harnesses](../harnesses.md) that score models ran on the same releases."
    return "\n".join([*lines, "", f"{versions}. {more}", ""])


def main() -> None:
    """Make the releases and the table, or try one release."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    parser.add_argument("--json", action="store_true", help="try the release in FOLDER, a JSON line for each tool")
    parser.add_argument("--tool", choices=[*TOOLS], help="print what one tool reads of FOLDER")
    options = parser.parse_args()
    if options.tool:
        logging.disable(logging.CRITICAL)
        print(json.dumps(summary(TOOLS[options.tool][1](options.folder))))
    elif options.json:
        for row in try_tools(options.folder):
            print(json.dumps(row), flush=True)
    else:
        with tempfile.TemporaryDirectory() as here:
            releases = list(make_releases(Path(here)))
            text = page([{"release": name, **row} for name, folder in releases for row in try_tools(folder)])
        print(text)
        if options.write:
            PAGE.parent.mkdir(exist_ok=True)
            PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
