"""``python -m wikisem``: the command line."""

from typing import NoReturn

from wikisem.pipeline.console.interruption import end_at_once_by_ctrl_c


def command() -> NoReturn:
    """Run the program ``wikisem``; Ctrl-C ends it without a word while its modules are imported."""
    end_at_once_by_ctrl_c()
    from wikisem.pipeline import cli  # noqa: PLC0415 - it takes ten times as long as what is above

    cli.command()


if __name__ == "__main__":
    command()
