"""The pictures of the README and of docs/, made by running the tutorial.

``python -m tests.docs.pictures`` makes all of them.

Needs Chromium.
"""

import contextlib
import io
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from unittest.mock import patch

from PIL import Image
from selenium import webdriver
from selenium.webdriver import ActionChains, Keys
from selenium.webdriver.support.ui import WebDriverWait

from tests.browser import open_browser
from tests.docs.blocks import ROOT, read_blocks
from tests.docs.runs import PageRun
from tests.docs.samples import make_samples, mirror
from tests.waiting import PATIENCE
from wikisem.pipeline.cli import main
from wikisem.pipeline.commands import download
from wikisem.pipeline.console.terminal import print_line

_PAGE: Final = "docs/tutorial.md"
_FOLDER: Final = ROOT / "docs" / "tutorial"
_COLOURS: Final = 64  # enough for text and plots, at a third of the bytes


@dataclass(frozen=True)
class Shot:
    """A picture of a page that a command of the tutorial wrote: its address below the folder, its size in pixels.

    In a page of groups, ``search`` is what is searched for, and ``word`` the one with its details. ``keys`` are typed.
    """

    name: str
    address: str
    width: int
    height: int
    search: str = ""
    word: str = ""
    keys: str = ""


SHOTS: Final = (
    Shot("browse.png", "out/browse/index.html#/de", 1000, 600),
    Shot("scores.png", "scores.html", 1000, 750),
    Shot("../browse-en.png", "samples/browse/index.html#/en", 1000, 745, "Massachusetts", "Saarland"),
    Shot("../browse-ar.png", "samples/browse/index.html#/ar", 1000, 760, "لندن", "الدانوب"),
    Shot("../annotate-ar.png", "sheets-ar/sheets/annotator-1.html", 800, 640, keys=Keys.ENTER + "3"),
)
FIGURES: Final = ("genres.svg",)


@contextlib.contextmanager
def finished(folder: Path) -> Iterator[None]:
    """Be in a folder with what all commands of the page wrote."""
    demo = folder / "samples"
    assert main(["demo", "--output", str(demo)]) == 0
    make_samples(_PAGE, folder, demo)
    with contextlib.chdir(folder), mirror(demo) as url, patch.dict(download.OPTIONS["--mirror"], default=url):
        run = PageRun(demo)
        for block in read_blocks(_PAGE):
            run.block(block)
        assert main(["browse", str(demo)]) == 0
        few = ["--groups", "3", "--annotators", "1"]
        assert main(["annotate", str(demo), "--language", "ar", *few, "--output", "sheets-ar"]) == 0
        yield


def take(driver: webdriver.Chrome, shot: Shot) -> None:
    """Show the page, light and without scroll bars, and keep its upper left part."""
    driver.get(f"{Path.cwd().as_uri()}/{shot.address}")
    driver.set_window_size(shot.width, shot.height + 200)  # the window's own height has the bars of the browser
    driver.execute_script("document.documentElement.style.overflow = 'hidden'")
    if shot.search:
        driver.find_element("css selector", "input").send_keys(shot.search)
        word = f"//button[contains(., '{shot.word}')]"
        WebDriverWait(driver, PATIENCE).until(lambda _: len(driver.find_elements("xpath", word)) == 1)
        driver.execute_script("arguments[0].focus()", driver.find_element("xpath", word))
    if shot.keys:
        ActionChains(driver).send_keys(shot.keys).perform()
    picture = Image.open(io.BytesIO(driver.get_screenshot_as_png()))
    save(picture.crop((0, 0, shot.width, shot.height)), _FOLDER / shot.name)


def draw(language: str) -> None:
    """Draw the group that docs/browse.md shows."""
    path = Path(f"explain-{language}.png")
    assert main(["explain", "samples", "Q747074", "--language", language, "--figure", str(path)]) == 0
    save(Image.open(path), ROOT / "docs" / path)


def save(picture: Image.Image, path: Path) -> None:
    """Write a PNG of few colours, and so of few bytes."""
    picture.convert("RGB").quantize(_COLOURS).save(path, optimize=True)


def make_pictures() -> None:
    """Write every picture."""
    _FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name, finished(Path(name)), open_browser(Path(name, "profile")) as driver:
        for shot in SHOTS:
            take(driver, shot)
        draw("en")
        draw("ja")
        for figure in FIGURES:
            shutil.copy(figure, _FOLDER)
    for path in sorted(_FOLDER.iterdir()):
        print_line(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    make_pictures()
