"""Surface forms read literally, character by character: what ``wikisem.surfaces`` must agree with, apart from it.

Nothing is shared with the implementation: no regular expressions, no tables of scripts, no grapheme clusters. Letters
are told apart by their names in the Unicode character database.
"""

import unicodedata
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from wikisem.recipes.options import SurfaceOptions

# How the names of a script's letters begin, by language: each set is one way to write it.
WRITTEN_IN: dict[str, Sequence[set[str]]] = {
    "ltg": [{"LATIN"}],
    "ru": [{"CYRILLIC"}],
    "sr": [{"CYRILLIC"}, {"LATIN"}],
    "he": [{"HEBREW"}],
    "ja": [{"HIRAGANA", "KATAKANA", "CJK"}],
}
# ー, which two scripts share, is of every script.
SHARED = {"KATAKANA-HIRAGANA"}
WITHOUT_STEMS = {"CJK", "HIRAGANA", "KATAKANA", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN"}


def script_of(letter: str) -> str:
    """The first word of a character's name."""
    return unicodedata.name(letter, "").split(" ")[0]


def in_script(surface: str, language: str) -> bool:
    """Whether one way to write the language has all of the letters."""
    letters = {script_of(each) for each in surface if unicodedata.category(each).startswith("L")}
    return any(letters - SHARED <= way for way in WRITTEN_IN[language])


def plain_title(title: str) -> str:
    """Without the parenthesis that it ends with, unless nothing else is left."""
    if not title or title[-1] not in ")）":
        return title
    for at in range(len(title) - 2, -1, -1):
        if title[at] in ")）":
            return title
        if title[at] in "(（":
            return title[:at].rstrip(" \u3000") or title
    return title


def letters_of(word: str) -> list[str]:
    """Letters with the marks that follow them."""
    letters: list[str] = []
    for each in word:
        if letters and unicodedata.category(each).startswith("M"):
            letters[-1] += each
        else:
            letters.append(each)
    return letters


def words_of(text: str) -> list[str]:
    """What white space and dashes part, without case."""
    parted = "".join(" " if each.isspace() or unicodedata.category(each) == "Pd" else each for each in text.casefold())
    return [word for word in parted.split(" ") if word] if parted.strip() else [""]


def is_other_form(anchor: str, title: str) -> bool:
    """Whether word by word some beginning is shared that is long enough to be a stem."""
    if {script_of(each) for each in title} & WITHOUT_STEMS or anchor.casefold() == title.casefold():
        return False
    ours, theirs = words_of(anchor), words_of(title)
    pairs = list(zip(ours, theirs, strict=False))
    return len(ours) == len(theirs) and all(one == two or share_stem(one, two) for one, two in pairs)


def share_stem(word: str, wanted: str) -> bool:
    """A stem has three letters and three fifths of the title's word; an ending up to five, no more than the stem."""
    if any(unicodedata.category(each).startswith("N") for each in word + wanted):
        return False
    ours, theirs = letters_of(word), letters_of(wanted)
    return any(
        ours[:stem] == theirs[:stem] and 5 * stem >= 3 * len(theirs) and len(ours) - stem <= min(5, stem)
        for stem in range(3, min(len(ours), len(theirs)) + 1)
    )


@dataclass(frozen=True)
class Anchor:
    """Words that link to a page: how often, of how many links to the page, and of how many with these words."""

    surface: str
    count: int
    total: int
    links: int | None


@dataclass(frozen=True)
class Item:
    """An item with the evidence for its surface form; ``titled`` is its plain title as an anchor."""

    title: str
    label: str | None
    anchor: Anchor | None
    titled: Anchor


@dataclass(frozen=True)
class Name:
    """What an item is called, by what, and why its anchor is refused."""

    surface: str | None
    source: str
    count: int = 0
    total: int = 0
    links: int | None = None
    page_share: float | None = None
    refused: str | None = None


def name_of(item: Item, options: SurfaceOptions, language: str) -> Name:
    """The rules one after the other: the anchor, or the title that it is a form of, else the fallback."""
    form, reason = item.anchor, None
    if item.anchor is not None:
        if options.form == "dictionary" and item.anchor.surface != item.label:
            form = item.titled if is_other_form(item.anchor.surface, plain_title(item.title)) else item.anchor
        assert form is not None
        reason = refusal(item.anchor, form, options, language)
        if reason is None and form.count == 0:
            return Name(form.surface, "title")
        if reason is None:
            share = form.count / form.links if form.links is not None else None
            return Name(form.surface, "anchor", form.count, form.total, form.links, share)
    label = plain_title(item.label) if item.label is not None and options.clean_labels else item.label
    fallback = {"none": None, "label": label, "title": plain_title(item.title)}[options.fallback]
    if fallback is not None and options.script and not in_script(fallback, language):
        fallback, reason = None, reason or "script"
    return Name(fallback, options.fallback, refused=reason)


def refusal(anchor: Anchor, form: Anchor, options: SurfaceOptions, language: str) -> str | None:
    """The first rule that is broken: links to the page are the anchor's, those with the same words are the form's."""
    if anchor.total < options.minimum_total:
        return "few-links"
    if Fraction(anchor.count, anchor.total) < Fraction(str(options.minimum_share)):
        return "low-share"
    if form.links is not None and Fraction(form.count, form.links) < Fraction(str(options.minimum_page_share)):
        return "low-page-share"
    return "script" if options.script and not in_script(form.surface, language) else None


def means_item(
    qid: str,
    surfaces: Mapping[str, str],
    names: Mapping[str, Collection[str]],
    sitelinks: Mapping[str, int],
    least: float,
) -> bool:
    """Whether an item has its share of the sitelinks of all items that are called as it is; equal shares of none.

    They are called so by their surface form or by another of their names.
    """
    wanted = surfaces[qid]
    alike = [
        number for other, number in sitelinks.items() if surfaces.get(other) == wanted or wanted in names.get(other, ())
    ]
    share = Fraction(sitelinks[qid], sum(alike)) if any(alike) else Fraction(1, len(alike))
    return share >= Fraction(str(least))
