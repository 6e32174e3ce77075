"""What the files of a release say in words, each thing once; the texts are in words.toml."""

import tomllib
from importlib.resources import files
from typing import Final

WORDS: Final[dict[str, str]] = tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))
