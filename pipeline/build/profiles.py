"""The profile files that a run uses: those that --profile names, and those in OUT that a person has edited."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from wikisem.errors import MissingInputError, UsageError
from wikisem.pipeline.build.ledger import Ledger, fingerprint
from wikisem.transforms.io.files import list_files, open_binary
from wikisem.wikipedia.profile_file import ProfileFile, read_profile_file
from wikisem.wikis import known_language

# What the record of a language's groups says of the profile that they were made by.
FACT: Final = "profile"


@dataclass(frozen=True, slots=True)
class Profiles:
    """The texts of profile files, by language; a language without one has what is learned.

    ``trails`` are those trails of links of these files that decide what mentions hold: others than were learned.
    """

    texts: Mapping[str, str] = field(default_factory=dict)
    trails: Mapping[str, str] = field(default_factory=dict)

    def digest(self, language: str) -> str:
        """What a fingerprint sees of a language's file; empty where it has none."""
        return fingerprint(text=self.texts[language]) if language in self.texts else ""

    def read(self, language: str) -> ProfileFile:
        """The file of a language that has one."""
        return read_profile_file(self.texts[language], profile_path(language))


def profile_path(language: str) -> str:
    """The profile file of a language, below OUT."""
    return f"languages/{language}.toml"


def read_named(words: Sequence[str]) -> dict[str, str]:
    """The texts of the files that ``LANG=FILE`` words name; RecipeError for one that is no profile file."""
    texts = {}
    for word in words:
        language, mark, path = word.partition("=")
        if not mark or not path:
            raise UsageError(f"--profile: expected LANG=FILE such as de=de.toml, saw {word!r}")
        known_language(language)
        texts[language] = _read(path)
        read_profile_file(texts[language], path)
    return texts


def find_profiles(output: str, languages: Sequence[str], named: Mapping[str, str]) -> Profiles:
    """The profile files of a run: those named, else those in OUT that are not as the last run learned them."""
    texts = {language: named.get(language) or edited(output, language) for language in languages}
    texts = {language: text for language, text in texts.items() if text}
    files = {
        language: read_profile_file(text, f"{output}/{profile_path(language)}") for language, text in texts.items()
    }
    trails = {language: _trail(output, language, file) for language, file in files.items()}
    return Profiles(texts, {language: trail for language, trail in trails.items() if trail is not None})


def _trail(output: str, language: str, file: ProfileFile) -> str | None:
    """The trail that a file gives, unless the mentions in OUT were made with the same one without being told."""
    trail = file.values().get("link_trail")
    record = Ledger(output).find(f"mentions/{language}")
    learned = record.facts.get("learned_trail") if record is not None else None
    return None if trail == learned else trail


def edited(output: str, language: str) -> str:
    """The profile file of a language in OUT if a person wrote or changed it; else empty."""
    path = f"{output}/{profile_path(language)}"
    if not list_files(path):
        return ""
    text = _read(path)
    record = Ledger(output).find(f"groups/{language}")
    known = record.facts.get(FACT, {}) if record is not None else {}
    return "" if known.get("learned") == fingerprint(text=text) else text


def _read(path: str) -> str:
    try:
        with open_binary(path) as source:
            return source.read().decode()
    except (OSError, UnicodeDecodeError) as error:
        raise MissingInputError(f"expected a profile file, saw {path!r}: {error}") from error
