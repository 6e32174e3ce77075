"""Which rules reject clusters of real labels, by script: real classes of Wikidata in every language that has labels.

Settled that the rules of the paper can be used in every script.

``python -m studies.label_rules ENTITIES.json.gz`` prints a table by script; with ``--shown N`` it also prints about so
many of the rejections, to be read by people.
"""

import argparse
import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from wikisem.heuristics.rules.cluster import broken_rules
from wikisem.heuristics.rules.wording import Verdict
from wikisem.recipes.load import load_recipe
from wikisem.wikipedia.languages import language_profile, script_sets
from wikisem.wikis import label_codes, own_code

MINIMUM, SIZE = 7, 8


def main() -> None:
    """Read the items, judge every class in every language, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("entities")
    parser.add_argument("--shown", type=int, default=0)
    arguments = parser.parse_args()
    items = list(read_items(arguments.entities))
    codes = sorted({code for item in items for code in item["labels"]} - {"mul"})
    clusters: Counter[str] = Counter()
    rejected: dict[str, Counter[str]] = defaultdict(Counter)
    shown: list[str] = []
    for code in codes:
        for class_, surfaces in clusters_of(items, code):
            script = "|".join("+".join(one) for one in script_sets(own_code(code)))
            clusters[script] += 1
            for verdict in judge(code, surfaces):
                rejected[script][verdict.reason] += 1
                shown.append(f"{code} {class_} {verdict.reason}: {verdict.detail}")
    print_table(clusters, rejected)
    print(f"\n{len(codes)} codes, {sum(clusters.values())} clusters, {len(shown)} rejections")
    for line in shown[:: max(1, len(shown) // arguments.shown)] if arguments.shown else ():
        print(line)


def read_items(path: str) -> Iterator[dict[str, Any]]:
    """The items of a dump with their labels, classes and number of sitelinks."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            text = line.strip().rstrip(",")
            if len(text) < 3:
                continue
            entity = json.loads(text)
            claims = (entity.get("claims") or {}).get("P31", [])
            values = (claim["mainsnak"].get("datavalue", {}).get("value", {}) for claim in claims)
            labels = entity.get("labels") or {}
            yield {
                "id": entity["id"],
                "labels": {code: label["value"] for code, label in labels.items()},
                "classes": {f"Q{value['numeric-id']}" for value in values if "numeric-id" in value},
                "sitelinks": len(entity.get("sitelinks") or {}),
            }


def clusters_of(items: Sequence[Mapping[str, Any]], code: str) -> Iterator[tuple[str, list[str]]]:
    """The labels of the best linked instances of each class that has seven or more with a label."""
    by_class: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for item in items:
        label = next((item["labels"][one] for one in label_codes(code) if one in item["labels"]), None)
        if label is None:
            continue
        for class_ in item["classes"]:
            by_class[class_].append((-item["sitelinks"], label))
    for class_, found in sorted(by_class.items()):
        if len(found) >= MINIMUM:
            yield class_, [label for _, label in sorted(found)[:SIZE]]


def judge(code: str, surfaces: Sequence[str]) -> list[Verdict]:
    """Every rule of the paper that a cluster breaks."""
    recipe = load_recipe("wikisem500")
    return list(broken_rules(surfaces, language_profile(code, sample=surfaces), recipe.filters, MINIMUM))


def print_table(clusters: Mapping[str, int], rejected: Mapping[str, Mapping[str, int]]) -> None:
    """A row for each script, as Markdown."""
    reasons = sorted({reason for found in rejected.values() for reason in found})
    print(f"| script | clusters | {' | '.join(reasons)} |")
    print("|---|" + "---:|" * (len(reasons) + 1))
    for script, count in sorted(clusters.items(), key=lambda pair: (-pair[1], pair[0])):
        cells = [str(rejected.get(script, {}).get(reason, 0) or "") for reason in reasons]
        print(f"| {script} | {count} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
