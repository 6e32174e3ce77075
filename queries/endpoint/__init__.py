"""A patient client of a SPARQL endpoint: it asks, waits, asks again, and keeps what it got.

In: queries. Out: whole answers, or an error that says why there was none. It may not know what the answers are for.
"""
