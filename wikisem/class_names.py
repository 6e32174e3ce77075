"""Find the class that a person means by a label, and list the candidates if none or several fit."""

import difflib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from wikisem.errors import MissingInputError, UsageError
from wikisem.ids import check_qid, is_qid, qid_number, qid_of
from wikisem.records import NEAR, Group, Rejection

# How many classes a message names.
_NAMED: Final = 5


def name_class(qid: str, label: str = "") -> str:
    """Return what people read for a class: its label with the QID, or the QID alone.

    >>> name_class("Q515", "city"), name_class("Q515"), name_class("Q515", "Q515")
    ('city (Q515)', 'Q515', 'Q515')
    """
    return f"{label} ({qid})" if label not in {"", qid} else qid


def proofs_in_words(group: Group, labels: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for each outlier with a certificate, a class of its own that shares no instance with the group's."""
    of_group = name_class(group.id, group.label)
    for outlier in group.outliers:
        if (proof := outlier.certificate) is not None:  # it has the outlier's class, and how many instances both have
            others = f"{proof.instances:,} other instances of {name_class(proof.id, proof.label)}"
            both = f"of {others} and {proof.of_class:,} of {of_group}, none is an instance of both"
            line = f"{outlier.name}: certificate, {both}"
            if outlier.type is not None and outlier.outlier_class == NEAR:  # drawn for its coarse type
                line += f"; its coarse type is {name_class(outlier.type, labels.get(outlier.type, ''))}"
            yield line


class LabelledClass(NamedTuple):
    """A class by its number, with a label and how many direct instances it has, None if that is not known."""

    number: int
    label: str
    instances: int | None = None

    def __str__(self) -> str:
        known = "" if self.instances is None else f", instances: {self.instances:,}"
        return f"{self.label} ({qid_of(self.number)}{known})"


def classes_of(found: Iterable[Group] | Iterable[Rejection]) -> list[LabelledClass]:
    """Return the classes of groups or of rejections that have a label, once for each language."""
    return [LabelledClass(qid_number(group.qid), group.label) for group in found if group.label]


def classes_named(name: str, known: Iterable[LabelledClass]) -> list[LabelledClass]:
    """Return the classes with this label in any case, each once: those with most instances first, then by number.

    >>> known = [LabelledClass(193893, "Capital", 0), LabelledClass(5119, "capital", 237), LabelledClass(515, "city")]
    >>> [str(found) for found in classes_named("capital", known)]
    ['capital (Q5119, instances: 237)', 'Capital (Q193893, instances: 0)']
    """
    found = {labelled.number: labelled for labelled in known if labelled.label.casefold() == name.casefold()}
    return sorted(found.values(), key=lambda labelled: (-(labelled.instances or 0), labelled.number))


def near_names(name: str, known: Iterable[LabelledClass]) -> list[LabelledClass]:
    """Return the classes whose labels are most like a name, the nearest first."""
    by_label: defaultdict[str, dict[int, LabelledClass]] = defaultdict(dict)
    for labelled in known:
        by_label[labelled.label.casefold()].setdefault(labelled.number, labelled)
    near = difflib.get_close_matches(name.casefold(), list(by_label), n=_NAMED)
    return [labelled for label in near for labelled in by_label[label].values()][:_NAMED]


def listed_classes(classes: Sequence[LabelledClass]) -> str:
    """Return classes for a message: the first few by label and QID, and how many more there are."""
    more = f" and {len(classes) - _NAMED} more" if len(classes) > _NAMED else ""
    return ", ".join(map(str, classes[:_NAMED])) + more


def find_class(name: str, known: Sequence[LabelledClass], where: str) -> str:
    """Return the QID of the class that a person names by QID or by label; ``where``, for errors, has these classes.

    UsageError for the label of several classes, MissingInputError for that of none; both name those that may be meant.

    >>> find_class("City", [LabelledClass(515, "city")], "out")
    'Q515'
    """
    if is_qid(name):
        return check_qid(name)
    found = classes_named(name, known)
    if len(found) > 1:
        named = listed_classes(found)
        raise UsageError(f"expected a QID, or the label of one class, saw {name!r}, that of {named}; write the QID")
    if not found:
        near = near_names(name, known)
        hint = f"; did you mean {listed_classes(near)}?" if near else ""
        raise MissingInputError(f"{where}: expected a QID, or the label of a class, saw {name!r}{hint}")
    return qid_of(found[0].number)
