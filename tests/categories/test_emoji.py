"""Emoji by group, from lines of Unicode's list and from the installed one."""

import pytest

from wikisem.categories.language_sets import Emoji, SetSources, build_sets, installed_emoji, read_emoji
from wikisem.categories.recipe import Category, CategoryRecipe, CategorySource
from wikisem.errors import RecipeError

LINES = """
# group: Smileys & Emotion
# subgroup: face-smiling
1F600                                      ; fully-qualified     # 😀 E1.0 grinning face
263A                                       ; unqualified         # ☺ E0.6 smiling face
# subgroup: heart
2764 FE0F 200D 1F525                       ; fully-qualified     # ❤️‍🔥 E13.1 heart on fire
2764 200D 1F525                            ; unqualified         # ❤‍🔥 E13.1 heart on fire
# group: People & Body
# subgroup: hand-fingers-open
1F44B                                      ; fully-qualified     # 👋 E0.6 waving hand
1F44B 1F3FB                                ; fully-qualified     # 👋🏻 E1.0 waving hand: light skin tone
# group: Component
# subgroup: skin-tone
1F3FB                                      ; component           # 🏻 E1.0 light skin tone
#EOF
"""


def test_only_whole_emoji_without_skin_tone_count() -> None:
    """Unqualified forms, components and skin tones are other writings of emoji that are there already."""
    assert read_emoji(LINES.splitlines()) == [
        Emoji("😀", "Smileys & Emotion", "face-smiling"),
        Emoji("❤️‍🔥", "Smileys & Emotion", "heart"),
        Emoji("👋", "People & Body", "hand-fingers-open"),
    ]


def test_groups_and_subgroups_go_by_their_names() -> None:
    """A group holds its subgroups; an unknown name is told the groups."""

    def labels(name: str) -> list[str]:
        recipe = CategoryRecipe("r", (Category("c", emoji=name),))
        (english,) = build_sets(recipe, ["en"], SetSources(closed, lambda: read_emoji(LINES.splitlines())))
        return [item.label for item in english.categories[0].items]

    def closed() -> CategorySource:
        raise AssertionError("a source was opened for emoji")

    assert labels("Smileys & Emotion") == ["😀", "❤️‍🔥"]
    assert labels("heart") == ["❤️‍🔥"]
    with pytest.raises(RecipeError, match=r"a group \(Smileys & Emotion, People & Body\) or a subgroup"):
        labels("Smileys")


def test_the_installed_list_is_unicodes() -> None:
    """The list that comes with wikisem[all] has Unicode's nine groups, and the emoji where they belong."""
    pytest.importorskip("nototools", reason="the emoji list comes with wikisem[all]")
    known = installed_emoji()
    assert len({one.group for one in known}) == 9
    assert Emoji("🦁", "Animals & Nature", "animal-mammal") in known
    assert len({one.text for one in known}) == len(known) > 1500
