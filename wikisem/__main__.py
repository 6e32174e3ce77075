"""``python -m wikisem``: the command line."""

import sys

from wikisem.pipeline.cli import main

if __name__ == "__main__":
    sys.exit(main())
