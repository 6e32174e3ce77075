"""Wikipedias: their database ids, the codes that lead to each, and the codes of labels in their language.

``wikipedias.tsv`` beside this module lists all 364 with their sources and dates. A language is named by the code of its
wiki's domain here; older, newer and wrong codes lead to the same wiki. Languages of labels have labels in Wikidata, but
no Wikipedia.
"""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Final

from wikisem.errors import BadIdError
from wikisem.ids import check_language


def date_in_name(name: str) -> str:
    """Return the date in the name of a dump's file as YYYY-MM-DD; empty without one.

    >>> date_in_name("dewiki-20261101-pages-articles.xml.bz2"), date_in_name("20261102.json.gz"), date_in_name("x.json")
    ('2026-11-01', '2026-11-02', '')
    """
    found = re.search(r"(?<!\d)(20\d\d)-?([01]\d)-?([0-3]\d)(?!\d)", name)
    return "-".join(found.groups()) if found else ""


@dataclass(frozen=True, slots=True)
class Wikipedia:
    """A Wikipedia: its database id, the code of its domain, its language in English, and further codes for it."""

    wiki: str
    code: str
    name: str
    aliases: tuple[str, ...]


# Wikis whose domain was renamed while their database id was not.
_DOMAINS: Final[Mapping[str, str]] = {"be_x_oldwiki": "be-tarask"}


def _domain(wiki: str) -> str:
    return _DOMAINS.get(wiki, wiki.removesuffix("wiki").replace("_", "-"))


_LINES: Final = resources.files(__package__).joinpath("wikipedias.tsv").read_text(encoding="utf-8").splitlines()
# Database id -> Wikipedia.
WIKIPEDIAS: Final[Mapping[str, Wikipedia]] = {
    wiki: Wikipedia(wiki, _domain(wiki), name, tuple(codes[0].split()) if codes else ())
    for wiki, name, *codes in (line.split("\t") for line in _LINES if line and not line.startswith("#"))
}
# The code of each Wikipedia's domain.
WIKIPEDIA_CODES: Final = frozenset(wikipedia.code for wikipedia in WIKIPEDIAS.values())
_WIKI_OF: Final[Mapping[str, str]] = {
    code: wikipedia.wiki for wikipedia in WIKIPEDIAS.values() for code in (wikipedia.code, *wikipedia.aliases)
}

# Prefixes of links to other Wikipedias that are not the code of a domain: "[[nb:Ord]]". Source: ``langlist`` of
# Wikimedia's configuration (2026-08-21) and the language aliases of ``dumpInterwiki.php`` (WikimediaMaintenance).
_OTHER_PREFIXES: Final = """
be-x-old cmn cz dk egl epo gsw jp lzh minnan mo nan nb rup sgs shy vro yue zh-cfr zh-cn zh-tw
"""
INTERLANGUAGE: Final = WIKIPEDIA_CODES | frozenset(_OTHER_PREFIXES.split())

# Databases whose id ends in "wiki", though they are not Wikipedias in a language (``dblists`` of Wikimedia's
# configuration, 2026-08-21), and mowiki, which is deleted but has sitelinks in old dumps. What is neither here nor in
# the list is taken for a Wikipedia that opened since.
_OTHERS: Final = """
abstractwiki advisorywiki apiportalwiki collabwiki commonswiki foundationwiki incubatorwiki loginwiki mediawikiwiki
metawiki mowiki nostalgiawiki outreachwiki qualitywiki sourceswiki specieswiki strategywiki tenwiki test2wiki
testcommonswiki testwiki testwikidatawiki usabilitywiki votewiki wikidatawiki wikifunctionswiki wikimaniawiki
"""
_OTHER_WIKIS: Final = frozenset(_OTHERS.split())

# Codes under which Wikidata has labels that name no Wikipedia: MediaWiki's ``Names.php`` (1.43) and
# ``WikibaseContentLanguages::getDefaultTermsLanguages`` (2023-02), and what real items have beside these (2026-11).
_ONLY_LABELS: Final = """
abs ady-cyrl aeb aeb-arab aeb-latn agq aln arn arq ase bag bas bax bbc-latn bbj bcc bfd bgn bkc bkh bkm bqi bqz brh bto
byv cak cnh cps crh-cyrl crh-latn de-at de-ch de-formal dua en-ca en-gb en-us es-419 es-formal eto etu ewo fit fkv fmp
frc gan-hans gan-hant gom-deva gom-latn grc gya hif-latn hil hrx hu-formal ike-cans ike-latn isu iu-cans iu-latn jut
kbd-cyrl kea ker khw kiu kjp kk-arab kk-cn kk-cyrl kk-kz kk-latn kk-tr ko-kp kri krj krl ks-arab ks-deva ksf ku-arab
ku-latn kum lem liv lki lns loz lus luz lzz mcn mcp mua nan-hani nge niu nl-informal nla nmg nnh nnz nod nys osa-latn
ota pap-aw pdt prg pt-br quc qug rgn rif rmf ruq ruq-cyrl ruq-latn rwr ryu sdc sdh sei ses shi-latn shi-tfng shy-latn
sjd sje sju skr-arab sli sma smj sms sr-ec sr-el srq sty tg-cyrl tg-latn tru tt-cyrl tt-latn tvu tzm ug-arab ug-latn
uz-cyrl uz-latn vmf vot vut wes wya xsy yas yat yav ybb zh-cn zh-hans zh-hant zh-hk zh-mo zh-my zh-sg zh-tw
"""
LABEL_ONLY_CODES: Final = frozenset(_ONLY_LABELS.split())
# Where MediaWiki looks for what a language lacks, among its own variants: the fallbacks of ``*Converter.php`` and
# ``$fallback`` of ``Messages*.php`` (MediaWiki 1.45), without those to other languages.
_VARIANTS: Final[Mapping[str, tuple[str, ...]]] = {
    code: tuple(variants.split())
    for code, variants in {
        "ady": "ady-cyrl",
        "aeb": "aeb-arab aeb-latn",
        "bbc": "bbc-latn",
        "crh": "crh-latn crh-cyrl",
        "gan": "gan-hant gan-hans",
        "gom": "gom-deva gom-latn",
        "hif": "hif-latn",
        "iu": "ike-cans ike-latn iu-cans iu-latn",
        "kbd": "kbd-cyrl",
        "kk": "kk-cyrl kk-latn kk-arab kk-kz kk-tr kk-cn",
        "ks": "ks-arab ks-deva",
        "ku": "ku-latn ku-arab",
        "nan": "nan-hani",
        "ruq": "ruq-latn ruq-cyrl",
        "shi": "shi-latn shi-tfng",
        "skr": "skr-arab",
        "sr": "sr-ec sr-el",
        "tg": "tg-cyrl tg-latn",
        "tt": "tt-cyrl tt-latn",
        "ug": "ug-arab ug-latn",
        "uz": "uz-latn uz-cyrl",
        "zh": "zh-hans zh-hant zh-cn zh-tw zh-hk zh-sg zh-mo zh-my",
        "zh-cn": "zh-hans zh-sg zh-my",
        "zh-hans": "zh-cn zh-sg zh-my",
        "zh-hant": "zh-tw zh-hk zh-mo",
        "zh-hk": "zh-mo zh-hant zh-tw",
        "zh-mo": "zh-hk zh-hant zh-tw",
        "zh-my": "zh-sg zh-hans zh-cn",
        "zh-sg": "zh-my zh-hans zh-cn",
        "zh-tw": "zh-hant zh-hk zh-mo",
    }.items()
}
# Variants that are named after a part of their wiki's language.
_PARENTS: Final[Mapping[str, str]] = {"ike": "iu"}

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
    "tokwiki": ("tok", "tokipona"),
    "zh_classicalwiki": ("lzh", "zh-classical"),
    "zh_min_nanwiki": ("nan", "zh-min-nan"),
    "zh_yuewiki": ("yue", "zh-yue"),
}


def wiki_of(code: str) -> str | None:
    """Return the database id of the Wikipedia in a language; None for a language of labels, and for an unknown code.

    A variant has the wiki of the language that it is a variant of.

    >>> [wiki_of(code) for code in ("de", "zh-yue", "yue", "jp", "deu", "zh-hant", "sma")]
    ['dewiki', 'zh_yuewiki', 'zh_yuewiki', 'jawiki', 'dewiki', 'zhwiki', None]
    """
    if code in _WIKI_OF:
        return _WIKI_OF[code]
    parent = code.partition("-")[0]
    return _WIKI_OF.get(_PARENTS.get(parent, parent)) if code in LABEL_ONLY_CODES else None


def language_of(wiki: str) -> str | None:
    """Return the language code of a Wikipedia by its database id, as in its domain; None if it is not a Wikipedia.

    A wiki that is not on the list, but named like a Wikipedia, has the code that a new one would have.
    """
    if not wiki.endswith("wiki") or wiki in _OTHER_WIKIS or wiki == "wiki":
        return None
    return _domain(wiki)


def own_code(code: str) -> str:
    """The code of the domain of a language's wiki, which tables use as key; for a language of labels, the code itself.

    >>> own_code("nb"), own_code("yue"), own_code("sma")
    ('no', 'zh-yue', 'sma')
    """
    wiki = wiki_of(code)
    return code if wiki is None else _domain(wiki)


# The code of labels that hold in every language.
MULTILINGUAL: Final = "mul"


def name_codes(code: str, variant: str = "") -> tuple[str, ...]:
    """The codes under which an item may be named in a language, best first: its ``label_codes``, then ``mul``."""
    return (*label_codes(code, variant), MULTILINGUAL)


def label_codes(code: str, variant: str = "") -> tuple[str, ...]:
    """The codes under which Wikidata may label the language itself, best first; those of a variant before all others.

    Older codes come after the standard one, then variants, in the order in which MediaWiki falls back to them.

    >>> label_codes("no"), label_codes("crh"), label_codes("zh-hant")
    (('nb', 'no'), ('crh', 'crh-latn', 'crh-cyrl'), ('zh-hant', 'zh-tw', 'zh-hk', 'zh-mo'))
    >>> label_codes("sr", "sr-el")
    ('sr-el', 'sr', 'sr-ec')
    """
    if variant:
        return tuple(dict.fromkeys((*label_codes(variant), *label_codes(code))))
    wiki = wiki_of(code)
    if code in LABEL_ONLY_CODES or wiki is None:
        return (code, *_VARIANTS.get(code, ()))
    codes = _LABELS_OF.get(wiki, (_domain(wiki),))
    return (*codes, *(variant for label_code in codes for variant in _VARIANTS.get(label_code, ())))


def known_language(text: str) -> str:
    """The text itself if it is the code of a Wikipedia or of labels; BadIdError otherwise, with the nearest known code.

    >>> known_language("frnch")
    Traceback (most recent call last):
    wikisem.errors.BadIdError: expected the code of a Wikipedia or of labels, saw 'frnch'; did you mean fr (French)?
    """
    code = check_language(text)
    if code in _WIKI_OF or code in LABEL_ONLY_CODES:
        return code
    # The name of a language may have been written instead, or something near to a name or a code.
    by_name = {wikipedia.name.lower().replace(" ", "-"): wikipedia for wikipedia in WIKIPEDIAS.values()}
    within = sorted((name for name in by_name if code in name.split("-")), key=len)  # kurdish: central-kurdish, ...
    names = within or (difflib.get_close_matches(code, by_name, n=1, cutoff=0.7) if len(code) > 3 else [])
    if names:
        hint = f"did you mean {by_name[names[0]].code} ({by_name[names[0]].name})?"
    elif codes := difflib.get_close_matches(code, [*_WIKI_OF, *LABEL_ONLY_CODES], n=1, cutoff=0.7):
        hint = f"did you mean {codes[0]}?"
    else:
        hint = "`wikisem languages` lists all that are known"
    raise BadIdError(f"expected the code of a Wikipedia or of labels, saw {text!r}; {hint}")


# Every code that a label may have if it is not of the group's own language.
OTHER_LABEL_CODES: Final = tuple(
    sorted(
        {
            *(MULTILINGUAL, "en"),
            *WIKIPEDIA_CODES,
            *INTERLANGUAGE,
            *LABEL_ONLY_CODES,
            *(code for codes in _LABELS_OF.values() for code in codes),
        }
    )
)
