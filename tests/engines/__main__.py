"""Builds the same sets on each engine and compares every file with those of the local runner.

``python -m tests.engines [--output FOLDER] [--kills N] [--shuffle engine|files] [ENGINE ...]`` prints a table. Inputs
are the real data if $WIKISEM_DATA names it, else the demo's world. An engine that is not here is a row that says what
is missing, never one that passed. Exit code 1 if an engine failed or left other bytes.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tests.engines.engines import Engine, engines
from tests.engines.kills import killing
from tests.trees import tree_of
from wikisem.pipeline.demo import write_sample_world

# Everything that a build leaves but the manifest and the records, which name the run's own options and times.
FOLDERS = ("entities", "mentions", "surfaces", "taxonomy", "groups", "rejected", "wikisem500")

RECIPE = """\
base = "wikisem"
name = "engines"
[surface]
fallback = "label"
[outliers]
min_sitelinks = 0
"""


@dataclass(frozen=True)
class Row:
    """What became of one engine; ``failure`` is empty where every file had the same bytes."""

    engine: Engine
    state: str
    seconds: float = 0.0
    failure: str = ""
    kills: int = 0


def inputs(folder: Path) -> list[str]:
    """The words of a build command that name its dumps and languages."""
    named = os.environ.get("WIKISEM_DATA")
    if not named:
        (folder / "world").mkdir()
        world = write_sample_world(str(folder / "world"))
        wikipedias = [f"{language}={path}" for language, path in world.wikipedia.items()]
        return ["--wikidata", world.wikidata, "--wikipedia", *wikipedias]
    data = Path(named)
    dumps = {"ltg": "ltgwiki-20170901-pages-articles.xml.bz2", "en": "enwiki-20220720-excerpt.xml.bz2"}
    return [
        "--wikidata",
        *(str(data / "wikidata" / name) for name in ("class-graph-slice.json.gz", "real-entities.json.gz")),
        "--wikipedia",
        *(f"{language}={data}/wikipedia/{name}" for language, name in dumps.items()),
        "--languages",
        "en,de,ltg",
    ]


def build(engine: Engine, words: Sequence[str], folder: Path, kills: int = 0, shuffle: Sequence[str] = ()) -> Row:
    """One build in a folder of its own, of whose workers so many are killed if it takes long enough."""
    folder.mkdir()
    output = folder / "out"
    recipe = folder / "engines.toml"
    recipe.write_text(RECIPE, encoding="utf-8")
    command = [sys.executable, "-P", "-m", "wikisem", "build", str(recipe), *words, "--output", str(output)]
    started = time.monotonic()
    with engine.start(folder) as options, killing(kills, seed=1) as killed:
        workers = [] if options else ["--workers", str(engine.workers)]
        beam = ["--", *options, *shuffle] if options else []
        done = subprocess.run([*command, *workers, *beam], cwd=folder, capture_output=True, text=True, check=False)
    seconds = time.monotonic() - started
    if done.returncode:
        (folder / "stderr").write_text(done.stderr, encoding="utf-8")
        last = done.stderr.strip().rpartition("\n")[2]
        return Row(engine, "failed", seconds, f"exit code {done.returncode}: {last}", len(killed))
    return Row(engine, "ran", seconds, kills=len(killed))


def compare(row: Row, found: dict[str, str], expected: dict[str, str]) -> Row:
    """The row with what differs from the reference, file by file."""
    differing = sorted(path for path in {*found, *expected} if found.get(path) != expected.get(path))
    if differing:
        return replace(
            row, state="failed", failure=f"{len(differing)} of {len(expected)} files differ: {differing[0]} …"
        )
    killed = f", after {row.kills} kills" if row.kills else ""
    return replace(row, state=f"same bytes in all {len(expected)} files{killed}")


def run(names: Sequence[str], folder: Path, kills: int = 0, shuffle: Sequence[str] = ()) -> list[Row]:
    """The reference, then every engine that was asked for."""
    reference, *others = engines()
    words = inputs(folder)
    rows = [build(reference, words, folder / reference.name)]
    if rows[0].failure:
        return rows
    expected = tree_of(folder / reference.name / "out", *FOLDERS)
    rows = [replace(rows[0], state=f"the reference: {len(expected)} files")]
    for engine in others:
        if names and engine.name not in names:
            continue
        if missing := engine.missing():
            rows.append(Row(engine, f"skipped: {missing}"))
            continue
        print(f"{engine.name} …", file=sys.stderr, flush=True)
        row = build(engine, words, folder / engine.name, kills, shuffle)
        rows.append(row if row.failure else compare(row, tree_of(folder / engine.name / "out", *FOLDERS), expected))
    return rows


def table(rows: Sequence[Row]) -> str:
    """The rows as Markdown."""
    lines = ["| engine | what it is | seconds | result |", "| --- | --- | ---: | --- |"]
    for row in rows:
        seconds = f"{row.seconds:.0f}" if row.seconds else ""
        lines.append(f"| {row.engine.name} | {row.engine.about} | {seconds} | {row.failure or row.state} |")
    return "\n".join(lines)


def main() -> int:
    """Build, compare, print; 1 if an engine failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.engines", description=__doc__)
    parser.add_argument("engine", nargs="*", help=f"of {', '.join(each.name for each in engines()[1:])}; default: all")
    parser.add_argument("--output", type=Path, help="keep what the builds leave in this new folder")
    parser.add_argument("--kills", type=int, default=0, help="workers to kill while an engine builds")
    parser.add_argument("--shuffle", choices=("engine", "files"), help="who shuffles in bulk; default: by the runner")
    arguments = parser.parse_args()
    shuffle = [f"--bulk_shuffle={arguments.shuffle}"] if arguments.shuffle else []
    with tempfile.TemporaryDirectory(prefix="wikisem-engines-") as temporary:
        folder = arguments.output or Path(temporary) / "runs"
        folder.mkdir(parents=True)
        rows = run(arguments.engine, folder, arguments.kills, shuffle)
    print(table(rows))
    return int(any(row.failure for row in rows))


if __name__ == "__main__":
    sys.exit(main())
