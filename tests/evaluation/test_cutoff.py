"""The cutoff curve: bands and steps against plain counting, and models that know items up to a number."""

import json
import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from studies.cutoff import CUTOFF, MODELS, sample
from tests.rows import printed_rows
from tests.word_groups import outlier_word, word_group
from wikisem.errors import DamagedInputError, MissingInputError
from wikisem.evaluation.cutoff import KnownDate, find_step, measure_cutoff, read_dates
from wikisem.evaluation.outlier_detection import Evaluation, GroupScore, score_models
from wikisem.evaluation.plot import draw_rows
from wikisem.evaluation.rows import LEVEL, Row
from wikisem.evaluation.vectors.embeddings import TextModel
from wikisem.ids import qid_number
from wikisem.pipeline.cli import main
from wikisem.records import Group

ITEMS, KNOWN_UP_TO = 1_000_000, 600_000
# Of item numbers: an instance of class c has a number that is c modulo this.
CLASSES = 80


def model(known_up_to: int) -> TextModel:
    """A model that has a direction for each class, and for items above a number nothing but noise."""

    def encode(qids: Iterable[str]) -> list[np.ndarray[Any, np.dtype[np.float64]]]:
        vectors = []
        for number in map(qid_number, qids):
            noise = np.random.default_rng(number).normal(size=CLASSES)
            own = np.eye(CLASSES)[number % CLASSES] if number <= known_up_to else 0
            vectors.append(4 * own + 0.5 * noise)
        return vectors

    return TextModel(f"knows up to {known_up_to}", encode)


def groups_of(seed: int) -> list[Group]:
    """A group of eight for each class and six outliers of other classes, named by their QIDs, ever more of them new."""
    generator = np.random.default_rng(seed)

    def item(class_: int, newest: float) -> str:
        return f"Q{1 + class_ + CLASSES * int(generator.integers(int(newest * ITEMS) // CLASSES - 1))}"

    groups = []
    for class_ in range(CLASSES - 1):
        newest = generator.uniform(0.1, 1)
        cluster = tuple(item(class_, newest) for _ in range(8))
        others = generator.choice([one for one in range(CLASSES - 1) if one != class_], 6)
        outliers = tuple(item(int(other), newest) for other in others)
        words = tuple(outlier_word(qid, 1, qid) for qid in outliers)
        groups.append(word_group(f"Q{class_}", cluster, words, "here", "en", "", cluster))
    return groups


def evaluated(model: TextModel, seed: int = 1) -> Evaluation[GroupScore]:
    """The scores of a model."""
    return score_models(groups_of(seed), [model])[0][0]


@pytest.mark.parametrize("dates", [(), (KnownDate("2020-01-01", 700_000), KnownDate("2015-01-01", 300_000))])
def test_bands_have_every_case_once(dates: tuple[KnownDate, ...]) -> None:
    """Every case is in the band of its newest member, bands end with the items of known dates, all are counted."""
    evaluation = evaluated(model(KNOWN_UP_TO))
    rows, _ = measure_cutoff(evaluation, dates, bands=7)
    found = [row for row in rows if row.part == "band" and row.metric == "accuracy"]
    cases = [
        (max(qid_number(member.id) for member in group.group.cluster), case.detected)
        for group in evaluation.scores
        for case in group.cases
    ]
    bands = [tuple(map(int, re.findall(r"Q(\d+)", row.name))) for row in found]
    assert len(bands) == (3 if dates else 7)
    assert all(one[1] < other[0] for one, other in pairwise(bands))
    assert sum(row.cases for row in found) == len(cases)
    for row, (low, high) in zip(found, bands, strict=True):
        inside = [detected for number, detected in cases if low <= number <= high]
        assert row.cases == len(inside)
        assert row.value == pytest.approx(100 * sum(inside) / len(inside))
    if dates:
        made = ["by 2015-01-01", "after 2015-01-01 by 2020-01-01", "after 2020-01-01"]
        assert [row.name.partition(", made ")[2] for row in found] == made
        assert bands[0][1] <= 300_000 < bands[1][0]


def test_a_model_that_knows_items_up_to_a_number_is_found_out(tmp_path: Path) -> None:
    """In 7 sets of 10 at least the change is seen and its interval has the number; the picture shows it."""
    found = [measure_cutoff(evaluated(model(KNOWN_UP_TO), seed))[0] for seed in range(10)]
    seen = [rows for rows in found if change_of(rows).value is not None]
    ends = [(change_of(rows).low or 0, change_of(rows).high or 0) for rows in seen]
    assert sum(low <= KNOWN_UP_TO < high for low, high in ends) >= 7
    for rows in seen:
        before, after = (row.value or 0 for row in rows if row.part == "change" and row.metric == "accuracy")
        assert before > after + 20
    draw_rows(tmp_path / "curve.svg", found[1], "band")
    assert f"<!-- knows up to {KNOWN_UP_TO} -->" in (tmp_path / "curve.svg").read_text()


def change_of(rows: Iterable[Row]) -> Row:
    """The row of the cutoff."""
    (row,) = (row for row in rows if row.metric == "cutoff")
    return row


def test_no_change_is_seen_in_a_model_that_knows_all_items() -> None:
    """A model without a cutoff has none, but a p-value."""
    rows, said = measure_cutoff(evaluated(model(ITEMS)))
    change = change_of(rows)
    assert (change.value, change.low, change.high) == (None, None, None)
    assert (change.p or 0) > LEVEL
    assert said == "no change seen (p = 1.00)"


@pytest.mark.parametrize("kind", MODELS)
def test_changes_are_seen_where_they_are(kind: str) -> None:
    """Of models without a cutoff about 5 % seem to have one, even if accuracy falls slowly; intervals have the cutoff.

    ``python -m studies.cutoff`` has the rates of 500 samples.
    """
    generator = np.random.default_rng(3)
    samples = [sample(generator, 50, kind) for _ in range(40)]
    steps = [find_step(numbers, right, classes, seed=1) for numbers, right, classes in samples]
    seen = [step is not None and step.p <= LEVEL for step in steps]
    if kind != "cutoff":
        assert sum(seen) <= 6
        return
    assert sum(seen) >= 20
    inside = [
        numbers[step.low - 1] <= CUTOFF < numbers[step.high]
        for (numbers, _, _), step, one in zip(samples, steps, seen, strict=True)
        if one and step is not None
    ]
    assert sum(inside) >= 0.85 * len(inside)


def test_the_step_has_the_least_sum_of_squares() -> None:
    """Of all cutoffs with 15 % of the cases on each side, by a regression for each; only falls count."""
    numbers, right, classes = sample(np.random.default_rng(8), 30, "cutoff")
    step = find_step(numbers, right, classes)
    count = len(numbers)
    fits = {}
    for start in range(1, count):
        if numbers[start] == numbers[start - 1] or not 0.15 * count <= start <= 0.85 * count:
            continue
        ranks = [(np.sum(numbers < one) + np.sum(numbers <= one) + 1) / 2 for one in numbers]
        design = np.column_stack([np.ones(count), ranks, np.arange(count) >= start])
        coefficients = np.linalg.lstsq(design, right, rcond=None)[0]
        if coefficients[2] < 0:
            fits[start] = float(((right - design @ coefficients) ** 2).sum())
    assert step is not None
    assert step.at == min(fits, key=lambda start: fits[start])
    assert step.low <= step.at <= step.high


def test_few_cases_and_cases_without_qids_have_no_change() -> None:
    """Too few cases to look; a data set of text is refused."""
    evaluation = evaluated(model(ITEMS))
    rows, said = measure_cutoff(Evaluation("m", (), evaluation.scores[:2]))
    assert {row.part for row in rows} == {"band"}
    assert said == "too few cases to look for a cutoff"
    text = word_group("Q1", ("a", "b"), (outlier_word("c"),), "here")
    scored = score_models([text], [TextModel("m", lambda words: [np.ones(2) for _ in words])])[0][0]
    with pytest.raises(MissingInputError, match="expected test cases with the QIDs"):
        measure_cutoff(scored)


def write(path: Path, value: Mapping[str, Any] | str) -> str:
    """A file of text or JSON, and its path."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return str(path)


def test_dates_are_read_from_manifests_and_lines(tmp_path: Path) -> None:
    """The OUT of a run, its manifest, or lines, whose numbers may be QIDs."""
    entities = {"highest_item": 138_000_000, "inputs": [{"date": "2026-11-02", "path": "x"}, {"path": "y"}]}
    manifest = write(tmp_path / "out" / "manifest.json", {"stages": {"entities": entities}})
    lines = write(tmp_path / "dates.csv", "date,item\n2014-01-06,Q15500000\n\n2019-01-07,60000000\n")
    expected = [
        KnownDate("2026-11-02", 138_000_000),
        KnownDate("2014-01-06", 15_500_000),
        KnownDate("2019-01-07", 60_000_000),
    ]
    assert read_dates([manifest, lines]) == expected
    assert read_dates([str(tmp_path / "out")]) == expected[:1]
    with pytest.raises(DamagedInputError, match=r"bad.csv:2: expected .* saw 'soon,1'"):
        read_dates([write(tmp_path / "bad.csv", "2019-01-07,6\nsoon,1\n")])
    with pytest.raises(DamagedInputError, match="expected higher item numbers at later dates, saw 9 at 2019"):
        read_dates([write(tmp_path / "bad.csv", "2020-01-07,8\n2019-01-07,9\n")])
    with pytest.raises(MissingInputError, match="saw none; name a file of lines"):
        read_dates([write(tmp_path / "manifest.json", {"stages": {"entities": {"highest_item": 138}}})])
    with pytest.raises(MissingInputError, match="saw nothing at"):
        read_dates([str(tmp_path / "none")])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", r":? expected .* lines of YYYY-MM-DD,item, saw no date"),
        (b"date,item\n", r"saw no date"),
        (b"2019-01-07;60000000\n", r":1: expected .*, saw '2019-01-07;60000000'"),
        (b"2019-13-07,60000000\n", r":1: expected .*, saw '2019-13-07,60000000'"),
        (b"2019-01-07,0\n", r":1: expected .*, saw '2019-01-07,0'"),
        (b"2019-01-07,60000000\n2020-01-07,7\xb00000000\n", r":2: expected UTF-8"),
    ],
)
def test_damaged_dates_are_named(tmp_path: Path, data: bytes, message: str) -> None:
    """No line is taken for the names of columns but a first one without a digit, and some line must be a date."""
    (tmp_path / "dates.csv").write_bytes(data)
    with pytest.raises(DamagedInputError, match=rf"dates\.csv{message}" if message[0] == ":" else message):
        read_dates([str(tmp_path / "dates.csv")])


def test_the_command_reads_what_a_harness_logged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Samples of a release have the QIDs of their choices: bands, dates and a curve without any vectors."""
    rows = []
    for class_ in range(40):
        number = 10 * class_ + 4
        for outlier in (7, 9):
            doc: dict[str, Any] = {
                "class": f"Q{class_}",
                "label": "",
                "language": "en",
                "choices": ["a", "b", "c"],
                "answer": 2,
            }
            doc["items"] = ["Q1", f"Q{number}", f"Q{outlier}"]
            scores = [-2, -2, -1 if number <= 250 else -3]
            rows.append({"doc": doc, "filtered_resps": [[str(one), "False"] for one in scores]})
    logged = write(tmp_path / "samples.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    dates = write(tmp_path / "dates.csv", "2015-01-01,200\n2020-01-01,300\n")
    assert main(["evaluate", "cutoff", logged, "--samples", "--dates", dates, "--json"]) == 0
    found = printed_rows(capsys.readouterr().out)
    bands = [row for row in found if row.part == "band" and row.metric == "accuracy"]
    assert [row.value for row in bands] == [100, pytest.approx(50, abs=1), 0]
    assert bands[1].name == "Q204 to Q294, made after 2015-01-01 by 2020-01-01"
    assert change_of(found).value == 254
    assert [row.name for row in found if row.part == "change" and row.metric == "opp"] == ["up to Q244", "from Q254"]
    assert main(["evaluate", "cutoff", logged, "--samples", "--dates", dates]) == 0
    printed = capsys.readouterr().out
    assert "accuracy falls from 100.00 to 0.00 % between Q244 and Q254" in printed
    assert "p = 0.0000" not in printed
    assert "after 2015-01-01 by 2020-01-01" in printed
    page = tmp_path / "report.html"
    assert main(["evaluate", "cutoff", logged, "--samples", "--csv", "--output", str(page)]) == 0
    # A point of each band, of which the last is Q364 to Q394, so that the line of a guess is one of three.
    assert "Q364 to Q394: 0.00" in page.read_text()
    assert "chance 33.3" in page.read_text()
    assert capsys.readouterr().out.startswith("task,model,dataset,")
    assert main(["evaluate", "cutoff", logged]) == 2
    assert "expected --vectors, or --samples" in capsys.readouterr().err
