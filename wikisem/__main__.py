"""``python -m wikisem``: the command line."""

from wikisem.pipeline.cli import command

if __name__ == "__main__":
    command()
