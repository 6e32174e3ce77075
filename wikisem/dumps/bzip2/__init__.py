"""bzip2 files read from any byte on: their blocks begin at any bit, and each block decodes on its own.

In: a range of a file. Out: the text of the blocks that begin in it, in order, and the regions that cannot be decoded.
It must not know what the text holds.
"""
