"""One build over all real dumps and both files of items, in every language that they have labels in."""

import gzip
import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.trees import lines_of, manifest_of
from wikisem.pipeline.cli import main
from wikisem.transforms.mentions import read_link_letters
from wikisem.wikipedia.languages import language_profile
from wikisem.wikipedia.learning import KEYS, Evidence, find_profile, read_profile_file
from wikisem.wikis import known_language

pytestmark = [pytest.mark.slow, pytest.mark.realdata]

ITEMS = ("real-entities", "class-graph-slice")
# How words are parted, by their dumps: docs/languages.md.
DUMPS = {
    **dict.fromkeys(["de", "es", "ltg", "ru", "tr"], "spaced"),
    **dict.fromkeys(["ar", "he"], "clitics"),
    **dict.fromkeys(["ja", "th", "zh"], "unspaced"),
    "ko": "particles",
}
RECIPE = """\
name = "every-language"
base = "wikisem"
[surface]
fallback = "label"
minimum_count = 1
[outliers]
min_sitelinks = 0
"""


def label_codes(data: Path) -> list[str]:
    """Every code that an item has a label under."""
    codes: set[str] = set()
    for name in ITEMS:
        with gzip.open(data / "wikidata" / f"{name}.json.gz", "rt", encoding="utf-8") as lines:
            for text in (line.strip().rstrip(",") for line in lines):
                codes.update((json.loads(text).get("labels") or {}) if len(text) > 2 else ())
    return sorted(codes - {"mul"})


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, realdata: Path) -> Path:
    """The build: about 45 seconds of a core."""
    folder = tmp_path_factory.mktemp("every-language")
    (folder / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    dumps = {code: realdata / "wikipedia" / f"minidump-{code}.xml.bz2" for code in DUMPS}
    dumps["ltg"] = realdata / "wikipedia" / "ltgwiki-20170901-pages-articles.xml.bz2"
    words = ["build", str(folder / "recipe.toml"), "--output", str(folder / "out"), "--wikidata"]
    words += [str(realdata / "wikidata" / f"{name}.json.gz") for name in ITEMS]
    words += ["--wikipedia", *(f"{code}={path}" for code, path in dumps.items())]
    assert main([*words, "--languages", ",".join(label_codes(realdata))]) == 0
    return folder / "out"


@pytest.fixture(scope="module")
def profiles(built: Path) -> dict[str, dict[str, Any]]:
    """The values of each language's profile file, with its sources and support."""
    found = {}
    for path in sorted((built / "languages").glob("*.toml")):
        file = read_profile_file(path.read_text(encoding="utf-8"), str(path))
        assert file.values().keys() == set(KEYS)
        found[path.stem] = {**file.values(), "source": file.source, "support": file.support}
    return found


def test_every_code_of_a_label_is_a_language(realdata: Path, profiles: dict[str, dict[str, Any]]) -> None:
    """All of them are known, and each has a profile."""
    codes = label_codes(realdata)
    assert [known_language(code) for code in codes] == codes == sorted(profiles)
    assert len(codes) > 340


def test_no_finding_contradicts_a_row_or_a_script(profiles: dict[str, dict[str, Any]]) -> None:
    """Whether there are spaces, in each language; what a row or a table says is what is used."""
    for code, found in profiles.items():
        known = language_profile(code)
        assert (found["writing"] != "unspaced") == known.spaced, code
        assert (found["affix"], found["length_one"]) == (known.affix, known.length_one), code
        assert set(found["lists"]) >= set(known.lists), code
    sources = Counter(found["source"]["script"] for found in profiles.values())
    assert sources["table"] > 130


def test_what_dumps_show_agrees_with_the_table_in_the_docs(built: Path, profiles: dict[str, dict[str, Any]]) -> None:
    """How words are parted in eleven languages; every learned letter of a trail is in MediaWiki's own."""
    assert {code: profiles[code]["writing"] for code in DUMPS} == DUMPS
    learned = 0
    for code, writing in DUMPS.items():
        links = read_link_letters(str(next((built / "mentions" / code).iterdir())))
        assert links.links >= 100
        if writing in ("spaced", "clitics"):
            trail = find_profile("xx", evidence=Evidence(replace(links, before=0))).profile.link_trail
            letters = re.findall(r"\w", trail.replace("a-z", ""))
            assert all(re.fullmatch(profiles[code]["link_trail"], letter) for letter in letters), code
            learned += len(letters)
    assert learned >= 5


def test_dumps_that_say_they_are_of_another_wiki_are_warned_of(built: Path) -> None:
    """All ten samples say enwiki; the language that was named wins."""
    stages = manifest_of(built)["stages"]
    warned = {name.removeprefix("mentions/") for name, stage in stages.items() if "warning" in stage}
    assert warned == DUMPS.keys() - {"ltg"}
    assert "saw one of enwiki, which is taken for ko" in stages["mentions/ko"]["warning"]


def test_many_languages_have_groups_and_the_others_say_why_not(
    built: Path, profiles: dict[str, dict[str, Any]]
) -> None:
    """Where no class passed, the rejections are there, or there are not seven labels."""
    groups = {code: lines_of(built / f"groups/{code}.jsonl") for code in profiles}
    # 164 of 346: few classes of 770 items exclude each other, so certificates leave fewer than the 260 of rules on kin.
    assert sum(map(bool, groups.values())) > 150
    rejected = {code: lines_of(built / f"rejected/{code}.jsonl") for code in profiles}
    silent = [code for code in profiles if not groups[code] and not rejected[code]]
    stages = manifest_of(built)["stages"]
    assert all(stages[f"surfaces/{code}"]["kept"] < 50 for code in silent)
