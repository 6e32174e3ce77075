"""How a stage runs: where it writes, its pipelines with the options of a runner, progress, and failures."""

import difflib
import importlib
import re
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from math import inf
from time import monotonic
from typing import Any, Final, NoReturn, Self

import apache_beam as beam
from apache_beam.io.filesystems import FileSystems
from apache_beam.options.pipeline_options import PipelineOptions, StandardOptions

from wikisem import errors
from wikisem.errors import OutputError, StageError, UsageError, WikisemError
from wikisem.files import exists, is_local, list_files, read_binary, remove, replace_file
from wikisem.layout import Scratch, token_path
from wikisem.transforms.io.counts import BytesRead, report_bytes_to
from wikisem.transforms.io.local_workers import LocalWorkers, WorkerError
from wikisem.transforms.io.shuffle import Shuffle

# Listing finished parts takes at most this share of the time: a folder of 10,000 files on a store takes seconds.
_LISTING_SHARE: Final = 0.05
_REMOTE_LISTING: Final = 15.0  # seconds between two listings on a store, which are paid by the request

# Shows the progress of one pipeline while it runs, from its label, how many parts are ``done()``, of how many, how many
# bytes are ``read()``, of how many, and ``more()``, which says in words what else is known as of the last ``done()``.
Progress = Callable[
    [str, Callable[[], int], int, Callable[[], int], int, Callable[[], str]], AbstractContextManager[None]
]


@dataclass
class PartListing:
    """The finished parts of a pipeline, by a file pattern; an empty pattern matches no part.

    A listing is reused for 19 times as long as it took, and for 15 seconds at least on a store, where requests cost.
    ``clock`` gives seconds.
    """

    pattern: str
    clock: Callable[[], float] = monotonic
    found: list[str] = field(default_factory=list, init=False)
    _next: float = field(default=-inf, init=False)

    def count(self) -> int:
        """Return how many parts were there at the last listing, which is made again if it is old enough."""
        begin = self.clock()
        if self.pattern and begin >= self._next:
            self.found = list_files(self.pattern)
            end = self.clock()
            pause = (end - begin) * (1 / _LISTING_SHARE - 1)  # after 1 s of listing 19 s: a share of 5 %
            self._next = end + max(pause, 0.0 if is_local(self.pattern) else _REMOTE_LISTING)
        return len(self.found)


def words_of_languages(parts: Iterable[str], totals: Mapping[str, int]) -> str:
    """Say how many of the languages, which run side by side, have all their parts; "" for fewer than two.

    >>> words_of_languages(["out/de-00000.json", "out/de-00001.json", "out/ja-00000.json"], {"de": 2, "ja": 2})
    '1 of 2 languages'
    """
    if len(totals) < 2:
        return ""
    done = Counter(part.rpartition("/")[2].rpartition("-")[0] for part in parts)
    return f"{sum(done[code] >= total for code, total in totals.items())} of {len(totals)} languages"


def label_of(stage: str, languages: Sequence[str]) -> str:
    """What progress and errors call a stage that works on these languages.

    >>> label_of("mentions", ["de"]), label_of("mentions", ["de", "en", "ja"])
    ('mentions de', 'mentions in 3 languages')
    """
    return f"{stage} {languages[0]}" if len(languages) == 1 else f"{stage} in {len(languages)} languages"


# Beam's options for what --workers does.
_OTHER_WORKERS: Final = ("--direct_num_workers", "--direct_running_mode")
# Runners whose engine shuffles in bulk unless ``--bulk_shuffle`` says otherwise; for all others bucket files do, which
# were faster on engines that share a disk with their workers. docs/engines.md has the figures.
_SHUFFLING: Final = frozenset({"DataflowRunner", "TestDataflowRunner"})


class ShuffleOptions(PipelineOptions):
    """The option of ours after ``--``: which way rows are shuffled in bulk."""

    @classmethod
    def _add_argparse_args(cls, parser: Any) -> None:
        text = "shuffle in bulk by the engine, or through files in OUT (default: by the runner)"
        parser.add_argument("--bulk_shuffle", choices=("engine", "files"), help=text)


# Runners with a job server, which has options beyond those that Beam's Python knows.
_SERVED: Final = frozenset({"PortableRunner", "FlinkRunner", "SparkRunner"})


def parse_options(words: Sequence[str]) -> PipelineOptions:
    """Read Beam's options from words of a command line; UsageError for a runner, option or value that Beam lacks.

    Beam itself ignores options that it does not know, so a misspelt ``--runner`` would build on this machine.
    """
    options = PipelineOptions(list(words))
    given, runner = options.view_as(StandardOptions).runner or "", _runner_name(options)
    module, dot, _ = given.rpartition(".")
    if dot:
        try:
            importlib.import_module(module)  # which may bring a group of options
        except ImportError as error:
            _refuse(f"expected a runner that is installed, saw {given!r}: {error}")
    elif given and runner not in StandardOptions.KNOWN_RUNNER_NAMES:
        _refuse(f"unknown runner {given!r}{_nearest(given, StandardOptions.KNOWN_RUNNER_NAMES)}")

    def check(parser: Any) -> None:
        parser.error = _refuse  # Beam's prints its usage, of several hundred lines, and exits
        _, unknown = parser.parse_known_args(list(words))
        if unknown and runner not in _SERVED:  # runners with a job server, which has further options
            word = next((word for word in unknown if word.startswith("-")), unknown[0]).partition("=")[0]
            known = [name for action in parser._actions for name in action.option_strings]  # noqa: SLF001
            _refuse(f"unknown option {word!r} of Beam{_nearest(word, known)}")

    options.get_all_options(add_extra_args_fn=check)  # calls ``check`` with a parser that has all options of Beam
    return options


def _refuse(message: str) -> NoReturn:
    raise UsageError(f"after --: {message}")


def _nearest(word: str, known: Iterable[str]) -> str:
    lowered = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), lowered, n=1)
    return f"; did you mean {lowered[near[0]]}?" if near else ""


def _runner_name(options: PipelineOptions) -> str:
    """The name of the class of the runner, which may be given with its module, and as Beam's own in lower case."""
    given = str(options.view_as(StandardOptions).runner).rpartition(".")[2]
    names = [str(path).rpartition(".")[2] for path in StandardOptions.ALL_KNOWN_RUNNERS]
    known = {name.lower(): name for name in names}
    return known.get(given.lower(), known.get(f"{given.lower()}runner", given))


@dataclass(frozen=True)
class Runtime:
    """The Beam options of a run, how its progress is shown, and how many local worker processes do its work.

    ``DirectRunner`` would first try to download another runner's binary, so ``FnApiRunner`` is the default, by name.
    Inside of it, as a context manager, all pipelines share their local workers, which are gone after it.
    """

    beam_options: Sequence[str] = ()
    progress: Progress = lambda *_: nullcontext()
    workers: int = 1
    # Empty outside a with block. Inside one: the workers that its pipelines share, None until the first needs them.
    _shared: list[LocalWorkers | None] = field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.beam_options:  # refused before anything is done
            parse_options(self.beam_options)

    def __enter__(self) -> Self:
        self._shared.append(None)
        return self

    def __exit__(self, *_: object) -> None:
        if workers := self._shared.pop():
            workers.close()

    @contextmanager
    def pipeline(
        self, *, label: str, parts: str = "", total: int = 0, size: int = 0, languages: Mapping[str, int] | None = None
    ) -> Iterator[beam.Pipeline]:
        """Make a pipeline to be constructed in a ``with`` block, which at its end runs it and waits for it.

        Progress counts the files that match the pattern ``parts``, of ``total``, and the bytes that ``open_counted``
        has read on this machine, of ``size``. ``languages`` has the number of these files by language, with whose code
        their names begin. Raises UsageError if Beam refuses its options, and an error of wikisem's that a DoFn raised
        as it is; StageError from the first cause of any other.
        """
        with ExitStack() as stack:
            workers = runner = None
            if self.workers > 1 and not self.names_runner:  # in worker processes of this machine
                # Imported here, because a Beam that is too new lacks its bases.
                from wikisem.transforms.io.local_runner import local_runner  # noqa: PLC0415

                if self._shared:
                    workers = self._shared[0] = self._shared[0] or LocalWorkers()
                else:
                    workers = stack.enter_context(closing(LocalWorkers()))
                runner = stack.enter_context(local_runner(workers, self.options()))
            try:
                pipeline = beam.Pipeline(runner=runner, options=self.options())
            except (ValueError, ImportError, AttributeError) as error:  # a runner that is not there, or lacks an option
                raise UsageError(f"after --: expected options that Beam takes, saw {first_cause(error)}") from error
            yield pipeline
            # The caller has constructed it: run it, and show progress from the bytes that are read and the files made.
            if workers is None:  # this process reads
                bytes_read = stack.enter_context(closing(BytesRead()))
                report_bytes_to(bytes_read.writer)
                stack.callback(report_bytes_to, -1)
            else:
                bytes_read = workers.bytes_read
            before = bytes_read.total()  # of the pipelines before, by the same workers
            listed = PartListing(parts)
            shown = self.progress(
                label,
                listed.count,  # parts that are done, and how many there will be
                total,
                lambda: bytes_read.total() - before,  # bytes that were read, and how many will be
                size,
                lambda: words_of_languages(listed.found, languages or {}),
            )
            stack.enter_context(shown)
            _finish(pipeline, label, workers)

    def configure_file_systems(self) -> None:
        """Let this process open files by the options, as workers do, such as ``--s3_endpoint_url``."""
        FileSystems.set_options(self.options())

    def options(self) -> PipelineOptions:
        """The pipeline options; ``FnApiRunner`` unless a runner is named."""
        if self.names_runner:
            return PipelineOptions([*self.beam_options])
        clash = [word for word in self.beam_options if word.startswith(_OTHER_WORKERS)]
        if clash:
            raise UsageError(f"expected --workers N for processes on this machine, saw {clash[0]} after --")
        workers = [f"--direct_num_workers={self.workers}"] if self.workers > 1 else []
        return PipelineOptions(["--runner=FnApiRunner", *workers, *self.beam_options])

    @property
    def shuffles_by_engine(self) -> bool:
        """Whether the engine that runs the pipelines shuffles in bulk, instead of bucket files."""
        options = self.options()
        chosen = options.view_as(ShuffleOptions).bulk_shuffle
        return bool(chosen == "engine" or (chosen is None and _runner_name(options) in _SHUFFLING))

    @property
    def names_runner(self) -> bool:
        """Whether the options name a runner, which then decides about workers."""
        return any(option.startswith("--runner") for option in self.beam_options)


def _finish(pipeline: beam.Pipeline, label: str, workers: LocalWorkers | None) -> None:
    """Run a pipeline to its end; stop it when this process is told to stop."""
    result = None
    try:
        result = pipeline.run()
        state = result.wait_until_finish()
    except Exception as error:  # runners raise what they like
        raise stage_failure(label, error, workers.failure if workers else None) from error
    except BaseException as interruption:
        if result is not None:
            try:
                result.cancel()
            except Exception as error:  # noqa: BLE001 - runners raise what they like, and the interruption is what ends the run
                interruption.add_note(f"the job may go on, for its runner could not cancel it: {first_cause(error)}")
        raise
    if state not in (None, "DONE"):
        raise StageError(f"{label}: expected the pipeline to finish, saw it end as {state}")


_STEP: Final = re.compile(r" ?\[while running '[^\n]*'\]")
_TRACEBACK: Final = "Traceback (most recent call last):"
_RAISED_IN_HANDLER: Final = "During handling of the above exception, another exception occurred:"
_RAISED_FROM: Final = "The above exception was the direct cause of the following exception:"
# Beam wraps an exception that takes other arguments than one text, as OSError does.
_WRAPPED: Final = re.compile(r"RuntimeError: (?=[\w.]+(?:Error|Exception|Interrupt|Exit)\b)")
_OURS: Final = f"{errors.__name__}."


def stage_failure(
    label: str, error: Exception, worker_failure: Exception | None = None
) -> WikisemError | KeyboardInterrupt:
    """What to raise for a pipeline's error: the error of wikisem that caused it, or else a StageError of ``label``.

    An error of wikisem is made anew from its class and message, for what a worker raises arrives only as text; one
    whose class takes more than a message becomes a StageError, too. ``worker_failure`` is what went wrong first with
    the worker processes.
    """
    # After Ctrl-C Beam raises a RuntimeError, as if the step that it came in had failed.
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, KeyboardInterrupt):
            return KeyboardInterrupt()
        seen = seen.__cause__ or seen.__context__
    if isinstance(worker_failure, WorkerError):
        return StageError(f"{label}: {worker_failure}")
    cause = first_cause(worker_failure or error)  # such as "wikisem.errors.OutputError: expected ..."
    name, _, text = cause.partition(": ")
    kind = getattr(errors, name.removeprefix(_OURS), None) if name.startswith(_OURS) else None
    if isinstance(kind, type) and issubclass(kind, WikisemError):
        # A class with an __init__ of its own takes more than its text.
        return StageError(f"{label}: {text}") if "__init__" in vars(kind) else kind(text)
    return StageError(f"{label}: expected the pipeline to finish, saw {cause}")


def first_cause(error: BaseException) -> str:
    """Name the class and the first line of the error that began a chain of causes, or of the last that is wikisem's.

    A runner raises a worker's error unchanged, or with Beam's step appended, or as the text of a traceback. There
    causes come first; if an error was raised while another was handled, only the later one counts.

    >>> first_cause(ValueError("two is too much [while running 'Map(refuse)-ptransform-12']"))
    'ValueError: two is too much'
    >>> first_cause(RuntimeError('Traceback (most recent call last):\\n  File "keep.py", line 3\\nOSError: [Errno 28]'))
    'OSError: [Errno 28]'
    >>> chained = [_TRACEBACK, "KeyError: 'Q1'", _RAISED_FROM, _TRACEBACK, "ValueError: no such item"]
    >>> first_cause(RuntimeError("\\n".join(chained)))
    "KeyError: 'Q1'"
    """
    while error.__cause__ is not None and not isinstance(error, WikisemError):
        error = error.__cause__
    text, kind = str(error), type(error)
    # List the errors of the chain, causes first, as "package.Class: message".
    if _TRACEBACK in text:
        raised = []
        for block in text.rpartition(_RAISED_IN_HANDLER)[2].split(_RAISED_FROM):
            # The line after the indented ones of a traceback names the exception.
            lines = block.partition(_TRACEBACK)[2].splitlines()
            last = block.strip().rpartition("\n")[2]
            raised.append(next((line for line in lines if line and not line[0].isspace()), last))
    else:
        # Errors of wikisem are named with their module, as in a traceback.
        raised = [f"{_OURS if kind.__module__ == errors.__name__ else ''}{kind.__name__}: {text}"]
    # Leave out what Beam adds: its step, and its own class before another.
    causes = [_WRAPPED.sub("", _STEP.sub("", cause).strip().partition("\n")[0]) for cause in raised]
    return next((cause for cause in reversed(causes) if cause.startswith(_OURS)), causes[0])


@dataclass(frozen=True)
class StageContext:
    """Where a stage writes, and how it runs its pipelines; ``folders`` are those in OUT of units to be made."""

    scratch: Scratch
    runtime: Runtime
    folders: Mapping[str, str] = field(default_factory=dict)

    @property
    def shuffle(self) -> Shuffle:
        """How the steps of the stage send rows to each other."""
        return Shuffle(self.scratch.parts, self.runtime.shuffles_by_engine)

    def for_unit(self, unit: str) -> "StageContext":
        """This context for one unit: finished files are written to the unit's folder."""
        return replace(self, scratch=replace(self.scratch, target=self.folders[unit]))


# Runners whose workers are this process, or its children.
_HERE: Final = frozenset({"FnApiRunner", "DirectRunner", "BundleBasedDirectRunner", "SwitchingDirectRunner"})
_ADVICE: Final = "use a folder that all of them share, under the same path, or a URL"


def check_shared(output: str, runtime: Runtime) -> None:
    """Raise OutputError unless the workers of the runner that is named share the output folder with this process.

    Workers on other machines, or in containers, would otherwise each write into a folder of their own. So a worker must
    read a token that this process writes, and the other way round. A URL, and a runner of this process, need no token.
    """
    runner = _runner_name(runtime.options())
    if not is_local(output) or not runtime.names_runner or runner in _HERE:
        return
    if runner in {"DataflowRunner", "TestDataflowRunner"}:
        raise OutputError(f"expected an output URL such as gs://bucket/out for {runner}, saw the folder {output}")
    token = uuid.uuid4().hex
    asked, answered = (token_path(output, token, kind) for kind in ("asked", "answered"))
    replace_file(asked, token.encode())
    try:
        with runtime.pipeline(label="output folder") as pipeline:
            paths = pipeline | "token" >> beam.Create([(asked, answered)])
            _ = paths | "answer" >> beam.Map(_answer_token, token)
        if not exists(answered):
            raise OutputError(f"expected to see what workers of {runner} write to {output}, saw nothing; {_ADVICE}")
    finally:
        remove(asked)
        remove(answered)


def _answer_token(paths: tuple[str, str], token: str) -> None:
    """Write the answer if the worker can read the token; OutputError where the token is not there."""
    asked, answered = paths
    if not exists(asked):
        raise OutputError(f"expected workers to see what this process writes, saw no {asked} on one; {_ADVICE}")
    replace_file(answered, b"yes" if read_binary(asked).decode() == token else b"no")
