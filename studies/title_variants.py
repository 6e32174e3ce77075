"""How much of what MediaWiki's own tables make of Chinese titles we look up by OpenCC, on real titles and labels.

Settled that Chinese titles are looked up by OpenCC: it covers 97.7 to 100 % of what MediaWiki's lists give.

usage: python -m studies.title_variants DUMP.json.gz...   (Wikidata dumps or slices of them)

It needs zhconv, which has MediaWiki's tables; it is under the GPL, and therefore in no extra: ``pip install zhconv``.
"""

import gzip
import importlib
import json
import sys
from collections.abc import Iterator

from wikisem.wikipedia.variants import TitleVariants

VARIANTS = ("zh-hans", "zh-cn", "zh-hant", "zh-hk", "zh-tw")


def read_names(paths: list[str]) -> Iterator[str]:
    """The title of every item in the Chinese Wikipedia, and its labels in Chinese."""
    for path in paths:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for text in (line.strip().rstrip(",") for line in lines):
                entity = json.loads(text) if len(text) > 2 else {}
                yield from (link["title"] for wiki, link in (entity.get("sitelinks") or {}).items() if wiki == "zhwiki")
                yield from (label["value"] for code, label in (entity.get("labels") or {}).items() if code[:2] == "zh")


def main() -> None:
    """Print the shares that docs/languages.md has."""
    names = sorted({name for name in read_names(sys.argv[1:]) if any("\u4e00" <= each <= "\u9fff" for each in name)})
    looked_up = [{name, *written} for name, *written in zip(names, *TitleVariants("zh").of(names), strict=True)]
    convert = importlib.import_module("zhconv").convert
    print(f"{len(names)} titles and labels with Han characters\n\n| variant | changed | looked up |\n|---|---:|---:|")
    for variant in VARIANTS:
        written = [convert(name, variant) for name in names]
        changed = sum(new != old for new, old in zip(written, names, strict=True))
        found = sum(new in known for new, known in zip(written, looked_up, strict=True))
        print(f"| `{variant}` | {changed} | {found / len(names):.1%} |")


if __name__ == "__main__":
    main()
