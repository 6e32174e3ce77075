"""Which words a set may ask for: those of a vocabulary, single words, or all."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, Self

from wikisem.datasets.files import UNPACKING_ERRORS, open_unpacked
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.wikipedia.graphemes import initial_case


@dataclass(frozen=True)
class WordFilter:
    """Keeps the words of ``vocabulary`` (None: all), and with ``single`` only those without a blank.

    So Gao, Bian and Liu (2014), section 2.2, choose words. If no word of the vocabulary starts with a capital, words
    are looked up in lower case, as models are scored.

    >>> keep = WordFilter(frozenset({"dallas", "new york"}), single=True)
    >>> keep("Dallas"), keep("New York"), keep("Paris")
    (True, False, False)
    """

    vocabulary: frozenset[str] | None = None
    single: bool = False

    @classmethod
    def of(cls, vocabulary: Path | None, single: bool) -> Self:
        """Return the filter of the words of a file, if one is given, with blanks for underlines.

        The words are the first field of each line, as in lists of words, counts or vectors. The file is plain text,
        gzip or bzip2. MissingInputError if there is no file, DamagedInputError if it is not UTF-8.
        """
        if vocabulary is None:
            return cls(None, single)
        if not vocabulary.is_file():
            raise MissingInputError(f"expected a vocabulary, saw no file at {vocabulary}")
        number, words = 0, set[str]()
        try:
            with open_unpacked(vocabulary) as lines:
                for number, line in enumerate(lines, start=1):
                    if fields := line.split(maxsplit=1):
                        words.add(fields[0].decode("utf-8-sig" if number == 1 else "utf-8").replace("_", " "))
        except (UnicodeDecodeError, *UNPACKING_ERRORS) as error:
            where = f"{vocabulary}:{number}"
            raise DamagedInputError(f"{where}: expected the lines of a vocabulary in UTF-8, saw {error}") from error
        return cls(frozenset(words), single)

    def __call__(self, word: str) -> bool:
        """Return whether a word is kept."""
        if self.single and any(letter.isspace() for letter in word):
            return False
        return self.vocabulary is None or (word if self._capitals else word.lower()) in self.vocabulary

    def __bool__(self) -> bool:
        """Return whether it leaves anything out at all."""
        return self.single or self.vocabulary is not None

    @cached_property
    def _capitals(self) -> bool:
        return any(initial_case(word) == "capital" for word in self.vocabulary or ())


EVERY_WORD: Final = WordFilter()
