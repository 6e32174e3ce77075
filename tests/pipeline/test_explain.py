"""explain: what it prints, what it draws, and what it says when it cannot."""

import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace as with_values
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from msgspec.structs import replace

from benchmarks.gallery import group_section, rejected_section
from tests.oracle import Named
from tests.transforms.world_of_groups import finish_stages
from wikisem.class_names import proofs_in_words
from wikisem.outputs.groupfile import read_groups
from wikisem.pipeline.cli import main
from wikisem.pipeline.commands.explain import Explanation, Kinship, _kin_lines, explain
from wikisem.pipeline.figure import COLOURS, INKS, families_for
from wikisem.pipeline.runs import read
from wikisem.pipeline.runs.read import labels_of, labels_of_classes
from wikisem.recipes.options import (
    ClusterOptions,
    FilterOptions,
    GraphOptions,
    ItemOptions,
    OutlierOptions,
    Recipe,
    SurfaceOptions,
)
from wikisem.records import NEAR, Entity

TOWNS = ["Rome", "Oslo", "Bern", "Lima", "Kyiv", "Doha", "Baku", "Oslo"]
RECIPE = Recipe(
    "small",
    graph=GraphOptions(root=""),
    cluster=ClusterOptions(minimum=7),
    outliers=OutlierOptions(min_sitelinks=0, certificate=1),
)


def entities() -> list[Entity]:
    """A class of eight towns, a sibling with two rivers, a cousin class below another, and a class with few members."""
    towns = [Entity(f"Q{n}", ("Q100",), sitelinks=50 - n, labels={"en": name}) for n, name in enumerate(TOWNS, start=1)]
    return [
        *towns,
        Entity("Q20", ("Q101",), labels={"en": "Rhine"}),
        Entity("Q21", ("Q101",), labels={"en": "Tiber"}),
        Entity("Q22", ("Q105",), labels={"en": "Etna"}),
        Entity("Q23", ("Q105",)),  # without a name: with it the class of Etna has two instances
        Entity("Q100", subclass_of=("Q102",), labels={"en": "capital [old]"}),
        Entity("Q101", subclass_of=("Q102",), labels={"de": "\u200e", "en": "river"}),
        Entity("Q102", subclass_of=("Q103",), labels={"en": "place"}),
        Entity("Q103", labels={"en": "administrative territorial entity of a specific level"}),
        Entity("Q104", subclass_of=("Q103",), labels={"en": "mountain"}),
        Entity("Q105", subclass_of=("Q104",), labels={"en": "volcano"}),
    ]


@pytest.fixture(scope="module")
def output(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An output folder as a run leaves it, with a group of Q100 in English and no group in German."""
    root = tmp_path_factory.mktemp("out")
    english = {entity.qid: Named(label, "anchor", 3, 4) for entity in entities() if (label := entity.labels.get("en"))}
    german = {qid: Named("Stadt" + qid[-1]) for qid in list(english)[:8]}
    return finish_stages(root, entities(), {"en": english, "de": german}, RECIPE)


def test_labels_are_read_by_the_index(output: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not by going through all items; an output folder of an earlier version has no index, and gives the same."""
    expected = labels_of(str(output), ["Q20", "Q101"], "en")
    assert expected == ({"Q20": "Rhine", "Q101": "river"}, frozenset())
    with monkeypatch.context() as patched:
        patched.setattr(read, "list_files", lambda _: [])
        assert labels_of(str(output), ["Q20", "Q101"], "en") == expected
    monkeypatch.delattr(read, "read_batches")
    assert labels_of(str(output), ["Q20", "Q101"], "en") == expected


def test_a_label_with_nothing_to_see_is_none(output: Path) -> None:
    """English follows, and is marked."""
    assert labels_of(str(output), ["Q101"], "de") == ({"Q101": "river"}, frozenset({"Q101"}))


def test_classes_that_brought_outliers_in_have_labels(output: Path, tmp_path: Path) -> None:
    """In the language of the group, or in English; whatever has no entities has none."""
    group = read_groups(str(output), "en")[0]
    found = labels_of_classes(str(output), [group, replace(group, language="de")])
    assert set(found["en"]) == {one.via for one in group.outliers} == set(found["de"])
    assert found["en"]["Q101"] == found["de"]["Q101"] == "river"
    assert labels_of_classes(str(tmp_path), [group]) == {}


def test_the_proof_of_a_near_outlier_names_its_coarse_type(output: Path) -> None:
    """Which it shares with members; that of other outliers says nothing."""
    group = read_groups(str(output), "en")[0]
    rhine = next(one for one in group.outliers if one.id == "Q20")
    near = replace(group, outliers=(replace(rhine, outlier_class=NEAR, type="Q102"), replace(rhine, type="Q102")))
    labels = labels_of_classes(str(output), [near])["en"]
    first, second = proofs_in_words(near, labels)
    assert first == f"{second}; its coarse type is place (Q102)"


def test_a_group_is_explained_member_by_member(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Parents, sitelinks, probabilities, what brought each outlier in, and why an instance is not in the cluster."""
    assert main(["explain", str(output), "Q100", "--language", "en"]) == 0
    text = capsys.readouterr().out
    for said in ("capital [old] (Q100)", "parents: place (Q102)", "3/4 = 0.75", "river", "mountain"):
        assert said in text
    assert "same surface form as a higher one" in text
    assert "a group of 7 with 3 outliers" in text
    proof = (
        "certificate, of 1 other instances of river (Q101) and 8 of capital [old] (Q100), none is an instance of both"
    )
    assert f"Rhine (Q20): {proof}" in " ".join(text.split())


def test_an_instance_whose_name_means_another_item_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where labels must mean their item: the alias of a better known one names no town, and the group has no other."""
    names = {entity.qid: Named(label) for entity in entities() if (label := entity.labels.get("en"))}
    names["Q8"] = Named("Turin")
    known = [
        with_values(one, sitelinks=90, aliases={"mul": ("Turin",)}) if one.qid == "Q20" else one for one in entities()
    ]
    recipe = with_values(RECIPE, surface=SurfaceOptions(fallback="label", minimum_page_share=0.5))
    output = finish_stages(tmp_path, known, {"en": names}, recipe)
    assert main(["explain", str(output), "Q100"]) == 0
    text = capsys.readouterr().out
    assert "its name means another item: Rhine (Q20)" in text
    assert "a group of 7" in text
    assert "same surface form" not in text


def world_of_reasons(root: Path, minimum: int) -> Path:
    """A run of the towns and others: a type, one that is a deity as well, a new item, and one named after another."""
    towns = [("Q9", 90, ("Q100",)), ("Q10", 80, ("Q100", "Q106")), ("Q70", 70, ("Q100",)), ("Q11", 48, ("Q100",))]
    others = [Entity(qid, classes, sitelinks=number, labels={"en": "x"}) for qid, number, classes in towns]
    others[0] = with_values(others[0], subclass_of=("Q103",))
    deities = [Entity(f"Q{number}", ("Q106",), labels={"en": "x"}) for number in (51, 52, 53)]
    deity = Entity("Q106", subclass_of=("Q103",), labels={"en": "deity"})
    names = {one.qid: Named(label) for one in entities() if (label := one.labels.get("en"))}
    names |= {"Q8": Named("Apia"), "Q9": Named("Burgh"), "Q10": Named("Delos"), "Q70": Named("Neom")}
    names |= {"Q11": Named("Old Rome"), "Q51": Named("Odin"), "Q52": Named("Zeus"), "Q53": Named("Isis")}
    recipe = with_values(
        RECIPE,
        cluster=ClusterOptions(size=minimum, minimum=minimum),
        items=ItemOptions(to="Q60", apply="clusters"),
        filters=FilterOptions(replace=True, affix=None, extra={"contained": 1}),
    )
    return finish_stages(root, [*entities(), *others, *deities, deity], {"en": names}, recipe)


CONTRADICTION = "contradiction: Delos (Q10) is the only instance of both the class and deity (Q106)"


def outcomes(output: Path) -> dict[str, str]:
    """The reason for each of the instances of the towns' class that are shown."""
    (explanation,) = explain(output, "Q100", "en")
    return {instance.qid: explanation.outcome(instance) for instance in explanation.ranked}


def test_each_instance_that_is_passed_over_has_its_own_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its level, a contradiction, its number or the spelling of its name; one that is asked about says it, too."""
    output = world_of_reasons(tmp_path, 7)
    assert outcomes(output) == {
        "Q9": "a type, unlike most instances",
        "Q10": CONTRADICTION,
        "Q70": "outside [items]",
        "Q11": "passed over, for a rule on spelling",
        **dict.fromkeys(("Q1", "Q2", "Q3", "Q4", "Q5", "Q6", "Q7"), "in the cluster"),
        "Q8": "not among the most prominent",
    }
    assert main(["explain", str(output), "Q100", "--item", "Q10", "--item", "Q20"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"x (Q10): never an outlier, since it is an instance of the class; {CONTRADICTION}" in said


def test_instances_of_a_rejected_class_have_reasons_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The contradiction that the rejection names, with the label of its class, and the level of another one."""
    output = world_of_reasons(tmp_path, 10)
    found = outcomes(output)
    assert (found.pop("Q9"), found.pop("Q10")) == ("a type, unlike most instances", CONTRADICTION)
    assert found.pop("Q70") == "outside [items]"
    assert set(found.values()) == {"may be a member"}
    assert main(["explain", str(output), "Q100"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "no group: contradictions" in said
    assert "Delos (Q10) is the only instance of both the class and deity (Q106))" in said


def test_an_explanation_is_json_too(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An object for each language, with the group or why there is none, and the most prominent instances."""
    assert main(["explain", str(output), "Q100", "--json"]) == 0
    found = {one["language"]: one for one in map(json.loads, capsys.readouterr().out.splitlines())}
    assert found.keys() == {"de", "en"}
    assert len(found["en"]["group"]["cluster"]) == 7
    assert found["en"]["labels"]["Q102"] == "place"
    assert found["de"]["group"] is None
    assert found["de"]["rejection"]["reason"]
    assert found["en"]["ranked"][0].keys() == {"qid", "surface", "sitelinks", "means"}


def test_the_set_that_comes_with_wikisem_is_explained_as_a_release(capsys: pytest.CaptureFixture[str]) -> None:
    """By its name; what only a run has is said."""
    assert main(["explain", "sample", "capital", "--language", "en"]) == 0
    assert "capital (Q5119, en) in full" in capsys.readouterr().out
    assert main(["explain", "sample", "Q5119", "--language", "en", "--json"]) == 0
    out, err = capsys.readouterr()
    assert json.loads(out)["group"]["class"] == "Q5119"
    assert "a release has no class graph" in err


def test_a_class_is_named_by_its_label(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """That of a class with a group, or of any class of the graph; ``show`` has the labels of the run beside QIDs."""
    assert main(["explain", str(output), "Capital [OLD]", "--language", "en"]) == 0
    by_name = capsys.readouterr().out
    assert main(["explain", str(output), "Q100", "--language", "en"]) == 0
    assert capsys.readouterr().out == by_name
    assert main(["explain", str(output), "river", "--language", "de"]) == 0
    assert capsys.readouterr().out.startswith("river (Q101, label in English) in de\n")
    assert main(["explain", str(output), "vulcano"]) == 1
    assert "saw 'vulcano'; did you mean volcano (Q105, instances: 2)?" in capsys.readouterr().err
    assert main(["show", str(output), "capital [old]"]) == 0
    assert "river (Q101)" in capsys.readouterr().out


def test_every_language_is_explained_unless_one_is_asked_for(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without --language the class is explained in all; German names its first broken rule."""
    assert main(["explain", str(output), "Q100"]) == 0
    text = capsys.readouterr().out
    assert "in en" in text
    assert "no group: digits" in text
    # None of these classes has a German label.
    in_english, _, in_german = text.partition("in de") if text.index("in en") < text.index("in de") else ("", "", text)
    assert "label in English" not in in_english
    assert "place (Q102, label in English)" in in_german


def test_the_gallery_shows_a_group_or_the_rule_that_rejected_it(output: Path) -> None:
    """English names are beside the words of other languages; a class that is not what it is shown as ends the page."""
    group = "".join(group_section(str(output), "en", "Q100", "Towns."))
    assert "| cluster | Rome (3/4) · Oslo (3/4) · " in group
    assert "| O1, river | Rhine (3/4) · Tiber (3/4) |" in group
    rejected = "".join(rejected_section(str(output), "de", "Q100", "Numbers."))
    assert "| cluster | Stadt1 *Rome* · Stadt2 *Oslo* · " in rejected
    assert "| [`digits`](filters.md) | 8 read 'Stadt' without digits |" in rejected
    for section, language in ((group_section, "de"), (rejected_section, "en")):
        with pytest.raises(SystemExit, match="expected"):
            list(section(str(output), language, "Q100", ""))


def test_the_way_of_kin_says_which_classes_are_pruned() -> None:
    """Only those that are not in the graph that groups are made from."""
    way = Kinship("below", ("Q7", "Q6", "Q5"), frozenset({"Q6"}))
    found = Explanation("Q5", "en", None, None, (), {"Q7": "town"}, kin={"Q7": way})
    assert list(_kin_lines(found)) == [
        "town (Q7): never an outlier, since it is below the class: town (Q7) → Q6, pruned → Q5"
    ]


def test_a_class_that_was_never_judged_says_so(output: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Too few instances is no rejection, but it is an answer."""
    assert main(["explain", str(output), "Q101", "--language", "en"]) == 0
    assert "not judged" in capsys.readouterr().out


def test_the_figure_holds_every_name(output: Path, tmp_path: Path) -> None:
    """An SVG is drawn twice with the same bytes, and is well formed."""
    one, two = tmp_path / "one.svg", tmp_path / "two.svg"
    assert main(["explain", str(output), "Q100", "--figure", str(one)]) == 0
    assert main(["explain", str(output), "Q100", "--figure", str(two)]) == 0
    assert one.read_bytes() == two.read_bytes()
    assert ET.fromstring(one.read_text(encoding="utf-8")).tag.endswith("svg")
    text = one.read_text(encoding="utf-8")
    for name in ("Rome", "Rhine", "Etna", "volcano", "capital [old]", "subclass of"):
        assert f"<!-- {name} -->" in text
    assert "administrative territorial entity" not in text  # as one line, a box would cover that of another column
    assert "<!-- administrative -->" in text or "<!-- administrative territorial -->" in text


def test_every_box_can_be_read() -> None:
    """A contrast of 4.5 or more between the ink and the colour of a box (WCAG 1.4.3)."""

    def luminance(colour: str) -> float:
        parts = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
        return float(np.dot(parts, (0.2126, 0.7152, 0.0722)))

    pairs = zip(COLOURS, INKS, strict=True)
    contrasts = [sorted((luminance(colour) + 0.05, luminance(ink) + 0.05)) for colour, ink in pairs]
    assert min(more / less for less, more in contrasts) >= 4.5


def test_an_arrow_has_the_colour_of_what_it_leads_up_from(output: Path, tmp_path: Path) -> None:
    """A kind of outlier has one colour up to the class above, where its way meets that of the members."""
    assert main(["explain", str(output), "Q100", "--figure", str(tmp_path / "one.svg")]) == 0
    text = (tmp_path / "one.svg").read_text(encoding="utf-8")
    dashed, solid = (
        Counter(
            COLOURS.index(colour.upper()) for colour in re.findall(rf"fill: none; {dashes}stroke: (\S+); .*round", text)
        )
        for dashes in (r"stroke-dasharray: .*; ", "")
    )
    assert solid == {0: 7, 1: 2, 2: 1}  # instance of
    grey = len(COLOURS) - 1
    assert dashed == {0: 1, 1: 1, 2: 2, grey: 1}  # subclass of; between the class's parent and grandparent in grey


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["Q999"], 1, "Q999"),
        (["P31"], 1, "expected a QID, or the label of a class, saw 'P31'"),
        (["Q100", "--language", "fr"], 1, "de, en"),
        (["Q100", "--language", "de", "--figure", "x.svg"], 1, "group of Q100 to draw"),
        (["Q100", "--language", "en", "--figure", "x.bmp2"], 2, "bmp2"),
        (["Q100", "--language", "en", "--figure", "x"], 2, "a file that ends in .png, .svg, .pdf, saw 'x'"),
        (
            ["Q100", "--", "--runner=DirectRunner"],
            2,
            "takes no Beam options, saw --runner=Direct",
        ),
    ],
)
def test_what_cannot_be_explained_is_one_message(
    output: Path, words: list[str], code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Unknown classes and languages, nothing to draw, a form that no figure has: a message and an exit code."""
    assert main(["explain", str(output), *words]) == code
    assert said in capsys.readouterr().err


def test_a_folder_without_groups_is_missing_input(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The message names what was looked for."""
    assert main(["explain", str(tmp_path), "Q1"]) == 1
    assert str(tmp_path) in capsys.readouterr().err


def test_characters_that_no_font_has_are_told() -> None:
    """Latin is always there; a private-use character is in no font but the one of last resort."""
    assert families_for("Rome")[1] == ""
    assert "\uf8f0" in families_for("Rome \uf8f0")[1]
