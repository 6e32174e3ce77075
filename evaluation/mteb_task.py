"""Outlier detection as a task of MTEB over a release folder: ``mteb.evaluate(model, tasks=[outlier_task("set")])``.

Needs wikisem[mteb]. OPP and accuracy are those of wikisem.evaluation.outlier_detection.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow.compute as pc
from datasets import Dataset, load_dataset
from mteb._create_dataloaders import create_dataloader
from mteb.abstasks.abstask import AbsTask
from mteb.abstasks.task_metadata import TaskMetadata

from wikisem.arrow.parquet import open_parquet
from wikisem.errors import MissingInputError
from wikisem.evaluation.outlier_detection import score_group, tally, words_of
from wikisem.evaluation.vectors.embeddings import TextModel
from wikisem.records import Group
from wikisem.wikipedia.languages import iso_639_3, iso_15924
from wikisem.wikis import date_in_name

_CITATION = """@article{blair2016automated,
  author = {Blair, Philip and Merhav, Yuval and Barry, Joel},
  journal = {arXiv preprint arXiv:1611.01547},
  title = {Automated Generation of Multilingual Clusters for the Evaluation of Distributed Representations},
  year = {2016},
}"""


def outlier_task(folder: str | PathLike[str], languages: Sequence[str] = ()) -> AbsTask:
    """Make an MTEB task of the groups of a release, in the languages given or in all that it has.

    MissingInputError where a language, or any, has no groups in the folder.
    """
    # The tables, read whole, so that all checksums are verified, which MTEB does not do.
    files = {path.stem: path for path in sorted(Path(folder).resolve().glob("groups/*.parquet"))}
    missing = [code for code in languages if code not in files]
    if missing or not files:
        raise MissingInputError(f"{folder}: expected groups/{'*'.join(missing[:1]) or '*'}.parquet, saw none")
    chosen = {code: files[code] for code in languages or files}
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in files.values())).hexdigest()
    tables = {}
    for code, path in chosen.items():
        with path.open("rb") as source, open_parquet(source, str(path), "a Parquet file of groups") as file:
            tables[code] = file.read()
    # The languages and scripts of the words of each table, as MTEB writes them: "deu-Latn". A table may mix several.
    scripts = {}
    for code, table in tables.items():
        members = pc.list_flatten(table["cluster"])
        languages_seen = pc.unique(pc.struct_field(members, "language")).to_pylist()
        scripts[code] = sorted({f"{iso_639_3(one or code)}-{iso_15924(one or code)}" for one in languages_seen})
    # The dates of the dumps that the groups were made from, by the manifest of the release, and their licence.
    manifest = Path(folder) / "manifest.json"
    stages = json.loads(manifest.read_bytes()).get("stages", {}) if manifest.is_file() else {}
    inputs = [one for stage in stages.values() for one in stage.get("inputs") or ()]
    dates = sorted(filter(None, (date_in_name(one.get("date", "")) or date_in_name(one["path"]) for one in inputs)))
    licence = (next(iter(tables.values())).schema.metadata or {}).get(b"wikisem.license", b"not specified")
    metadata = TaskMetadata(
        # MTEB takes results from its cache by name, whatever the revision is, so the name has a digest of the groups.
        name=f"WikisemOutlierDetection.{digest[:8]}",
        description="How often the outlier is the word without which a set of words is most compact.",
        dataset={"path": "parquet", "revision": digest},
        type="Clustering",
        category="t2t",
        reference="https://arxiv.org/abs/1611.01547",
        eval_splits=["test"],
        eval_langs=scripts,
        main_score="opp",
        date=(dates[0], dates[-1]) if dates else None,  # of the oldest and the newest dump
        domains=["Encyclopaedic"],
        task_subtypes=["Thematic clustering"],
        dialect=[],
        license=licence.decode(),
        annotations_creators="derived",
        sample_creation="found",
        modalities=["text"],
        bibtex_citation=_CITATION,
    )
    return type("WikisemOutlierDetection", (_OutlierDetection,), {"metadata": metadata, "files": chosen})()


class _OutlierDetection(AbsTask):
    """The task; ``files`` are the Parquet files of its languages."""

    files: Mapping[str, Path]

    def load_data(self, **_: Any) -> None:
        """Read the groups of every language."""
        if not getattr(self, "data_loaded", False):
            read = {code: load_dataset("parquet", data_files={"test": str(path)}) for code, path in self.files.items()}
            self.dataset = read
            self.data_loaded = True

    def _evaluate_subset(self, model: Any, data_split: Dataset, **about: Any) -> dict[str, float]:
        """OPP and accuracy from 0 to 1, with the error bars of OPP."""
        groups = [msgspec.convert(row, Group) for row in data_split]

        def encode(texts: Sequence[str]) -> Any:
            """Embed texts by MTEB's interface: a batch of them with the task, split and language that they are of."""
            loader = create_dataloader(Dataset.from_dict({"text": list(texts)}), task_metadata=self.metadata)
            options = {"hf_split": about["hf_split"], "hf_subset": about["hf_subset"], **about["encode_kwargs"]}
            return np.asarray(model.encode(loader, task_metadata=self.metadata, **options), dtype=np.float64)

        # As ``wikisem evaluate`` asks a model: each word once, with blanks for "_".
        known = TextModel("the model", encode).find({word for group in groups for word in words_of(group)})
        scored = [score_group(group, known) for group in groups]
        found = tally([(group, case) for group in scored for case in group.cases])
        accuracy, opp = found.error_bars()
        assert accuracy is not None and opp is not None
        percents = {"opp": opp.value, "accuracy": accuracy.value, "opp_low": opp.low, "opp_high": opp.high}
        return {name: value / 100 for name, value in percents.items()} | {"cases": float(found.counts.sum())}

    def _calculate_descriptive_statistics_from_split(
        self, split: str, *, hf_subset: str | None = None, **_: Any
    ) -> Any:
        """The number of test cases and groups, and how long words are, in one language or in all."""
        chosen = [hf_subset] if hf_subset else list(self.files)
        groups = [msgspec.convert(row, Group) for code in chosen for row in self.dataset[code][split]]
        words = [word for group in groups for word in words_of(group)]
        lengths = [len(word) for word in words]
        return {
            "num_samples": sum(len(group.outliers) for group in groups),
            "num_groups": len(groups),
            "text_statistics": {
                "total_text_length": sum(lengths),
                "min_text_length": min(lengths),
                "average_text_length": sum(lengths) / len(lengths),
                "max_text_length": max(lengths),
                "unique_texts": len(set(words)),
            },
        }
