"""Ids are checked before they touch a path, a query or an array."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wikisem.errors import BadIdError
from wikisem.ids import check_language, check_property, check_qid, is_qid, qid_number, qid_of


@pytest.mark.parametrize(
    "text",
    [
        "Q0",
        "Q01",
        "q1",
        "Q",
        "",
        "Q1\n",
        " Q1",
        "Q-1",
        "Q１",
        "P31",
        "Q1/../x",
        f"Q{2**100}",
    ],
)
def test_what_is_no_qid_is_refused(text: str) -> None:
    """No leading zero, no other digits than ASCII's, nothing around it, and no more than thirty of them."""
    assert not is_qid(text)
    for use in (check_qid, qid_number):
        with pytest.raises(BadIdError, match="expected an item id such as Q28640, saw"):
            use(text)


@given(st.integers(1, 2**63))
def test_numbers_and_ids_are_the_same_thing(number: int) -> None:
    """There and back."""
    qid = qid_of(number)
    assert check_qid(qid) == qid
    assert qid_number(qid) == number


@pytest.mark.parametrize("text", ["de", "zh-yue", "be-x-old", "roa-tara", "map-bms", "sr-ec", "zh-min-nan", "x-1a"])
def test_language_codes_are_lower_case_parts_with_dashes(text: str) -> None:
    """Codes of every Wikipedia and of variants."""
    assert check_language(text) == text


@pytest.mark.parametrize("text", ["", "DE", "de_at", "-de", "de-", "1a", "de/..", "..", "de\n", "д", "mul*"])
def test_codes_that_could_leave_a_folder_are_refused(text: str) -> None:
    """They become folders."""
    with pytest.raises(BadIdError, match="expected a language code"):
        check_language(text)


@pytest.mark.parametrize("text", ["P0", "p31", "P031", "Q31", "P", "P31 "])
def test_what_is_no_property_is_refused(text: str) -> None:
    """The same form, with another letter."""
    assert check_property("P31") == "P31"
    with pytest.raises(BadIdError, match="expected a property id such as P31"):
        check_property(text)
