"""What people know about languages, a row each; everything else is learned or follows from the script.

Source of list words: naming conventions and list articles of the Wikipedias, read 2026-11; for English: Blair et al.
(2016), footnote 3. Hyphens: Pe̍h-ōe-jī and the romanisations made after it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class LanguageRow:
    """What a person knows about a language and no dump shows as reliably.

    ``words`` is for languages with spaces whose words hardly change their form, ``hyphens`` for those that write
    hyphens between the parts of a word. ``lists`` holds prefixes and suffixes of the titles of list articles, with the
    space that sets them off, separated by ``|``; "…" is at least one character of the title.
    """

    words: bool = False
    hyphens: bool = False
    lists: str = ""


ROWS: Final[Mapping[str, LanguageRow]] = {
    "ar": LanguageRow(lists="قائمة "),
    "be": LanguageRow(lists="Спіс "),
    "bg": LanguageRow(lists="Списък "),
    "ca": LanguageRow(lists="Llista de |Llista d'|Llistat de "),
    "cdo": LanguageRow(hyphens=True),
    "cs": LanguageRow(lists="Seznam "),
    "da": LanguageRow(lists="Liste over "),
    "de": LanguageRow(lists="Liste der |Liste des |Liste von "),
    "el": LanguageRow(lists="Κατάλογος "),
    "en": LanguageRow(words=True, lists="List of |Lists of "),
    "eo": LanguageRow(lists="Listo de "),
    "es": LanguageRow(lists="Anexo:|Lista de |Listado de "),
    "et": LanguageRow(lists=" loend"),
    "eu": LanguageRow(lists=" zerrenda"),
    "fa": LanguageRow(lists="فهرست "),
    "fi": LanguageRow(lists="Luettelo "),
    "fr": LanguageRow(lists="Liste de |Liste des |Liste du |Liste d'|Liste d’"),
    "gan": LanguageRow(lists="一覽|…列表"),
    "gl": LanguageRow(lists="Lista de "),
    "hak": LanguageRow(hyphens=True),
    "he": LanguageRow(lists="רשימת "),
    "hi": LanguageRow(lists=" की सूची"),
    "hr": LanguageRow(lists="Popis "),
    "hu": LanguageRow(lists=" listája"),
    "hy": LanguageRow(lists=" ցանկ"),
    "id": LanguageRow(lists="Daftar "),
    "it": LanguageRow(lists="Lista di |Lista dei |Lista degli |Lista delle |Elenco "),
    "ja": LanguageRow(lists="一覧"),
    "ka": LanguageRow(lists=" სია"),
    "ko": LanguageRow(lists=" 목록"),
    "lt": LanguageRow(lists=" sąrašas"),
    "lv": LanguageRow(lists=" saraksts"),
    "mk": LanguageRow(lists="Список на "),
    "ms": LanguageRow(lists="Senarai "),
    "nl": LanguageRow(lists="Lijst van "),
    "nn": LanguageRow(lists="Liste over "),
    "no": LanguageRow(lists="Liste over "),
    "pl": LanguageRow(lists="Lista "),
    "pt": LanguageRow(lists="Anexo:|Lista de |Lista dos |Lista das "),
    "ro": LanguageRow(lists="Lista "),
    "ru": LanguageRow(lists="Список "),
    "sh": LanguageRow(lists="Spisak |Popis "),
    "simple": LanguageRow(words=True, lists="List of |Lists of "),
    "sk": LanguageRow(lists="Zoznam "),
    "sl": LanguageRow(lists="Seznam "),
    "sr": LanguageRow(lists="Списак |Spisak "),
    "sv": LanguageRow(lists="Lista över "),
    "th": LanguageRow(lists="รายชื่อ"),
    "tr": LanguageRow(lists=" listesi"),
    "uk": LanguageRow(lists="Список "),
    "vi": LanguageRow(lists="Danh sách "),
    "wuu": LanguageRow(lists="一览|…列表"),
    "zh": LanguageRow(lists="一覽|一览|…列表"),
    "zh-classical": LanguageRow(lists="…列表"),
    "zh-min-nan": LanguageRow(hyphens=True),
    "zh-yue": LanguageRow(lists="一覽|…列表"),
}
