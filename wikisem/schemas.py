"""Arrow schemas of the Parquet files between the stages: the contract that other tools may rely on."""

from typing import Final

import pyarrow as pa

# What pyarrow raises where a Parquet file is damaged, or asks for more memory than there is.
PARQUET_ERRORS: Final = (pa.ArrowException, OSError, KeyError, UnicodeDecodeError, MemoryError)

STATEMENT = pa.struct([("property", pa.string()), ("value", pa.string()), ("language", pa.string())])

RELATION = pa.struct([("property", pa.int32()), ("item", pa.int64())])

# One row an item; maps are sorted by key, statements by (property, value, language).
ENTITIES = pa.schema(
    [
        ("qid", pa.string()),
        ("instance_of", pa.list_(pa.string())),
        ("subclass_of", pa.list_(pa.string())),
        ("sitelinks", pa.int32()),
        ("titles", pa.map_(pa.string(), pa.string())),
        ("labels", pa.map_(pa.string(), pa.string())),
        ("lastrevid", pa.int64()),
        ("statements", pa.list_(STATEMENT)),
        # P31 at sound ranks that are not among the best; mostly empty. Files written before 2026-11-21 lack it.
        ("other_instance_of", pa.list_(pa.string())),
        # The signature: the numbers of all properties but P31 and P279 of which the item has a statement, ascending.
        # Empty without a sitelink, and where a run records no signatures. Files written before 2026-11-23 lack it.
        ("properties", pa.list_(pa.int32())),
        # The statements whose value is an item, but P31 and P279, by property and item, each once; of the ranks that
        # count. Empty without a sitelink, and where a run records no relations. Earlier files lack it, too.
        ("relations", pa.list_(RELATION)),
        # By language as labels, each once, sorted. Empty without a sitelink, and where a run records no aliases. Files
        # written before 2026-11-28 lack it.
        ("aliases", pa.map_(pa.string(), pa.list_(pa.string()))),
        # In English, as most are. Null where a run records no signatures. Files written before 2026-11-29 lack it.
        ("description", pa.string()),
    ]
)

# The columns that have been added since: files without them are read, too.
ADDED: Final = ("other_instance_of", "properties", "relations", "aliases", "description")

# One row for each label of a property, by its number and the language code.
PROPERTY_LABELS = pa.schema([("property", pa.int32()), ("language", pa.string()), ("label", pa.string())])

# One row for each item of ENTITIES, by number: the name of its file, and the row group there.
ITEM_INDEX = pa.schema([("number", pa.int64()), ("file", pa.string()), ("row_group", pa.int32())])

# One row for each distinct list of classes that unlinked items have, and how many items have it.
UNLINKED = pa.schema([("instance_of", pa.list_(pa.string())), ("items", pa.int64())])

# One row for each (title, anchor) of a wiki: the anchor dictionary, redirects resolved.
MENTIONS = pa.schema([("title", pa.string()), ("anchor", pa.string()), ("count", pa.int64())])

# One row for each redirect page of a wiki, in its main namespace: the page that its text names, section dropped.
REDIRECTS = pa.schema([("source", pa.string()), ("target", pa.string())])

# One row for each (title, anchor) of a wiki: P(anchor | page) = count / total, where ``total`` counts the links to the
# page, and P(page | anchor) = count / links, where ``links`` counts those of the whole wiki with the anchor. ``qid`` is
# the item whose sitelink is the page, null if the run has none.
NAMES = pa.schema(
    [
        ("title", pa.string()),
        ("qid", pa.string()),
        ("anchor", pa.string()),
        ("count", pa.int64()),
        ("total", pa.int64()),
        ("links", pa.int64()),
        ("anchor_share", pa.float64()),
        ("page_share", pa.float64()),
    ]
)

# One row for each label and alias in a language, of the items that have a sitelink: the item's number, and a hash of
# the surface form that a label is or would be.
ITEM_NAMES = pa.schema([("number", pa.int64()), ("sitelinks", pa.int32()), ("hash", pa.uint64())])

# One row for each item that has a surface form in the language; P(surface | page) = count / total. ``links`` counts the
# links of the whole wiki with that anchor, and page_share is P(page | surface) = count / links: null for a fallback.
# ``label_language`` is the code of a label that is not of the language itself, else null.
SURFACES = pa.schema(
    [
        ("qid", pa.string()),
        ("title", pa.string()),
        ("surface", pa.string()),
        ("count", pa.int64()),
        ("total", pa.int64()),
        ("source", pa.string()),
        ("links", pa.int64()),
        ("page_share", pa.float64()),
        ("label_language", pa.string()),
    ]
)
