"""All benchmarks in turn, then ``docs/benchmarks.md`` from the sections they wrote: ``make bench``.

``python -m benchmarks links graph`` runs some of them; ``python -m benchmarks --write`` only puts the page together.
Links need the real data that ``$WIKISEM_DATA`` names; the other tools are measured where they are installed (see
``benchmarks/peers.sh``). Everything takes about an hour on two cores.
"""

import argparse
import subprocess
import sys
from collections.abc import Mapping
from typing import Final

from benchmarks.report import DOCS

SECTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "entities": (),
    "links": (),
    "bzip2": (),
    "shuffle": (),
    "graph": ("--world", "build/benchmarks/world"),
    "scores": (),
}

PAGE: Final = DOCS.with_suffix(".md")
HEAD: Final = """\
# Benchmarks

How fast wikisem is, and how fast other tools do the same work. Contenders take turns, round after round, each in a new
process, so that a slow minute of the machine affects them all alike; figures are medians, and ratios compare things
measured in the same run. `make bench` regenerates this page; each section names the machine and its load. What the
figures mean for the whole dumps: [full-dump.md](full-dump.md). All stages at the size of English Wikipedia and of
Wikidata: [benchmarks/full-size.md](benchmarks/full-size.md), which takes hours and is measured apart.
"""


def main() -> None:
    """Run the sections that are asked for, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("section", nargs="*", choices=[*SECTIONS, []], help="default: all of them")
    parser.add_argument("--write", action="store_true", help="measure nothing")
    arguments = parser.parse_args()
    for name in () if arguments.write else arguments.section or SECTIONS:
        subprocess.run([sys.executable, "-m", f"benchmarks.{name}", *SECTIONS[name]], check=True)
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """The page, from the sections that there are."""
    found = [DOCS / f"{name}.md" for name in SECTIONS]
    sections = [path.read_text(encoding="utf-8") for path in found if path.exists()]
    # A section is one folder deeper than the page.
    return "\n".join([HEAD, *sections]).replace("](../", "](")


if __name__ == "__main__":
    main()
