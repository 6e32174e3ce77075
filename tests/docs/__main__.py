"""What is done with each code block of the documentation, counted: ``python -m tests.docs``."""

from collections import Counter

from tests.docs.blocks import Block, all_blocks, commands
from tests.docs.runs import reason_aside, treatment
from wikisem.pipeline.console.terminal import print_line

_READ = {"toml": "read by its loader", "json": "read by its loader", "usage": "parsed", "diff": "held against the code"}
_RUN = ("console", "python", "sql")


def fates(block: Block) -> list[str]:
    """What is done with a block, one for each command in it."""
    if block.language == "console":
        return ["set aside, looked up" if reason_aside(command.text) else "run" for command in commands(block)]
    if block.language == "text":
        what = treatment(block)
        compared = ("output: ", "real output: ", "file: ", "real file: ", "paths: ", "error: ", "result")
        return ["compared with what is printed or written" if what.startswith(compared) else "set aside, with a reason"]
    return ["run" if block.language in _RUN else _READ[block.language]]


def main() -> None:
    """Print the counts."""
    blocks = all_blocks()
    found = Counter((block.language, fate) for block in blocks for fate in fates(block))
    print_line(f"{len(blocks)} blocks on {len({block.page for block in blocks})} pages")
    for (language, fate), count in sorted(found.items()):
        print_line(f"{language:<8}  {fate:<42}{count:>4}")
    total = Counter(fate for block in blocks for fate in fates(block))
    print_line("; ".join(f"{fate} {count}" for fate, count in total.most_common()))


if __name__ == "__main__":
    main()
