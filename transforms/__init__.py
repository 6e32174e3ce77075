"""Beam wiring of the stages; the computation is on the floors below."""

import importlib
import logging


def _import_beam() -> None:
    """Import Beam without the warning about Google's optional clients, for which it also configures the root logger.

    Beam 2.77 calls ``logging.warning`` at import where ``apitools`` is missing: that prints to stderr, and adds a
    handler to a root logger that has none, unless some handler is there already.
    """
    handler = logging.NullHandler()
    logging.getLogger().addHandler(handler)
    try:
        importlib.import_module("apache_beam")
    finally:
        logging.getLogger().removeHandler(handler)


_import_beam()
