"""Made-up Wikidata dumps with the shape of the real one, for measuring.

Lines have 2 to 30 KB, on average about 14 as in the full dump of 2026-09: labels and descriptions in up to 100
languages (many scripts, non-ASCII written as escapes as the exporter does), aliases, sitelinks, and statements with
references. Most items are of few classes (a Zipf distribution), one in thirty is a class. The same seed gives
the same bytes. They compress 9 to 11 times, less than the real ones (some 11 as gzip, 16 as bzip2).

``python -m benchmarks.dump 300 FOLDER`` writes 300 MB of text as ``dump.json.gz`` (a chain of members, the brackets and
commas in members of their own) and ``dump.json.bz2`` (one stream).
"""

import bz2
import itertools
import json
import random
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_SCRIPTS = (
    "abcdefghijklmnopqrstuvwxyz",
    "абвгдежзиклмнопрст",
    "ابتثجحخدذرزسشصض",
    "अआइईउऊकखगघचछज",
    "的一是不了人我在有他这中大来上",
    "ąćęłńóśźżäöüßéèêñ",
)
_LANGUAGES = [f"{a}{b}" for a in "abcdefghij" for b in "abcdefghij"]
_LANGUAGES[:8] = ["en", "de", "es", "fr", "ru", "ja", "zh", "mul"]
_MEMBER_LINES = 2_000
_BASE_BYTES = 60_000_000
_COPY_STEP = 1_000_000
_HEAD = b'{"type":"item","id":"Q'
_TEXTS = ("P1476", "P2093", "P698", "P856")
_OTHER_PROPERTIES = (*_TEXTS, "P21", "P50", "P106", "P407", "P577", "P735", "P921", "P1433", "P2860")


class Generator:
    """Makes the lines of one dump."""

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)
        self._words = [
            ["".join(self._random.choices(script, k=self._random.randint(3, 9))) for _ in range(4000)]
            for script in _SCRIPTS
        ]
        # The hash of a reference is that of its content, which repeats.
        self._hashes = [self._hex(40) for _ in range(64)]
        self._weights = [1 / (rank + 1) for rank in range(3000)]
        self._classes = self._random.choices(range(3000), self._weights, k=1 << 16)
        self._descriptions = [[self._text(5, place) for place in range(100)] for _ in range(200)]

    def lines(self, size: int) -> Iterator[bytes]:
        """Lines without commas and newlines, about ``size`` bytes in all."""
        number = written = 0
        while written < size:
            number += self._random.randint(1, 3)
            line = self._line(number)
            written += len(line) + 2
            yield line

    def _line(self, number: int) -> bytes:
        languages = _LANGUAGES[: min(100, int(self._random.paretovariate(0.9)) + 2)]
        label, named = self._text(3), self._pick()
        known = self._descriptions[named % len(self._descriptions)]
        labels = {code: label if place % 3 else self._text(3, place) for place, code in enumerate(languages)}
        entity = {
            "type": "item",
            "id": f"Q{number}",
            "labels": {code: {"language": code, "value": text} for code, text in labels.items()},
            "descriptions": {code: {"language": code, "value": known[place]} for place, code in enumerate(languages)},
            "aliases": {
                code: [{"language": code, "value": self._text(2, place)} for _ in range(2)]
                for place, code in enumerate(languages[:20])
            },
            "claims": self._claims(number, named),
            "sitelinks": self._sitelinks(languages) or [],
            "pageid": number + 129,
            "ns": 0,
            "title": f"Q{number}",
            "lastrevid": 2_000_000_000 + number,
            "modified": "2026-09-01T00:00:00Z",
        }
        return json.dumps(entity, separators=(",", ":")).encode()

    def _text(self, words: int, script: int = 0) -> str:
        pool = self._words[script % len(self._words) if script > 7 else 0]
        return " ".join(self._random.choices(pool, k=words))

    def _sitelinks(self, languages: list[str]) -> dict[str, Any]:
        if self._random.random() < 0.7:
            return {}
        sites = sorted(f"{code}wiki" for code in languages if code != "mul")
        return {
            site: {
                "site": site,
                "title": self._text(2),
                "badges": [],
                "url": f"https://{site[:-4]}.wikipedia.org/wiki/{self._text(1)}",
            }
            for site in sites
        }

    def _claims(self, number: int, named: int) -> dict[str, Any]:
        claims = {"P31": [self._statement(number, "P31", f"Q{named}")]}
        if number % 30 == 0:
            claims["P279"] = [self._statement(number, "P279", f"Q{self._pick()}")]
        if self._random.random() < 0.25:
            claims["P17"] = [self._statement(number, "P17", f"Q{self._pick()}")]
            claims["P131"] = [self._statement(number, "P131", f"Q{self._pick()}")]
        for _ in range(self._random.randint(2, 32)):
            name = self._random.choice(_OTHER_PROPERTIES)
            claims.setdefault(name, []).append(self._statement(number, name, f"Q{self._pick()}"))
        return claims

    def _pick(self) -> int:
        return 1 + 30 * self._random.choice(self._classes)

    def _hex(self, digits: int) -> str:
        return f"{self._random.getrandbits(4 * digits):0{digits}x}"

    def _statement(self, number: int, name: str, target: str) -> dict[str, Any]:
        if name in _TEXTS:
            value: dict[str, Any] = {"value": self._text(4), "type": "string"}
            kind = "string"
        else:
            value = {
                "value": {"entity-type": "item", "numeric-id": int(target[1:]), "id": target},
                "type": "wikibase-entityid",
            }
            kind = "wikibase-item"
        identifier = f"Q{number}${self._hex(8)}-{self._hex(4)}-{self._hex(4)}-{self._hex(4)}-{self._hex(12)}"
        snak = {"snaktype": "value", "property": name, "datavalue": value, "datatype": kind}
        source = {"value": {"entity-type": "item", "numeric-id": 328, "id": "Q328"}, "type": "wikibase-entityid"}
        reference = {
            "hash": self._random.choice(self._hashes),
            "snaks": {
                "P143": [
                    {
                        "snaktype": "value",
                        "property": "P143",
                        "hash": self._random.choice(self._hashes),
                        "datavalue": source,
                        "datatype": "wikibase-item",
                    }
                ]
            },
            "snaks-order": ["P143"],
        }
        return {"mainsnak": snak, "type": "statement", "id": identifier, "rank": "normal", "references": [reference]}


def lines_of(size: int) -> Iterator[bytes]:
    """About ``size`` bytes of lines: made up as far as ``_BASE_BYTES``, then the same ones under other ids.

    Decoders cannot profit from that: they look back 32 KB (gzip) and 900 KB (bzip2).
    """
    base = [line.removeprefix(_HEAD).partition(b'"') for line in Generator().lines(min(size, _BASE_BYTES))]
    written = 0
    for copy in itertools.count():
        for number, quote, rest in base:
            line = b"%b%d%b%b" % (_HEAD, int(number) + copy * _COPY_STEP, quote, rest)
            yield line
            written += len(line)
            if written >= size:
                return


def members(size: int) -> Iterator[bytes]:
    """The texts of the gzip members of a dump."""
    yield b"[\n"
    lines = lines_of(size)
    separator = b""
    while held := list(itertools.islice(lines, _MEMBER_LINES)):
        yield separator
        yield b",\n".join(held)
        separator = b",\n"
    yield b"\n]\n"


def write_dump(folder: Path, size: int, bzip2: bool = True) -> Path:
    """Write a dump of about ``size`` bytes of text in all forms, if it is not there yet; the path of the gzip one."""
    finished = folder / f"done-{size}"
    if not finished.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _write(folder, size, bzip2=bzip2)
        finished.write_text(str(sum(map(len, members(size)))))
    return folder / "dump.json.gz"


def text_size(folder: Path, size: int) -> int:
    """The bytes of text in a dump that was written."""
    return int((folder / f"done-{size}").read_text())


def _write(folder: Path, size: int, *, bzip2: bool) -> None:
    packer = bz2.BZ2Compressor(9)
    with (folder / "dump.json.gz").open("wb") as chain, (folder / "dump.json.bz2").open("wb") as stream:
        for text in members(size):
            member = zlib.compressobj(6, wbits=31)
            chain.write(member.compress(text) + member.flush())
            if bzip2:
                stream.write(packer.compress(text))
        stream.write(packer.flush())


if __name__ == "__main__":
    print(write_dump(Path(sys.argv[2]), int(float(sys.argv[1]) * 1e6)))
