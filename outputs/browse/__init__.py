"""A page to look through groups, from disk and without a network.

In: groups and rejections of a run, and scores. Out: the bytes of index.html and of a script of data for each language.
It must not know how a run is laid out, nor write files itself.
"""
