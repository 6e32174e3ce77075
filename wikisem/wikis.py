"""Wikipedias: their database ids, their language codes, and the codes under which Wikidata labels their language.

Sources, all read 2026-11: Wikimedia's ``langlist`` and ``dblists/wikipedia.dblist`` (operations/mediawiki-config), the
list of Wikipedias (https://meta.wikimedia.org/wiki/List_of_Wikipedias) for those opened after these, and
``$wgDummyLanguageCodes`` with Special:SiteMatrix for the codes that Wikimedia has renamed.
"""

from collections.abc import Mapping
from typing import Final

# Interlanguage prefixes: "[[de:Wort]]" is a link to another wiki. Old and new names of renamed codes are both valid,
# and so are the codes of closed Wikipedias.
_CODES: Final = """
aa ab ace ady af ak als alt am ami an ang ann anp ar arc ary arz as ast atj av avk awa ay az azb ba ban bar bat-smg
bbc bcl bdr be be-tarask be-x-old bew bg bh bi bjn blk bm bn bo bpy br bs btm bug bxr ca cbk-zam cdo ce ceb ch cho chr
chy ckb co cr crh cs csb cu cv cy da dag de dga din diq dsb dtp dty dv dz ee el eml en eo es et eu ext fa fat ff fi
fiu-vro fj fo fon fr frp frr fur fy ga gag gan gcr gd gl glk gn gom gor got gpe gsw gu guc gur guw gv ha hak haw he hi
hif ho hr hsb ht hu hy hyw hz ia iba id ie ig igl ii ik ilo inh io is it iu ja jam jbo jv ka kaa kab kbd kbp kcg kg
kge ki kj kk kl km kn knc ko koi kr krc ks ksh ku kus kv kw ky la lad lb lbe lez lfn lg li lij lld lmo ln lo lrc lt
ltg lv lzh mad mai map-bms mdf mg mh mhr mi min mk ml mn mni mnw mo mos mr mrj ms mt mus mwl my myv mzn na nah nan nap
nds nds-nl ne new ng nia nl nn no nov nqo nr nrm nso nup nv ny oc olo om or os pa pag pam pap pcd pcm pdc pfl pi pih
pl pms pnb pnt ps pt pwn qu rki rm rmy rn ro roa-rup roa-tara rsk ru rue rup rw sa sah sat sc scn sco sd se sg sgs sh
shi shn shy si simple sk skr sl sm smn sn so sq sr srn ss st stq su sv sw syl szl szy ta tay tcy tdd te tet tg th ti
tig tk tl tly tn to tpi tr trv ts tt tum tw ty tyv udm ug uk ur uz ve vec vep vi vls vo vro wa war wo wuu xal xh xmf
yi yo yue za zea zgh zh zh-classical zh-min-nan zh-yue zu
"""
WIKIPEDIA_CODES: Final = frozenset(_CODES.split())

# Databases whose id ends in "wiki", though they are not Wikipedias in a language.
_OTHERS: Final = """
advisorywiki apiportalwiki collabwiki commonswiki foundationwiki incubatorwiki loginwiki mediawikiwiki metawiki
nostalgiawiki outreachwiki qualitywiki sourceswiki specieswiki strategywiki tenwiki test2wiki testcommonswiki testwiki
testwikidatawiki usabilitywiki votewiki wikidatawiki wikifunctionswiki wikimaniawiki
"""
_OTHER_WIKIS: Final = frozenset(_OTHERS.split())

# Codes whose database id cannot be derived from them: ISO 639 or BCP 47 code, or a newer prefix -> database id.
_WIKI_OF: Final[Mapping[str, str]] = {
    "be-tarask": "be_x_oldwiki",
    "bho": "bhwiki",
    "cbk": "cbk_zamwiki",
    "egl": "emlwiki",
    "gsw": "alswiki",
    "lzh": "zh_classicalwiki",
    "nan": "zh_min_nanwiki",
    "nb": "nowiki",
    "nrf": "nrmwiki",
    "rup": "roa_rupwiki",
    "sgs": "bat_smgwiki",
    "vro": "fiu_vrowiki",
    "yue": "zh_yuewiki",
}

# Wikis whose domain was renamed while their database id was not.
_LANGUAGE_OF: Final[Mapping[str, str]] = {"be_x_oldwiki": "be-tarask"}

# Wikidata labels a language under its standard code; older labels may still be under the wiki's own code.
_LABELS_OF: Final[Mapping[str, tuple[str, ...]]] = {
    "alswiki": ("gsw", "als"),
    "bat_smgwiki": ("sgs", "bat-smg"),
    "be_x_oldwiki": ("be-tarask", "be-x-old"),
    "bhwiki": ("bho", "bh"),
    "cbk_zamwiki": ("cbk-zam", "cbk"),
    "emlwiki": ("eml", "egl"),
    "fiu_vrowiki": ("vro", "fiu-vro"),
    "nowiki": ("nb", "no"),
    "nrmwiki": ("nrm", "nrf"),
    "roa_rupwiki": ("rup", "roa-rup"),
    "simplewiki": ("en",),
    "zh_classicalwiki": ("lzh", "zh-classical"),
    "zh_min_nanwiki": ("nan", "zh-min-nan"),
    "zh_yuewiki": ("yue", "zh-yue"),
}


def wiki_of(code: str) -> str:
    """The database id of the Wikipedia in a language: "dewiki" for "de", "zh_yuewiki" for "zh-yue" and "yue"."""
    return _WIKI_OF.get(code, f"{code.replace('-', '_')}wiki")


def language_of(wiki: str) -> str | None:
    """The language code of a Wikipedia by its database id, as in its domain; None if it is not a Wikipedia."""
    if not wiki.endswith("wiki") or wiki in _OTHER_WIKIS or wiki == "wiki":
        return None
    return _LANGUAGE_OF.get(wiki, wiki[: -len("wiki")].replace("_", "-"))


def label_codes(code: str) -> tuple[str, ...]:
    """The codes under which Wikidata may label the language, best first; ``mul`` is for the caller to append."""
    return _LABELS_OF.get(wiki_of(code), (code,))


# Every code under which a label may be that is not the code of the group's own language.
OTHER_LABEL_CODES: Final = tuple(
    sorted({"mul", "en", *WIKIPEDIA_CODES, *(code for codes in _LABELS_OF.values() for code in codes)})
)
