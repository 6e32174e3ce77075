"""Running the taxonomy and groups stages on entities and names, and what the oracle says of the same."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from tests.entity_files import entity_row, write_entities
from tests.oracle import Named, Names, OracleGraph, OracleGroups, without_certificates
from wikisem.arrow.parquet import write_parquet
from wikisem.layout import Scratch, item_names_folder
from wikisem.outputs.groupfile import decode_group, decode_rejection
from wikisem.pipeline.runs.ledger import Ledger, Record
from wikisem.recipes.options import Recipe, SurfaceOptions
from wikisem.records import Counts, Entity, Group, Rejection
from wikisem.schemas import ENTITIES, SURFACES
from wikisem.surfaces.link_counts import NamedItems, hash_names
from wikisem.transforms.groups.stage import build_groups
from wikisem.transforms.io.runtime import Runtime, StageContext
from wikisem.transforms.taxonomy import build_taxonomy
from wikisem.wikipedia.languages import language_profile

Built = tuple[list[Group], list[Rejection]]


def by_label(entities: Iterable[Entity], language: str) -> dict[str, Named]:
    """Names as the recipe's fallback "label" gives them: the language, then ``mul``."""
    labels = {entity.qid: entity.labels.get(language, entity.labels.get("mul")) for entity in entities}
    return {qid: Named(label) for qid, label in labels.items() if label is not None}


def write_surfaces(folder: Path, names: Names, files: int = 1) -> str:
    """Write names as Parquet of schemas.SURFACES, dealt over several files."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [{"qid": qid, "title": None, **_columns(name)} for qid, name in names.items()]
    for number in range(files):
        write_parquet(f"{folder}/{number}.parquet", pa.Table.from_pylist(rows[number::files], schema=SURFACES))
    return str(folder)


def write_item_names(folder: str, entities: Sequence[Entity], language: str, options: SurfaceOptions) -> None:
    """Write the labels and aliases in a language beside its surface forms, as the surfaces stage does."""
    table = pa.Table.from_pylist(list(map(entity_row, entities)), schema=ENTITIES)
    found = hash_names(NamedItems(table).of(language), table, language, options)
    write_parquet(f"{item_names_folder(folder)}/0.parquet", found)


def _columns(name: Named) -> dict[str, object]:
    return {"surface": name.surface, "source": name.source, "count": name.count, "total": name.total}


def run_stages(
    root: Path,
    entities: Sequence[Entity],
    names: Mapping[str, Names],
    recipe: Recipe,
    runtime: Runtime | None = None,
    files: int = 1,
) -> tuple[Path, dict[str, Counts]]:
    """Run both stages; returns the folder with ``groups`` and ``rejected``, and the counts of each language."""
    runtime = runtime or Runtime()
    folder = str(write_entities(root / "entities", entities, files))
    surfaces = {one: write_surfaces(root / "surfaces" / one, each, files) for one, each in names.items()}
    for language in names if recipe.surface.asks_aliases else ():
        write_item_names(surfaces[language], entities, language, recipe.surface)
    graph = Scratch(str(root / "taxonomy"))
    build_taxonomy(folder, recipe.graph, StageContext(graph, runtime)).check("taxonomy")
    groups = Scratch(str(root / "made"))
    counts = build_groups(folder, graph.finished, surfaces, {}, recipe, StageContext(groups, runtime))
    return Path(groups.finished), counts


def finish_stages(root: Path, entities: Sequence[Entity], names: Mapping[str, Names], recipe: Recipe) -> Path:
    """Run both stages, and leave what they read and wrote as finished units of the output folder, which is returned."""
    done, _ = run_stages(root, entities, names, recipe)
    for name in ("groups", "rejected"):
        (done / name).rename(root / name)
    ledger = Ledger(str(root))
    units = {"entities": "entities", "taxonomy": "taxonomy/finished"}
    for unit, folder in (units | {f"surfaces/{language}": f"surfaces/{language}" for language in names}).items():
        (root / folder).rename(root / "moving")
        (root / unit).mkdir(exist_ok=True)
        (root / "moving").rename(root / unit / "0f")
        ledger.put(Record(unit, "0f", "", Counts()))
    for language in names:
        ledger.put(Record(f"groups/{language}", "0f", "", Counts(), made_with={"recipe": recipe.to_dict()}))
    return root


def read_built(done: Path, language: str) -> Built:
    """What the groups stage wrote in a language."""
    groups = (done / "groups" / f"{language}.jsonl").read_bytes().splitlines()
    rejected = (done / "rejected" / f"{language}.jsonl").read_bytes().splitlines()
    return [decode_group(line) for line in groups], [decode_rejection(line) for line in rejected]


def expected(graph: OracleGraph, names: Names, recipe: Recipe, language: str) -> Built:
    """What the oracle makes of the same."""
    return OracleGroups(graph, recipe, language_profile(language), names).build()


def bare(built: Built) -> tuple[list[Group], list[tuple[str, str]]]:
    """Groups and the reasons of rejections, without their details, which only the implementation words.

    Certificates are left out, of which the implementation takes one of several.
    """
    return [without_certificates(group) for group in built[0]], [
        (rejection.qid, rejection.reason) for rejection in built[1]
    ]
