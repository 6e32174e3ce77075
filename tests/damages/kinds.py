"""The kinds of inputs: a file that is damaged, and the command that reads it."""

import bz2
import gzip
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import zstandard

from wikisem.pipeline.cli import main
from wikisem.pipeline.demo.sample_world import write_sample_world

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
    can read lists them on standard output, and ends with exit code 1 without any other message.
    """

    name: str
    prepare: Prepare
    serves: bool = False
    finds: bool = False


class Whole:
    """What is whole: dumps in every wrapping, and a build of them."""

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
        assert main([*self.build, "--output", str(self.output)]) == 0
        forms = _surface_forms(folder / "out")
        vectors = [f"{form} " + " ".join(f"{hash_ % 97 / 97:.3f}" for hash_ in _numbers(form)) for form in forms]
        (folder / "vectors.vec").write_text(f"{len(vectors)} 8\n" + "\n".join(vectors) + "\n", encoding="utf-8")


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


def _check(whole: Path, folder: Path, chance: random.Random) -> tuple[Path, list[str]]:
    shutil.copytree(whole / "out/wikisem500/en", folder / "en")
    return chance.choice(sorted((folder / "en").iterdir())), ["check", str(folder / "en"), "--language", "en"]


def _endpoint(whole: Path, folder: Path, chance: random.Random) -> tuple[Path, list[str]]:
    del whole, chance
    recipe = folder / "categories.toml"
    recipe.write_text(CATEGORIES)
    words = ["categories", str(recipe), "--languages", "en", "--contact", "tests@example.org", "--timeout", "5"]
    return folder / "answer", [*words, "--output", str(folder / "sets")]


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
        Kind("groups", _groups),
        Kind("group files", _check, finds=True),
        Kind("endpoint", _endpoint, serves=True),
    )
}
