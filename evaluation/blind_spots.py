"""Blind spots: the test cases and groups that most models fail, and what each model makes of one of them.

A model fails a case if it has the words and the outlier is not the word that is least like the others. A case with its
outlier out of vocabulary does not count for that model.
"""

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wikisem.class_names import name_class
from wikisem.datasets.word_groups import OutlierWord, WordGroup
from wikisem.errors import MissingInputError
from wikisem.evaluation.options import Compactness
from wikisem.evaluation.outlier_detection import (
    CaseScore,
    Evaluation,
    class_name,
    closeness,
    distinct_names,
    similarities_of,
    words_of,
)
from wikisem.evaluation.vectors.lookup import Lookup


@dataclass(frozen=True, slots=True)
class Spot:
    """A case, or with ``outlier`` None a whole group: the models that were scored on it, and those that failed.

    ``share`` is the share of failures, over the models for a case, over models and cases for a group.
    """

    group: str
    language: str
    outlier: OutlierWord | None
    scored: tuple[str, ...]
    failed: tuple[str, ...]
    share: float
    label: str = ""

    @property
    def name(self) -> str:
        """What tables call the group: the label of its class with its name."""
        return name_class(self.group, self.label)

    def shown_as(self, names: Mapping[str, str]) -> "Spot":
        """The same with its outlier under another name."""
        return replace(self, outlier=self.outlier and replace(self.outlier, surface=names[self.outlier.surface]))

    def as_json(self) -> dict[str, Any]:
        """Under the names that programs read."""
        row: dict[str, Any] = {"group": self.group, "label": self.label, "language": self.language}
        if self.outlier is not None:
            row |= {"outlier": self.outlier.surface, "outlier_class": class_name(self.outlier.outlier_class)}
        return row | {"models": len(self.scored), "failed": len(self.failed), "share": self.share, "by": self.failed}


def blind_cases(evaluations: Sequence[Evaluation]) -> list[Spot]:
    """Every case that some model was scored on, those that most models fail first; repeated lines of a group once."""
    spots = []
    for name, scores in _by_group(evaluations):
        cases = [{case.outlier: case for case in score.cases} for score in scores]
        for outlier in dict.fromkeys(scores[0].group.outliers):
            found = {model.name: part.get(outlier) for model, part in zip(evaluations, cases, strict=True)}
            known = {model: case for model, case in found.items() if case is not None}
            if known:
                spots.append(_spot(name, scores[0].group, outlier, known))
    return sorted(spots, key=lambda spot: (-spot.share, -len(spot.scored)))


def blind_groups(evaluations: Sequence[Evaluation]) -> list[Spot]:
    """Every group that some model was scored on, by the share of failed cases; a model fails it that fails any case."""
    spots = []
    for name, scores in _by_group(evaluations):
        cases = [case for score in scores for case in score.cases]
        if cases:
            pairs = list(zip(evaluations, scores, strict=True))
            scored = tuple(model.name for model, score in pairs if score.cases)
            failed = tuple(model.name for model, score in pairs if any(not case.detected for case in score.cases))
            share = sum(not case.detected for case in cases) / len(cases)
            group = scores[0].group
            spots.append(Spot(name, group.language, None, scored, failed, share, group.label))
    return sorted(spots, key=lambda spot: -spot.share)


def _by_group(evaluations: Sequence[Evaluation]) -> Iterable[tuple[str, list[Any]]]:
    names = distinct_names([score.group for score in evaluations[0].groups])
    rows = zip(*(evaluation.groups for evaluation in evaluations), strict=True)
    return ((name, list(row)) for name, row in zip(names, rows, strict=True))


def _spot(name: str, group: WordGroup, outlier: OutlierWord, known: dict[str, CaseScore]) -> Spot:
    failed = tuple(model for model, case in known.items() if not case.detected)
    return Spot(name, group.language, outlier, tuple(known), failed, len(failed) / len(known), group.label)


def find_group(groups: Sequence[WordGroup], name: str) -> WordGroup:
    """The group of a name in reports, or of an id or a label that only one has; MissingInputError if there is none."""
    by_name = dict(zip(distinct_names(groups), groups, strict=True))
    of_id = [group for group in groups if group.id == name or group.label.casefold() == name.casefold()]
    if name in by_name:
        return by_name[name]
    if len(of_id) == 1:
        return of_id[0]
    named = {key: name_class(key, one.label) for key, one in by_name.items()}
    words = {word.casefold(): named[key] for key, one in by_name.items() for word in (key, one.label)}
    near = [words[word] for word in difflib.get_close_matches(name.casefold(), words)]
    meant = dict.fromkeys([named[key] for key, one in by_name.items() if one in of_id] or near)
    hint = f"did you mean {', '.join(meant)}?" if meant else f"the first are {', '.join(list(named.values())[:5])}"
    raise MissingInputError(f"expected the id or the label of one group, saw {name!r}; {hint}")


def explain_case(
    group: WordGroup, outlier: OutlierWord, lookup: Lookup, compactness: Compactness = "pairs"
) -> list[tuple[str, float]]:
    """The words of the cluster and the outlier with their mean similarity to the others, the least similar first.

    The first word is the one that the model takes for the outlier. Empty if the model does not know the outlier, or
    knows fewer than two words of the cluster.
    """
    known = lookup.find(words_of(group))
    words = [word for word in group.cluster if word in known]
    if outlier.surface not in known or len(words) < 2:
        return []
    words.append(outlier.surface)
    means = closeness(similarities_of(known, lookup.similarity, group.where, words, words), compactness)
    return sorted(zip(words, means.tolist(), strict=True), key=lambda pair: pair[1])
