"""Walls as lines, and what is refused as no wall."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from msgspec.structs import replace

from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.outputs.groupfile import decode_wall, encode_wall, read_walls
from wikisem.records import Herring, Member, Wall, WallGroup

CLASSES = ("Q1", "Q2", "Q3", "Q4")


def make_wall(name: str = "en-far-1", **changes: Any) -> Wall:
    """A wall whose words are in the order of their groups: Q10 to Q13 of Q1, Q20 to Q23 of Q2, and so on."""
    ids = [[f"Q{10 * group + word}" for word in range(4)] for group in range(1, 5)]
    words = tuple(
        Member(id=qid, surface=f"word {qid}", source="label", count=0, total=0, sitelinks=5)
        for own in ids
        for qid in own
    )
    groups = tuple(WallGroup(qid, f"class {qid}", tuple(own)) for qid, own in zip(CLASSES, ids, strict=True))
    return replace(Wall(name, "en", "far", words, groups, (), CLASSES), **changes)


HERRINGS = (Herring("Q10", ("Q2", "Q4"), ("graph", "witness")), Herring("Q31", ("Q4",), ("witness",)))
HERRING_WALL = make_wall("en-herring-1", tier="herring", herrings=HERRINGS, margin=0.05)


def test_a_wall_is_written_key_by_key_as_the_format_says() -> None:
    """Words and herrings are written whole, groups with their class, label and items."""
    row = orjson.loads(encode_wall(HERRING_WALL))
    assert list(row) == ["id", "language", "tier", "words", "groups", "herrings", "order", "margin"]
    assert (row["id"], row["language"], row["tier"], row["margin"]) == ("en-herring-1", "en", "herring", 0.05)
    assert [word["surface"] for word in row["words"][:2]] == ["word Q10", "word Q11"]
    assert row["groups"][1] == {"class": "Q2", "label": "class Q2", "members": ["Q20", "Q21", "Q22", "Q23"]}
    assert row["herrings"][0] == {"id": "Q10", "fits": ["Q2", "Q4"], "by": ["graph", "witness"]}
    assert row["order"] == ["Q1", "Q2", "Q3", "Q4"]


@pytest.mark.parametrize("wall", [make_wall(), HERRING_WALL])
def test_a_wall_survives_its_line(wall: Wall) -> None:
    """Reading a written wall gives the same wall."""
    assert decode_wall(encode_wall(wall)) == wall


def other_words(change: Callable[[Member], Member]) -> tuple[Member, ...]:
    """The words of the wall with another one in the first place."""
    first, *rest = make_wall().words
    return (change(first), *rest)


GROUPS = make_wall().groups


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"words": make_wall().words[:15]}, "expected 16 items, each once"),
        ({"words": other_words(lambda one: replace(one, id="Q11"))}, "expected 16 items, each once"),
        ({"words": other_words(lambda one: replace(one, surface="WORD q11"))}, "expected surface forms that differ"),
        ({"words": other_words(lambda one: replace(one, id="Q99"))}, "expected groups with each word once"),
        ({"words": other_words(lambda one: replace(one, id="P31"))}, "saw 'P31'"),
        ({"groups": GROUPS[:3]}, "expected 4 classes, each once"),
        ({"groups": (*GROUPS[:3], replace(GROUPS[3], qid="Q1"))}, "expected 4 classes, each once"),
        ({"groups": (*GROUPS[:3], replace(GROUPS[3], members=("Q40",) * 3))}, "expected 4 members in each group"),
        ({"groups": (*GROUPS[:3], replace(GROUPS[3], members=("Q40",) * 4))}, "expected groups with each word once"),
        ({"order": CLASSES[:3]}, "expected an order of the four classes"),
        ({"tier": "near"}, "Invalid enum value 'near'"),
        ({"language": "../en"}, "'../en'"),
        ({"herrings": HERRINGS}, "none in the others, saw"),
        ({"tier": "herring", "herrings": HERRINGS[:1]}, "2 herrings or more in the tier herring"),
        ({"tier": "herring", "herrings": (*HERRINGS, replace(HERRINGS[0], id="Q98"))}, "herrings among the words"),
        ({"tier": "herring", "herrings": HERRINGS, "order": CLASSES[::-1]}, "Q10 to fit classes that come after"),
        ({"tier": "herring", "herrings": (HERRINGS[0], replace(HERRINGS[1], fits=("Q9",)))}, "Q31 to fit classes"),
        ({"tier": "herring", "herrings": (HERRINGS[0], replace(HERRINGS[1], by=()))}, "Q31 to fit classes"),
    ],
)
def test_what_is_no_wall_is_named_with_its_place(changes: dict[str, Any], said: str) -> None:
    """The words must be sixteen, divided by the groups, and the order must leave no second solution."""
    with pytest.raises(DamagedInputError, match=r"en\.jsonl:7: ") as caught:
        decode_wall(encode_wall(make_wall(**changes)), "en.jsonl:7")
    assert said in str(caught.value)


def test_the_walls_of_a_run_are_read_from_its_folder(tmp_path: Path) -> None:
    """All languages in order, or one of them; a language without walls is missing input."""
    german = make_wall("de-far-1", language="de")
    (tmp_path / "walls").mkdir()
    (tmp_path / "walls" / "en.jsonl").write_bytes(encode_wall(make_wall()) + encode_wall(HERRING_WALL))
    (tmp_path / "walls" / "de.jsonl").write_bytes(encode_wall(german))
    assert read_walls(tmp_path) == [german, make_wall(), HERRING_WALL]
    assert read_walls(tmp_path, "de") == [german]
    assert read_walls(tmp_path / "walls" / "en.jsonl") == [make_wall(), HERRING_WALL]
    with pytest.raises(MissingInputError, match="expected walls in fr"):
        read_walls(tmp_path, "fr")
    with pytest.raises(MissingInputError, match="expected walls "):
        read_walls(tmp_path / "none.jsonl")


def test_an_id_is_given_once(tmp_path: Path) -> None:
    """The second wall with an id is named with its line."""
    (tmp_path / "en.jsonl").write_bytes(encode_wall(make_wall()) * 2)
    with pytest.raises(DamagedInputError, match=r"en\.jsonl:2: expected each id once, saw 'en-far-1' again"):
        read_walls(tmp_path / "en.jsonl")
    (tmp_path / "en.jsonl").write_bytes(encode_wall(make_wall()) + b"{}\n")
    with pytest.raises(DamagedInputError, match=r"en\.jsonl:2: expected a JSON line of a wall"):
        read_walls(tmp_path / "en.jsonl")
