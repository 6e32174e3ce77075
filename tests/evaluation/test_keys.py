"""Vectors keyed by item or page: how vocabularies write keys, which files hold them, and which data sets have them."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import wikisem
from tests.rows import one, printed_rows
from tests.word_groups import outlier_word, word_group
from wikisem.datasets.word_groups import keyed_groups, read_dataset
from wikisem.errors import MissingInputError, UsageError
from wikisem.evaluation.options import Keys
from wikisem.evaluation.rows import Row
from wikisem.evaluation.vectors.embeddings import KeyModel, from_words, words_asked_for
from wikisem.evaluation.vectors.models import open_model, read_vectors
from wikisem.pipeline.cli import main
from wikisem.records import Group, Member, Outlier

FORMS = {
    "qid": ["Q42", "<http://www.wikidata.org/entity/Q42>", "http://www.wikidata.org/entity/Q42", "wd:Q42"],
    "title": [
        "ENTITY/New_York",
        "ENTITY/New York",
        "DBPEDIA_ID/New_York",
        "<http://dbpedia.org/resource/New_York>",
        "http://dbpedia.org/resource/New_York",
        "dbr:New_York",
        "New_York",
        "New York",
    ],
}


@pytest.mark.parametrize(("kind", "word"), [(kind, word) for kind, words in FORMS.items() for word in words])
def test_a_key_is_found_as_the_vocabulary_writes_it(kind: Keys, word: str) -> None:
    """Whatever else is in it; and of a file everything is asked for that may be the key."""
    key = "Q42" if kind == "qid" else "New York"
    model = KeyModel("v", from_words(["x", "york", word], np.eye(3, dtype=np.float32)), kind)
    assert {item: vector.tolist() for item, vector in model.find([key, "Q1"]).items()} == {key: [0, 0, 1]}
    assert model.parts(key) == [word]
    assert word in words_asked_for([key], keys=kind)


@pytest.mark.parametrize("text", ["x1 2 2\ny 3 4\n", "x1\t2\t2\ny\t3\t4\n", "T_1 1 0\nT_2 1 1\n"])
def test_words_with_numbers_are_no_header(tmp_path: Path, text: str) -> None:
    """A first line that is a word and its numbers is none of another kind."""
    (tmp_path / "v.txt").write_text(text)
    assert len(read_vectors(tmp_path / "v.txt").index) == 2


def test_a_word_is_not_taken_for_an_entity() -> None:
    """Where entities have a prefix, what has none is a word, though it has the letters of a title."""
    words = ["Paris", "paris", "ENTITY/Lyon"]
    model = KeyModel("v", from_words(words, np.eye(3, dtype=np.float32)), "title")
    assert set(model.find(["Paris", "Lyon", ""])) == {"Lyon"}
    assert model.notes == ("vectors keyed by title, written as ENTITY/New_York",)


def test_keys_are_neither_lowercased_nor_divided() -> None:
    """A vocabulary without capitals has no Q42, and a title is one key though its words are known."""
    words = from_words(["q42", "new", "york"], np.eye(3, dtype=np.float32))
    assert KeyModel("v", words, "qid").find(["Q42"]) == {}
    assert KeyModel("v", words, "title").find(["New York", "new york"]) == {}


@given(st.sets(st.integers(1, 30), min_size=1), st.sets(st.integers(1, 30), min_size=1))
def test_only_what_is_asked_for_is_read(
    tmp_path_factory: pytest.TempPathFactory, known: set[int], asked: set[int]
) -> None:
    """A lookup of these items alone finds what the lookup of the whole file finds."""
    path = tmp_path_factory.mktemp("v") / "v.tsv"
    path.write_text("".join(f"<http://www.wikidata.org/entity/Q{n}>\t{n}\t1\n" for n in sorted(known)))
    items = [f"Q{n}" for n in sorted(asked)]
    some, whole = (open_model(str(path), items=each, keys="qid").find(items) for each in (items, None))
    expected = {f"Q{n}": [n, 1] for n in asked & known}
    assert {item: vector.tolist() for item, vector in whole.items()} == expected
    assert {item: vector.tolist() for item, vector in some.items()} == expected


def test_the_vectors_of_biggraph_are_read(tmp_path: Path) -> None:
    """A line of three numbers, entities with tabs (literals may hold blanks), then relations, which are no entities."""
    entity = "<http://www.wikidata.org/entity/{}>\t1\t2\t3"
    rows = [entity.format("Q42"), '"Fort Worth"@en\t4\t5\t6', entity.format("Q1")]
    relations = [f"<http://www.wikidata.org/prop/direct/P31>{end}\t7\t8\t9" for end in ("", "_reverse_relation")]
    for head in ("3\t1\t3", "# 3 entities, 1 relation type, 3 dimensions"):
        path = tmp_path / "wikidata.tsv.gz"
        path.write_bytes(gzip.compress("\n".join([head, *rows, *relations, ""]).encode()))
        vectors = read_vectors(path)
        assert list(vectors.index) == [row.split("\t")[0] for row in rows]
        found = open_model(str(path), items=["Q42", "Q7"], keys="qid").find(["Q42", "Q7"])
        assert {item: vector.tolist() for item, vector in found.items()} == {"Q42": [1, 2, 3]}


def test_the_text_of_wikipedia2vec_is_read(tmp_path: Path) -> None:
    """Its own form has tabs and blanks in titles, its word2vec form underscores and a header."""
    own = "the\t1 0\nENTITY/New York\t0 1\nparis\t1 1\n"
    (tmp_path / "own.txt").write_text(own)
    (tmp_path / "w2v.txt").write_text("3 2\n" + own.replace("New York", "New_York").replace("\t", " "))
    for name in ("own.txt", "w2v.txt"):
        found = open_model(str(tmp_path / name), items=["New York", "Paris"], keys="title").find(["New York", "Paris"])
        assert {item: vector.tolist() for item, vector in found.items()} == {"New York": [0, 1]}


def test_a_model_of_words_has_no_keys(tmp_path: Path) -> None:
    """Sentence encoders and the like read words; a function may read keys, and counts may be of items."""
    with pytest.raises(UsageError, match="model2vec:x: expected vectors keyed by qid, saw a model that reads words"):
        open_model("model2vec:x", keys="qid")
    (tmp_path / "c.tsv").write_text("Q1\tP31\t2\nQ2\tP31\t1\n")
    assert set(open_model(f"counts:{tmp_path / 'c.tsv'}?weight=raw", keys="qid").find(["Q1", "Q3"])) == {"Q1"}


def member(number: int, surface: str, title: str | None) -> dict[str, object]:
    """An item of a JSON line."""
    return {"id": f"Q{number}", "surface": surface, "title": title}


LINE = {
    "class": "Q9",
    "language": "de",
    "cluster": [
        member(1, "Rom", "Rom (Stadt)"),
        member(2, "Paris", "Paris"),
        member(3, "Wien", "Wien"),
        member(4, "X", None),
    ],
    "outliers": [
        member(5, "Rhein", "Rhein") | {"outlier_class": 2},
        member(6, "Paris", "Paris (Titan)") | {"outlier_class": 1},
    ],
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A group in which one word is two items, vectors of both, and the work done there."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "de.jsonl").write_text(json.dumps(LINE) + "\n")
    points = {1: "1 0", 2: "1 0.1", 3: "0.9 0", 5: "0 1", 6: "0.1 1"}
    titles = {1: "Rom_(Stadt)", 2: "Paris", 3: "Wien", 5: "Rhein", 6: "Paris_(Titan)"}
    (tmp_path / "graph.txt").write_text("".join(f"wd:Q{n} {point}\n" for n, point in points.items()))
    (tmp_path / "pages.txt").write_text("".join(f"ENTITY/{titles[n]} {point}\n" for n, point in points.items()))
    return tmp_path


def scores(*words: str, capsys: pytest.CaptureFixture[str]) -> list[Row]:
    """What evaluate outliers prints."""
    assert main(["evaluate", "outliers", "de.jsonl", *words, "--json"]) == 0
    return printed_rows(capsys.readouterr().out)


@pytest.mark.usefixtures("folder")
def test_the_command_looks_items_up_by_their_keys(capsys: pytest.CaptureFixture[str]) -> None:
    """Both items called Paris have their vectors; what has no page is out of vocabulary."""
    for rows in (
        scores("--vectors", "graph.txt", "--keys", "qid", capsys=capsys),
        scores("--vectors", "pages.txt", "--keys", "title", capsys=capsys),
    ):
        assert (one(rows).cases, one(rows).value, one(rows, "oov_cluster", part="coverage").value) == (2, 100, 25)
    assert main(["evaluate", "outliers", "de.jsonl", "--vectors", "pages.txt"]) == 1
    assert "expected test cases whose words pages.txt knows, saw none" in capsys.readouterr().err
    api = wikisem.evaluate.outliers(Path("de.jsonl"), "graph.txt", keys="qid")
    assert (api.row("accuracy").value, api.row("accuracy").cases) == (100, 2)


@pytest.mark.usefixtures("folder")
def test_a_data_set_without_keys_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """Text knows no items, nor do lines without titles."""
    Path("Q1.txt").write_text("a\nb\n\nc\n")
    assert main(["evaluate", "outliers", "Q1.txt", "--vectors", "graph.txt", "--keys", "qid"]) == 1
    assert "Q1.txt: expected groups whose items have a qid, as the JSON lines" in capsys.readouterr().err
    with pytest.raises(MissingInputError, match="have a title"):
        keyed_groups([word_group("Q1", ("a",), (outlier_word("b"),), "x")], "title")


@pytest.mark.usefixtures("folder")
def test_categories_are_looked_up_by_qid(capsys: pytest.CaptureFixture[str]) -> None:
    """Topk and OddOneOut over a vocabulary of items."""
    rows = [
        {"category": name, "language": "de", "items": [{"id": f"Q{n}", "label": "same"} for n in numbers]}
        for name, numbers in (("cities", (1, 2, 3)), ("others", (5, 6)))
    ]
    Path("sets.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    model = ["--vectors", "graph.txt", "--keys", "qid", "--json"]
    for task, k, score in (("topk", "1", 100), ("oddoneout", "2", 800 / 9)):
        assert main(["evaluate", task, "sets.jsonl", "-k", k, *model]) == 0
        found = printed_rows(capsys.readouterr().out)
        words = one(found, "words", part="category", name="cities")
        assert one(found, "score").value == pytest.approx(score)
        assert words.value == 3
    Path("sets.txt").write_text(": c\na b\n")
    assert main(["evaluate", "topk", "sets.txt", "--vectors", "graph.txt", "--keys", "qid"]) == 1
    assert "sets.txt: expected items with an id" in capsys.readouterr().err


def test_groups_of_the_api_have_keys(tmp_path: Path) -> None:
    """A Group has what its line has."""
    items = [
        Member(id=f"Q{n}", surface=f"s{n}", source="anchor", count=1, total=1, sitelinks=1, title=f"T {n}")
        for n in (1, 2)
    ]
    outlier = Outlier(
        id="Q3", surface="s3", source="anchor", count=1, total=1, sitelinks=1, outlier_class=1, via="Q9", title=None
    )
    (tmp_path / "v.txt").write_text("T_1 1 0\nT_2 1 0.1\nT_3 0 1\n")
    group = Group(id="Q8", label="c", language="de", cluster=tuple(items), outliers=(outlier,))
    scored = wikisem.evaluate.outliers([group], tmp_path / "v.txt", keys="title")
    missing = [scored.row(name, part="coverage").value for name in ("oov_cluster", "oov_outliers")]
    assert missing == [0, 100]


def test_parquet_has_the_keys_of_json_lines(tmp_path: Path) -> None:
    """And a file of before there were titles has none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist([LINE]), tmp_path / "de.parquet")
    (group,) = read_dataset(tmp_path / "de.parquet")
    assert [each.id for each in group.cluster] == ["Q1", "Q2", "Q3", "Q4"]
    assert [outlier.title for outlier in group.outliers] == ["Rhein", "Paris (Titan)"]
