"""The floors of the house: which package may import which."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_every_contract_of_the_floors_is_kept() -> None:
    """import-linter finds no import that goes up a floor, between siblings, or out of a floor's means."""
    script = "import sys; from importlinter.cli import lint_imports_command as main; sys.exit(main())"
    result = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "0 broken" in result.stdout


def test_nothing_imports_the_tests() -> None:
    """No module of the packages that ship names the tests package in an import."""
    packages = ["evaluation", "heuristics", "outputs", "pipeline", "queries", "transforms", "wikisem"]
    modules = [path for package in packages for path in (ROOT / package).rglob("*.py")]
    assert len(modules) > 150
    guilty = [str(path) for path in modules if "import tests" in path.read_text() or "from tests" in path.read_text()]
    assert guilty == []
