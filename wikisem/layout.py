"""The layout of an output folder: the name of every file of OUT, and of the scratch that goes when a stage is over.

Functions and classes here only put names together; docs/output-folder.md says what the files hold. How a bucket's file
is called is in ``arrow/parquet.py``, a part's in ``transforms/io/shuffle.py``, an index's in
``arrow/item_index.py``, and a format's folder in ``outputs/groupfile.py``, each beside its reader.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Final, Self, TypeAlias

import msgspec

from wikisem.typed_json import decode_json

# Files of OUT that people load, by their paths below it.


def group_leaves(language: str) -> tuple[str, str, str]:
    """The paths of groups as lines, groups as Parquet, and rejections.

    >>> group_leaves("de")
    ('groups/de.jsonl', 'groups/de.parquet', 'rejected/de.jsonl')
    """
    return f"groups/{language}.jsonl", f"groups/{language}.parquet", f"rejected/{language}.jsonl"


def walls_path(language: str) -> str:
    """The walls of a language."""
    return f"walls/{language}.jsonl"


def profile_path(language: str) -> str:
    """The profile file of a language."""
    return f"languages/{language}.toml"


def unreadable_path(unit: str) -> str:
    """What could not be read for a unit.

    >>> unreadable_path("mentions/de")
    'unreadable/mentions-de.jsonl'
    """
    return f"unreadable/{unit.replace('/', '-')}.jsonl"


MANIFEST: Final = "manifest.json"
NOTES: Final = ".wikisem"  # the folder of records, locks and tokens


def work_folder(output: str) -> str:
    """The folder of the scratch of all runs."""
    return f"{output}/.work"


# Units: the record of one names the folder of its files. The name of a unit is also the path of that below OUT.

ENTITIES: Final = "entities"
MENTIONS: Final = "mentions"
SURFACES: Final = "surfaces"
TAXONOMY: Final = "taxonomy"
GROUPS: Final = "groups"
NAMES: Final = "names"
WALLS: Final = "walls"


def unit_of(stage: str, language: str) -> str:
    """The unit of a stage in one language.

    >>> unit_of(MENTIONS, "de")
    'mentions/de'
    """
    return f"{stage}/{language}"


# Part of a path: no way out of the output folder.
Fingerprint: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^\w+$")]


class _Record(msgspec.Struct):
    fingerprint: Fingerprint


def record_path(output: str, unit: str) -> str:
    """The record of a unit.

    >>> record_path("out", "mentions/de")
    'out/.wikisem/mentions.de.json'
    """
    return f"{output}/{NOTES}/{unit.replace('/', '.')}.json"


def folder_path(output: str, unit: str, fingerprint: str) -> str:
    """The folder of a unit's files.

    >>> folder_path("out", "mentions/de", "5b1e")
    'out/mentions/de/5b1e'
    """
    return f"{output}/{folder_below(unit, fingerprint)}"


def folder_below(unit: str, fingerprint: str) -> str:
    """The path of a unit's folder below the output folder, as records name files."""
    return f"{unit}/{fingerprint}"


def names_path(output: str, unit: str) -> str:
    """The names of all that runs have made for a unit."""
    return f"{output}/{NOTES}/{unit.replace('/', '.')}.names"


def lock_path(output: str, run: str) -> str:
    """The lock file of a run, or a pattern for those of all."""
    return f"{output}/{NOTES}/lock.{run}.json"


def token_paths(output: str, token: str) -> tuple[str, str]:
    """The files by which workers and a run see whether they share an output folder: the question, and the answer."""
    return f"{output}/{NOTES}/{token}.asked", f"{output}/{NOTES}/{token}.answered"


def find_folder(path: str, unit: str, read: Callable[[str], bytes | None]) -> str:
    """The folder of a unit's files, from what a person may give: OUT, the unit's folder in OUT, or the folder itself.

    ``read`` returns the bytes of a file, or None if there is no file. Without a record the path is returned as it is.

    >>> files = {"out/.wikisem/taxonomy.json": b'{"fingerprint": "5b1e"}'}
    >>> [find_folder(path, "taxonomy", files.get) for path in ("out", "out/taxonomy/", "elsewhere")]
    ['out/taxonomy/5b1e', 'out/taxonomy/5b1e', 'elsewhere']

    Raises DamagedInputError for a record without a fingerprint.
    """
    path = path.rstrip("/") or "/"
    outputs = [path]
    if f"/{path}".endswith(f"/{unit}"):
        outputs.append(path[: -len(unit)].rstrip("/") or ("/" if path.startswith("/") else "."))
    for output in outputs:
        record = read(record_path(output, unit))
        if record is not None:
            return folder_path(output, unit, _fingerprint(record_path(output, unit), record))
    return path


def _fingerprint(path: str, record: bytes) -> str:
    return decode_json(record, _Record, path, "the record of a unit").fingerprint


# Files in the folder of a unit.


def siteinfo_path(mentions: str) -> str:
    """What a wiki says of itself, beside its mentions."""
    return f"{mentions}/siteinfo.json"


def link_letters_path(mentions: str) -> str:
    """The letters at a sample of a wiki's links, beside its mentions."""
    return f"{mentions}/surroundings.json"


def redirects_folder(mentions: str) -> str:
    """The redirects of a wiki, in as many buckets as its mentions."""
    return f"{mentions}/redirects"


def pages_folder(mentions: str) -> str:
    """The hashes of the titles of all pages of a wiki, beside its mentions."""
    return f"{mentions}/pages"


def summary_path(surfaces: str) -> str:
    """What is counted of the surface forms of a language, beside them."""
    return f"{surfaces}/summary.json"


# Below a folder of entities.
UNLINKED: Final = "unlinked"


def unlinked_folder(entities: str) -> str:
    """The folder of ``schemas.UNLINKED`` files in a folder of entities; it exists unless every item was kept."""
    return f"{entities}/{UNLINKED}"


def index_folder(entities: str) -> str:
    """The folder of the index of a folder of entities."""
    return f"{entities}/index"


def property_labels_path(entities: str) -> str:
    """The file of ``schemas.PROPERTY_LABELS`` in a folder of entities; without rows if the dump has no properties."""
    return f"{entities}/properties/labels.parquet"


# Scratch: what the steps of a stage leave for each other.


@dataclass(frozen=True, slots=True)
class Scratch:
    """The scratch folder of one stage, which goes when the stage is over, and the folder of its finished files.

    The latter is ``target``, the folder that OUT has for a unit, or one in the scratch folder where there is none.
    """

    root: str
    target: str = ""

    @classmethod
    def of(cls, scratch: "Scratch") -> Self:
        """The same folders, with the names that one stage has for what is in them."""
        return cls(scratch.root, scratch.target)

    @property
    def finished(self) -> str:
        """Where finished files are written, which nobody reads before there is a record of the unit."""
        return self.target or f"{self.root}/finished"

    @property
    def parts(self) -> str:
        """Intermediate files, removed when the unit is finished."""
        return f"{self.root}/parts"

    def counts(self, name: str) -> str:
        """The counts of one part of the work, or a pattern for those of many."""
        return f"{self.parts}/counts/{name}.json"

    def unreadable_of(self, unit: str) -> str:
        """The folder for what could not be read for a unit, as JSON lines in any number of files."""
        return f"{self.root}/unreadable/{unit}"

    def unreadable(self, unit: str, number: int) -> str:
        """What could not be read of a range for a unit; the number after the last range is for all ranges together."""
        return f"{self.unreadable_of(unit)}/{number:06d}.jsonl"


class EntityScratch(Scratch):
    """Scratch of ``entities``. A file of items is named by what is certain of them and the number of their range."""

    __slots__ = ()

    def items(self, certainty: str, part: int) -> str:
        """The items of one certainty from one range."""
        return f"{self.parts}/{certainty}/{part:06}.parquet"

    def properties(self, part: int) -> str:
        """The properties that a range has lines of."""
        return f"{self.parts}/properties/{part:06}.json"

    def merged(self, step: str, kind: str) -> str:
        """Bucket files by bucket of items: the merged numbers of a kind that the parts of a step sent."""
        return f"{self.parts}/merged/{step}-{kind}"

    @property
    def superseded(self) -> str:
        """Bucket files by bucket of items: the numbers of superseded rows, by the file that they are in."""
        return f"{self.parts}/superseded"


class MentionScratch(Scratch):
    """Scratch of ``mentions``."""

    __slots__ = ()

    def versions(self, language: str) -> str:
        """Bucket files by range: the versions of its pages."""
        return f"{self.parts}/versions/{language}"

    def repeats(self, language: str) -> str:
        """A bucket file: where the pages that are copies of others begin, by the number of a range."""
        return f"{self.parts}/repeats/{language}.buckets"

    def titles(self, language: str, again: bool) -> str:
        """The hashes of the titles of all pages; the second time in another folder, because workers keep copies."""
        return f"{self.parts}/titles{'-again' if again else ''}/{language}"

    def range_counts(self, language: str, number: int) -> str:
        """The counts of a range, named by its number, so that a range that is run again counts once."""
        return self.counts(f"{language}-{number:05d}")


class SurfaceScratch(Scratch):
    """Scratch of ``surfaces``."""

    __slots__ = ()

    def wanted(self, language: str) -> str:
        """The folder of the hashes of all anchors that are wanted."""
        return f"{self.parts}/wanted/{language}"


class TaxonomyScratch(Scratch):
    """Scratch of ``taxonomy``."""

    __slots__ = ()

    def edges(self, number: str = "*") -> str:
        """The folder of the edges of one file of entities, or a pattern for those of all."""
        return f"{self.parts}/edges/{number}"


class GroupScratch(Scratch):
    """Scratch of ``groups``."""

    __slots__ = ()

    def surface_part(self, language: str, number: int) -> str:
        """The folder of one part of a language's surface forms."""
        return f"{self._language(language)}/parts/{number}"

    def surfaces(self, language: str) -> str:
        """The folder of the surface forms of a language that its groups may need."""
        return f"{self._language(language)}/surfaces"

    def forms(self, language: str) -> str:
        """The folder of what these look like, which is there if outliers take places."""
        return f"{self._language(language)}/forms"

    def surface_count(self, language: str) -> str:
        """The file that says how many surface forms a language has."""
        return f"{self._language(language)}/surface_count.json"

    def affixes(self, language: str) -> str:
        """The file of the affixes of a language's surface forms, which is there if the recipe measures by them."""
        return f"{self._language(language)}/affixes.parquet"

    def candidates(self, language: str) -> str:
        """The folder of the candidate classes of a language."""
        return f"{self._language(language)}/candidates"

    def ring(self, language: str) -> str:
        """The folder of the hash ring of a language."""
        return f"{self._language(language)}/ring"

    def labels(self, number: str = "*") -> str:
        """The labels of the classes in one file of entities, or a pattern for those of all."""
        return f"{self.parts}/labels/labels-{number}.parquet"

    def titles(self, number: str = "*") -> str:
        """The titles of list articles and others in one file of entities, or a pattern for those of all."""
        return f"{self.parts}/labels/titles-{number}.parquet"

    def unlinked(self, number: int) -> str:
        """The folder of one part of the counts of unlinked items."""
        return f"{self.parts}/unlinked/{number:05d}"

    def item_signatures(self, number: int) -> str:
        """The folder of the signatures of the items in one file of entities, if the recipe asks for them."""
        return f"{self.parts}/item_signatures/{number:05d}"

    @property
    def signatures(self) -> str:
        """The folder of the signatures that groups may need."""
        return f"{self.parts}/signatures"

    def item_relations(self, number: int) -> str:
        """The folder of the relations of the items in one file of entities, if the recipe asks for related outliers."""
        return f"{self.parts}/item_relations/{number:05d}"

    @property
    def ties(self) -> str:
        """The folder of the ties between what may be members and what may be outliers."""
        return f"{self.parts}/ties"

    @property
    def outlier_index(self) -> str:
        """The folder of the outlier index."""
        return f"{self.parts}/outlier_index"

    def judged(self, kind: str, language: str, number: int) -> str:
        """The file of "groups", "rejected" or "english" that one slice of the candidate classes gave in a language."""
        return f"{self.parts}/judged/{kind}/{language}/{number:05d}.jsonl"

    def english(self, language: str) -> str:
        """The file of the classes of a language's groups whose label is English for want of another."""
        return f"{self.parts}/english/{language}.json"

    def _language(self, language: str) -> str:
        return f"{self.parts}/languages/{language}"


class WallScratch(Scratch):
    """Scratch of ``walls``."""

    __slots__ = ()

    def classes(self, language: str) -> str:
        """The classes of a language's groups with their words."""
        return f"{self.parts}/classes/{language}.json"

    def tiers(self, language: str) -> str:
        """The counts of a language's walls by tier."""
        return f"{self.parts}/tiers/{language}.json"

    def item_signatures(self, number: int) -> str:
        """The folder of the signatures of the items in one file of entities, if the recipe asks for them."""
        return f"{self.parts}/item_signatures/{number:05d}"

    @property
    def signatures(self) -> str:
        """The folder of the signatures that walls may need."""
        return f"{self.parts}/signatures"

    @property
    def index(self) -> str:
        """The folder of the outlier index of all classes, and of the lists of their words."""
        return f"{self.parts}/index"
