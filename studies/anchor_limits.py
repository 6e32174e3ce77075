"""What limits on links would refuse on real dumps, by judgements of the surface forms.

Settled that ``wikisem`` asks for two links that agree, not for limits on all links and on shares.

    wikisem mentions --wikipedia ltg=DUMP --output OUT
    python -m studies.anchor_limits ltg=OUT en=OUT2 [--sample FILE] [--judgements FILE]

Reads the anchor dictionaries, and names every linked page by the rules of ``wikisem`` but for those on ``count`` and
``total``, the links with the most frequent anchor and all links to the page. ``--sample`` writes surface forms to be
judged: for each number of links to a page some by seed, and all of pages with three links or more of which less than
half have the most frequent anchor. "wrong" is what does not name the page where a reader sees nothing else, "doubtful"
what an informed reader would hesitate at. Without ``--sample`` the table is printed.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import orjson
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.report import table
from wikisem.recipes.load import load_recipe
from wikisem.sampling import hash_key
from wikisem.surfaces.link_counts import ITEMS, break_ties, name_items, title_anchors, top_anchors

# Of so many links to the page, a sample of pages of each wiki is judged.
BANDS: Final = ((1, 1), (2, 2), (3, 3), (4, 6), (7, 10**9))
SAMPLE: Final = 20
JUDGEMENTS: Final = ("good", "doubtful", "wrong")

_Row = dict[str, Any]


def named_pages(language: str, output: Path) -> list[_Row]:
    """Every linked page of a wiki that the other rules leave a surface form."""
    (folder,) = [path for path in (output / "mentions" / language).iterdir() if path.is_dir()]
    mentions = pa.concat_tables([pq.read_table(path) for path in sorted(folder.glob("bucket-*.parquet"))])
    titles = pc.unique(mentions["title"])
    sums = mentions.group_by("anchor", use_threads=False).aggregate([("count", "sum")])
    totals = pa.table([sums["anchor"], sums["count_sum"]], names=["anchor", "count"])
    numbers = pa.array([f"Q{number}" for number in range(1, len(titles) + 1)])
    items = pa.table([numbers, titles, *[pa.nulls(len(titles), pa.string())] * 2], schema=ITEMS)
    options = replace(load_recipe("wikisem").surface, minimum_total=0, minimum_share=0.0)
    chosen = break_ties(top_anchors(mentions, titles), totals)
    named = name_items(items, chosen, break_ties(title_anchors(mentions, titles), totals), options, language)
    # Those of the most frequent anchor, whatever form of it is shown.
    at = pc.index_in(named["title"], value_set=chosen["title"].combine_chunks())
    for name in ("count", "total"):
        named = named.set_column(named.schema.get_field_index(name), name, chosen[name].take(at))
    kept = named.filter(named["surface"].is_valid()).select(["title", "surface", "count", "total"])
    return [{"language": language, **row} for row in kept.to_pylist()]


def sample(pages: Sequence[_Row]) -> list[_Row]:
    """What is to be judged."""
    drawn = [page for page in pages if page["total"] >= 3 and 2 * page["count"] < page["total"]]
    for language in dict.fromkeys(page["language"] for page in pages):
        for low, high in BANDS:
            band = [page for page in pages if page["language"] == language and low <= page["total"] <= high]
            band.sort(key=lambda page: hash_key(2017, int.from_bytes(page["title"].encode()[-7:])))
            drawn += [page for page in band[:SAMPLE] if page not in drawn]
    return drawn


def kind(page: _Row) -> str:
    """The row of the table that a page is counted in."""
    count, total = page["count"], page["total"]
    if total < 3:
        return "one link" if total == 1 else "two links, the same words" if count == 2 else "two links, different words"
    if count == 1:
        return "three links or more, no words twice"
    for share in (0.2, 0.3, 0.4, 0.5):
        if count / total < share:
            return f"three links or more, share below {share}"
    return "three links or more, half of them or more the same"


def tables(pages: Sequence[_Row], judged: Sequence[_Row]) -> str:
    """All surface forms of each kind by wiki, and the judgements of those that were judged."""
    languages = list(dict.fromkeys(page["language"] for page in pages))
    counts = Counter((kind(page), page["language"]) for page in pages)
    found = Counter((kind(page), page["judgement"]) for page in judged)
    rows = [
        [
            name,
            *(f"{counts[name, language]:,}" for language in languages),
            *(str(found[name, each]) for each in JUDGEMENTS),
        ]
        for name in sorted({name for name, _ in counts}, key=_order)
    ]
    return table(["", *languages, *JUDGEMENTS], rows)


def _order(name: str) -> tuple[int, str]:
    return ("one", "two", "three").index(name.partition(" ")[0]), name.replace("no words", "a").replace("share", "b")


def main() -> None:
    """Write the sample, or print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wiki", nargs="+", metavar="LANGUAGE=OUT", help="output folders with mentions")
    parser.add_argument("--sample", type=Path, help="the file to write")
    parser.add_argument("--judgements", type=Path, default=Path("docs/surface-forms/judgements.jsonl"))
    arguments = parser.parse_args()
    wikis = [wiki.partition("=") for wiki in arguments.wiki]
    pages = [page for language, _, output in wikis for page in named_pages(language, Path(output))]
    if arguments.sample:
        arguments.sample.write_bytes(b"".join(orjson.dumps(one) + b"\n" for one in sample(pages)))
        return
    judged = [orjson.loads(line) for line in arguments.judgements.read_bytes().splitlines()]
    print(tables(pages, judged))


if __name__ == "__main__":
    main()
