"""The commands that write what people look at: a release, the set that comes with wikisem, and the page of groups."""

import argparse
import hashlib
import hmac
import os
import re
import secrets
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fnmatch import fnmatch
from functools import partial
from itertools import chain
from os import PathLike, fspath
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import msgspec
import numpy as np
import orjson
import pyarrow as pa
import pyarrow.json

from wikisem.arrow.parquet import open_parquet
from wikisem.atomic_files import find_abandoned
from wikisem.datasets.files import SAMPLE, data_set_path
from wikisem.errors import DamagedInputError, MissingInputError, UsageError
from wikisem.evaluation.baselines import baselines_by_language
from wikisem.evaluation.rows import ALL, Row, read_rows
from wikisem.files import is_web, list_files, path_of, size_and_time, write_files
from wikisem.ids import check_language, qid_number, qid_of
from wikisem.layout import ENTITIES, MANIFEST, NAMES, record_path
from wikisem.outputs.browse import BrowseLanguage, PageScore, browse_page, index_script, language_script
from wikisem.outputs.groupfile import encode_group, encode_rejection, groups_table, walls_table
from wikisem.outputs.release import card, metadata
from wikisem.outputs.release import cases as test_cases
from wikisem.pipeline import cli
from wikisem.pipeline.commands.changes import compare_languages
from wikisem.pipeline.console.terminal import print_line, print_notes
from wikisem.pipeline.runs.ledger import Ledger
from wikisem.pipeline.runs.read import RunFiles, check_files, item_column, labels_of_classes, read_run, table_metadata
from wikisem.records import OUTLIER_CLASSES, Group, Wall
from wikisem.schemas import PARQUET_ERRORS
from wikisem.typed_json import decode_checked, decode_json
from wikisem.wikis import WIKIPEDIAS, wiki_of


def facts_of(run: RunFiles, published: str, **more: Any) -> metadata.ReleaseFacts:
    """Count what a release and its page state of a run's groups; ``more`` are facts that the run does not say.

    By language: the groups, their words and cases, the accuracy of guessers that ignore meaning (such as one that picks
    the longest word), and how many classes lack an English group. Over all groups: the spread of coherence and margins.
    """
    languages, english = [], {group.qid for group in run.groups.get("en", ())}
    for code, groups in run.groups.items():
        guessers = baselines_by_language(groups, columns=[ALL]).get(code, {}).get(ALL, {})
        baselines = {
            name: metadata.Share(bars.value, bars.low, bars.high) if bars else None for name, bars in guessers.items()
        }
        languages.append(metadata.language_facts(code, groups, run.rejections[code], baselines))
        if english and code != "en":
            more.setdefault("lacking", {})[code] = sum(group.qid not in english for group in groups)
    # Over all groups, of each measure: how many values are known, with minimum, quartiles and maximum.
    all_groups = list(chain.from_iterable(run.groups.values()))
    measured = {"coherence": [group.coherence for group in all_groups]}
    for number, kind in OUTLIER_CLASSES.items():
        outliers = (outlier for group in all_groups for outlier in group.outliers if outlier.outlier_class == number)
        measured[f"margin, {kind.name}"] = [outlier.margin for outlier in outliers]
    spreads = {}
    for name, values in measured.items():
        if known := [value for value in values if value is not None]:
            spreads[name] = len(known), np.quantile(known, [0, 0.25, 0.5, 0.75, 1]).tolist()
    return metadata.read_facts(run.manifest, languages, published, spreads=spreads, **more)


COUNTRY: Final = "P17"  # the property that says which country an item is in
_EXTRAS: Final = ("categories", "analogies")
_LEAST_SECRET: Final = 16  # bytes
_NAMED: Final = 20  # files in a message


def release(
    output: str | PathLike[str],
    folder: str | PathLike[str],
    *,
    maintainer: str = "",
    contact: str = "",
    repository: str = "",
    scores: Sequence[str | PathLike[str]] = (),
    cases: Sequence[str | PathLike[str]] = (),
    since: str | PathLike[str] | None = None,
    held: str | PathLike[str] | None = None,
    open_held: str | PathLike[str] | None = None,
) -> metadata.ReleaseFacts:
    """Write a folder to publish to ``folder``, as ``wikisem release`` does; part of the public API.

    ``maintainer`` is who publishes the set and ``contact`` an e-mail address or a page, both for the card.
    ``repository`` is its name on the Hugging Face Hub. ``scores`` are files that ``wikisem evaluate outliers --json``
    wrote, for the card, and ``cases`` those of ``--cases``, for the page. ``since`` is the release or run before, for a
    list of changes. ``held`` is a file with the secret that chooses the classes to hold back, made if there is none;
    they are written to FOLDER.held.jsonl, beside the folder. ``open_held`` is what the release before held back. The
    release is of today, or of SOURCE_DATE_EPOCH (in seconds), by which it can be made again to the byte.

    Returns facts about the release, such as its ``name`` and ``version``. Raises UsageError if the folder has anything
    but an unedited release of the same languages, and MissingInputError if there is no run or release, no group,
    nothing about any group in one of these files, or if its names were made from other links than it has now.
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    try:
        today = time.strftime("%Y-%m-%d", time.gmtime(int(epoch) if epoch else None))
    except (ValueError, OverflowError, OSError) as error:
        raise UsageError(f"SOURCE_DATE_EPOCH: expected seconds since 1970, saw {epoch!r}") from error
    address = cli.contact(contact) if contact else ""
    name = hub_name(repository) if repository else ""
    return _write_release(
        data_set_path(output),
        path_of(folder),
        published=today,
        maker=metadata.Maker(maintainer.strip(), address, name),
        scores=list(map(path_of, scores)),
        cases=list(map(path_of, cases)),
        since=None if since is None else data_set_path(since),
        held=None if held is None else path_of(held),
        open_held=None if open_held is None else path_of(open_held),
    )


def hub_name(text: str) -> str:
    """A name on the Hugging Face Hub; UsageError for anything else."""
    if re.fullmatch(r"[\w.-]+/[\w.-]+", text, re.ASCII) is None:
        raise UsageError(f"expected a name such as my-name/wikisem, saw {text!r}")
    return text


def sample(folder: str | PathLike[str]) -> metadata.ReleaseFacts:
    """Write the set that comes with wikisem, as ``wikisem sample`` does; UsageError for a folder with anything else."""
    return _write_release(SAMPLE, path_of(folder), maker=metadata.Maker("The wikisem authors"))


def browse(
    output: str | PathLike[str], folder: str | PathLike[str] | None = None, *, cases: Sequence[str | PathLike[str]] = ()
) -> Path:
    """Write a page to look through a run or a release, as ``wikisem browse`` does, and return the file to open.

    ``folder`` is OUT/browse by default. ``cases`` are files that ``wikisem evaluate outliers --cases`` wrote. Raises
    MissingInputError if there is no run or release.
    """
    path = data_set_path(output)
    # Neither a web server nor the package is a place to write to.
    if folder is None and (is_web(fspath(output)) or path == SAMPLE):
        raise UsageError(f"expected a folder for the page of {output}, saw none: give --output FOLDER")
    target, run = path / "browse" if folder is None else path_of(folder), read_run(path)
    write_files(target, browse_files(facts_of(run, ""), run, list(map(path_of, cases))))
    return target / "index.html"


def _write_release(
    output: Path,
    folder: Path,
    maker: metadata.Maker,
    published: str = "",
    scores: Sequence[Path] = (),
    cases: Sequence[Path] = (),
    since: Path | None = None,
    held: Path | None = None,
    open_held: Path | None = None,
) -> metadata.ReleaseFacts:
    """Read a run, write its release to ``folder``, and return the facts; nothing is written unless all can be read.

    The parameters are those of ``release``: ``since`` is the release before, ``held`` has a secret that chooses classes
    to hold back, ``open_held`` what the release before held back. ``published`` is by default the manifest's date.
    """
    if folder.resolve() == output.resolve():
        raise UsageError(f"{folder}: expected another folder than that of the run")
    run = read_run(output)  # this and check_files refuse files that are not as they were recorded
    check_files(output, run.manifest, (NAMES, test_cases.HELD, *_EXTRAS))
    ledger = Ledger(str(output))
    for code in run.names:
        if record := ledger.find(f"names/{code}"):
            ledger.check_needs(record)  # tables of names are of the links that the run has now
    # Halves of the classes may be held back: those that earlier releases opened stay, and this one may open another.
    more: dict[str, Any] = {"maker": maker}
    opened = {half.file: (output / half.file).read_bytes() for half in run.manifest.opened}
    if open_held and since is None:
        raise UsageError("--open-held: expected --since with the release that held the file back, saw none")
    held_data = b""
    if held:
        run, more["held"], held_data = _hold_half(run, held)
    # Facts that the card states beside those that ``facts_of`` counts.
    seed = run.manifest.seed or 0
    if countries := countries_of(run):
        more["regions"] = metadata.count_regions(run.groups, countries)
    split = test_cases.split_cases({code: groups for code, groups in run.groups.items() if groups}, seed)
    more["split"] = {code: (len(test), len(split.shots[code])) for code, test in split.test.items()}
    # The example of the card is the first case in English, or in the language with the most.
    example = max(split.test, key=lambda code: (code == "en", len(split.test[code])))
    more["example"] = test_cases.case_rows(split.test[example], seed)[0]
    more["models"] = [score for path in scores for score in _model_scores(path, run.groups)]
    _scores_of(run.groups, cases)  # for its errors, before anything is written
    more |= {"canary": test_cases.canary_of(run.groups, seed), **_count_extras(run)}
    if since:
        changes, opened_now = _compare(since, run, open_held)
        more, opened = more | changes, opened | opened_now
    facts = facts_of(run, published or run.manifest.published, **more)
    # Write the release, and the groups that it holds back beside its folder, which is for publication.
    make_files = partial(_release_files, facts, partial(_data_files, facts, run, split, output, cases), opened)
    _check_others(folder, facts, run, make_files)
    if held_data:
        write_files(held_place(folder).parent, [(held_place(folder).name, held_data)])
    write_files(folder, make_files())
    return facts


def _count_extras(run: RunFiles) -> dict[str, Any]:
    """Count what a run has beside groups, as the fields ``extras``, ``walls`` and ``names`` of ``ReleaseFacts``.

    ``extras`` has the languages with categories, analogies and walls, by kind; ``walls`` counts walls by language and
    tier, ``names`` the rows of tables of names by language.
    """
    extras = {}
    for kind in _EXTRAS:
        # A run has JSON lines, in a file of size 0 if there are none; a release has tables of what there is.
        lines = [path for path in (run.output / kind).glob("*.jsonl") if size_and_time(str(path))[0]]
        if codes := {check_language(path.stem) for path in (*lines, *(run.output / kind).glob("*.parquet"))}:
            extras[kind] = tuple(sorted(codes))
    if run.walls:
        extras["walls"] = tuple(run.walls)
    rows = Counter[str]()
    for code, path in ((code, path) for code, paths in run.names.items() for path in paths):
        with path.open("rb") as source, open_parquet(source, str(path), "rows of names") as file:
            rows[code] += file.metadata.num_rows
    tiers = {code: Counter(wall.tier for wall in walls) for code, walls in run.walls.items()}
    return {"extras": extras, "walls": tiers, "names": dict(rows)}


def countries_of(run: RunFiles) -> dict[str, set[str]]:
    """Find the countries that Wikidata states (P17) of members of clusters, by QID, for those that have any.

    Entities have them as statements, as relations, or as both. A release, which has no entities, has none.
    """
    if not list_files(record_path(str(run.output), ENTITIES)):
        return {}
    all_groups = chain.from_iterable(run.groups.values())
    items = sorted({member.id for group in all_groups for member in group.cluster})
    folder, countries = Ledger(str(run.output)).folder(ENTITIES), defaultdict[str, set[str]](set)
    for qid, statements in item_column(folder, items, "statements").items():
        countries[qid] |= {row["value"] for row in statements if row["property"] == COUNTRY}
    for qid, relations in item_column(folder, items, "relations").items():
        countries[qid] |= {qid_of(row["item"]) for row in relations or () if f"P{row['property']}" == COUNTRY}
    return {qid: of_member for qid, of_member in countries.items() if of_member}


def held_place(folder: Path) -> Path:
    """The file of the groups that a release holds back: beside its folder."""
    whole = folder.resolve()
    return whole.with_name(f"{whole.name}.held.jsonl")


def _hold_half(run: RunFiles, file: Path) -> tuple[RunFiles, metadata.HeldHalf, bytes]:
    """Take about half of the classes out of a run, which a secret chooses, with the walls and labels that have them.

    ``file`` has the secret; a missing file is made with a new one. Returns the run without those classes, the entry for
    its manifest, and the bytes of the file of the groups that were taken.
    """
    if not file.exists():
        write_files(file.parent, [(file.name, f"{secrets.token_hex(32)}\n".encode())])
    if len(secret := file.read_bytes().strip()) < _LEAST_SECRET:
        raise UsageError(f"{file}: expected a secret of at least {_LEAST_SECRET} bytes, saw {len(secret)}")
    is_held = partial(test_cases.is_held, secret=secret)
    held = {code: [group for group in groups if is_held(group.qid)] for code, groups in run.groups.items()}
    kept = {code: [group for group in groups if not is_held(group.qid)] for code, groups in run.groups.items()}
    if not any(held.values()) or not any(kept.values()):
        raise UsageError(f"--held {file}: expected classes in both halves, saw all in one; take another secret")
    # What is left of the run must not name a held class anywhere; the counts by region, of all groups, are dropped.
    walls, stages = dict[str, list[Wall]](), dict[str, metadata.ManifestStage]()
    for code, drawn in run.walls.items():
        if kept_walls := [wall for wall in drawn if not any(is_held(group.qid) for group in wall.groups)]:
            walls[code] = kept_walls
    for unit, stage in run.manifest.stages.items():
        labels = [qid for qid in stage.english_labels if not is_held(qid)]
        stages[unit] = msgspec.structs.replace(stage, english_labels=labels)
    manifest = msgspec.structs.replace(run.manifest, stages=stages, regions={})
    kept_run = replace(run, groups=kept, walls=walls, manifest=manifest)
    held_groups = [group for code in sorted(held) for group in held[code]]
    # The file of the groups. Anybody can build all groups from public dumps, so its first object gets a secret key, the
    # nonce: without it, the SHA-256 of the file, which is published, would confirm a guess at the groups in it.
    nonce = orjson.dumps(hmac.digest(secret, b"nonce", "sha256").hex())
    lines = b"".join(map(encode_group, held_groups)).removeprefix(b"{")
    canary = test_cases.canary_of(kept, run.manifest.seed or 0)
    data = test_cases.with_canary("groups.jsonl", b'{"nonce":' + nonce + b"," + lines, canary)
    cases = sum(len(group.outliers) for group in held_groups)
    return kept_run, metadata.HeldHalf(hashlib.sha256(data).hexdigest(), len(held_groups), cases), data


def _compare(since: Path, run: RunFiles, open_held: Path | None) -> tuple[dict[str, Any], dict[str, bytes]]:
    """Compare a release with the one before (``since``), and check the file of held groups that it opens, if any.

    Returns fields of ``ReleaseFacts``, and the bytes of ``open_held`` by its path in the new release. The release
    before held that file back and published its SHA-256, which shows that nothing was changed since.
    """
    before = read_run(since)
    languages = [metadata.language_facts(code, groups, (), {}) for code, groups in before.groups.items()]
    version = metadata.read_facts(before.manifest, languages, published="").version  # the date of its newest dump
    changes = {}
    for compared in compare_languages(before.groups, run.groups, before.rejections, run.rejections):
        renamed = sum(change.kind == "surface form" for change in compared.changes)
        # A row of the card's table: groups gone and new; test cases gone, kept and new; other surface forms.
        changes[compared.language] = compared.groups.gone, compared.groups.new, *compared.cases, renamed
    if open_held is None:
        return {"since": version, "changes": changes}, {}
    if not open_held.is_file():
        raise MissingInputError(f"--open-held: expected the file that {since} held back, saw nothing at {open_held}")
    data, published = open_held.read_bytes(), before.manifest.held.sha256 if before.manifest.held else ""
    seen = hashlib.sha256(data).hexdigest()
    if seen != published:
        wanted = f"the file with SHA-256 {published}" if published else "a release that holds a half back"
        raise DamagedInputError(f"{open_held}: expected {wanted}, as {since} says, saw {seen if published else 'none'}")
    half = metadata.OpenedHalf(version, f"{test_cases.HELD}/{version}.jsonl", seen)
    return {"since": version, "changes": changes, "opened": [*run.manifest.opened, half]}, {half.file: data}


def _model_scores(path: Path, groups: Mapping[str, Sequence[Group]]) -> Iterator[metadata.ModelScore]:
    """Read accuracy and OPP (outlier position percentage) of each model and language, on the words that it knows."""
    by_metric: dict[tuple[str, str], dict[str, Row]] = {}
    for row in read_rows(path):
        if row.part == "language" and row.vocabulary == "own" and row.name in groups:
            by_metric.setdefault((row.model, row.name), {})[row.metric] = row
    if not by_metric:
        raise MissingInputError(f"{path}: expected scores in the languages of this run, saw none")
    for (model, language), rows in by_metric.items():
        shares: dict[str, metadata.Share | None] = dict.fromkeys(("opp", "accuracy"))
        for row in (rows[metric] for metric in shares):
            if row.value is not None:  # in percent; without an interval, its ends are the value itself
                low, high = (row.value if end is None else end for end in (row.low, row.high))
                shares[row.metric] = metadata.Share(row.value / 100, low / 100, high / 100)
        yield metadata.ModelScore(model, language, rows["accuracy"].cases, **shares)


def _check_others(
    folder: Path, facts: metadata.ReleaseFacts, run: RunFiles, make_files: Callable[[], Iterable[tuple[str, bytes]]]
) -> None:
    """Refuse a folder with files that no release wrote, or were edited since, or with tables of other languages.

    Files are as a release wrote them if its manifest has their SHA-256 or, after an interruption, if they have the
    bytes that ``make_files`` yields by name.
    """
    ignored = [".git", ".gitattributes", ".cache", *card.fill("gitignore").replace("/", "").split()]  # never published
    for part in chain.from_iterable(map(find_abandoned, [folder, *filter(Path.is_dir, folder.rglob("*"))])):
        part.unlink()
    listed, unproven = dict[str, metadata.ManifestFile](), dict[str, Path]()
    with suppress(FileNotFoundError, DamagedInputError):
        data = (folder / MANIFEST).read_bytes()
        listed = decode_checked(data, metadata.Manifest, MANIFEST, "a manifest", "").files
    for path in sorted(path for path in folder.rglob("*") if not path.is_dir()):
        name = path.relative_to(folder).as_posix()
        if any(fnmatch(step, pattern) for step in name.split("/") for pattern in ignored):
            continue
        if name not in listed or hashlib.sha256(path.read_bytes()).hexdigest() != listed[name].sha256:
            unproven[name] = path
    if listed:
        unproven.pop(MANIFEST, None)  # its checksum is in itself
    for name, data in make_files() if unproven else ():
        if name in unproven and unproven[name].read_bytes() == data:
            del unproven[name]
    if unproven:
        names = ", ".join(f"{name}{' (edited)' * (name in listed)}" for name in [*unproven][:_NAMED])
        seen = f"{len(unproven)} of other origin: {names}; move these away or choose another --output"
        raise UsageError(f"{folder}: expected an empty folder or the files of a release as it was written, saw {seen}")
    # Readers of a whole folder would take tables of other languages for part of this release.
    filled = tuple(language.code for language in facts.filled)
    codes_of = {**dict.fromkeys(("groups", "cases", "items"), filled), "shots": tuple(facts.shots), **facts.extras}
    own = {f"{kind}/{code}.parquet" for kind, codes in codes_of.items() for code in codes}
    own |= {f"names/{code}/{path.name}" for code, paths in run.names.items() for path in paths}
    tables = [name for name in listed if name.endswith(".parquet") and (folder / name).exists()]
    if strays := [name for name in tables if name not in own]:
        seen = f"{len(strays)} other tables, {strays[0]} first; remove them or choose another --output"
        raise UsageError(f"{folder}: expected an empty folder or a release of the same languages, saw {seen}")


def _release_files(
    facts: metadata.ReleaseFacts, make_data: Callable[[], Iterable[tuple[str, bytes]]], opened: Mapping[str, bytes]
) -> Iterator[tuple[str, bytes]]:
    """Yield files of a release with its canary, a string to find it by in training data; then README and manifest."""
    listed: dict[str, metadata.ManifestFile] = {}
    for name, plain in chain(make_data(), opened.items()):
        data = test_cases.with_canary(name, plain, facts.canary)
        listed[name] = metadata.ManifestFile(len(data), hashlib.sha256(data).hexdigest())
        yield name, data
    text = card.card(facts, listed).encode()
    listed["README.md"] = metadata.ManifestFile(len(text), hashlib.sha256(text).hexdigest())
    yield "README.md", text
    yield MANIFEST, metadata.manifest_json(facts, listed)


def _data_files(
    facts: metadata.ReleaseFacts, run: RunFiles, split: test_cases.Split, output: Path, cases: Sequence[Path]
) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the bytes of every file but README.md, the manifest and the halves that were opened.

    Files are written in this order. ``output`` is the folder of the run, or of the release, that this one is made from.
    """
    # Tables of each language with groups: groups, test cases, few-shot cases ("shots"), and their single items.
    about = facts.metadata()
    for code, test in split.test.items():
        groups = groups_table(map(encode_group, run.groups[code]))
        yield f"groups/{code}.parquet", test_cases.parquet_bytes(groups, about)
        cases_and_shots = {"cases": test, "shots": split.shots[code]}
        rows = {kind: test_cases.case_rows(chosen, facts.seed) for kind, chosen in cases_and_shots.items()}
        for kind, of_kind in rows.items():
            if of_kind:
                table = pa.Table.from_pylist(of_kind, schema=test_cases.CASES)
                yield f"{kind}/{code}.parquet", test_cases.parquet_bytes(table, about)
        items = pa.Table.from_pylist([*rows["cases"], *rows["shots"]], schema=test_cases.ITEMS)
        yield f"items/{code}.parquet", test_cases.parquet_bytes(items, about)
    for code, rejections in run.rejections.items():
        if rejections:
            yield f"rejected/{code}.jsonl", b"".join(map(encode_rejection, rejections))
    # Walls, categories and analogies: JSON lines of a run become tables; a table of a release gets this one's metadata.
    for kind, code in ((kind, code) for kind, codes in facts.extras.items() for code in codes):
        lines, table = output / kind / f"{code}.jsonl", output / kind / f"{code}.parquet"
        if kind == "walls":
            made = walls_table(run.walls[code])
        elif lines.is_file():
            whole = pa.json.ReadOptions(use_threads=False, block_size=1 << 28)
            try:
                with lines.open("rb") as source:
                    made = pa.json.read_json(source, read_options=whole)
            except PARQUET_ERRORS as error:
                raise DamagedInputError(f"{lines}: expected rows of {kind}, saw {error}") from error
        elif table_metadata(table) == about:
            yield f"{kind}/{code}.parquet", table.read_bytes()
            continue
        else:
            with table.open("rb") as source, open_parquet(source, str(table)) as file:
                made = file.read().replace_schema_metadata(None)
        yield f"{kind}/{code}.parquet", test_cases.parquet_bytes(made, about)
    for code, paths in run.names.items():
        for path in paths:
            yield f"names/{code}/{path.name}", path.read_bytes()
    # Tasks for evaluation harnesses, the page, and the texts about the whole set.
    yield from ((name, text.encode()) for name, text in card.harness_files(facts))
    filled = {language.code: run.groups[language.code] for language in facts.filled}
    yield from browse_files(facts, replace(run, groups=filled), cases)
    yield "recipe.toml", card.toml_text(facts.recipe).encode()
    yield "LICENSE", card.write_text("LICENSE", facts).encode()
    yield "CITATION.cff", card.fill("CITATION.cff", facts=facts).encode()
    yield "croissant.json", card.croissant_json(facts)


class _Answer(msgspec.Struct):
    model: str
    language: str
    qid: str = msgspec.field(name="class")
    outlier: str
    position: float
    right: bool


def browse_files(
    facts: metadata.ReleaseFacts, run: RunFiles, cases: Sequence[Path] = ()
) -> Iterator[tuple[str, bytes]]:
    """Yield the path and the bytes of every file of the page that shows a run: the page, and a script of each language.

    ``cases`` are files of models' answers, whose scores are shown beside the groups. index.html is last, so that there
    is never a page without its data.
    """
    # Each language; ``english`` are the classes that have an English label alone.
    scored, stages = _scores_of(run.groups, cases), run.manifest.stages
    labels = labels_of_classes(str(run.output), chain.from_iterable(run.groups.values()))
    languages = list[BrowseLanguage]()
    for code, groups in run.groups.items():
        english = frozenset(stages[unit].english_labels if (unit := f"groups/{code}") in stages else ())
        rejections, walls = run.rejections.get(code, ()), run.walls.get(code, ())
        languages.append(BrowseLanguage(code, groups, rejections, scored[code], english, walls, labels.get(code, {})))
    # The whole set: its recipe, seed, versions of software, and dumps.
    about_set = {"recipe": str(facts.recipe.get("name", "")), "seed": str(facts.seed)}
    about_set |= dict(sorted(facts.versions.items()))
    about_set |= {card.source_kind(language, facts): source.name for language, source in facts.sources}
    for language in languages:
        yield f"data/{language.code}.js", language_script(language)
    names = {code: WIKIPEDIAS[wiki].name for code in run.groups if (wiki := wiki_of(code)) and wiki in WIKIPEDIAS}
    yield "data/index.js", index_script({"name": facts.name, "facts": about_set}, languages, names)
    yield "index.html", browse_page(facts.name, card.TEXTS["made_up"] if facts.made_up else "")


def _scores_of(
    groups: Mapping[str, Sequence[Group]], paths: Sequence[Path]
) -> dict[str, dict[str, dict[int, PageScore]]]:
    """Average models' answers to each group, in percent: by language, model and item number of the group's class.

    ``paths`` are files of answers; those to other groups are passed over. MissingInputError for a file with no other.
    """
    known = {(code, group.qid) for code, of_language in groups.items() for group in of_language}
    scores: dict[str, dict[str, dict[int, PageScore]]] = {code: {} for code in groups}
    wanted = "an answer that wikisem evaluate outliers --cases writes"
    for path in paths:
        if not path.is_file():
            raise MissingInputError(f"expected a file of answers, saw nothing at {path}")
        answers: defaultdict[tuple[str, str, str], list[_Answer]] = defaultdict(list)
        for number, line in enumerate(path.read_bytes().splitlines(), start=1):
            answer = decode_json(line, _Answer, f"{path}:{number}", wanted)
            if (answer.language, answer.qid) in known:
                answers[answer.language, answer.model, answer.qid].append(answer)
        if not answers:
            raise MissingInputError(f"{path}: expected answers to groups of this run, saw none")
        for (language, model, qid), of_group in answers.items():
            opp = 100 * fmean(answer.position for answer in of_group)  # the outlier position percentage
            accuracy = 100 * fmean(answer.right for answer in of_group)
            found = {answer.outlier: answer.right for answer in of_group}
            scores[language].setdefault(model, {})[qid_number(qid)] = PageScore(opp, accuracy, found)
    return scores


def _run_release(arguments: argparse.Namespace) -> int:
    """Make a folder to publish from the groups of a run: a data set that people load, browse and score with one line.

    FOLDER gets a data set card, the recipe, Parquet files of groups and of test cases for each language,
    croissant.json, tasks for lm-evaluation-harness, inspect-ai and EuroEval, LICENSE and CITATION.cff. wikisem uploads
    nothing: the last lines are the commands that do, except for a set made from the demo's dumps, which is not for
    publication.
    """
    folder, name = arguments.output, arguments.repository or "OWNER/NAME"
    if not arguments.maintainer and sys.stdin.isatty():
        arguments.maintainer = input("the maintainer, who answers for the set (empty for none): ")
    taken = ("maintainer", "contact", "repository", "scores", "cases", "since", "held", "open_held")
    given = {name: value for name in taken if (value := getattr(arguments, name))}
    facts = release(arguments.run, folder, **given)
    languages = f"{len(facts.filled)} language{'s' * (len(facts.filled) != 1)}"
    if facts.made_up:
        print_line(card.TEXTS["made_up"])
    print_line(f"{facts.name} {facts.version}: {facts.cases:,} test cases in {languages}")
    if facts.shots:
        shots, tests = sum(facts.shots.values()), sum(test for test, _ in facts.split.values())
        print_line(f"for language models: {shots} few-shot and {tests:,} test cases that share nothing")
    if not facts.maker.name:
        print_notes(["the card and the citation name no maintainer: add --maintainer and --contact"])
    if arguments.held and facts.held:
        print_line(f"held back, not to be published: {facts.held.cases:,} test cases in {held_place(folder)}")
    if not facts.made_up:
        print_line(f"to publish it: hf repos create {name} --repo-type dataset")
        print_line(f"               hf upload {name} {folder} --repo-type dataset")
    print_line(f"output: {folder}")
    return 0


def _run_sample(arguments: argparse.Namespace) -> int:
    """Write the set that comes with wikisem, a release of real items in 17 languages, without a dump or a network.

    FOLDER gets what `wikisem release` writes: a card, tables, a page, tasks for harnesses. All commands that read a
    release also take the set by its name, "sample", without any folder. It is small: the card says what it is good for.
    """
    facts, folder = sample(arguments.folder), arguments.folder
    print_line(f"{facts.cases:,} test cases in {len(facts.filled)} languages")
    print_line("groups: " + ", ".join(f"{language.code} {language.groups}" for language in facts.filled))
    print_line(f"next: wikisem show {folder} capital --language en")
    print_line(f"      wikisem evaluate outliers {folder} --languages en --vectors characters:3")
    print_line(f"open in a browser: {folder}/index.html")
    print_line(f"output: {folder}")
    return 0


def _run_browse(arguments: argparse.Namespace) -> int:
    """Write a page to browse the groups of a run or release: plain HTML that works from disk and without a network.

    OUT/browse/index.html has an overview of all languages, every group as a card, rejected classes with their reasons,
    a class in all its languages side by side, walls and a quiz. --cases adds the scores of models on each group.
    """
    print_line(f"open in a browser: {browse(arguments.run, arguments.output, cases=arguments.cases)}")
    return 0


COMMANDS: Final[Mapping[str, cli.Command]] = {
    "release": ({"--maintainer": {"default": ""}, "--repository": {"convert": hub_name}}, _run_release),
    "sample": ({"folder": {"convert": lambda text: path_of(cli.folder(text))}}, _run_sample),
    "browse": ({}, _run_browse),
}
