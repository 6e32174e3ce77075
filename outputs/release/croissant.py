"""croissant.json, by https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html (2026-01-29)."""

from collections.abc import Sequence
from typing import Any, Final

import orjson
import pyarrow as pa

from wikisem.outputs.groupfile import GROUPS
from wikisem.outputs.release.card import NOBODY, PAPER, PAPER_URL, hub_url
from wikisem.outputs.release.cases import CASES
from wikisem.outputs.release.metadata import ReleaseFacts
from wikisem.outputs.release.sentences import (
    TEXTS,
    biases,
    collection,
    description,
    limits,
    made_up,
    social_impact,
    uses,
)
from wikisem.outputs.wallfile import WALLS

_SPEC: Final = ("http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0")

# The context of the specification, and the vocabulary of provenance.
_TERMS: Final = """arrayShape citeAs column containedIn equivalentProperty extract field fileObject fileProperty fileSet
format includes isArray isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated replace
samplingRate separator source subField transform"""
CONTEXT: Final[dict[str, Any]] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    **{term: f"cr:{term}" for term in _TERMS.split()},
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "name": {"@container": "@language"},
    "prov": "http://www.w3.org/ns/prov#",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
}


def croissant_json(facts: ReleaseFacts) -> bytes:
    """Describe the data set by Croissant 1.1 with its vocabulary for responsible AI.

    A kind of record has one FileSet and one RecordSet for all languages, since every record has a field ``language``.
    """
    contact = facts.maker.contact
    contacts = {"email" if "@" in contact else "url": contact} if contact else {}
    schemas = {"groups": GROUPS, "cases": CASES} | ({"shots": CASES} if facts.shots else {})
    schemas |= {"walls": WALLS} if "walls" in facts.extras else {}
    activities = []
    for unit, stage in facts.stages.items():
        kind, _, language = unit.partition("/")
        counts = "" if stage.read is None or stage.kept is None else f": {stage.read:,} read, {stage.kept:,} kept"
        done = f"{_DONE.get(kind, kind)}{f', {language}' if language else ''}{counts}."
        activities.append({"@type": "prov:Activity", "name": f"wikisem {unit}", "description": done})
    document = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": list(_SPEC),
        "name": facts.name,
        "description": description(facts),
        "version": facts.version,
        "license": facts.licence.url,
        "url": hub_url(facts) if facts.repository else PAPER_URL,
        "citeAs": PAPER,
        "creator": {"@type": "sc:Person", "name": facts.maker.name or NOBODY} | contacts,
        "datePublished": facts.published,
        "inLanguage": facts.iso_codes,
        "isLiveDataset": False,
        "keywords": [facts.canary],
        # The eight fields that NeurIPS requires (https://neurips.cc/Conferences/2026/EvaluationsDatasetsHosting), and
        # how the data was collected.
        "rai:dataCollection": collection(facts),
        "rai:dataUseCases": uses(facts),
        "rai:dataLimitations": limits(facts),
        "rai:dataBiases": biases(facts),
        "rai:dataSocialImpact": social_impact(facts),
        "rai:personalSensitiveInformation": TEXTS["personal"],
        "rai:hasSyntheticData": facts.made_up,
        "prov:wasDerivedFrom": [
            {"@type": "prov:Entity", "name": made_up(facts) + source.name}
            | ({"@id": source.origin.url} if source.origin.url else {})
            | ({"sha256": source.sha256} if source.sha256 else {})
            for _, source in facts.sources
        ],
        "prov:wasGeneratedBy": activities,
        "distribution": [
            {
                "@type": "cr:FileSet",
                "@id": f"{name}-files",
                "name": f"{name}-files",
                "description": f"One Parquet file of {name} for each language.",
                "encodingFormat": "application/x-parquet",
                "includes": f"{name}/*.parquet",
            }
            for name in schemas
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": name,
                "name": name,
                "description": f"The {name} of all languages; the field language tells them apart.",
                "field": [_field(name, [column.name], column.type) for column in schema],
            }
            for name, schema in schemas.items()
        ],
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n"


_DONE: Final = {
    "entities": "Items read from the dump",
    "mentions": "Pages of the dump whose links were counted",
    "surfaces": "Items named in a language",
    "taxonomy": "Items placed in the class graph",
    "groups": "Classes judged, of which those with a group were kept",
    "names": "Pairs of a page and an anchor",
    "walls": "Walls tried",
}


def _field(record_set: str, path: Sequence[str], kind: pa.DataType) -> dict[str, Any]:
    """Describe a column, or a field of the structs in a list; lists and structs in it may be null, so are left out."""
    name = "/".join([record_set, *path])
    about: dict[str, Any] = {"@type": "cr:Field", "@id": name, "name": path[-1]}
    if pa.types.is_list(kind) and pa.types.is_struct(kind.value_type):
        members = kind.value_type
        subfields = [
            _field(record_set, [*path, member.name], member.type)
            for member in map(members.field, range(members.num_fields))
            if not pa.types.is_nested(member.type)
        ]
        return {**about, "repeated": True, "subField": subfields}
    source: dict[str, Any] = {"fileSet": {"@id": f"{record_set}-files"}, "extract": {"column": path[0]}}
    if len(path) > 1:
        source["transform"] = {"jsonPath": path[-1]}
    if pa.types.is_list(kind):
        return {**about, "dataType": _data_type(kind.value_type), "isArray": True, "arrayShape": "-1", "source": source}
    return {**about, "dataType": _data_type(kind), "source": source}


def _data_type(kind: pa.DataType) -> str:
    if pa.types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"
