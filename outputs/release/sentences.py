"""The paragraphs about a release that depend on its facts; those of every release are in texts.toml."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from wikisem.outputs.release.metadata import ANCHOR, LABEL, ODD_TYPE, TITLE, ReleaseFacts
from wikisem.records import OUTLIER_CLASSES
from wikisem.typed_json import packaged_tables
from wikisem.wikis import WIKIPEDIAS

_TEXTS: Final = packaged_tables(__package__, "texts.toml")
DONE: Final[dict[str, str]] = _TEXTS.pop("done")
REASONS: Final[dict[str, str]] = _TEXTS.pop("reasons")
TEXTS: Final[dict[str, str]] = _TEXTS
_SOURCES: Final = {ANCHOR: "anchors of links in {}Wikipedia", LABEL: "labels in {}Wikidata", TITLE: "titles of pages"}


def description(facts: ReleaseFacts) -> str:
    """Say what the set is for and what a test case has, after a warning if the set is made up."""
    kinds = [OUTLIER_CLASSES[number].kind for number in sorted(facts.total("outliers"))]
    start = f"{TEXTS['made_up']} " if facts.made_up else ""
    return (
        f"{start}Outlier detection in {_languages(facts.spoken)}: {sizes(facts)} words for items of one Wikidata "
        f"class, and words for items of {listed(kinds)} classes that do not belong. A model that knows what words mean "
        f"picks the odd one out. {sources(facts)}"
    )


def made_up(facts: ReleaseFacts, article: str = "") -> str:
    """The prefix for the names of sources: "made-up ", with an article if given, or nothing for a real set."""
    return f"{article}made-up " if facts.made_up else ""


def sizes(facts: ReleaseFacts) -> str:
    """Say how many words clusters have: "8", "7 or 8", "5 to 8"."""
    found = sorted(facts.total("sizes"))
    if len(found) <= 2:
        return " or ".join(map(str, found))
    return f"{found[0]} to {found[-1]}"


def sources(facts: ReleaseFacts) -> str:
    """Say which share of the words comes from which source."""
    counts = facts.by_source()
    names = {source: _SOURCES[source].format(made_up(facts, "a ")) for source in counts}
    if len(counts) == 1:
        return f"All words are {names[next(iter(counts))]}."
    shares = [f"{share(count, counts)} are {names[source]}" for source, count in counts.items()]
    return f"Of the words {listed(shares)}."


def share(count: int, counts: Mapping[Any, int]) -> str:
    """Write a count as a percentage of the sum of several."""
    return f"{100 * count / sum(counts.values()):.1f} %"


def word_sources(facts: ReleaseFacts) -> str:
    """Explain the sources of words, by the options of the recipe."""
    found, lines = facts.by_source(), []
    if ANCHOR in found:
        wiki = f"that language's {made_up(facts)}Wikipedia"
        line = f"An anchor is the most frequent text of links to the item's page in {wiki}"
        if facts.option("surface", "form") == "dictionary":
            line += ", or the page's title, with links that have it, where that text is another form of the title"
        lines.append(f"{line}.")
    if LABEL in found:
        lines.append(f"A label is the name that {made_up(facts, 'the ')}Wikidata has for the item.")
    if TITLE in found:
        wiki = f"that language's {made_up(facts)}Wikipedia"
        lines.append(f"A title is that of the item's page in {wiki}, as Wikidata has it.")
    return " ".join(lines)


# Which instances of a class are its first, and which are its head, torso or tail.
_RANKS: Final = {
    "global": "the ones with pages on most sites of Wikimedia (sitelinks)",
    "local": (
        "the ones to whose pages most links of the language's own Wikipedia lead, where a link counts for more the "
        "fewer sites of Wikimedia have the page (sitelinks); without links, those with most sitelinks"
    ),
}
_THIRDS: Final = {
    "head": "those that fewer than a third of them exceed in {}",
    "torso": "those that at least a third of them exceed in {}, but fewer than two thirds",
    "tail": "those that at least two thirds of them exceed in {}",
}


def collection(facts: ReleaseFacts) -> str:
    """Name the dumps and the method that the set was made from."""
    wikipedias = sorted({language for language, _ in facts.sources if language})
    made = made_up(facts)
    dumps = [f"a dump of {made_up(facts, 'a ')}Wikidata"] if facts.dumps("") else []
    dumps += [f"dumps of the {made}Wikipedias in {_named(wikipedias)}"] if len(wikipedias) > 1 else []
    dumps += [f"a dump of the {made}Wikipedia in {_named(wikipedias)}"] if len(wikipedias) == 1 else []
    start = f"Made by wikisem {facts.versions.get('wikisem', '')}".rstrip()
    lines = [f"{start}{' from ' + listed(dumps) if dumps else ''}, after Blair, Merhav and Barry (2016)."]
    if not wikipedias:
        lines.append("No Wikipedia was read.")
    size, least = facts.option("cluster", "size"), facts.option("outliers", "min_sitelinks")
    ranked, fame = _RANKS[facts.option("cluster", "prominence") or "global"], facts.option("cluster", "fame")
    lines.append(
        f"A cluster has {'instances' if size is None else f'up to {size} instances'} of its class: of those that have "
        f"a word in the language, {ranked}, each word once."
    )
    keys = {"include": "", "include_below": "all below ", "exclude": "not ", "exclude_below": "none below "}
    chosen = [f"{words}{listed(classes)}" for key, words in keys.items() if (classes := facts.option("classes", key))]
    if chosen:
        lines.append(f"Only some classes were judged: {'; '.join(chosen)}.")
    if least:
        lines.append(f"An outlier has {least} sitelinks or more.")
    if fame in _THIRDS:
        third = _THIRDS[fame].format("sitelinks" if ranked == _RANKS["global"] else "links so counted")
        lines.append(
            f"Members are from the {fame} of their class: of its instances with a word and at least {least} sitelinks, "
            f"{third}. Outliers may be as well known or as little as members, where there are such items."
        )
    if facts.option("outliers", "shared"):
        lines.append("A class has the same outlier items in every language.")
    if mixed := [language for language in facts.filled if len(language.spoken) > 1]:
        lines += [f"A group in {language.code} mixes words in {_named(language.spoken)}." for language in mixed]
    if not facts.made_up:
        lines.append("No person wrote or labelled a case, and no model wrote a word of it.")
    return " ".join(lines)


def uses(facts: ReleaseFacts) -> str:
    """Say what the set can and cannot be used for."""
    if facts.made_up:
        return "To try wikisem, and tools that read its sets. Not to score models, nor to train them."
    return (
        "To score word vectors, sentence encoders and language models on what words mean in "
        f"{_languages(facts.spoken)}. Not to train them: a model that has seen the cases is not measured by them."
    )


def limits(facts: ReleaseFacts) -> str:
    """Say in which ways cases may be wrong, by the rules in the recipe."""
    lines = ["A case is right where Wikidata is right: classes overlap, and an outlier may belong after all."]
    if proven := facts.total("proofs")["certificates"]:
        members, odd = facts.total("proofs")["members"], facts.total("proofs")["contradictions"]
        lines.append(TEXTS["proofs"].format(f"{proven:,}", f"{facts.cases:,}", f"{odd:,}", f"{members:,}"))
    if "outliers" in facts.recipe and not facts.option("outliers", "certificate"):
        lines.append("An instance of a subclass of the class may be its outlier.")
    if "margin" in facts.recipe.get("outliers", {}) and facts.option("outliers", "margin") is None:
        lines.append("No rule leaves out outliers whose statements are those of a member.")
    known, _ = facts.spreads.get("coherence", (0, ()))
    groups = sum(language.groups for language in facts.filled)
    if (facts.option("cluster", "coherence") or facts.option("outliers", "margin")) and known < groups:
        number = f"only {known:,} of {groups:,} groups have" if known else "no group has"
        lines.append(f"The recipe has rules on statements, but {number} statements enough for them.")
    if ANCHOR in facts.by_source() and facts.option("surface", "form") == "anchor":
        lines.append("Anchors are as writers link them, inflected in some languages.")
    if facts.total("foreign"):
        foreign = facts.total("foreign")
        codes = listed([f"{count:,} of {code}" for code, count in sorted(foreign.items())])
        lines.append(f"Labels under a code other than the language's own: {codes}.")
    linked = {code: pages for code in facts.spoken if (pages := facts.linked_pages(code)) and pages.best_missing}
    if linked:
        lacking = [f"{pages.best_missing:,} of {pages.best_linked:,} ({code})" for code, pages in linked.items()]
        lines.append(f"Dumps lack some of the best linked pages of their Wikipedias: {listed(lacking)}.")
    if "entities" in facts.stages and (tables := facts.stages["entities"].tables) and tables.lacks:
        lines.append(f"Wikidata was read from public tables, which lack {'; '.join(tables.lacks)}.")
    lines.append(facts.reading or "No reading of these cases is on record, so how many are wrong is not known.")
    lines += facts.notes
    return " ".join(lines)


def biases(facts: ReleaseFacts) -> str:
    """Say which items are favoured, and which guessers that ignore meaning are better than chance."""
    prominent = (
        "Members are the instances of a class with most sitelinks: what writers of many Wikipedias have pages on is in "
        "the set, what few write about is not."
    )
    if facts.option("cluster", "prominence") == "local":
        prominent = (
            "Members are what writers of the language's own Wikipedia link to more than writers elsewhere have pages "
            "on: so sets of two languages have different items."
        )
    elif facts.option("cluster", "fame") in {"torso", "tail"}:
        prominent = "Within their third of the class, members are those with most sitelinks."
    lines = [prominent]
    if better := Counter(name for language in facts.filled for name in language.better_guessers):
        number = sum(bool(language.better_guessers) for language in facts.filled)
        counts = listed(f"{name} ({count})" for name, count in better.most_common())
        lines.append(
            f"Guessers that ignore meaning are better than chance in {number} of {len(facts.filled)} languages: "
            f"{counts}; the card has them in bold by language."
        )
    elif any(language.baselines for language in facts.filled):
        lines.append("No guesser that ignores meaning is surely better than chance.")
    if shares := [share.value for language in facts.filled if (share := language.baselines.get(ODD_TYPE))]:
        ends = dict.fromkeys(f"{100 * share:.1f}" for share in (min(shares), max(shares)))
        lines.append(
            "Who knows only the coarse type of each item, such as a person or a place, is right in "
            f"{' to '.join(ends)} % of the cases of a language."
        )
    return " ".join(lines)


def social_impact(facts: ReleaseFacts) -> str:
    """Say what scores on the set may lead to."""
    if facts.made_up:
        return "Scores on made-up data say nothing about a model."
    return (
        f"It lets people compare models in {_languages(facts.spoken)} by what these make of names and words. A score "
        "says nothing of whether a model is fair, safe or fit for a use, nor of languages that are not in the set."
    )


def listed(words: Iterable[str]) -> str:
    """Join words as in a sentence: "a", "a and b", "a, b and c"."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def _languages(codes: Sequence[str]) -> str:
    return f"{len(codes)} languages" if len(codes) > _MOST_NAMED else _named(codes)


def _named(codes: Sequence[str]) -> str:
    return listed([_NAMES.get(code, code) for code in codes])


_MOST_NAMED: Final = 10
_NAMES: Final = {wiki.code: wiki.name for wiki in WIKIPEDIAS.values()}
