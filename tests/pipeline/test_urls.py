"""Every command that reads or writes files takes URLs, and leaves and prints the same bytes as with paths."""

import importlib.util
import json
import tarfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.categories.test_lexeme_pairs import lexeme_line
from tests.object_store import BUCKET, s3_bucket
from tests.outputs.annotation.forms import page_answers
from tests.pipeline.test_wordnet import wordnet
from wikisem.files import list_files, open_binary, replace_file, sizes_below
from wikisem.outputs.annotation.sheets import read_key
from wikisem.pipeline.cli import main

SHEETS = "annotate IN/out --language en --groups 4 --annotators 1 --overlap 0"
CITIES = 'pattern = "?item wdt:P31/wdt:P279* wd:Q515"\nmin_sitelinks = 0\n'
# IN is a folder or a URL with all that commands read, TO an empty one for what they write.
COMMANDS = {
    "annotate": f"{SHEETS} --output TO",
    "annotate, answers": "annotate --score IN/sheets --json",
    "audit": "audit IN/out --compare IN/out/groups/en.jsonl --json",
    "browse": "browse IN/out --output TO --cases IN/cases.jsonl",
    "categories": "categories cities.toml --languages en,de --entities IN/out --vocabulary IN/words.txt --output TO",
    "check": "check IN/out --language en --recipe demo --json",
    "check, archive": "check IN/set.tar.gz --language en --json",
    "correlate": "correlate IN/scores.jsonl IN/other.csv --json --plot TO/plot.png",
    "evaluate": "evaluate outliers IN/out IN/set.tar.gz --vectors vectors.txt --json --plot TO/plot.png",
    "evaluate categories": "evaluate oddoneout IN/categories.txt -k 3 --vectors vectors.txt --json",
    "evaluate questions": "evaluate analogies IN/questions.txt --vectors vectors.txt --json",
    "explain": "explain IN/out Q747074 --language en --figure TO/figure.png",
    "languages": "languages IN/out --json",
    "lexemes": "lexemes IN/lexemes.json --languages en --output TO",
    "release": "release IN/out --output TO",
    "tokenize": "tokenize IN/out --tokenizer fugashi --output TO",
    "wordnet": "wordnet IN/wordnet.xml --output TO",
}

# Which the development environment does not have: its dictionary has no wheel.
WITH_TOKENIZER = pytest.mark.skipif(
    importlib.util.find_spec("fugashi") is None, reason="fugashi is not installed: wikisem[tokenizers]"
)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a finished build and other inputs in ``in``, and what is only read from this machine."""
    folder = tmp_path_factory.mktemp("urls")
    inputs = folder / "in"
    assert main(["demo", "--output", str(inputs / "out")]) == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main([*SHEETS.replace("IN", "in").split(), "--output", "in/sheets"]) == 0
        assert main(["release", "in/out", "--output", "set"]) == 0
    key = read_key(inputs / "sheets")
    (annotator,) = key.annotators
    answers = dict.fromkeys(key.annotators[annotator], 1)
    (inputs / "sheets/answers/a.json").write_bytes(page_answers(key.sheet(annotator), answers))
    words = sorted(
        {word for line in (inputs / "out/wikisem500/en").glob("Q*.txt") for word in line.read_text().split()}
    )
    (inputs / "words.txt").write_text("".join(f"{word}\n" for word in words))
    vectors = "".join(f"{word} {at % 7} {at % 5} {at % 3 + 1}\n" for at, word in enumerate(words))
    (folder / "vectors.txt").write_text(vectors)
    (inputs / "categories.txt").write_text("\n".join([": a", *words[:4], ": b", *words[4:8], ""]))
    (inputs / "questions.txt").write_text(f": a\n{' '.join(words[:4])}\n{' '.join(words[4:8])}\n")
    rows = [json.dumps(lexeme_line(n, [(f"w{n}", ["Q110786"]), (f"w{n}s", ["Q146786"])])) for n in range(1, 21)]
    (inputs / "lexemes.json").write_text("[\n" + ",\n".join(rows) + "\n]\n")
    (inputs / "wordnet.xml").write_text(wordnet())
    (inputs / "other.csv").write_text("model,task\nm1,0.5\nm2,0.25\nm3,0.75\n")
    (folder / "cities.toml").write_text(f'name = "cities"\n{CITIES}')
    with tarfile.open(inputs / "set.tar.gz", "w:gz") as archive:
        archive.add(inputs / "out/wikisem500/en", "set/en")
    answer = {"model": "m", "language": "en", "class": "Q747074", "outlier": "Q1", "position": 0.9, "right": False}
    (inputs / "cases.jsonl").write_text(f"{json.dumps(answer)}\n")
    score = {"task": "outliers", "dataset": "d", "metric": "accuracy", "low": 0}
    scores = [{**score, "model": f"m{n}", "value": n} for n in range(1, 4)]
    (inputs / "scores.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in scores))
    return folder


@pytest.fixture(scope="module", params=["memory", "s3"])
def place(request: pytest.FixtureRequest) -> Iterator[str]:
    """A place that is no folder of this machine."""
    if request.param == "memory":
        yield f"memory://{uuid.uuid4()}"
    else:
        with s3_bucket():
            yield f"s3://{BUCKET}"


@pytest.fixture(scope="module")
def uploaded(here: Path, place: str) -> str:
    """The same inputs there."""
    for path in list_files(f"{here}/in/**"):
        replace_file(f"{place}{path.removeprefix(str(here))}", _read(path))
    return place


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=WITH_TOKENIZER) if name == "tokenize" else name for name in COMMANDS]
)
def test_a_command_does_with_urls_what_it_does_with_paths(
    name: str,
    here: Path,
    uploaded: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It prints the same, but for the addresses, and leaves the same bytes."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    monkeypatch.setenv("COLUMNS", "1000")
    monkeypatch.chdir(here)
    there = f"{uploaded}/{uuid.uuid4()}"
    local = _run(name, str(here / "in"), str(tmp_path), capsys)
    assert _run(name, f"{uploaded}/in", there, capsys) == local
    written = {path: _read(f"{there}/{path}") for path in sizes_below(there)}
    assert written == {path: _read(f"{tmp_path}/{path}") for path in sizes_below(str(tmp_path))}
    assert bool(written) == ("TO" in COMMANDS[name])


def _run(name: str, inputs: str, target: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    words = [word.replace("IN/", f"{inputs}/").replace("TO", target) for word in COMMANDS[name].split()]
    code = main(words)
    return code, capsys.readouterr().out.replace(inputs, "IN").replace(target, "TO")


def _read(path: str) -> bytes:
    with open_binary(path) as source:
        return source.read()
