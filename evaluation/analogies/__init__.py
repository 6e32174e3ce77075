"""Analogies: a is to b as c is to which word of the vocabulary?

In: questions by section, and a vocabulary. Out: how many of each section are answered right. It must not know how the
questions were made.
"""
