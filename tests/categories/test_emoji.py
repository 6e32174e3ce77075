"""Emoji by group, from lines of Unicode's list and from the installed one."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from wikisem.categories import language_sets
from wikisem.categories.language_sets import Emoji, SetSources, build_sets, installed_emoji
from wikisem.categories.recipe import Category, CategoryRecipe, CategorySource
from wikisem.errors import DamagedInputError, RecipeError

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


@pytest.fixture
def listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of an installed list that has those lines."""
    path = tmp_path / "emoji-test.txt"
    path.write_text(LINES, encoding="utf-8")
    monkeypatch.setattr(language_sets, "distribution", lambda _: SimpleNamespace(locate_file=lambda _: path))
    return path


@pytest.mark.usefixtures("listed")
def test_only_whole_emoji_without_skin_tone_count() -> None:
    """Unqualified forms, components and skin tones are other writings of emoji that are there already."""
    assert installed_emoji() == [
        Emoji("😀", "Smileys & Emotion", "face-smiling"),
        Emoji("❤️‍🔥", "Smileys & Emotion", "heart"),
        Emoji("👋", "People & Body", "hand-fingers-open"),
    ]


def test_a_list_without_emoji_is_damaged(listed: Path) -> None:
    """Its path is named."""
    listed.write_text("# group: Smileys & Emotion\n", encoding="utf-8")
    with pytest.raises(DamagedInputError, match=r"emoji-test\.txt: expected lines of emoji-test\.txt, saw no emoji"):
        installed_emoji()


@pytest.mark.usefixtures("listed")
def test_groups_and_subgroups_go_by_their_names() -> None:
    """A group holds its subgroups; an unknown name is told the groups."""

    def labels(name: str) -> list[str]:
        recipe = CategoryRecipe("r", (Category("c", emoji=name),))
        (english,) = build_sets(recipe, ["en"], SetSources(closed, installed_emoji))
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
