"""What only the categories command does: opening an endpoint and writing the files of a set.

In: a category set. Out: its files, whole or not at all. It may not know how categories are chosen.
"""
