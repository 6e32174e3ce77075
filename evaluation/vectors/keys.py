"""Vectors keyed by item or page rather than by word, as Camacho-Collados and Navigli (2016, 3.2) wish for.

How a vocabulary writes keys is seen from it; all of a vocabulary are taken to be written in one way, the first of these
that any of its words has (forms read 2026-11):

    qid    Q42 · <http://www.wikidata.org/entity/Q42>, as PyTorch-BigGraph has it · the same without brackets · wd:Q42
    title  ENTITY/New_York_City or with blanks, as Wikipedia2Vec has it · DBPEDIA_ID/, as Wiki2Vec has it ·
           <http://dbpedia.org/resource/New_York_City> and without brackets, dbr: · the title alone

So where entities have a prefix, a word of the same letters is never taken for one of them.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from wikisem.evaluation.vectors.lookup import Similarity, WordLookup, cosine
from wikisem.evaluation.vectors.words import WordVectors

Keys = Literal["qid", "title"]
KEYS: Final[tuple[Keys, ...]] = ("qid", "title")

_ENTITY: Final = "http://www.wikidata.org/entity/"
_RESOURCE: Final = "http://dbpedia.org/resource/"
# What comes before and after a key, in the order in which a vocabulary is looked through.
_QID_FORMS: Final = ((f"<{_ENTITY}", ">"), (_ENTITY, ""), ("wd:", ""), ("", ""))
_TITLE_FORMS: Final = (
    ("ENTITY/", ""),
    ("DBPEDIA_ID/", ""),
    (f"<{_RESOURCE}", ">"),
    (_RESOURCE, ""),
    ("dbr:", ""),
    ("", ""),
)
_FORMS: Final = {"qid": _QID_FORMS, "title": _TITLE_FORMS}


def keys_asked_for(keys: Iterable[str], kind: Keys) -> set[str]:
    """Every word that one of the keys can be looked up as, however the vocabulary writes keys."""
    return {word for key in keys for form in _FORMS[kind] for word in _written(key, form)}


def _written(key: str, form: tuple[str, str]) -> tuple[str, ...]:
    """A key in a form; a title with `_` and with blanks between its words."""
    before, after = form
    blanks = " ".join(key.replace("_", " ").split())
    return tuple(dict.fromkeys(f"{before}{text}{after}" for text in (blanks.replace(" ", "_"), blanks) if text))


class KeyLookup(WordLookup):
    """Items by the vector of their QID, or of the title of their page; there are no tokens and no phrases."""

    def __init__(
        self, name: str, words: WordVectors, kind: Keys, similarity: Similarity = cosine, about: Sequence[str] = ()
    ) -> None:
        super().__init__(name, words, False, lambda key: [key], similarity)
        self.lowercase = self.masks_digits = False
        self._form = _form_of(words.index, kind)
        shown = _written("Q42" if kind == "qid" else "New York", self._form)[0]
        self.about = (*about, f"vectors keyed by {kind}, written as {shown}")

    def parts(self, item: str) -> list[str]:
        """The word that a key is looked up as, whether known or not."""
        written = _written(item, self._form)
        return [next((word for word in written if word in self.words.index), written[0] if written else item)]


def _form_of(words: Iterable[str], kind: Keys) -> tuple[str, str]:
    """How the vocabulary writes keys."""
    left = [form for form in _FORMS[kind] if form[0]]
    best = len(left)
    for word in words:
        best = next((at for at, (before, after) in enumerate(left[:best]) if _has(word, before, after)), best)
        if not best:
            break
    return (*left, ("", ""))[best]


def _has(word: str, before: str, after: str) -> bool:
    return word.startswith(before) and word.endswith(after)
