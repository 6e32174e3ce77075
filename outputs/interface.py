"""What pages for people say, in the language of a set where interface.toml has it, else in English."""

import tomllib
from collections.abc import Iterable
from importlib.resources import files
from typing import Final, Literal

_TEXTS: Final[dict[str, dict[str, dict[str, str]]]] = tomllib.loads(
    files(__package__).joinpath("interface.toml").read_text(encoding="utf-8")
)

Page = Literal["browse", "annotation"]


def texts_in(page: Page, languages: Iterable[str]) -> dict[str, dict[str, str]]:
    """Look up all texts of a page, by language and English text; a language without texts is left out."""
    found: dict[str, dict[str, str]] = {}
    for language in sorted(set(languages)):
        if own := {english: others[language] for english, others in _TEXTS[page].items() if language in others}:
            found[language] = own
    return found
