"""index.html and the scripts it reads: an overview in data/index.js, and one for each language that is looked at.

A page from disk may load scripts but not fetch files, so data are function calls with JSON, escaped for scripts.

In: groups and rejections of a run, and scores. Out: the bytes of index.html and of a script of data for each language.
It must not know how a run is laid out, nor write files itself.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from wikisem.ids import qid_number
from wikisem.outputs.html_page import direction, html_page, script_json, texts_in
from wikisem.records import OUTLIER_CLASSES, Group, Member, Outlier, Rejection, Wall
from wikisem.wikipedia.languages import iso_639
from wikisem.wikis import wiki_of

SOURCES: Final = ("anchor", "label", "title")
_CLASSES: Final = OUTLIER_CLASSES.items()

# Rejected classes that a language lists, and characters of a detail; all of them are in rejected/<code>.jsonl.
MOST_REJECTED: Final = 500
_DETAIL: Final = 160


class PageScore(NamedTuple):
    """OPP and accuracy of a model on a group, in percent, and by the QIDs of the outliers which of them it found."""

    opp: float | None
    accuracy: float | None
    found: Mapping[str, bool] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class BrowseLanguage:
    """All that the page shows of one language."""

    code: str
    groups: Sequence[Group]
    rejections: Sequence[Rejection] = ()
    scores: Mapping[str, Mapping[int, PageScore]] = field(default_factory=dict)  # by model and number of the class
    english: frozenset[str] = frozenset()  # the classes that only have an English label
    walls: Sequence[Wall] = ()
    labels: Mapping[str, str] = field(default_factory=dict)  # of further classes, those that brought outliers in


def browse_page(title: str, notice: str = "") -> bytes:
    """Make the HTML of the page, with a legend of the classes of outliers, below a notice if there is one."""
    legend = [
        f'     <span class="mark o{n}" aria-hidden="true">{kind.mark}</span> <span data-t>{kind.label}</span>'
        for n, kind in _CLASSES
    ]
    parts = {"TITLE": escape(title), "NOTICE": escape(notice), "OUTLIERS": "\n".join(legend)}
    # The scripts with its data are beside it, the only other place from which it may load any.
    return html_page(__name__, parts, " 'self' file:").encode()


def index_script(about: Mapping[str, Any], languages: Sequence[BrowseLanguage], names: Mapping[str, str]) -> bytes:
    """data/index.js: facts about the set, which classes are in which languages, and a row for each language.

    A row has counts, and of each model its mean OPP and accuracy in percent. ``names`` are those of the languages.
    """
    classes: dict[int, list[int]] = {}
    rows = []
    for index, language in enumerate(languages):
        for group in language.groups:
            classes.setdefault(qid_number(group.qid), []).append(index)
        members = [member for group in language.groups for member in group.members]
        opp, accuracy = {}, {}
        for model, scores in language.scores.items():
            positions = [score.opp for score in scores.values() if score.opp is not None]
            right = [100.0 * was_found for score in scores.values() for was_found in score.found.values()]
            opp[model] = sum(positions) / len(positions) if positions else None
            accuracy[model] = sum(right) / len(right) if right else None
        row = {
            "code": language.code,
            "name": names.get(language.code, language.code),
            "tag": iso_639(language.code),
            "wiki": wiki_of(language.code) or "",
            "dir": direction(member.surface for member in members),
            "groups": len(language.groups),
            "cases": sum(len(group.outliers) for group in language.groups),
            "walls": len(language.walls),
            "rejected": dict(Counter(rejection.reason for rejection in language.rejections).most_common()),
            "sources": dict(Counter(member.source for member in members).most_common()),
            "scores": opp,
            "accuracy": accuracy,
        }
        rows.append(row)
    marks = {f"o{number}": (kind.mark, kind.label) for number, kind in _CLASSES}
    texts = texts_in("browse", (iso_639(language.code) for language in languages))
    values = {"about": about, "languages": rows, "classes": classes, "outliers": marks, "texts": texts}
    return f"wikisem.index({script_json(values)});\n".encode()


def language_script(language: BrowseLanguage) -> bytes:
    """Write data/<code>.js, a call with JSON: the groups, rejected classes and walls of a language.

    Members are lists without the names of fields, which keeps 300 languages below 160 MB:

        [64,"Berlin",0,10,12,20,286]              item, surface, source, count, total, links, sitelinks
        [64,"Berlin",1,0,0,null,286,"mul"]        a label, with the code of its language where it is not the group's
        [1055,"Hamburg",0,9,9,9,120,null,1,515]   an outlier: outlier class, and the class that it was chosen by
        [1055,"Hamburg",0,9,9,9,120,null,1,515,0.02,null,[133442,60,79]]   the same with its margin, no ties, and its
                                                  certificate: the class, its instances and those of the group's class
    """
    # The rejected classes, at most MOST_REJECTED of them, and a name for each class.
    listed = language.rejections[:MOST_REJECTED]
    judged = [(rejection.qid, rejection.label) for rejection in listed]
    judged += [(group.qid, group.label) for group in language.groups]
    certificates = (outlier.certificate for group in language.groups for outlier in group.outliers)
    proving = [(proof.id, proof.label) for proof in certificates if proof is not None]
    # Of several labels of a class, that of its group or rejection is shown.
    names = {qid_number(qid): label for qid, label in (*proving, *language.labels.items(), *judged) if label}
    rejected = []
    for rejection in listed:
        detail = rejection.detail if len(rejection.detail) <= _DETAIL else f"{rejection.detail[: _DETAIL - 1]}…"
        rejected.append([qid_number(rejection.qid), rejection.reason, detail])
    groups = [_group(group, language) for group in language.groups]
    shown: dict[str, Any] = {"code": language.code, "groups": groups, "names": names, "rejected": rejected}
    # The walls, whose groups and words go by their indices.
    walls = []
    for wall in language.walls:
        number_of = {group.qid: number for number, group in enumerate(wall.groups)}
        group_of = {member: number for number, group in enumerate(wall.groups) for member in group.members}
        # A herring is a word that fits other groups, too: which, and by what.
        fits = {one.id: list(zip(map(number_of.__getitem__, one.fits), one.by, strict=True)) for one in wall.herrings}
        walls.append(
            {
                "id": wall.id,
                "tier": wall.tier,
                "words": [[qid_number(word.id), word.surface, group_of[word.id]] for word in wall.words],
                "groups": [[qid_number(group.qid), group.label] for group in wall.groups],
                "fits": [[index, fits[word.id]] for index, word in enumerate(wall.words) if word.id in fits],
                "order": [number_of[qid] for qid in wall.order],
            }
        )
    shown |= {"walls": walls} if walls else {}
    return f"wikisem.language({script_json(shown)});\n".encode()


def _group(group: Group, language: BrowseLanguage) -> dict[str, Any]:
    """A group as the page reads it: members "in" and "out", and its scores of models, note and coherence, if any."""
    number = qid_number(group.qid)
    # Of each model [OPP, accuracy, which outliers it found], in percent; the last only if it is known.
    by_model = {}
    for model, scores in language.scores.items():
        if score := scores.get(number):
            was_found = [score.found.get(outlier.id) for outlier in group.outliers]
            by_model[model] = [score.opp, score.accuracy, *([was_found] if score.found else [])]
    words = {member.id: member.surface for member in group.members}
    about = {
        "q": number,
        "label": group.label,
        "in": [_member(member, words) for member in group.cluster],
        "out": [_member(outlier, words) for outlier in group.outliers],
    }
    about |= {"english": True} if group.qid in language.english else {}
    about |= {} if group.coherence is None else {"coherence": group.coherence}
    return {**about, "scores": by_model} if by_model else about


def _member(member: Member, words: Mapping[str, str]) -> list[Any]:
    """The facts of a member or outlier as a list, shorter by unknown ones at its end: the page reads them by position.

    Outliers have their outlier class, the class that they were chosen by, and if known margin (how typical of the
    group's class their statements are), ties and certificate (why they are no instances of that class). A tie is a
    statement that links one to a member: subject, property and value, of which ``words`` has the surface forms.
    """
    counts = member.count, member.total, member.links, member.sitelinks
    row = [qid_number(member.id), member.surface, SOURCES.index(member.source), *counts]
    language = member.label_language or member.language
    if isinstance(member, Outlier):
        ties = [[words[tie.item], tie.property, words[tie.value]] for tie in member.ties or ()]
        certificate = member.certificate
        proof = [qid_number(certificate.id), certificate.instances, certificate.of_class] if certificate else None
        may_be_unknown = [member.margin, ties or None, proof]
        while may_be_unknown and may_be_unknown[-1] is None:
            may_be_unknown.pop()
        return [*row, language, member.outlier_class, qid_number(member.via), *may_be_unknown]
    return [*row, language] if language else row
