"""All benchmarks in turn, each of which writes its page in ``docs/benchmarks/``: ``make bench``.

``python -m benchmarks links graph`` runs some of them; docs/benchmarks.md lists them.
Links need the real data that ``$WIKISEM_DATA`` names; the other tools are measured where they are installed (see
``benchmarks/peers.sh``). Everything takes about an hour on two cores.
"""

import argparse
import subprocess
import sys
from collections.abc import Mapping
from typing import Final

SECTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "entities": (),
    "links": (),
    "bzip2": (),
    "shuffle": (),
    "graph": ("--world", "build/benchmarks/world"),
    "scores": (),
}


def main() -> None:
    """Run the sections that are asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("section", nargs="*", choices=[*SECTIONS, []], help="default: all of them")
    arguments = parser.parse_args()
    for name in arguments.section or SECTIONS:
        subprocess.run([sys.executable, "-m", f"benchmarks.{name}", *SECTIONS[name]], check=True)


if __name__ == "__main__":
    main()
