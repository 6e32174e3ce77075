"""The class graph as numpy arrays: building and pruning it, walking it, and outlier sets in bulk.

In: the P31 and P279 of items, and the options of a recipe. Out: arrays of classes, their instances and their outlier
sets. It must not know surface forms, files of dumps or Beam.
"""
