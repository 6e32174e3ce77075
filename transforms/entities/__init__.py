"""Stage 1: a Wikidata dump to one row per item.

In: ranges of a dump. Out: ``entities/*.parquet``, the latest revision of every item once, and unreadable records. It
must not know any language's Wikipedia.
"""
