"""Stage 5: the groups of every language.

In: the taxonomy, surface forms, and the entities' labels and titles. Out: groups and rejections of each language,
complete and in order. It must not know in which formats people load them.
"""
