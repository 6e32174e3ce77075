"""What is not simply run, and why: every exception to "each block of the documentation runs" is in these tables."""

from collections.abc import Mapping
from typing import Final

# Commands that are not run. Those of wikisem are parsed; of the others, what they name is looked up.
SET_ASIDE: Final[Mapping[str, str]] = {
    "pip install ": "would change the environment; the extras that it names are looked up in pyproject.toml",
    "make ": "makes environments, or runs for minutes; the target is looked up in the Makefile",
    "hf ": "needs the Hugging Face Hub; the command and its options are looked up in its own help",
    "wikisem evaluate outliers OUT --vectors glove": "takes a model that is not shipped; it is parsed",
    "wikisem evaluate calibrate cases.jsonl ": "reads what that command wrote; it is parsed",
    "python -m benchmarks.": "runs for minutes; the module and its options are looked up",
    "python -m tests.engines.plan": "is run by tests/engines/test_plan.py; the module is looked up",
    "wikisem build wikisem --wikidata gs://": "reads a bucket and runs on Dataflow",
}

# Commands that are run with other words than those of the page.
INSTEAD: Final[Mapping[str, tuple[str, str]]] = {
    " --workers 8": (" --workers 1", "eight processes take longer to start than the sample world to build"),
}

# Commands whose output on the page is not that of the samples. "real": compared where the real data is at hand.
OTHER_OUTPUT: Final[Mapping[str, str]] = {
    "wikisem evaluate outliers OUT --vectors glove": "it is set aside",
    "wikisem evaluate outliers sample --vectors characters:3 GloVe": "real",
    "wikisem evaluate calibrate cases.jsonl ": "it is set aside",
    "wikisem evaluate outliers outlier-sets/8-8-8 ": "real",
    "wikisem evaluate oddoneout sets.txt ": "the words of its three categories are not on the page",
    "wikisem categories wordrep ": "real",
    "wikisem evaluate analogies WORDREP/": "real",
    "wikisem annotate --score sheets ": "real",
    "wikisem lexemes latest-lexemes": "of six real lexemes, which are too few for the commands after it",
    "wikisem mentions --wikipedia ltg=": "real",
    "wikisem entities --wikidata tables ": "real",
}

# Options between backquotes that are not of wikisem, and of what they are.
OTHERS_OPTIONS: Final[Mapping[str, str]] = {
    "--runner": "Beam",
    "--project": "Beam",
    "--region": "Beam",
    "--peer": "studies.calibration",
    "--tasks": "lm-evaluation-harness",
    "--output_path": "lm-evaluation-harness",
    "--force-reinstall": "pip",
    "--zero-shot": "EuroEval",
}

# Blocks of text: which command printed it, which file it is of, or why it is neither.
TEXTS: Final[Mapping[tuple[str, str], str]] = {
    ("README.md", "out/groups/de.jsonl "): "paths: each of them is in the folder of a run",
    ("docs/architecture.md", "floor 3"): "a diagram; tests/test_floors.py holds the imports to it",
    ("docs/calibration.md", "P = 1 /"): "a formula; tests/evaluation/test_calibration.py has it, too",
    ("docs/categories.md", "category sets"): "real output: wikisem categories google-semantic",
    ("docs/categories.md", ": capital-world"): "real file: SETS/analogies/ru.txt",
    ("docs/download.md", "surfaces/ltg"): "a message; tests/pipeline/test_build_realdata.py makes it",
    ("docs/consistency.md", "accuracy falls"): "a line; tests/evaluation/test_cutoff.py makes its like",
    ("docs/browse.md", "publishing platform"): "lines of explain, from a build of real items",
    ("docs/recipes.md", "https://www.wikidata.org"): "a request to Wikidata",
    ("docs/labels.md", "┌─────────┬────────────┬"): "result",
    ("docs/method.md", "       "): "a diagram",
    ("docs/outliers.md", "characters of the members"): "a diagram",
    ("docs/outliers.md", "capital   "): "words of related outliers, from a build of real items",
    ("docs/outliers.md", "lower house"): "words of near outliers, from a build of real items",
    ("docs/surface-forms.md", "Alexandria"): "two labels and their sitelinks, from a build of real items",
    ("docs/witness.md", "coherence 0.9972"): "lines of explain, from a build of real items",
    ("docs/witness.md", "w(t) ="): "a formula; tests/oracle.py has it, too",
}
