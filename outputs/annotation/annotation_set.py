"""An annotation set: its test cases with the key, and who gets which of them in which order.

The key (``key.json``) is the only place that says which word is the outlier. A sheet is what one annotator sees.
"""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final, Literal

import msgspec

from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.typed_json import decode_json

KEY_FILE: Final = "key.json"

# What an annotator answers instead of the number of a word, which counts from 1.
CANNOT_TELL: Final = 0


@dataclass(frozen=True, slots=True)
class AnnotationCase:
    """A test case as it is shown: its words in order, and which of them, counted from 1, is the outlier.

    ``id`` tells nothing about the group, whose id could be looked up; ``outlier_class`` is None where the data set
    does not say.
    """

    id: str
    group: str
    words: tuple[str, ...]
    outlier: int
    outlier_class: int | None

    @property
    def cluster(self) -> tuple[str, ...]:
        """The words without the outlier."""
        return self.words[: self.outlier - 1] + self.words[self.outlier :]


@dataclass(frozen=True, slots=True)
class Sheet:
    """What one annotator gets: the ids and words of cases in the order in which they are shown, and no key.

    ``two_answers`` asks for one without help, then for one with it.
    """

    set: str
    annotator: str
    language: str
    cases: tuple[tuple[str, tuple[str, ...]], ...]
    two_answers: bool = False


@dataclass(frozen=True)
class AnnotationSet:
    """The cases of a language, the ids of those that every annotator gets, and each annotator's cases in order.

    With ``two_answers`` each case is answered twice, without help and then with it, as in the study of Camacho-Collados
    and Navigli (2016, 3.1).
    """

    language: str
    seed: int
    cases: tuple[AnnotationCase, ...]
    overlap: tuple[str, ...]
    annotators: dict[str, tuple[str, ...]]
    two_answers: bool = False

    @cached_property
    def by_id(self) -> dict[str, AnnotationCase]:
        """The cases by their ids."""
        return {case.id: case for case in self.cases}

    @cached_property
    def fingerprint(self) -> str:
        """Twelve hexadecimal digits that depend on all that annotators see, and on nothing that they do not see."""
        seen: list[object] = [
            self.language,
            [[case.id, case.words] for case in self.cases],
            sorted((name, cases) for name, cases in self.annotators.items()),
        ]
        if self.two_answers:
            seen.append("two answers")
        return hashlib.blake2b(msgspec.json.encode(seen), digest_size=6).hexdigest()

    def sheet(self, annotator: str) -> Sheet:
        """What one annotator gets."""
        cases = tuple((case, self.by_id[case].words) for case in self.annotators[annotator])
        return Sheet(self.fingerprint, annotator, self.language, cases, self.two_answers)


@dataclass(frozen=True, slots=True)
class _KeyFile:
    """What ``key.json`` holds."""

    format: Literal["wikisem annotation key 1"]
    fingerprint: str
    set: AnnotationSet


def encode_key(annotation: AnnotationSet) -> bytes:
    """The text of ``key.json``."""
    key = _KeyFile("wikisem annotation key 1", annotation.fingerprint, annotation)
    return msgspec.json.format(msgspec.json.encode(key), indent=1) + b"\n"


def read_key(folder: Path) -> AnnotationSet:
    """The annotation set of a folder of sheets; MissingInputError without a key, DamagedInputError if changed."""
    path = folder / KEY_FILE
    if not path.is_file():
        raise MissingInputError(f"{folder}: expected a folder that wikisem annotate wrote, saw no {KEY_FILE} in it")
    key = decode_json(path.read_bytes(), _KeyFile, str(path), "the key of an annotation set")
    _check(key, path)
    return key.set


def _check(key: _KeyFile, path: Path) -> None:
    annotation = key.set
    ids = {case.id for case in annotation.cases}
    unknown = {case for cases in annotation.annotators.values() for case in cases} - ids
    unplaced = [case.id for case in annotation.cases if not 1 <= case.outlier <= len(case.words)]
    if unknown or unplaced:
        raise DamagedInputError(f"{path}: expected outliers among the words of known cases, saw {unknown or unplaced}")
    if annotation.fingerprint != key.fingerprint:
        raise DamagedInputError(
            f"{path}: expected the cases of set {key.fingerprint}, saw those of {annotation.fingerprint}: it "
            "was changed"
        )
