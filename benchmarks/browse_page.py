"""The page of ``wikisem browse`` with 300 languages of 500 groups: its size, and how long a view takes in Chromium.

    python -m benchmarks.browse_page

Words are made up, 500 classes are rejected in each language. A view is timed from its address to its last card, in a
new tab each time, five times; the median is printed. Chromium and chromedriver must be installed.
"""

import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait

from tests.browser import open_browser
from tests.outputs.release.world import make_group
from wikisem.files import write_files
from wikisem.outputs.browse import BrowseLanguage, browse_page, index_script, language_script
from wikisem.records import Rejection
from wikisem.wikis import WIKIPEDIA_CODES

LANGUAGES, GROUPS, ROUNDS = 300, 500, 5
VIEWS = ("#/de", "#/de?q=river", "#/class/Q100001", "#/de/rejected", "#/de/quiz", "")


def main() -> None:
    """Make the page, print its size, time its views."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "page"
        begin = time.process_time()
        write_files(page, make_files())
        print(f"made in {time.process_time() - begin:.0f} s of CPU")
        sizes = {path.name: path.stat().st_size / 1e6 for path in (page / "data").iterdir()}
        total, index = sum(sizes.values()), sizes["index.js"]
        print(f"{LANGUAGES} languages of {GROUPS} groups: {total:.1f} MB, index {index:.2f} MB")
        for view, seconds in time_views(page, Path(folder) / "profile"):
            print(f"{view or '(overview)':<20}{1000 * statistics.median(seconds):6.0f} ms")
        empty = Path(folder) / "empty.html"
        empty.write_text("<!doctype html><main><h1>empty</h1></main>")
        view = (page / "index.html").as_uri() + VIEWS[0]
        for name, address in (("first after start", view), ("the same, empty", empty.as_uri())):
            first = [time_first(address, Path(folder) / f"{name}-{number}") for number in range(ROUNDS)]
            print(f"{name:<20}{1000 * statistics.median(first):6.0f} ms")


def make_files() -> Iterator[tuple[str, bytes]]:
    """The files of the page; every language has the same classes."""
    codes = ["de", *sorted(WIKIPEDIA_CODES - {"de"})][:LANGUAGES]
    languages = [make_language(code) for code in codes]
    for language in languages:
        yield f"data/{language.code}.js", language_script(language)
    yield "data/index.js", index_script({"name": "benchmark", "facts": {}}, languages, {})
    yield "index.html", browse_page("benchmark")


def make_language(code: str) -> BrowseLanguage:
    """The groups and rejections of a language."""
    groups = [make_group(code, 100_000 + number) for number in range(GROUPS)]
    rejections = [
        Rejection(f"Q{number}", code, "affix", "four share their last word: a, b, c, d") for number in range(1, 501)
    ]
    return BrowseLanguage(code, groups, rejections)


def time_views(page: Path, profile: Path) -> Iterator[tuple[str, Sequence[float]]]:
    """Each view and its times in seconds."""
    address = (page / "index.html").as_uri()
    with open_browser(profile) as driver:
        for view in VIEWS:
            seconds = []
            for _ in range(ROUNDS):
                driver.get("about:blank")
                seconds.append(_time_view(driver, address + view))
            yield view, seconds


def time_first(address: str, profile: Path) -> float:
    """Seconds of the first page of a browser that has just started."""
    with open_browser(profile) as driver:
        return _time_view(driver, address)


def _time_view(driver: webdriver.Chrome, address: str) -> float:
    begin = time.perf_counter()
    driver.get(address)
    WebDriverWait(driver, 60, poll_frequency=0.005).until(lambda found: found.find_elements("css selector", "main h1"))
    return time.perf_counter() - begin


if __name__ == "__main__":
    main()
