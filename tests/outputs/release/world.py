"""The OUT of a small run, with every word and code that has ever broken a data set."""

import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import orjson
import pytest

from wikisem.outputs.groupfile import encode_group, encode_rejection
from wikisem.records import Certificate, Group, Member, Outlier, Rejection

# Words that readers of tables take for something else, that end a script element, or that run from right to left.
HOSTILE = (
    "NA",
    "null",
    "nan",
    "no",
    "Washington, D.C.",
    '</script><img src=x onerror="alert(1)">',
    "القاهرة",
    "a\u2028b",
)
CODES = ("ar", "de", "nan", "no", "zh-classical")

# The beginning of a script for ``run_python``: what croissant.json describes, and values without the types of a tool.
READ_CROISSANT = """
import json, logging, mlcroissant as mlc
logging.disable(logging.CRITICAL)
dataset = mlc.Dataset("croissant.json")
issues = dataset.metadata.ctx.issues
def plain(value):
    if isinstance(value, bytes): return value.decode()
    if isinstance(value, float) and value != value: return None
    if isinstance(value, dict): return {key.rpartition("/")[2]: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, (list, tuple)) or hasattr(value, "tolist") else value
"""


def run_euroeval_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names in a file for EuroEval, whose classes are in its place those that keep what they are given."""
    languages = {code: SimpleNamespace(code=code) for code in ("de", "no")}
    modules: dict[str, dict[str, Any]] = {
        "data_models": {"DatasetConfig": SimpleNamespace, "Task": SimpleNamespace},
        "enums": {},
        "languages": {"get_all_languages": lambda: languages},
        "metrics": {},
        "metrics.base": {"Metric": SimpleNamespace},
        "prompt_templates": {"EMPTY_TEMPLATES": {}},
        "tasks": {"MULTIPLE_CHOICE": "multiple-choice"},
    }
    monkeypatch.setitem(sys.modules, "euroeval", MagicMock())
    for name, values in modules.items():
        module = MagicMock(**values)
        monkeypatch.setitem(sys.modules, f"euroeval.{name}", module)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return runpy.run_path(str(path))


def run_python(script: str, release: Path, cache: Path) -> Any:
    """What a script prints as JSON, run in the folder of the release without a network."""
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(cache), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", script], cwd=release, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def make_group(code: str, number: int, size: int = 8, outliers: int = 6) -> Group:
    """A group whose words say their class and rank, some of them hostile.

    The first has no coherence and no margins, the others have a certificate, with a hostile label, of their second
    outlier.
    """
    cluster = tuple(
        Member(
            id=f"Q{number * 100 + rank}",
            surface=HOSTILE[rank] if number == 1 else f"{code} {number} {rank}",
            source="anchor" if rank else "label",
            count=9 - rank if rank else 0,
            total=10 if rank else 0,
            sitelinks=100 - rank,
            links=20 if rank else None,
            page_share=0.25 if rank else None,
            label_language=None if rank else "mul",
        )
        for rank in range(size)
    )
    found = tuple(
        Outlier(
            id=f"Q{number * 100 + 50 + rank}",
            surface=f"{code} {number} out {rank}",
            source="anchor",
            count=5,
            total=6,
            sitelinks=40,
            links=5,
            page_share=1.0,
            outlier_class=1 + rank // 2,
            via=f"Q{900 + rank}",
            margin=None if number == 1 else rank / 100,
            certificate=Certificate("Q802", 1200, 79, HOSTILE[5]) if rank == 1 and number > 1 else None,
        )
        for rank in range(outliers)
    )
    label, coherence = "NA" if number == 2 else f"class {number}", None if number == 1 else 0.9 + number % 10 / 100
    return Group(id=f"Q{number}", label=label, language=code, cluster=cluster, outliers=found, coherence=coherence)


def write_run(
    folder: Path, groups_each: int = 5, codes: tuple[str, ...] = CODES, empty: tuple[str, ...] = ("la",)
) -> Path:
    """A folder with groups, rejections and a manifest as a run leaves them; returns it."""
    inputs = {"modified": "2026-11-21T00:00:00Z", "sha256": "", "size": 1234}
    stages: dict[str, object] = {"entities": {"inputs": [{**inputs, "path": "/data/wikidata-20261102-all.json.gz"}]}}
    for code in (*codes, *empty):
        numbers = range(1, 1 + groups_each) if code in codes else ()
        groups = [make_group(code, number, 8 if number % 2 else 7, 1 + number % 6) for number in numbers]
        rejections = [Rejection("Q77", code, "few-outliers", "expected at least 2 outliers, saw 0", "<i>river")]
        _write(folder / "groups" / f"{code}.jsonl", b"".join(map(encode_group, groups)))
        _write(folder / "rejected" / f"{code}.jsonl", b"".join(map(encode_rejection, rejections)))
        name = f"{code.replace('-', '_')}wiki-2026-11-01-p1p9.xml.bz2"
        stages[f"groups/{code}"] = {"in": len(groups) + 1, **({"english_labels": ["Q2"]} if code == "ar" else {})}
        stages[f"mentions/{code}"] = {"inputs": [{**inputs, "path": f"/data/{name}", "sha256": "ab" * 32}]}
    versions = {"wikisem": "0.1.0", "python": "3.11"}
    manifest = {"recipe": {"name": "tiny", "seed": 500}, "seed": 500, "versions": versions, "stages": stages}
    _write(folder / "manifest.json", orjson.dumps(manifest))
    return folder


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
