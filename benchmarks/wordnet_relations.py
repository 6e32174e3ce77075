"""The relations of WordRep from the whole of WordNet 3.0, the edition that WordRep had, counted in two ways.

    python -m benchmarks.wordnet_relations FOLDER --vocabulary VECTORS

FOLDER has Princeton's files data.noun, data.verb, data.adj and data.adv (Debian: the package wordnet-base, in
/usr/share/wordnet). They are written as LMF by the package wn, ``wikisem wordnet`` reads that, and its pairs are
compared with a count over the pointers of Princeton's own files, which goes another way to the same definition. Prints
the table of docs/lexemes.md.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from wikisem.categories.lexeme_pairs import ADVERBS, read_wordnet
from wikisem.categories.recipe import WordFilter

# The relation in WordRep -> its pointer in wndb(5), its number of pairs and its examples (Gao et al. 2014, table 3).
WORDREP: Final = {
    "Antonym": ("!", 973, ("succeed fail", "major minor")),
    "MemberOf": ("#m", 406, ("Zealander Zealand", "Malawian Malawi")),
    "MadeOf": ("%s", 63, ("tear water", "glassware glass")),
    "IsA": ("@", 10615, ("yoga exercise", "yogurt food")),
    "SimilarTo": ("&", 3489, ("worthy value", "employ work")),
    "PartOf": ("#p", 1029, ("eyebrow face", "column temple")),
    "InstanceOf": ("@i", 1314, ("Dallas city", "Somerset county")),
    "DerivedFrom": ("+", 6119, ("king kingdom", "liberate liberty")),
    "HasContext": (";c", 1149, ("underhand sport", "rhyme poetry")),
    "RelatedTo": ("^", 102, ("look watch", "use consume")),
    "Attribute": ("=", 184, ("size small", "depth shallow")),
    "Causes": (">", 26, ("ring sound", "give have")),
    "Entails": ("*", 114, ("buy pay", "beat win")),
    # Of table 2, whose 689 pairs are from a dictionary: "derived from adjective", backwards.
    "Adjective-to-adverb": ("\\", 689, ("apparent apparently", "rapid rapidly")),
}
# The same pointers in LMF, for a synset and for a sense.
LMF: Final = {
    "#m": "holo_member", "%s": "mero_substance", "@": "hypernym", "&": "similar", "#p": "holo_part", "^": "also",
    "@i": "instance_hypernym", ";c": "domain_topic", "=": "attribute", ">": "causes", "*": "entails",
    "!": "antonym", "+": "derivation", "\\": "pertainym",
}  # fmt: skip

Pairs = set[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Pointer:
    """To another synset; ``source`` and ``target`` are places of words, counted from 1, or 0 for the synset."""

    symbol: str
    synset: str
    source: int
    target: int


@dataclass(frozen=True, slots=True)
class Synset:
    """Its words in Princeton's order, and its pointers."""

    words: Sequence[str]
    pointers: Sequence[Pointer]


def main() -> int:
    """Convert, read, count again, print; 1 if a relation differs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.wordnet_relations", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--vocabulary", type=Path, required=True, help="word vectors, whose words are the vocabulary")
    arguments = parser.parse_args()
    synsets = dict(read_synsets(arguments.folder))
    filters = [WordFilter(), WordFilter(single=True), WordFilter.of(arguments.vocabulary, single=True)]
    with tempfile.TemporaryDirectory() as folder:
        lmf = Path(folder) / "wordnet.xml"
        write_lmf(synsets, lmf)
        started = time.process_time()
        found = [read_pairs(lmf, keep) for keep in filters]
        seconds = (time.process_time() - started) / len(filters)
    counted = [{name: count_pairs(synsets, name, keep) for name in WORDREP} for keep in filters]
    print(f"{len(synsets):,} synsets; {seconds:.1f} CPU s a reading\n")
    print_table(found)
    both = list(zip(found, counted, strict=True))
    differ = [name for name in WORDREP if any(ours[name] != other[name] for ours, other in both)]
    print(f"\nrelations that differ from the count over Princeton's files: {', '.join(differ) or 'none'}")
    return 1 if differ else 0


def read_synsets(folder: Path) -> Iterator[tuple[str, Synset]]:
    """Each synset by part of speech and offset, as in wndb(5)."""
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text(encoding="utf-8").splitlines():
            if line.startswith("  "):
                continue  # the licence
            fields = line.partition("|")[0].split()
            kind, words = fields[2].replace("s", "a"), int(fields[3], 16)
            names = [fields[4 + 2 * at].partition("(")[0].replace("_", " ") for at in range(words)]
            after = fields[5 + 2 * words :]
            rows = [after[4 * at : 4 * at + 4] for at in range(int(fields[4 + 2 * words]))]
            yield f"{kind}{fields[0]}", Synset(names, [_pointer(*row) for row in rows])


def _pointer(symbol: str, offset: str, kind: str, ends: str) -> Pointer:
    return Pointer(symbol, f"{kind}{offset}", *divmod(int(ends, 16), 256))


def write_lmf(synsets: dict[str, Synset], path: Path) -> None:
    """One lexical entry for each word of a synset: how they are joined does not matter here."""
    import wn.lmf

    entries: list[dict[str, Any]] = [
        {
            "id": f"e-{name}-{at}",
            "lemma": {"writtenForm": word, "partOfSpeech": name[0]},
            "senses": [{"id": f"{name}-{at}", "synset": name, "relations": _relations(synset, at)}],
        }
        for name, synset in synsets.items()
        for at, word in enumerate(synset.words, start=1)
    ]
    nodes: list[dict[str, Any]] = [
        {
            "id": name,
            "ili": "",
            "partOfSpeech": name[0],
            "members": [f"{name}-{at}" for at in range(1, len(synset.words) + 1)],
            "relations": _relations(synset, 0),
        }
        for name, synset in synsets.items()
    ]
    about = {"label": "WordNet", "language": "en", "email": "", "license": "", "version": "3.0", "id": "wordnet"}
    lexicon: Any = {**about, "entries": entries, "synsets": nodes}
    wn.lmf.dump({"lmf_version": "1.1", "lexicons": [lexicon]}, path)


def _relations(synset: Synset, source: int) -> list[dict[str, str]]:
    """What goes out from a synset (0) or from one of its words, to a synset or a word."""
    return [
        {"relType": LMF[one.symbol], "target": f"{one.synset}-{one.target}" if one.target else one.synset}
        for one in synset.pointers
        if one.source == source and one.symbol in LMF
    ]


def read_pairs(path: Path, keep: WordFilter) -> dict[str, Pairs]:
    """What ``wikisem wordnet`` makes of it."""
    return {name: set(pairs) for name, pairs in read_wordnet(path, keep).items()}


def count_pairs(synsets: dict[str, Synset], name: str, keep: WordFilter) -> Pairs:
    """By the pointers: between words if the pointer is, else between the first words that are kept."""
    pairs = set()
    backwards = name == ADVERBS
    for key, synset in synsets.items():
        for pointer in synset.pointers:
            if pointer.symbol == WORDREP[name][0] and (not backwards or key[0] + pointer.synset[0] == "ra"):
                target = synsets[pointer.synset]
                pair = _word(synset, pointer.source, keep), _word(target, pointer.target, keep)
                pairs.add(pair[::-1] if backwards else pair)
    return {(first, second) for first, second in pairs if first and second and first != second}


def _word(synset: Synset, place: int, keep: WordFilter) -> str:
    if place:
        return synset.words[place - 1] if keep(synset.words[place - 1]) else ""
    return next((word for word in synset.words if keep(word)), "")


def print_table(found: Sequence[dict[str, Pairs]]) -> None:
    """Pairs by relation: all words, single words, words of the vocabulary, WordRep's own, and its examples."""
    print("| relation | all pairs | of single words | of the vocabulary | WordRep | its examples |")
    print("|---|---:|---:|---:|---:|---|")
    for name, (_, wordrep, examples) in WORDREP.items():
        numbers = " | ".join(f"{len(pairs[name]):,}" for pairs in found)
        said = ", ".join(f"{one} {'yes' if tuple(one.split()) in found[0][name] else 'no'}" for one in examples)
        print(f"| {name} | {numbers} | {wordrep:,} | {said} |")


if __name__ == "__main__":
    sys.exit(main())
