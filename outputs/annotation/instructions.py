"""What annotators are told, after the human baseline of Blair et al. (2016), section 4.2, in our own words.

In that study participants chose the outlier of a test case, could read Wikipedia, and were told not to use Wikidata,
from which the groups are made. In the one of Camacho-Collados and Navigli (2016, 3.1) they gave two answers: without
any external help, and then after they could use the Web for three minutes.
"""

from typing import Final

TITLE: Final = "Which one does not belong?"

QUESTION: Final = "Which one does not belong with the others?"

_NO_OTHER_HELP: Final = "Please do not use Wikidata, language models or the answers of others."

_ONE_ANSWER: Final = (f"You may look things up in Wikipedia, in any language. {_NO_OTHER_HELP}",)

_TWO_ANSWERS: Final = (
    "Give two answers to each list. The first is without any help: please look nothing up before you give it.",
    (
        "Then look things up on the Web, for three minutes at most, and give a second answer, the same or another one. "
        f"{_NO_OTHER_HELP}"
    ),
)

_SPREADSHEET: Final = (
    "In the spreadsheet, write the number of the word (1 for the column “word 1”) or ? for “cannot tell” into {}. "
    "Leave the other columns as they are, and save it as CSV in UTF-8."
)


def instructions(two_answers: bool) -> tuple[str, ...]:
    """What every form tells annotators, a paragraph each."""
    return (
        "Each list names things of one kind, and one thing of another kind. Choose the one that does not belong.",
        (
            "Go by what the words mean. How they are spelled, how long they are and in what order they are listed say "
            "nothing."
        ),
        *(_TWO_ANSWERS if two_answers else _ONE_ANSWER),
        (
            "If you are not sure, choose the most likely one. Answer “cannot tell” only if no word seems more likely "
            f"than the others{'' if two_answers else ' after you have looked them up'}."
        ),
        "A remark is optional: for example, that two words seem to be wrong, or that a word has two meanings.",
    )


def instructions_text(two_answers: bool) -> str:
    """The instructions as plain text, for those who fill in a spreadsheet."""
    columns = "the column “answer without help”, and after looking things up into the column “answer”"
    into = columns if two_answers else "the column “answer”"
    return "\n\n".join([TITLE, *instructions(two_answers), _SPREADSHEET.format(into), ""])
