"""Names that tell groups apart."""

from tests.word_groups import word_group
from wikisem.evaluation.outlier_detection import group_ids
from wikisem.records import Group


def groups(*places: tuple[str, str, str]) -> list[Group]:
    """Groups of an id, a language and a file."""
    return [word_group(qid, (), (), where, language) for qid, language, where in places]


def test_the_shortest_form_is_taken() -> None:
    """An id, then the language or the folder before it, then more folders."""
    assert group_ids(groups(("a", "", "x/a.txt"), ("b", "", "x/b.txt"))) == ["a", "b"]
    mixed = groups(("a", "de", "f:1"), ("a", "en", "f:2"), ("b", "", "x/b.txt"), ("b", "", "y/b.txt"))
    assert group_ids(mixed) == ["de/a", "en/a", "x/b", "y/b"]
    assert group_ids(groups(("a", "", "x/a.txt"), ("a", "", "y/a.txt"))) == ["x/a", "y/a"]
    deep = groups(("a", "", "s/x/sem/a.txt"), ("a", "", "s/y/sem/a.txt"), ("b", "", "s/y/sem/b.txt"))
    assert group_ids(deep) == ["x/sem/a", "y/sem/a", "y/sem/b"]


def test_even_the_same_group_twice_has_two_names() -> None:
    """Where no place tells them apart, the line does, and then a number."""
    assert group_ids(groups(("a", "de", "f:1"), ("a", "de", "f:2"))) == ["a (f:1)", "a (f:2)"]
    assert group_ids(groups(("a", "de", "f:1"), ("a", "de", "f:1"))) == ["a (f:1)", "a (f:1) #2"]
    assert group_ids([]) == []


def test_plain_ids_are_kept_where_the_language_tells_them_apart() -> None:
    """Programs that join on the class find it as it is."""
    assert group_ids(groups(("a", "de", "f"), ("a", "en", "f"))) == ["a", "a"]
    assert group_ids(groups(("a", "", "x/a.txt"), ("a", "", "y/a.txt"))) == ["x/a", "y/a"]
