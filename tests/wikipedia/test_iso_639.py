"""Standard codes for every Wikipedia: of the right form, and right where wikis have codes of their own."""

import re

from wikisem.wikipedia.languages import iso_639, iso_639_3, iso_15924
from wikisem.wikis import WIKIPEDIA_CODES


def test_every_wikipedia_has_a_code_and_a_script() -> None:
    """Three letters of ISO 639-3, two or three of ISO 639, four of ISO 15924."""
    for code in WIKIPEDIA_CODES:
        assert re.fullmatch("[a-z]{3}", iso_639_3(code)), code
        assert re.fullmatch("[a-z]{2,3}", iso_639(code)), code
        assert re.fullmatch("[A-Z][a-z]{3}", iso_15924(code)), code
    assert len(WIKIPEDIA_CODES) > 300
