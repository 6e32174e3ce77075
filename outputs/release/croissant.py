"""croissant.json: the record sets of a release for programs, by Croissant 1.1 with its vocabulary for responsible AI.

One FileSet and one RecordSet serve all languages: every record has a field ``language``. The specification is
https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html (2026-01-29).
"""

from collections.abc import Sequence
from typing import Any, Final

import orjson
import pyarrow as pa

from wikisem.outputs.groupfile import GROUPS
from wikisem.outputs.release.cases import CASES
from wikisem.outputs.release.facts import LICENSE_URL, PAPER, ReleaseFacts, Source
from wikisem.outputs.release.words import WORDS

_SPEC: Final = ("http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0")

# The context that the specification gives, and the vocabulary of provenance.
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
    """The text of croissant.json."""
    kinds = [("groups", GROUPS), ("cases", CASES)]
    document = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": list(_SPEC),
        "name": facts.name,
        "description": WORDS["description"],
        "version": facts.version,
        "license": LICENSE_URL,
        "url": f"https://huggingface.co/datasets/{facts.repository}" if facts.repository else PAPER_URL,
        "citeAs": PAPER,
        "creator": {"@type": "sc:Organization", "name": "wikisem"},
        "datePublished": facts.published,
        "inLanguage": facts.iso_codes,
        "isLiveDataset": False,
        "rai:dataCollection": WORDS["collection"],
        "rai:dataUseCases": WORDS["uses"],
        "rai:dataLimitations": WORDS["limits"],
        "rai:personalSensitiveInformation": "Public items of Wikidata; items of living people may be among them.",
        "prov:wasDerivedFrom": [_derived(source) for source in facts.sources],
        "distribution": [_file_set(name) for name, _ in kinds],
        "recordSet": [_record_set(name, schema) for name, schema in kinds],
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n"


PAPER_URL: Final = "https://arxiv.org/abs/1611.01547"


def _derived(source: Source) -> dict[str, str]:
    about = {"@type": "prov:Entity", "name": source.name}
    about |= {"@id": source.url} if source.url else {}
    return about | ({"sha256": source.sha256} if source.sha256 else {})


def _file_set(name: str) -> dict[str, str]:
    return {
        "@type": "cr:FileSet",
        "@id": f"{name}-files",
        "name": f"{name}-files",
        "description": f"One Parquet file of {name} for each language.",
        "encodingFormat": "application/x-parquet",
        "includes": f"{name}/*.parquet",
    }


def _record_set(name: str, schema: pa.Schema) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"The {name} of all languages; the field language tells them apart.",
        "field": [_field(name, [column.name], column.type) for column in schema],
    }


def _field(record_set: str, path: Sequence[str], kind: pa.DataType) -> dict[str, Any]:
    """A column, or a field of the structs in a list."""
    name = "/".join([record_set, *path])
    about: dict[str, Any] = {"@type": "cr:Field", "@id": name, "name": path[-1]}
    if pa.types.is_list(kind) and pa.types.is_struct(kind.value_type):
        members = kind.value_type
        subfields = [
            _field(record_set, [*path, members.field(at).name], members.field(at).type)
            for at in range(members.num_fields)
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
