"""The page of a sheet in a real browser, from disk: by keyboard alone, with no request.

Needs an installed Chromium with its driver (Debian: apt install chromium chromium-driver); skipped without them.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.keys import Keys

from tests.browser import ReadPage, needs_browser, open_browser, problems, requests
from tests.outputs.annotation.sets import HOSTILE, hostile_set
from tests.waiting import wait_until
from tests.word_groups import outlier_word, word_group
from wikisem.outputs.annotation.sheets import (
    CANNOT_TELL,
    AnnotationSet,
    check_answers,
    format_page,
    parse_page_answers,
    sample_cases,
)

pytestmark = [pytest.mark.slow, needs_browser]

WORDS = {
    "en": ("capital", ("Paris", "Cairo", "Tokyo", "Rome", "Lima", "Oslo", "Quito", "Accra"), "Danube"),
    "ar": ("مدينة", ("باريس", "القاهرة", "طوكيو", "روما", "ليما", "أوسلو", "كيتو", "أكرا"), "الدانوب"),
    "ja": ("都市", ("パリ", "カイロ", "東京", "ローマ", "リマ", "オスロ", "キト", "アクラ"), "ドナウ川"),
}


class Page(ReadPage):
    """A page in a browser, with what a person does and what the test wants to know."""

    def __init__(self, driver: webdriver.Chrome, downloads: Path) -> None:
        super().__init__(driver)
        self.downloads = downloads

    def text(self, selector: str) -> str:
        """What a person reads in an element."""
        return self.texts(selector)[0]

    def reload_until(self, selector: str, text: str) -> None:
        """Load the page again until it shows a text; Chromium stores what a page keeps a little later."""

        def shown() -> bool:
            self.driver.refresh()
            return self.texts(selector)[:1] == [text]

        self.until(shown)

    def chosen(self) -> str | None:
        """The word that is marked, if any."""
        found = self.texts(".word[aria-checked=true] :last-child")
        return found[0] if found else None

    def downloaded(self) -> bytes:
        """What is in the one file of the folder of downloads, once it is whole; the browser must be open until then."""
        found: list[bytes] = []

        def is_whole() -> bool:
            files = list(self.downloads.iterdir())
            if [path.suffix for path in files] == [".json"]:
                found[:] = [files[0].read_bytes()]
            with suppress(json.JSONDecodeError):
                return bool(found) and isinstance(json.loads(found[0]), dict)
            return False

        wait_until(is_whole)
        return found[0]

    def problems(self) -> list[str]:
        """What the browser complains of."""
        return problems(self.driver)

    def requests(self) -> set[str]:
        """The addresses that were asked for."""
        return requests(self.driver)


@contextmanager
def browse(annotation: AnnotationSet, folder: Path, *, storage: bool = True) -> Iterator[Page]:
    """The first annotator's page in a new browser without a network."""
    path, downloads = folder / "sheet.html", folder / "downloads"
    path.write_text(format_page(annotation.sheet("annotator-1")), encoding="utf-8")
    downloads.mkdir(exist_ok=True)
    preferences: dict[str, object] = {"download.default_directory": str(downloads)}
    if not storage:
        preferences["profile.default_content_setting_values.cookies"] = 2  # this bars localStorage too
    with open_browser(folder / "profile", preferences) as driver:
        driver.get(path.as_uri())
        yield Page(driver, downloads)


def make_set(language: str, two_answers: bool = False) -> AnnotationSet:
    """Three cases of the same words, told apart by a number."""
    _, cluster, outlier = WORDS[language]
    groups = [
        word_group(f"Q{at}", tuple(f"{word} {at}" for word in cluster), (outlier_word(outlier, 1 + at % 3),), "")
        for at in range(1, 4)
    ]
    return sample_cases(groups, language, 500, 3, 1, 3, two_answers)


@pytest.mark.parametrize("language", WORDS)
def test_a_sheet_is_answered_by_keyboard_alone(language: str, tmp_path: Path) -> None:
    """Digits, arrows, cannot tell, a remark, going back, the download: what comes out is what was chosen."""
    annotation = make_set(language)
    first, second, third = annotation.annotators["annotator-1"]
    with browse(annotation, tmp_path) as page:
        assert page.text("#count") == "0 of 3 answered"
        page.press(Keys.ENTER)
        words = annotation.by_id[first].words
        assert page.texts(".word bdi") == list(words)
        page.press(Keys.ENTER)
        assert page.text("#count") == "case 1 of 3 · 0 answered", "an empty answer must not be passed over"
        page.press("3")
        assert page.chosen() == words[2]
        page.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN, Keys.ARROW_UP)
        assert page.chosen() == words[3]
        page.press(Keys.ENTER)
        page.press("0")
        assert page.chosen() == "cannot tell"
        page.press("r", "3 of 9? ", Keys.BACKSPACE, Keys.ENTER)
        page.press(Keys.ARROW_UP)
        assert page.chosen() == "cannot tell", "the last of the list comes first from below"
        page.press(Keys.ARROW_DOWN)
        assert page.chosen() == annotation.by_id[third].words[0]
        page.press(Keys.BACKSPACE)
        assert page.chosen() == "cannot tell"
        assert page.driver.find_element("id", "remark").get_property("value") == "3 of 9?"
        page.press("?", Keys.ENTER, Keys.ENTER)
        assert page.text("#end h1") == "All answered"
        page.press(Keys.ENTER)
        downloaded = page.downloaded()
        names = [path.name for path in page.downloads.iterdir()]
        assert page.problems() == []
        assert page.requests() == {(tmp_path / "sheet.html").as_uri()}
    assert names == [f"answers-annotator-1-{annotation.fingerprint}.json"]
    answers = check_answers(parse_page_answers(downloaded, ""), annotation)
    assert {answer.case: answer.choice for answer in answers} == {first: 4, second: CANNOT_TELL, third: 1}
    assert {answer.case: answer.remark for answer in answers} == {first: "", second: "3 of 9?", third: ""}


@pytest.mark.parametrize(("language", "direction"), [("en", "ltr"), ("ar", "rtl"), ("ja", "ltr")])
def test_words_run_in_the_direction_of_their_language(language: str, direction: str, tmp_path: Path) -> None:
    """The number is at the side where the language begins, and every word says its language."""
    with browse(make_set(language), tmp_path) as page:
        page.press(Keys.ENTER)
        word = page.driver.find_element("css selector", ".word bdi")
        number = page.driver.find_element("css selector", ".word .number")
        assert word.value_of_css_property("direction") == direction
        assert word.get_attribute("lang") == language
        assert (number.location["x"] < word.location["x"]) == (direction == "ltr")


def test_words_that_look_like_markup_are_shown_as_they_are(tmp_path: Path) -> None:
    """A closing script tag with an image, bold letters, a placeholder of ours: all are read as text, nothing runs."""
    annotation = hostile_set()
    with browse(annotation, tmp_path) as page:
        title = page.driver.title
        page.press(Keys.ENTER)
        shown = page.texts(".word bdi")
        assert [word.split() for word in shown] == [word.split() for word in annotation.cases[0].words]
        assert HOSTILE in shown
        assert page.driver.title == title
        assert page.driver.find_elements("css selector", "main img, bdi *") == []
        assert page.problems() == []


def test_progress_is_kept_when_the_page_is_closed(tmp_path: Path) -> None:
    """Opened again, the page goes on at the first case without an answer; another set would begin anew."""
    annotation = make_set("en")
    with browse(annotation, tmp_path) as page:
        page.press(Keys.ENTER)
        page.press("5", Keys.ENTER)
        assert page.text("#count") == "case 2 of 3 · 1 answered"
        page.reload_until("#begin", "Continue")
        assert page.text("#storage") == "1 of 3 are answered already; you go on where you were."
        page.press(Keys.ENTER)
        assert page.text("#count") == "case 2 of 3 · 1 answered"
        page.press(Keys.BACKSPACE)
        assert page.chosen() == annotation.by_id[annotation.annotators["annotator-1"][0]].words[4]


def test_a_browser_that_keeps_nothing_is_enough(tmp_path: Path) -> None:
    """Without localStorage the page says so, and answers are still counted and downloaded, the finished part too."""
    annotation = make_set("en")
    with browse(annotation, tmp_path, storage=False) as page:
        assert "keeps nothing for pages from disk" in page.text("#storage")
        page.press(Keys.ENTER)
        page.press("2", Keys.ENTER)
        page.wait("#count", "case 2 of 3 · 1 answered")
        page.driver.find_element("id", "partial").click()
        downloaded = page.downloaded()
    (answer,) = parse_page_answers(downloaded, "")
    assert (answer.case, answer.choice) == (annotation.annotators["annotator-1"][0], 2)


def test_the_mouse_works_too(tmp_path: Path) -> None:
    """Every step has something to click on."""
    annotation = make_set("ja")
    with browse(annotation, tmp_path) as page:
        page.driver.find_element("id", "begin").click()
        for _ in annotation.cases:
            assert not page.driver.find_element("id", "next").is_enabled()
            page.driver.find_elements("css selector", ".word")[6].click()
            page.driver.find_element("id", "next").click()
        page.driver.find_element("id", "back-to-cases").click()
        page.driver.find_element("id", "next").click()
        page.driver.find_element("id", "download").click()
        answers = parse_page_answers(page.downloaded(), "")
    assert [answer.choice for answer in answers] == [7, 7, 7]


def test_a_case_is_answered_without_help_and_then_with_it(tmp_path: Path) -> None:
    """The first answer stays as it is once the second was asked for, also when the page is opened again."""
    annotation = make_set("en", two_answers=True)
    first, second, _ = annotation.annotators["annotator-1"]
    with browse(annotation, tmp_path) as page:
        page.press(Keys.ENTER)
        assert page.text("#step") == "First answer: without any help. It cannot be changed later."
        assert page.text("#time") == ""
        page.press("3", "4", Keys.ENTER)
        assert page.text("#step") == "Second answer: you may look things up now. Your first answer was 4."
        assert re.fullmatch(r"[23]:[0-5]\d left", page.text("#time"))
        assert (page.chosen(), page.text("#count")) == (None, "case 1 of 3 · 0 answered")
        page.press(Keys.ENTER)
        assert page.text("#count") == "case 1 of 3 · 0 answered", "an empty second answer must not be passed over"
        page.press("5", Keys.ENTER)
        assert page.text("#count") == "case 2 of 3 · 1 answered"
        page.press("0", Keys.ENTER, Keys.BACKSPACE)
        assert (page.text("#count"), page.chosen()) == ("case 1 of 3 · 1 answered", annotation.by_id[first].words[4])
        page.press("6", Keys.ENTER)
        assert page.text("#step").endswith("Your first answer was cannot tell.")
        page.reload_until("#begin", "Continue")
        page.press(Keys.ENTER)
        assert page.text("#step").endswith("Your first answer was cannot tell.")
        page.driver.find_element("id", "partial").click()
        answers = check_answers(parse_page_answers(page.downloaded(), ""), annotation)
        assert page.problems() == []
    found = [(answer.case, answer.with_help, answer.choice) for answer in answers]
    assert sorted(found) == sorted([(first, False, 4), (first, True, 6), (second, False, 0)])
