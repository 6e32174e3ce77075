"""Credentials of URLs, hidden where a path or a URL becomes text that is shown or kept."""

import re
from typing import Final

HIDDEN: Final = "***"

# "user:password@", where the password may have a slash, as secrets of AWS have, or an @; what looks like a port is one.
# A name alone is a token on the web; elsewhere it is part of the address, as in hdfs://user@host, abfs://container@host.
_LOGIN: Final = re.compile(
    r"""(?<=://)[^\s/?#:@\["']*+:(?!\d{1,5}(?:[/?#\s"']|$))(?:(?!://)[^\s@"])*+@(?:[^\s/?#@"]*+@)*"""
    r"""|(?:(?<=https://)|(?<=http://))[^\s/?#:@"']++@""",
    re.IGNORECASE,
)
# A parameter of a URL, or an option of a command: everything before its value, its name, and its value.
_PARAMETER: Final = re.compile(r"""((?:[?&;#]|(?<![\w.-])--)([\w.-]*+)(?:=|(?<=[\w.-])\s(?!-)))([^\s&;#'"]++)""")
# Those that sign URLs of AWS, Google, CloudFront and Azure (`sig`), and what services call tokens and keys.
_SECRET: Final = re.compile(
    r"token(?!iz)|secret|signature|passw|credential|(?:api|access)[-_]?key|auth(?!or)|^(?:sig|key|pwd|pass)$",
    re.IGNORECASE,
)


def redacted(text: str) -> str:
    """Return a string without the credentials of the URLs in it; everything else, which tells files apart, stays.

    >>> redacted("s3://AKIA:wJal/rXU@bucket/x.json.gz: expected a dump, saw https://x.org/a?part=2&X-Amz-Signature=0f3e")
    's3://***@bucket/x.json.gz: expected a dump, saw https://x.org/a?part=2&X-Amz-Signature=***'
    """
    return _PARAMETER.sub(_redacted_value, _LOGIN.sub(f"{HIDDEN}@", text))


def _redacted_value(found: re.Match[str]) -> str:
    before, name, value = found.groups()
    if not _SECRET.search(name) or (before[-1].isspace() and before[0] != "-"):
        return found[0]
    return f"{before}{HIDDEN}{value[len(value.rstrip(':,.)]')) :]}"
