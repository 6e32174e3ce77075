"""qwikidata reading a dump: the classes, superclasses, labels and sitelinks of every item. Run by its own Python."""

import sys

from qwikidata.entity import WikidataItem
from qwikidata.json_dump import WikidataJsonDump

_LABELS = ("en", "es", "de", "ja", "zh")
_PROPERTIES = ("P31", "P279", "P17", "P30", "P36", "P38", "P131", "P361", "P1269", "P1376", "P1549")


def read(path: str) -> int:
    """Read the fields of all items, and say how many there were."""
    count = 0
    for entity in WikidataJsonDump(path):
        if entity["type"] == "item":
            entity["sitelinks"] = entity["sitelinks"] or {}
            item = WikidataItem(entity)
            [item.get_label(code) for code in _LABELS]
            item.get_sitelinks("")
            groups = item.get_truthy_claim_groups()
            [claim.mainsnak.datavalue for name in _PROPERTIES for claim in groups.get(name, ())]
            count += 1
    return count


if __name__ == "__main__":
    read(sys.argv[1])
