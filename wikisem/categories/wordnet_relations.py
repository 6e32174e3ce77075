"""The thirteen relations of WordRep (Gao, Bian and Liu 2014, table 3) from a WordNet in the LMF form.

Word pairs have the direction of the examples in the table: *yoga* is an *exercise*, *eyebrow* is part of *face*, *tear*
is made of *water*. A synset is represented by its first word that passes the filters, so a pair of synsets makes one
pair of words. Relations between senses (antonyms, derivations) hold between the words of these senses.

*Adjective to adverb* of table 2 is added: *rapidly* pertains to *rapid*. InstanceOf needs instances, which Open English
WordNet has not had since 2024; older editions and Namenet have them.
"""

import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from wikisem.categories.analogies import Pair
from wikisem.categories.word_filter import EVERY_WORD, WordFilter
from wikisem.datasets.files import UNPACKING_ERRORS, compression, open_unpacked
from wikisem.errors import DamagedInputError, MissingInputError, optional_module

# The name in WordRep -> the relation in LMF (https://globalwordnet.github.io/schemas, 2026-11).
RELATIONS: Final[Mapping[str, str]] = {
    "Antonym": "antonym",
    "MemberOf": "holo_member",
    "MadeOf": "mero_substance",
    "IsA": "hypernym",
    "SimilarTo": "similar",
    "PartOf": "holo_part",
    "InstanceOf": "instance_hypernym",
    "DerivedFrom": "derivation",
    "HasContext": "domain_topic",
    "RelatedTo": "also",
    "Attribute": "attribute",
    "Causes": "causes",
    "Entails": "entails",
}
# The only relation of table 2 that WordNets have: adverbs pertain to adjectives, as adjectives do to nouns.
ADVERBS: Final = "Adjective-to-adverb"
_ADJECTIVES: Final = ("a", "s")

_LACKING: Final = "an element that lacks an attribute or another element"


def read_wordnet(path: Path, keep: WordFilter = EVERY_WORD) -> dict[str, list[Pair]]:
    """The pairs of each relation in an LMF file (.xml, .gz, .bz2), each once, in the order of the file.

    Only words that ``keep`` keeps are in pairs. MissingExtraError without the package wn, MissingInputError without a
    file, DamagedInputError for a file that is not LMF.
    """
    if not path.is_file():
        raise MissingInputError(f"expected a WordNet, saw no file at {path}")
    lmf: Any = optional_module("wn.lmf", "reading a WordNet", "wordnet", package="wn")
    try:
        if isinstance(path, Path) and not compression(path):
            resource = lmf.load(path, progress_handler=None)
        else:
            # WordNets are released packed, which the library cannot read.
            with open_unpacked(path) as packed, tempfile.TemporaryDirectory() as folder:
                plain = Path(folder) / path.stem
                with plain.open("wb") as stream:
                    shutil.copyfileobj(packed, stream)
                resource = lmf.load(plain, progress_handler=None)
    except (lmf.LMFError, ValueError, SyntaxError, KeyError, AssertionError, *UNPACKING_ERRORS) as error:
        # The library checks what LMF requires by assertions without a message.
        raise DamagedInputError(f"{path}: expected a WordNet in LMF, saw {str(error) or _LACKING}") from error
    names = {relation: name for name, relation in [*RELATIONS.items(), (ADVERBS, ADVERBS)]}
    pairs: dict[str, dict[tuple[str, str], None]] = {name: {} for name in names.values()}
    for first, relation, second in _edges(resource["lexicons"], keep):
        if relation in names and first != second:
            pairs[names[relation]].setdefault((first, second))
    return {name: list(found) for name, found in pairs.items()}


def _edges(lexicons: Any, keep: WordFilter) -> Iterator[tuple[str, str, str]]:
    """Each edge as word, relation and word: between senses, then between synsets."""
    entries = [entry for lexicon in lexicons for entry in lexicon.get("entries", [])]
    word_of: dict[str, str] = {}
    members: dict[str, list[tuple[int, str]]] = {}
    for entry in entries:
        word = entry["lemma"]["writtenForm"]
        for sense in entry.get("senses", []) if keep(word) else []:
            word_of[sense["id"]] = word
            members.setdefault(sense["synset"], []).append((sense.get("n", 0), word))
    senses = [(entry["lemma"]["partOfSpeech"], sense) for entry in entries for sense in entry.get("senses", [])]
    for _, sense in senses:
        yield from _pairs(sense, word_of)

    # A sense of an adverb pertains to a sense of an adjective.
    adjectives = {sense["id"] for part, sense in senses if part in _ADJECTIVES}.intersection(word_of)
    for part, sense in senses:
        for relation in sense.get("relations", []) if part == "r" and sense["id"] in word_of else []:
            if relation["relType"] == "pertainym" and relation["target"] in adjectives:
                yield word_of[relation["target"]], ADVERBS, word_of[sense["id"]]

    # The word of each synset is the first of its members, in the order of the file, that is kept.
    synsets = [synset for lexicon in lexicons for synset in lexicon.get("synsets", [])]
    heads = {}
    for synset in synsets:
        listed = [word_of[sense] for sense in synset.get("members", []) if sense in word_of]
        kept = listed or [word for _, word in sorted(members.get(synset["id"], []))]
        if kept:
            heads[synset["id"]] = kept[0]
    for synset in synsets:
        yield from _pairs(synset, heads)


def _pairs(node: Any, words: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    if node["id"] in words:
        for relation in node.get("relations", []):
            if relation["target"] in words:
                yield words[node["id"]], relation["relType"], words[relation["target"]]
