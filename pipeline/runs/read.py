"""What runs and releases hold, as people and commands read it: groups, rejections, walls, manifest, labels of items."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from wikisem.arrow.parquet import open_parquet, read_batches
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.files import list_files, match
from wikisem.ids import check_language
from wikisem.layout import ENTITIES, MANIFEST, index_folder, record_path
from wikisem.outputs.groupfile import read_groups, read_rejections, read_walls
from wikisem.outputs.release.metadata import Manifest
from wikisem.pipeline.runs.ledger import Ledger, checksum_of
from wikisem.records import Group, Rejection, Wall
from wikisem.typed_json import CHECKSUM, decode_checked, decode_json
from wikisem.wikis import name_codes

K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class RunFiles:
    """What people read of a run: groups, rejections, walls and tables of names by language, and the manifest."""

    output: Path
    groups: Mapping[str, list[Group]]
    rejections: Mapping[str, list[Rejection]]
    manifest: Manifest
    walls: Mapping[str, list[Wall]] = field(default_factory=dict)
    names: Mapping[str, list[Path]] = field(default_factory=dict)


def read_run(output: Path) -> RunFiles:
    """Read the groups, rejections, walls and manifest of a run or a release, and find its tables of names.

    ``groups`` and ``rejections`` have every language with a file of either, so a language may have no groups; ``walls``
    and ``names`` only have those with walls, or with groups and tables. MissingInputError if the folder is no run or
    release or has no group at all, DamagedInputError if a file is not the one that was recorded.
    """
    group_files = [path for suffix in ("jsonl", "parquet") for path in (output / "groups").glob(f"*.{suffix}")]
    # The manifest. The first releases had none: it is made of JSON values in the metadata of a Parquet file of groups.
    path, parquet = output / MANIFEST, min((file for file in group_files if file.suffix == ".parquet"), default=None)
    if path.is_file():
        advice = f"without its line {CHECKSUM!r} it is taken as it is"
        manifest = decode_checked(path.read_bytes(), Manifest, str(path), "the manifest of a run", advice)
    elif json_values := table_metadata(parquet):
        fields = {key: json_values.get(f"wikisem.{key}", "null") for key in ("recipe", "seed", "versions")}
        text = "{" + ", ".join(f'"{key}": {value}' for key, value in fields.items()) + "}"
        manifest = decode_json(text, Manifest, str(parquet), "the recipe of a release in its metadata")
    else:
        seen = f"saw no {MANIFEST} in it, nor groups with their recipe"
        raise MissingInputError(f"{output}: expected the output folder of a run or a release, {seen}")
    if not group_files:
        raise MissingInputError(f"{output}: expected groups, saw none; run wikisem build first")
    check_files(output, manifest, ("groups", "rejected", "walls"))
    # The languages, the groups and the rejections; a release has no tables of languages without groups.
    with_groups = {check_language(path.stem) for path in group_files}
    languages = sorted(with_groups | {check_language(path.stem) for path in (output / "rejected").glob("*.jsonl")})
    groups = {code: read_groups(output, code) if code in with_groups else [] for code in languages}
    if not any(groups.values()):
        raise MissingInputError(f"{output}: expected test groups, saw none in {', '.join(groups)}")
    rejections = {code: read_rejections(output, code) for code in languages}
    # What only some runs have: walls, and tables of names.
    with_walls = {path.stem for path in (output / "walls").glob("*.*")}
    walls = {code: drawn for code in languages if code in with_walls and (drawn := read_walls(output, code))}
    tables = {code: sorted((output / "names" / code).glob("*.parquet")) for code in languages if groups[code]}
    names = {code: paths for code, paths in tables.items() if paths}
    return RunFiles(output, groups=groups, rejections=rejections, manifest=manifest, walls=walls, names=names)


def check_files(output: Path, manifest: Manifest, folders: Sequence[str]) -> None:
    """Compare the files of some folders with what the records of a run, or the manifest of a release, list of them.

    DamagedInputError for other bytes, or if a listed file is not there; others are taken as they are.
    """
    recorded = (pair for record in Ledger(str(output)).records() for pair in record.parts.items())
    checksums = {name: part.checksum for name, part in recorded}
    checksums |= {name: listed.sha256 for name, listed in manifest.files.items()}
    for name, expected in checksums.items():
        if name.partition("/")[0] in folders:
            path, seen, in_release = output / name, "no such file", name in manifest.files
            if path.is_file():
                seen = hashlib.sha256(path.read_bytes()).hexdigest() if in_release else checksum_of(str(path))
            if seen != expected:
                advice = "copy it again" if in_release else "run `wikisem build` again"
                raise DamagedInputError(f"{path}: expected the file with checksum {expected}, saw {seen}; {advice}")


def table_metadata(table: Path | None) -> dict[str, str]:
    """What the Parquet of a release says of itself; empty of any other, and without a table."""
    if table is None:
        return {}
    with table.open("rb") as source, open_parquet(source, str(table)) as file:
        metadata = file.schema_arrow.metadata or {}
    return {key.decode(): value.decode() for key, value in metadata.items() if key.startswith(b"wikisem.")}


def labels_of(output: str, qids: Iterable[str], language: str) -> tuple[dict[str, str], frozenset[str]]:
    """The label of each item that has one in the entities of a run, and the items that only have an English one."""
    return first_labels(item_column(Ledger(output).folder(ENTITIES), sorted(qids), "labels"), language)


def labels_of_classes(output: str, groups: Iterable[Group]) -> dict[str, dict[str, str]]:
    """Look up labels of the classes that say why words are outliers, by language, then QID; empty for a release."""
    wanted: dict[str, set[str]] = {}
    for group in groups:
        classes = wanted.setdefault(group.language, set())
        # The class of each outlier by which it was found (``via``), and the coarse types of near outliers.
        classes |= {outlier.via for outlier in group.outliers} | group.types_of_near
    if not list_files(record_path(output, ENTITIES)):  # a release
        return {}
    # The labels of each class, by language code; of these the first that serves in the language of its groups.
    of_classes = item_column(Ledger(output).folder(ENTITIES), sorted(set().union(*wanted.values())), "labels")
    labels: dict[str, dict[str, str]] = {}
    for language, qids in wanted.items():
        labels[language], _ = first_labels({qid: of_classes[qid] for qid in sorted(qids & of_classes.keys())}, language)
    return labels


def first_labels(maps: Mapping[K, Any], language: str) -> tuple[dict[K, str], frozenset[K]]:
    """Choose one of the labels of each item: in a language, else in ``mul``, else in English.

    ``maps`` has the labels of each item by language code. Also returned are the items that only have an English one.
    """
    from wikisem.arrow.columns import MapLookup  # noqa: PLC0415 - as below
    from wikisem.surfaces.cleaning import first_label  # noqa: PLC0415

    column = pa.array(list(maps.values()), pa.map_(pa.string(), pa.string()))
    own_codes, labels, english = name_codes(language), dict[K, str](), set[K]()
    labels_and_codes = first_label(MapLookup(column), (*own_codes, "en"))
    for key, label, code in zip(maps, *(values.to_pylist() for values in labels_and_codes), strict=True):
        if label:
            labels[key] = label
            if code == "en" and code not in own_codes:
                english.add(key)
    return labels, frozenset(english)


def item_column(folder: str, qids: Sequence[str], column: str) -> dict[str, Any]:
    """The values of one column for some items, by QID, from the Parquet in the folder of a unit."""
    import pyarrow.compute as pc  # noqa: PLC0415 - this takes a third of the time of all that a release imports

    from wikisem.arrow.buckets import read_items  # noqa: PLC0415

    if index := list_files(f"{index_folder(folder)}/*.parquet"):
        tables = read_items(folder, index, qids, [column])
    else:  # surface forms have no index of their rows by QID: all are read
        wanted = pa.array(qids, pa.string())
        batches = (table for path in match([f"{folder}/*.parquet"]) for table in read_batches(path, ["qid", column]))
        tables = (table.filter(pc.is_in(table["qid"], value_set=wanted)) for table in batches)
    values: dict[str, Any] = {}
    for table in tables:
        values.update(zip(table["qid"].to_pylist(), table[column].to_pylist(), strict=True))
    return values
