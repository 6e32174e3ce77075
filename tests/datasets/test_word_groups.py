"""Data sets of test groups: what is read, in which order, and how damage is named."""

import csv
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.word_groups import outlier_word, surfaces, word_group
from wikisem.datasets.files import data_set_name
from wikisem.datasets.word_groups import OUTLIER_CLASSES_FILE, parse_group, read_dataset
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.outputs.groupfile import encode_group
from wikisem.records import Group, Member, Outlier

WORDS = st.lists(st.from_regex(r"[a-zà-ÿ京都_]{1,6}", fullmatch=True), min_size=1, max_size=9)
LINE = '{"class":"Q5","language":"de","label":"x","cluster":[{"id":"Q1","surface":"a b"},{"surface":"c"}],'


@given(WORDS, WORDS, st.sampled_from(["\n", "\r\n"]), st.booleans(), st.integers(1, 3))
def test_text_gives_back_its_lines(cluster: list[str], outliers: list[str], end: str, last: bool, blank: int) -> None:
    """Every line is kept, in order and repeated, with either line ending and with or without the last newline."""
    text = end.join([*cluster, *[""] * blank, *outliers]) + (end if last else "")
    group = parse_group(text, "Q1", "here")
    assert (surfaces(group.cluster), surfaces(group.outliers)) == (tuple(cluster), tuple(outliers))


@pytest.mark.parametrize("count", range(1, 9))
def test_the_outlier_class_is_known_only_among_six(count: int) -> None:
    """Six outliers are in the order O1 O1 O2 O2 O3 O3; with any other number the class is unknown, not guessed."""
    group = parse_group("a\nb\n\n" + "x\n" * count, "Q1", "here")
    known = [1, 1, 2, 2, 3, 3] if count == 6 else [None] * count
    assert [outlier.outlier_class for outlier in group.outliers] == known


def _write_set(folder: Path, sides: str) -> None:
    folder.mkdir(parents=True)
    for name in ("Q1", "Q2", "Q3"):
        (folder / f"{name}.txt").write_text("a\nb\n\n" + "x\n" * (4 if name == "Q3" else 6))
    (folder / OUTLIER_CLASSES_FILE).write_text(sides)


@pytest.mark.parametrize("packed", [False, True])
def test_the_side_file_of_a_folder_says_the_outlier_classes(tmp_path: Path, packed: bool) -> None:
    """In a folder and in an archive; six outliers that it does not name may be of any class, for a build says all."""
    _write_set(tmp_path / "set" / "en", '{"Q1": [1, 1, 1, 2, 2, null], "Q3": [3, 3, 3, 3]}')
    path = tmp_path / "set"
    if packed:
        path = tmp_path / "set.tar.gz"
        with tarfile.open(path, "w:gz") as archive:
            archive.add(tmp_path / "set", "set")
    classes = {group.id: [outlier.outlier_class for outlier in group.outliers] for group in read_dataset(path)}
    assert classes == {"Q1": [1, 1, 1, 2, 2, None], "Q2": [None] * 6, "Q3": [3, 3, 3, 3]}
    if not packed:
        (alone,) = read_dataset(path / "en" / "Q1.txt")
        assert alone.outliers[2].outlier_class == 1


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        ('{"Q1": [1, 1]}', r"Q1\.txt: expected 2 outliers, as outlier-classes\.json beside it says, saw 6"),
        ('{"Q1": [1, 1, 2, 2, 3, 6]}', r"outlier-classes\.json: expected the outlier classes of groups, saw"),
        ("[", r"outlier-classes\.json: expected the outlier classes of groups, saw"),
        ("\xff", r"outlier-classes\.json: expected the outlier classes of groups, saw"),
    ],
)
def test_a_side_file_that_does_not_fit_is_named(tmp_path: Path, sides: str, message: str) -> None:
    """What was edited by hand is not read as something else."""
    _write_set(tmp_path / "set", "{}")
    (tmp_path / "set" / OUTLIER_CLASSES_FILE).write_bytes(sides.encode("latin-1"))
    with pytest.raises(DamagedInputError, match=message):
        read_dataset(tmp_path / "set")


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\nb\n", "one block of lines"),
        ("", "no lines"),
        ("a\n\n", "one block of lines"),
        ("a\n\nb\n\nc\nd\n", "a third block from line 5"),
    ],
)
def test_text_that_is_no_group_is_named(tmp_path: Path, text: str, seen: str) -> None:
    """A file without exactly two parts is refused, with its path and what was seen."""
    (tmp_path / "Q1.txt").write_text("a\n\nb\n")
    (tmp_path / "Q2.txt").write_text(text)
    (tmp_path / "Q3.txt").write_text("a\n\nb\n")
    with pytest.raises(DamagedInputError, match=rf"Q2\.txt: expected cluster lines.*saw {seen}"):
        read_dataset(tmp_path)


def test_bytes_that_are_no_text_are_named_with_their_line(tmp_path: Path) -> None:
    """A byte that is no UTF-8 is refused with its line."""
    (tmp_path / "Q2.txt").write_bytes(b"a\nb\n\nc\xff\nd\n")
    with pytest.raises(DamagedInputError, match=r"Q2\.txt:4: expected UTF-8"):
        read_dataset(tmp_path)


def test_json_lines_carry_class_and_language(tmp_path: Path) -> None:
    """A JSON line gives its class, language, label, surfaces and outlier classes, unknown where it has none."""
    path = tmp_path / "de.jsonl"
    path.write_text(LINE + '"outliers":[{"surface":"d","outlier_class":3},{"surface":"e"}]}\r\n\n', encoding="utf-8")
    outliers = (outlier_word("d", 3), outlier_word("e", None))
    assert read_dataset(path) == [word_group("Q5", ("a b", "c"), outliers, f"{path}:1", "de", "x", ["Q1"])]


def test_groups_of_a_build_are_read(tmp_path: Path) -> None:
    """What a build writes as JSON lines is read back, with its place."""
    members = tuple(
        Member(id=f"Q{number}", surface=name, source="anchor", count=1, total=2, sitelinks=3)
        for number, name in enumerate("ab", start=1)
    )
    outlier = Outlier(
        id="Q9", surface="New York", source="label", count=0, total=0, sitelinks=10, outlier_class=2, via="Q8"
    )
    group = Group(id="Q7", label="label", language="la", cluster=members, outliers=(outlier,))
    (tmp_path / "la.jsonl").write_bytes(encode_group(group))
    assert read_dataset(tmp_path) == [replace(group, where=f"{tmp_path / 'la.jsonl'}:1")]


def test_a_language_without_groups_is_no_damage(tmp_path: Path) -> None:
    """An empty file of JSON lines, as a run leaves it where no class passed, holds no groups."""
    (tmp_path / "la.jsonl").write_text("")
    assert read_dataset(tmp_path) == []


@pytest.mark.parametrize("bad", ["{", '{"class":"Q1"}', LINE + '"outliers":[{"surface":7}]}', "word"])
def test_a_bad_json_line_is_named(tmp_path: Path, bad: str) -> None:
    """A line in the middle that is no group ends in an error with file and line."""
    good = LINE + '"outliers":[{"surface":"d"}]}'
    (tmp_path / "de.jsonl").write_text(f"{good}\n{bad}\n{good}\n")
    with pytest.raises(DamagedInputError, match=r"de\.jsonl:2: expected a JSON line of a group"):
        read_dataset(tmp_path)


def test_a_tree_is_read_in_order_of_path(tmp_path: Path) -> None:
    """Both forms are found in every folder below, other files and hidden ones are not data."""
    for name in ["en/Q2.txt", "en/Q10.txt", "de/Q3.txt", "de/.Q4.txt", ".git/Q5.txt", "de/notes.md"]:
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"\xef\xbb\xbfa\n\nb")
    groups = read_dataset(str(tmp_path))
    assert [group.id for group in groups] == ["Q3", "Q10", "Q2"]
    assert {surfaces(group.cluster) for group in groups} == {("a",)}


def test_nothing_to_read_is_said(tmp_path: Path) -> None:
    """A missing path and a folder without data sets are two different messages."""
    with pytest.raises(MissingInputError, match="saw nothing at"):
        read_dataset(tmp_path / "none")
    with pytest.raises(MissingInputError, match=r"expected files that end in \.txt, \.jsonl, \.parquet"):
        read_dataset(tmp_path)


@pytest.mark.realdata
def test_published_sets_are_read_whole(realdata: Path) -> None:
    """8-8-8 gives eight topics of eight and eight, all of unknown outlier class."""
    groups = read_dataset(realdata / "outlier-sets" / "8-8-8")
    assert [(len(group.cluster), len(group.outliers)) for group in groups] == [(8, 8)] * 8
    assert {outlier.outlier_class for group in groups for outlier in group.outliers} == {None}
    assert len(read_dataset(realdata / "outlier-sets")) == 10


@pytest.mark.parametrize("blank", ["", " ", "\t", "\u3000", " \n \n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("last", ["", "\n", "\n\n\n"])
def test_files_that_editors_have_touched_are_the_same_group(tmp_path: Path, blank: str, mark: bytes, last: str) -> None:
    """A mark in front, CRLF, a blank line that only looks empty, two of them, any number of newlines at the end."""
    text = f" actor\nNew York lawyer \n{blank}\nuniverse\nMount_Everest{last}"
    path = tmp_path / "Q1.txt"
    path.write_bytes(mark + text.replace("\n", "\r\n").encode())
    (group,) = read_dataset(path)
    assert (surfaces(group.cluster), surfaces(group.outliers)) == (
        ("actor", "New York lawyer"),
        ("universe", "Mount_Everest"),
    )
    assert (group.id, group.where, group.language) == ("Q1", str(path), "")


def test_blank_lines_in_front_are_no_part(tmp_path: Path) -> None:
    """The first part begins with the first word; a third one is told with the line that it begins on."""
    (tmp_path / "Q1.txt").write_text("\n\na\nb\n\nx\n")
    (group,) = read_dataset(tmp_path)
    assert (surfaces(group.cluster), surfaces(group.outliers)) == (("a", "b"), ("x",))
    (tmp_path / "Q1.txt").write_text("\n\na\nb\n\nx\n\n\ny\n")
    with pytest.raises(DamagedInputError, match=r"Q1\.txt: expected cluster lines.*saw a third block from line 9"):
        read_dataset(tmp_path)


def test_a_folder_with_the_name_of_a_data_set_is_a_folder(tmp_path: Path) -> None:
    """Its files are read, and it is not opened itself."""
    (tmp_path / "sets.txt").mkdir()
    (tmp_path / "sets.txt" / "Q1.txt").write_text("a\n\nx\n")
    assert [group.id for group in read_dataset(tmp_path)] == ["Q1"]
    assert [group.id for group in read_dataset(tmp_path / "sets.txt")] == ["Q1"]


def test_a_json_line_may_have_more_keys_and_empty_parts(tmp_path: Path) -> None:
    """Keys of other tools are passed over; a group without outliers is a group, which scores then skip."""
    (tmp_path / "a.jsonl").write_text('{"class":"Q1","cluster":[],"outliers":[],"source":{"x":[1]},"language":"la"}')
    (group,) = read_dataset(tmp_path)
    assert (group.cluster, group.outliers, group.language) == ((), (), "la")


CSV = """group,word,role,language,id,note
fruit,lion,outlier,de,Q140,x
fruit,Apfel,cluster,de,Q89,
big cats,"Löwe, Leu",cluster,,,
fruit,Birne,cluster,de,,
fruit,apple,cluster,en,,
fruit,London,O3,en,Q84,
big cats,Apfel,O1,,,
"""


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table_has_a_row_for_each_word(tmp_path: Path, delimiter: str) -> None:
    """In any order; language, QID and outlier class where they are given; groups of two languages may share a name."""
    path = tmp_path / ("mine.tsv" if delimiter == "\t" else "mine.csv")
    rows = csv.reader(CSV.splitlines())
    path.write_text("".join(delimiter.join(f'"{cell}"' for cell in row) + "\r\n" for row in rows), encoding="utf-8-sig")
    found = read_dataset(path)
    assert [(group.language, group.id, surfaces(group.cluster), surfaces(group.outliers)) for group in found] == [
        ("de", "fruit", ("Apfel", "Birne"), ("lion",)),
        ("", "big cats", ("Löwe, Leu",), ("Apfel",)),
        ("en", "fruit", ("apple",), ("London",)),
    ]
    assert [group.outliers[0].outlier_class for group in found] == [None, 1, 3]
    assert [member.id for member in found[0].cluster] == ["Q89", ""]
    assert found[2].outliers[0].id == "Q84"
    assert found[1].where == f"{path}:4"
    assert data_set_name(path) == "mine"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"a\.csv:1: expected the columns group, word and role, saw no group in ''"),
        ("group,word\nfruit,apple\n", r":1: expected the columns group, word and role, saw no role in 'group,word'"),
        ("group,word,role\nfruit,apple,odd\n", r":2: expected .* of cluster, outlier, O1, O2, O3, saw .* and 'odd'"),
        ("group,word,role\nfruit,,cluster\n", r":2: expected a group, a word and a role"),
        ("group,word,role\nfruit,apple,cluster\n", r":2: expected a group with a cluster and outliers, saw no outlier"),
        ("group,word,role\nfruit,apple,O2\n", r":2: expected a group with a cluster and outliers, saw no cluster"),
    ],
)
def test_a_table_of_something_else_is_named(tmp_path: Path, text: str, message: str) -> None:
    """By its line, with what was expected of it."""
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(DamagedInputError, match=message):
        read_dataset(tmp_path / "a.csv")


def test_tables_in_a_folder_are_of_something_else(tmp_path: Path) -> None:
    """Of scores or answers, say: only a table that is named itself is a data set."""
    (tmp_path / "fruit.txt").write_text("apple\npear\n\nlion\n")
    (tmp_path / "scores.csv").write_text("model,accuracy\nx,3\n")
    assert [group.id for group in read_dataset(tmp_path)] == ["fruit"]
