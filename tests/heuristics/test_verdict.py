"""How many surface forms have something in common."""

from wikisem.heuristics.rules.wording import largest_sharing


def test_the_earliest_key_wins_a_tie() -> None:
    """Two keys are shared by two each: the one that comes first is the answer, with its surfaces in their order."""
    assert largest_sharing(["b1", "a1", "a2", "b2"], lambda surface: surface[0]) == ("b", ["b1", "b2"])


def test_surfaces_without_a_key_share_nothing() -> None:
    """None is no key; without any key the answer is empty."""
    assert largest_sharing(["b1", "a1", "a2"], lambda surface: None if surface[0] == "a" else "b") == ("b", ["b1"])
    assert largest_sharing(["a1", "a2"], lambda _: None) == ("", [])
