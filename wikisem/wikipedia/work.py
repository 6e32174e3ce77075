"""The most that reading a page may cost, in steps and not in seconds, so that every machine drops the same pages.

Most of a page is read by columns (numpy, Arrow, automata), where every byte takes the same time. Only the rest is
counted here. A step is about 0.1 µs.

>>> work = Work(budget=1000)
>>> work.read(["[[a|b]]"])
>>> work.steps
107
>>> work.spend(PARSED * len("<x>" * 10))
Traceback (most recent call last):
wikisem.wikipedia.work.TooCostlyError: expected a page that takes at most 1000 steps to read, saw one that takes more
"""

from collections.abc import Sequence
from typing import Final

# Two seconds or so. The longest page that MediaWiki saves has 2 MiB of wikitext (``$wgMaxArticleSize``, 2026-11), and
# the costliest of the real ones takes less than a hundredth of this.
BUDGET: Final = 1 << 24

# For each content of brackets that is read alone, beside one for each of its characters.
_CONTENT: Final = 100
# For each character that mwparserfromhell is given; ``wikitext.LONGESTPARSED`` is the longest text that it is.
PARSED: Final = 400
# For each `&lt;` that may open a comment or an element whose content is skipped.
OPENER: Final = 20
# For each tag that an XML parser is given, and bytes of XML for a step.
TAG: Final = 16
XML_BYTES: Final = 16


class TooCostlyError(Exception):
    """Pages took more steps than one page may; if there are several, the caller reads each alone."""


class Work:
    """Counts the steps; TooCostlyError past the budget.

    Pages together never take fewer steps than one of them alone.
    """

    __slots__ = ("_budget", "steps")

    def __init__(self, budget: int = BUDGET) -> None:
        self._budget, self.steps = budget, 0

    def read(self, contents: Sequence[str]) -> None:
        """Count contents of brackets that are read one by one."""
        self.spend(_CONTENT * len(contents) + sum(map(len, contents)))

    def spend(self, steps: int) -> None:
        """Count some steps."""
        self.steps += steps
        if self.steps > self._budget:
            raise TooCostlyError(
                f"expected a page that takes at most {self._budget} steps to read, saw one that takes more"
            )
