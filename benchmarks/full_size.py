"""A rehearsal at full size: made-up dumps of English Wikipedia's and Wikidata's numbers through the stages.

``python -m benchmarks.full_size --scale 0.05 --scale 1`` writes the dumps of ``full_size_data`` in that part of their
size, counts the links of English, and makes surfaces in ten languages at once, the class graph, and groups in ten
languages at once. Each step is a process of its own; it and its workers are watched. What each step took is added to
docs/benchmarks/full-size.jsonl, from which a section of docs/benchmarks.md and its figure are drawn (``--draw``
only draws). What is no longer needed is removed. ``--prose 400`` writes real amounts of text around the links,
``--steps`` takes some of the steps alone (``labels``, which no other needs, is one: the labels of fifty items by the
index, and by reading all), and ``--folder`` says where everything goes; with ``--keep`` it stays there.
"""

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.full_size_data import Wikipedia, wikidata_size, write_wikidata, write_wikipedia
from benchmarks.full_size_page import RESULTS, draw
from benchmarks.graph_world import numbers_of
from benchmarks.tree import watch_tree
from wikisem.arrow.columns import qids_of
from wikisem.layout import Scratch
from wikisem.queries.offline import EntitySource
from wikisem.recipes.load import load_recipe
from wikisem.recipes.options import Recipe, SurfaceOptions
from wikisem.transforms.groups.stage import build_groups
from wikisem.transforms.io.runtime import Runtime, StageContext
from wikisem.transforms.mentions import count_mentions
from wikisem.transforms.surfaces import resolve_surfaces
from wikisem.transforms.taxonomy import build_taxonomy

LANGUAGES: Final = ("de", "en", "es", "fr", "it", "ja", "nl", "pl", "ru", "sv")


@dataclass(frozen=True)
class Job:
    """One rehearsal: where it works, the part of the full size, bytes of prose around a link, and worker processes."""

    folder: Path
    scale: float
    prose: int
    workers: int

    @property
    def wiki(self) -> Wikipedia:
        """The numbers of the made-up Wikipedia."""
        return Wikipedia().scaled(self.scale)

    def context(self, step: str) -> StageContext:
        """Where a stage works."""
        scratch = Scratch(f"{self.folder}/scratch/{step}", f"{self.folder}/{step}")
        return StageContext(scratch, Runtime(workers=self.workers))


def write_dump(job: Job) -> None:
    """The dump of the Wikipedia."""
    write_wikipedia(job.folder / "dump", job.wiki, job.prose, job.workers)


def count_links(job: Job) -> None:
    """Stage 2."""
    dumps = {"en": [f"{job.folder}/dump/*.xml.zst"]}
    count_mentions(dumps, False, {"en": f"{job.folder}/mentions/en"}, job.context("mentions"))


def write_items(job: Job) -> None:
    """What stage 1 would leave of the Wikidata."""
    write_wikidata(job.folder / "entities", wikidata_size(job.scale), job.wiki, job.workers)


def find_surfaces(job: Job) -> None:
    """Stage 3: English by links, nine languages by labels."""
    folders = {language: f"{job.folder}/surfaces/{language}" for language in LANGUAGES}
    options = SurfaceOptions(fallback="label")
    mentions = {"en": f"{job.folder}/mentions/en"}
    resolve_surfaces(f"{job.folder}/entities", mentions, options, folders, job.context("surfaces"))


def build_graph(job: Job) -> None:
    """Stage 4."""
    build_taxonomy(f"{job.folder}/entities", load_recipe("wikisem").graph, job.context("taxonomy"))


def form_groups(job: Job) -> None:
    """Stage 5."""
    _form_groups(job, load_recipe("wikisem"))


def form_bare_groups(job: Job) -> None:
    """Stage 5 without what costs most: outliers take no places, and signatures are not asked."""
    recipe = load_recipe("wikisem")
    cluster, outliers = replace(recipe.cluster, coherence=None), replace(recipe.outliers, places=False, margin=None)
    _form_groups(job, replace(recipe, cluster=cluster, outliers=outliers))


def _form_groups(job: Job, recipe: Recipe) -> None:
    surfaces = {language: f"{job.folder}/surfaces/{language}" for language in LANGUAGES}
    mentions = {"en": f"{job.folder}/mentions/en"}
    entities, taxonomy = f"{job.folder}/entities", f"{job.folder}/taxonomy"
    build_groups(entities, taxonomy, surfaces, mentions, recipe, job.context("groups"))


def time_labels(job: Job, indexed: bool) -> tuple[float, int]:
    """The labels of fifty items: seconds, and bytes read, whether from the disk or from memory."""
    folder, size = job.folder / "entities", wikidata_size(job.scale)
    if not indexed:
        folder = Path(tempfile.mkdtemp(dir=job.folder))
        for file in (job.folder / "entities").glob("*.parquet"):
            (folder / file.name).hardlink_to(file)
    items = np.random.default_rng(4).integers(0, size.classes + size.instances, 50)
    qids = qids_of(numbers_of(items))
    begin, read = time.perf_counter(), _bytes_read()
    found = EntitySource(str(folder)).labels(qids, ["en", "nl"])
    taken = time.perf_counter() - begin, _bytes_read() - read
    assert len(found) > 30, len(found)  # of the items, 86 in 100 have one or the other
    return taken


def _bytes_read() -> int:
    return int(Path("/proc/self/io").read_text().split()[1])


def find_labels(job: Job) -> list[dict[str, object]]:
    """What ``time_labels`` gives with the index and without it, the least of two, each in a process of its own."""
    rows = []
    for indexed in (True, False):
        runs = []
        for _ in range(2):
            with ProcessPoolExecutor(1, get_context("spawn")) as pool:
                runs.append(pool.submit(time_labels, job, indexed).result())
        seconds, read = min(runs)
        rows.append({"step": "labels", "scale": job.scale, "indexed": indexed, "date": time.strftime("%Y-%m-%d")})
        rows[-1] |= {"seconds": round(seconds, 3), "read": read}
    return rows


@dataclass(frozen=True)
class Step:
    """One step: what it does, and the folders that nothing needs when it is over."""

    work: Callable[[Job], None]
    removes: tuple[str, ...] = ()


STEPS: Final = {
    "dump": Step(write_dump),
    "mentions": Step(count_links, ("dump", "scratch")),
    "items": Step(write_items),
    "surfaces": Step(find_surfaces, ("scratch",)),
    "taxonomy": Step(build_graph, ("scratch",)),
    "groups": Step(form_groups, ("scratch",)),
    "bare groups": Step(form_bare_groups, ("scratch",)),
}


def run(name: str, job: Job, keep: bool) -> dict[str, object]:
    """Run and watch one step, and remove what is not needed any more."""
    watched = watch_tree(job.folder, STEPS[name].work, job)
    for folder in () if keep else STEPS[name].removes:
        shutil.rmtree(job.folder / folder, ignore_errors=True)
    return {
        "step": name,
        "scale": job.scale,
        "prose": job.prose,
        "workers": job.workers,
        "date": time.strftime("%Y-%m-%d"),
        **asdict(watched),
    }


def main() -> None:
    """Run the steps, add what they took to the results, and draw the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, action="append", help="part of the full size, default 0.01; repeat it")
    parser.add_argument("--prose", type=int, default=24, help="bytes of text after each link (default 24)")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--steps", nargs="+", choices=[*STEPS, "labels"], default=list(STEPS))
    parser.add_argument("--folder", type=Path, help="default: a temporary folder")
    parser.add_argument("--keep", action="store_true", help="remove nothing")
    parser.add_argument("--draw", action="store_true", help="measure nothing")
    arguments = parser.parse_args()
    for scale in () if arguments.draw else arguments.scale or [0.01]:
        folder = arguments.folder or Path(tempfile.mkdtemp(prefix="wikisem-full-size-"))
        job = Job(folder, scale, arguments.prose, arguments.workers)
        for name in arguments.steps:
            results = find_labels(job) if name == "labels" else [run(name, job, arguments.keep)]
            with RESULTS.open("a", encoding="utf-8") as sink:
                for result in results:
                    print(json.dumps(result), file=sys.stderr)
                    sink.write(json.dumps(result) + "\n")
        if not arguments.keep and arguments.steps[-1] == list(STEPS)[-1]:
            shutil.rmtree(folder)
    draw()


if __name__ == "__main__":
    # Workers look functions up by their module's name, which is not that of the module that is run.
    from benchmarks.full_size import main as measure

    measure()
