"""The pipeline in the public API: a build that prints nothing."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath

from wikisem.errors import OutputError, UsageError, WikisemError
from wikisem.files import absolute
from wikisem.pipeline.command_options import folder
from wikisem.pipeline.runs.inputs import find_dump, find_wikidata, read_named
from wikisem.pipeline.runs.ledger import Record
from wikisem.pipeline.runs.run import Run, absolute_setup_file, with_workers
from wikisem.pipeline.runs.stages import BuildOptions, choose_languages, run_build
from wikisem.recipes.load import load_recipe
from wikisem.recipes.options import Recipe
from wikisem.transforms.io.runtime import Runtime
from wikisem.wikidata.line_types import DEFAULT_PROPERTIES
from wikisem.wikis import known_language

Path = str | PathLike[str]


@dataclass(frozen=True, slots=True)
class LanguageResult:
    """The results in one language: how many groups, test cases, and classes without a group, these by reason."""

    groups: int
    cases: int
    rejected: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class BuildResult:
    """The results of a build.

    ``output`` is its folder or URL. ``languages`` has, by code, the numbers of ``groups`` and test ``cases``, and of
    the classes ``rejected``, by reason. ``units`` has the record of each unit of work, such as "entities" or
    "mentions/de", with its ``counts``: records read, kept, left out and unreadable.
    """

    output: str
    recipe: Recipe
    languages: Mapping[str, LanguageResult]
    units: Mapping[str, Record]


def build(
    recipe: Recipe | Path,
    *,
    wikidata: Path | Sequence[Path],
    wikipedia: Mapping[str, Path | Sequence[Path]],
    output: Path,
    languages: Sequence[str] | None = None,
    profiles: Mapping[str, Path] | None = None,
    workers: int | None = None,
    beam_options: Sequence[str] = (),
    break_lock: bool = False,
) -> BuildResult:
    """Make test groups from dumps, as ``wikisem build`` does: run the stages that are not finished, write the manifest.

    ``recipe`` is a Recipe, a path, or the name of a recipe that ships with wikisem. ``wikidata`` is a dump, and
    ``wikipedia`` has one for each language: a file, a glob or a URL, or a list of them for a dump in parts. In place of
    its dump, ``wikidata`` can be folders of public Parquet tables.
    ``languages`` are by default those of ``wikipedia``, or else the recipe's. ``profiles`` are profile files by
    language. ``workers`` is the number of local processes, by default one for each core, and one for dumps of less than
    64 MiB. ``beam_options`` are options of Apache Beam, such as "--runner=DataflowRunner". ``break_lock`` starts even
    though another run seems to be at work in ``output``.

    Raises errors of ``wikisem.errors``, among them TooManyUnreadableError, StageError and LockError.
    """
    loaded = recipe if isinstance(recipe, Recipe) else load_recipe(fspath(recipe))
    target = absolute(folder(fspath(output)))
    if workers is not None and workers < 1:
        raise UsageError(f"workers: expected a whole number from 1 up, saw {workers}")
    runtime = Runtime(absolute_setup_file(beam_options))
    runtime.configure_file_systems()
    if isinstance(languages, str):
        raise UsageError(f"languages: expected a list such as ['en', 'de'], saw {languages!r}")
    wikipedias = {
        known_language(code): find_dump(_paths(paths), checksum=False) for code, paths in sorted(wikipedia.items())
    }
    chosen = choose_languages(languages, list(wikipedias), loaded)
    for code in chosen:
        known_language(code)
    options = BuildOptions(
        recipe=loaded,
        languages=chosen,
        wikidata=find_wikidata(_paths(wikidata), checksum=False),
        wikipedia=wikipedias,
        properties=DEFAULT_PROPERTIES,
        profiles=read_named([f"{code}={fspath(path)}" for code, path in sorted((profiles or {}).items())]),
    )
    run = Run(target, runtime, break_lock=break_lock)
    try:
        records = run_build(options, with_workers(run, workers, options.wikidata, *wikipedias.values()))
    except WikisemError:
        raise
    except OSError as error:
        raise OutputError(f"expected to read and write files, saw {error}") from error
    units = {record.unit: record for record in records}
    results = {}
    for code in chosen:
        groups = units[f"groups/{code}"]
        results[code] = LanguageResult(groups.counts.kept, int(groups.facts["cases"]), dict(groups.counts.left_out))
    return BuildResult(run.output, loaded, results, units)


def _paths(paths: Path | Sequence[Path]) -> list[str]:
    return [fspath(paths)] if isinstance(paths, str | PathLike) else [fspath(path) for path in paths]
