"""The errors that wikisem raises: each is a builtin error too, has an exit code, and hides credentials of URLs."""

import importlib
import re
import types
from typing import Final, Literal

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


class WikisemError(Exception):
    """Any error that wikisem reports; its text says what was expected, what was seen and where, without credentials."""

    exit_code = 1

    def __init__(self, *values: object) -> None:
        super().__init__(*(redacted(value) if isinstance(value, str) else value for value in values))


class UsageError(WikisemError, ValueError):
    """The command or one of its options is invalid."""

    exit_code = 2


class RecipeError(WikisemError, ValueError):
    """A recipe is missing, or has an unknown key, a wrong type or an impossible value."""

    exit_code = 2


class MissingExtraError(WikisemError, ImportError):
    """A package is not installed that an extra of wikisem brings."""


class BadIdError(WikisemError, ValueError):
    """A QID, property id or language code has the wrong form; it never gets into a path or a query."""

    exit_code = 2


class MissingInputError(WikisemError, FileNotFoundError):
    """An input, or the output of an earlier stage, is missing."""


class DamagedInputError(WikisemError, ValueError):
    """An input is damaged, or not of the expected kind (a dump, a data set, vectors)."""


class WrongDumpError(DamagedInputError):
    """The dump is of another kind than expected; ``saw`` is the format of its first bytes."""

    def __init__(self, message: str, saw: Literal["xml", "json"]) -> None:
        super().__init__(message)
        self.saw = saw


class OutputError(WikisemError, OSError):
    """The output folder cannot be written."""


class LockError(WikisemError, RuntimeError):
    """Another run is at work in the output folder."""


class UnknownItemError(WikisemError, KeyError):
    """The class graph does not have this QID."""

    def __str__(self) -> str:
        # KeyError would print the repr of the text, quotes included.
        return str(self.args[0]) if self.args else ""


class TooManyUnreadableError(WikisemError, RuntimeError):
    """More records could not be read than a run allows."""


class StageError(WikisemError, RuntimeError):
    """A Beam pipeline failed; the text names the stage and the first cause."""


class EndpointError(WikisemError, ConnectionError):
    """A SPARQL endpoint could not give a whole answer."""


class DownloadError(WikisemError, ConnectionError):
    """A dump, or one of its files, could not be downloaded whole."""


# The extra that installs each package that commands import, by the name of its module.
_BUILD: Final = ("apache_beam", "ahocorasick_rs", "lxml", "zstandard")
_EXTRAS: Final = {
    **dict.fromkeys(_BUILD, "build"),
    "SPARQLWrapper": "categories",
    "rdflib": "categories",
    "scipy": "counts",
}


def missing_extra(error: ModuleNotFoundError, user: str) -> ImportError:
    """Return the MissingExtraError for a module that an extra brings; the error itself for any other."""
    package = (error.name or "").partition(".")[0]
    if package not in _EXTRAS:
        return error
    return MissingExtraError(f"{user} needs {package.replace('_', '-')}: pip install 'wikisem[{_EXTRAS[package]}]'")


def optional_module(name: str, user: str, extra: str, package: str = "") -> types.ModuleType:
    """A module that only an extra brings, or that needs a package of one; MissingExtraError says who needs what."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtraError(f"{user} needs {package or name}: pip install 'wikisem[{extra}]'") from error
