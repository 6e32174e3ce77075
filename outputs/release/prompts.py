"""What language models are asked, in the language of the words: prompts.toml, read once."""

import tomllib
from importlib.resources import files
from typing import Any, Final, NamedTuple


class Prompt(NamedTuple):
    """The question, the word before the answer, and the request to answer with one of ``{answers}`` alone."""

    question: str
    answer: str
    request: str


_DATA: Final[dict[str, Any]] = tomllib.loads(files(__package__).joinpath("prompts.toml").read_text(encoding="utf-8"))
PROMPTS: Final = {code: Prompt(*texts) for code, texts in _DATA["languages"].items()}
# Phrasings of the English question; the first is that of PROMPTS["en"].
ENGLISH: Final[tuple[str, ...]] = tuple(_DATA["english"])
SOURCE: Final = f"{_DATA['source']} ({_DATA['date']})"


def prompt_in(language: str) -> Prompt:
    """Look up the prompt for groups of a language; English for a mix of languages and for those without one.

    >>> prompt_in("de").question, prompt_in("de+ja").question
    ('Welches Wort passt nicht zu den anderen?', 'Pick the odd word out.')
    """
    return PROMPTS.get(language, PROMPTS["en"])
