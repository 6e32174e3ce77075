"""Stage 3: the surface form of each item in a language.

In: entities and mentions. Out: ``surfaces/<language>/*.parquet``. It must not know the class graph.
"""
