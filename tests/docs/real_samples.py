"""The real dumps and vectors in place of the samples, for the pages that show what these give."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from tests.wikidata.public_tables import read_dump, write_tables
from wikisem.pipeline.cli import main

Maker = Callable[[Path, Path], None]  # from the path to make and the folder of the real data


def _copy(part: str) -> Maker:
    def make(path: Path, data: Path) -> None:
        if (data / part).is_dir():
            shutil.rmtree(path, ignore_errors=True)
            shutil.copytree(data / part, path)
        else:
            shutil.copy(data / part, path)

    return make


def _entities(path: Path, data: Path) -> None:
    """The items of the tests, with labels in the languages of docs/categories.md."""
    shutil.rmtree(path)
    files = [str(data / "wikidata" / name) for name in ("class-graph-slice.json.gz", "real-entities.json.gz")]
    languages = "la,en,de,fr,ja,zh,te,am,ar,ru"
    assert main(["entities", "--wikidata", *files, "--languages", languages, "--output", str(path)]) == 0


def _tables(path: Path, data: Path) -> None:
    """Public tables of real items."""
    shutil.rmtree(path)
    write_tables(read_dump(data / "wikidata/real-entities.json.gz"), path)


_GLOVE: Final = "glove-6B-100d-top20k.w2v.txt.gz"
_LTG: Final = "ltgwiki-20170901-pages-articles.xml.bz2"

REAL_SAMPLES: Final[Mapping[str, Mapping[str, Maker]]] = {
    "docs/labels.md": {
        "latest-all.json.gz": _copy("wikidata/real-entities.json.gz"),
        _LTG: _copy(f"wikipedia/{_LTG}"),
    },
    "docs/annotate.md": {_GLOVE: _copy(f"vectors/{_GLOVE}")},
    "docs/categories.md": {
        "OUT": _entities,
        "real-entities.json.gz": _copy("wikidata/real-entities.json.gz"),
        "class-graph-slice.json.gz": _copy("wikidata/class-graph-slice.json.gz"),
        _GLOVE: _copy(f"vectors/{_GLOVE}"),
    },
    "docs/entities.md": {"latest-all.json.gz": _copy("wikidata/real-entities.json.gz"), "tables": _tables},
    "docs/links.md": {_LTG: _copy(f"wikipedia/{_LTG}")},
    "docs/evaluation.md": {_GLOVE: _copy(f"vectors/{_GLOVE}"), "outlier-sets/8-8-8": _copy("outlier-sets/8-8-8")},
}
