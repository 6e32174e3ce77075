"""One command with its output folder, its runner and its limits, and how it publishes what a unit has made."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from wikisem.errors import OutputError, TooManyRejectsError
from wikisem.pipeline.build.ledger import Ledger
from wikisem.transforms.io.addresses import check_address, is_local
from wikisem.transforms.io.files import create_binary, exists, list_files, open_binary, remove, replace, replace_file
from wikisem.transforms.io.runtime import Runtime, StageContext
from wikisem.transforms.io.scratch import Scratch

# Below this many unreadable records the rate is not applied: a small file may well hold a large part of them.
FEW_REJECTS: Final = 100


def _ignore(line: str) -> None:
    del line


@dataclass(frozen=True)
class Run:
    """What all units of one command share; ``log`` gets a line for people now and then, shown to no one by default.

    ``max_rejects`` is the rate of unreadable records that fails a unit, from FEW_REJECTS of them on.
    """

    output: str
    runtime: Runtime
    max_rejects: float = 0.01
    log: Callable[[str], None] = _ignore
    _logged_once: set[str] = field(default_factory=set, init=False, repr=False, compare=False)

    @property
    def ledger(self) -> Ledger:
        """The records of the output folder."""
        return Ledger(self.output)

    def log_once(self, line: str) -> None:
        """Log a line that several stages may have to say."""
        if line not in self._logged_once:
            self._logged_once.add(line)
            self.log(line)

    def clear(self) -> None:
        """Remove the scratch of this run and of earlier ones that were interrupted."""
        remove(f"{self.output}/.work")

    def context(self, name: str) -> StageContext:
        """An empty scratch folder for a stage, and the runtime."""
        root = f"{self.output}/.work/{name.replace('/', '.')}"
        remove(root)
        return StageContext(Scratch(root), self.runtime)

    def publish(self, scratch: Scratch, leaves: Mapping[str, str]) -> None:
        """Move what a unit left in its scratch folder to OUT: from paths below ``published`` to paths below OUT."""
        for source, target in leaves.items():
            path = f"{scratch.published}/{source}".rstrip("/")
            if exists(path) or list_files(f"{path}/**"):
                replace(path, f"{self.output}/{target}")
            else:
                remove(f"{self.output}/{target}")

    def keep_rejects(self, name: str, scratch: Scratch) -> str:
        """Gather the rejects of a stage in OUT/rejects/<stage>.jsonl, and return that path."""
        target = f"{self.output}/rejects/{name.replace('/', '-')}.jsonl"
        sources = list_files(f"{scratch.rejects}/*")
        if not sources:
            remove(target)
            return target
        with create_binary(target) as sink:
            for path in sources:
                with open_binary(path) as source:
                    while block := source.read(1 << 20):
                        sink.write(block)
        return target

    def check_rejects(self, name: str, rejected: int, read: int, kept_in: str) -> None:
        """Raise TooManyRejectsError when too many of the records that were read are unreadable."""
        if rejected >= FEW_REJECTS and rejected > self.max_rejects * read:
            raise TooManyRejectsError(
                f"{name}: expected at most {self.max_rejects:.2%} unreadable records (--max-rejects), "
                f"saw {rejected:,} of {read:,}; they are in {kept_in}"
            )


def check_writable(output: str) -> None:
    """Raise OutputError unless files can be written under the output folder, UsageError if it is no such address."""
    check_address(output)
    if not is_local(output) and any(letter in output for letter in "*?["):
        raise OutputError(f"expected an output URL without *, ? and [, saw {output!r}")
    probe = f"{output}/.wikisem/probe"
    try:
        replace_file(probe, b"")
        remove(probe)
    except OSError as error:
        raise OutputError(f"expected an output folder that can be written, saw {output!r}: {error}") from error
