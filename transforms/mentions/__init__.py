"""Stage 2: the links of a Wikipedia dump, counted into the anchor dictionary of its language.

In: ranges of a dump. Out: ``mentions/<language>/*.parquet`` with redirects resolved, and unreadable records. It must
not know Wikidata.
"""
