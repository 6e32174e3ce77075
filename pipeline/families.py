"""The commands in families, as ``wikisem --help`` lists them, and two examples of each for its own ``--help``.

A new command or task has a row in each table; its module is ``wikisem.pipeline.commands.NAME``.
"""

from collections.abc import Mapping
from typing import Final

# Family -> command -> what it is for.
FAMILIES: Final[Mapping[str, Mapping[str, str]]] = {
    "make": {
        "sample": "a small set of real items in ten languages, ready to look at and to score",
        "demo": "the embedded sample world, start to end, offline, in seconds",
        "download": "the newest dumps of Wikipedias and Wikidata, checked, ready to build from",
        "build": "from dumps to groups: all five stages, each only if its inputs or options changed",
        "entities": "stage 1: Wikidata dump to items",
        "mentions": "stage 2: Wikipedia dumps to the anchor dictionary of each language",
        "surfaces": "stage 3: the surface form of each item in each language",
        "taxonomy": "stage 4: the class graph",
        "groups": "stage 5: test groups in every language",
        "walls": "sixteen words in four hidden groups, from the groups of a finished run",
        "categories": "Topk and OddOneOut category sets, from an endpoint or from the entities of a run",
        "lexemes": "syntactic test sets from the lexeme dump: analogies, categories, outlier groups",
        "wordnet": "the thirteen relations of WordRep from a WordNet, as analogy questions",
        "tokenize": "a data set with its words divided into tokens, for Japanese and Chinese",
    },
    "look": {
        "browse": "a page to look through the groups, from disk",
        "show": "one group in full, by the name of its class",
        "explain": "why a class has the group that it has",
        "audit": "measure every group of a run or of a released set, worst first",
        "changes": "what changed from one run or release to another: groups, members, surface forms",
        "check": "which groups of a data set break which filter",
    },
    "score": {
        "evaluate": "score vectors on a data set",
        "correlate": "the scores of models against other scores of the same models",
        "annotate": "sheets for people who find the outliers, and the scores of their answers",
    },
    "publish": {
        "release": "a folder to publish: Parquet, card, Croissant, tasks for harnesses",
        "names": "what every page is called and what every name means, as tables with counts",
    },
    "help": {
        "languages": "every language with its wiki, rules and list words, and where each is from",
        "recipes": "the recipes that ship, or one of them as a file",
    },
}

# Command, or command and task -> two lines that can be typed as they are, once the files have the reader's names.
EXAMPLES: Final[Mapping[str, tuple[str, str]]] = {
    "sample": ("wikisem sample set", "wikisem sample /tmp/set"),
    "demo": ("wikisem demo", "wikisem demo --output out"),
    "download": (
        "wikisem download de ja --wikidata --output dumps",
        "wikisem download --languages ltg,lv --dry-run --output dumps",
    ),
    "build": (
        "wikisem build wikisem --wikidata wikidata.json.gz --wikipedia de=dewiki.xml.bz2 --output out",
        "wikisem build my.toml --wikidata wikidata.json.gz --languages de,ja --workers 8 --output out",
    ),
    "entities": (
        "wikisem entities --wikidata latest-all.json.gz --languages en,de --output out",
        "wikisem entities --wikidata 'parts/*.json.bz2' --languages all --recipe wikisem --output out",
    ),
    "mentions": (
        "wikisem mentions --wikipedia de=dewiki.xml.bz2 --output out",
        "wikisem mentions --wikipedia 'de=dumps/dewiki-*.bz2' ja=jawiki.xml.gz --link-trail --output out",
    ),
    "surfaces": (
        "wikisem surfaces wikisem --output out",
        "wikisem surfaces my.toml --languages de,ja --output out",
    ),
    "taxonomy": ("wikisem taxonomy wikisem --output out", "wikisem taxonomy my.toml --workers 1 --output out"),
    "groups": (
        "wikisem groups wikisem --output out",
        "wikisem groups my.toml --languages de,ja --seed 7 --output out",
    ),
    "walls": (
        "wikisem walls out --number 300",
        "wikisem walls out --languages en,de --seed 7",
    ),
    "categories": (
        "wikisem categories google-semantic --languages en,de --entities out --output sets",
        "wikisem categories emoji --languages en --contact me@example.org --output sets",
    ),
    "lexemes": (
        "wikisem lexemes latest-lexemes.json.bz2 --languages en --output sets",
        "wikisem lexemes latest-lexemes.json.bz2 --languages en,de --vocabulary words.txt --output sets",
    ),
    "wordnet": (
        "wikisem wordnet english-wordnet.xml.gz --output sets",
        "wikisem wordnet english-wordnet.xml.gz --single-words --vocabulary words.txt --output sets",
    ),
    "tokenize": (
        "wikisem tokenize out --tokenizer fugashi --languages ja --output out-tokens",
        "wikisem tokenize groups.jsonl --tokenizer jieba --languages zh --output tokens",
    ),
    "browse": ("wikisem browse out", "wikisem browse out --scores scores.json --output page"),
    "show": ("wikisem show out city --language de", "wikisem show hf://datasets/OWNER/NAME Q515"),
    "explain": (
        "wikisem explain out city --language de",
        "wikisem explain out Q515 --item Q84 --figure city.svg",
    ),
    "audit": ("wikisem audit out", "wikisem audit out --compare other-set.jsonl --json"),
    "changes": (
        "wikisem changes old new",
        "wikisem changes hf://datasets/me/set out --languages de --output changes.md",
    ),
    "check": (
        "wikisem check groups.jsonl --language de",
        "wikisem check out --language ja --recipe my.toml --json",
    ),
    "evaluate": (
        "wikisem evaluate outliers out --vectors cc.de.300.vec.gz --languages de",
        "wikisem evaluate analogies questions.txt --vectors glove.txt --method 3cosmul",
    ),
    "evaluate outliers": (
        "wikisem evaluate outliers out --vectors cc.de.300.vec.gz --languages de",
        "wikisem evaluate outliers set.jsonl --vectors one.bin model2vec:NAME --output scores.html",
    ),
    "evaluate contexts": (
        "wikisem evaluate contexts out --vectors counts:counts.tsv --languages en",
        "wikisem evaluate contexts out --vectors counts:counts.tsv --contexts 10,100,1000 --plot contexts.svg",
    ),
    "evaluate consistency": (
        "wikisem evaluate consistency out --vectors multilingual.vec",
        "wikisem evaluate consistency out --vectors multilingual.vec --languages de,ja --plot languages.svg",
    ),
    "evaluate walls": (
        "wikisem evaluate walls out --vectors cc.de.300.vec.gz --languages de",
        "wikisem evaluate walls out --vectors one.vec other.vec --json",
    ),
    "evaluate cutoff": (
        "wikisem evaluate cutoff out --vectors cc.de.300.vec.gz --bands 8",
        "wikisem evaluate cutoff out --vectors one.vec --plot cutoff.svg",
    ),
    "evaluate topk": (
        "wikisem evaluate topk categories/en.jsonl --vectors glove.txt",
        "wikisem evaluate topk questions.txt --split-analogies --vectors glove.txt -k 5",
    ),
    "evaluate oddoneout": (
        "wikisem evaluate oddoneout categories/en.jsonl --vectors glove.txt",
        "wikisem evaluate oddoneout categories/en.jsonl --vectors glove.txt -k 5 --intruders other-categories",
    ),
    "evaluate combined": (
        "wikisem evaluate combined categories/en.jsonl --vectors glove.txt",
        "wikisem evaluate combined categories/en.jsonl --vectors glove.txt --skip-oov --json",
    ),
    "evaluate analogies": (
        "wikisem evaluate analogies questions.txt --vectors glove.txt",
        "wikisem evaluate analogies questions.txt --vectors glove.txt --method 3cosmul --restrict 30000",
    ),
    "evaluate calibrate": (
        "wikisem evaluate calibrate cases.jsonl",
        "wikisem evaluate calibrate one.jsonl other.jsonl --model rasch --by case --output scale.html",
    ),
    "evaluate samples": (
        "wikisem evaluate samples results/samples_wikisem_de.jsonl",
        "wikisem evaluate samples results/*.jsonl --measure acc_norm --json",
    ),
    "correlate": (
        "wikisem correlate scores.json downstream.csv",
        "wikisem correlate scores.json downstream.csv --common --plot correlation.svg",
    ),
    "annotate": (
        "wikisem annotate out --language de --groups 50 --annotators 3 --output sheets",
        "wikisem annotate --score sheets --vectors cc.de.300.vec.gz",
    ),
    "release": (
        "wikisem release out --output to-publish",
        "wikisem release out --repository my-name/my-set --scores scores.json --output to-publish",
    ),
    "names": ("wikisem names out", "wikisem names out --languages de,ja --output to-publish"),
    "languages": ("wikisem languages", "wikisem languages out --json"),
    "recipes": ("wikisem recipes", "wikisem recipes wikisem"),
}


def overview() -> str:
    """What ``wikisem --help`` prints."""
    lines = ["usage: wikisem COMMAND [OPTIONS] [-- BEAM OPTIONS]", ""]
    lines += ["Test sets that show whether a model knows what words mean, from Wikidata and Wikipedia dumps."]
    width = 2 + max(len(name) for commands in FAMILIES.values() for name in commands)
    for family, commands in FAMILIES.items():
        lines += ["", f"{family}:", *(f"  {name:<{width}}{text}" for name, text in commands.items())]
    lines += [
        "",
        "wikisem COMMAND --help shows the options of a command and two examples; wikisem --version, what is installed.",
    ]
    return "\n".join(lines)


def examples_of(command: str) -> str | None:
    """The examples of a command, or of a command and a task, as the end of its help; None without any."""
    return "\n".join(["examples:", *(f"  {line}" for line in EXAMPLES[command])]) if command in EXAMPLES else None
