"""What every source of categories promises: the order of items and of values."""

from wikisem.categories.recipe import CandidateItem, Category, sorted_values
from wikisem.records import Statement


def test_ties_go_to_the_lower_number() -> None:
    """Most sitelinks first; of equals Q9 comes before Q10, though "Q10" sorts first as a string. 0 keeps all."""
    items = [CandidateItem("Q10", 3), CandidateItem("Q9", 3), CandidateItem("Q500", 8)]
    assert [one.qid for one in Category("all").most_prominent(items)] == ["Q500", "Q9", "Q10"]
    assert [one.qid for one in Category("two", limit=2).most_prominent(items)] == ["Q500", "Q9"]


def test_values_are_items_by_number_then_strings_by_language() -> None:
    """Each value comes once, items in front."""
    values = [Statement("P1", "b", "en"), Statement("P1", "Q10"), Statement("P1", "Q9"), Statement("P1", "b", "en")]
    assert sorted_values(values) == [Statement("P1", "Q9"), Statement("P1", "Q10"), Statement("P1", "b", "en")]
