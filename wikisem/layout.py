"""The layout of an output folder: the name of every file of OUT, and of the scratch that goes when a stage is over.

docs/output-folder.md says what the files hold. Names of buckets, parts, indexes and formats are beside their readers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Final, TypeAlias

import msgspec

from wikisem.typed_json import decode_json

# Files of OUT that people load, by their paths below it.


def group_leaves(language: str) -> tuple[str, str, str]:
    """Return the paths of a language's groups as lines, groups as Parquet, and rejections."""
    return f"groups/{language}.jsonl", f"groups/{language}.parquet", f"rejected/{language}.jsonl"


walls_path: Final = "walls/{}.jsonl".format  # of a language
profile_path: Final = "languages/{}.toml".format


def unreadable_path(unit: str) -> str:
    """Return the path of what could not be read for a unit: "unreadable/mentions-de.jsonl" for "mentions/de"."""
    return f"unreadable/{unit.replace('/', '-')}.jsonl"


MANIFEST: Final = "manifest.json"
NOTES: Final = ".wikisem"  # the folder of records, locks and tokens
work_folder: Final = "{}/.work".format  # the scratch of all runs, in an output folder

# Units: the record of one names the folder of its files. The name of a unit is also the path of that below OUT.

ENTITIES: Final = "entities"
MENTIONS: Final = "mentions"
SURFACES: Final = "surfaces"
TAXONOMY: Final = "taxonomy"
GROUPS: Final = "groups"
NAMES: Final = "names"
WALLS: Final = "walls"

unit_of: Final = "{}/{}".format  # the unit of a stage in one language: unit_of(MENTIONS, "de") is "mentions/de"


def language_of(unit: str) -> str:
    """Return the language of a unit, "" for a unit of no language.

    >>> language_of("mentions/de"), language_of("entities")
    ('de', '')
    """
    return unit.partition("/")[2]


# Part of a path: no way out of the output folder.
Fingerprint: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"^\w+$")]


class _Record(msgspec.Struct):
    fingerprint: Fingerprint


def record_path(output: str, unit: str) -> str:
    """Return the path of the record of a unit: "out/.wikisem/mentions.de.json" for ("out", "mentions/de")."""
    return f"{output}/{NOTES}/{unit.replace('/', '.')}.json"


# The folder of a unit's files by output folder, unit and fingerprint; and below the output folder, as in records.
folder_path: Final = "{}/{}/{}".format
folder_below: Final = "{}/{}".format


def names_path(output: str, unit: str) -> str:
    """Return the names of all that runs have made for a unit."""
    return f"{output}/{NOTES}/{unit.replace('/', '.')}.names"


# The lock file of a run in an output folder, and with "*" a pattern for those of all.
lock_path: Final = f"{{}}/{NOTES}/lock.{{}}.json".format
# A file by which workers and a run see whether they share an output folder: a token that is "asked" or "answered".
token_path: Final = f"{{}}/{NOTES}/{{}}.{{}}".format


def find_folder(path: str, unit: str, read: Callable[[str], bytes | None]) -> str:
    """Return the folder of the files that a stage made, from the output folder or one below it that a person names.

    A unit is what a stage makes, such as "taxonomy". Its record in the output folder has a fingerprint, which is the
    name of that folder (DamagedInputError if it has none). ``read`` returns the bytes of a file, or None if there is no
    such file. Without a record, ``path`` is returned.

    >>> files = {"out/.wikisem/taxonomy.json": b'{"fingerprint": "5b1e"}'}
    >>> [find_folder(path, "taxonomy", files.get) for path in ("out", "out/taxonomy/", "elsewhere")]
    ['out/taxonomy/5b1e', 'out/taxonomy/5b1e', 'elsewhere']
    """
    path = path.rstrip("/") or "/"
    outputs = [path]
    if f"/{path}".endswith(f"/{unit}"):
        outputs.append(path[: -len(unit)].rstrip("/") or ("/" if path.startswith("/") else "."))
    for output in outputs:
        record = read(record_path(output, unit))
        if record is not None:
            known = decode_json(record, _Record, record_path(output, unit), "the record of a unit")
            return folder_path(output, unit, known.fingerprint)
    return path


# Files in the folder of a unit.

# of mentions: the site information of the wiki, the letters at a sample of its links, its redirects in as many buckets
# as its mentions, and the hashes of the titles of all its pages
siteinfo_path: Final = "{}/siteinfo.json".format
link_letters_path: Final = "{}/surroundings.json".format
redirects_folder: Final = "{}/redirects".format
pages_folder: Final = "{}/pages".format
# of surfaces: what is counted of the surface forms of a language, and ``schemas.ITEM_NAMES`` if labels compete
summary_path: Final = "{}/summary.json".format
item_names_folder: Final = "{}/item-names".format
# of entities: ``schemas.UNLINKED`` unless every item was kept, the index, ``schemas.PROPERTY_LABELS`` (may be empty)
UNLINKED: Final = "unlinked"
unlinked_folder: Final = f"{{}}/{UNLINKED}".format
index_folder: Final = "{}/index".format
property_labels_path: Final = "{}/properties/labels.parquet".format


# Scratch: what the steps of a stage leave for each other.

# The folder of all surface forms that the groups stage reads; it is removed before the stage ends.
SURFACE_PARTS: Final = "surface-parts"


def _below(pattern: str) -> Callable[..., str]:
    """Return a method that fills ``pattern`` in, a path below ``Scratch.parts``."""
    return lambda scratch, *values: f"{scratch.parts}/{pattern.format(*values)}"


@dataclass(frozen=True, slots=True)
class Scratch:
    """The scratch folder of one stage, which goes when the stage is over, and the folder of its finished files.

    The latter is ``target``, the folder that OUT has for a unit, or one in the scratch folder where there is none.
    ``parts`` has the intermediate files: a stage has those that its steps name.
    """

    root: str
    target: str = ""

    @property
    def finished(self) -> str:
        """Where finished files are written, which nobody reads before there is a record of the unit."""
        return self.target or f"{self.root}/finished"

    @property
    def parts(self) -> str:
        """Intermediate files, removed when the unit is finished."""
        return f"{self.root}/parts"

    def unreadable_of(self, unit: str) -> str:
        """Return the folder for what could not be read for a unit, as JSON lines in any number of files."""
        return f"{self.root}/unreadable/{unit}"

    def unreadable(self, unit: str, number: int) -> str:
        """Return a file for what could not be read of a range, by number; one more is for all ranges together."""
        return f"{self.unreadable_of(unit)}/{number:06d}.jsonl"

    # The counts of one part of the work, by name, or a pattern for those of many; and of a numbered part.
    counts = _below("counts/{}.json")
    counts_of = _below("counts/{}-{:06}.json")

    # entities: the items of one certainty from one range, and the properties that it has lines of
    items = _below("{}/{:06}.parquet")
    properties = _below("properties/{:06}.json")
    # by bucket of items: the merged numbers of a kind that the parts of a step sent; the superseded rows of each file
    merged = _below("merged/{}-{}")
    superseded = _below("superseded")

    # mentions, of a language: the versions of pages by range, and where the pages that are copies of others begin
    versions = _below("versions/{}")
    repeats = _below("repeats/{}.buckets")
    # the hashes of the titles of all pages; in another folder where they are made again, since workers keep copies
    page_titles = _below("titles/{}")
    page_titles_again = _below("titles-again/{}")

    # surfaces: the hashes of all anchors that are wanted in a language
    wanted = _below("wanted/{}")

    # taxonomy: the edges of a numbered file of entities
    edges = _below("edges/{}")

    # groups, of a language: its surface forms in parts, those that its groups may need, how many there are in all, what
    # they look like (if outliers take places), their affixes (if the recipe measures by them)
    surface_part = _below(f"{SURFACE_PARTS}/{{}}/{{}}")
    surfaces = _below("languages/{}/surfaces")
    surface_count = _below("languages/{}/surface_count.json")
    forms = _below("languages/{}/forms")
    affixes = _below("languages/{}/affixes.json")
    # its candidate classes, its hash ring, and the classes of its groups whose label is English for want of another
    candidates = _below("languages/{}/candidates")
    ring = _below("languages/{}/ring")
    group_facts = _below("facts/{}.json")
    # the labels and titles of all files of entities that are in it
    own_labels = _below("languages/{}/labels.parquet")
    own_titles = _below("languages/{}/titles.parquet")
    # of a numbered file of entities: labels of classes, titles of list articles and others, signatures, relations
    labels = _below("labels/labels-{}.parquet")
    titles = _below("labels/titles-{}.parquet")
    item_signatures = _below("item_signatures/{:05d}")
    item_relations = _below("item_relations/{:05d}")
    # of all items: counts of unlinked ones in parts, the outlier index, and the signatures of members and outliers and
    # their ties if the recipe asks for them
    unlinked = _below("unlinked/{:05d}")
    outlier_index = _below("outlier_index")
    signatures = _below("signatures")
    ties = _below("ties")
    # what a slice of the candidate classes gave in a language
    judged = _below("judged/{}/{:05d}.msgpack")

    # walls: the classes of a language's groups with their words, its counts by tier, and the index of all classes
    classes = _below("classes/{}.json")
    tiers = _below("tiers/{}.json")
    wall_index = _below("index")
