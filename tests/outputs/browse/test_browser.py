"""The page in a real browser, from disk: every view by its address, by keyboard alone, with no request and no error."""

import importlib.util
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from selenium import webdriver
from selenium.webdriver.common.keys import Keys

from tests.browser import ReadPage, needs_browser, open_browser, problems, requests
from tests.outputs.release.world import HOSTILE, write_run
from tests.outputs.test_wallfile import HERRING_WALL, make_wall
from wikisem.outputs.groupfile import encode_wall, read_groups
from wikisem.pipeline.cli import main

pytestmark = [pytest.mark.slow, needs_browser]

VIEWS = (
    "",
    "#/no",
    "#/no?show=weak&sort=label",
    "#/class/Q1",
    "#/de/rejected",
    "#/ar/quiz?at=2&seed=7",
    "#/no/walls?tier=herring",
    "#/no?q=nothing",
)


class Page(ReadPage):
    """The page of a small run, by its views."""

    def __init__(self, driver: webdriver.Chrome, folder: Path) -> None:
        super().__init__(driver)
        self.address = (folder / "index.html").as_uri()

    def open(self, fragment: str) -> None:
        """Go to a view, from whichever one."""
        self.driver.get("about:blank")
        self.driver.get(self.address + fragment)
        self.until(lambda: bool(self.texts("main h1")))

    def tab_to(self, name: str) -> None:
        """Press Tab until something has the focus."""
        for _ in range(120):
            if self.focused() == name:
                return
            self.press(Keys.TAB)
        raise AssertionError(f"{name} is not reached")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The page of the hostile world, with scores of a model in Norwegian, in a browser."""
    folder = tmp_path_factory.mktemp("browse")
    run = write_run(folder / "out")
    answers = [
        {
            "model": "<i>glove",
            "language": "no",
            "class": f"Q{number}",
            "outlier": outlier.id,
            "position": 1.0 - number / 5,
            "right": number == 3,
        }
        for number, group in enumerate(read_groups(run / "groups" / "no.jsonl"), start=1)
        if number <= 3
        for outlier in group.outliers
    ]
    (run / "walls").mkdir()
    walls = (replace(wall, language="no") for wall in (make_wall(), HERRING_WALL))
    (run / "walls" / "no.jsonl").write_bytes(b"".join(map(encode_wall, walls)))
    (folder / "cases.jsonl").write_text("".join(json.dumps(answer) + "\n" for answer in answers))
    assert main(["browse", str(run), "--cases", str(folder / "cases.jsonl")]) == 0
    with open_browser(folder / "profile") as driver:
        yield Page(driver, run / "browse")


def test_the_overview_has_a_row_for_each_language(page: Page) -> None:
    """After a group: counts, scores and dumps; the language without groups is there, too."""
    page.open("")
    heading, card = (page.driver.find_element("css selector", name).location["y"] for name in ("h1", ".card"))
    assert heading < card < page.driver.find_element("css selector", "table").location["y"]
    assert len(page.texts(".card")) == 1
    rows = page.texts("main table:first-of-type tbody th")
    assert [row.partition(" ")[0] for row in rows[:6]] == ["ar", "de", "la", "nan", "no", "zh-classical"]
    text = page.texts("main")[0]
    assert "Test cases: 100. Languages with groups: 5." in text
    assert "OPP of <i>glove" in text
    assert "zh_classicalwiki-2026-11-01-p1p9.xml.bz2" in text
    page.driver.find_element("link text", "Walls").click()
    page.until(lambda: page.texts(".card h2") == ["Wall 1", "Wall 2"])


def test_words_of_the_data_are_never_markup(page: Page) -> None:
    """A closing script tag with an image, a line separator, a comma: all are read as they are, nothing runs."""
    page.open("#/no")
    shown = page.texts(".card:first-of-type .word bdi")
    assert {" ".join(word.split()) for word in HOSTILE} <= {" ".join(word.split()) for word in shown}
    assert page.driver.find_elements("css selector", "img, bdi *") == []


def test_an_english_label_is_marked_where_the_language_has_none(page: Page) -> None:
    """In the language, and where the class is side by side in all of them; its language is English to the browser."""
    page.open("#/ar")
    assert [text for text in page.texts(".card h2") if "label in English" in text] == ["NA (label in English)"]
    (marked,) = page.driver.find_elements("css selector", '.card h2 bdi[lang="en"]')
    assert marked.text == "NA"
    page.open("#/class/Q2")
    assert ["label in English" in text for text in page.texts(".card h2")] == [True, False, False, False, False]


def test_a_wall_keeps_its_answer_to_itself(page: Page) -> None:
    """Sixteen words; groups, what else words fit and why no other solution is right come when they are asked for."""
    page.open("#/no")
    assert page.texts("main .tabs a")[:4] == ["Groups", "Rejected classes", "Quiz", "Walls"]
    page.open("#/no/walls")
    assert page.texts(".card h2") == ["Wall 1", "Wall 2"]
    assert len(page.texts(".card:first-of-type .wall li")) == 16
    assert "class Q2" not in page.texts("main")[0]
    page.driver.find_elements("css selector", "summary")[1].click()
    page.until(lambda: "class Q2" in page.texts("main")[0])
    text = page.texts(".card:last-of-type")[0]
    assert "class Q2: word Q20, word Q21, word Q22, word Q23" in text
    assert "word Q10 also fits class Q2 (graph), class Q4 (witness)" in text
    assert "in the order class Q1, class Q2, class Q3, class Q4, each has only four words" in text
    page.open("#/no/walls?tier=herring")
    assert page.texts(".card h2") == ["Wall 2"], "a wall keeps its number"
    page.open("#/no/walls?tier=far")
    assert page.texts(".card h2") == ["Wall 1"]
    page.open("#/ar")
    assert "Walls" not in page.texts("main .tabs a")


def test_a_wall_is_solved_by_clicks(page: Page) -> None:
    """Four words at most are chosen; a wrong four says whether three belong together; right ones stay found."""
    page.open("#/no/walls?tier=far")
    tiles = page.driver.find_elements("css selector", ".wall button")
    check = page.driver.find_element("css selector", ".check button")
    words = [tile.text for tile in tiles]
    by_group = [[words.index(f"word Q{10 * group + at}") for at in range(4)] for group in range(1, 5)]

    def choose(*places: int) -> str:
        for place in places:
            tiles[place].click()
        pressed = [tile.get_attribute("aria-pressed") for tile in tiles].count("true")
        assert pressed == min(4, len(places))
        assert check.is_enabled()
        check.click()
        return page.texts(".card [role=status]")[0]

    assert not check.is_enabled()
    assert choose(*by_group[0][:3], by_group[1][0]) == "No, but three of these belong together."
    assert choose(*by_group[0][:2], *by_group[1][:2]) == "No, these do not belong together."
    assert choose(*by_group[0], by_group[1][0]) == "Right: class Q1", "a fifth word is not taken"
    assert not tiles[by_group[0][0]].is_enabled()
    choose(*by_group[1])
    choose(*by_group[2])
    assert choose(*by_group[3]) == "Solved: class Q4"


def test_walls_are_printed_four_a_sheet_with_the_answers_last(page: Page) -> None:
    """Answers are in the page for print alone, and what a screen needs is not printed."""
    page.open("#/no/walls")
    hidden = ".check, details, .filters, header"
    shown = {name: page.driver.find_element("css selector", name) for name in (".answers", *hidden.split(", "))}
    assert [name for name, one in shown.items() if one.is_displayed()] == hidden.split(", ")
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        assert [name for name, one in shown.items() if one.is_displayed()] == [".answers"]
        assert "Wall 2\nclass Q1: word Q10, word Q11, word Q12, word Q13" in page.texts(".answers")[0]
        assert len(page.driver.find_elements("css selector", ".sheet")) == 1
    finally:
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def test_long_words_are_set_smaller_in_their_language(page: Page) -> None:
    """By the longest piece between blanks; hyphens are those of the word's language."""
    page.open("#/no/walls")
    words = ["Oslo", "New Mexico", "Massachusetts", "Einparteiensystem", "国際連合教育科学文化機関"]
    sizes = page.driver.execute_script("return arguments[0].map(size);", words)
    assert sizes == [None, None, "long", "longest", None]
    several = "return size('Autonome Gemeinschaft Kastilien-La Mancha');"
    assert page.driver.execute_script(several) == "longer", "three lines of it have room in a tile"
    assert page.driver.find_element("css selector", ".wall button bdi").get_attribute("lang") == "no"


def test_the_interface_is_in_the_language_that_is_looked_at(page: Page) -> None:
    """German where German groups are shown, English elsewhere and where there are no texts."""
    page.open("#/de")
    assert page.texts("main .tabs a") == ["Gruppen", "Abgelehnte Klassen", "Quiz"]
    assert page.texts("h1") == ["Deutsch (de)"]
    assert page.driver.find_element("css selector", "html").get_attribute("lang") == "de"
    assert "O1: Geschwister" in page.texts("footer")[0]
    page.open("#/no")
    assert page.texts("main .tabs a")[:3] == ["Groups", "Rejected classes", "Quiz"]
    assert page.driver.find_element("css selector", "html").get_attribute("lang") == "en"
    assert "O1: sibling" in page.texts("footer")[0]


def test_marks_are_explained_where_there_are_any(page: Page) -> None:
    """Below groups, and not below a quiz, walls or rejected classes."""
    shown = {}
    for view in ("", "#/no", "#/no/quiz", "#/no/walls", "#/no/rejected"):
        page.open(view)
        shown[view] = page.driver.find_element("css selector", "footer").is_displayed()
    assert [view for view, is_shown in shown.items() if is_shown] == ["", "#/no"]


def test_every_view_asks_for_nothing_but_its_files_and_has_no_error(page: Page) -> None:
    """The page, the index and a script for each language that is looked at; the browser complains of nothing."""
    requests(page.driver)
    problems(page.driver)
    for view in VIEWS:
        page.open(view)
    folder = page.address.removesuffix("index.html")
    asked = {address.partition("#")[0] for address in requests(page.driver)} - {"about:blank"}
    assert {address for address in asked if not address.startswith(folder)} == set()
    assert f"{folder}data/nan.js" in asked, "a class side by side loads its languages"
    assert problems(page.driver) == []


def test_a_word_says_all_of_itself_when_it_has_the_focus(page: Page) -> None:
    """By keyboard alone: from the skip link to a word, its details, and the link to its item."""
    page.open("#/no")
    page.press(Keys.TAB)
    assert page.focused() == "Skip to the groups"
    page.press(Keys.ENTER)
    page.tab_to("null, cluster, weak")
    text = page.texts(".about:not([hidden])")[0]
    assert "Q101" in text
    assert "8 of 10 have this anchor (80 %)" in text
    assert "25 % of 20 links with this anchor" not in text
    assert "weak" in text
    page.press(Keys.ENTER, Keys.TAB)
    link = page.driver.switch_to.active_element
    assert link.get_attribute("href") == "https://www.wikidata.org/wiki/Q101"
    page.press(Keys.TAB)
    target = page.driver.switch_to.active_element.get_attribute("href")
    assert target == "https://www.wikidata.org/wiki/Special:GoToLinkedPage/nowiki/Q101"
    page.press(Keys.ESCAPE)
    assert page.focused() == "null, cluster, weak"


def test_a_label_is_not_weak_where_no_links_were_read(page: Page, tmp_path: Path) -> None:
    """All words of the sample are labels: a mark at each would say nothing."""
    assert main(["browse", "sample", "--output", str(tmp_path)]) == 0
    sample = Page(page.driver, tmp_path)
    sample.open("#/fr")
    assert len(sample.texts(".card .word")) > 50
    assert sample.texts(".card .weak, .card .weakly") == []
    sample.open("#/fr?show=weak")
    assert sample.texts(".card") == []


def test_coherence_and_margins_are_shown_where_they_are_known(page: Page) -> None:
    """Of a group beside its class, of an outlier among its details; groups can be sorted by coherence."""
    page.open("#/no?q=q201")
    assert "coherence 0.92" in page.texts(".card .soft")[0]
    page.tab_to("no 2 out 1, O1: sibling")
    (details,) = page.texts(".about:not([hidden])")
    assert "0.01, its statements are more typical of the class than those of 1 % of the class's instances" in details
    page.open("#/no?q=q101")
    assert "coherence" not in page.texts(".card")[0]
    page.open("#/no?sort=coherence")
    assert page.texts(".card h2") == ["NA", "class 3", "class 4", "class 5", "class 1"]


def test_certificates_are_said_in_words(page: Page) -> None:
    """Of an outlier, with the label of the other class as text, whatever is in it."""
    page.open("#/no?q=q201")
    page.tab_to("no 2 out 1, O1: sibling")
    (details,) = page.texts(".about:not([hidden])")
    proof = f"of 1,200 other instances of Q802 {HOSTILE[5]} and 79 of the class, none is an instance of both"
    assert proof in " ".join(details.split())


def test_search_and_filters_are_in_the_address(page: Page) -> None:
    """Typing narrows the list; the address opens the same view again; what a model fails comes first."""
    page.open("#/no")
    page.tab_to("q")
    page.press("no 4 out 1")
    page.wait("[role=status]", "1 of 5 groups")
    assert page.focused() == "q"
    address = page.driver.current_url
    assert address.endswith("q=no+4+out+1")
    page.open(address.removeprefix(page.address))
    assert page.texts("[role=status]") == ["1 of 5 groups"]
    page.open("#/no?q=q203")
    assert page.texts(".card h2") == ["NA"]
    page.open("#/no?show=fails&sort=score")
    assert page.texts(".card h2") == ["NA", "class 1"]
    assert "<i>glove: OPP 60, accuracy 0 %" in page.texts(".card")[0]


def test_a_class_is_shown_in_all_its_languages(page: Page) -> None:
    """Side by side, each card in the direction of its language, every word with its language."""
    page.open("#/class/Q2")
    assert page.texts("h1") == ["NA (Q2) in 5 languages"]
    cards = page.driver.find_elements("css selector", ".card")
    assert len(cards) == 5
    tags = {str(each.get_attribute("lang")) for each in page.driver.find_elements("css selector", ".word bdi")}
    assert tags == {"ar", "de", "lzh", "nan", "no"}


def test_rejected_classes_have_reasons(page: Page) -> None:
    """Class with its label, reason and detail, also of a language without groups."""
    page.open("#/la/rejected?reason=few-outliers")
    assert page.texts("tbody tr") == ["<i>river Q77 few-outliers expected at least 2 outliers, saw 0"]


def test_words_that_are_all_labels_are_not_weak_one_by_one(tmp_path: Path, page: Page) -> None:
    """Where no Wikipedia was read, that is said once; details have no empty rows, and one page needs no pager."""
    run = write_run(tmp_path / "out", 1, ("no",), ())
    lines = run / "groups" / "no.jsonl"
    line = json.loads(lines.read_bytes())
    for one in (*line["cluster"], *line["outliers"]):
        one |= {"source": "label", "count": 0, "total": 0, "links": None, "page_share": None, "label_language": None}
    lines.write_text(json.dumps(line) + "\n")
    assert main(["browse", str(run)]) == 0
    labels = Page(page.driver, run / "browse")
    labels.open("#/no")
    assert labels.texts("[role=status]") == ["1 of 1 groups; no word is from links: all are labels or titles"]
    assert not labels.texts(".weakly")
    assert not labels.texts("nav[aria-label^=pages]")
    labels.tab_to(f"{line['cluster'][1]['surface']}, cluster")
    labels.press(Keys.ENTER)
    assert not {"links to the page", "page share", "weak"} & set(labels.texts(".about dt"))


def test_the_quiz_hides_the_answer_and_counts(page: Page) -> None:
    """No word is marked before the answer; after it the outlier is named; the next case is one key away."""
    page.open("#/no/quiz?seed=3")
    words = page.texts(".word")
    assert not page.driver.find_elements("css selector", ".word.o1, .word.o2, .word.o3, .word .mark")
    outlier = next(word for word in words if " out " in word)
    page.tab_to(outlier)
    page.press(Keys.ENTER)
    assert "You: 1 of 1 (100 %). By chance: 11 %." in page.texts("[role=status]")[0]
    assert re.search(
        r"<i>glove (found|did not find) it; of all cases here it finds 44 %\.", page.texts("[role=status]")[0]
    )
    assert "Case 1, 1 right so far." in page.texts("main p.soft")
    assert page.focused() == "Next case"
    page.press(Keys.ENTER)
    page.wait("main p.soft", "Case 2, 1 right so far.")
    assert page.focused() == "Norwegian (no): which word does not belong?"
    again = page.driver.current_url.removeprefix(page.address)
    words = page.texts(".word")
    page.open(again)
    assert page.texts(".word") == words


def test_what_is_not_there_is_said(page: Page) -> None:
    """An address of a language or class that the set does not have."""
    for fragment in ("#/xx", "#/class/Q999", "#/la/quiz", "#/%", "#/no/%E0%A4%A", "#/class/%"):
        page.open(fragment)
        assert page.texts("h1") == ["Not found"]


@pytest.mark.skipif(importlib.util.find_spec("axe_core_python") is None, reason="no axe-core-python is installed")
@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_no_fault(page: Page, view: str) -> None:
    """The rules of axe-core for WCAG, on every view: roles, names, contrast, order of headings."""
    package = importlib.util.find_spec("axe_core_python")
    assert package is not None
    assert package.origin is not None
    script = next(Path(package.origin).parent.rglob("axe*.js")).read_text(encoding="utf-8")
    page.open(view)
    page.driver.execute_script(script)
    found: Any = page.driver.execute_async_script(
        "const done = arguments[0]; axe.run().then((result) => done(result.violations));"
    )
    faults = [(fault["id"], fault["impact"], [node["html"][:150] for node in fault["nodes"][:2]]) for fault in found]
    assert faults == []


def test_a_language_of_500_groups_has_pages(tmp_path: Path, page: Page) -> None:
    """Cards are made for one page of groups; the next one is a link away."""
    run = write_run(tmp_path / "out", 500, ("no",), ())
    assert main(["browse", str(run)]) == 0
    large = Page(page.driver, run / "browse")
    large.open("#/no")
    assert large.texts("[role=status]") == ["500 of 500 groups"]
    assert len(large.texts(".card")) == 24
    large.tab_to("Next")
    large.press(Keys.ENTER)
    large.wait("nav[aria-label=pages] li:nth-child(2)", "page 2 of 21")
