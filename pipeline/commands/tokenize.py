"""Write a data set with its words divided into tokens, for models of languages without spaces.

WikiSem500 was also released in this form. OUT gets a text file for each group, LANGUAGE/ID.txt, in which `_` is between
the tokens of a word, and LANGUAGE/outlier-classes.json.
"""

import argparse
from collections import defaultdict
from pathlib import Path
from typing import Final

from wikisem.datasets.word_groups import OUTLIER_CLASSES_FILE, write_outlier_classes
from wikisem.errors import DamagedInputError, UsageError
from wikisem.evaluation.options import TOKENIZERS
from wikisem.evaluation.outlier_detection import group_ids
from wikisem.evaluation.vectors.embeddings import open_tokenizer
from wikisem.files import path_of, write_text
from wikisem.pipeline.command_options import Options
from wikisem.pipeline.console.terminal import print_line
from wikisem.pipeline.scoring import read_datasets

OPTIONS: Final[Options] = {"--tokenizer": {"convert": sorted(TOKENIZERS)}}


def run(arguments: argparse.Namespace) -> int:
    """Divide every word of every group, and write the groups."""
    (groups,) = read_datasets([arguments.dataset], arguments.languages).values()
    tokenize, output = open_tokenizer(arguments.tokenizer), arguments.output
    paths = [output / group.language / f"{name}.txt" for name, group in zip(group_ids(groups), groups, strict=True)]
    for path, group in zip(paths, groups, strict=True):  # before anything is written
        if path.resolve() == path_of(group.where).resolve():
            raise UsageError(f"expected another folder than that of the data set, saw {output}")
        if not path.resolve().is_relative_to(output.resolve()):
            raise DamagedInputError(
                f"{group.where}: expected a language and an id that name a file, saw {group.language!r} and "
                f"{group.id!r}"
            )
    classes: defaultdict[Path, list[tuple[str, list[int | None]]]] = defaultdict(list)
    for path, group in zip(paths, groups, strict=True):
        cluster, outliers = (
            ["_".join(tokenize(member.surface)) or member.surface for member in members]
            for members in (group.cluster, group.outliers)
        )
        write_text(path, ["\n".join([*cluster, "", *outliers, ""])])
        classes[path.parent].append((path.stem, [outlier.outlier_class for outlier in group.outliers]))
    for folder, known in classes.items():
        write_text(folder / OUTLIER_CLASSES_FILE, [write_outlier_classes(known).decode()])
    print_line(f"{len(groups):,} groups divided by {arguments.tokenizer}\noutput: {output}")
    return 0
