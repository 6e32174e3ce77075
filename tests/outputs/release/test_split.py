"""The few-shot split: no shot shares a class, an item or a word with a test case, in any language."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import wikisem
from tests.outputs.release.world import make_group, run_euroeval_file, write_run
from wikisem.outputs.groupfile import read_groups
from wikisem.outputs.release.cases import Case, split_cases
from wikisem.pipeline.cli import main
from wikisem.records import Group, Member, Outlier


def traits(rows: Sequence[Mapping[str, Any]]) -> set[object]:
    """Every class, item and word of the rows of cases."""
    found: set[object] = {("class", row["class"]) for row in rows}
    for row in rows:
        found |= {*row["items"], *(("word", word.casefold()) for word in row["choices"])}
    return found


def rows_of(release: Path, kind: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of all tables of cases of a release, by language, with what a release keeps apart from them."""
    items = {row["id"]: row for path in (release / "items").glob("*") for row in pq.read_table(path).to_pylist()}
    return {
        path.stem: [row | items[row["id"]] for row in pq.read_table(path).to_pylist()]
        for path in sorted((release / kind).glob("*.parquet"))
    }


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The release that comes with wikisem, whose clusters share many well-known items."""
    folder = tmp_path_factory.mktemp("sample")
    wikisem.sample(folder)
    return folder


def test_no_shot_of_a_release_shares_a_class_an_item_or_a_word_with_a_test_case(sample: Path) -> None:
    """In any language of real items; languages with ten groups or more have shots, of different classes."""
    shots, test = rows_of(sample, "shots"), rows_of(sample, "cases")
    counts = Counter(group.language for group in wikisem.read_groups(sample))
    assert set(shots) == {code for code, count in counts.items() if count >= 10}
    assert {"ja", "ko"} == set(counts) - set(shots)
    assert len(shots["en"]) == 4
    every = [row for rows in test.values() for row in rows]
    for rows in shots.values():
        assert len({row["class"] for row in rows}) == len(rows)
        assert traits(rows).isdisjoint(traits(every))


def test_what_shares_with_a_shot_is_in_neither_split_and_stays_a_group(sample: Path) -> None:
    """Each case is in one split at most; at least two thirds are test cases; groups are all there."""
    groups = wikisem.read_groups(sample)
    ids = {kind: {row["id"] for rows in rows_of(sample, kind).values() for row in rows} for kind in ("cases", "shots")}
    assert ids["cases"].isdisjoint(ids["shots"])
    for code in {group.language for group in groups}:
        every = sum(len(group.outliers) for group in groups if group.language == code)
        kept = sum(one.startswith(f"{code}-") for one in ids["cases"])
        assert every * 2 / 3 <= kept <= every


# Items of a small pool, so that most cases share something; the class is one of twelve.
WORDS = st.lists(st.integers(0, 60), min_size=4, max_size=4, unique=True)


@st.composite
def tangled(draw: st.DrawFn) -> dict[str, list[Group]]:
    """Groups in two languages that share classes, items and words."""
    languages = {}
    for code in ("de", "en"):
        groups = []
        for qid in range(1, draw(st.integers(2, 24))):
            *cluster, one, other = [Member(id=f"Q{n}", surface=f"{code[: n % 3]}{n}") for n in draw(WORDS)]
            outliers = tuple(Outlier(id=word.id, surface=word.surface, outlier_class=3) for word in (one, other))
            groups.append(Group(id=f"Q{1000 + qid}", language=code, cluster=tuple(cluster), outliers=outliers))
        languages[code] = groups
    return languages


@given(groups=tangled(), seed=st.integers(0, 9))
@settings(max_examples=60)
def test_splits_of_tangled_sets_are_disjoint_or_without_shots(groups: dict[str, list[Group]], seed: int) -> None:
    """Whatever is shared; a language keeps two thirds of its cases, and one of few groups has no shots."""
    split = split_cases(groups, seed)

    def parts(cases: Sequence[Case]) -> set[object]:
        found: set[object] = {("class", group.qid) for group, _ in cases}
        words = [word for group, outlier in cases for word in (*group.cluster, outlier)]
        return found | {key for word in words for key in (word.id, word.surface)}

    test = set().union(*map(parts, split.test.values()))
    assert set().union(*map(parts, split.shots.values())).isdisjoint(test)
    for code, own in groups.items():
        assert len(split.shots[code]) <= len(own) // 10
        assert len(split.test[code]) >= 2 / 3 * 2 * len(own)


def test_five_shots_of_fifty_groups_that_share_nothing() -> None:
    """Each costs its class alone; the split depends on the seed, not on the order of the groups."""
    groups = [make_group("de", number) for number in range(2, 62)]
    split, turned = split_cases({"de": groups}, 500), split_cases({"de": groups[::-1]}, 500)
    assert len(split.shots["de"]) == 5
    assert len(split.test["de"]) == (60 - 5) * 6
    assert turned.shots == split.shots
    assert split_cases({"de": groups}, 501).shots != split.shots


def test_a_release_of_few_groups_says_that_it_has_no_shots(tmp_path: Path) -> None:
    """No table, no split in the card, and a harness cannot draw examples from the test cases."""
    run = write_run(tmp_path / "out", 5, ("de",))
    assert main(["release", str(run), "--output", str(tmp_path / "set")]) == 0
    assert not (tmp_path / "set" / "shots").exists()
    text = (tmp_path / "set" / "README.md").read_text(encoding="utf-8")
    assert "There is no split for few-shot prompts: that takes ten groups in a language." in text
    assert '"dev"' not in text.split("---")[1]
    assert yaml.safe_load((tmp_path / "set" / "lm_eval" / "de.yaml").read_text())["num_fewshot"] == 0


def test_harness_tasks_take_their_shots_from_the_split(sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """lm-evaluation-harness the first of its table, EuroEval as many as there are; the card has a split and a table."""
    task = yaml.safe_load((sample / "lm_eval" / "de.yaml").read_text(encoding="utf-8"))
    assert task["dataset_kwargs"]["data_files"] == {"test": "cases/de.parquet", "dev": "shots/de.parquet"}
    assert (task["fewshot_split"], task["fewshot_config"]) == ("dev", {"sampler": "first_n"})
    assert yaml.safe_load((sample / "lm_eval" / "ja.yaml").read_text(encoding="utf-8"))["num_fewshot"] == 0
    found = run_euroeval_file(sample / "euroeval_wikisem.py", monkeypatch)["CASES_de"]
    assert (found.train_split, found.num_few_shot_examples) == ("dev", 2)
    text = (sample / "README.md").read_text(encoding="utf-8")
    (config,) = [one for one in yaml.safe_load(text.split("---")[1])["configs"] if one["config_name"] == "de_cases"]
    assert [(one["split"], one["path"]) for one in config["data_files"]] == [
        ("test", "cases/de.parquet"),
        ("dev", "shots/de.parquet"),
    ]
    rows = {kind: len(rows_of(sample, kind)["en"]) for kind in ("shots", "cases")}
    every = sum(len(group.outliers) for group in read_groups(sample) if group.language == "en")
    assert f"| `en_cases` | {rows['shots']} | {rows['cases']} | {every - sum(rows.values())} |" in text
