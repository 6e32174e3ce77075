"""Wikipedias: their database ids, the codes that lead to each, and the codes of labels in their language.

A language is named by the code of its wiki's domain here; older, newer and wrong codes lead to the same wiki. Languages
of labels have labels in Wikidata, but no Wikipedia.
"""

import difflib
import re
from collections.abc import Mapping
from importlib import resources
from itertools import chain
from typing import Final, NamedTuple

from wikisem.errors import BadIdError
from wikisem.ids import check_language
from wikisem.typed_json import packaged_tables


def date_in_name(name: str) -> str:
    """Return the date in the name of a dump's file as YYYY-MM-DD; empty without one.

    >>> date_in_name("dewiki-20261101-pages-articles.xml.bz2"), date_in_name("20261102.json.gz"), date_in_name("x.json")
    ('2026-11-01', '2026-11-02', '')
    """
    found = re.search(r"(?<!\d)(20\d\d)-?([01]\d)-?([0-3]\d)(?!\d)", name)
    return "-".join(found.groups()) if found else ""


class Wikipedia(NamedTuple):
    """A Wikipedia: its database id, the code of its domain, its language in English, and further codes for it."""

    wiki: str
    code: str
    name: str
    aliases: tuple[str, ...]


# Wikis whose domain was renamed while their database id was not.
_DOMAINS: Final[Mapping[str, str]] = {"be_x_oldwiki": "be-tarask"}


def _domain(wiki: str) -> str:
    return _DOMAINS.get(wiki, wiki.removesuffix("wiki").replace("_", "-"))


_TABLES: Final = packaged_tables(__package__, "wikis.toml")
# Database id -> Wikipedia.
WIKIPEDIAS: Final[Mapping[str, Wikipedia]] = {
    wiki: Wikipedia(wiki, _domain(wiki), name, tuple(codes[0].split()) if codes else ())
    for wiki, name, *codes in (
        line.split("\t")
        for line in resources.files(__package__).joinpath("wikipedias.tsv").read_text("utf-8").splitlines()
        if line and not line.startswith("#")
    )
}
# The code of each Wikipedia's domain.
WIKIPEDIA_CODES: Final = frozenset(wikipedia.code for wikipedia in WIKIPEDIAS.values())
_WIKI_OF: Final[Mapping[str, str]] = {
    code: wikipedia.wiki for wikipedia in WIKIPEDIAS.values() for code in (wikipedia.code, *wikipedia.aliases)
}

# Prefixes of links to other Wikipedias.
INTERLANGUAGE: Final = WIKIPEDIA_CODES | frozenset(_TABLES["prefixes"].split())
_OTHER_WIKIS: Final = frozenset(_TABLES["other_wikis"].split())
# Codes under which Wikidata has labels that name no Wikipedia.
LABEL_ONLY_CODES: Final = frozenset(_TABLES["only_labels"].split())
_VARIANTS: Final[Mapping[str, list[str]]] = {code: codes.split() for code, codes in _TABLES["fallbacks"].items()}
# Variants that are named after a part of their wiki's language.
_PARENTS: Final[Mapping[str, str]] = {"ike": "iu"}
ENGLISH_NAMES: Final[Mapping[str, str]] = _TABLES["english_names"]
_LABELS_OF: Final[Mapping[str, list[str]]] = {wiki: codes.split() for wiki, codes in _TABLES["labels"].items()}


def wiki_of(code: str) -> str | None:
    """Return the database id of the Wikipedia of a language or variant; None for one of labels, and an unknown code.

    >>> [wiki_of(code) for code in ("de", "zh-yue", "yue", "jp", "deu", "zh-hant", "sma")]
    ['dewiki', 'zh_yuewiki', 'zh_yuewiki', 'jawiki', 'dewiki', 'zhwiki', None]
    """
    if code in _WIKI_OF:
        return _WIKI_OF[code]
    parent = code.partition("-")[0]
    return _WIKI_OF.get(_PARENTS.get(parent, parent)) if code in LABEL_ONLY_CODES else None


def language_of(wiki: str) -> str | None:
    """Return the language code of a Wikipedia by its database id, as in its domain; None if it is not a Wikipedia."""
    if not wiki.endswith("wiki") or wiki in _OTHER_WIKIS or wiki == "wiki":
        return None
    return _domain(wiki)  # also of a new one, which is not on the list yet


def own_code(code: str) -> str:
    """Return the code in the domain of a language's Wikipedia (nb: no.wikipedia.org); without one, the code itself.

    >>> own_code("nb"), own_code("yue"), own_code("sma")
    ('no', 'zh-yue', 'sma')
    """
    wiki = wiki_of(code)
    return code if wiki is None else _domain(wiki)


# The code of labels that hold in every language.
MULTILINGUAL: Final = "mul"


def name_codes(code: str, variant: str = "") -> tuple[str, ...]:
    """Return the codes under which an item may be named in a language, best first: ``label_codes``, then ``mul``."""
    return (*label_codes(code, variant), MULTILINGUAL)


def label_codes(code: str, variant: str = "") -> tuple[str, ...]:
    """Return the codes under which Wikidata has labels in a language, best first; a variant's before all others.

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
    codes = _LABELS_OF.get(wiki, [_domain(wiki)])
    return (*codes, *(variant for label_code in codes for variant in _VARIANTS.get(label_code, ())))


def known_language(text: str) -> str:
    """Return the text itself if it is the code of a Wikipedia or of labels; else BadIdError, with the nearest code.

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
    sorted({MULTILINGUAL, *INTERLANGUAGE, *LABEL_ONLY_CODES, *chain.from_iterable(_LABELS_OF.values())})
)
