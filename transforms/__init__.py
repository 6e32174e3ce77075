"""Beam wiring of the stages; the computation is on the floors below."""

import importlib
import logging
from collections.abc import Mapping
from typing import Any, Final

from wikisem import files
from wikisem.errors import UsageError

# Beam 2.77 calls ``logging.warning`` at import where ``apitools`` is missing, one of Google's optional clients: that
# prints to stderr, and adds a handler to a root logger that has none, unless some handler is there already.
_handler: Final = logging.NullHandler()
logging.getLogger().addHandler(_handler)
try:
    importlib.import_module("apache_beam")
finally:
    logging.getLogger().removeHandler(_handler)


def _options_of_beam(scheme: str) -> Mapping[str, Any]:
    """The arguments that Beam's options give for fsspec's driver of a URL scheme; every worker of Beam has them."""
    from apache_beam.io.filesystems import FileSystems  # noqa: PLC0415 - imported above, without its warning
    from apache_beam.options.pipeline_options import HadoopFileSystemOptions, S3Options  # noqa: PLC0415

    options = FileSystems._pipeline_options  # noqa: SLF001 - there is no other way to them in a worker
    if options is None:
        return {}
    if scheme == "hdfs" and options.view_as(HadoopFileSystemOptions).hdfs_host:
        raise UsageError(
            "expected hdfs://HOST:PORT/PATH, for Hadoop's own client, or webhdfs://HOST:PORT/PATH, saw --hdfs_host, "
            "which only Beam's hdfs:// needs"
        )
    given = options.view_as(S3Options)
    client = {"region_name": given.s3_region_name, "api_version": given.s3_api_version, "verify": given.s3_verify}
    named = {
        "key": given.s3_access_key_id,
        "secret": given.s3_secret_access_key,
        "token": given.s3_session_token,
        "endpoint_url": given.s3_endpoint_url,
        "use_ssl": False if given.s3_disable_ssl else None,
        "client_kwargs": {name: value for name, value in client.items() if value is not None} or None,
    }
    return {name: value for name, value in named.items() if value is not None} if scheme in {"s3", "s3a"} else {}


files.driver_options = _options_of_beam
