"""The languages of test groups that only the names of folders tell, as in WikiSem500 (``de/Q5.txt``).

A folder is named by a code (``de``), or its name begins or ends with one in capitals (``50-8-8-DE``) or with the
English name of a language (``dataset_german``). The nearest folder that tells decides.
"""

import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Final

from wikisem.datasets.word_groups import WordGroup
from wikisem.wikis import WIKIPEDIA_CODES

_ENGLISH_NAMES: Final = {
    "arabic": "ar", "basque": "eu", "catalan": "ca", "chinese": "zh", "czech": "cs", "danish": "da", "dutch": "nl",
    "english": "en", "farsi": "fa", "finnish": "fi", "french": "fr", "galician": "gl", "german": "de", "greek": "el",
    "hebrew": "he", "hindi": "hi", "hungarian": "hu", "italian": "it", "japanese": "ja", "korean": "ko", "latin": "la",
    "norwegian": "no", "persian": "fa", "polish": "pl", "portuguese": "pt", "romanian": "ro", "russian": "ru",
    "spanish": "es", "swedish": "sv", "turkish": "tr", "ukrainian": "uk", "vietnamese": "vi",
}  # fmt: skip


def name_languages(groups: Iterable[WordGroup], root: Path) -> list[WordGroup]:
    """The groups of the data set at ``root``, those without a language given that of their folder, if it tells one."""
    return [group if group.language else replace(group, language=_language(group.where, root)) for group in groups]


def folder_language(name: str) -> str:
    """The language that the name of a folder tells, "" if it tells none.

    >>> [folder_language(name) for name in ("de", "zh-yue", "50-8-8-DE", "set_german", "25-8-8-Sem", "is_it")]
    ['de', 'zh-yue', 'de', 'de', '', '']
    """
    if name.lower() in WIKIPEDIA_CODES:
        return name.lower()
    words = re.split(r"[-_. ]", name)
    for word in (words[-1], words[0]):
        if word.isupper() and word.lower() in WIKIPEDIA_CODES:
            return word.lower()
        if word.lower() in _ENGLISH_NAMES:
            return _ENGLISH_NAMES[word.lower()]
    return ""


def _language(where: str, root: Path) -> str:
    """By the folders between the data set and the file, or else by the name of the data set or of its folder."""
    path, own = PurePath(where), root.resolve()
    inner = path.relative_to(root).parts[:-1] if path.is_relative_to(root) else ()
    outer = [own.name, own.parent.name] if root.is_file() else [own.name]
    told = filter(None, map(folder_language, [*reversed(inner), *outer]))
    return next(told, "")
