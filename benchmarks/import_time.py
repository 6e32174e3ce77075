"""How long ``import wikisem`` takes: ``python -m benchmarks.import_time``; the goal is under 50 ms of CPU time."""

import subprocess
import sys
from statistics import median

_SCRIPT = "import time; start = time.process_time(); import wikisem; print((time.process_time() - start) * 1000)"


def main() -> None:
    """Import in 21 fresh interpreters and print the median, without the start of Python itself."""
    command = [sys.executable, "-c", _SCRIPT]
    times = [float(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(21)]
    print(f"import wikisem: median {median(times):.1f} ms of CPU, slowest {max(times):.1f} ms of {len(times)}")


if __name__ == "__main__":
    main()
