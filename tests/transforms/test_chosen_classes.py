"""The classes that a recipe names: which of them give groups, and the errors for names of no class, or of several."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.transforms.test_groups import SMALL, small_world
from tests.transforms.world_of_groups import bare, by_label, read_built, run_stages
from wikisem.errors import RecipeError
from wikisem.layout import Scratch
from wikisem.recipes.load import parse_recipe
from wikisem.recipes.options import ClassOptions, ClusterOptions
from wikisem.records import Entity
from wikisem.transforms.groups.shared_files import chosen_classes

# Class n is below class n // 2. Two classes have the label "twin", one with instances; Q112 and Q113 have no label.
TWINS = [Entity("Q200", labels={"en": "Twin"}), Entity("Q109", subclass_of=("Q104",), labels={"en": "twin"})]
ALL = SMALL.__class__("all", graph=SMALL.graph, cluster=ClusterOptions(max_groups=0))


def world() -> list[Entity]:
    """The small world with two classes of one label."""
    child = Entity("Q1500", ("Q200",), sitelinks=3)
    return [*(entity for entity in small_world() if entity.qid != "Q109"), *TWINS, child]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build of every class."""
    root = tmp_path_factory.mktemp("every")
    run_stages(root, world(), {"en": by_label(world(), "en")}, ALL)
    return root


def chosen(root: Path, options: ClassOptions) -> set[int] | None:
    """The classes without their hundred."""
    found = chosen_classes(str(root / "entities"), Scratch(str(root / "taxonomy")).finished, options)
    return None if found is None else {int(number) - 100 for number in found}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (ClassOptions(), None),
        (ClassOptions(include=("Q104", "class 6")), {4, 6}),
        (ClassOptions(include_below=("Class 2",)), {2, 4, 5, 8, 9, 10, 11}),
        (ClassOptions(include=("Q103",), include_below=("Q104",)), {3, 4, 8, 9}),
        (ClassOptions(include_below=("class 2",), exclude=("Q105",), exclude_below=("class 4",)), {2, 10, 11}),
        (ClassOptions(include=("Q104",), exclude=("class 4",)), set()),
        (ClassOptions(exclude_below=("Q101",)), {0, 12, 13, 100}),
    ],
)
def test_classes_are_chosen_by_number_by_label_and_with_all_below_them(
    options: ClassOptions, expected: set[int] | None, built: Path
) -> None:
    """Labels in any case, also under ``mul``; what is excluded is not included; nothing named is everything."""
    assert chosen(built, options) == expected


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            ClassOptions(include=("clas 7",)),
            "the label in 'en' of one class, saw 'clas 7'; did you mean class 7 (Q107, instances: 9), ",
        ),
        (
            ClassOptions(exclude_below=("twin",)),
            "saw 'twin', the label of twin (Q109, instances: 9), Twin (Q200, instances: 1); write the QID",
        ),
        (ClassOptions(exclude=("Q999",)), "classes.exclude: expected a class of the class graph, saw Q999"),
        (ClassOptions(include=("xyz",)), "or the label in 'en' of one class, saw 'xyz'"),
    ],
)
def test_names_of_no_class_and_of_several_are_said_with_those_that_may_be_meant(
    options: ClassOptions, told: str, built: Path
) -> None:
    """With the key of the recipe, labels, QIDs and how many instances each has."""
    with pytest.raises(RecipeError, match=re.escape(told)):
        chosen(built, options)


def test_groups_are_those_of_the_chosen_classes_as_they_are_without_a_choice(built: Path, tmp_path: Path) -> None:
    """Outliers come from every class; a class that is not chosen is neither a group nor a rejection."""
    recipe = replace(ALL, classes=ClassOptions(include_below=("class 4",), exclude=("Q108",)))
    every = bare(read_built(Path(Scratch(str(built / "made")).finished), "en"))
    done, counts = run_stages(tmp_path, world(), {"en": by_label(world(), "en")}, recipe)
    groups, rejected = bare(read_built(done, "en"))
    assert groups == [group for group in every[0] if group.qid in {"Q104", "Q109"}]
    assert rejected == [each for each in every[1] if each[0] in {"Q104", "Q109"}]
    assert {group.qid for group in groups} == {"Q104", "Q109"}
    assert counts["en"].read == 2


def test_a_recipe_names_classes_in_lists() -> None:
    """Empty names and unknown languages are refused when it is read."""
    recipe = parse_recipe({"name": "mine", "classes": {"include_below": ["city", "Q6256"], "language": "de"}})
    assert recipe.classes == ClassOptions(include_below=("city", "Q6256"), language="de")
    with pytest.raises(RecipeError, match="classes: expected QIDs and labels that are not empty"):
        parse_recipe({"name": "mine", "classes": {"include": [" "]}})
    with pytest.raises(RecipeError, match=r"classes\.language: expected"):
        parse_recipe({"name": "mine", "classes": {"language": "xx-unknown"}})
