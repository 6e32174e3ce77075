"""Data sets as people keep them, ours or others': test groups and category sets, read from text and JSON lines.

In: a file or folder. Out: groups and categories as plain values, with the place each was read from. It must not know
how the sets were made, nor what they will be scored with.
"""
