"""Lines of a Wikidata JSON dump, or rows of public tables, read into the few columns that the method needs.

In: chunks of dump lines. Out: tables of items, and counts of all lines: kept, left out or unreadable, with the reason.
It must not know how the dump was compressed, nor what its items will be used for.
"""
