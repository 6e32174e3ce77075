"""`wikisem check`: what it prints, and its exit codes."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

import wikisem
from wikisem.outputs.groupfile import decode_group, encode_group, format_surface
from wikisem.pipeline.cli import main
from wikisem.records import Group, Member, Outlier

RELEASED_LIKE = {
    "en": ["actor", "lawyer", "physician", "New York Times", "teacher", "nurse", "judge", "baker"],
    "es": ["Madrid", "Barcelona", "Sevilla", "Zaragoza", "Bilbao", "Málaga", "Las Palmas de Gran Canaria"],
    "de": ["Donau", "Rhein", "Elbe", "Oder", "Weser", "Main", "Mosel", "Neckar"],
    "ja": ["東京都", "大阪府", "京都府", "北海道", "アテネ", "パリ", "ローマ", "北京"],
    "zh": ["狗", "猫", "马", "牛", "羊", "老虎", "狮子"],
}
# Like the one released German group that breaks a rule: scales of temperature (Q2394680).
SCALES = ["Kelvin", "Grad Celsius", "Grad Fahrenheit", "Réaumur-Skala", "Rankine-Skala", "Delisle-Skala", "Rømer-Skala"]


def write(folder: Path, qid: str, cluster: list[str], outliers: tuple[str, ...] = ("Jupiter", "C")) -> None:
    """Write a group in WikiSem500 text form."""
    folder.mkdir(exist_ok=True)
    lines = [*map(format_surface, cluster), "", *map(format_surface, outliers), ""]
    (folder / f"{qid}.txt").write_text("\n".join(lines), encoding="utf-8")


def line(language: str, *cluster: str) -> bytes:
    """A group as a JSON line."""
    members = tuple(
        Member(id=f"Q{at}", surface=surface, source="label", count=0, total=0, sitelinks=9)
        for at, surface in enumerate(cluster, 1)
    )
    return encode_group(
        Group(
            id="Q7",
            label="letter",
            language=language,
            cluster=members,
            outliers=(
                Outlier(
                    id="Q99", surface="sun", source="label", count=0, total=0, sitelinks=9, outlier_class=1, via="Q8"
                ),
            ),
        )
    )


@pytest.mark.parametrize("language", RELEASED_LIKE)
def test_groups_like_the_released_ones_pass(language: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing to list and exit code 0, in each of the five languages."""
    write(tmp_path, "Q1", RELEASED_LIKE[language])
    assert main(["check", str(tmp_path), "--language", language]) == 0
    assert capsys.readouterr().out == "groups: 1 checked, 0 break a rule\n"
    assert main(["check", str(tmp_path), "--language", language, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_coherence_and_margins_are_nothing_to_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Words alone are checked: the worst values of both change neither what is printed nor the exit code."""
    path, said = tmp_path / "groups.jsonl", []
    for cluster in (RELEASED_LIKE["de"], SCALES):
        plain = decode_group(line("de", *cluster))
        outliers = tuple(replace(one, margin=1.0) for one in plain.outliers)
        for group in (plain, replace(plain, coherence=0.0, outliers=outliers)):
            path.write_bytes(encode_group(group))
            said.append((main(["check", str(path), "--language", "de", "--json"]), capsys.readouterr().out))
    assert said[0] == said[1] == (0, "[]\n")
    assert said[2] == said[3]
    assert said[2][0] == 1


def test_json_lists_the_violations_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Group, rule and detail of each, in the order of the files; exit code 1."""
    write(tmp_path, "Q1", RELEASED_LIKE["de"])
    write(tmp_path, "Q2394680", SCALES)
    write(tmp_path, "Q9", RELEASED_LIKE["de"])
    assert main(["check", str(tmp_path), "--language", "de", "--json"]) == 1
    (violation,) = json.loads(capsys.readouterr().out)
    assert violation == {
        "group": "Q2394680",
        "rule": "affix",
        "detail": "4 share the last 6 characters '-Skala': Réaumur-Skala, Rankine-Skala, Delisle-Skala, Rømer-Skala",
        "label": "",
    }


def test_the_table_names_group_rule_and_detail(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """For people, with a last line that counts; what looks like markup in a surface stays as it is."""
    write(tmp_path, "Q7", ["[bold]", "a", "b", "vowel", "consonant", "digraph", "List of letters"])
    assert main(["check", str(tmp_path), "--language", "en"]) == 1
    out = capsys.readouterr().out
    assert all(word in out for word in ("Q7", "length-one", "stop-affix", "a, b"))
    assert out.endswith("groups: 1 checked, 1 break a rule\n")


def test_a_file_is_a_data_set_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One text file, under the name it has."""
    write(tmp_path, "Q2394680", SCALES)
    assert main(["check", str(tmp_path / "Q2394680.txt"), "--language", "de", "--json"]) == 1
    assert [row["group"] for row in json.loads(capsys.readouterr().out)] == ["Q2394680"]


def test_json_lines_of_other_languages_are_skipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A folder of groups in many languages can be checked language by language."""
    letters = ["a", "b", "c", "vowel", "consonant", "digraph", "accent"]
    (tmp_path / "en.jsonl").write_bytes(line("en", *RELEASED_LIKE["en"]))
    (tmp_path / "de.jsonl").write_bytes(line("de", *letters))
    assert main(["check", str(tmp_path), "--language", "en"]) == 0
    assert "groups: 1 checked" in capsys.readouterr().out
    assert main(["check", str(tmp_path), "--language", "de"]) == 1
    assert main(["check", str(tmp_path), "--language", "fr"]) == 1
    assert "expected groups in fr, saw groups in de, en" in capsys.readouterr().err


def test_another_recipe_changes_the_verdict(tmp_path: Path) -> None:
    """Filters that its recipe switches off break nothing."""
    recipe = tmp_path / "lenient.toml"
    recipe.write_text('name = "lenient"\n[filters]\naffix = false\n', encoding="utf-8")
    write(tmp_path / "set", "Q2394680", SCALES)
    assert main(["check", str(tmp_path / "set"), "--language", "de"]) == 1
    assert main(["check", str(tmp_path / "set"), "--language", "de", "--recipe", str(recipe)]) == 0


def test_a_profile_file_changes_the_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """That of the language, by the command and by the library; one for another language does nothing."""
    profile, data = tmp_path / "mine.toml", tmp_path / "set"
    profile.write_text('affix_length = 7\nlists = ["Donau"]\n', encoding="utf-8")
    write(data, "Q1", RELEASED_LIKE["de"])
    write(data, "Q2394680", SCALES)
    assert [one.rule for one in wikisem.check(data, "de")] == ["affix"]
    assert [(one.group, one.rule) for one in wikisem.check(data, "de", profile=profile)] == [("Q1", "stop-affix")]
    command = ["check", str(data), "--language", "de", "--json", "--profile"]
    for words, rule in (([f"de={profile}"], "stop-affix"), ([f"es={profile}"], "affix")):
        assert main([*command, *words]) == 1
        assert [row["rule"] for row in json.loads(capsys.readouterr().out)] == [rule]
    with pytest.raises(FileNotFoundError, match=r"expected a profile file, saw 'nowhere.toml'"):
        wikisem.check(data, "de", profile="nowhere.toml")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ([".", "--language", "de", "--profile", "de"], 2, "expected LANG=FILE such as de=de.toml, saw 'de'"),
        ([".", "--language", "de", "--profile", "de=nowhere.toml"], 1, "expected a profile file, saw 'nowhere.toml'"),
        (["nowhere", "--language", "de"], 1, "nowhere"),
        ([".", "--language", "../de"], 2, "expected a language code"),
        ([".", "--langauge", "de"], 2, "--language"),
        ([".", "--language", "de", "--", "--runner=x"], 2, "check runs no pipeline"),
        ([".", "--language", "de", "--recipe", "wikisem50"], 2, "wikisem500"),
    ],
)
def test_wrong_usage_ends_in_one_message(
    words: list[str], code: int, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No traceback: what was expected, what was seen, and the exit code of the mistake."""
    write(tmp_path, "Q1", RELEASED_LIKE["de"])
    words = [str(tmp_path) if word == "." else word for word in words]
    assert main(["check", *words]) == code
    assert message in capsys.readouterr().err
