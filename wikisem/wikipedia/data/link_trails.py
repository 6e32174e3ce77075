"""Which letters after ``]]`` belong to the link: MediaWiki's ``$linkTrail`` of each language, as facts.

Sources, read 2026-11: ``linktrail`` of the wikis' siteinfo as of MediaWiki 1.45 (October 2025) where it was at hand,
else ``languages/messages/Messages*.php`` and the trails that Pywikibot keeps in ``family.py``. Where MediaWiki lists
letters one by one, here as ranges.
"""

from collections.abc import Mapping
from typing import Final

DEFAULT: Final = "[a-z]+"

# Letters beyond a-z -> the languages whose trail they make up together with a-z. A language takes its trail from its
# fallback language if it has none of its own, which is why so many share one.
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


def link_trail(code: str) -> str:
    """A regular expression for the trail of a link in a wiki; it matches from right after the ``]]``."""
    return TRAILS.get(code, DEFAULT)
