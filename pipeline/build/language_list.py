"""The languages that are known, and those of an output folder, each with its profile and where that is from."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from wikisem.errors import MissingInputError
from wikisem.pipeline.build.ledger import Ledger
from wikisem.pipeline.build.profiles import edited, profile_path
from wikisem.transforms.io.files import list_files, open_binary
from wikisem.wikipedia.data.scripts import script_sets
from wikisem.wikipedia.learning import find_profile
from wikisem.wikipedia.profile_file import KEYS, ProfileFile, read_profile_file
from wikisem.wikis import LABEL_ONLY_CODES, WIKIPEDIA_CODES, WIKIPEDIAS, own_code, wiki_of


@dataclass(frozen=True, slots=True)
class ListedLanguage:
    """A language: ``wiki`` is None for one of labels, ``groups`` None where no folder was asked for.

    ``source`` and ``support`` have the keys of a profile file. ``edited`` says that a person wrote or changed the file.
    """

    code: str
    name: str
    wiki: str | None
    script: str
    spaced: bool
    writing: str
    hyphens: bool
    affix: str
    affix_length: int
    length_one: bool
    link_trail: str
    lists: tuple[str, ...]
    source: Mapping[str, str] = field(default_factory=dict)
    support: Mapping[str, int] = field(default_factory=dict)
    groups: int | None = None
    edited: bool = False

    def to_plain(self) -> dict[str, Any]:
        """The language as plain values."""
        return asdict(self)


def known_languages() -> list[ListedLanguage]:
    """All Wikipedias, then all languages of labels, as they are known without a dump."""
    return [_listed(code, None) for code in (*sorted(WIKIPEDIA_CODES), *sorted(LABEL_ONLY_CODES))]


def languages_in(output: str) -> list[ListedLanguage]:
    """The languages of an output folder by their profile files; MissingInputError where it has none."""
    paths = list_files(f"{output}/languages/*.toml")
    if not paths:
        raise MissingInputError(f"expected {output}/{profile_path('<language>')}, saw none; run `wikisem build` first")
    ledger, found = Ledger(output), []
    for path in sorted(paths):
        code = path.rsplit("/", 1)[-1].removesuffix(".toml")
        with open_binary(path) as source:
            file = read_profile_file(source.read(), path)
        record = ledger.find(f"groups/{code}")
        groups = record.counts.kept if record is not None else 0
        found.append(_listed(code, file, groups, bool(edited(output, code))))
    return found


def _listed(code: str, file: ProfileFile | None, groups: int | None = None, by_hand: bool = False) -> ListedLanguage:
    found = find_profile(code, given=file)
    source, support = dict(found.source), dict(found.support)
    if file is not None:
        source |= file.source if isinstance(file.source, dict) else {}
        support |= file.support if isinstance(file.support, dict) else {}
    wiki = wiki_of(code)
    values = {key: getattr(found.profile, key) for key in KEYS if key != "script"}
    return ListedLanguage(
        code=code,
        name=WIKIPEDIAS[wiki].name if wiki is not None else "",
        wiki=wiki,
        script=found.profile.script or "|".join("+".join(one) for one in script_sets(own_code(code))),
        spaced=found.profile.spaced,
        **values,
        source=source,
        support=support,
        groups=groups,
        edited=by_hand,
    )
