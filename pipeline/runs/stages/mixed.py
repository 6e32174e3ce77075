"""Mixed groups, made from the parallel groups of several languages once these are finished."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from wikisem.errors import RecipeError
from wikisem.heuristics.selection.mixed import mix_groups, mixed_code
from wikisem.layout import GROUPS, group_leaves, unit_of
from wikisem.outputs.groupfile import group_folders, read_groups
from wikisem.pipeline.runs.stage_runner import Folders, Stage, Unit, UnitResult
from wikisem.pipeline.runs.stages.groups import no_groups
from wikisem.recipes.options import Recipe
from wikisem.records import Counts, Group, Rejection
from wikisem.transforms.groups.shared_files import write_groups
from wikisem.transforms.io.runtime import StageContext

NAME: Final = "mixed"
# Of the rules by which this stage works and of the form of its files: raise it with any change to what it leaves.
VERSION: Final = 6


def mixed(languages: Sequence[str], recipe: Recipe) -> list[Stage]:
    """The stage that mixes the recipe's languages, if it names any.

    RecipeError for a language that the run does not have, before anything runs.
    """
    if not recipe.mixed:
        return []
    if missing := [language for language in recipe.mixed if language not in languages]:
        raise RecipeError(f"mixed: expected languages of the run ({', '.join(languages)}), saw {', '.join(missing)}")
    code = mixed_code(recipe.mixed)

    def work(units: Sequence[str], folders: Folders, context: StageContext) -> Mapping[str, UnitResult]:
        (unit,), output = units, folders.run.output
        found = list(mix_groups({language: read_groups(output, language) for language in recipe.mixed}, recipe))
        kept = [one for one in found if isinstance(one, Group)]
        rejected = [one for one in found if isinstance(one, Rejection)]
        write_groups(context.scratch.finished, code, kept, rejected)
        reasons = Counter(one.reason for one in rejected)
        counts = Counts(len(found), len(kept), dict(sorted(reasons.items())))
        warning = no_groups(output, code, counts, f"no class has a group in any of {', '.join(recipe.mixed)}")
        return {unit: UnitResult(counts, {"cases": sum(len(group.outliers) for group in kept)}, warning)}

    unit = Unit(
        unit_of(GROUPS, code),
        options={"mixed": list(recipe.mixed), "seed": recipe.seed},
        needs=tuple(unit_of(GROUPS, language) for language in recipe.mixed),
        leaves=(*group_leaves(code), *group_folders(code)),
        version=VERSION,
    )
    return [Stage(NAME, [unit], work)]
