"""Surface forms in one script of a wiki that has two: what the stage must give, read literally."""

import random
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pytest

from tests.transforms.test_surfaces import write_buckets, write_pages
from tests.transforms.test_title_conversion import CYRILLIC, other_ways
from wikisem import count_links, schemas
from wikisem.arrow.parquet import read_parquet, write_parquet
from wikisem.files import list_files
from wikisem.layout import Scratch
from wikisem.recipes.options import SurfaceOptions, Variant
from wikisem.transforms.io.runtime import Runtime, StageContext
from wikisem.transforms.surfaces import resolve_surfaces
from wikisem.wikipedia.variants import converter

Links = Mapping[tuple[str, str], int]


def latin(text: str) -> str:
    """In Latin letters."""
    return "".join(CYRILLIC.get(letter, letter) for letter in text)


def literal(links: Links, titles: Mapping[str, str]) -> dict[str, tuple[str, int, int, int]]:
    """QID -> anchor in Latin letters, its links to the page, all links to the page, all links with the anchor."""
    everywhere: Counter[str] = Counter()
    pages: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for (title, anchor), count in links.items():
        everywhere[latin(anchor)] += count
        pages[title][latin(anchor)] += count

    def best(title: str) -> str:
        counts = pages[title]
        return min(
            counts, key=lambda anchor: (-counts[anchor], anchor != latin(title), everywhere[anchor], anchor.encode())
        )

    return {
        qid: (best(title), pages[title][best(title)], pages[title].total(), everywhere[best(title)])
        for qid, title in titles.items()
        if title in pages
    }


def resolve(
    folder: Path,
    language: str,
    links: Links,
    entities: list[dict[str, object]],
    options: SurfaceOptions,
    buckets: int = 1,
) -> list[dict[str, object]]:
    """The rows of the stage."""
    write_parquet(f"{folder}/entities/0.parquet", pa.Table.from_pylist(entities, schemas.ENTITIES))
    rows = [{"title": title, "anchor": anchor, "count": count} for (title, anchor), count in links.items()]
    table = pa.Table.from_pylist(rows, schemas.MENTIONS)
    write_buckets(f"{folder}/mentions", table, "title", buckets)
    write_buckets(f"{folder}/mentions/redirects", schemas.REDIRECTS.empty_table(), "source", buckets)
    write_pages(f"{folder}/mentions", [])
    context = StageContext(Scratch(f"{folder}/run"), Runtime())
    finished = {language: f"{folder}/run/finished"}
    resolve_surfaces(f"{folder}/entities", {language: f"{folder}/mentions"}, options, finished, context)
    return [row for file in list_files(f"{folder}/run/finished/*.parquet") for row in read_parquet(file).to_pylist()]


def test_both_forms_of_an_anchor_are_counted_together(tmp_path: Path) -> None:
    """Random links in two scripts, in eight buckets: page, counts and links are those of a literal reading."""
    draw = random.Random(8)
    words = ["".join(draw.choices("ншиаљ", k=3)).capitalize() for _ in range(25)]
    names = sorted({way for word in words for way in [word, *other_ways(word)]})
    links = Counter((draw.choice(names), draw.choice(names)) for _ in range(1_500))
    links += Counter({(title, title): 1 for title in names[::2]})
    titles = {f"Q{number}": title for number, title in enumerate(names, start=1)}
    entities: list[dict[str, object]] = [{"qid": qid, "titles": {"srwiki": title}} for qid, title in titles.items()]
    rows = resolve(tmp_path, "sr", links, entities, SurfaceOptions(variant="sr-el"), 8)
    expected = literal(links, titles)
    assert {row["qid"]: (row["surface"], row["count"], row["total"], row["links"]) for row in rows} == expected
    assert {row["qid"]: row["title"] for row in rows} == {qid: titles[qid] for qid in expected}
    assert len(expected) > 30
    merged = sum(count > max(links[titles[qid], way] for way in names) for qid, (_, count, *_) in expected.items())
    assert merged > 10


def test_titles_and_labels_are_written_in_it_too(tmp_path: Path) -> None:
    """The dictionary form, both fallbacks, and the label of the variant first; a label of another language stays."""
    entities: list[dict[str, object]] = [
        {"qid": "Q1", "titles": {"srwiki": "Београд (град)"}, "labels": {}},
        {"qid": "Q2", "titles": {}, "labels": {"sr": "Ниш", "sr-el": "Niš (grad)"}},
        {"qid": "Q3", "titles": {}, "labels": {"mul": "Чачак"}},
        {"qid": "Q4", "titles": {"srwiki": "Шабац"}, "labels": {"sr-ec": "Шабац"}},
    ]
    links = {("Београд (град)", "Београду"): 3, ("Београд (град)", "Beograd"): 1, ("Београд (град)", "Београд"): 1}
    options = SurfaceOptions(fallback="label", form="dictionary", variant="sr-el")
    rows = {row["qid"]: row for row in resolve(tmp_path / "label", "sr", links, entities, options)}
    assert {qid: row["surface"] for qid, row in rows.items()} == {
        "Q1": "Beograd",
        "Q2": "Niš (grad)",
        "Q3": "Чачак",
        "Q4": "Šabac",
    }
    assert (rows["Q1"]["title"], rows["Q1"]["count"], rows["Q1"]["total"]) == ("Београд (град)", 2, 5)
    assert rows["Q3"]["label_language"] == "mul"
    options = SurfaceOptions(fallback="title", variant="sr-el")
    rows = {row["qid"]: row for row in resolve(tmp_path / "title", "sr", {}, entities, options)}
    assert {qid: row["surface"] for qid, row in rows.items()} == {"Q1": "Beograd", "Q4": "Šabac"}


def test_other_languages_are_as_before(tmp_path: Path) -> None:
    """A variant of Serbian says nothing of Croatian."""
    entities: list[dict[str, object]] = [{"qid": "Q1", "titles": {"hrwiki": "Ниш"}}]
    (row,) = resolve(tmp_path, "hr", {("Ниш", "Ниш"): 1}, entities, SurfaceOptions(variant="sr-el"))
    assert row["surface"] == "Ниш"


@pytest.mark.realdata
@pytest.mark.parametrize("variant", ["zh-hans", "zh-hant"])
def test_real_chinese_pages_are_written_in_one_script(realdata: Path, tmp_path: Path, variant: Variant) -> None:
    """All pages that the Chinese sample links to: one script, no link lost, and some anchors counted together."""
    pytest.importorskip("opencc")
    table = count_links(realdata / "wikipedia" / "minidump-zh.xml.bz2", "zh").to_pylist()
    links = {(row["title"], row["anchor"]): row["count"] for row in table}
    titles = {title: f"Q{number}" for number, title in enumerate(sorted({title for title, _ in links}), start=1)}
    entities: list[dict[str, object]] = [{"qid": qid, "titles": {"zhwiki": title}} for title, qid in titles.items()]
    plain = {row["qid"]: row for row in resolve(tmp_path / "plain", "zh", links, entities, SurfaceOptions())}
    options = SurfaceOptions(variant=variant)
    found = {row["qid"]: row for row in resolve(tmp_path / "variant", "zh", links, entities, options)}
    assert found.keys() == plain.keys()
    assert len(found) > 200
    convert = converter(variant)
    assert all(convert(str(row["surface"])) == row["surface"] for row in found.values())
    assert {qid: (row["title"], row["total"]) for qid, row in found.items()} == {
        qid: (row["title"], row["total"]) for qid, row in plain.items()
    }
    assert sum(row["surface"] != plain[qid]["surface"] for qid, row in found.items()) > 20
