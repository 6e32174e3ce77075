"""The public API: what ``import wikisem`` offers, and that it gives what the stages and the command line give."""

import ast
import errno
import gzip
import importlib
import inspect
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from msgspec.structs import replace

import wikisem
from tests.plain_python import run_plain
from tests.rows import printed_rows
from tests.transforms import wiki
from tests.transforms.test_entities import LINES, dump, item
from tests.trees import tree_of
from wikisem.errors import (
    DamagedInputError,
    MissingInputError,
    OutputError,
    RecipeError,
    TooManyUnreadableError,
    UsageError,
)
from wikisem.evaluate import Row
from wikisem.pipeline.cli import main
from wikisem.pipeline.demo import write_sample_world
from wikisem.records import UnreadableRecord

ROOT = Path(__file__).parent.parent
READABLE = [line for line in LINES if not isinstance(line, str)]


def run_python(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script in a Python of its own."""
    return subprocess.run([sys.executable, "-c", script], cwd=folder, capture_output=True, text=True, check=True)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's dumps and what ``build`` made of them in two languages, in a Python of its own that prints nothing."""
    folder = tmp_path_factory.mktemp("world")
    files = write_sample_world(str(folder))
    script = (
        "import wikisem\n"
        "from pathlib import Path\n"
        f"built = wikisem.build('demo', wikidata=Path({files.wikidata!r}), output=Path({str(folder / 'out')!r}),\n"
        f"    wikipedia={{code: {files.wikipedia!r}[code] for code in ('en', 'ja')}})\n"
        "assert built.languages['en'].groups > 10\n"
    )
    done = run_python(script, folder)
    assert (done.stdout, done.stderr) == ("", "")
    return folder


def test_import_brings_in_no_heavy_library(tmp_path: Path) -> None:
    """``import wikisem`` loads no other module of wikisem and none of the libraries that take long to import."""
    script = "import sys; before = set(sys.modules); import wikisem; print(*sorted(set(sys.modules) - before))"
    names = run_python(script, tmp_path).stdout.split()
    assert [name for name in names if name.startswith("wikisem")] == ["wikisem"]
    heavy = {"numpy", "pyarrow", "apache_beam", "lxml", "rich", "networkx", "msgspec", "orjson"}
    assert not heavy & {name.partition(".")[0] for name in names}
    assert len(names) < 60


@pytest.mark.parametrize("name", ["read_dataset", "read_groups", "read_entities", "count_links", "check", "Taxonomy"])
def test_reading_functions_need_no_beam(name: str, tmp_path: Path) -> None:
    """Only ``build`` imports Beam, which takes seconds."""
    done = run_python(f"import sys, wikisem; wikisem.{name}; print('apache_beam' in sys.modules)", tmp_path)
    assert done.stdout.strip() == "False"


@pytest.mark.slow
def test_scores_need_no_extra(world: Path, tmp_path: Path) -> None:
    """A plain installation scores, audits, explains, checks, browses and releases a set."""
    (tmp_path / "v.txt").write_text(VECTORS)
    (tmp_path / "c.txt").write_text(CATEGORIES)
    commands = [
        ["evaluate", "outliers", "OUT", "--vectors", "characters:3", "--output", "scores.html"],
        ["evaluate", "consistency", "OUT", "--vectors", "characters:3"],
        ["evaluate", "oddoneout", "c.txt", "-k", "2", "--vectors", "v.txt"],
        ["audit", "OUT"],
        ["show", "OUT", "Q747074", "--language", "en"],
        ["explain", "OUT", "Q747074", "--language", "en"],
        ["check", "OUT/groups/en.jsonl", "--language", "en"],
        ["changes", "OUT", "OUT"],
        ["browse", "OUT", "--output", "page"],
        ["release", "OUT", "--output", "set"],
        ["show", "set", "Q747074", "--language", "en"],
        ["annotate", "OUT", "--groups", "10", "--language", "en", "--output", "sheets"],
        ["languages", "OUT"],
        ["recipes"],
    ]
    done = run_plain(
        "from wikisem.pipeline.cli import main\n"
        f"for words in {commands}:\n"
        f"    code = main([word.replace('OUT', {str(world / 'out')!r}) for word in words])\n"
        "    assert code == 0, words\n",
        tmp_path,
    )
    assert done.returncode == 0, done.stderr


def test_help_names_the_types_of_arguments() -> None:
    """And does not write out what each is a union of."""
    functions = filter(inspect.isfunction, (getattr(wikisem.evaluate, name) for name in wikisem.evaluate.__all__))
    shown = [str(inspect.signature(each)) for each in functions]
    assert len(shown) > 10
    assert [text for text in shown if "collections.abc" in text] == []


def test_every_public_name_is_there_and_no_other() -> None:
    """``__all__``, ``dir``, the lazy table and the imports for type checkers list the same names."""
    tree = ast.parse((ROOT / "wikisem" / "__init__.pyi").read_text())
    typed = {
        (alias.name, node.module if node.module != "wikisem" else f"wikisem.{alias.name}")
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }
    assert {name for name, _ in typed} | {"__version__"} == set(wikisem.__all__) == set(dir(wikisem))
    for name, home in typed:
        module = importlib.import_module(home)
        assert getattr(wikisem, name) is (module if home == f"wikisem.{name}" else getattr(module, name))
    with pytest.raises(AttributeError, match="no attribute 'reed_groups'"):
        getattr(wikisem, "reed_groups")  # noqa: B009 - the test is of the attribute's lookup


def test_build_reports_what_is_in_its_output(world: Path, tmp_path: Path) -> None:
    """A finished build runs no stage again, and its counts are those of the files."""
    files = write_sample_world(str(tmp_path))
    state = {path: path.stat().st_mtime_ns for path in (world / "out").rglob("*.parquet")}
    built = wikisem.build(
        wikisem.load_recipe("demo"),
        wikidata=[world / Path(files.wikidata).name],
        wikipedia={code: world / Path(files.wikipedia[code]).name for code in ("ja", "en")},
        output=str(world / "out"),
    )
    assert len(state) >= 9
    assert {path: path.stat().st_mtime_ns for path in state} == state
    assert built.output == str(world / "out")
    assert built.recipe.name == "demo"
    assert list(built.languages) == ["en", "ja"]
    for language, made in built.languages.items():
        groups = wikisem.read_groups(built.output, language)
        assert made.groups == len(groups) >= 9
        assert made.cases == sum(len(group.outliers) for group in groups)
        rejected = (world / "out" / "rejected" / f"{language}.jsonl").read_text().splitlines()
        assert sum(made.rejected.values()) == len(rejected) > 5
        assert set(made.rejected) == {json.loads(line)["reason"] for line in rejected}
    assert built.units["entities"].counts.unreadable == {"not-json": 1}
    assert {"taxonomy", "mentions/en", "surfaces/ja", "groups/ja"} < set(built.units)
    assert json.loads((world / "out" / "manifest.json").read_text())["recipe"]["name"] == "demo"


def test_a_full_disk_is_an_error_of_wikisem(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the system says while the groups are put in place comes as OutputError, as from a stage."""

    def fill(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("wikisem.pipeline.runs.stages.run_build", fill)
    with pytest.raises(OutputError, match=r"expected to read and write files, saw \[Errno 28\] No space left"):
        wikisem.build("demo", wikidata=world / "wikidata.json.gz", wikipedia={}, output=world / "full")


def test_build_fails_where_more_than_one_in_a_hundred_records_cannot_be_read(tmp_path: Path) -> None:
    """As the command does by default; 100 damaged lines in 1,100 are no accident."""
    items = [item(f"Q{number}", ["Q10"]) for number in range(100, 1100)]
    (tmp_path / "dump.json").write_bytes(dump(*items, *["damaged"] * 100))
    (tmp_path / "labels.toml").write_text('name = "labels"\nbase = "demo"\n[surface]\nfallback = "label"\n')
    options = {"wikidata": tmp_path / "dump.json", "wikipedia": {}, "languages": ["en"]}
    with pytest.raises(
        TooManyUnreadableError, match=r"entities: expected at most 1\.00% unreadable .*saw 100 of 1,100"
    ):
        wikisem.build(tmp_path / "labels.toml", output=tmp_path / "out", **options)  # type: ignore[arg-type]


def test_build_refuses_what_is_invalid(tmp_path: Path) -> None:
    """Wrong words are errors of wikisem, and no folder is made."""
    out = tmp_path / "out"
    with pytest.raises(UsageError, match=r"languages: expected a list such as \['en', 'de'\], saw 'en'"):
        wikisem.build("demo", wikidata="x.json", wikipedia={}, output=out, languages="en")
    with pytest.raises(UsageError, match="workers: expected a whole number from 1 up, saw 0"):
        wikisem.build("demo", wikidata="x.json", wikipedia={}, output=out, workers=0)
    with pytest.raises(MissingInputError, match=r"none\.json"):
        wikisem.build("demo", wikidata=tmp_path / "none.json", wikipedia={}, output=out)
    with pytest.raises(UsageError, match="expected a folder or a URL, saw ''"):
        wikisem.build("demo", wikidata="x.json", wikipedia={}, output="")
    assert not out.exists()


def test_groups_are_the_same_from_a_run_from_json_lines_and_from_parquet(world: Path) -> None:
    """Every form gives the same groups in the same order; a run's OUT gives all languages, or the one asked for."""
    out = world / "out"
    english, japanese = (wikisem.read_groups(out / "groups" / f"{code}.jsonl") for code in ("en", "ja"))
    assert wikisem.read_groups(str(out)) == [*english, *japanese]
    assert wikisem.read_groups(out, "ja") == japanese == wikisem.read_groups(out / "groups" / "ja.parquet")
    assert len(japanese) >= 9
    assert wikisem.read_groups(out / "groups" / "ja.jsonl", "en") == []


def test_groups_that_are_not_there_or_damaged_are_errors_with_their_place(world: Path, tmp_path: Path) -> None:
    """A missing file or language, a bad line and a file that is no Parquet each raise the error that names it."""
    with pytest.raises(MissingInputError, match=r"expected groups in de .*saw none at"):
        wikisem.read_groups(world / "out", "de")
    with pytest.raises(MissingInputError, match=r"expected groups .*nothing\.jsonl"):
        wikisem.read_groups(tmp_path / "nothing.jsonl")
    lines = (world / "out" / "groups" / "en.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "bad.jsonl").write_bytes(lines[0] + b"{}\n" + lines[1])
    with pytest.raises(DamagedInputError, match=r"bad\.jsonl:2: expected a JSON line of a group"):
        wikisem.read_groups(tmp_path / "bad.jsonl")
    (tmp_path / "bad.parquet").write_bytes(lines[0])
    with pytest.raises(DamagedInputError, match=r"bad\.parquet: expected a Parquet file of groups"):
        wikisem.read_groups(tmp_path / "bad.parquet")


def staged(folder: Path) -> pa.Table:
    """The files of a unit, which are in the only folder below its own."""
    return pa.concat_tables([pq.read_table(path) for path in sorted(folder.glob("*/*.parquet"))])


def rows(table: pa.Table) -> list[str]:
    """The rows of a table as strings that compare whatever their order."""
    return sorted(json.dumps(row, ensure_ascii=False) for row in table.to_pylist())


def test_entities_are_those_of_the_stage(world: Path) -> None:
    """One dump file gives the rows that the entities stage wrote, in order of QID, and the same unreadable record."""
    unreadable: list[UnreadableRecord] = []
    (path,) = world.glob("wikidata*")
    options = json.loads((world / "out" / "manifest.json").read_text())["stages"]["entities"]
    table = wikisem.read_entities(
        path, labels=options["labels"], properties=options["properties"], on_unreadable=unreadable.append
    )
    assert rows(table) == rows(staged(world / "out" / "entities"))
    numbers = [int(qid[1:]) for qid in table["qid"].to_pylist()]
    assert numbers == sorted(numbers)
    assert len(numbers) > 900
    assert [(record.stage, record.reason) for record in unreadable] == [("entities", "not-json")]


@pytest.mark.parametrize("seed", range(4))
def test_duplicates_are_decided_as_in_the_stage(seed: int, tmp_path: Path) -> None:
    """Of an item that comes several times, the latest revision is kept wherever it is; what only a lost one leads to is
    not.
    """
    lines = READABLE[seed:] + READABLE[:seed]
    (tmp_path / "dump.json.gz").write_bytes(gzip.compress(dump(*lines)))
    assert main(["entities", "--wikidata", str(tmp_path / "dump.json.gz"), "--output", str(tmp_path / "out")]) == 0
    table = wikisem.read_entities(tmp_path / "dump.json.gz")
    assert rows(table) == rows(staged(tmp_path / "out" / "entities"))
    found = {row["qid"]: row["instance_of"] for row in table.to_pylist()}
    assert found == {"Q1": ["Q10"], "Q4": [], "Q6": ["Q10"], "Q7": ["Q10"], "Q10": []}


def test_of_equal_revisions_the_order_in_the_file_decides_nothing(tmp_path: Path) -> None:
    """Two rows of one item with the same revision give the same one, whichever comes first."""
    one, other = (
        {"type": "item", "id": "Q1", "lastrevid": 7, "claims": {"P31": [_statement(qid)]}} for qid in ("Q5", "Q6")
    )
    found = []
    for number, lines in enumerate(([one, other], [other, one])):
        (tmp_path / f"{number}.json").write_bytes(dump(*lines))
        found.append(wikisem.read_entities(tmp_path / f"{number}.json").to_pylist())
    assert found[0] == found[1]
    assert len(found[0]) == 1


def _statement(qid: str) -> dict[str, object]:
    value = {"entity-type": "item", "id": qid}
    return {"rank": "normal", "mainsnak": {"snaktype": "value", "datavalue": {"type": "x", "value": value}}}


def test_links_are_those_of_the_stage(world: Path) -> None:
    """One dump file gives the rows that the mentions stage wrote, by title, then the most frequent anchor first."""
    unreadable: list[UnreadableRecord] = []
    (path,) = world.glob("ja*")
    table = wikisem.count_links(path, "ja", on_unreadable=unreadable.append)
    assert rows(table) == rows(staged(world / "out" / "mentions" / "ja"))
    keys = [(row["title"], -row["count"]) for row in table.to_pylist()]
    assert keys == sorted(keys)
    assert len(keys) > 200
    assert [record.reason for record in unreadable] == ["bad-page"]


def test_links_follow_redirects_and_trails(tmp_path: Path) -> None:
    """A dump in one file gives what a reader counts by hand; ``link_trail`` adds the letters after ``]]``."""
    (tmp_path / "ltg.xml.gz").write_bytes(gzip.compress(wiki.dump()))
    table = wikisem.count_links(tmp_path / "ltg.xml.gz", "ltg", on_unreadable=lambda _: None)
    assert sorted(tuple(row.values()) for row in table.to_pylist()) == sorted(wiki.MENTIONS)
    (tmp_path / "en.xml").write_bytes(wiki.dump([wiki.page(1, "A", "[[bus]]es")], dbname="enwiki"))
    anchors = [
        wikisem.count_links(tmp_path / "en.xml", "en", link_trail=trail)["anchor"].to_pylist()
        for trail in (False, True)
    ]
    assert anchors == [["bus"], ["buses"]]


def test_a_record_that_cannot_be_read_is_an_error_unless_the_caller_takes_it(tmp_path: Path) -> None:
    """Without ``on_unreadable`` nothing is dropped in silence: the error says where the record is, and how to go on."""
    (tmp_path / "dump.json").write_bytes(dump(*LINES))
    with pytest.raises(DamagedInputError, match=r"dump\.json:\d+: not-json: .*pass on_unreadable"):
        wikisem.read_entities(tmp_path / "dump.json")
    (tmp_path / "ltg.xml").write_bytes(wiki.dump())
    with pytest.raises(DamagedInputError, match=r"ltg\.xml:\d+: bad-page: .*pass on_unreadable"):
        wikisem.count_links(tmp_path / "ltg.xml", "ltg")


@pytest.mark.parametrize("read", [wikisem.read_entities, lambda path: wikisem.count_links(path, "en")])
def test_what_is_no_dump_is_an_error_of_wikisem(read: object, tmp_path: Path) -> None:
    """A missing file, an empty one and one of another kind are named."""
    assert callable(read)
    with pytest.raises(MissingInputError, match=r"expected a dump file, saw none at .*nothing\.json"):
        read(tmp_path / "nothing.json")
    for data in (b"", b"[\n]\n"):
        (tmp_path / "odd.json").write_bytes(data)
        with pytest.raises(DamagedInputError, match=r"odd\.json: expected .*(?:dump|XML), saw"):
            read(str(tmp_path / "odd.json"))


def test_check_finds_what_the_command_finds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The violations of a data set are those that ``wikisem check --json`` prints; the recipe may be a Recipe."""
    words = [f"{name} F.C." for name in ("Arsenal", "Chelsea", "Everton", "Fulham", "Leeds", "Luton", "Stoke")]
    (tmp_path / "Q1.txt").write_text("\n".join([*words, "", "desert", ""]))
    found = wikisem.check(tmp_path, "en")
    assert main(["check", str(tmp_path), "--language", "en", "--json"]) == 1
    printed = json.loads(capsys.readouterr().out)
    assert [asdict(each) for each in found] == printed
    assert [each.rule for each in found] == ["affix"]
    assert wikisem.check(str(tmp_path), "en", recipe=wikisem.load_recipe("demo"))[0].group == "Q1"


def test_recipes_load_from_names_and_paths(tmp_path: Path) -> None:
    """A shipped name, a path and a Path give a recipe; an invalid one is a RecipeError."""
    (tmp_path / "mine.toml").write_text('name = "mine"\n[cluster]\nminimum = 5\n')
    assert wikisem.load_recipe("wikisem500").seed == 500
    assert wikisem.load_recipe(tmp_path / "mine.toml") == wikisem.load_recipe(str(tmp_path / "mine.toml"))
    (tmp_path / "bad.toml").write_text('name = "bad"\n[cluster]\nminimun = 5\n')
    with pytest.raises(RecipeError, match=r"did you mean cluster\.minimum"):
        wikisem.load_recipe(tmp_path / "bad.toml")


VECTORS = """rome 1 0.1 0
paris 1 0.2 0
oslo 1 0 0.1
lyon 0.9 0.1 0.1
desert 0 1 0
astronomy 0 0.1 1
"""
GROUP = "rome\nparis\noslo\n\nlyon\nastronomy\n"
CATEGORIES = ": capitals\nrome paris oslo nowhere\n: other\ndesert astronomy lyon\n"


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    """Vectors, a test group and categories small enough to score by hand."""
    for name, text in (("v.txt", VECTORS), ("Q1.txt", GROUP), ("c.txt", CATEGORIES)):
        (tmp_path / name).write_text(text)
    return tmp_path


def printed(words: Sequence[str], capsys: pytest.CaptureFixture[str]) -> list[Row]:
    """What ``wikisem evaluate`` prints as JSON, but for the baselines."""
    assert main(["evaluate", *words, "--json"]) == 0
    return [row for row in printed_rows(capsys.readouterr().out) if row.task != "baseline"]


def test_scores_are_those_of_the_command(sets: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each function gives what ``wikisem evaluate`` prints, with a path or opened vectors, and prints nothing."""
    vectors = ["--vectors", str(sets / "v.txt")]
    model = wikisem.evaluate.open_vectors(sets / "v.txt")
    found = wikisem.evaluate.outliers(sets / "Q1.txt", model)
    topk = wikisem.evaluate.topk(sets / "c.txt", str(sets / "v.txt"), k=2)
    odd = wikisem.evaluate.oddoneout(str(sets / "c.txt"), model, 2, distance="cosine-unit", skip_oov=True)
    both = wikisem.evaluate.combined(sets / "c.txt", model, 2)
    assert capsys.readouterr() == ("", "")
    assert found.rows == printed(["outliers", str(sets / "Q1.txt"), *vectors], capsys)
    assert (found.row("accuracy").dataset, found.row("accuracy").cases) == ("Q1", 2)
    assert topk.rows == printed(["topk", str(sets / "c.txt"), "-k", "2", *vectors], capsys)
    assert both.rows == printed(["combined", str(sets / "c.txt"), "-k", "2", *vectors], capsys)
    options = ["-k", "2", "--distance", "cosine-unit", "--skip-oov"]
    assert odd.rows == printed(["oddoneout", str(sets / "c.txt"), *options, *vectors], capsys)
    assert topk.row("score").value != odd.row("score").value
    names = ("capitals", "other")
    assert [odd.row("missing", part="category", name=name).value for name in names] == [1, 0]
    assert repr(odd) == f"Scores(rows={len(odd.rows)}, models=1, notes={len(odd.notes)})"


@pytest.mark.parametrize("task", ["topk", "oddoneout", "combined"])
def test_defaults_are_those_of_the_command(task: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three neighbours of a word, and three words that an intruder joins."""
    vectors = [f"{letter} {number} {number * number % 7}" for number, letter in enumerate("abcdefghij", start=1)]
    (tmp_path / "v.txt").write_text("\n".join(["10 2", *vectors]) + "\n")
    (tmp_path / "c.txt").write_text(": first\na b c d e\n: second\nf g h i j\n")
    score = getattr(wikisem.evaluate, task)
    by_default = score(tmp_path / "c.txt", str(tmp_path / "v.txt"))
    assert by_default.rows != score(tmp_path / "c.txt", str(tmp_path / "v.txt"), 4).rows
    capsys.readouterr()
    assert by_default.rows == printed([task, str(tmp_path / "c.txt"), "--vectors", str(tmp_path / "v.txt")], capsys)


def test_groups_of_any_kind_are_scored(world: Path, sets: Path) -> None:
    """Groups of a build, words of a data set and a path give the same scores, with a callable as the model."""

    def encode(texts: Sequence[str]) -> list[list[float]]:
        return [[len(text), text.count("a"), 1.0] for text in texts]

    path = world / "out" / "groups" / "en.jsonl"
    model = wikisem.evaluate.open_vectors(encode, name="letters")
    scores = [
        [replace(row, dataset="") for row in wikisem.evaluate.outliers(groups, model).rows]
        for groups in (path, wikisem.read_groups(path), wikisem.read_dataset(path))
    ]
    assert scores[0] == scores[1] == scores[2]
    assert {row.model for row in scores[0]} == {"letters"}
    assert {row.name for row in scores[0] if row.part == "outlier class"} == {"O1", "O2", "O3"}
    with pytest.raises(UsageError, match="topk needs a model with a vocabulary, letters has none"):
        wikisem.evaluate.topk(sets / "c.txt", model)


def test_several_models_are_compared_on_what_all_know(sets: Path) -> None:
    """In the common vocabulary are only test cases whose words all models know; differences are rows."""
    (sets / "small.txt").write_text("".join(line for line in VECTORS.splitlines(keepends=True) if "lyon" not in line))
    found = wikisem.evaluate.outliers(sets / "Q1.txt", {"whole": sets / "v.txt", "small": sets / "small.txt"})
    assert found.row("accuracy", model="whole", vocabulary="own").cases == 2
    assert found.row("accuracy", model="whole").cases == found.row("accuracy", model="small").cases == 1
    assert found.row("accuracy", model="whole", less="small").value == 0
    assert [(answer["model"], answer["outlier"]) for answer in found.answers()] == [
        ("whole", "astronomy"),
        ("small", "astronomy"),
    ]


def test_audit_and_explain_give_what_the_commands_print(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The measures of a run, and why a class has its group, in one language or in all."""
    out = world / "out"
    audited = wikisem.audit(out)
    assert capsys.readouterr() == ("", "")
    assert main(["audit", str(out), "--json"]) == 0
    (said,) = json.loads(capsys.readouterr().out)
    assert [one.measures.group.id for one in audited.groups] == [group["id"] for group in said["groups"]]
    assert set(audited.languages) == set(said["languages"]) == {"en", "ja"}

    group = wikisem.read_groups(out, "ja")[0]
    explained = wikisem.explain(out, group.qid)
    assert {one.language: one.group for one in explained}["ja"] == group
    assert wikisem.explain(str(out), group.qid, "ja") == [one for one in explained if one.language == "ja"]
    assert capsys.readouterr() == ("", "")
    with pytest.raises(MissingInputError, match=r"expected groups in one of en, ja in .*, saw fr"):
        wikisem.explain(out, group.qid, "fr")
    assert wikisem.explain(out, group.label, "ja") == wikisem.explain(out, group.qid, "ja")
    with pytest.raises(MissingInputError, match="expected a QID, or the label of a class, saw 'no such class'"):
        wikisem.explain(out, "no such class")


def test_browse_writes_what_the_command_writes(world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The same files, and it returns the one to open."""
    assert main(["browse", str(world / "out"), "--output", str(tmp_path / "one")]) == 0
    capsys.readouterr()
    opened = wikisem.browse(world / "out", tmp_path / "other")
    assert opened == tmp_path / "other" / "index.html"
    assert capsys.readouterr() == ("", "")
    assert tree_of(tmp_path / "one", ".") == tree_of(tmp_path / "other", ".")


def test_release_writes_what_the_command_writes(
    world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same bytes, with the same checks of its words."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1793491200")
    words = ["--maintainer", "Ada", "--contact", "ada@example.org", "--repository", "ada/set"]
    assert main(["release", str(world / "out"), "--output", str(tmp_path / "one"), *words]) == 0
    capsys.readouterr()
    other = tmp_path / "other"
    about = wikisem.release(world / "out", other, maintainer="Ada", contact="ada@example.org", repository="ada/set")
    assert about.cases == sum(len(group.outliers) for group in wikisem.read_groups(world / "out"))
    assert capsys.readouterr() == ("", "")
    assert tree_of(tmp_path / "one", ".") == tree_of(other, ".")
    with pytest.raises(UsageError, match="expected a name such as my-name/wikisem, saw 'ada'"):
        wikisem.release(world / "out", other, repository="ada")
    with pytest.raises(UsageError, match="expected an e-mail address or a web page"):
        wikisem.release(world / "out", other, contact="no\nbody")


def test_no_groups_are_an_error() -> None:
    """An empty list of groups has no score."""
    with pytest.raises(MissingInputError, match="expected test groups, saw none"):
        wikisem.evaluate.outliers([], wikisem.evaluate.open_vectors(list))
