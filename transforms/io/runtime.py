"""How a stage runs its pipelines: the runner's options, the progress of parts, and failures that name their stage."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Protocol

import apache_beam as beam
from apache_beam.options.pipeline_options import PipelineOptions

from wikisem.errors import StageError, UsageError, WikisemError
from wikisem.transforms.io.files import list_files
from wikisem.transforms.io.local_workers import deaths_end_the_run, make_runner
from wikisem.transforms.io.scratch import Scratch


class Progress(Protocol):
    """Shows the progress of one pipeline while it runs: ``done()`` of ``total`` parts."""

    def __call__(self, label: str, done: Callable[[], int], total: int) -> AbstractContextManager[None]:
        """A context that shows progress until it is left."""
        ...


def no_progress(label: str, done: Callable[[], int], total: int) -> AbstractContextManager[None]:
    """Show nothing."""
    del label, done, total
    return nullcontext()


@dataclass(frozen=True)
class Runtime:
    """The Beam options of a run, how its progress is shown, and how many local worker processes do its work.

    ``DirectRunner`` would first try to download another runner's binary, so ``FnApiRunner`` is the default, by name.
    """

    beam_options: Sequence[str] = ()
    progress: Progress = field(default=no_progress)
    workers: int = 1

    def run(
        self,
        construct: Callable[[beam.Pipeline], object],
        *,
        label: str,
        parts: str = "",
        total: int = 0,
    ) -> None:
        """Construct a pipeline, run it and wait for it.

        ``parts`` is a file pattern: progress is how many of ``total`` such files are there, which workers in other
        processes and on other machines can report by doing their work. Raises StageError from the first cause, and
        UsageError when Beam refuses its options.
        """
        pipeline = self._new_pipeline()
        construct(pipeline)
        guard = deaths_end_the_run(label) if self._in_processes() else nullcontext()
        with self.progress(label, lambda: len(list_files(parts)) if parts else 0, total), guard:
            try:
                state = pipeline.run().wait_until_finish()
            except WikisemError:
                raise
            except Exception as error:  # runners raise what they like
                raise StageError(f"{label}: expected the pipeline to finish, saw {_first_line(error)}") from error
        if state not in (None, "DONE"):
            raise StageError(f"{label}: expected the pipeline to finish, saw it end as {state}")

    def _new_pipeline(self) -> beam.Pipeline:
        try:
            return beam.Pipeline(runner=make_runner() if self._in_processes() else None, options=self.options())
        except ValueError as error:  # a runner that is not known, or lacks an option it needs
            raise UsageError(f"after --: expected options that Beam takes, saw {_first_line(error)}") from error

    def options(self) -> PipelineOptions:
        """The pipeline options; ``FnApiRunner`` unless a runner is named."""
        runner = [] if self._names_runner() else ["--runner=FnApiRunner"]
        workers = [f"--direct_num_workers={self.workers}"] if self._in_processes() else []
        return PipelineOptions([*runner, *workers, *self.beam_options])

    def _in_processes(self) -> bool:
        return self.workers > 1 and not self._names_runner()

    def _names_runner(self) -> bool:
        return any(option.startswith("--runner") for option in self.beam_options)


@dataclass(frozen=True)
class StageContext:
    """Where a stage writes, and how it runs its pipelines: all that a stage knows of the run it is part of.

    ``folders`` are those that OUT has for the files of each unit that is to be made; they are empty.
    """

    scratch: Scratch
    runtime: Runtime
    folders: Mapping[str, str] = field(default_factory=dict)

    def for_unit(self, unit: str) -> "StageContext":
        """This context, where what the scratch folder calls published is the folder of one unit."""
        return replace(self, scratch=replace(self.scratch, target=self.folders[unit]))


def label_of(stage: str, languages: Sequence[str]) -> str:
    """What progress and errors call a stage that works on these languages.

    >>> label_of("mentions", ["de"]), label_of("mentions", ["de", "en", "ja"])
    ('mentions de', 'mentions in 3 languages')
    """
    return f"{stage} {languages[0]}" if len(languages) == 1 else f"{stage} in {len(languages)} languages"


def _first_line(error: Exception) -> str:
    cause: BaseException = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    text = str(cause).strip().splitlines()
    return f"{type(cause).__name__}: {text[0] if text else ''}"
