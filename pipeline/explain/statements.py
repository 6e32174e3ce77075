"""What the statements of items say of a class: the properties that tell it from other items, and who has them.

Evidence is weighed as in the groups stage, from the same signatures, which are read from the items in the output
folder.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wikisem.arrow.columns import MapLookup
from wikisem.arrow.parquet import read_parquet
from wikisem.files import list_files
from wikisem.graph.class_graph import ClassGraph
from wikisem.graph.csr import indices_of
from wikisem.graph.signatures import Signatures, read_signatures
from wikisem.graph.taxonomy import Taxonomy
from wikisem.heuristics.selection.witness import ClassEvidence
from wikisem.ids import qid_number
from wikisem.layout import ENTITIES, property_labels_path
from wikisem.pipeline.build.ledger import Ledger
from wikisem.pipeline.explain.explanation import Explanation
from wikisem.recipes.options import Recipe
from wikisem.surfaces.cleaning import first_label
from wikisem.wikis import name_codes

# A property is telling that is so many times as frequent among the instances of a class as among prominent items.
TELLING: Final = 2


@dataclass(frozen=True)
class ItemStatements:
    """What the statements of an item say of the class: its margin if it has one, and which of the telling properties.

    ``against`` are its properties that are rarer among the instances than elsewhere, first those that none has;
    ``stated`` is the number of all of its properties.
    """

    qid: str
    margin: float | None
    telling: Sequence[int]
    against: Sequence[int]
    stated: int


@dataclass(frozen=True)
class ClassStatements:
    """What the statements of a cluster say of its class; None for coherence and margins if nothing is stated of it.

    ``telling`` has the telling properties that two members or more share, by number, with how many of all ``members``
    have them: first those that weigh most in the evidence of all members together.
    """

    members: int
    coherence: float | None
    telling: Mapping[int, int]
    items: Sequence[ItemStatements]


def _read_signatures(
    entities: str, graph: ClassGraph, qid: str, items: Iterable[str], recipe: Recipe
) -> Signatures | None:
    """The signatures by which the groups stage measures one class, with those of some items; None if it is no class."""
    nodes, found = indices_of(np.array([qid_number(qid)]), graph.nodes)
    if not found[0]:
        return None
    wanted, known = indices_of(np.array(sorted(map(qid_number, items)), dtype=np.int64), graph.items)
    return read_signatures(entities, graph, nodes, wanted[known], recipe)


def weigh(
    signatures: Signatures, graph: ClassGraph, qid: str, cluster: Sequence[str], items: Sequence[str]
) -> ClassStatements:
    """What the statements of a cluster and of items beside it say of a class of the graph."""
    node = int(np.searchsorted(graph.nodes, qid_number(qid)))
    evidence = ClassEvidence(signatures, node, cluster)
    of_members, weights = [_properties(signatures, one) for one in cluster], evidence.weights()
    counts = {
        number: sum(number in own for own in of_members) for number, weight in weights.items() if weight >= log(TELLING)
    }
    ordered = sorted(counts, key=lambda number: (-counts[number] * weights[number], number))
    telling = {number: counts[number] for number in ordered if counts[number] > 1}
    found = []
    for one in items:
        own = _properties(signatures, one)
        against = sorted((weights.get(number, -inf), number) for number in own if weights.get(number, -inf) < 0)
        has = [number for number in telling if number in own]
        found.append(
            ItemStatements(one, evidence.margin(qid_number(one)), has, [number for _, number in against], len(own))
        )
    return ClassStatements(len(cluster), evidence.coherence, telling, found)


def _properties(signatures: Signatures, qid: str) -> set[int]:
    row = int(signatures.rows_of(np.array([qid_number(qid)]))[0])
    return set(signatures.properties[signatures.rows.row(row)].tolist())


def explain_statements(
    output: str, taxonomy: Taxonomy, explanations: Sequence[Explanation], asked: Sequence[str] = ()
) -> list[ClassStatements | None]:
    """For each explanation of one class what statements say of its outliers and of the items asked for.

    None where no rule of the language's recipe reads statements, or where there is no cluster.
    """
    read: dict[tuple[int, int], Signatures | None] = {}
    ledger, qid = Ledger(output), explanations[0].qid
    beside = [
        list(dict.fromkeys([*(outlier.id for outlier in (one.group.outliers if one.group else ())), *asked]))
        for one in explanations
    ]
    items = {item for one, own in zip(explanations, beside, strict=True) for item in (*one.cluster, *own)}
    found: list[ClassStatements | None] = []
    for one, own in zip(explanations, beside, strict=True):
        recipe, signatures = one.recipe, None
        if recipe is not None and recipe.witness and one.cluster:
            key = recipe.outliers.min_sitelinks, recipe.seed
            if key not in read:
                read[key] = _read_signatures(ledger.folder(ENTITIES), taxonomy.graph, qid, items, recipe)
            signatures = read[key]
        found.append(weigh(signatures, taxonomy.graph, qid, one.cluster, own) if signatures else None)
    return found


def read_property_labels(output: str, numbers: Iterable[int], language: str) -> dict[int, str]:
    """The labels of some properties in a language, else in ``mul`` or English; of an earlier version's items none."""
    path = property_labels_path(Ledger(output).folder(ENTITIES))
    if not list_files(path):
        return {}
    table = read_parquet(path)
    maps: dict[int, dict[str, str]] = {}
    for row in table.filter(pc.is_in(table["property"], value_set=pa.array(numbers, pa.int32()))).to_pylist():
        maps.setdefault(row["property"], {})[row["language"]] = row["label"]
    column = pa.array([list(each.items()) for each in maps.values()], pa.map_(pa.string(), pa.string()))
    labels, _ = first_label(MapLookup(column), (*name_codes(language), "en"))
    return {number: label for number, label in zip(maps, labels.to_pylist(), strict=True) if label}
