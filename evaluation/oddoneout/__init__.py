"""OddOneOut (Stringham and Izbicki 2020, 2.2): how often the intruder is the odd one among words of a category.

In: the vectors of a category and of its intruders. Out: exact counts over all combinations, or a seeded sample of them.
It may not know where words and vectors came from.
"""
