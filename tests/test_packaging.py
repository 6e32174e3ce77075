"""What an installed wikisem holds: one import name, and under it every module and every data file of the tree."""

import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path, PurePosixPath

import pytest

from wikisem.pipeline.runs.run import absolute_setup_file

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
FOLDERS = ("evaluation", "heuristics", "outputs", "pipeline", "queries", "transforms")


def _tree() -> set[str]:
    """Every file of the package, by the path that it has in an installation; sources in C have none."""
    roots = {ROOT / "wikisem": PurePosixPath("wikisem")}
    roots |= {ROOT / name: PurePosixPath("wikisem") / name for name in FOLDERS}
    files = {
        str(prefix / path.relative_to(root).as_posix())
        for root, prefix in roots.items()
        for path in root.rglob("*")
        if path.is_file() and path.suffix not in {".pyc", ".so", ".c", ".h"}
    }
    return {name for name in files if "__pycache__" not in name}


def _copy_tree(copy: Path, links: bool) -> None:
    """The tree as git would check it out; without links, each is a text file that names the folder."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        path, target = ROOT / name, copy / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not path.is_symlink():
            if path.exists():
                target.write_bytes(path.read_bytes())
        elif links:
            target.symlink_to(path.readlink())
        else:
            target.write_text(str(path.readlink()), encoding="utf-8")


def _make_sdist(tree: Path, dist: Path) -> Path:
    """The sdist that Beam makes of a folder with a setup.py (``python setup.py sdist``)."""
    command = [sys.executable, "setup.py", "-q", "sdist", "--dist-dir", str(dist)]
    subprocess.run(command, cwd=tree, check=True, capture_output=True)
    return next(dist.glob("*.tar.gz"))


def _run_pip(*words: str | Path) -> None:
    """Pip, without anything of the user's, or of the network."""
    alone = ["--no-cache-dir", "--no-index", "--disable-pip-version-check", "--no-deps", "--no-build-isolation"]
    subprocess.run([sys.executable, "-m", "pip", *words, *alone], check=True, capture_output=True)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist of a checkout with links."""
    folder = tmp_path_factory.mktemp("source")
    _copy_tree(folder / "tree", links=True)
    return _make_sdist(folder / "tree", folder / "dist")


@pytest.fixture(scope="module")
def wheel(source: Path) -> Path:
    """The wheel made of the sdist."""
    _run_pip("wheel", "--wheel-dir", source.parent, source)
    return next(source.parent.glob("*.whl"))


@pytest.fixture(scope="module")
def unlinked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout where git wrote links as text files: a zip, Windows, ``core.symlinks=false``."""
    tree = tmp_path_factory.mktemp("unlinked")
    _copy_tree(tree, links=False)
    assert (tree / "wikisem" / "pipeline").read_text(encoding="utf-8") == "../pipeline"
    return tree


@pytest.fixture(scope="module")
def unlinked_wheel(unlinked: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel made of a checkout without links."""
    dist = tmp_path_factory.mktemp("unlinked_wheel")
    _run_pip("wheel", "--wheel-dir", dist, unlinked)
    return next(dist.glob("*.whl"))


def _contents(wheel: Path) -> dict[str, int]:
    """The checksum of every file of a wheel, without what a compiler made."""
    with zipfile.ZipFile(wheel) as archive:
        return {
            info.filename: info.CRC for info in archive.infolist() if not info.filename.endswith((".so", "/RECORD"))
        }


def test_the_wheel_has_one_top_level_package_with_every_file_of_the_tree(wheel: Path) -> None:
    """Nothing but ``wikisem`` lands in site-packages, and no module or data file of the tree is missing."""
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/") and ".dist-info/" not in name}
    assert {name.partition("/")[0] for name in names} == {"wikisem"}
    assert {name for name in names if not name.endswith(".so")} == _tree()
    assert len(names) > 150


def test_the_cloud_extra_brings_what_builds_the_sdist() -> None:
    """Beam runs ``setup.py sdist`` in the user's environment, without what ``build-system`` asks for."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (needed,) = project["build-system"]["requires"]
    assert needed in project["project"]["optional-dependencies"]["gcp"]


def test_the_sdist_for_workers_asks_for_what_stages_need(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers install it without extras; our own pyproject.toml, and every other sdist, stay as they are."""
    ours = (ROOT / "pyproject.toml").read_bytes()
    _copy_tree(tmp_path / "tree", links=True)
    monkeypatch.setenv("WIKISEM_SDIST_EXTRA", "")
    plain = _dependencies_of(_make_sdist(tmp_path / "tree", tmp_path / "plain"))
    absolute_setup_file(["--setup_file=./setup.py"])
    for_workers = _dependencies_of(_make_sdist(tmp_path / "tree", tmp_path / "workers"))
    assert (tmp_path / "tree" / "pyproject.toml").read_bytes() == ours
    project = tomllib.loads(ours.decode())["project"]
    assert plain == project["dependencies"]
    assert for_workers == [*project["optional-dependencies"]["build"], *plain]


def _dependencies_of(source: Path) -> list[str]:
    with tarfile.open(source) as archive:
        (member,) = [each for each in archive if PurePosixPath(each.name).parts[1:] == ("pyproject.toml",)]
        file = archive.extractfile(member)
        assert file is not None
        found: list[str] = tomllib.loads(file.read().decode())["project"]["dependencies"]
        return found


def test_the_sdist_holds_the_folders_as_real_ones(source: Path) -> None:
    """No link is left in the sdist: what Beam ships to a worker does not depend on links."""
    with tarfile.open(source) as archive:
        assert not [member.name for member in archive if member.issym() or member.islnk()]


def test_the_sdist_holds_the_sources_of_the_decoder(source: Path) -> None:
    """Each file in C, headers included, so that an installation from the sdist can compile it."""
    native = ROOT / "wikisem/dumps/bzip2/native"
    with tarfile.open(source) as archive:
        held = {PurePosixPath(name).name for name in archive.getnames() if "/dumps/bzip2/native/" in name}
    assert held == {path.name for path in native.iterdir()}
    assert {PurePosixPath(name).suffix for name in held} == {".c", ".h"}


def test_a_checkout_without_links_gives_the_same_wheel_and_sdist(
    source: Path, wheel: Path, unlinked: Path, unlinked_wheel: Path, tmp_path: Path
) -> None:
    """The package is built from the folders at the top, so that a link that git wrote as a text file is not missed."""
    assert _contents(unlinked_wheel) == _contents(wheel)
    assert unlinked_wheel.name == wheel.name
    with tarfile.open(source) as linked, tarfile.open(_make_sdist(unlinked, tmp_path)) as sdist:
        assert sorted(sdist.getnames()) == sorted(linked.getnames())


def test_a_checkout_without_links_can_be_installed_editable(
    unlinked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command starts, and its modules are those of the checkout's own folders."""
    monkeypatch.delenv("PYTHONPATH", raising=False)  # where it names another checkout
    venv.create(tmp_path / "env", symlinks=True)
    site = next(tmp_path.glob("env/lib/python*/site-packages"))
    # Its packages are those of this environment, without what is editable there.
    (site / "packages.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    bin_folder = tmp_path / "env" / "bin"
    _run_pip("--python", bin_folder / "python", "install", "--editable", unlinked)

    command = [str(bin_folder / "wikisem"), "--version"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("wikisem ")
    script = f"import importlib\nfor name in {FOLDERS}: print(importlib.import_module(f'wikisem.{{name}}').__file__)"
    command = [str(bin_folder / "python"), "-c", script]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(unlinked / name / "__init__.py") for name in FOLDERS]


def test_the_wheel_is_for_the_platform_only_if_it_holds_the_decoder(wheel: Path) -> None:
    """One wheel serves all versions of Python; without a compiler it serves all platforms, too."""
    with zipfile.ZipFile(wheel) as archive:
        compiled = [name for name in archive.namelist() if name.endswith(".so")]
    tags = wheel.stem.split("-", 2)[2]
    assert (tags.startswith("cp311-abi3-") and "any" not in tags) if compiled else tags == "py3-none-any"


def test_the_wheel_imports_where_nothing_else_of_the_tree_is(unlinked_wheel: Path, tmp_path: Path) -> None:
    """Unpacked into an empty folder, every room imports from there, and data files open; mteb_task needs its extra."""
    with zipfile.ZipFile(unlinked_wheel) as archive:
        archive.extractall(tmp_path)
    script = (
        "import importlib, pkgutil, wikisem\n"
        "names = [m.name for m in pkgutil.walk_packages(wikisem.__path__, 'wikisem.')]\n"
        "[importlib.import_module(n) for n in names if not n.endswith(('.worker', '__main__', '.mteb_task'))]\n"
        "from wikisem.recipes.load import load_recipe\n"
        "assert load_recipe('wikisem500').seed == 500\n"
        "print(wikisem.__file__, len(names))\n"
    )
    command = [sys.executable, "-P", "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{script}"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(tmp_path))
    assert int(done.stdout.split()[-1]) > 150


@pytest.mark.parametrize("name", ["README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "setup.py"])
def test_a_stranger_finds_what_a_stranger_looks_for(name: str) -> None:
    """The files that every project has are at the top."""
    assert (ROOT / name).stat().st_size > 0
