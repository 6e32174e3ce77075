"""The articles of the sample Wikipedias: sentences filled with links in the shapes that real articles have."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Final

from wikisem.pipeline.demo.facts import Item, Name
from wikisem.recipes.shipped import read_toml
from wikisem.records import Page
from wikisem.wikipedia.siteinfo import CANONICAL

TALK: Final = 1
FILE: Final = CANONICAL["File"]
TEMPLATE: Final = CANONICAL["Template"]
CATEGORY: Final = CANONICAL["Category"]


@dataclass(frozen=True, slots=True)
class Edition:
    """One sample Wikipedia: its language, its sentences, and the items that have a page in it."""

    language: str
    words: dict[str, Any]
    items: tuple[Item, ...]

    def namespace(self, key: int) -> str:
        """The local name of a namespace; the list of names starts at -2."""
        return str(self.words["namespaces"][key + 2])

    def name(self, item: Item) -> Name:
        """What the item is called here."""
        return item.names[self.language]


def open_edition(language: str, items: Sequence[Item]) -> Edition:
    """The edition of a language, with the pages of these items."""
    words = read_toml(Path(str(resources.files(__package__) / "text" / f"{language}.toml")))
    return Edition(language, words, tuple(item for item in items if language in item.names))


def write_pages(edition: Edition) -> Iterator[Page]:
    """Every page in order: articles, each followed by its redirect if it has one, with pages of other spaces between.

    An article links the next three of its kind and two far ones, so that every page is linked about as often.
    """
    for place, item in enumerate(edition.items):
        peers = [peer for peer in edition.items if peer.kind == item.kind]
        near = [peers[(peers.index(item) + step) % len(peers)] for step in (1, 2, 3)]
        far = [edition.items[(place + step) % len(edition.items)] for step in (17, 41)]
        name = edition.name(item)
        yield Page(name.title, 0, _article(edition, item, [*near, *far], place))
        if redirects(name, place):
            title = name.form[:1].upper() + name.form[1:]
            yield Page(title, 0, f"#{edition.words['redirect']} [[{name.title}]]", redirect=name.title)
        if place % 60 == 20:
            yield from _other_pages(edition, name, near[0])


def redirects(name: Name, place: int) -> bool:
    """Whether the other form of a name is a redirect page; the rest is piped or carries a link trail."""
    return name.form != "" and place % 3 == 0


def _article(edition: Edition, item: Item, others: Sequence[Item], place: int) -> str:
    words = edition.words
    names = [edition.name(other) for other in others]
    links = dict(zip("abcd", map(_link, names), strict=False), e=_dressed(names[4], place))
    title = names[1].title
    lines = [
        f"{{{{{words['infobox']}|1={links['c']}}}}}",
        words["lead"].format(self=edition.name(item).surface, kind=words["kinds"][item.kind])
        + f"<ref>{words['note'].format(a=f'[[{title}]]')}</ref>",
        f"[[{edition.namespace(FILE)}:{item.qid}.svg|{words['thumb']}|{words['caption'].format(**links)}]]",
        words["list"].format(**links),
        *_form_sentence(edition, others[0]),
        f"<!-- [[{title}|{item.qid}]] --><nowiki>[[{title}|{item.qid}]]</nowiki>",
        f"== {words['heading']} ==",
        words["more"].format(**links),
        f"[[{edition.namespace(CATEGORY)}:{words['kinds'][item.kind]}]]",
    ]
    return "\n".join(lines)


def _link(name: Name) -> str:
    plain = name.surface[:1].upper() + name.surface[1:] == name.title
    return f"[[{name.surface}]]" if plain else f"[[{name.title}|{name.surface}]]"


def _dressed(name: Name, place: int) -> str:
    """The link in one of the rarer shapes of real articles: to a section, in italics, with underscores, or plain."""
    shapes = (
        f"[[{name.title}#{place}|{name.surface}]]",
        f"[[{name.title}|''{name.surface}'']]",
        f"[[{name.title.replace(' ', '_')}|{name.surface}]]",
        _link(name),
    )
    return shapes[place % len(shapes)]


def _form_sentence(edition: Edition, other: Item) -> list[str]:
    name, sentence = edition.name(other), edition.words["form"].get(other.kind)
    if not name.form or sentence is None:
        return []
    return [sentence.format(f=_form_link(name, edition.items.index(other)))]


def _form_link(name: Name, place: int) -> str:
    if redirects(name, place):
        return f"[[{name.form}]]"
    if name.form.startswith(name.surface) and name.form.isascii() and place % 3 == 1:
        return _link(name) + name.form[len(name.surface) :]
    return f"[[{name.title}|{name.form}]]"


def _other_pages(edition: Edition, name: Name, near: Item) -> Iterator[Page]:
    question = edition.words["talk"].format(a=_link(edition.name(near)))
    yield Page(f"{edition.namespace(TALK)}:{name.title}", TALK, question)
    yield Page(f"{edition.namespace(TEMPLATE)}:{name.title}", TEMPLATE, f"<includeonly>{_link(name)}</includeonly>")
