"""A data set to publish: what people load, what harnesses run, and who is to be credited.

In: groups and the manifest of a run. Out: the bytes of every file of a release folder. It must not know how a run is
laid out, nor write files itself.
"""
