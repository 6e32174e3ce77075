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


# Which letters right after ``]]`` belong to the link: MediaWiki's ``$linkTrail`` of each language, as facts.

DEFAULT: Final = "[a-z]+"

# Letters beyond a-z -> the languages whose trail they make up together with a-z. A language takes its trail from its
# fallback language if it has none of its own, which is why many share one.
_LETTERS: Final[Mapping[str, str]] = {
    "äöüß": "als bar de dsb hsb lb nds pdc pfl stq",
    "äöüßåāđē": "frr",
    "äöüïëéèà": "li nds-nl nl srn vls zea",
    "àáèéìíòóùúâêîôûäëïöü": "fy",
    "äöüėëĳßəğåůæœç": "ksh",
    "æøå": "da kl nn no",
    "åäöéÅÄÖÉ": "sv",
    "áðíóúýæø": "fo",
    "áðéíóúýþæö–-": "is",
    "äö": "fi",
    "čČšŠžŽäÄöÖ": "olo",
    "äöõšüž": "et fiu-vro vep",
    "áéíóúñ": "an ast ay cbk-zam es eu ext gn lad nah qu",
    "áâãàéêẽçíòóôõq̃úüűũ": "gl mwl pt",
    "àâçéèêîôûäëïöüùÇÉÂÊÎÔÛÄËÏÖÜÀÈÙ": "bm ff fr ln mg nrm pcd sg ty vi wo",
    "àâçéèêîœôû·’æäåāăëēïīòöōùü‘": "frp",
    "àâçéèêîôû": "oc",
    "åâêîôûçéè": "wa",
    "àèòÀÈÒ": "ht",
    "àéèíîìóòúù": "co eml fur it lij lmo nap pms roa-tara scn vec",
    "ăâîşţșțĂÂÎŞŢȘȚ": "rmy ro roa-rup",
    "àáâèéêìíîïòóôûŵŷ": "cy",
    "áčďéěíňóřšťúůýž": "cs",
    "áäčďéíľĺňóôŕšťúýž": "sk",
    "ęóąśłżźćńĘÓĄŚŁŻŹĆŃ": "csb pl szl",
    "čćđžš": "sh sl",
    "čšžćđß": "hr",
    "ćčžšđ": "bs",
    "áéíóúöüőűÁÉÍÓÚÖÜŐŰ": "hu",
    "ąčęėįšųūž": "bat-smg lt",
    "A-ZĀāČčĒēĢģĪīĶķĻļŅņŠšŪūŽž": "ltg lv",
    "ÇĞçğİıÖöŞşÜüÂâÎîÛû": "gag tr",
    "ÄäÇçĞğŇňÖöŞşÜüÝýŽž": "tk",
    "çêîşûẍḧÇÊÎŞÛẌḦ": "ku",
    "ʻʼ“»": "uz",
    "âçğıñöşüа-яё“»": "crh",
    "а-яё": "ab av bxr ce koi krc kv lez mdf mhr mrj myv ru sah tyv xal",
    "а-яё“»": "mn",
    "а-яёӀ1“»": "lbe",
    "а-яёӝӟӥӧӵ": "udm",
    'а-яĕçăӳ"»': "cv",
    "а-яёғӣқўҳҷ": "tg",
    "а-яёӘәӨөҮүҖҗҢңҺһ": "tt",
    "а-я": "bg",
    "а-гґд-еєжзиіїй-щьюяёъы“»": "rue uk",
    "а-гґд-зёій-уўф-шы-яćčłńśšŭźž": "be be-tarask",
    "а-гдѓежзѕијклљмнњопрстќуфхцчџш": "mk",
    "äçéğıïñöşüýʺʹа-яёәғіқңөұүһٴابپتجحدرزسشعفقكلمنڭەوۇۋۆىيچھ“»": "kk",
    "α-ωςΑ-ΡΣ-ΩάέήίόύώϊϋΐΰΆΈΉΊΌΎΏΪΫ": "el pnt",
    "ա-ֆև«»": "hy",
    "ა-ჰ“»": "ka xmf",
    "א-ת": "he yi",
    "ء-ي\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed": "ar ary arz",
    "ऀ-ॣ०-꣠-ꣿ": "hi mai sa",
    "ം-ൿ": "ml",
    "଀-୿": "or",
    "ਁ-ਃਅ-ਊਏਐਓ-ਨਪ-ਰਲਲ਼ਵਸ਼ਸਹ਼ਾ-ੂੇੈੋ-੍ਖ਼ਗ਼ਜ਼ੜਫ਼ੰੱੲੳ": "pa",
}

_PERSIAN: Final = "[ابپتثجچحخدذرزژسشصضطظعغفقکگلمنوهیآأئؤة]+"

# Trails that are more, or less, than a-z and some letters. The empty one takes nothing.
_WHOLE: Final[Mapping[str, str]] = {
    "br": "(?:[cC]['’][hH]|[a-zA-ZàâçéèêîôûäëïöüùñÇÉÂÊÎÔÛÄËÏÖÜÀÈÙÑ])+",
    "ca": "(?:[a-zàèéíòóúç·ïü]|'(?!'))+",
    "kaa": "(?:[a-zıʼ’“»]|'(?!'))+",
    "azb": _PERSIAN,
    "fa": _PERSIAN,
    "glk": _PERSIAN,
    "lrc": _PERSIAN,
    "mzn": _PERSIAN,
    "ckb": "[ئابپتجچحخدرڕزژسشعغفڤقکگلڵمنوۆهھەیێ]+",
    "bn": "[\u0980-\u09ff]+",
    "bpy": "[\u0980-\u09ff]+",
    "gu": "[\u0a80-\u0aff]+",
    "mr": "[\u0900-\u0963\u0971-\u097f]+",
    "ta": "[\u0b80-\u0bff]+",
    "te": "[\u0c01-\u0c6f]+",
    "sr": "[a-pr-vzčćđšžа-ик-шђјљњћџ]+",
    "gan": "",
    "wuu": "",
    "zh": "",
}

TRAILS: Final[Mapping[str, str]] = {
    **{code: f"[a-z{letters}]+" for letters, codes in _LETTERS.items() for code in codes.split()},
    **_WHOLE,
}
