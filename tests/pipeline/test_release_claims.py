"""Every sentence of a release against the run that it is of: five runs of very different recipes and dumps.

``check_claims`` knows nothing of a run but its manifest and its groups: what these do not have, no file may say.
"""

import json
import re
import shutil
import tomllib
import unicodedata
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.outputs.release.world import make_group, write_run
from wikisem.outputs.groupfile import encode_group, read_groups
from wikisem.outputs.release.card import toml_text
from wikisem.outputs.release.cases import case_id
from wikisem.pipeline.cli import main
from wikisem.pipeline.demo import SampleDumps
from wikisem.recipes.load import load_recipe, parse_recipe
from wikisem.recipes.options import ClassOptions

# NeurIPS asks for these (https://neurips.cc/Conferences/2026/EvaluationsDatasetsHosting).
RESPONSIBLE = (
    "rai:dataLimitations",
    "rai:dataBiases",
    "rai:personalSensitiveInformation",
    "rai:dataUseCases",
    "rai:dataSocialImpact",
    "rai:hasSyntheticData",
    "prov:wasDerivedFrom",
    "prov:wasGeneratedBy",
)
NAMES = {"anchor": "anchors of links in Wikipedia", "label": "labels in Wikidata", "title": "titles of pages"}


def released(run: Path, folder: Path, *options: str) -> dict[str, str]:
    """The texts of the release of a run, by the names of their files."""
    assert main(["release", str(run), "--output", str(folder), *options]) == 0
    names = ("README.md", "LICENSE", "CITATION.cff", "croissant.json", "recipe.toml")
    return {name: (folder / name).read_text(encoding="utf-8") for name in names}


def check_claims(run: Path, texts: dict[str, str]) -> None:
    """What the texts say of words, sizes, dumps, licence and recipe is what the run has, and nothing else."""
    manifest: dict[str, Any] = json.loads((run / "manifest.json").read_bytes())
    groups = read_groups(run)
    members = [(group, one) for group in groups for one in (*group.cluster, *group.outliers)]
    card, croissant = texts["README.md"], json.loads(texts["croissant.json"])
    # Where the words are from.
    sources = Counter(one.source for _, one in members)
    for source, name in NAMES.items():
        said = f"{100 * sources[source] / sources.total():.1f} % are {name}"
        if len(sources) == 1:
            said = f"All words are {name}."
        for text in (card, croissant["description"], texts["CITATION.cff"]):
            assert (said in text) == (source in sources), said
            assert (name in text) == (source in sources), name
    linked = {one.language or group.language for group, one in members if one.source == "anchor"}
    stages = manifest["stages"]
    dumps = {unit.partition("/")[2]: each["inputs"] for unit, each in stages.items() if each.get("inputs")}
    assert ("No Wikipedia was read." in card) == (set(dumps) <= {""})
    for code in linked:
        names = ", ".join(one["path"].rpartition("/")[2] for one in dumps[code])
        assert f"- https://{code}.wikipedia.org/ ({names})" in texts["LICENSE"]
    assert texts["LICENSE"].count(".wikipedia.org/") == len(linked)
    licence = "CC-BY-SA-4.0" if linked else "CC0-1.0"
    assert f'license: "{licence}"' in texts["CITATION.cff"]
    assert f'license: "{licence.lower()}"' in card
    assert ("Creative Commons Attribution-ShareAlike" in texts["LICENSE"]) == bool(linked)
    assert croissant["license"].startswith("https://creativecommons.org/")
    assert ("/by-sa/" in croissant["license"]) == bool(linked)
    assert {one["name"] for one in croissant["prov:wasDerivedFrom"]} == {
        one["path"].rpartition("/")[2] for inputs in dumps.values() for one in inputs
    }
    # Sizes.
    sizes = sorted({len(group.cluster) for group in groups})
    amount = " or ".join(map(str, sizes)) if len(sizes) <= 2 else f"{sizes[0]} to {sizes[-1]}"
    assert f": {amount} words for items of one Wikidata class" in croissant["description"]
    for size, count in Counter(len(group.cluster) for group in groups).items():
        assert f"\n- {count:,} groups of {size} words in the cluster\n" in card
    levels = Counter(group.level for group in groups)
    for level in ("concepts", "entities"):
        assert (f"\n- {levels[level]:,} groups of {level}, which are" in card) == (level in levels)
    kinds = Counter(outlier.outlier_class for group in groups for outlier in group.outliers)
    for number, kind in {1: "sibling", 2: "cousin", 3: "far"}.items():
        assert (f"\n- {kinds[number]:,} test cases with an outlier of a {kind} class (O{number})\n" in card) == (
            number in kinds
        )
    # The recipe, and what depends on it.
    recipe = parse_recipe(tomllib.loads(texts["recipe.toml"]))
    assert recipe == parse_recipe(manifest["recipe"])
    assert texts["recipe.toml"].partition("\n")[2] in card  # but for the canary in its first line
    assert ("same outlier items in every language" in card) == recipe.outliers.shared
    assert ("No rule leaves out outliers whose" in card) == (
        recipe.outliers.margin is None and "outliers" in manifest["recipe"]
    )
    assert ("An instance of a subclass of the class may be" in card) == (
        "outliers" in manifest["recipe"] and not recipe.outliers.certificate
    )
    assert ("Only some classes were judged: " in card) == (recipe.classes != ClassOptions())
    for text in (card, croissant["rai:dataBiases"]):
        assert ("Members are the instances of a class with most sitelinks" in text) == (
            recipe.cluster.prominence == "global" and recipe.cluster.fame in {"all", "head"}
        )
        assert ("Members are what writers of the language's own" in text) == (recipe.cluster.prominence == "local")
        typed = any(one.type for group in groups if group.outliers for one in group.members)
        assert ("Who knows only the coarse type of each item" in text) == typed
        assert ("Guessers that ignore meaning are better than chance in" in text) == ("| **" in card)
    assert ("Members are from the torso of their class: " in card) == (recipe.cluster.fame == "torso")
    assert ("another form of the title" in card) == (bool(linked) and recipe.surface.form == "dictionary")
    assert ("mixes words in" in card) == any(one.language for _, one in members)
    built = [unit.removeprefix("surfaces/") for unit in sorted(stages) if unit.startswith("surfaces/")]
    assert (f"built with `--languages {','.join(built)}`:" in card) == (
        "languages" in manifest["recipe"] and {*recipe.languages} != {*built}
    )
    judged = sum(group.coherence is not None for group in groups)
    said = f"only {judged} of {len(groups)} groups have" if judged else "no group has"
    reads = "cluster" in manifest["recipe"] and bool(recipe.cluster.coherence or recipe.outliers.margin)
    assert (f"rules on statements, but {said} statements enough" in card) == (reads and judged < len(groups))
    proven = sum(one.certificate is not None for group in groups for one in group.outliers)
    for text in (card, croissant["rai:dataLimitations"]):
        assert (f"{proven:,} of {kinds.total():,} outliers have a certificate" in text) == (proven > 0)
    # Rejections, and what an example says.
    reasons = {
        reason
        for path in (run / "rejected").glob("*.jsonl")
        if (run / "groups" / path.name).read_bytes()
        for reason in (json.loads(line)["reason"] for line in path.read_bytes().splitlines())
    }
    assert set(re.findall(r"^- `([a-z-]+)`: ", card, re.MULTILINE)) == reasons
    found = re.search(r"`([a-z-]+-[0-9a-f]{16})` asks for the odd one of .* \((Q\d+)\); the outlier", card)
    assert found is not None
    assert found[1] in {case_id(one, outlier) for one in groups if one.qid == found[2] for outlier in one.outliers}
    # What responsible use asks for.
    assert all(croissant[name] not in ("", []) for name in RESPONSIBLE)
    assert croissant["rai:hasSyntheticData"] is False
    activities = {one["name"].removeprefix("wikisem ") for one in croissant["prov:wasGeneratedBy"]}
    assert activities == set(stages)
    for untrue in ("seven or eight", "read by hand", "no other test set", "None", "{"):
        assert untrue not in re.sub(r"^```.*?^```$", "", card, flags=re.DOTALL | re.MULTILINE), untrue


@pytest.mark.parametrize("anchors", [True, False])
def test_a_run_with_and_without_anchors(anchors: bool, tmp_path: Path) -> None:
    """Words from links make a set of Wikipedia, under its licence; words of Wikidata alone do not."""
    run = write_run(tmp_path / "out", 3, ("de", "no"), ())
    if not anchors:
        for code in ("de", "no"):
            (run / "groups" / f"{code}.jsonl").write_bytes(
                b"".join(
                    encode_group(make_group(code, number)).replace(b'"source":"anchor"', b'"source":"label"')
                    for number in (1, 2, 3)
                )
            )
        manifest = json.loads((run / "manifest.json").read_bytes())
        manifest["stages"] = {unit: each for unit, each in manifest["stages"].items() if "mentions" not in unit}
        (run / "manifest.json").write_text(json.dumps(manifest))
    check_claims(run, released(run, tmp_path / "set"))


def test_no_control_character_is_in_a_text_for_people(tmp_path: Path) -> None:
    """Whatever labels, words, names of files and of models have, such as those of a run by another program."""
    run = write_run(tmp_path / "out", 1, ("de",), ())
    lines = (run / "groups" / "de.jsonl").read_text(encoding="utf-8")
    hostile = lines.replace("class 1", "\\u001b[2Jclass\\u009b\u202e 1").replace("de 1", "\\u0007de\x85 1")
    assert hostile.count("\\u001b") == 1
    (run / "groups" / "de.jsonl").write_text(hostile, encoding="utf-8")
    manifest = (run / "manifest.json").read_text().replace("dewiki-2026-11-01-p1p9", "de\\u001bwiki")
    (run / "manifest.json").write_text(manifest)
    texts = released(run, tmp_path / "set")
    found = {name: {letter for letter in text if unicodedata.category(letter) == "Cc"} for name, text in texts.items()}
    assert found == {key: {"\n"} for key in texts}
    assert not any("\u202e" in text for text in texts.values())


def test_a_wikipedia_of_another_set_is_no_source(tmp_path: Path) -> None:
    """An output folder may have the links of a language whose groups are not in it."""
    run = write_run(tmp_path / "out", 1, ("de",), ())
    manifest = json.loads((run / "manifest.json").read_bytes())
    manifest["stages"]["mentions/fr"] = {"inputs": [{"path": "frwiki-20261101.xml.bz2", "size": 1}]}
    (run / "manifest.json").write_text(json.dumps(manifest))
    texts = released(run, tmp_path / "set")
    assert not any("frwiki" in text or "mentions/fr" in text for text in texts.values())


def test_who_made_it_is_said_where_it_is_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the card, the citation and croissant.json; where nobody is named, nobody is made up, and a note says so."""
    run = write_run(tmp_path / "out", 1, ("de",), ())
    texts = released(run, tmp_path / "set", "--maintainer", "Jane Doe", "--contact", "jane@example.org")
    assert "Maintained by Jane Doe (jane\\@example.org)." in texts["README.md"]
    assert 'contact: [{"name":"Jane Doe","email":"jane@example.org"}]' in texts["CITATION.cff"]
    creator = json.loads(texts["croissant.json"])["creator"]
    assert creator == {"@type": "sc:Person", "name": "Jane Doe", "email": "jane@example.org"}
    assert "--maintainer" not in capsys.readouterr().err
    texts = released(run, tmp_path / "set")
    assert "Maintained by" not in texts["README.md"]
    assert 'authors: [{"name":"anonymous"}]' in texts["CITATION.cff"]
    assert "contact:" not in texts["CITATION.cff"]
    assert (
        "note: the card and the citation name no maintainer: add --maintainer and --contact" in capsys.readouterr().err
    )


def test_scores_of_models_are_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the languages of the set, with intervals; a file without a score of it is refused before all writing."""
    run = write_run(tmp_path / "out", 1, ("de",), ())
    head = {"task": "outliers", "model": "a|b", "part": "language", "cases": 2}
    rows = [
        {**head, "name": language, "language": language, **score}
        for language in ("de", "fr")
        for score in (
            {"metric": "accuracy", "value": 50.0, "low": 10.0, "high": 90.0},
            {"metric": "opp", "value": 75.04},
        )
    ]
    (tmp_path / "scores.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    card = released(run, tmp_path / "set", "--scores", str(tmp_path / "scores.jsonl"))["README.md"]
    assert "\n| a\\|b | de | 2 | 75.0 | 50.0 (10.0 to 90.0) |\n\n" in card
    assert "## Scores of models" not in released(run, tmp_path / "other")["README.md"]
    (tmp_path / "scores.jsonl").write_text(json.dumps(rows[-1]) + "\n")
    words = ["release", str(run), "--output", str(tmp_path / "none"), "--scores", str(tmp_path / "scores.jsonl")]
    assert main(words) == 1
    assert "expected scores in the languages of this run, saw none" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_dumps_without_a_date_give_no_date(tmp_path: Path) -> None:
    """The version is then that of wikisem, and the card says so."""
    run = write_run(tmp_path / "out", 1, ("de",), ())
    text = (run / "manifest.json").read_text()
    (run / "manifest.json").write_text(text.replace("-20261102-", "-").replace("-2026-11-01-", "-"))
    card = released(run, tmp_path / "set")["README.md"]
    assert "version 0.1.0: that of wikisem, since the date of no dump is known." in card


def test_the_date_of_a_dump_is_that_of_its_download(tmp_path: Path) -> None:
    """Where the file's name has none, the manifest may; the card then says it."""
    run = write_run(tmp_path / "out", 1, ("de",), ())
    manifest = json.loads((run / "manifest.json").read_text().replace("-20261102-", "-"))
    manifest["stages"]["entities"]["inputs"][0]["date"] = "2026-11-20"
    (run / "manifest.json").write_text(json.dumps(manifest))
    card = released(run, tmp_path / "set")["README.md"]
    assert "version 2026.11.20: the date of the newest dump." in card
    assert "| `wikidata-all.json.gz`, of 2026-11-20, 1,234 bytes |" in card


def test_a_config_is_another_one_when_its_tables_are(tmp_path: Path) -> None:
    """datasets knows a config in its cache by its lines in the card: with other tables these are others."""

    def described(groups: int, name: str) -> dict[str, str]:
        card = released(write_run(tmp_path / name, groups, ("de", "no"), ()), tmp_path / f"{name}-set")["README.md"]
        return dict(re.findall(r'- config_name: "(.+)"\n(?:  default: true\n)?  description: ".+ \((\w{8})\)"', card))

    one, same, other = described(2, "one"), described(2, "same"), described(3, "other")
    assert set(one) == {"cases", "items", "groups", "de", "de_cases", "de_items", "no", "no_cases", "no_items"}
    assert one == same
    assert all(one[config] != other[config] for config in one)


def test_recipes_that_ship_are_written_as_they_are() -> None:
    """With what is off as ``false``, and nothing lost."""
    for name in ("wikisem", "wikisem500", "demo"):
        recipe = load_recipe(name)
        assert parse_recipe(tomllib.loads(toml_text(recipe.to_dict()))) == recipe


# Five runs of the sample world.


@dataclass(frozen=True)
class Origin:
    """A run: its recipe, and the languages of its Wikipedias; ``says`` is in its card."""

    recipe: str
    languages: str
    wikipedias: str
    says: tuple[str, ...]


LABELS = """
base = "wikisem"
[outliers]
min_sitelinks = 4
[surface]
fallback = "label"
"""
SMALL = 'base = "wikisem"\n[cluster]\nminimum = 5\n[outliers]\nmin_sitelinks = 4\n[surface]\nfallback = "label"\n'
PARALLEL = """
languages = ["en", "de"]
mixed = ["en", "de"]
[cluster]
max_groups = 0
[outliers]
min_sitelinks = 4
shared = true
"""
FAITHFUL = 'base = "wikisem500"\n[outliers]\nmin_sitelinks = 4\n'
ORIGINS = {
    "labels": Origin(LABELS, "en,es", "", ("No Wikipedia was read.", "All words are labels in Wikidata.", "CC0-1.0")),
    "one": Origin(
        LABELS + '[classes]\nexclude = ["city"]\n',
        "de",
        "de",
        ("a dump of the Wikipedia in German,", "in one language", "Only some classes were judged: not city."),
    ),
    "small": Origin(
        SMALL, "en,ja,zh", "en,ja", ("dumps of the Wikipedias in English and Japanese", "| zh |", "none was read")
    ),
    "torso": Origin(
        SMALL.replace("minimum = 5", 'minimum = 3\nfame = "torso"'),
        "en",
        "",
        ("of its instances with a word and at least 4 sitelinks, those that at least a third of them exceed",),
    ),
    "local": Origin(
        SMALL.replace("minimum = 5", 'minimum = 3\nprominence = "local"\nfame = "head"'),
        "en",
        "en",
        ("the ones to whose pages most links of", "that fewer than a third of them exceed in links so counted"),
    ),
    "parallel": Origin(PARALLEL, "en,de", "en,de", ("A group in mixed-en-de mixes words in German and English.",)),
    "faithful": Origin(
        FAITHFUL, "en,es", "en,es", ("Anchors are as writers link them", "No rule leaves out outliers whose")
    ),
}


def as_if_downloaded(world: SampleDumps, folder: Path) -> SampleDumps:
    """The same dumps in a folder that does not know them as made up."""
    paths = [str(shutil.copy(path, folder)) for path in (world.wikidata, *world.wikipedia.values())]
    return SampleDumps(paths[0], dict(zip(world.wikipedia, paths[1:], strict=True)))


@pytest.mark.slow
@pytest.mark.parametrize("name", ORIGINS)
def test_each_sentence_of_a_release_is_true_of_its_run(name: str, tmp_path: Path, world: SampleDumps) -> None:
    """Labels alone; one Wikipedia; clusters from five on and a language without a dump; thirds; mixed; the paper."""
    origin, world = ORIGINS[name], as_if_downloaded(world, tmp_path)
    (tmp_path / "recipe.toml").write_text(f'name = "{name}"\n{origin.recipe}')
    command = ["build", str(tmp_path / "recipe.toml"), "--wikidata", world.wikidata, "--output", str(tmp_path / "out")]
    wikipedias = [f"{code}={world.wikipedia[code]}" for code in origin.wikipedias.split(",") if code]
    command += ["--languages", origin.languages, *(["--wikipedia", *wikipedias] if wikipedias else [])]
    assert main(command) == 0
    texts = released(tmp_path / "out", tmp_path / "set")
    check_claims(tmp_path / "out", texts)
    assert [said for said in origin.says if said not in texts["README.md"]] == []


# A set of the demo.

MADE_UP = "A made-up world, to try tools with"
# What no file may say of a set that was not made from Wikipedia.
OF_WIKIPEDIA = re.compile("links in Wikipedia|contributors|BY-SA|wikipedia.org|(the|of) Wikipedia|a dump of Wikidata")


@pytest.mark.slow
def test_what_is_built_from_the_dumps_of_the_demo_is_made_up(
    tmp_path: Path, world: SampleDumps, capsys: pytest.CaptureFixture[str]
) -> None:
    """By any recipe: the manifest, the release, a release of that and the page of the run say so."""
    (tmp_path / "recipe.toml").write_text(f'name = "mine"\n{FAITHFUL}')
    command = ["build", str(tmp_path / "recipe.toml"), "--wikidata", world.wikidata, "--output", str(tmp_path / "out")]
    assert main([*command, "--wikipedia", f"de={world.wikipedia['de']}"]) == 0
    check_made_up(tmp_path / "out", tmp_path / "set", capsys)
    check_made_up(tmp_path / "set", tmp_path / "again", capsys)


def test_a_made_up_set_says_so_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In every file that people or tools read, which say nothing of Wikipedia; and no upload is offered."""
    run = write_run(tmp_path / "out", 3, ("de", "no"), ())
    assert main(["browse", str(run)]) == 0
    assert MADE_UP not in (run / "browse" / "index.html").read_text(encoding="utf-8")
    manifest = json.loads((run / "manifest.json").read_bytes())
    (run / "manifest.json").write_text(json.dumps({**manifest, "made_up": True}))
    check_made_up(run, tmp_path / "set", capsys)


def check_made_up(run: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a release of a made-up run prints and writes."""
    assert json.loads((run / "manifest.json").read_bytes())["made_up"] is True
    capsys.readouterr()
    texts = released(run, folder)
    printed = capsys.readouterr().out
    assert printed.startswith(MADE_UP)
    assert "hf upload" not in printed
    assert "hf repos" not in printed
    assert not [name for name, text in texts.items() if OF_WIKIPEDIA.search(text)]
    croissant = json.loads(texts["croissant.json"])
    assert croissant["rai:hasSyntheticData"] is True
    assert croissant["description"].startswith(MADE_UP)
    assert croissant["license"] == "https://creativecommons.org/publicdomain/zero/1.0/"
    _, front, card = texts["README.md"].split("---\n", 2)
    assert '"synthetic"' in front
    assert card.split("\n\n")[1].startswith(MADE_UP)
    assert texts["LICENSE"].split("\n\n")[1].startswith(MADE_UP)
    assert f'abstract: "{MADE_UP}' in texts["CITATION.cff"]
    assert json.loads((folder / "manifest.json").read_bytes())["made_up"] is True
    assert main(["browse", str(run), "--output", str(folder.with_suffix(".page"))]) == 0
    for page in (folder, folder.with_suffix(".page")):
        body = (page / "index.html").read_text(encoding="utf-8").partition("<body>")[2]
        assert body.index(MADE_UP) < body.index("<header>")


def test_the_card_begins_with_what_the_set_is_good_for_and_ends_with_how_it_was_made(tmp_path: Path) -> None:
    """Versions, hashes and the recipe come last; a config is described in words before its hash."""
    card = released(write_run(tmp_path / "out"), tmp_path / "set")["README.md"]
    headings = re.findall("^## (.*)$", card, re.MULTILINE)
    assert headings[:2] == ["What it is good for, and where it may be wrong", "Use it"]
    assert headings[-2:] == ["Licence and citation", "How it was made"]
    assert card.rindex("wikidata-20261102") > card.index("## How it was made")
    described = dict(re.findall(r'- config_name: "(.+)"\n(?:  default: true\n)?  description: "(.+), version', card))
    assert described["cases"] == "test cases, all languages"
    assert described["no"] == "clusters with outliers, no"
    assert described["zh-classical_cases"] == "test cases, zh-classical"


def test_the_card_has_bibtex_of_the_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its name, maintainer, version and address, escaped for LaTeX, and the year of the release, not of a dump."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1800000000")  # 2027-01-15
    run = write_run(tmp_path / "out", 2, ("de",))
    words = ["--maintainer", "Ada & Söhne_{x}", "--repository", "ada/odd_words"]
    card = released(run, tmp_path / "a", *words)["README.md"]
    entry = card[card.index("@misc{") : card.index("@article{")]
    assert entry.split("\n")[:6] == [
        "@misc{wikisemtiny2026112,",
        "  title = {wikisem-tiny},",
        r"  author = {{Ada \& Söhne\_x}},",
        "  year = {2027},",
        "  version = {2026.11.2},",
        "  url = {https://huggingface.co/datasets/ada/odd_words},",
    ]
    assert entry.count("{") == entry.count("}")
    assert "author = {{" not in released(run, tmp_path / "b")["README.md"]


def test_a_terminal_asks_for_the_maintainer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a person is there to answer, and none is given."""
    run, asked = write_run(tmp_path / "out", 2, ("de",)), list[str]()

    def answer(text: str) -> str:
        asked.append(text)
        return "Ada Lovelace"

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", answer)
    assert main(["release", str(run), "--output", str(tmp_path / "a")]) == 0
    assert "Maintained by Ada Lovelace." in (tmp_path / "a" / "README.md").read_text(encoding="utf-8")
    assert main(["release", str(run), "--output", str(tmp_path / "b"), "--maintainer", "Grace"]) == 0
    assert asked == ["the maintainer, who answers for the set (empty for none): "]
