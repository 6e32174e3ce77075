"""What a plain installation does, and what it says of the rest."""

import json
from ast import literal_eval
from pathlib import Path

import numpy as np
from scipy import sparse

from tests.plain_python import PROJECT, names_of, run_plain
from wikisem.evaluation.vectors.models import open_model

# Its own words -> what is missing, and the extra that brings it.
NEEDY = {
    "build demo --output out": ("apache-beam", "build"),
    "demo": ("apache-beam", "build"),
    "groups demo --output out": ("apache-beam", "build"),
    "names out": ("apache-beam", "build"),
    "walls out": ("apache-beam", "build"),
    "lexemes dump.json.bz2 --languages en --output sets": ("zstandard", "build"),
    "categories google-semantic --languages en --contact me@example.org --output sets": ("rdflib", "categories"),
    "evaluate outliers sample --vectors counts:counts.npz": ("scipy", "counts"),
    "evaluate calibrate cases.jsonl": ("scipy", "counts"),
    "evaluate outliers sample --languages en --vectors characters:2 --plot a.png": ("matplotlib", "figures"),
    "tokenize sample --tokenizer jieba --output tokens": ("rjieba", "tokenizers"),
}


RUN = """
import json
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from wikisem.pipeline.cli import main

for words in {commands}:
    with redirect_stdout(StringIO()) as said, redirect_stderr(StringIO()) as told:
        code = main(words)
    print(json.dumps([code, said.getvalue(), told.getvalue()]))
"""


def test_a_command_says_which_extra_it_needs(tmp_path: Path) -> None:
    """One line with what to type, and exit code 1; the version and the overview of commands need nothing."""
    (tmp_path / "counts.npz").touch()
    commands = [*map(str.split, NEEDY), ["--version"], ["--help"]]
    done = run_plain(RUN.format(commands=commands), tmp_path)
    *needy, version, overview = [json.loads(line) for line in done.stdout.splitlines()]
    for (package, extra), (code, _, told) in zip(NEEDY.values(), needy, strict=True):
        assert told.splitlines()[-1].endswith(f" needs {package}: pip install 'wikisem[{extra}]'"), told
        assert code == 1, told
    assert needy[0][2] == "wikisem: wikisem build needs apache-beam: pip install 'wikisem[build]'\n"
    assert [version[0], overview[0]] == [0, 0]
    assert "apache-beam: " in version[1]


def test_the_library_says_which_extra_a_function_needs(tmp_path: Path) -> None:
    """An ImportError, as of a package that is not installed."""
    script = """
import wikisem
from wikisem.errors import MissingExtraError
for name in ("build", "count_links", "read_entities"):
    try:
        getattr(wikisem, name)
    except ImportError as error:
        print(type(error) is MissingExtraError, error)
"""
    lines = run_plain(script, tmp_path).stdout.splitlines()
    assert lines[0] == "True wikisem.build needs apache-beam: pip install 'wikisem[build]'"
    assert len(lines) == 3
    assert all(line.endswith("pip install 'wikisem[build]'") for line in lines)


def test_scoring_the_sample_loads_no_library_that_it_does_not_use(tmp_path: Path) -> None:
    """Each of these takes as long to load as some languages take to score; guessers are only asked where shown."""
    heavy = ["jinja2", "pandas", "pyarrow.compute", "wikisem.graph.csr", "wikisem.outputs.release.card"]
    script = f"""
import sys
from wikisem.pipeline.cli import main
main("evaluate outliers sample --languages en --vectors characters:2".split())
print([name for name in {heavy} if name in sys.modules])
"""
    done = run_plain(script, tmp_path)
    assert "accuracy" in done.stdout
    assert done.stdout.splitlines()[-1] == "[]", done.stdout[-300:]


def test_letters_are_counted_alike_without_scipy(tmp_path: Path) -> None:
    """The vectors of `characters:N` are dense then, with the same numbers."""
    words = ["Ulm", "Bonn", "Bonn am Rhein"]
    script = f"""
from wikisem.evaluation.vectors.models import open_model
found = open_model("characters:3").find({words!r})
print([found[word].tolist() for word in {words!r}])
"""
    plain = np.array(literal_eval(run_plain(script, tmp_path).stdout))
    found = open_model("characters:3").find(words)
    assert all(sparse.issparse(vector) for vector in found.values())
    np.testing.assert_array_equal(plain, np.vstack([found[word].toarray() for word in words]))


def test_the_extra_all_has_the_packages_of_every_extra_that_it_names() -> None:
    """And none of them is one that a plain installation has anyway."""
    extras = PROJECT["optional-dependencies"]
    named = extras["all"][-1].partition("[")[2].rstrip("]").split(",")
    assert {"build", "categories", "counts", "figures"} < set(named)
    assert not any(names_of(extras[name]) & names_of(PROJECT["dependencies"]) for name in named)
    asked_for = {"apache-beam", "SPARQLWrapper", "mwparserfromhell", "orjson", "networkx", "numpy"}
    assert asked_for <= names_of([*PROJECT["dependencies"], *(line for name in named for line in extras[name])])
