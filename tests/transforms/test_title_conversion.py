"""Links whose title is no page, but in another script is one: they count for that page, as a literal reading has it."""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.object_store import run_bundles_twice
from tests.transforms.test_mentions import count_all, write
from tests.transforms.wiki import dump, page
from wikisem.arrow.parquet import count_buckets, read_parquet
from wikisem.files import list_files
from wikisem.surfaces.link_counts import count_links
from wikisem.wikipedia import variants

# Both ways to write the letters of the test's words; "lj" is one letter in Cyrillic.
CYRILLIC = {"А": "A", "Н": "N", "н": "n", "И": "I", "Ш": "Š", "Љ": "Lj", "и": "i", "ш": "š", "љ": "lj", "а": "a"}
LATIN = {other: one for one, other in CYRILLIC.items()}
WORDS = ["Ниша", "Niša", "Нишa", "Аља", "Alja", "Aља", "Ана", "Ana", "Нa", "Na"]

Wiki = tuple[Mapping[str, str | None], Sequence[tuple[str, str]]]


def other_ways(title: str) -> list[str]:
    """In Cyrillic, then in Latin letters, where that makes a difference."""
    cyrillic, rest = "", title
    while rest:
        letter = rest[:2] if rest[:2] in LATIN else rest[0]
        cyrillic, rest = cyrillic + LATIN.get(letter, letter), rest.removeprefix(letter)
    latin = "".join(CYRILLIC.get(letter, letter) for letter in title)
    return [way for way in (cyrillic, latin) if way != title]


def literal(wiki: Wiki, converted: bool = True) -> Counter[tuple[str, str]]:
    """(title, anchor) with their links: to a page, else to the first way of writing that is one, then one redirect."""
    pages, links = wiki

    def page_of(title: str) -> str:
        ways = other_ways(title) if converted else []
        return next((way for way in [title, *ways] if way in pages), title)

    found: Counter[tuple[str, str]] = Counter()
    for title, anchor in links:
        page = page_of(title)
        target = pages.get(page)
        found[page if target is None or target == page else page_of(target), anchor] += 1
    return found


def text_of(wiki: Wiki) -> bytes:
    """A dump of it, all links in its first article."""
    pages, links = wiki
    text = " ".join(f"[[{title}|{anchor}]]" for title, anchor in links)
    articles = [title for title, target in pages.items() if target is None]
    redirects = [(title, to) for title, to in pages.items() if to is not None]
    return dump(
        [page(1, "Start", text)]
        + [page(number, title, "") for number, title in enumerate(articles, 2)]
        + [
            page(500 + number, title, f"#REDIRECT [[{to}]]", redirect=to)
            for number, (title, to) in enumerate(redirects)
        ],
        dbname="srwiki",
    )


WIKIS = st.tuples(
    st.dictionaries(st.sampled_from(WORDS), st.none() | st.sampled_from(WORDS), min_size=3),
    st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(["one", "two"])), min_size=2, max_size=12),
)


@pytest.mark.slow
def test_links_count_as_a_literal_reading_has_it(tmp_path: Path) -> None:
    """Random wikis in two scripts, with redirects, titles that mix both, and links to what is nowhere."""
    met = Counter[str]()

    @settings(deadline=None, max_examples=150, derandomize=True)
    @given(wiki=WIKIS)
    def check(wiki: Wiki) -> None:
        expected = literal(wiki)
        path = write(tmp_path / "wiki.xml", text_of(wiki))
        rows = count_links(path, "sr").to_pylist()
        assert {(row["title"], row["anchor"]): row["count"] for row in rows} == expected
        ways = [[way for way in other_ways(title) if way in wiki[0]] for title, _ in wiki[1] if title not in wiki[0]]
        met["converted"] += any(ways)
        met["several ways"] += any(len(way) > 1 for way in ways)
        met["to a redirect"] += any(wiki[0].get(way) for way, *_ in filter(None, ways))
        met["redirect to none"] += any(to and to not in wiki[0] for to in wiki[0].values())
        met["nowhere"] += [] in ways

    check()
    assert all(met[case] >= 5 for case in ("converted", "several ways", "to a redirect", "redirect to none", "nowhere"))


@pytest.fixture(scope="module")
def large() -> Wiki:
    """250 pages in two scripts, some of them under both names."""
    draw = random.Random(5)
    words = ["".join(draw.choices("ншиаљ", k=6)).capitalize() for _ in range(200)]
    names = sorted({way for word in words for way in [word, *other_ways(word)]})
    kept = draw.sample(names, 250)
    pages = {name: draw.choice([None, None, draw.choice(names)]) for name in kept}
    return pages, [(draw.choice(names), draw.choice(["one", "two"])) for _ in range(2_000)]


@pytest.mark.parametrize(
    ("workers", "buckets", "by_engine"),
    [
        pytest.param(1, 8, False, marks=pytest.mark.slow),
        pytest.param(2, 1, False, marks=pytest.mark.slow),
        (1, 8, True),
    ],
)
def test_buckets_count_as_a_literal_reading_has_it(
    tmp_path: Path, large: Wiki, monkeypatch: pytest.MonkeyPatch, workers: int, buckets: int, by_engine: bool
) -> None:
    """Every bundle run twice, beside a language of one script, the stage gives the rows of a literal reading."""
    run_bundles_twice(monkeypatch)
    monkeypatch.setattr("wikisem.arrow.buckets._FEW_PAGES", {20_000: buckets})  # which other processes do not see
    path = write(tmp_path / "sr.xml", text_of(large))
    count_all(tmp_path, {"sr": [path], "hr": [path]}, workers=workers, by_engine=by_engine)
    assert count_buckets(f"{tmp_path}/sr") == buckets
    for language, expected in (("sr", literal(large)), ("hr", literal(large, converted=False))):
        rows = [
            row for file in list_files(f"{tmp_path}/{language}/*.parquet") for row in read_parquet(file).to_pylist()
        ]
        assert {(row["title"], row["anchor"]): row["count"] for row in rows} == expected
        assert len(rows) == len(expected)
    assert literal(large) != literal(large, converted=False)


def test_chinese_links_count_by_opencc_where_it_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """[[法國]] and [[法国]] are links to 法国; without OpenCC only the second is."""
    pytest.importorskip("opencc")
    wiki = {"法国": None, "软件": "电脑软件", "電腦軟體": None}, [("法國", "法國"), ("法国", "法国"), ("軟件", "x")]
    path = write(tmp_path / "zh.xml", text_of(wiki))
    rows = {(row["title"], row["anchor"]) for row in count_links(path, "zh").to_pylist()}
    assert rows == {("法国", "法國"), ("法国", "法国"), ("電腦軟體", "x")}
    monkeypatch.setattr(variants, "_opencc_version", lambda: "")
    rows = {(row["title"], row["anchor"]) for row in count_links(path, "zh").to_pylist()}
    assert rows == {("法國", "法國"), ("法国", "法国"), ("軟件", "x")}
