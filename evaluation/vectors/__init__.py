"""Vectors for words, from any file or model that people have.

In: a path, or the name of a model. Out: a vector for each word, phrase or text asked for, or none. It must not know
which test the vectors are for.
"""
