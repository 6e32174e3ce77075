"""A local worker process: Beam's own, without the lines that it writes for its developers.

Beam's worker logs its start-up to stderr unless the root logger has a handler before Beam is imported; what matters
still reaches the runner, through the log channel that the worker opens.
"""

import logging
import runpy

if __name__ == "__main__":
    logging.getLogger().addHandler(logging.NullHandler())
    runpy.run_module("apache_beam.runners.worker.sdk_worker_main", run_name="__main__")
