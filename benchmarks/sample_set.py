"""The set that `wikisem sample` writes: its items from real data, and the build that the package holds.

    python -m benchmarks.sample_set items --cldr FOLDER --subdivisions FOLDER  # writes items in benchmarks/sample/
    python -m benchmarks.sample_set build                                      # writes wikisem/datasets/sample/

``items`` reads three files of real Wikidata content in $WIKISEM_DATA. It keeps the instances of the classes that
``benchmarks/sample/recipe.toml`` includes, and everything above these classes. What several files say of an item is
joined; labels are from the first file that has one in the language. Where none has, countries, languages, cities,
months and days get the name that the CLDR has for them: the first FOLDER is a ``node_modules`` with the npm packages
cldr-localenames-full and cldr-dates-full. States and provinces get that of CLDR 41, since later versions do not have
them: the second FOLDER is ``common/subdivisions`` in Debian's package unicode-cldr-core 41. An item is what the CLDR
names if both have one English name for it and it is of such a class.

``build`` runs wikisem on that and copies what the release of a run is made of.
"""

import argparse
import gzip
import json
import os
import shutil
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree as ET

import zstandard

from wikisem.ids import qid_number
from wikisem.layout import MANIFEST
from wikisem.outputs.release.metadata import Terms, manifest_json
from wikisem.pipeline.cli import main as wikisem
from wikisem.pipeline.commands.release import facts_of
from wikisem.pipeline.runs.read import read_run
from wikisem.recipes.load import load_recipe

HERE: Final = Path(__file__).parent / "sample"
ITEMS: Final = HERE / "wikidata-slice.json.zst"
RECIPE: Final = HERE / "recipe.toml"
TARGET: Final = Path(__file__).parent.parent / "wikisem/datasets/sample"
# In the order in which they are trusted. Only the first has true sitelinks; in the second their number is an order of
# prominence, and in the third it says nothing.
COUNTED: Final = "real-entities.json.gz"
ORDERED: Final = "class-graph-with-statements.json.gz"
FILES: Final = (COUNTED, ORDERED, "class-graph-slice.json.gz")
# Of each class so many items, the most prominent ones, and all that have labels in so many languages.
PROMINENT: Final = 30
COMMON: Final = 5
# Items with labels in nearly all languages are there as outliers, whatever their class: no people, and no labels of
# three words, which their length would give away.
EVERYWHERE: Final = 15
HUMAN: Final = "Q5"
# The classes whose instances have names in the CLDR, by what these are names of.
NAMED: Final = {
    "territory": ("country", "sovereign state", "island nation", "landlocked country", "Mediterranean country"),
    "language": ("modern language", "Q34770"),
    "city": ("city", "capital", "city with millions of inhabitants", "city of the United States"),
    "month": ("calendar month",),
    "day": ("Q41825",),
}
# The classes whose instances are subdivisions of a country, by the ISO 3166 code of the country.
SUBDIVIDED: Final = {
    "province of Afghanistan": "af",
    "state of India": "in",
    "province of China": "cn",
    "state of Venezuela": "ve",
    "region of Finland": "fi",
    "state of Germany": "de",
    "province of Indonesia": "id",
    "province of the Netherlands": "nl",
    "state of Sudan": "sd",
    "state of Malaysia": "my",
    "county of Norway": "no",
    "autonomous community of Spain": "es",
    "province of Canada": "ca",
    "county of Lithuania": "lt",
    "krai of Russia": "ru",
}
# What readers of earlier samples doubted: a city that has the name of its province; labels that mean something else
# or are no noun; capitals of a province or canton, a former and a disputed one; a country and a region of China as
# cities; a city with fewer than a million; a territory and two states without a coast as Mediterranean countries; an
# island that is no state; Chinese, which alone of languages is a discipline, and science; a dictionary, drama, films
# of books and the last part of a series as genres; halves of oceans as seas; a people named by a region; a former
# state; dialects.
DOUBTED_ITEMS: Final = ("Q749",)
DOUBTED_LABELS: Final = (
    *(
        ("Q1162163", "de"),
        ("Q7748", "ru"),
        ("Q1318295", "ru"),
        ("Q28640", "zh"),
        ("Q21010853", "zh"),
        ("Q182015", "zh"),
    ),
    ("Q160", "fr"),
    ("Q1199", "es"),
)
DOUBTED_CLASSES: Final = (
    *(("Q807", "Q5119"), ("Q406", "Q5119"), ("Q1218", "Q5119"), ("Q237", "Q515"), ("Q8646", "Q515")),
    ("Q1524", "Q1637706"),
    *((qid, "Q51576574") for qid in ("Q237", "Q238", "Q1410")),
    *(("Q21203", "Q112099"), ("Q7850", "Q11862829"), ("Q336", "Q11862829")),
    *(("Q23622", "Q223393"), ("Q21010853", "Q15961987")),
    *((qid, "Q165") for qid in ("Q350134", "Q12353254", "Q12355425")),
    *(("Q94696335", "Q41710"), ("Q2843", "Q1221156"), ("Q6602", "Q5119")),
    *(("Q1257444", "Q201658"), ("Q52040", "Q25295"), ("Q3252662", "Q15961987")),
)
# Others have walls, too, which would make the package larger.
WALLED: Final = ("de", "en", "es")
WALLS: Final = 90
# An item whose true number of sitelinks is known needs so many: villages have fewer.
LEAST: Final = 80
# What the card says beside what the run knows.
PUBLISHED: Final = "2026-11-27"
READING: Final = (
    "Two language models saw the words alone of 104 cases in 17 languages, and of 22 German, English and Spanish "
    "walls, of the build before this one: each found all 104 outliers and solved all 22 walls. With classes and "
    "outliers before them, neither called a case wrong or doubtful. Nine statements about members that they found odd "
    "are left out of this build. What came in their place was not read."
)
TERMS: Final = {
    "Unicode-3.0": (
        "https://www.unicode.org/license.txt",
        (
            "Where Wikidata's slice has no label, names of countries, languages, cities, months and days are from the "
            "Unicode CLDR 48.2, copyright 2004-2026 Unicode, Inc."
        ),
    ),
    "Unicode-DFS-2016": (
        "https://spdx.org/licenses/Unicode-DFS-2016.html",
        (
            "Where it has no label, names of states and provinces are from the Unicode CLDR 41, copyright 1991-2022 "
            "Unicode, Inc."
        ),
    ),
}
NOTES: Final = """\
The dump of Wikidata is a slice, of revisions of 2015 to 2019 and of two class graphs without a date. Where it has no
label, countries, languages, cities, months, days, states and provinces have the name of the Unicode CLDR. Chinese
labels were converted to simplified characters.
Sitelinks are counts for the items of the revisions; for all others their number is an order of prominence.
The set is for a first look at a model. It is too small to rank models that score alike, and in eleven of its languages
it has no classes but places."""


@dataclass(slots=True)
class Item:
    """An item as the files have it: classes, superclasses, labels, and sitelinks by site."""

    classes: dict[str, None] = field(default_factory=dict)
    above: dict[str, None] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    sitelinks: dict[str, str] = field(default_factory=dict)
    counted: bool = False

    @property
    def known(self) -> bool:
        """Whether it has an English label, and is no obscure item as far as can be said."""
        return "en" in self.labels and not (self.counted and len(self.sitelinks) < LEAST)


def read_items(folder: Path, languages: tuple[str, ...]) -> dict[str, Item]:
    """All items of the files by QID, joined."""
    found: dict[str, Item] = {}
    for name in FILES:
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            for line in lines:
                entity = json.loads(line.rstrip().rstrip(",")) if line.startswith("{") else {}
                if entity.get("type") == "item":
                    _join(found.setdefault(entity["id"], Item()), entity, name, languages)
    return found


def _join(item: Item, entity: Mapping[str, Any], file: str, languages: tuple[str, ...]) -> None:
    claims = entity.get("claims") or {}
    item.classes |= dict.fromkeys(_values(claims, "P31"))
    item.above |= dict.fromkeys(_values(claims, "P279"))
    labels = entity.get("labels") or {}
    item.labels = {code: labels[code]["value"] for code in languages if code in labels} | item.labels
    sitelinks = entity.get("sitelinks") or {}
    if file == COUNTED:
        wikis = {f"{code}wiki" for code in languages}
        item.sitelinks = {site: one["title"] if site in wikis else "" for site, one in sitelinks.items()}
        item.counted = True
    elif file == ORDERED and not item.sitelinks:
        item.sitelinks = {f"order{number}wikiquote": "" for number in range(len(sitelinks))}


def _values(claims: Mapping[str, Any], name: str) -> Iterator[str]:
    """The items of the best statements of a property."""
    statements = [one for one in claims.get(name, ()) if one["mainsnak"]["snaktype"] == "value"]
    ranks = {one["rank"] for one in statements}
    for one in statements:
        if one["rank"] == ("preferred" if "preferred" in ranks else "normal"):
            value = one["mainsnak"]["datavalue"]["value"]
            yield value.get("id") or f"Q{value['numeric-id']}"


def read_cldr(folder: Path, language: str) -> dict[str, dict[str, str]]:
    """The CLDR's names of territories, languages, cities, months and days, each by its key there."""

    def read(package: str, name: str) -> Any:
        path = folder / f"cldr-{package}-full" / "main" / language / f"{name}.json"
        return json.loads(path.read_text(encoding="utf-8"))["main"][language]

    calendar = read("dates", "ca-gregorian")["dates"]["calendars"]["gregorian"]
    return {
        "territory": read("localenames", "territories")["localeDisplayNames"]["territories"],
        "language": read("localenames", "languages")["localeDisplayNames"]["languages"],
        "city": dict(_cities(read("dates", "timeZoneNames")["dates"]["timeZoneNames"]["zone"])),
        "month": calendar["months"]["stand-alone"]["wide"],
        "day": calendar["days"]["stand-alone"]["wide"],
    }


def _cities(zones: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the city after which a time zone is named; zones are nested by continent."""
    for key, zone in zones.items():
        if isinstance(zone.get("exemplarCity"), str):
            yield key, zone["exemplarCity"]
        else:
            yield from _cities({name: one for name, one in zone.items() if isinstance(one, dict)})


def read_subdivisions(folder: Path, language: str) -> dict[str, str]:
    """The CLDR's names of states and provinces, by a key that begins with the code of their country."""
    root = ET.parse(folder / f"{language}.xml").getroot()
    names = {one.attrib["type"]: one.text or "" for one in root.iter("subdivision") if "alt" not in one.attrib}
    # "La Rioja²" is not the other La Rioja.
    return {key: name for key, name in names.items() if not any(map(_is_superscript, name))}


def _is_superscript(character: str) -> bool:
    return unicodedata.decomposition(character).startswith("<super>")


def name_items(items: Mapping[str, Item], folder: Path, subdivisions: Path, languages: tuple[str, ...]) -> None:
    """Give items the CLDR's names in languages in which they have no label."""
    named = {language: read_subdivisions(subdivisions, language) for language in languages}
    for label, country in SUBDIVIDED.items():
        (class_,) = find_classes(items, (label,))
        keys = {name: key for key, name in named["en"].items() if key.startswith(country)}
        for item in items.values():
            if class_ in item.classes and (key := keys.get(item.labels.get("en", ""))):
                item.labels = {code: own[key] for code, own in named.items() if key in own} | item.labels
    names = {language: read_cldr(folder, language) for language in languages}
    # A city without a name in a file has that of its time zone.
    zones = {key: key.replace("_", " ") for one in names.values() for key in one["city"]}
    for one in names.values():
        one["city"] = zones | one["city"]
    for kind, labels in NAMED.items():
        classes = set(find_classes(items, labels))
        keys = {name: key.partition("-alt-")[0] for key, name in reversed(names["en"][kind].items())}
        for item in items.values():
            if (key := keys.get(item.labels.get("en", ""))) and not classes.isdisjoint(item.classes):
                own = {code: names[code][kind][key] for code in languages if key in names[code][kind]}
                item.labels = own | item.labels


def leave_out(items: dict[str, Item]) -> None:
    """Take away the items, labels and statements that readers doubt."""
    for qid in DOUBTED_ITEMS:
        del items[qid]
    for qid, language in DOUBTED_LABELS:
        items[qid].labels.pop(language, None)
    for qid, name in DOUBTED_CLASSES:
        items[qid].classes.pop(name, None)


def find_classes(items: Mapping[str, Item], names: tuple[str, ...]) -> list[str]:
    """The QIDs of classes named by QID or English label; of classes with one label, that with most instances."""
    instances = Counter(qid for item in items.values() for qid in item.classes)
    labels = {item.labels.get("en"): qid for qid, item in sorted(items.items(), key=lambda each: instances[each[0]])}
    return [labels.get(name, name) for name in names]


def chosen(items: Mapping[str, Item], classes: Sequence[str]) -> dict[str, Item]:
    """The instances of the classes, and all classes above those that they have; a class is no instance here."""
    prominent = sorted(items, key=lambda qid: (-len(items[qid].sitelinks), qid_number(qid)))
    # Of items with one English label only the most prominent is clear: São Paulo is the city, not the state.
    first = {items[qid].labels.get("en"): qid for qid in reversed(prominent)}
    clear = [qid for qid in prominent if items[qid].known and first[items[qid].labels["en"]] == qid]
    kept: dict[str, Item] = {}
    for name in classes:
        own = [qid for qid in clear if name in items[qid].classes]
        kept |= {qid: items[qid] for at, qid in enumerate(own) if at < PROMINENT or len(items[qid].labels) >= COMMON}
    for qid in clear:
        item = items[qid]
        named = item.counted and len(item.labels) >= EVERYWHERE and all(map(_is_short, item.labels.values()))
        if named and HUMAN not in item.classes and any(name in items for name in item.classes):
            kept[qid] = item
    todo = [*classes, *(qid for item in kept.values() for qid in (*item.classes, *item.above))]
    while todo:
        qid = todo.pop()
        if qid in items and qid not in kept:
            kept[qid] = Item(above=items[qid].above, labels=items[qid].labels)
            todo += items[qid].above
    return kept


def _is_short(label: str) -> bool:
    return label.count(" ") < 2


def entity_line(qid: str, item: Item) -> str:
    """The line of an item as a dump has it, with no more than a build reads."""

    def statement(value: str) -> dict[str, Any]:
        target = {"value": {"entity-type": "item", "numeric-id": qid_number(value), "id": value}}
        snak = {"snaktype": "value", "property": "", "datavalue": target | {"type": "wikibase-entityid"}}
        return {"mainsnak": snak, "rank": "normal"}

    claims = {name: [*map(statement, own)] for name, own in (("P31", item.classes), ("P279", item.above)) if own}
    entity = {
        "type": "item",
        "id": qid,
        "labels": {code: {"language": code, "value": text} for code, text in sorted(item.labels.items())},
        "claims": claims,
        "sitelinks": {site: {"site": site, "title": title} for site, title in sorted(item.sitelinks.items())},
    }
    return json.dumps(entity, ensure_ascii=False, separators=(",", ":"))


def write_items(data: Path, cldr: Path, subdivisions: Path) -> None:
    """Write the items that the classes of the recipe need, as a dump."""
    recipe = load_recipe(str(RECIPE))
    items = read_items(data / "wikidata", recipe.languages)
    name_items(items, cldr, subdivisions, recipe.languages)
    leave_out(items)
    kept = chosen(items, find_classes(items, recipe.classes.include))
    lines = "".join(f"{entity_line(qid, kept[qid])}\n" for qid in sorted(kept, key=qid_number))
    ITEMS.write_bytes(zstandard.compress(lines.encode(), level=22))


def build(target: Path) -> None:
    """Run wikisem on the items, and leave in a folder what `wikisem release` reads of the run."""
    languages = ",".join(load_recipe(str(RECIPE)).languages)
    with tempfile.TemporaryDirectory() as out:
        words = ["build", str(RECIPE), "--wikidata", str(ITEMS), "--checksum", "--languages", languages]
        if wikisem([*words, "--workers", "1", "--output", out]):
            raise SystemExit(1)
        if wikisem(["walls", out, "--languages", ",".join(WALLED), "--number", str(WALLS), "--workers", "1"]):
            raise SystemExit(1)
        for path in sorted(
            path for kind in ("groups", "rejected", "walls") for path in Path(out).glob(f"{kind}/*.jsonl")
        ):
            copy = target / path.relative_to(out)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        run = read_run(Path(out))
        run.manifest.notes, run.manifest.reading = [NOTES.replace("\n", " ")], READING
        run.manifest.terms = [
            Terms(spdx, url, about, (HERE / f"{spdx}.txt").read_text(encoding="utf-8").strip())
            for spdx, (url, about) in TERMS.items()
        ]
        (target / MANIFEST).write_bytes(manifest_json(facts_of(run, PUBLISHED), {}))


def main() -> None:
    """Make the items, or the build of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    making = commands.add_parser("items")
    making.add_argument("--cldr", type=Path, required=True)
    making.add_argument("--subdivisions", type=Path, required=True)
    commands.add_parser("build").add_argument("--output", type=Path, default=TARGET)
    arguments = parser.parse_args()
    if arguments.command == "items":
        write_items(Path(os.environ["WIKISEM_DATA"]), arguments.cldr, arguments.subdivisions)
    else:
        build(arguments.output)


if __name__ == "__main__":
    main()
