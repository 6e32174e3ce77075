"""Ids of Wikidata (https://www.wikidata.org/wiki/Wikidata:Identifiers, 2026-11) and of languages, checked first."""

import re
from typing import Final

from wikisem.errors import BadIdError

# Thirty digits are more than any item will have. Python refuses to read numbers of thousands.
_QID: Final = re.compile(r"Q[1-9][0-9]{0,29}")
_PID: Final = re.compile(r"P[1-9][0-9]{0,29}")
_LANGUAGE: Final = re.compile(r"[a-z]+(-[a-z0-9]+)*")


def is_qid(text: str) -> bool:
    """Return whether the text is an item id such as "Q28640"."""
    return _QID.fullmatch(text) is not None


def check_qid(text: str) -> str:
    """Return the text itself if it is an item id; BadIdError otherwise."""
    if not is_qid(text):
        raise BadIdError(f"expected an item id such as Q28640, saw {text!r}")
    return text


def check_property(text: str) -> str:
    """Return the text itself if it is a property id; BadIdError otherwise."""
    if _PID.fullmatch(text) is None:
        raise BadIdError(f"expected a property id such as P31, saw {text!r}")
    return text


def check_language(text: str) -> str:
    """Return the text itself if it is a language code; BadIdError otherwise."""
    if _LANGUAGE.fullmatch(text) is None:
        raise BadIdError(f"expected a language code such as de or zh-yue, saw {text!r}")
    return text


def qid_number(qid: str) -> int:
    """Return the number of an item id: 28640 for "Q28640". Ties and orders compare this, never the text."""
    return int(check_qid(qid)[1:])


def qid_of(number: int) -> str:
    """Return the item id of a number: "Q28640" for 28640."""
    return f"Q{number}"
