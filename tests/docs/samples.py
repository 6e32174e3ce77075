"""Small files under the names that the documentation gives to large ones."""

import bz2
import contextlib
import gzip
import json
import random
import re
import shutil
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from tests.categories.test_lexeme_pairs import lexeme_line
from tests.entity_files import write_entities
from tests.pipeline.download.server import serve
from tests.pipeline.test_wordnet import wordnet
from tests.wikidata.public_tables import read_dump, write_tables
from wikisem.outputs.groupfile import read_groups
from wikisem.records import Entity, Member, Statement

Maker = Callable[[Path, Path], None]  # from the path to make and the folder of the finished demo

MISSPELT: Final = 'name = "my"\n\n[cluster]\nminimun = 7\n'  # the mistake whose message docs/recipes.md shows
SETS: Final = ": months\njanuary february march april may\n: numbers\none two three four five\n"
GROUP: Final = "january\nfebruary\nmarch\napril\n\none\nmay\n"


def _copy(part: str = "") -> Maker:
    def make(path: Path, demo: Path) -> None:
        if (demo / part).is_dir():
            shutil.copytree(demo / part, path)
        else:
            shutil.copy(demo / part, path)

    return make


def _text(text: str) -> Maker:
    return lambda path, _: _write(path, text)


def _write(path: Path, text: str) -> None:
    """A text file, compressed as its name says."""
    data = text.encode()
    if path.suffix == ".gz":
        data = gzip.compress(data)
    elif path.suffix == ".bz2":
        data = bz2.compress(data)
    path.write_bytes(data)


def _tables(path: Path, demo: Path) -> None:
    """Public tables of the demo's items."""
    write_tables(read_dump(demo / "dumps/wikidata.json.gz"), path)


def _vectors(path: Path, demo: Path) -> None:
    """Seeded vectors of the demo's words and some more."""
    members = [one for group in read_groups(demo) for one in (*group.cluster, *group.outliers)]
    words = {part for one in members for part in one.surface.lower().split()}
    words |= {word for number in range(1, 41) for word in (f"word{number}", f"word{number}s")}
    words |= set(re.findall(r"\b[a-z]+\b", SETS)) | set(f"{_MONTHS} {_OTHERS}".split())
    _write(path, _rows(sorted(words)))


def _lexemes(path: Path, demo: Path) -> None:
    del demo
    forms = [[(f"word{n}", ["Q110786"]), (f"word{n}s", ["Q146786"])] for n in range(1, 41)]
    lines = [json.dumps(lexeme_line(n, each)) for n, each in enumerate(forms, start=1)]
    _write(path, "[\n" + ",\n".join(lines) + "\n]\n")


def _samples(path: Path, demo: Path) -> None:
    """What lm-evaluation-harness logs of two cases."""
    del demo
    docs = [
        {"id": f"de-{answer}", "class": "0", "language": "de", "outlier_class": 1}
        | {"choices": ["a", "bb", "éé", "dddd"], "answer": answer}
        for answer in (2, 3)
    ]
    rows = [{"doc": doc, "filtered_resps": [[str(-one), "False"] for one in (3, 5, 1, 4)]} for doc in docs]
    _write(path, "".join(json.dumps(row) + "\n" for row in rows))


def _questions(path: Path, demo: Path) -> None:
    """What lm-evaluation-harness logs of four questions on two articles."""
    del demo
    rows = [
        {"doc_id": number, "doc": {"title": "ab"[number // 2]}, "filter": "none", "metrics": ["exact_match"]}
        | {"exact_match": number % 2}
        for number in range(4)
    ]
    _write(path, "".join(json.dumps(row) + "\n" for row in rows))


def _inspect_log(path: Path, demo: Path) -> None:
    """What inspect-ai logs of four questions on two topics."""
    del demo
    path.parent.mkdir(parents=True, exist_ok=True)
    header = {"version": 2, "status": "success", "eval": {"task": "quiz", "model": "maker/model", "run_id": "r"}}
    with zipfile.ZipFile(path, "w") as log:
        log.writestr("_journal/start.json", json.dumps(header))
        for number in range(4):
            sample = {"id": number, "epoch": 1, "input": "?", "target": "x", "metadata": {"topic": "ab"[number // 2]}}
            scores = {"scores": {"match": {"value": "CI"[number % 2], "answer": "y"}}}
            log.writestr(f"samples/{number}_epoch_1.json", json.dumps(sample | scores))


def _keyed(keys: Callable[[Member], str]) -> Maker:
    """Seeded vectors of the items of the demo's English groups, by what ``keys`` says of each."""

    def make(path: Path, demo: Path) -> None:
        groups = [group for group in read_groups(demo) if group.language == "en"]
        found = {keys(one) for group in groups for one in (*group.cluster, *group.outliers)}
        _write(path, _rows(sorted(found)))

    return make


def _rows(words: Iterable[str], size: int = 8) -> str:
    draw = random.Random(500)
    return "".join(f"{word} {' '.join(f'{draw.gauss(0, 1):.4f}' for _ in range(size))}\n" for word in words)


def _religions(path: Path, demo: Path) -> None:
    """Entities with two items for each category of the multilingual content analysis."""
    del demo
    figures = [
        Entity(f"Q{n}", ("Q20643955",), sitelinks=9, labels={"en": name}) for n, name in ((1, "Eve"), (2, "Job"))
    ]
    facets = [
        Entity(f"Q{n}", sitelinks=9, labels={"en": f"facet {n}"}, statements=(Statement("P1269", religion),))
        for n, religion in enumerate(("Q9089", "Q9089", "Q748", "Q748"), start=3)
    ]
    write_entities(path, [*figures, *facets])


def _similarities(text: str) -> str:
    """A line for each ordered pair of words: a similarity that is not symmetric."""
    words = text.split()
    return "".join(f"{one}\t{other}\t{(3 * len(one) + len(other)) % 7}\n" for one in words for other in words)


def _cluster(*items: str) -> Maker:
    return _text("\n".join([*items, "", "desert"]) + "\n")


_CLUBS: Final = [f"{club} F.C." for club in ("Arsenal", "Chelsea", "Everton", "Fulham", "Leeds", "Luton", "Stoke")]
_MONTHS: Final = "january february march april may june july august"
_OTHERS: Final = "winter summer year birthday ball paper monday date"
_COUNTS: Final = "".join(
    f"{word}\t(context{place % size}, nmod)\t{1 + place % 5}\n"
    for size in (3, 5, 7)
    for place, word in enumerate(f"{_MONTHS} {_OTHERS}".split())
)
_QUESTIONS: Final = (
    ": months\njanuary winter june summer\njune summer january winter\nmay ball july paper\n"
    ": days\nmay ball july paper\njune summer january winter\n"
)
_SCORES: Final = "task,model,dataset,metric,value,low\n" + "".join(
    f"outliers,{name},set,opp,{60 + 7 * place},1\noutliers,{name},set,accuracy,{20 + place * place},1\n"
    for place, name in enumerate("abcde")
)

_WIKIDATA: Final = _copy("dumps/wikidata.json.gz")
_GERMAN: Final = _copy("dumps/dewiki-2026-11-01-p1p999.xml.bz2")
_DEMO: Final = _copy()

# What is in the folder of a page before its first command.
SAMPLES: Final[Mapping[str, Mapping[str, Maker]]] = {
    "README.md": {"cc.de.300.bin": _vectors},
    "docs/labels.md": {
        "latest-all.json.gz": _WIKIDATA,
        "ltgwiki-20170901-pages-articles.xml.bz2": _GERMAN,
        "qids.csv": _text("qid\nQ191\nQ64\nQ145\n"),
    },
    "docs/annotate.md": {"demo": _DEMO, "glove-6B-100d-top20k.w2v.txt.gz": _vectors},
    "docs/audit.md": {"demo": _DEMO, "some-released-set": _copy("wikisem500")},
    "docs/browse.md": {"out": _DEMO, "demo": _DEMO, "docs/explain-en.png": _text("")},
    "docs/categories.md": {
        "OUT": _DEMO,
        "real-entities.json.gz": _WIKIDATA,
        "class-graph-slice.json.gz": _WIKIDATA,
        "glove-6B-100d-top20k.w2v.txt.gz": _vectors,
    },
    "docs/entities.md": {"latest-all.json.gz": _WIKIDATA, "tables": _tables},
    "docs/evaluation.md": {
        "outlier-sets/8-8-8/Months.txt": _text(GROUP),
        "glove-6B-100d-top20k.w2v.txt.gz": _vectors,
        "sets.txt": _text(SETS),
    },
    "docs/consistency.md": {"demo": _DEMO},
    "docs/filters.md": {"clubs.txt": _text("\n".join([*_CLUBS, "", "desert"]))},
    "docs/harnesses.md": {
        "results/MODEL/samples_wikisem_de.jsonl": _samples,
        "results/MODEL/samples_squad_completion.jsonl": _questions,
        "logs/quiz.eval": _inspect_log,
    },
    "docs/languages.md": {"demo": _DEMO, "latest-all.json.gz": _WIKIDATA, "ltgwiki-2026-11-01-p1p999.xml.bz2": _GERMAN},
    "docs/lexemes.md": {
        "latest-lexemes.json.bz2": _lexemes,
        "cc.en.300.vec.gz": _vectors,
        "english-wordnet-2022.xml.gz": _text(wordnet()),
    },
    "docs/walls.md": {"out": _DEMO},
    "docs/links.md": {"ltgwiki-20170901-pages-articles.xml.bz2": _GERMAN},
    "docs/outliers.md": {"demo": _DEMO},
    "docs/parallel.md": {"demo": _DEMO},
    "docs/papers.md": {
        "demo": _DEMO,
        "vectors.txt": _vectors,
        "other.txt": _vectors,
        "hashes.txt": _text(_rows(["year", "##", "####", "desert"])),
        "qids.txt": _keyed(lambda one: one.id),
        "titles.txt": _keyed(lambda one: f"ENTITY/{(one.title or one.surface).replace(' ', '_')}"),
        "religions": _religions,
        "months.txt": _text("\n".join([*_MONTHS.split(), "", *_OTHERS.split()]) + "\n"),
        "similar.tsv": _text(_similarities(f"{_MONTHS} {_OTHERS}")),
        "counts.tsv": _text(_COUNTS),
        "sets.txt": _text(SETS),
        "questions.txt": _text(_QUESTIONS),
        "scores.csv": _text(_SCORES),
        "downstream.csv": _text("model,sentiment,chunking\na,1,5\nb,2,3\nc,4,4\nd,3,1\ne,6,2\n"),
        "lexemes.json.bz2": _lexemes,
        "wordnet.xml.gz": _text(wordnet()),
        "digits.txt": _cluster("May 2010", "May 2011", "May 2012", "June", "July", "August", "a year"),
        "years.txt": _cluster("year 2010", "year 11", "2012"),
        "affix.txt": _cluster(
            "Réaumur-Skala", "Rankine-Skala", "Delisle-Skala", "Rømer-Skala", "Kelvin", "Grad", "Mol"
        ),
        "stop.txt": _cluster("Category:Towns", "Rome", "Oslo", "Paris", "Berlin", "Madrid", "Vienna"),
        "letters.txt": _cluster("a", "b", "Rome", "Oslo", "Paris", "Berlin", "Madrid"),
        "few.txt": _cluster("Rome", "Oslo", "Paris", "Rome"),
    },
    "docs/python.md": {"demo": _DEMO},
    "docs/recipes.md": {"my.toml": _text(MISSPELT), "latest-all.json.gz": _WIKIDATA},
    "docs/release.md": {"out": _DEMO},
    "docs/tutorial.md": {"demo": _DEMO},
}


def make_samples(page: str, folder: Path, demo: Path) -> None:
    """Fill the folder of a page."""
    for name, make in SAMPLES.get(page, {}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        make(folder / name, demo)


@contextlib.contextmanager
def mirror(demo: Path) -> Iterator[str]:
    """A server on this machine with the demo's dumps, named as dumps.wikimedia.org would; its URL."""
    with serve() as server:
        for language in ("de", "ja"):
            text = bz2.decompress((demo / f"dumps/{language}wiki-2026-11-01-p1p999.xml.bz2").read_bytes()).decode()
            server.add_export(f"{language}wiki", "2026-11-01", dict(_shards(text)))
        wikidata = (demo / "dumps/wikidata.json.gz").read_bytes()
        server.add_wikidata("20261102", {"wikidata-20261102-all.json.gz": wikidata})
        yield server.url


def _shards(text: str) -> Iterator[tuple[str, bytes]]:
    """A dump in two shards, each a whole file; without its broken page, which ends a call without ``on_unreadable``."""
    head, *pages = re.split(r"(?=^  <page>)", text, flags=re.MULTILINE)
    pages = [page for page in pages if "</text>" in page]
    tail, half = "</mediawiki>\n", len(pages) // 2
    pages[-1] = pages[-1].removesuffix(tail)
    for name, part in (("p1p500", pages[:half]), ("p501p1000", pages[half:])):
        yield name, bz2.compress((head + "".join(part) + tail).encode())
