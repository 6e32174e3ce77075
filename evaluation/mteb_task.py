"""Outlier detection as a task of MTEB over a release folder: ``mteb.evaluate(model, tasks=[outlier_task("set")])``.

Needs wikisem[mteb]. OPP and accuracy are those of wikisem.evaluation.outlier_detection.
"""

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from datasets import Dataset, load_dataset
from mteb._create_dataloaders import create_dataloader
from mteb.abstasks.abstask import AbsTask
from mteb.abstasks.task_metadata import TaskMetadata

from wikisem.datasets.word_groups import OutlierWord, WordGroup
from wikisem.errors import MissingInputError
from wikisem.evaluation.outlier_detection import score, score_groups, words_of
from wikisem.evaluation.vectors.lookup import TextLookup
from wikisem.evaluation.vectors.words import Vector
from wikisem.wikipedia.data.iso_639 import iso_639_3, iso_15924

_CITATION = """@article{blair2016automated,
  author = {Blair, Philip and Merhav, Yuval and Barry, Joel},
  journal = {arXiv preprint arXiv:1611.01547},
  title = {Automated Generation of Multilingual Clusters for the Evaluation of Distributed Representations},
  year = {2016},
}"""


def outlier_task(folder: str | PathLike[str], languages: Sequence[str] = ()) -> AbsTask:
    """The task over the groups of a release, in the languages given or in all that it has.

    MissingInputError where a language, or any, has no groups in the folder.
    """
    files = {path.stem: path for path in sorted(Path(folder).resolve().glob("groups/*.parquet"))}
    missing = [code for code in languages if code not in files]
    if missing or not files:
        raise MissingInputError(f"{folder}: expected groups/{'*'.join(missing[:1]) or '*'}.parquet, saw none")
    chosen = {code: files[code] for code in languages or files}
    metadata = TaskMetadata(
        name="WikisemOutlierDetection",
        description="How often the outlier is the word without which a set of words is most compact.",
        dataset={"path": "parquet", "revision": "1"},
        type="Clustering",
        category="t2t",
        reference="https://arxiv.org/abs/1611.01547",
        eval_splits=["test"],
        eval_langs={code: [language_script(code)] for code in chosen},
        main_score="opp",
        domains=["Encyclopaedic"],
        license="cc-by-sa-4.0",
        annotations_creators="derived",
        sample_creation="found",
        modalities=["text"],
        bibtex_citation=_CITATION,
    )
    return type("WikisemOutlierDetection", (_OutlierDetection,), {"metadata": metadata, "files": chosen})()


def language_script(code: str) -> str:
    """The language and script of a Wikipedia as MTEB writes them: "deu-Latn"."""
    return f"{iso_639_3(code)}-{iso_15924(code)}"


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
        groups = [_words(row) for row in data_split]
        known = self._encode(model, sorted({word for group in groups for word in words_of(group)}), about)
        found = score(score_groups(groups, known))
        assert found.opp is not None and found.accuracy is not None and found.error_bars is not None
        bars = found.error_bars[0]
        return {
            "opp": found.opp / 100,
            "accuracy": found.accuracy / 100,
            "opp_low": bars.low / 100,
            "opp_high": bars.high / 100,
            "cases": float(found.cases),
        }

    def _encode(self, model: Any, words: Sequence[str], about: Mapping[str, Any]) -> Mapping[str, Vector]:
        """A vector for each word, which the encoder gets as ``wikisem evaluate`` gives it: with blanks for "_"."""

        def encode(texts: Sequence[str]) -> Any:
            vectors = model.encode(
                create_dataloader(Dataset.from_dict({"text": list(texts)}), task_metadata=self.metadata),
                task_metadata=self.metadata,
                hf_split=about["hf_split"],
                hf_subset=about["hf_subset"],
                **about["encode_kwargs"],
            )
            return np.asarray(vectors, dtype=np.float64)

        return TextLookup("", encode).find(words)

    def _calculate_descriptive_statistics_from_split(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError("the card of the release has its statistics")


def _words(row: Mapping[str, Any]) -> WordGroup:
    outliers = tuple(OutlierWord(each["surface"], each["outlier_class"]) for each in row["outliers"])
    cluster = tuple(each["surface"] for each in row["cluster"])
    return WordGroup(row["class"], cluster, outliers, "", row["language"], row["label"])
