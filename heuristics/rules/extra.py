"""Further rules on a cluster, beyond those of the paper: off unless a recipe names them in ``filters.extra``.

To add one, write a function from surface forms and a language profile to a verdict, and name it in ``EXTRA_RULES``
(docs/architecture.md shows one in full).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from wikisem.errors import RecipeError
from wikisem.heuristics.rules.verdict import Verdict
from wikisem.wikipedia.languages import LanguageProfile

Rule = Callable[[Sequence[str], LanguageProfile], Verdict]

# Name in a recipe -> rule. The verdict's reason is the same name.
EXTRA_RULES: Final[Mapping[str, Rule]] = {}


def extra_rules(names: Sequence[str]) -> list[Rule]:
    """The rules of these names, in their order; RecipeError for a name that no rule has."""
    for name in names:
        if name not in EXTRA_RULES:
            known = ", ".join(EXTRA_RULES) or "none"
            raise RecipeError(f"filters.extra: expected names of further rules (known: {known}), saw {name!r}")
    return [EXTRA_RULES[name] for name in names]
