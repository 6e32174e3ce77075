"""A real browser for the tests of pages: Chromium with its driver (Debian: apt install chromium chromium-driver)."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.support.ui import WebDriverWait

from tests.waiting import PATIENCE

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")

needs_browser = pytest.mark.skipif(
    not (CHROMIUM and DRIVER), reason="no Chromium with chromedriver is installed: the page is not tried in a browser"
)

# The last flags keep the browser itself from looking for anything on the network.
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=900,1000",
)

# The tab that Chromium opens first (on a slow machine it complains of its own font), the files in it, and downloads.
_INSIDE = ("chrome:", "data:", "blob:")


class ReadPage:
    """A page in a browser, with what every person does and reads.

    A page of ours draws itself anew after a step, and what was found before is then gone; so it is read again until
    it has stood still while it was read.
    """

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def press(self, *keys: str) -> None:
        """Press keys, wherever the focus is."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def texts(self, selector: str) -> list[str]:
        """What a person reads in all such elements."""
        return self._read(lambda: [str(one.text) for one in self.driver.find_elements("css selector", selector)])

    def focused(self) -> str:
        """The text of what has the focus, or its accessible name."""

        def name() -> list[str]:
            found = self.driver.switch_to.active_element
            return [str(found.get_attribute("aria-label") or found.text or found.get_attribute("id"))]

        return self._read(name)[0]

    def wait(self, selector: str, text: str) -> None:
        """Wait until the first such element reads so."""
        self.until(lambda: self.texts(selector)[:1] == [text])

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds."""
        WebDriverWait(self.driver, PATIENCE).until(lambda _: holds())

    def _read(self, read: Callable[[], list[str]]) -> list[str]:
        redrawn = [StaleElementReferenceException]
        waiting = WebDriverWait(self.driver, PATIENCE, poll_frequency=0.05, ignored_exceptions=redrawn)
        return waiting.until(lambda _: (read(),))[0]  # in a tuple, for an empty list is an answer, too


@contextmanager
def open_browser(profile: Path, preferences: Mapping[str, object] | None = None) -> Iterator[webdriver.Chrome]:
    """A new browser that keeps its profile in a folder and logs what it asks for and complains of."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(CHROMIUM)
    for flag in (*_FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.add_experimental_option("prefs", dict(preferences or {}))
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(str(DRIVER)))
    driver.set_script_timeout(PATIENCE)
    try:
        yield driver
    finally:
        driver.quit()


def problems(driver: webdriver.Chrome) -> list[str]:
    """What the browser complains of, but for pages of its own: errors of scripts, breaches of a policy."""
    messages = [str(entry["message"]) for entry in driver.get_log("browser")]  # type: ignore[no-untyped-call]
    return [message for message in messages if not message.startswith("chrome:")]


def requests(driver: webdriver.Chrome) -> set[str]:
    """The addresses that were asked for, the page itself included; not those inside the browser."""
    entries = driver.get_log("performance")  # type: ignore[no-untyped-call]
    messages = [json.loads(entry["message"])["message"] for entry in entries]
    sent = {"Network.requestWillBeSent", "Network.webSocketCreated"}
    asked = {str(one["params"].get("request", one["params"])["url"]) for one in messages if one["method"] in sent}
    return {address for address in asked if not address.startswith(_INSIDE)}
