"""What annotators are told, after the human baseline of Blair et al. (2016), section 4.2, in our own words.

In that study participants chose the outlier of a test case, could read Wikipedia, and were told not to use Wikidata,
from which the groups are made.
"""

from typing import Final

TITLE: Final = "Which one does not belong?"

QUESTION: Final = "Which one does not belong with the others?"

INSTRUCTIONS: Final = (
    "Each list names things of one kind, and one thing of another kind. Choose the one that does not belong.",
    "Go by what the words mean. How they are spelled, how long they are and in what order they are listed say nothing.",
    (
        "You may look things up in Wikipedia, in any language. Please do not use Wikidata, language models or the "
        "answers of others."
    ),
    (
        "If you are not sure, choose the most likely one. Answer “cannot tell” only if no word seems more likely than "
        "the others after you have looked them up."
    ),
    "A remark is optional: for example, that two words seem to be wrong, or that a word has two meanings.",
)

SPREADSHEET: Final = (
    (
        "In the spreadsheet, write the number of the word (1 for the column “word 1”) or ? for “cannot tell” into the "
        "column “answer”. Leave the other columns as they are, and save it as CSV in UTF-8."
    ),
)


def instructions_text() -> str:
    """The instructions as plain text, for those who fill in a spreadsheet."""
    return "\n\n".join([TITLE, *INSTRUCTIONS, *SPREADSHEET, ""])
