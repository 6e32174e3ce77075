"""The class graph as numpy arrays: building and pruning it, walking it, and outlier sets in bulk."""
