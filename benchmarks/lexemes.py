"""How fast lexemes are read, beside items: a made-up dump of each, plain JSON, one core.

    python -m benchmarks.lexemes [LEXEMES]

Lexemes have two to five forms with pronunciations as real ones have them, and the pairs of all shipped relations are
collected; items have labels, sitelinks and statements. Both readers are run as far as their tables or pairs. 1,600,000
lexemes, the default, are about what Wikidata has (1.4 million in 2026-09).
"""

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from wikisem.categories.lexeme_pairs import PairCollector, load_relations
from wikisem.dumps import plan_ranges, read_records
from wikisem.wikidata.entity_reader import ChunkReader, EntityReader, LexemeReader
from wikisem.wikidata.line_types import Fields

FEATURES = ("Q110786", "Q146786", "Q131105", "Q146233", "Q53997851")
ITEMS = 40_000


def claim(prop: str, value: Any, kind: str) -> dict[str, Any]:
    """A statement with a reference, as long as real ones are."""
    snak = {
        "snaktype": "value",
        "property": prop,
        "hash": "5fa8bb10ca6b612ae636e96c27548adbd950586a",
        "datavalue": {"value": value, "type": kind},
        "datatype": kind,
    }
    return {
        "mainsnak": snak,
        "type": "statement",
        "id": "L42$a34a37ac-8ab1-45e0-8529-6529b02d4508",
        "rank": "normal",
        "references": [{"hash": "d4a748b59b5d", "snaks": {prop: [snak]}, "snaks-order": [prop]}],
    }


def lexeme(number: int) -> dict[str, Any]:
    """A noun of two to five forms."""
    forms = [
        {
            "id": f"L{number}-F{at}",
            "representations": {"en": {"language": "en", "value": f"word{number}{'s' * at}"}},
            "grammaticalFeatures": [feature],
            "claims": {"P443": [claim("P443", f"En-word{number}.ogg", "string")]},
        }
        for at, feature in enumerate(FEATURES[: 2 + number % 4])
    ]
    return {
        "type": "lexeme",
        "id": f"L{number}",
        "lemmas": {"en": {"language": "en", "value": f"word{number}"}},
        "lexicalCategory": "Q1084",
        "language": "Q1860",
        "claims": {},
        "forms": forms,
        "senses": [],
        "pageid": number,
        "ns": 146,
        "title": f"Lexeme:L{number}",
        "lastrevid": number,
    }


def item(number: int) -> dict[str, Any]:
    """An item of thirty labels, ten sitelinks and four statements."""
    codes = [f"l{chr(97 + at % 26)}{chr(97 + at // 26)}" for at in range(30)]
    return {
        "type": "item",
        "id": f"Q{number}",
        "lastrevid": number,
        "aliases": {},
        "labels": {code: {"language": code, "value": f"label {number}"} for code in codes},
        "sitelinks": {f"{code}wiki": {"site": f"{code}wiki", "title": f"Page {number}"} for code in codes[:10]},
        "claims": {
            prop: [
                claim(
                    prop,
                    {"entity-type": "item", "numeric-id": number % 1000 + 1, "id": f"Q{number % 1000 + 1}"},
                    "wikibase-entityid",
                )
            ]
            for prop in ("P31", "P17", "P131", "P361")
        },
    }


def write(path: Path, make: Any, count: int) -> None:
    """A dump of so many entities."""
    with path.open("w", encoding="utf-8") as stream:
        stream.write("[\n")
        for number in range(1, count + 1):
            stream.write(json.dumps(make(number), separators=(",", ":")) + ",\n")
        stream.write("]\n")


def read_lexemes(path: Path) -> int:
    """The number of pairs."""
    collector = PairCollector(load_relations(), ["en"])
    for found in LexemeReader().read(path):
        collector.add(found)
    return sum(map(len, collector.pairs()["en"].values()))


def read_items(path: Path) -> int:
    """The number of rows."""
    chunks, rows = ChunkReader(EntityReader(Fields(("en",), ())), linked_only=False, stage="entities"), 0
    for range_ in plan_ranges(str(path)):
        for chunk in read_records(range_):
            rows += sum(table.num_rows for _, table in chunks.read(chunk))
    return rows + sum(table.num_rows for _, table in chunks.finish())


def main() -> None:
    """Print a row for each reader."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_600_000
    print("| | entities | MB | out | CPU s | MB/s |\n|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, make, read, number in (
            ("items", item, read_items, ITEMS),
            ("lexemes", lexeme, read_lexemes, count),
        ):
            path = Path(folder) / f"{name}.json"
            write(path, make, number)
            size = path.stat().st_size / 1e6
            start = time.process_time()
            out = read(path)
            seconds = time.process_time() - start
            print(f"| {name} | {number:,} | {size:,.0f} | {out:,} | {seconds:.1f} | {size / seconds:.0f} |", flush=True)
            path.unlink()


if __name__ == "__main__":
    main()
