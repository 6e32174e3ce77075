"""Vectors for words, from any file or model that people have.

In: a path, or the name of a model. Out: a vector for each known word, phrase or text that was asked for. It must not
know which test the vectors are for.
"""
