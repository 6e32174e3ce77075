"""Samples that lm-evaluation-harness logged: its accuracies and our OPP from the same scores."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tests.outputs.release.world import make_group
from tests.outputs.test_wallfile import HERRING_WALL, make_wall
from tests.rows import one, printed_rows, scores
from tests.word_groups import surfaces
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.evaluate import samples
from wikisem.evaluation.harness import (
    SampleDoc,
    choice_scores,
    read_samples,
    read_wall_samples,
    score_case,
)
from wikisem.evaluation.options import MEASURES, Measure
from wikisem.evaluation.outlier_detection import CaseScore
from wikisem.outputs.groupfile import encode_group, walls_table
from wikisem.outputs.release.cases import CASES, case_id, case_rows, cases_of
from wikisem.outputs.wall_answers import SCORES, process_results
from wikisem.pipeline.cli import main

CHOICES = ("a", "bb", "éé", "dddd")


def _doc(answer: int = 2, qid: str = "Q1", language: str = "de", choices: Sequence[str] = CHOICES) -> dict[str, Any]:
    return {
        "id": f"{language}-{qid}-{answer}",
        "class": qid,
        "label": "class",
        "language": language,
        "outlier_class": 1,
        "choices": list(choices),
        "answer": answer,
    }


def _write(path: Path, samples: Sequence[tuple[dict[str, Any], Sequence[float]]]) -> Path:
    """A file as ``--log_samples`` leaves it: scores as text, with whether they are the greedy answer."""
    rows = [{"doc": doc, "filtered_resps": [[str(one), "False"] for one in scores]} for doc, scores in samples]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def case_of(doc: dict[str, Any], likelihoods: Sequence[float], measure: Measure) -> CaseScore:
    """A case from its line and the log-likelihoods of its choices."""
    parsed = msgspec.convert(doc, SampleDoc)
    return score_case(parsed, choice_scores(parsed, likelihoods, measure))


def test_the_worked_example_holds() -> None:
    """All three below the outlier, then two of them."""
    first = case_of(_doc(), [-3, -5, -1, -4], "acc")
    assert (first.position, first.detected) == (1.0, True)
    other = case_of(_doc(), [-3, -5, -3.5, -4], "acc")
    assert not other.detected
    assert other.position == pytest.approx(2 / 3)


@pytest.mark.parametrize(("measure", "detected"), [("acc", False), ("acc_norm", False), ("acc_bytes", True)])
def test_choices_are_compared_as_the_metric_does(measure: Measure, detected: bool) -> None:
    """By the whole, by character and by byte: "éé" has two characters and four bytes."""
    assert case_of(_doc(), [-2.0, -3.8, -4.2, -4.9], measure).detected is detected


@given(
    st.lists(st.integers(-5, 0), min_size=4, max_size=4),
    st.integers(0, 3),
    st.sampled_from(MEASURES),
)
def test_detected_is_the_argmax_of_the_harness(scores: list[int], answer: int, measure: Measure) -> None:
    """lm-evaluation-harness takes numpy's argmax, the first of equal ones."""
    lengths = {
        "acc": [1] * 4,
        "acc_norm": [len(one) for one in CHOICES],
        "acc_bytes": [len(c.encode()) for c in CHOICES],
    }
    expected = int(np.argmax(np.array(scores) / np.array(lengths[measure]))) == answer
    case = case_of(_doc(answer), scores, measure)
    assert case.detected is expected
    assert case.detected is (case.position == 1)


def test_cases_of_a_class_are_one_group(tmp_path: Path) -> None:
    """Error bars are over classes: six samples of two classes and levels, one of an older release."""
    samples = [(_doc(2, qid), [-3, -5, score, -4]) for qid in ("Q1", "Q2") for score in (-1, -9, -3.5)]
    samples = [({**doc, "level": "concepts" if doc["class"] == "Q1" else "entities"}, own) for doc, own in samples]
    path = _write(tmp_path / "samples_wikisem_de.jsonl", [*samples, (_doc(0, "Q1", "no"), [-1, -2, -3, -4])])
    found = read_samples(path)
    rows = scores(found)
    assert (one(rows).cases, len(found.scores)) == (7, 3)
    assert one(rows).value == pytest.approx(100 * 3 / 7)
    assert one(rows, "opp").value == pytest.approx(100 * (2 * (1 + 0 + 2 / 3) + 1) / 7)
    assert {row.name for row in rows if row.part == "language"} == {"de", "no"}
    levels = {row.name: row.cases for row in rows if row.part == "level" and row.metric == "accuracy"}
    assert levels == {"concepts": 3, "entities": 3, "unknown": 1}
    assert one(rows).low is not None
    assert surfaces(found.scores[0].group.cluster) == ("a", "bb", "dddd")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("not json", "expected a JSON line of a sample"),
        ("{}", "expected a JSON line of a sample, saw Object missing required field `doc`"),
        (json.dumps({"doc": {**_doc(), "choices": [[], {}, None, 5]}, "filtered_resps": []}), "$.doc.choices[0]"),
        (json.dumps({"doc": {**_doc(), "answer": "2"}, "filtered_resps": []}), "$.doc.answer"),
        (json.dumps({"doc": {**_doc(), "language": ["de"]}, "filtered_resps": []}), "$.doc.language"),
        (json.dumps({"doc": _doc(), "filtered_resps": [[]] * 4}), "IndexError"),
        ("[" * 100_000, "expected a JSON line of a sample"),
        (json.dumps({"doc": _doc(), "filtered_resps": [["-1", "x"]]}), "ValueError: 1 scores for 4 choices"),
        (json.dumps({"doc": _doc(9), "filtered_resps": [["-1", "x"]] * 4}), "ValueError: answer 9 of 4 choices"),
        (json.dumps({"doc": _doc(-1), "filtered_resps": [["-1", "x"]] * 4}), "ValueError: answer -1 of 4 choices"),
        (json.dumps({"doc": _doc(0, choices=["a"]), "filtered_resps": [["-1", "x"]]}), "there must be two"),
        (json.dumps({"doc": _doc(0, choices=["a", ""]), "filtered_resps": [["-1", "x"]] * 2}), "none of them empty"),
        (json.dumps({"doc": _doc(), "filtered_resps": [["nan", "x"]] * 4}), "a score that is not a number"),
        (json.dumps({"doc": _doc(), "filtered_resps": ["generated text"]}), "$.filtered_resps"),
    ],
)
def test_what_is_no_sample_is_named_with_its_line(tmp_path: Path, line: str, told: str) -> None:
    """A task of another kind, a cut file: the message has the place and the reason."""
    path = _write(tmp_path / "samples.jsonl", [(_doc(), [-1, -2, -3, -4])])
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(DamagedInputError, match=r"samples.jsonl:2: expected a") as caught:
        read_samples(path)
    assert told in str(caught.value)


def test_no_samples_are_no_score(tmp_path: Path) -> None:
    """An empty file, and none."""
    (tmp_path / "samples.jsonl").write_text("\n")
    with pytest.raises(MissingInputError, match="expected samples, saw none"):
        read_samples(tmp_path / "samples.jsonl")
    with pytest.raises(MissingInputError, match="expected a file of samples, saw nothing"):
        read_samples(tmp_path / "nothing.jsonl")


def test_the_command_prints_each_model_with_error_bars(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files of one folder are of one model, named by the folder; --measure and --json are kept to."""
    (tmp_path / "tiny").mkdir()
    path = _write(tmp_path / "tiny" / "samples_wikisem_de.jsonl", [(_doc(), [-2.0, -3.8, -4.2, -4.9])])
    assert main(["evaluate", "samples", str(path)]) == 0
    out = capsys.readouterr().out
    assert "samples, choices compared by acc: tiny" in out
    assert "samples_wikisem_de" in out
    assert main(["evaluate", "samples", "--measure", "acc_bytes", "--json", str(path)]) == 0
    row = one(printed_rows(capsys.readouterr().out))
    assert (row.model, row.value, row.cases) == ("tiny", 100.0, 1)


def test_languages_that_a_harness_asked_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Cases are joined by QID, wherever their choices are; of each, German and English choose the same wrong item."""
    (tmp_path / "tiny").mkdir()
    items = {"de": ["Q1", "Q2", "Q3", "Q4"], "en": ["Q4", "Q1", "Q3", "Q2"], "ja": ["Q1", "Q2", "Q3", "Q4"]}
    likelihoods = {"de": [-1, -4, -2, -3], "en": [-3, -1, -2, -4], "ja": [-4, -3, -1, -2]}
    files = [
        str(
            _write(
                tmp_path / "tiny" / f"samples_wikisem_{code}.jsonl",
                [({**_doc(language=code), "items": own}, likelihoods[code])],
            )
        )
        for code, own in items.items()
    ]
    command = ["evaluate", "consistency", "--samples", "--json"]
    assert main([*command, *files]) == 0
    rows = printed_rows(capsys.readouterr().out)
    names = ["de, en", "de, ja", "en, ja"]
    assert list(dict.fromkeys(row.name for row in rows)) == names
    assert {row.model for row in rows} == {"tiny"}
    same = [one(rows, "same_word", part="languages", name=name) for name in names]
    assert [(row.cases, row.value) for row in same] == [(1, 100), (0, None), (0, None)]
    assert one(rows, "rankc", part="languages", name="de, en").value == 1
    assert {row.value for row in rows if row.metric == "both_right"} == {0}
    assert main([*command, *files, "--languages", "de,en"]) == 0
    assert {row.name for row in printed_rows(capsys.readouterr().out)} == {"de, en"}
    assert main([*command, files[0]]) == 1
    assert f"{tmp_path / 'tiny'}: expected cases of the same class and outlier" in capsys.readouterr().err
    older = _write(tmp_path / "older.jsonl", [(_doc(), [-1, -2, -3, -4])])
    assert main([*command, str(older)]) == 1
    assert "saw none in any" in capsys.readouterr().err
    damaged = _write(tmp_path / "damaged.jsonl", [({**_doc(), "items": ["Q1"]}, [-1, -2, -3, -4])])
    assert main([*command, str(damaged)]) == 1
    assert "damaged.jsonl:1: expected a sample of a task of a release" in capsys.readouterr().err


# Answers to walls.


def _wall_samples(path: Path, answers: Sequence[str]) -> Path:
    """A file as ``--log_samples`` leaves it for walls: an answer to each, in the order of the tiers."""
    rows = walls_table([make_wall(), HERRING_WALL]).to_pylist()
    lines = [{"doc": doc, "filtered_resps": [answer]} for doc, answer in zip(rows, answers, strict=True)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_answers_to_walls_have_the_scores_of_the_harness(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By tier and with error bars; beside samples of outlier detection, in one command."""
    rows = walls_table([make_wall(), HERRING_WALL]).to_pylist()
    answers = [rows[0]["target_text"], "\n".join(rows[1]["target_text"].splitlines()[:2])]
    path = _wall_samples(tmp_path / "samples_wikisem_en_walls.jsonl", answers)
    theirs = [process_results(row, [answer]) for row, answer in zip(rows, answers, strict=True)]
    other = _write(tmp_path / "samples_wikisem_de.jsonl", [(_doc(), [-3, -5, -1, -4])])
    assert main(["evaluate", "samples", str(path), str(other), "--json"]) == 0
    rows = printed_rows(capsys.readouterr().out)
    assert one(rows).cases == 1
    assert {name: one(rows, name).value for name in SCORES} == pytest.approx(
        {name: 50 * (theirs[0][name] + theirs[1][name]) for name in SCORES}
    )
    assert [one(rows, "solved", part="tier", name=tier).value for tier in ("far", "herring")] == [100, 0]
    assert main(["evaluate", "samples", str(path), "--cases", str(tmp_path / "cases.jsonl")]) == 0
    assert "herring" in capsys.readouterr().out
    _, answer = map(json.loads, (tmp_path / "cases.jsonl").read_text().splitlines())
    assert answer["found"][0] == ["word Q10", "word Q11", "word Q12", "word Q13"]
    assert (answer["right"], answer["tier"]) == (False, "herring")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"doc": {"tier": "far"}, "filtered_resps": ["x"]}, "walls.jsonl:1: expected a row of a table of walls, saw"),
        ({"doc": {"tier": "far"}, "filtered_resps": [["x"]]}, "walls.jsonl:1: expected a JSON line of a sample"),
        ({"doc": walls_table([make_wall()]).to_pylist()[0], "filtered_resps": []}, "expected one answer, saw 0"),
    ],
)
def test_what_is_no_answer_to_a_wall_is_said(line: dict[str, Any], said: str, tmp_path: Path) -> None:
    """With its line."""
    (tmp_path / "walls.jsonl").write_text(json.dumps(line) + "\n")
    for read in (read_wall_samples, lambda path: samples([path])):
        with pytest.raises(DamagedInputError, match=re.escape(said)):
            read(tmp_path / "walls.jsonl")


def test_models_that_were_asked_the_same_are_in_one_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One folder a model, a file a language: one data set, whose languages all of the models were asked."""
    files = []
    for model, right in (("one", -1.0), ("two", -9.0)):
        (tmp_path / model).mkdir()
        for language, time in (("de", "2026-11-01T10"), ("en", f"2026-11-02T{len(model) + ord(model[0])}")):
            samples = [(_doc(2, f"Q{number}", language), [-3.0, -5.0, right, -4.0]) for number in range(8)]
            files.append(_write(tmp_path / model / f"samples_wikisem_{language}_{time}.jsonl", samples))
    cases = tmp_path / "cases.jsonl"
    assert main(["evaluate", "samples", *map(str, files), "--cases", str(cases)]) == 0
    table = capsys.readouterr().out.partition("└")[0]
    assert table.startswith("all models")
    assert re.search(r"model +┃ +all ┃ +de ┃ +en ", table)
    assert re.search(r"accuracy │ one +│ +100.00 best │ +100.00 best │ +100.00 best", table)
    rows = [json.loads(line) for line in cases.read_text().splitlines()]
    asked = {f"{language}/Q{number}/éé" for language in ("de", "en") for number in range(8)}
    assert {(row["model"], row["case"]) for row in rows} == {
        (model, case) for model in ("one", "two") for case in asked
    }
    assert main(["evaluate", "samples", *map(str, files[:3])]) == 0
    table, _, after = capsys.readouterr().out.partition("└")
    assert re.search(r"accuracy │ two +│ +0.00\s+│ ", table)
    assert "compared on 8 test cases that all models answered; one answered 16, two answered 8" in after


def test_the_languages_of_a_release_are_scored_as_one_log_of_all_of_them(tmp_path: Path) -> None:
    """Classes are pooled over languages, and parts are by language; phrasings and letters are data sets apart."""
    generator, whole = np.random.default_rng(5), list[tuple[dict[str, Any], list[float]]]()
    for language in ("de", "en", "zh-hans"):
        own = [({**doc, "language": language}, scores) for doc, scores in _random_samples(generator, range(60))]
        own = [({**doc, "id": f"{language}-{doc['id']}"}, scores) for doc, scores in own]
        for suffix in ("", "_letters", *(["_2"] if language == "en" else [])):
            (tmp_path / "m").mkdir(exist_ok=True)
            _write(tmp_path / "m" / f"samples_wikisem_{language}{suffix}_2026-11-27T10-00-0{len(whole) % 7}.jsonl", own)
        whole += own
    found = samples(sorted((tmp_path / "m").iterdir()))
    sets = ["samples_wikisem", "samples_wikisem_en_2", "samples_wikisem_letters"]
    assert sorted({row.dataset for row in found.rows}) == sets
    (tmp_path / "one" / "m").mkdir(parents=True)
    expected = samples([_write(tmp_path / "one" / "m" / "samples_wikisem.jsonl", whole)])
    for name in (sets[0], sets[2]):
        assert [structs.replace(row, dataset=sets[0]) for row in found.rows if row.dataset == name] == expected.rows
    accuracy = 100 * np.mean([scores[3] > max(scores[:3]) for _, scores in whole])
    assert found.row("accuracy", dataset=sets[0]).value == pytest.approx(accuracy)
    assert found.row("accuracy", dataset=sets[0]).n == 11
    assert {row.name for row in found.rows if row.part == "language"} == {"de", "en", "zh-hans"}


def test_runs_of_a_release_in_one_folder_are_data_sets_of_their_own(tmp_path: Path) -> None:
    """Each with all of its languages, by the time of the run."""
    for hour in ("10", "11"):
        for language in ("de", "en"):
            own = [(_doc(2, f"Q{number}", language), [-3.0, -5.0, -1.0, -4.0]) for number in range(int(hour))]
            _write(tmp_path / f"samples_wikisem_{language}_2026-11-27T{hour}.jsonl", own)
    rows = samples(sorted(tmp_path.iterdir())).rows
    cases = {f"samples_wikisem_2026-11-27T{hour}": 2 * int(hour) for hour in ("10", "11")}
    assert {row.dataset: row.cases for row in rows if (row.part, row.metric) == ("all", "accuracy")} == cases


def _random_samples(generator: np.random.Generator, names: Sequence[int]) -> list[tuple[dict[str, Any], list[float]]]:
    """Answers to cases of eleven classes, of which any number may be asked, in any order."""
    samples = []
    for name in names:
        words = (*(f"{word}{name % 11}" for word in CHOICES[:3]), f"outlier {name}")
        doc = {**_doc(3, f"Q{name % 11}", "en", words), "id": f"en-{name}", "outlier_class": 1 + name % 3}
        samples.append((doc, generator.normal(size=4).round(1).tolist()))
    return samples


@pytest.mark.parametrize("seed", range(4))
def test_models_are_compared_on_the_cases_that_all_of_them_answered(
    tmp_path: Path, seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """One was asked all 165 cases, the other 50 (``--limit``) or a random 80 of them: by the definition, everywhere."""
    generator = np.random.default_rng(seed)
    names = list(range(50)) if not seed else generator.permutation(165)[:80].tolist()
    runs = {"full": _random_samples(generator, range(165)), "part": _random_samples(generator, names)}
    for model, own in runs.items():
        for folder, kept in (("logs", own), ("cut", [each for each in own if int(each[0]["id"][3:]) in names])):
            (tmp_path / folder / model).mkdir(parents=True)
            _write(tmp_path / folder / model / "samples_wikisem_en.jsonl", kept)
    logs, cut = (sorted(map(str, tmp_path.glob(f"{folder}/*/*.jsonl"))) for folder in ("logs", "cut"))
    assert main(["evaluate", "samples", "--json", *logs]) == 0
    rows = printed_rows(capsys.readouterr().out)
    # The outlier is the last choice: all that score as much as it does count as higher.
    higher = {
        model: {doc["id"]: sum(score >= own[3] for score in own[:3]) for doc, own in answers}
        for model, answers in runs.items()
    }
    shared = [f"en-{name}" for name in names]
    accuracy = {model: 100 * np.mean([places[name] == 0 for name in shared]) for model, places in higher.items()}
    for model, places in higher.items():
        common = one(rows, model=model, vocabulary="common")
        assert common.value == pytest.approx(accuracy[model])
        assert common.cases == len(names)
        opp = 100 * np.mean([1 - places[name] / 3 for name in shared])
        assert one(rows, "opp", model=model, vocabulary="common").value == pytest.approx(opp)
        assert one(rows, model=model).cases == len(places)
    gap = one(rows, less="part", vocabulary="common")
    assert gap.value == pytest.approx(accuracy["full"] - accuracy["part"])
    assert gap.cases == len(names)
    # All else, such as p-values, marks and parts, is what the logs of these cases alone give.
    assert main(["evaluate", "samples", "--json", *cut]) == 0
    of_cut = {msgspec.json.encode(row) for row in printed_rows(capsys.readouterr().out)}
    common_rows = [structs.replace(row, vocabulary="own") for row in rows if row.vocabulary == "common"]
    assert {msgspec.json.encode(row) for row in common_rows} == of_cut
    assert main(["evaluate", "samples", *logs]) == 0
    printed = capsys.readouterr().out
    answered = f"full answered 165, part answered {len(names)}"
    assert f"compared on {len(names)} test cases that all models answered; {answered}" in printed
    assert f"{accuracy['full']:.2f}" in printed.partition("└")[0]


def test_walls_are_compared_where_all_models_answered_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One model was asked one wall of two; and with no wall in common nothing is compared."""
    right = [row["target_text"] for row in walls_table([make_wall(), HERRING_WALL]).to_pylist()]
    for model in ("one", "two"):
        (tmp_path / model).mkdir()
    both = _wall_samples(tmp_path / "one" / "samples_wikisem_en_walls.jsonl", [right[0], ""])
    first = tmp_path / "two" / both.name
    first.write_text(both.read_text().splitlines()[0] + "\n")
    assert main(["evaluate", "samples", str(both), str(first), "--json"]) == 0
    rows = printed_rows(capsys.readouterr().out)
    assert {one(rows, "solved", model=model, vocabulary="common").value for model in ("one", "two")} == {100}
    assert one(rows, "solved", model="one").value == 50
    both.write_text(both.read_text().splitlines()[1] + "\n")
    assert main(["evaluate", "samples", str(both), str(first)]) == 0
    printed = capsys.readouterr().out
    assert "no walls in common; one answered 1, two answered 1" in printed
    assert "best" not in printed


# Test cases show no QIDs: the groups of the release have them.


def test_the_groups_of_the_release_have_the_items_of_what_was_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Consistency and the cutoff read them there, and answers get the names that those of vectors have."""
    groups = {code: make_group(code, 3) for code in ("de", "no")}
    (tmp_path / "groups").mkdir()
    files = []
    for code, group in groups.items():
        (tmp_path / "groups" / f"{code}.jsonl").write_bytes(encode_group(group))
        rows = pa.Table.from_pylist(case_rows(cases_of([group]), 500), schema=CASES).to_pylist()
        # Of each case the first cluster item is taken for the outlier.
        taken = group.cluster[0].surface
        asked = [(row, [-1.0 if word == taken else -2.0 for word in row["choices"]]) for row in rows]
        files.append(str(_write(tmp_path / f"samples_{code}.jsonl", asked)))
    known = ["--set", str(tmp_path)]
    assert main(["evaluate", "consistency", "--samples", *files, *known, "--json"]) == 0
    same = one(printed_rows(capsys.readouterr().out), "same_word", part="languages", name="de, no")
    assert (same.value, same.cases) == (100, len(groups["de"].outliers))
    assert main(["evaluate", "cutoff", "--samples", files[0], *known, "--json"]) == 0
    (band,) = {row.name for row in printed_rows(capsys.readouterr().out) if row.part == "band"}
    newest = max(int(member.id[1:]) for member in groups["de"].cluster)
    assert band == f"Q{newest} to Q{newest}"
    for options, class_ in ((known, "Q3"), ([], case_rows(cases_of([groups["de"]]), 500)[0]["class"])):
        assert main(["evaluate", "samples", files[0], *options, "--cases", str(tmp_path / "cases.jsonl")]) == 0
        answers = [json.loads(line) for line in (tmp_path / "cases.jsonl").read_text().splitlines()]
        assert {answer["class"] for answer in answers} == {class_}
        outliers = {outlier.id if options else outlier.surface for outlier in groups["de"].outliers}
        assert {answer["outlier"] for answer in answers} == outliers
    capsys.readouterr()
    for task in ("consistency", "cutoff"):
        assert main(["evaluate", task, "--samples", *files]) == 1
        assert "what a harness logged gets" in capsys.readouterr().err


def test_a_case_of_another_set_is_no_case_of_this_one(tmp_path: Path) -> None:
    """Neither by its name nor by its words; its line is named."""
    group = make_group("de", 3)
    row, *_ = case_rows(cases_of([group]), 500)
    shown = {name: row[name] for name in CASES.names}
    likelihoods, asked = [-1.0] * len(row["choices"]), {case_id(*case): case for case in cases_of([group])}
    other = _write(tmp_path / "samples.jsonl", [(shown, likelihoods), ({**shown, "id": "de-0"}, likelihoods)])
    with pytest.raises(DamagedInputError, match=r"samples\.jsonl:2: .* case 'de-0', which the groups do not have"):
        read_samples(other, asked=asked)
    renamed = {**shown, "choices": [f"{word}x" for word in row["choices"]]}
    with pytest.raises(DamagedInputError, match=r"samples\.jsonl:1: .* where the groups have"):
        read_samples(
            _write(tmp_path / "samples.jsonl", [(renamed, likelihoods)]),
            asked=asked,
        )
