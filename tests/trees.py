"""Output folders as values, to say that two runs left the same bytes."""

import hashlib
import json
from pathlib import Path
from typing import Any


def tree_of(output: Path, *folders: str) -> dict[str, str]:
    """The digest of every file under the named folders of an output, by its path there."""
    files = [path for folder in folders for path in (output / folder).rglob("*") if path.is_file()]
    assert files, f"nothing under {folders} of {output}"
    return {str(path.relative_to(output)): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(files)}


def results_of(output: Path) -> dict[str, str]:
    """What must be the same whatever the runner, the workers and the order of files."""
    return tree_of(output, "groups", "rejected", "wikisem500")


def lines_of(path: Path) -> list[dict[str, Any]]:
    """The values of a JSON lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def manifest_of(output: Path) -> dict[str, Any]:
    """The manifest of an output."""
    data: dict[str, Any] = json.loads((output / "manifest.json").read_text(encoding="utf-8"))
    return data
