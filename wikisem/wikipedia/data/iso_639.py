"""Standard codes for the languages of Wikipedias, whose own codes are neither ISO 639 nor BCP 47 throughout.

Sources, read 2026-11: the tables of ISO 639-3 (https://iso639-3.sil.org/, as in Debian's iso-codes) for two-letter
codes; for the others the list of Wikipedias (https://meta.wikimedia.org/wiki/List_of_Wikipedias) and the notes on codes
that Wikimedia has not renamed (https://meta.wikimedia.org/wiki/Special_language_codes).
"""

from typing import Final

from wikisem.wikipedia.data.scripts import SCRIPTS

_TWO_LETTERS: Final = """
aa:aar ab:abk ae:ave af:afr ak:aka am:amh an:arg ar:ara as:asm av:ava ay:aym az:aze ba:bak be:bel bg:bul bi:bis bm:bam
bn:ben bo:bod br:bre bs:bos ca:cat ce:che ch:cha co:cos cr:cre cs:ces cu:chu cv:chv cy:cym da:dan de:deu dv:div dz:dzo
ee:ewe el:ell en:eng eo:epo es:spa et:est eu:eus fa:fas ff:ful fi:fin fj:fij fo:fao fr:fra fy:fry ga:gle gd:gla gl:glg
gn:grn gu:guj gv:glv ha:hau he:heb hi:hin ho:hmo hr:hrv ht:hat hu:hun hy:hye hz:her ia:ina id:ind ie:ile ig:ibo ii:iii
ik:ipk io:ido is:isl it:ita iu:iku ja:jpn jv:jav ka:kat kg:kon ki:kik kj:kua kk:kaz kl:kal km:khm kn:kan ko:kor kr:kau
ks:kas ku:kur kv:kom kw:cor ky:kir la:lat lb:ltz lg:lug li:lim ln:lin lo:lao lt:lit lu:lub lv:lav mg:mlg mh:mah mi:mri
mk:mkd ml:mal mn:mon mr:mar ms:msa mt:mlt my:mya na:nau nb:nob nd:nde ne:nep ng:ndo nl:nld nn:nno no:nor nr:nbl nv:nav
ny:nya oc:oci oj:oji om:orm or:ori os:oss pa:pan pi:pli pl:pol ps:pus pt:por qu:que rm:roh rn:run ro:ron ru:rus rw:kin
sa:san sc:srd sd:snd se:sme sg:sag sh:hbs si:sin sk:slk sl:slv sm:smo sn:sna so:som sq:sqi sr:srp ss:ssw st:sot su:sun
sv:swe sw:swa ta:tam te:tel tg:tgk th:tha ti:tir tk:tuk tl:tgl tn:tsn to:ton tr:tur ts:tso tt:tat tw:twi ty:tah ug:uig
uk:ukr ur:urd uz:uzb ve:ven vi:vie vo:vol wa:wln wo:wol xh:xho yi:yid yo:yor za:zha zh:zho zu:zul
"""
_THREE_LETTERS: Final = dict(pair.split(":") for pair in _TWO_LETTERS.split())

# Codes of wikis that have another meaning in ISO 639, or none.
_OTHERS: Final = {
    "als": "gsw",  # Alemannic; in ISO 639-3 als is Tosk Albanian
    "bat-smg": "sgs",
    "be-tarask": "bel",  # Belarusian in its classical orthography
    "be-x-old": "bel",
    "bh": "bho",
    "cbk-zam": "cbk",
    "eml": "egl",  # Emilian and Romagnol, which ISO 639-3 has split
    "fiu-vro": "vro",
    "isv": "mis",  # Interslavic, "uncoded" until tools know isv
    "map-bms": "jav",  # Banyumasan, a dialect of Javanese
    "nah": "nhn",  # nah is the code of the family; the wiki writes a central variety
    "nds-nl": "nds",
    "nrm": "nrf",  # Norman; in ISO 639-3 nrm is Narom
    "roa-rup": "rup",
    "roa-tara": "nap",  # Tarantino, which ISO 639-3 has under Neapolitan
    "simple": "eng",
    "zh-classical": "lzh",
    "zh-min-nan": "nan",
    "zh-yue": "yue",
}

# One code for scripts that a language mixes, as ISO 15924 has them.
_MIXED: Final = {"Hira+Kana+Hani": "Jpan", "Hang+Hani": "Hang", "Hani": "Hans"}
_TRADITIONAL: Final = frozenset({"lzh", "yue"})


def iso_639_3(code: str) -> str:
    """Return the three letters of ISO 639-3 for the language of a Wikipedia.

    >>> [iso_639_3(code) for code in ("de", "no", "als", "zh-classical", "fiu-vro", "ceb")]
    ['deu', 'nor', 'gsw', 'lzh', 'vro', 'ceb']
    """
    return _OTHERS.get(code) or _THREE_LETTERS.get(code, code)


def iso_639(code: str) -> str:
    """Return the shortest code of ISO 639: two letters where there are any.

    >>> [iso_639(code) for code in ("de", "als", "simple", "zh-yue")]
    ['de', 'gsw', 'en', 'yue']
    """
    if code in _THREE_LETTERS:
        return code
    three = iso_639_3(code)
    return next((two for two, known in _THREE_LETTERS.items() if known == three), three)


def iso_15924(code: str) -> str:
    """Return the script that the language of a Wikipedia is most written in.

    >>> [iso_15924(code) for code in ("de", "sr", "ja", "zh", "zh-yue", "ko")]
    ['Latn', 'Cyrl', 'Jpan', 'Hans', 'Hant', 'Hang']
    """
    if iso_639_3(code) in _TRADITIONAL:
        return "Hant"
    first = SCRIPTS.get(code, "Latn").partition("|")[0]
    return _MIXED.get(first, first)
