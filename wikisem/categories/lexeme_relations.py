"""Recipes of relations between words: a swap of grammatical features within a lexeme, or a derivation between two."""

from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from wikisem.errors import RecipeError
from wikisem.recipes.shipped import read_toml

SHIPPED: Final = Path(__file__).with_name("lexeme_relations.toml")

_Qid = Annotated[str, msgspec.Meta(pattern=r"^Q[1-9][0-9]*$")]
_Qids = Annotated[tuple[_Qid, ...], msgspec.Meta(min_length=1)]


class Swap(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The features that form a has, and those that form b has in their place."""

    from_: _Qids = msgspec.field(name="from")
    to: _Qids


class Derivation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A lexeme is made from another: *teacher* from *teach*.

    ``by`` are the properties that say so. ``base`` are the lexical categories of the lexeme it is made from, and
    ``types`` what the made one is an instance of or has as its lexical category; any, if there are none.
    """

    by: Annotated[tuple[Literal["P5191", "P5238"], ...], msgspec.Meta(min_length=1)] = ("P5191", "P5238")
    base: tuple[_Qid, ...] = ()
    types: tuple[_Qid, ...] = ()


class LexemeRelation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A named relation: swaps in their order, or a derivation.

    ``categories`` are the lexical categories that it holds in, of a derivation those of the lexeme that is made from
    another; any, if there are none.
    """

    name: Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9-]+$")]
    swaps: tuple[Swap, ...] = ()
    derivation: Derivation | None = None
    categories: tuple[_Qid, ...] = ()


class _RelationFile(msgspec.Struct, forbid_unknown_fields=True):
    relation: Annotated[tuple[LexemeRelation, ...], msgspec.Meta(min_length=1)]


def load_relations(path: Path = SHIPPED) -> tuple[LexemeRelation, ...]:
    """The relations of a TOML file; RecipeError names what is wrong with it."""
    try:
        relations = msgspec.convert(read_toml(path), _RelationFile).relation
    except (FileNotFoundError, IsADirectoryError) as error:
        raise RecipeError(f"expected a recipe of lexeme relations, saw no file at {path}") from error
    except msgspec.ValidationError as error:
        raise RecipeError(f"{path}: expected [[relation]] tables with a name, saw {error}") from error
    for relation in relations:
        if bool(relation.swaps) == (relation.derivation is not None):
            raise RecipeError(f"{path}: relation {relation.name}: expected either swaps or a derivation")
    names = [relation.name for relation in relations]
    if len(set(names)) != len(names):
        raise RecipeError(f"{path}: expected names that differ, saw {', '.join(sorted(names))}")
    return relations
