"""Mixed groups, made from the parallel groups of several languages once these are finished."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import pyarrow.parquet as pq

from wikisem.errors import RecipeError
from wikisem.heuristics.selection.mixed import mix_groups, mixed_code
from wikisem.outputs.group_formats import group_folders
from wikisem.outputs.groupfile import encode_group, encode_rejection, groups_table
from wikisem.pipeline.build.stage_runner import Folders, Stage, Unit, UnitResult
from wikisem.pipeline.build.stages.groups import STAGE, group_leaves, no_groups, read_groups, write_texts
from wikisem.recipes.options import Recipe
from wikisem.records import Counts, Group, Rejection
from wikisem.transforms.io.files import create_binary
from wikisem.transforms.io.runtime import StageContext

NAME: Final = "mixed"


def mixed(languages: Sequence[str], recipe: Recipe) -> list[Stage]:
    """The stage that mixes the recipe's languages; none where it names none.

    RecipeError for a language that the run does not have, before anything runs.
    """
    if not recipe.mixed:
        return []
    if missing := [language for language in recipe.mixed if language not in languages]:
        raise RecipeError(f"mixed: expected languages of the run ({', '.join(languages)}), saw {', '.join(missing)}")
    code = mixed_code(recipe.mixed)

    def work(units: Sequence[str], folders: Folders, context: StageContext) -> Mapping[str, UnitResult]:
        (unit,), output = units, folders.output
        found = list(mix_groups({language: read_groups(output, language) for language in recipe.mixed}, recipe))
        kept = [one for one in found if isinstance(one, Group)]
        rejected = [one for one in found if isinstance(one, Rejection)]
        _write(context.scratch.published, code, kept, rejected)
        reasons = Counter(one.reason for one in rejected)
        counts = Counts(len(found), len(kept), rejected=dict(sorted(reasons.items())))
        return {unit: UnitResult(counts, {"cases": write_texts(context, code)}, no_groups(output, code, counts))}

    unit = Unit(
        f"{STAGE}/{code}",
        options={"mixed": list(recipe.mixed), "seed": recipe.seed},
        needs=tuple(f"{STAGE}/{language}" for language in recipe.mixed),
        leaves=(*group_leaves(code), *group_folders(code)),
    )
    return [Stage(NAME, [unit], work)]


def _write(folder: str, code: str, groups: Sequence[Group], rejected: Sequence[Rejection]) -> None:
    """The three files that every language of a run has."""
    jsonl, parquet, rejections = group_leaves(code)
    lines = [encode_group(group) for group in groups]
    with create_binary(f"{folder}/{jsonl}") as sink:
        sink.write(b"".join(lines))
    with create_binary(f"{folder}/{parquet}") as sink:
        pq.write_table(groups_table(lines).combine_chunks(), sink, compression="zstd")
    with create_binary(f"{folder}/{rejections}") as sink:
        sink.write(b"".join(map(encode_rejection, rejected)))
