"""Stage 5: the groups of every language.

In: the taxonomy, surface forms, and a few facts of the entities. Out: groups and rejections of each language, complete
and in order. It may not know in which formats people load them.
"""
