"""Stage 5: groups in the languages that need them, and the files that people load."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace

from wikisem import __version__
from wikisem.outputs.group_formats import group_files, group_folders
from wikisem.outputs.groupfile import decode_group
from wikisem.pipeline.build.ledger import Record, Run, fingerprint, keep_rejects, reuse
from wikisem.pipeline.build.stages import mentions_of, require
from wikisem.recipes.options import Recipe
from wikisem.records import Counts
from wikisem.transforms.groups.stage import build_groups
from wikisem.transforms.io.files import create_binary, make_folder, match, open_binary, remove, rename
from wikisem.transforms.io.runtime import StageContext
from wikisem.transforms.io.scratch import Scratch


def groups(run: Run, languages: Sequence[str], recipe: Recipe, seed: int) -> dict[str, Record]:
    """The groups of every language; those that are finished already are left as they are."""
    prints = {language: _print(run, language, languages, recipe, seed) for language in languages}
    found = {language: run.state.find(f"groups/{language}") for language in languages}
    records = {
        language: reuse(run, old)
        for language, old in found.items()
        if old is not None and old.fingerprint == prints[language]
    }
    missing = [language for language in languages if language not in records]
    # Shared outliers are chosen over all languages at once: none of them can be made alone.
    todo = list(languages) if missing and recipe.outliers.shared else missing
    if todo:
        records |= _build(run, todo, recipe, seed, prints)
    return {language: records[language] for language in languages}


def _print(run: Run, language: str, languages: Sequence[str], recipe: Recipe, seed: int) -> str:
    needed = sorted(languages) if recipe.outliers.shared else [language]
    return fingerprint(
        version=__version__,
        taxonomy=require(run, "taxonomy").fingerprint,
        surfaces=[require(run, f"surfaces/{code}").fingerprint for code in needed],
        siteinfo=[mentions.fingerprint for mentions in mentions_of(run, needed).values()],
        options=[asdict(recipe.cluster), asdict(recipe.outliers), asdict(recipe.filters)],
        seed=seed,
    )


def _build(
    run: Run, languages: Sequence[str], recipe: Recipe, seed: int, prints: Mapping[str, str]
) -> dict[str, Record]:
    for language in languages:
        run.state.forget(f"groups/{language}")
    scratch = run.scratch("groups")
    counts = build_groups(
        f"{run.output}/entities",
        f"{run.output}/taxonomy",
        {language: f"{run.output}/surfaces/{language}" for language in languages},
        _siteinfo_paths(run, languages),
        replace(recipe, seed=seed),
        StageContext(scratch, run.runtime),
    )
    keep_rejects(run, "groups", scratch, Counts())
    records = {language: _promote(run, scratch, language, prints[language], counts[language]) for language in languages}
    remove(scratch.root)
    return records


def _siteinfo_paths(run: Run, languages: Sequence[str]) -> dict[str, str]:
    """What the wiki of each language says of itself, where its surfaces were made from links."""
    units = {language: mentions.unit for language, mentions in mentions_of(run, languages).items()}
    return {language: match([f"{run.output}/{unit}/siteinfo.json"])[0] for language, unit in units.items()}


def _promote(run: Run, scratch: Scratch, language: str, print_: str, counts: Counts) -> Record:
    counts.check(f"groups/{language}")
    cases = _write_texts(scratch.published, language)
    names = [f"groups/{language}.jsonl", f"groups/{language}.parquet", f"rejected/{language}.jsonl"]
    for name in [*names, *group_folders(language)]:
        remove(f"{run.output}/{name}")
        rename(f"{scratch.published}/{name}", f"{run.output}/{name}")
    record = Record(f"groups/{language}", print_, counts, {"cases": cases})
    run.state.put(record)
    if not counts.kept:
        run.log(f"warning: no group in {language}; {run.output}/rejected/{language}.jsonl says why")
    return record


def _write_texts(folder: str, language: str) -> int:
    """Write the files of single groups beside the groups, and return the number of test cases."""
    for name in group_folders(language):
        make_folder(f"{folder}/{name}")
    cases = 0
    with open_binary(f"{folder}/groups/{language}.jsonl") as source:
        lines = source.read().splitlines()
    for group in map(decode_group, lines):
        cases += len(group.outliers)
        for path, data in group_files(group):
            with create_binary(f"{folder}/{path}") as sink:
                sink.write(data)
    return cases
