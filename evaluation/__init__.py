"""Scores of embedding models and of annotators, on sets of wikisem and on others.

In: test groups, categories or questions, and models. Out: scores with error bars, and comparisons. It must not know
Beam, or how a run is laid out.
"""
