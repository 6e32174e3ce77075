"""The build: its stages in order, which of them need to run again, and the manifest of what was made.

In: a recipe, dumps and options. Out: finished units of work in OUT, each with a record. It must not know how people
phrase any of it on the command line.
"""
