"""The kinds of inputs: a file that is damaged, and the command that reads it."""

import bz2
import gzip
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import zstandard

from benchmarks.small_models import make_model2vec
from tests.outputs.test_wallfile import make_wall
from tests.wikidata.public_tables import read_dump, write_tables
from wikisem.evaluation.vectors.embeddings import from_words
from wikisem.outputs.groupfile import walls_table
from wikisem.outputs.release.cases import parquet_bytes
from wikisem.pipeline.cli import main
from wikisem.pipeline.demo import write_sample_world

Prepare = Callable[[Path, Path, random.Random], tuple[Path, list[str]]]
CATEGORIES: Final = 'name = "world"\n[[category]]\nname = "cities"\nclass = "Q100"\nsubclasses = true\n'
ENGLISH: Final = ("--languages", "en")
WRAPPINGS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "": bytes,
    # The same bytes whenever they are made: what is damaged in a seeded way would else depend on the second.
    ".gz": lambda data: b"".join(
        gzip.compress(half, mtime=0) for half in (data[: len(data) // 2], data[len(data) // 2 :])
    ),
    ".bz2": lambda data: bz2.compress(data, 1),
    ".zst": zstandard.ZstdCompressor().compress,
}


@dataclass(frozen=True)
class Kind:
    """A kind of input: ``prepare`` copies what is whole to a folder and names the file to damage, then the words.

    Where ``serves`` is set, it is the answer of an endpoint that is damaged. A command that ``finds`` faults in what it
    can read lists them on standard output, and ends with exit code 1 without any other message. An input that is
    ``checked`` has checksums, by which any bit that flips is to be noticed.
    """

    name: str
    prepare: Prepare
    serves: bool = False
    finds: bool = False
    checked: bool = False


class Whole:
    """What is whole: dumps in every wrapping, a build and a release of them, models, tables and sets."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        dumps = folder / "dumps"
        dumps.mkdir()
        world = write_sample_world(str(dumps))
        json_text = gzip.decompress(Path(world.wikidata).read_bytes())
        xml_text = bz2.decompress(Path(world.wikipedia["en"]).read_bytes())
        for wrapping, wrap in WRAPPINGS.items():
            (folder / f"wikidata.json{wrapping}").write_bytes(wrap(json_text))
            (folder / f"enwiki.xml{wrapping}").write_bytes(wrap(xml_text))
        words = ["--wikidata", world.wikidata, "--wikipedia", f"en={world.wikipedia['en']}"]
        self.output, self.build = folder / "out", ["build", "demo", *words]
        self.results: dict[tuple[str, ...], tuple[str, list[bytes]]] = {}  # what commands gave on whole inputs
        assert main([*self.build, "--output", str(self.output)]) == 0
        forms = _surface_forms(folder / "out")
        vectors = [f"{form} " + " ".join(f"{hash_ % 97 / 97:.3f}" for hash_ in _numbers(form)) for form in forms]
        (folder / "vectors.vec").write_text(f"{len(vectors)} 8\n" + "\n".join(vectors) + "\n", encoding="utf-8")
        np.save(folder / "rows.npy", np.array([_numbers(form) for form in forms], np.float32))
        (folder / "rows.words").write_text("\n".join(forms) + "\n", encoding="utf-8")
        words_alone = sorted({form.lower() for form in forms if form.isalpha()})
        rows = np.array([_numbers(word) for word in words_alone], np.float32)
        make_model2vec(from_words(words_alone, rows), words_alone, folder / "model")
        write_tables(read_dump(Path(world.wikidata)), folder / "tables")
        assert main(["release", str(self.output), "--output", str(folder / "released")]) == 0
        walls = walls_table([make_wall(f"en-far-{number}") for number in range(1, 4)])
        (folder / "walls.parquet").write_bytes(parquet_bytes(walls, {}))
        categories = [
            {"category": name, "language": "en", "items": [{"label": form, "id": ""} for form in listed]}
            for name, listed in (("a", forms[:5]), ("b", forms[5:10]))
        ]
        (folder / "categories.parquet").write_bytes(parquet_bytes(pa.Table.from_pylist(categories), {}))
        lines = ["group,word,role", *(f"a,{form},cluster" for form in forms[:7]), f"a,{forms[7]},outlier"]
        (folder / "mine.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (folder / "dates.csv").write_text("date,item\n2019-01-07,1000\n2026-11-02,60000\n", encoding="utf-8")


def _surface_forms(output: Path) -> list[str]:
    texts = [path.read_text(encoding="utf-8").split() for path in sorted(output.glob("wikisem500/en/*.txt"))]
    return sorted({form for text in texts for form in text})


def _numbers(form: str) -> list[int]:
    source = random.Random(form)
    return [source.randrange(1 << 20) for _ in range(8)]


def _dump(name: str, command: Sequence[str], argument: str) -> Prepare:
    def prepare(whole: Path, folder: Path, chance: random.Random) -> tuple[Path, list[str]]:
        del chance
        path = Path(shutil.copy(whole / name, folder))
        return path, [*command, argument.format(path), "--output", str(folder / "out")]

    return prepare


def _in_out(pattern: str, *command: str) -> Prepare:
    """A file of a finished OUT, which the command reads; its own record is gone, so that it has something to do."""

    def prepare(whole: Path, folder: Path, chance: random.Random) -> tuple[Path, list[str]]:
        output = folder / "out"
        shutil.copytree(whole / "out", output)
        path = chance.choice(sorted(path for path in output.glob(pattern) if path.is_file()))
        for record in output.glob(f".wikisem/{command[0]}*/*.json"):
            if record != path:
                record.unlink()
        (output / ".wikisem" / f"{command[0]}.json").unlink(missing_ok=True)
        return path, [*(word.format(path=path) for word in command), "--output", str(output)]

    return prepare


def _recipe(whole: Path, folder: Path, chance: random.Random) -> tuple[Path, list[str]]:
    del chance
    shutil.copytree(whole / "out", folder / "out")
    path = folder / "recipe.toml"
    path.write_text('base = "demo"\nname = "x"\n[cluster]\nsize = 8\nminimum = 7\n[filters]\naffix = 4\n')
    return path, ["groups", str(path), "--output", str(folder / "out"), "--languages", "en"]


def _vectors(whole: Path, folder: Path, chance: random.Random) -> tuple[Path, list[str]]:
    del chance
    path = Path(shutil.copy(whole / "vectors.vec", folder))
    return path, ["evaluate", "outliers", str(whole / "out/groups/en.jsonl"), "--vectors", str(path)]


def _groups(whole: Path, folder: Path, chance: random.Random) -> tuple[Path, list[str]]:
    name = chance.choice(["groups/en.jsonl", "groups/en.parquet"])
    path = Path(shutil.copy(whole / "out" / name, folder))
    return path, ["evaluate", "outliers", str(path), "--vectors", str(whole / "vectors.vec")]


def _of_whole(name: str, *command: str, beside: str = "") -> Prepare:
    """A file, or one of a folder, in a command's words: ``{path}`` is its copy, ``{whole}`` the folder of the others.

    ``beside`` is a file that is copied with it.
    """

    def prepare(whole: Path, folder: Path, chance: random.Random) -> tuple[Path, list[str]]:
        for each in filter(None, (name, beside)):
            copy = shutil.copytree if (whole / each).is_dir() else shutil.copy
            copy(whole / each, folder / Path(each).name)
        path = folder / Path(name).name
        words = [word.format(path=path, whole=whole, out=folder / "out") for word in command]
        files = sorted(each for each in path.rglob("*") if each.is_file())
        files = [each for each in files if each.suffix == ".parquet"] or files
        return chance.choice(files) if path.is_dir() else path, words

    return prepare


def _entities(whole: Path, folder: Path, chance: random.Random) -> tuple[Path, list[str]]:
    shutil.copytree(whole / "out", folder / "build")
    recipe = folder / "categories.toml"
    recipe.write_text(CATEGORIES.replace("Q100", "Q515"))
    words = ["categories", str(recipe), *ENGLISH, "--entities", str(folder / "build"), "--output", str(folder / "out")]
    return chance.choice(sorted((folder / "build").glob("entities/*/*.parquet"))), words


def _check(whole: Path, folder: Path, chance: random.Random) -> tuple[Path, list[str]]:
    shutil.copytree(whole / "out/wikisem500/en", folder / "en")
    return chance.choice(sorted((folder / "en").iterdir())), ["check", str(folder / "en"), "--language", "en"]


def _endpoint(whole: Path, folder: Path, chance: random.Random) -> tuple[Path, list[str]]:
    del whole, chance
    recipe = folder / "categories.toml"
    recipe.write_text(CATEGORIES)
    words = ["categories", str(recipe), "--languages", "en", "--contact", "tests@example.org", "--timeout", "5"]
    return folder / "answer", [*words, "--output", str(folder / "sets")]


VECTORS: Final = "{whole}/vectors.vec"
OUTLIERS: Final = ("evaluate", "outliers", "{whole}/out/groups/en.jsonl", "--vectors")
TOPK: Final = ("evaluate", "topk", "{path}", "--vectors", VECTORS)
SCORED: Final = ("evaluate", "outliers", "{path}")
BY_NAME: Final = ("--vectors", "characters:3")

KINDS: Final = {
    kind.name: kind
    for kind in (
        *(
            Kind(f"wikidata.json{wrapping}", _dump(f"wikidata.json{wrapping}", ["entities", "--wikidata"], "{}"))
            for wrapping in WRAPPINGS
        ),
        *(
            Kind(f"enwiki.xml{wrapping}", _dump(f"enwiki.xml{wrapping}", ["mentions", "--wikipedia"], "en={}"))
            for wrapping in WRAPPINGS
        ),
        Kind("entities in OUT", _in_out("entities/*/*.parquet", "taxonomy", "demo")),
        Kind("mentions in OUT", _in_out("mentions/en/*/*", "surfaces", "demo", *ENGLISH)),
        Kind("surfaces in OUT", _in_out("surfaces/en/*/*.parquet", "groups", "demo", *ENGLISH)),
        Kind("taxonomy in OUT", _in_out("taxonomy/*/*", "groups", "demo", *ENGLISH)),
        Kind("records in OUT", _in_out(".wikisem/**/*.json", "groups", "demo", *ENGLISH)),
        Kind("profile", _in_out("languages/en.toml", "groups", "demo", *ENGLISH, "--profile", "en={path}")),
        Kind("recipe", _recipe),
        Kind("vectors", _vectors),
        Kind("array of vectors", _of_whole("rows.npy", *OUTLIERS, "{path}", beside="rows.words")),
        Kind("model2vec", _of_whole("model", *OUTLIERS, "model2vec:{path}")),
        Kind("dates", _of_whole("dates.csv", "evaluate", "cutoff", *OUTLIERS[2:], VECTORS, "--dates", "{path}")),
        Kind("groups", _groups),
        Kind("set in CSV", _of_whole("mine.csv", *SCORED, "--vectors", VECTORS)),
        Kind("Parquet of groups", _of_whole("released/groups", *SCORED, *BY_NAME), checked=True),
        Kind("Parquet of walls", _of_whole("walls.parquet", "evaluate", "walls", "{path}", *BY_NAME), checked=True),
        Kind("Parquet of categories", _of_whole("categories.parquet", *TOPK), checked=True),
        Kind(
            "public tables", _of_whole("tables", "entities", "--wikidata", "{path}", "--output", "{out}"), checked=True
        ),
        Kind("entities of categories", _entities, checked=True),
        Kind("group files", _check, finds=True),
        Kind("endpoint", _endpoint, serves=True),
    )
}
